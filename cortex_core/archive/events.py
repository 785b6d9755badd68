"""From the messages of the archive back to the events that the rules read.

What the archive does not keep cannot be read again: the output of tools, code, and what a commit
says below its subject.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from sqlite3 import Row
from typing import Any

from cortex_core.archive.archive import Archive
from cortex_core.base.tools import EDIT, PLAN, QUESTION, SHELL
from cortex_core.language.patterns import Pattern
from cortex_core.records.conversation import Conversation
from cortex_core.records.events import Event

_LEFT_OUT = Pattern(
    "line about code that was left out",
    r"^\[(?:… [\d,]+ lines of code left out …|(?:\S{1,80} )?code, [\d,]+ lines)\]$\n?",
    finds="[python code, 1,200 lines]",
    spares="[… 1,200 lines]",
    flags=re.MULTILINE,
)
_CUT = "…"
"""How a line ends of which the archive has only the beginning."""


def events_of(archive: Archive, conversation: Conversation) -> Iterator[Event]:
    """The events of a conversation, in the order in which they were said."""
    rows = archive.rows_of(conversation.number)
    question = ""
    for index, row in enumerate(rows):
        if row["kind"] == "question":
            question = _tool_id(row)
        plain = _plain(row, conversation)
        if row["kind"] == "answer":
            # It is the result of the form that was asked last.
            given = dict(_details(row))
            said = str(given.pop("text", plain.text))
            yield replace(
                plain, role="tool_result", text=said, tool=QUESTION, tool_id=question, input=given
            )
            question = ""
        elif row["kind"] == "plan":
            # Approved is a plan after which files were changed before the user said anything.
            after = (later["kind"] for later in rows[index + 1 :])
            next_step = next((kind for kind in after if kind in ("edit", "plan", "user")), "")
            use = _use(plain, row, PLAN, {"plan": row["text"]})
            yield use
            yield replace(_result(plain, use, ""), input={"approved": next_step == "edit"})
        elif row["kind"] in _READ:
            yield from _READ[row["kind"]](plain, row)


def _plain(row: Row, conversation: Conversation) -> Event:
    """What every event of a message has in common."""
    return Event(
        role="assistant",
        text=_LEFT_OUT.regex.sub("", row["text"]),
        uuid=row["uuid"],
        session=conversation.session,
        time=row["time"],
        offset=row["offset"],
        cwd=conversation.folder,
        branch=row["at_branch"],
    )


def _tool_id(row: Row) -> str:
    return f"archive:{row['number']}"


def _details(row: Row) -> Mapping[str, Any]:
    found = json.loads(row["details"]) if row["details"] else {}
    return found if isinstance(found, dict) else {}


def _use(plain: Event, row: Row, tool: str, given: Mapping[str, Any]) -> Event:
    return replace(plain, role="tool_use", text="", tool=tool, tool_id=_tool_id(row), input=given)


def _result(plain: Event, use: Event, said: str, *, failed: bool = False) -> Event:
    return replace(
        plain, role="tool_result", text=said, tool=use.tool, tool_id=use.tool_id, failed=failed
    )


def _command(plain: Event, row: Row) -> Iterator[Event]:
    if row["text"].endswith(_CUT):
        return
    use = _use(plain, row, SHELL, {"command": row["text"]})
    yield use
    if row["succeeded"] is not None:
        yield _result(plain, use, "", failed=not row["succeeded"])


def _commit(plain: Event, row: Row) -> Iterator[Event]:
    """A commit with its subject alone, as git reports it."""
    short, _, subject = row["text"].partition(" ")
    use = _use(plain, row, SHELL, {"command": f"git commit -m {shlex.quote(subject)}"})
    yield use
    yield _result(plain, use, f"[{plain.branch or 'main'} {short}] {subject}")


_READ: Mapping[str, Callable[[Event, Row], Iterable[Event]]] = {
    "user": lambda plain, _: [replace(plain, role="human")],
    "agent": lambda plain, _: [plain],
    "summary": lambda plain, _: [replace(plain, role="compaction")],
    "question": lambda plain, row: [_use(plain, row, QUESTION, _details(row))],
    "command": _command,
    "edit": lambda plain, row: [_use(plain, row, EDIT, {"file_path": row["text"]})],
    "commit": _commit,
}
