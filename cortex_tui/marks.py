"""Which memories are marked, and which of those a filter hides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cortex_core.memory import Key


class Marks:
    """The marked memories of a list, and a range that is being marked."""

    def __init__(self) -> None:
        self.keys: dict[Key, None] = {}
        """In the order in which they were marked."""
        self.anchor: int | None = None
        """Where the range begins that is being marked, None while none is."""
        self._order: Sequence[Key] = ()
        self._members: frozenset[Key] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def show(self, order: Sequence[Key]) -> None:
        """Take over what the list shows now; a range goes on where its first row stands now."""
        if self.anchor is not None:
            begun = self._order[self.anchor]
            self.anchor = order.index(begun) if begun in order else None
        self._order, self._members = order, None

    def has(self, key: Key, place: int, cursor: int) -> bool:
        """Whether the row of `key` at `place` is marked, or in the range that ends at `cursor`."""
        return key in self.keys or (
            self.anchor is not None
            and min(self.anchor, cursor) <= place <= max(self.anchor, cursor)
        )

    def toggle(self, key: Key) -> None:
        """Mark `key`, or unmark it."""
        if key in self.keys:
            del self.keys[key]
        else:
            self.keys[key] = None

    def begin(self, place: int) -> None:
        """Begin a range at `place`."""
        self.anchor = place

    def end(self, cursor: int) -> None:
        """Mark the range that ends at `cursor`; nothing where there is none."""
        if self.anchor is not None:
            low, high = sorted((self.anchor, cursor))
            self.keys.update(dict.fromkeys(self._order[low : high + 1]))
            self.anchor = None

    def all(self) -> None:
        """Mark every row that is shown."""
        self.anchor = None
        self.keys.update(dict.fromkeys(self._order))

    def none(self) -> None:
        """Take every mark away."""
        self.anchor = None
        self.keys.clear()

    def drop(self, keys: Iterable[Key]) -> None:
        """Unmark `keys`."""
        for key in keys:
            self.keys.pop(key, None)

    def shown(self) -> list[Key]:
        """The marked rows that are shown, in the list's order."""
        return [key for key in self._order if key in self.keys] if self.keys else []

    def hidden(self) -> list[Key]:
        """The marked memories that the list does not show."""
        if not self.keys:
            return []
        if self._members is None:
            self._members = frozenset(self._order)
        return [key for key in self.keys if key not in self._members]
