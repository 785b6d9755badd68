"""Where a memory came from: its turn in the transcript, or, once that is gone, in the archive.

Private spans and secrets are removed from everything that is shown, as at admission.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.agents.transcripts import exists, found, reader_of
from cortex_core.base.config import Config
from cortex_core.base.errors import CortexError, NotFound
from cortex_core.records.conversation import (
    ConversationText,
    Message,
    MessageKind,
    Said,
    SaidBy,
    Turn,
    span_of_turns,
)
from cortex_core.records.events import Event
from cortex_core.records.memory import Source
from cortex_core.redaction import cleaning

if TYPE_CHECKING:
    from cortex_core.archive.conversations import Conversations

LONGEST = 6_000
"""Characters of one block that are shown."""

_BY: dict[str, SaidBy] = {
    "human": "person",
    "queued": "person",
    "assistant": "assistant",
    "tool_use": "tool",
    "tool_result": "result",
    "compaction": "summary",
    "synthetic": "note",
}
_KEPT_BY: dict[MessageKind, SaidBy] = {
    "user": "person",
    "agent": "assistant",
    "question": "tool",
    "answer": "result",
    "plan": "tool",
    "summary": "summary",
    "command": "tool",
    "edit": "tool",
    "commit": "result",
}
_OPENERS = ("user", "summary")
"""Messages that begin a turn."""

_MAIN_ARGUMENTS = (
    "command",
    "file_path",
    "path",
    "pattern",
    "query",
    "url",
    "prompt",
    "description",
)
"""The arguments that say best what a tool was used for."""


def turn_of(source: Source, config: Config, archive: Conversations, around: int = 1) -> Turn:
    """The turn that `source` names, with `around` turns before and after it.

    Args:
        archive: where the conversation is looked for when there is no transcript any more.

    Raises:
        NotFound: it came from no transcript, or that is gone and the archive does not have it.
        TranscriptError: the transcript cannot be read.
    """
    if source.offset is None or not (source.transcript or source.session):
        raise NotFound(
            f"This memory was written by “{source.rule}” and does not come from a session, so "
            "there is no turn to show."
        )
    path = _find(source)
    if not path:
        # Transcripts are deleted after some time; the archive stays.
        return _archived(source, archive, around)
    events = reader_of(path).turn(path, source.offset, around)
    is_source = [_is_source(event, source) for event in events]
    said = [
        Said(by=_BY[event.role], text=words, time=event.time, here=is_here)
        for event, is_here in zip(events, is_source, strict=True)
        if (words := _words(event, config))
    ]
    return Turn(
        transcript=path,
        session=source.session,
        said=tuple(said),
        moved=path != source.transcript,
        differs=not any(is_source),
    )


def _archived(source: Source, archive: Conversations, around: int) -> Turn:
    """The turn as the archive has it.

    Raises:
        NotFound: it has no such message.
    """
    is_source: list[bool] = []
    # An archive that cannot be read says no more than one that lacks the message.
    with suppress(CortexError):
        found = archive.read(source.session)
        messages, is_source = found.messages, _marked(found, source)
    if not any(is_source):
        raise NotFound(
            f"The transcript {source.transcript or source.session} no longer exists; Claude Code "
            "deletes transcripts after 30 days. The memory is complete, with the stored words "
            "around it."
        )
    # A turn begins with what the user said: the last of it before the source opens the source's.
    openers = [i for i, message in enumerate(messages) if message.kind in _OPENERS]
    before = sum(opener <= is_source.index(True) for opener in openers)
    part = span_of_turns(openers, before, around)
    said = [
        Said(
            by=_KEPT_BY[message.kind],
            text=message.text + ("  (failed)" if message.succeeded is False else ""),
            time=message.time,
            here=is_here,
        )
        for message, is_here in zip(messages[part], is_source[part], strict=True)
    ]
    return Turn(
        transcript=source.transcript, session=source.session, said=tuple(said), archived=True
    )


def _marked(found: ConversationText, source: Source) -> list[bool]:
    """Of each message whether the source is there. What the archive does not keep, such as the
    output of a tool, is where the last message before it is."""
    messages = found.messages
    exact = [_is_source(message, source) for message in messages]
    is_same = Path(found.conversation.transcript).name == Path(source.transcript).name
    if any(exact) or not is_same:
        return exact
    earlier = [i for i, each in enumerate(messages) if each.offset <= (source.offset or 0)]
    last = max(earlier, key=lambda i: messages[i].offset, default=None)
    return [index == last for index in range(len(messages))]


def _find(source: Source) -> str:
    """The transcript, where it was or was moved to; empty where it is gone."""
    if source.transcript and exists(source.transcript):
        return source.transcript
    names = filter(None, (source.transcript, source.session and f"{source.session}.jsonl"))
    return next((str(path) for name in names for path in found(name)), "")


def _is_source(said: Event | Message, source: Source) -> bool:
    if source.message and said.uuid:
        return said.uuid == source.message
    return said.offset == source.offset


def _words(event: Event, config: Config) -> str:
    words = f"{event.tool_name} {_argument(event)}" if event.role == "tool_use" else event.text
    shown = cleaning.redacted(words, config)
    rest = len(shown) - LONGEST
    return shown if rest <= 0 else f"{shown[:LONGEST]}\n({rest:,} more characters)"


def _argument(event: Event) -> str:
    for name in _MAIN_ARGUMENTS:
        if isinstance(value := event.input.get(name), str) and value:
            return value
    return json.dumps(dict(event.input), ensure_ascii=False, default=str) if event.input else ""
