"""The hooks of Claude Code: its payload as a `HookCall`, and a `HookAnswer` in the form it reads.

Every event loads this module, so it imports little.
"""

from __future__ import annotations

import os
import sys

from cortex_core.agents.claude import places
from cortex_core.agents.hook_call import HookCall
from cortex_core.base import hook_io, hook_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.agents.hook_call import HookAnswer
    from cortex_core.base.project import Project

_FIRING = (
    "source",
    "prompt_id",
    "turn_id",
    "tool_use_id",
    "agent_id",
    "reason",
    "trigger",
    "stop_hook_active",
    "last_assistant_message",
    "prompt",
)
"""Fields of a payload that distinguish one event of a session from the next."""

_LOOKING = ("Explore", "Plan")
"""Claude Code's own sub-agents that end no piece of work: they only look."""


def call(word: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> HookCall | None:
    """What a payload asks; None for an event that Cortex does not answer or record.

    Args:
        word: the event's name as the command line gave it, such as `session-start`; empty for none.
    """
    event = payload.get("hook_event_name")
    if event not in hook_words.ALL:
        return None
    given = {name: value for name, value in payload.items() if isinstance(value, str)}.get
    ended = event == hook_words.SUBAGENT_STOP
    if ended and not given("agent_type"):
        return None  # Claude Code's own agent, which writes compaction summaries
    if event == hook_words.SUBAGENT_START and given("agent_type") in _LOOKING:
        return None
    plugin = environment.get("CLAUDE_PLUGIN_ROOT")
    asked = HookCall(
        event,
        given("session_id", ""),
        folder=given("cwd", ""),
        started_in=_started_in(payload, environment),
        transcript=(given("agent_transcript_path") if ended else "")
        or given("transcript_path", ""),
        source=given("source", ""),
        prompt=_typed(given("prompt", "")),
        agent=given("agent_id", ""),
        reason=given("reason") or given("trigger", ""),
        is_repeated=payload.get("stop_hook_active") is True,
        firing="\0".join([event, *(str(payload.get(name)) for name in _FIRING)]),
        entry=f"plugin {plugin}" if plugin else f"installed {sys.executable}",
        problem=_mismatch(word, event),
    )
    if event == hook_words.SUBAGENT_START:
        from cortex_core.agents.claude import tail

        asked.prompt = tail.last_task(asked.transcript)
    name, arguments = payload.get("tool_name"), payload.get("tool_input")
    if event == hook_words.TOOL and isinstance(name, str) and isinstance(arguments, dict):
        from cortex_core.agents.claude import tools

        asked.tool, asked.tool_input = tools.name_of(name), tools.arguments_of(name, arguments)
        asked.learn_call = given("tool_use_id", "") if name in tools.LEARN else ""
    return asked


def answer(call: HookCall, given: HookAnswer) -> bytes:
    """The JSON that Claude Code reads; empty where there is nothing to say.

    A text after an answer makes Claude go on: as a decision to block, the user would be shown that
    a hook had a problem, and Claude its whole command line.
    """
    quote = hook_io.quote
    parts = [f'"systemMessage":{quote(given.message)}'] if given.message else []
    output = [f'"hookEventName":{quote(call.event)}']
    if given.decision:
        output.append(f'"permissionDecision":{quote(given.decision)}')
        output.append(f'"permissionDecisionReason":{quote(given.reason)}')
    if given.text:
        output.append(f'"additionalContext":{quote(given.text)}')
    if len(output) > 1:
        parts.append(f'"hookSpecificOutput":{{{",".join(output)}}}')
    return f"{{{','.join(parts)}}}\n".encode() if parts else b""


def may_be_unread(call: HookCall, since: float) -> bool:
    """Whether a transcript of the same folder was written after `since` (Unix seconds)."""
    from cortex_core.agents.hook_defaults import was_written  # few events ask

    return was_written(os.path.dirname(call.transcript), since, ".jsonl")


def memory_file(project: Project, environment: Mapping[str, str]) -> str:
    """The file of Claude Code's own memory of this project, which Claude Code injects itself."""
    disabled = environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY")
    if project.root is None or disabled == "1":
        return ""
    # The environment counts before the settings; a zero there turns it on.
    if disabled != "0" and places.setting(project.root, "autoMemoryEnabled") is False:
        return ""
    return os.path.join(places.memory_folder(project.root), "MEMORY.md")


def is_attended(environment: Mapping[str, str]) -> bool:
    """Whether a user sees the answers; where Claude Code does not say, one is assumed."""
    entry = environment.get("CLAUDE_CODE_ENTRYPOINT", "")
    return environment.get("CLAUDE_CODE_SESSION_ATTENDED") != "0" and not entry.startswith("sdk")


def has_tools(project: Project, environment: Mapping[str, str]) -> bool:
    """Whether sessions in a project have our MCP tools: the plugin brings its own server."""
    if environment.get("CLAUDE_PLUGIN_ROOT"):
        return True
    known = (places.server(root) for root in (project.root or "", None))
    return any(places.is_ours(server) for server in known if server)


def tool_call(meta: Mapping[str, Any]) -> str:
    """The id of the tool call that a request to our MCP server is, by its `_meta`; else empty."""
    return str(meta.get("claudecode/toolUseId", ""))


def is_worth_asking(transcript: str) -> bool:
    """Whether there was a commit, a refusal or some prompts since `learn` was called last."""
    from cortex_core.agents.claude import tail

    return tail.is_worth_asking(transcript)


def _typed(words: str) -> str:
    """A prompt that the user typed; empty for commands, and for notices of Claude Code."""
    if not words.strip():
        return ""
    import re  # most events have no prompt

    notice = (
        r"<(?:[a-z]+-|channel\b)|\[SYSTEM NOTIFICATION|\[Request interrupted"
        r"|Caveat: The messages below|Stop hook feedback:"
    )
    return "" if re.match(rf"\s*(?:{notice}|/[\w:.-]+(?=\s|$)|!)", words) else words


def _mismatch(word: str, event: str) -> str:
    """Why the command line's word cannot be for this event; empty where it is."""
    if not word or _folded(word) == _folded(event):
        return ""
    known = {_folded(name): name for name in hook_words.ALL}
    called = known.get(_folded(word), "an unknown event")  # what else it is, is not logged
    return f"called for {called}, but the payload is for {event}"


def _started_in(payload: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """The folder that the session was started in, if its transcript is in the folder for it."""
    launch = environment.get("CLAUDE_PROJECT_DIR")
    if not launch or launch == payload.get("cwd"):
        return ""
    name = os.path.basename(os.path.dirname(str(payload.get("transcript_path"))))
    slugs = {places.slug(path) for path in (launch, os.path.realpath(launch))}
    return launch if name[: places.LONGEST_SLUG] in slugs else ""


def _folded(word: str) -> str:
    return "".join(letter for letter in word.lower() if letter.isalpha())
