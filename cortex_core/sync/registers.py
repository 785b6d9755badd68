"""What becomes of a row that several machines change: the later write of each column is kept.

A row is a set of registers: one a column, and one each for when it was added, removed and destroyed
for good. Destroying a row resets it: what was written without knowing of that is of no account,
however late. Merging operations is commutative, associative and idempotent, so machines that have
seen the same operations have the same rows, in whatever order they came. Pure.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cortex_core.sync.stamps import NONE

Row = Mapping[str, Any]
OperationKind = Literal["add", "set", "remove", "destroy"]

EDITED = frozenset(
    {
        "content",
        "title",
        "kind",
        "tags",
        "pinned",
        "priority",
        "inject",
        "globs",
        "triggers",
        "guard",
    }
)
"""Columns that a user changes. Setting one of them brings a memory back that another machine
removed before: what somebody is working on is not lost."""

CONTENTIOUS = "content"
"""The column of which no version is dropped in silence when two machines changed it at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One change of one row that machines share."""

    object: str
    """The row's name on every machine: its table, `:`, and what identifies it there."""
    kind: OperationKind
    stamp: str
    columns: Row = field(default_factory=dict)
    """Of `add` the whole row, of `set` what changes."""
    over: str = NONE
    """The stamp of the content that this one was written over."""
    after: str = NONE
    """The stamp of the deletion for good that its writer knew of."""
    revives: bool = False
    """Whether it brings the row back, if that was removed before."""

    @property
    def table(self) -> str:
        """The table that the row belongs to."""
        return self.object.partition(":")[0]

    @property
    def name(self) -> str:
        """What identifies the row in its table; of a memory its id."""
        return self.object.partition(":")[2]


@dataclass(frozen=True, slots=True)
class Registers:
    """When each part of a row was written last."""

    added: str = NONE
    removed: str = NONE
    destroyed: str | None = None
    """None where it was not; empty where it was destroyed here and no other machine knows yet."""
    revived: str = NONE
    """When it was changed in a way that brings it back."""
    base: str = NONE
    """The stamp of the columns that `columns` does not name."""
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_alive(self) -> bool:
        """Whether the row was added, and not removed since."""
        return bool(self.added) and max(self.added, self.revived) > self.removed

    def outlived(self, operation: Operation) -> bool:
        """Whether an operation is on what was destroyed since, as its writer did not know."""
        return operation.after < (self.destroyed or NONE)

    def stamp_of(self, column: str) -> str:
        """When a column was written last."""
        return self.columns.get(column, self.base)

    def packed(self) -> str:
        """The registers as the store keeps them."""
        parts: dict[str, Any] = {
            "+": self.added,
            "-": self.removed,
            "x": self.destroyed,
            "~": self.revived,
            "*": self.base,
            "=": dict(self.columns),
        }
        kept = {
            name: part for name, part in parts.items() if part or (name == "x" and part is not None)
        }
        return json.dumps(kept, separators=(",", ":"))


def unpacked(packed: str) -> Registers:
    """The registers in what the store keeps."""
    parts = json.loads(packed)
    return Registers(
        parts.get("+", NONE),
        parts.get("-", NONE),
        parts.get("x"),
        parts.get("~", NONE),
        parts.get("*", NONE),
        parts.get("=", {}),
    )


def merged(held: Registers, operation: Operation) -> tuple[Registers, Row]:
    """The registers after an operation, and the columns that it sets.

    Where `destroyed` of the registers changes, nothing of the row as it was may be kept.
    """
    is_end = operation.kind == "destroy"
    end = operation.stamp if is_end else operation.after
    if end > (held.destroyed or NONE):
        held = Registers(destroyed=end)
    if is_end or held.outlived(operation):
        return held, {}
    if operation.kind == "remove":
        return replace(held, removed=max(held.removed, operation.stamp)), {}
    won = {
        name: value
        for name, value in operation.columns.items()
        if operation.stamp > held.stamp_of(name)
    }
    if operation.kind == "add":  # all columns were written at once
        base, added = max(held.base, operation.stamp), max(held.added, operation.stamp)
        later = {name: own for name, own in held.columns.items() if own > base}
        return replace(held, added=added, base=base, columns=later), won
    stamps = {**held.columns, **dict.fromkeys(won, operation.stamp)}
    revived = max(held.revived, operation.stamp) if operation.revives else held.revived
    return replace(held, revived=revived, columns=stamps), won
