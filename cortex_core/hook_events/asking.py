"""Asks the agent to write down what it learned, while it still knows.

Standard library only, and little of it: every session's start loads this module.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io
from cortex_core.base.project import Project, folder, is_paused
from cortex_core.hook_events import firings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.agents.hook_call import HookCall
    from cortex_core.agents.protocol import Hooks

PARAGRAPH = (
    "When a piece of work ends (a commit, a confirmed fix, a decision, a correction), call the "
    "Cortex tool `learn` once, with one to four statements for the next session: rules the "
    "user stated, with the calls they mean; choices with the reason and what was rejected; causes "
    "that took effort; commands that work. Leave out what code, git or these notes say. With "
    "nothing new, do not."
)
"""At most 90 tokens, as each session and each working sub-agent pays for it."""

NAMING = (
    " New rules of the user: {}. Where tool calls can break one, also call `learn` with its very "
    "words, its kind, and those calls as triggers."
)
"""What is added for two days after the user typed rules, until an agent has named their calls: of
60 rules by somebody who knew none of this, words alone recall 36 % of the calls that break them."""

MOST_NAMED = 5
"""Rules whose calls one session is asked to name."""


REQUEST = (
    "Before you stop: this session committed work, had a step refused, or heard several prompts "
    "since `learn` of Cortex was last called. Call it once, with at most four statements for "
    "whoever works here next; with nothing new, do not. Then stop, and add no further word."
)
"""What `insist` asks once a session, after an answer."""

FOLDER = "learning"
"""Holds a small file for each call of `learn`, by its id, and for each session that was asked."""

NOTES_KEPT = 30 * 86_400.0
"""Seconds that these files are kept: as long as a session can be resumed."""


def paragraph(project: Project, hooks: Hooks, mode: str, rules: Sequence[str] = ()) -> str:
    """When to call `learn`, for a session or a sub-agent that begins; empty if it is not asked.

    Args:
        mode: what `capture.agent` says.
        rules: ids of the user's rules whose calls are to be named.
    """
    if mode == "off" or not _can_be_asked(project, hooks):
        return ""
    named = ", ".join(f"[{id[:8]}]" for id in rules[:MOST_NAMED])
    return PARAGRAPH + (NAMING.format(named) if named else "")


def request(project: Project, call: HookCall, hooks: Hooks, mode: str) -> str:
    """The request to call `learn` after an answer, noted as made; empty if there is none to make.

    There is one a session, with `insist`, if the transcript's end shows a reason.
    """
    if call.is_repeated or mode != "insist" or not _can_be_asked(project, hooks):
        return ""
    mark = _path(project, call.session)
    if os.path.exists(mark) or not hooks.is_worth_asking(call.transcript):
        return ""
    hook_io.replace(mark, "")
    return REQUEST


def note_call(project: Project, call: HookCall) -> None:
    """Note which session calls `learn`, for the MCP server, which gets no session id."""
    path = _path(project, call.learn_call)
    firings.remove_old(os.path.dirname(path), NOTES_KEPT)
    hook_io.replace(path, hook_io.dumps({"session": call.session, "transcript": call.transcript}))


def called_from(project: Project, learn_call: str) -> tuple[str, str]:
    """The session that makes this call of `learn` and its transcript, whose note goes; empty where
    no hook said."""
    path = _path(project, learn_call)
    try:
        noted = hook_io.loads(hook_io.read(path))
        session, transcript = str(noted["session"]), str(noted["transcript"])
    except (ValueError, TypeError, KeyError):
        return "", ""
    hook_io.remove(path)
    return session, transcript


def _path(project: Project, name: str) -> str:
    return os.path.join(folder(project, FOLDER), hook_io.sha256(name)[:32])


def _can_be_asked(project: Project, hooks: Hooks) -> bool:
    """Whether a user sees the answers, the agent has our tools, and capture is on."""
    if project.root is None or project.doubt or is_paused(project):
        return False
    return hooks.is_attended(os.environ) and hooks.has_tools(project, os.environ)
