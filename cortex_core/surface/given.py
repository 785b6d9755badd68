"""Notes of what was injected into each session, so that nothing is injected twice.

Receipts are made from them. A sub-agent, named `session/agent`, has a context of its own. Each
context has a file with one line for each injection, and for each prompt after the first one; a
`reset` line marks where Claude Code dropped what came before.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io, hook_words
from cortex_core.base.project import Project, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


FOLDER = "given"
RECEIPT = "receipt"
"""The file in it that says what the last session used, until the next start shows it."""
RESET = "reset"
FORK = "fork"
AGAIN = 10
"""Prompts after which what fits one may be injected again: by then it lies far back in the context,
and a user who comes back to a matter is served."""
LARGEST = 1 << 22
"""Characters of a session's file that are read."""


class Injection(hook_io.LightRecord):
    """A text to inject, with the ids of its memories and its tokens."""

    text: str = ""
    ids: Sequence[str] = ()
    tokens: int = 0
    """Of the whole text."""
    own: Sequence[int] = ()
    """Of the line of each memory."""

    @property
    def shares(self) -> list[int]:
        """The tokens of each memory: of the frame around all lines it bears what its line has of
        theirs."""
        return [round(self.tokens * one / sum(self.own)) for one in self.own]


def injected_ids(project: Project, session: str) -> dict[str, int]:
    """The ids of the memories in the session's context, each with the prompts since it came."""
    prompts = 0
    at: dict[str, int] = {}
    for event, ids, _ in _noted(project, session):
        prompts += event == hook_words.PROMPT
        if event == RESET:
            at.clear()
        at.update(dict.fromkeys(ids, prompts))
    return {id: prompts - one for id, one in at.items()}


def times(project: Project, session: str, event: str) -> dict[str, float]:
    """When each memory was last injected at `event` into the session's present context, by id.

    Times are Unix seconds.
    """
    last: dict[str, float] = {}
    for noted, ids, time in _noted(project, session):
        if noted == RESET:
            last.clear()
        elif noted == event:
            last.update(dict.fromkeys(ids, time))
    return last


def _noted(project: Project, session: str) -> Iterator[tuple[str, list[str], float]]:
    """Event, ids and time of each note of a session, in order; damaged ones are left out."""
    for line in hook_io.read(_path(project, session), LARGEST).splitlines():
        try:
            entry = hook_io.loads(line)
            noted = entry["event"], list(entry["ids"]), float(entry["time"])
        except (ValueError, TypeError, KeyError):
            continue
        yield noted


def record(project: Project, session: str, event: str, injection: Injection, now: float) -> None:
    """Note that `injection` was injected into the session.

    Raises:
        OSError, StoreError: the note cannot be written.
    """
    folder(project, FOLDER)
    entry = {
        "time": now,
        "session": _stored(session.partition("/")[0]),
        "event": event,
        "ids": list(injection.ids),
        "tokens": injection.tokens,
        "shares": injection.shares,
    }
    hook_io.append(_path(project, session), hook_io.dumps(entry) + "\n")


def record_alone(project: Project, session: str, event: str, now: float) -> None:
    """Note an event that injects nothing, if something was injected before it: a `RESET` empties
    the session's context, and prompts are counted."""
    if os.path.exists(_path(project, session)):
        record(project, session, event, Injection(), now)


def inherit_from_fork(project: Project, session: str, now: float) -> None:
    """Note for a forked session what the session holds that it was most likely forked from.

    Claude Code does not say which one that is; it is taken to be the one with the newest notes.
    """
    notes = os.path.join(project.data, FOLDER)
    try:
        newest = max(
            (entry for entry in os.scandir(notes) if entry.name.endswith(".jsonl")),
            key=lambda entry: entry.stat().st_mtime_ns,
            default=None,
        )
    except OSError:
        return
    lines = hook_io.read(newest.path, LARGEST).splitlines() if newest else []
    try:
        parent = str(hook_io.loads(lines[-1])["session"]) if lines else ""
    except (ValueError, TypeError, KeyError):
        return
    held = injected_ids(project, parent) if parent and parent != _stored(session) else {}
    if held:
        record(project, session, FORK, Injection(ids=sorted(held)), now)


def take_receipt(project: Project) -> str:
    """What is to be said once of what the last session was given and used; mostly nothing."""
    path = os.path.join(project.data, FOLDER, RECEIPT)
    line = hook_io.read(path)
    try:
        if line:
            os.unlink(path)
    except OSError:  # it would be said at each start
        return ""
    return line


def _stored(session: str) -> str:
    """A session's id without a secret. Claude Code's own ids are UUIDs, and are taken as they are:
    loading one module more for them would be felt."""
    if len(session) < 16 or session.count("-") == 4:
        return session
    from cortex_core.redaction.stored_names import clean

    return clean(session)


def _path(project: Project, session: str) -> str:
    return os.path.join(project.data, FOLDER, f"{hook_io.sha256(session)[:32]}.jsonl")
