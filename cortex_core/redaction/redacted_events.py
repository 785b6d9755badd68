"""The events of a transcript without secrets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cortex_core.base import text
from cortex_core.records.events import Event
from cortex_core.redaction import redactor
from cortex_core.redaction.redactor import Redactor

_FROM_OUTSIDE = frozenset(
    {"text", "uuid", "session", "cwd", "branch", "tool", "tool_name", "model"}
)
"""The texts of an event that a secret can be in and that are kept."""


def redacted(events: Iterable[Event], extra: Sequence[str]) -> Iterator[Event]:
    """The events without secrets; rules may store any of their text as carry-over.

    Args:
        extra: the user's own regular expressions, as for `secrets.redact`.
    """
    shared = redactor.shared(tuple(extra))
    for event in events:
        yield _Redacted(event, shared)


class _Redacted(Event):
    """An event whose text and input are redacted on first use."""

    __slots__ = ("_event", "_redactor")

    _event: Event
    _redactor: Redactor

    def __init__(self, event: Event, redactor: Redactor) -> None:
        object.__setattr__(self, "_event", event)
        object.__setattr__(self, "_redactor", redactor)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._event, name)
        if name in _FROM_OUTSIDE:
            value = value if text.is_uuid(value) else self._redactor.text(value)
        elif name == "input":
            value = _Arguments(value, self._redactor)
        object.__setattr__(self, name, value)
        return value


class _Arguments(Mapping[str, Any]):
    """A mapping whose values are redacted on first use."""

    def __init__(self, given: Mapping[str, Any], redactor: Redactor) -> None:
        self._given = given
        self._redactor = redactor
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = self._redactor.parts(self._given[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)
