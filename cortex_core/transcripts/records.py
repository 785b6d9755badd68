"""What one record of a transcript says: its blocks as events, without Claude Code's own notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from cortex_core.transcripts import events as words
from cortex_core.transcripts.events import Event

_OUTCOME_FIELDS = ("answers", "annotations", "gitOperation", "plan")
"""What Claude Code itself notes about a tool's outcome, kept as the input of its result."""

_PROMPT_MODES = ("prompt", None)


class RecordParser:
    """Turns the records of one transcript, in their order, into events.

    It remembers what ties records together: which tool a result belongs to, and which results are
    of Cortex's own tools.
    """

    def __init__(
        self,
        session: str,
        *,
        sidechain: bool = False,
        limits: words.Limits = words.LIMITS,
        earlier: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self._session = session
        self._sidechain = sidechain
        self._limits = limits
        self._earlier = earlier
        self._looked_back = False
        self.tools: dict[str, str] = {}
        """Names of tools whose results are still to come, by use; empty for Cortex's own."""

    def events(self, record: Mapping[str, Any], offset: int) -> Iterator[Event]:
        """The events of one record whose line begins at `offset`."""
        common = self._common(record, offset)
        message = record.get("message")
        if record.get("type") == "attachment":
            yield from self._queued(record.get("attachment"), common)
        elif not isinstance(message, dict):
            return
        elif record.get("type") == "assistant":
            yield from self._replied(record, message, common)
        else:
            yield from self._entered(record, message, common)

    def _common(self, record: Mapping[str, Any], offset: int) -> dict[str, Any]:
        return {
            "uuid": _string(record.get("uuid")),
            "session": self._session or _string(record.get("sessionId")),
            "time": parse_time(record.get("timestamp")),
            "offset": offset,
            "cwd": _string(record.get("cwd")),
            "branch": _string(record.get("gitBranch")),
            "sidechain": self._sidechain or record.get("isSidechain") is True,
        }

    def _replied(
        self, record: Mapping[str, Any], message: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            return
        common["message"] = _string(message.get("id"))
        for block in _blocks(message.get("content")):
            kind = block.get("type")
            if kind == "text":
                text = words.cleaned(block.get("text"), self._limits.prose)
                if text:
                    yield Event(role="assistant", text=text, **common)
            elif kind == "tool_use":
                yield from self._used(block, common)

    def _used(self, block: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        name, use = _string(block.get("name")), _string(block.get("id"))
        given = block.get("input")
        given = given if isinstance(given, dict) else {}
        own = words.is_own(name, given)
        self.tools[use] = "" if own else name
        if not own:
            given = words.arguments(given, self._limits)
            yield Event(role="tool_use", tool=name, tool_id=use, input=given, **common)

    def _entered(
        self, record: Mapping[str, Any], message: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        for block in _blocks(message.get("content")):
            kind = block.get("type")
            if kind == "tool_result":
                yield from self._resulted(record, block, common)
            elif kind == "text" and isinstance(block.get("text"), str):
                yield from self._prompted(block["text"], record, common)

    def _prompted(
        self, text: str, record: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        role, text = words.speaker_and_words(text, record, self._limits)
        if role == "human" and common["sidechain"]:
            role = "synthetic"
        if text:
            yield Event(role=role, text=text, **common)

    def _resulted(
        self, record: Mapping[str, Any], block: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        use = _string(block.get("tool_use_id"))
        name = self._name_of(use)
        if name == "":
            return
        output = "\n".join(
            part["text"]
            for part in _blocks(block.get("content"))
            if part.get("type") == "text" and isinstance(part.get("text"), str)
        )
        failed = block.get("is_error") is True or bool(record.get("toolDenialKind"))
        outcome = record.get("toolUseResult")
        facts = (
            {fact: outcome[fact] for fact in _OUTCOME_FIELDS if outcome.get(fact)}
            if isinstance(outcome, dict)
            else {}
        )
        yield Event(
            role="tool_result",
            text=words.cleaned(output, self._limits.result),
            tool=name or "",
            tool_id=use,
            input=words.arguments(facts, self._limits),
            failed=failed,
            **common,
        )
        if failed and (said := words.refusal_reason(output, record, name or "mcp__", self._limits)):
            yield from self._prompted(said, {}, common)

    def _queued(self, attachment: object, common: dict[str, Any]) -> Iterator[Event]:
        """A prompt typed while the agent worked: no `user` record ever repeats it."""
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        spoken = attachment.get("commandMode") in _PROMPT_MODES
        for block in _blocks(attachment.get("prompt")):
            if block.get("type") == "text" and isinstance(block.get("text"), str):
                source = {} if spoken else {"promptSource": "system"}
                yield from self._prompted(block["text"], {**attachment, **source}, common)

    def _name_of(self, use: str) -> str | None:
        """The tool a result belongs to: empty for Cortex's own, None where it is not known."""
        if use not in self.tools and not self._looked_back:
            self._looked_back = True
            self.tools = {**self._earlier(), **self.tools}
        return self.tools.pop(use, None)


def parse_time(stamp: object) -> float | None:
    """An ISO 8601 stamp as Unix seconds, UTC where it names no zone; None for anything else."""
    if not isinstance(stamp, str):
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _blocks(content: object) -> list[Mapping[str, Any]]:
    """A message's content as blocks, whichever of its forms it has."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list):
        return [block for block in content if isinstance(block, dict)]
    return []


def _string(value: object) -> str:
    """`value` where it is a string, fit to be stored: half a surrogate pair becomes `?`."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def reply_texts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The texts of an `assistant` record as Claude Code wrote them, with their message's id."""
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict):
        return []
    name = _string(message.get("id"))
    return [(name, _string(block.get("text"))) for block in _blocks(message.get("content"))]
