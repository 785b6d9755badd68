"""Reads what a line of JSON or a frontmatter states: each value in the type that it must have."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.records.fields import Field

_TRUE = frozenset({"true", "yes", "1", "1.0"})
_FALSE = frozenset({"false", "no", "0", "0.0"})


class Values:
    """Reads an object by name; null, an empty text and a missing key are the same.

    Numbers and flags may be texts, as users write them by hand.

    Every method raises `UsageError` where a value has the wrong type or is out of range.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given

    def get(self, name: str, default: Any = None) -> Any:
        """A value as it is; `default` where there is none."""
        value = self.given.get(name)
        return default if value is None or value == "" else value

    def field(self, one: Field, now: float) -> Any:
        """The value of a field under any of its names, else its default."""
        value = one.default
        for name in reversed(one.names):
            value = self._read(name, one, value, now)
        return value

    def _read(self, name: str, one: Field, default: Any, now: float) -> Any:
        match one.form:
            case "text":
                return self.text(name)[: one.longest] or default
            case "texts":
                return self.texts(name) or default
            case "number":
                return self.number(name, default, one.low, one.high)
            case "whole":
                return (
                    default
                    if self.get(name) is None
                    else int(self.number(name, 0, one.low, one.high))
                )
            case "flag":
                return self.flag(name, default)
            case "time":
                return self.time(name, now) or default
            case "choice":
                return self.one_of(name, one.allowed, default)
        return self.mapping(name) or default

    def text(self, name: str) -> str:
        """A text, else empty; numbers are accepted, since some tools have numeric ids."""
        value = self.get(name, "")
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise UsageError(f"{name} is not a text")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of single lines; a text counts as a list of one item."""
        value = self.get(name, [])
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            raise UsageError(f"{name} is not a list of texts")
        return tuple(dict.fromkeys(line for item in listed if (line := text.one_line(item))))

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        value = self.get(name)
        if value is None:
            return default
        try:
            number = nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = nan
        if not low <= number <= high:
            raise UsageError(f"{name} is not a number from {low:g} to {high:g}")
        return number

    def flag(self, name: str, default: bool) -> bool:
        """True or false, yes or no, or 1 or 0."""
        word = str(self.get(name, default)).lower()
        if word not in _TRUE | _FALSE:
            raise UsageError(f"{name} is neither true nor false")
        return word in _TRUE

    def time(self, name: str, now: float) -> float | None:
        """A moment in any form that `text.parse_time` reads, in Unix seconds, or None."""
        value = self.get(name)
        if value is None:
            return None
        try:
            return text.parse_time(value, now)
        except UsageError:
            raise UsageError(f"{name} is not a time") from None

    def mapping(self, name: str) -> dict[str, Any]:
        """An object of any names and values, else an empty one."""
        value = self.get(name, {})
        if not isinstance(value, Mapping):
            raise UsageError(f"{name} is not an object")
        return dict(value)

    def each(self, name: str) -> list[Values]:
        """The objects of a list."""
        value = self.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise UsageError(f"{name} is not a list of objects")
        return [Values(item) for item in value]

    def one_of(self, name: str, allowed: tuple[Any, ...], default: Any) -> Any:
        """One of the values in `allowed`."""
        value = self.get(name, default)
        if value not in (default, *allowed):
            raise UsageError(f"{name} is not one of {', '.join(allowed)}")
        return value
