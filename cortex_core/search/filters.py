"""Which memories a search may return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.types import STATUSES, Status

if TYPE_CHECKING:
    from cortex_core.base.config import Config


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


def checked(
    config: Config,
    now: float,
    kinds: Iterable[str] = (),
    tags: Iterable[str] = (),
    statuses: Sequence[Status] = ("active",),
    branch: str | None = None,
    file: str | None = None,
    since: str | float | None = None,
    until: str | float | None = None,
) -> Filters:
    """Filters from what a user gave.

    Raises:
        UsageError: an unknown kind, status or time.
    """
    for status in statuses:
        if status not in STATUSES:
            raise UsageError(
                f"“{status}” is not a status. Nothing was searched. Use one of: "
                f"{', '.join(STATUSES)}."
            )
    return Filters(
        kinds=tuple(config.kinds.get(kind).name for kind in kinds), tags=tuple(tags),
        statuses=tuple(statuses), branch=branch, file=file,
        since=None if since is None else text.parse_time(since, now),
        until=None if until is None else text.parse_time(until, now),
    )  # fmt: skip
