"""Which memories a search may return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cortex_core.memory import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a memory must be; an empty field asks for nothing."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """All of them."""
    statuses: tuple[Status, ...] = ("active",)
    branch: str | None = None
    file: str | None = None
    """A path: memories that apply to it or were learned in it."""
    since: float | None = None
    """Created then or later, Unix seconds."""
    until: float | None = None

    def where(self) -> tuple[str, list[Any]]:
        """An SQL condition over `m` (memory), and its parameters."""
        conditions: list[str] = []
        values: list[Any] = []
        for column, wanted in (("status", self.statuses), ("kind", self.kinds)):
            if wanted:
                conditions.append(f"m.{column} IN ({','.join('?' * len(wanted))})")
                values += wanted
        for tag in self.tags:
            conditions.append("EXISTS (SELECT 1 FROM json_each(m.tags) WHERE value = ?)")
            values.append(tag)
        if self.file is not None:
            conditions.append(f"({_FILE})")
            values += [self.file, self.file, self.file]
        for condition, value in (
            ("m.branch = ?", self.branch),
            ("m.created >= ?", self.since),
            ("m.created <= ?", self.until),
        ):
            if value is not None:
                conditions.append(condition)
                values.append(value)
        return " AND ".join(conditions) or "1", values


_FILE = """
EXISTS (SELECT 1 FROM json_each(m.globs)
    WHERE ? GLOB value OR ? GLOB replace(value, '**/', ''))
OR EXISTS (SELECT 1 FROM json_each(m.files) WHERE value = ?)
"""
