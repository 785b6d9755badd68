"""Events as the extractors see them: their words are redacted when they are first read.

Most of a transcript is tool output that no rule reads, and redacting all of it would be most of an
import. Nothing can be read as it was written, since reading is what redacts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cortex_core.capture import secrets
from cortex_core.capture.events import Event

Clean = Callable[[str], str]


def redacted(events: Iterable[Event], extra: Sequence[str]) -> Iterator[Event]:
    """The events without secrets: what rules carry over to the next stretch is stored as well.

    Args:
        extra: regular expressions of the person's own, as for `secrets.redact`.
    """

    def clean(text: str) -> str:
        return secrets.redact(text, extra).text

    for event in events:
        yield _Redacted(event, clean)


class _Redacted(Event):
    """An event whose fields are filled when they are first asked for."""

    __slots__ = ("_clean", "_event")

    _event: Event
    _clean: Clean

    def __init__(self, event: Event, clean: Clean) -> None:
        object.__setattr__(self, "_event", event)
        object.__setattr__(self, "_clean", clean)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._event, name)
        if name == "text":
            value = self._clean(value)
        elif name == "input":
            value = _Arguments(value, self._clean)
        object.__setattr__(self, name, value)
        return value


class _Arguments(Mapping[str, Any]):
    """A mapping whose values are redacted when they are first asked for."""

    def __init__(self, given: Mapping[str, Any], clean: Clean) -> None:
        self._given = given
        self._clean = clean
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._read:
            self._read[name] = _cleaned(self._given[name], self._clean)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


def _cleaned(value: Any, clean: Clean) -> Any:
    """A copy of `value`, which is JSON, without the secrets in its texts."""
    if isinstance(value, Mapping):
        return {name: _cleaned(part, clean) for name, part in value.items()}
    if isinstance(value, list):
        return [_cleaned(part, clean) for part in value]
    return clean(value) if isinstance(value, str) else value
