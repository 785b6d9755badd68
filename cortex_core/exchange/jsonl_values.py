"""The values of an object from outside: each of the right type, or told by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex_core import text
from cortex_core.errors import UsageError

MOST = 10**15
"""The largest place or offset: room enough, and far from what an integer of SQLite holds."""


class Values:
    """Reads an object by name; null and what is missing are the same.

    Every method raises `UsageError` where a value has the wrong type or is out of range.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def text(self, name: str) -> str:
        """A text, else empty; a number counts as one, for others' ids are numbers."""
        value = self._given.get(name)
        if value is None:
            return ""
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise UsageError(f"{name} is no text")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of single lines; one text stands for a list of one."""
        value = self._given.get(name)
        if value is None:
            return ()
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise UsageError(f"{name} is no list of texts")
        return tuple(dict.fromkeys(line for one in listed if (line := text.one_line(one))))

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        value = self._given.get(name)
        if value is None:
            return default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= high:
            raise UsageError(f"{name} is no number from {low:g} to {high:g}")
        return float(value)

    def whole(self, name: str) -> int | None:
        """A place or an offset, if there is one."""
        return None if self._given.get(name) is None else int(self.number(name, 0, 0, MOST))

    def flag(self, name: str, default: bool) -> bool:
        """True or false, which 1 and 0 stand for as well."""
        value = self._given.get(name)
        if value is None:
            return default
        if value not in (True, False):
            raise UsageError(f"{name} is neither true nor false")
        return bool(value)

    def time(self, name: str, now: float) -> float | None:
        """A moment in any form that `text.parse_time` reads, if there is one."""
        value = self._given.get(name)
        if value in (None, ""):
            return None
        try:
            return text.parse_time(value, now)
        except UsageError:
            raise UsageError(f"{name} is no time") from None

    def mapping(self, name: str) -> dict[str, Any]:
        """An object of any names and values, else an empty one."""
        value = self._given.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise UsageError(f"{name} is no object")
        return dict(value)

    def each(self, name: str) -> list[Values]:
        """The objects of a list."""
        value = self._given.get(name)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise UsageError(f"{name} is no list of objects")
        return [Values(one) for one in value]

    def one_of(self, name: str, allowed: tuple[Any, ...], default: Any) -> Any:
        """One of a few names."""
        value = self._given.get(name)
        if value is None:
            return default
        if value not in allowed:
            raise UsageError(f"{name} is none of {', '.join(allowed)}")
        return value
