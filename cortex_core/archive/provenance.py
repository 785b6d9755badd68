"""Where a memory came from: its turn in the conversation, as the archive keeps it."""

from contextlib import suppress
from pathlib import Path

from cortex_core.archive.conversations import Conversations
from cortex_core.base.errors import CortexError, NotFound
from cortex_core.records.conversation import ConversationText, MessageKind, Said, SaidBy, Turn
from cortex_core.records.memory import Source

_KEPT_BY: dict[MessageKind, SaidBy] = {
    "user": "person",
    "agent": "assistant",
    "question": "tool",
    "answer": "result",
    "plan": "tool",
    "summary": "summary",
    "report": "result",
    "command": "tool",
    "edit": "tool",
    "commit": "result",
}
_OPENERS = ("user", "summary")
"""Messages that begin a turn."""


def turn_of(source: Source, archive: Conversations, around: int = 1) -> Turn:
    """The turn that `source` names, with `around` turns before and after it.

    Raises:
        NotFound: it came from no session, or the archive does not have its conversation.
    """
    if source.offset is None or not source.session:
        who = "you" if source.rule == "person" else f"“{source.rule}”"
        raise NotFound(
            f"This memory was written by {who} and does not come from a session, so "
            "there is no turn to show."
        )
    is_source: list[bool] = []
    # An archive that cannot be read says no more than one that lacks the message.
    with suppress(CortexError):
        found = archive.read(source.session)
        messages, is_source = found.messages, _marked(found, source)
    if not any(is_source):
        raise NotFound(
            f"The archive does not have session {source.session[:8]}, or not this turn of it. The "
            "memory is complete, with the stored words around it. Where the transcript still "
            f"exists: cortex import transcripts {source.transcript}"
        )
    # A turn begins with what the user said: the last of it before the source opens the source's.
    openers = [i for i, message in enumerate(messages) if message.kind in _OPENERS]
    before = sum(opener <= is_source.index(True) for opener in openers)
    first, after = before - 1 - around, before + around
    part = slice(
        openers[first] if first >= 0 else 0, openers[after] if after < len(openers) else None
    )
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
        transcript=source.transcript, session=source.session, number=before, said=tuple(said)
    )


def _marked(found: ConversationText, source: Source) -> list[bool]:
    """Of each message whether the source is there. What the archive does not keep, such as the
    output of a tool, is where the last message before it is."""
    messages = found.messages
    exact = [
        each.uuid == source.message
        if source.message and each.uuid
        else each.offset == source.offset
        for each in messages
    ]
    is_same = Path(found.conversation.transcript).name == Path(source.transcript).name
    if any(exact) or not is_same:
        return exact
    earlier = [i for i, each in enumerate(messages) if each.offset <= (source.offset or 0)]
    last = max(earlier, key=lambda i: messages[i].offset, default=None)
    return [index == last for index in range(len(messages))]
