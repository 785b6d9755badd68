"""The rows of a long list: their order is known, what they hold is read as they come into sight.

One thread reads. The screen waits a moment for it, so that a healthy store never shows a blank row,
and no longer than that, so that a slow one never stops the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from cortex_core.memory import Key, Memory

PATIENCE = 0.012
"""Seconds that a frame waits for the rows it needs."""
KEPT = 3000
"""Memories held."""

Read = Callable[[Sequence[Key]], Mapping[Key, Memory]]


class Rows:
    """Rows in their order, read by windows."""

    def __init__(self, read: Read, arrived: Callable[[BaseException | None], object]) -> None:
        self.order: Sequence[Key] = ()
        self._read = read
        self._arrived = arrived
        self._held: dict[Key, Memory | None] = {}
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="rows")
        self._reading: Future[Mapping[Key, Memory]] | None = None
        self._asked: Sequence[Key] = ()

    def __len__(self) -> int:
        return len(self.order)

    def replace(self, order: Sequence[Key], *, keep: bool = True) -> None:
        """Show `order` from now on; with `keep` off, what was read is read again."""
        self.order = order
        if not keep:
            self._held.clear()

    def hold(self, rows: Mapping[Key, Memory]) -> None:
        """Take over memories that somebody else has read."""
        self._held.update(rows)

    def at(self, index: int) -> Memory | None:
        """The memory at `index`, None when it is not read yet or gone."""
        return self._held.get(self.order[index]) if 0 <= index < len(self.order) else None

    def known(self, key: Key) -> Memory | None:
        """The memory behind `key`, None when it is not read."""
        return self._held.get(key)

    def is_gone(self, index: int) -> bool:
        """Whether the memory at `index` was looked for and is no longer there."""
        key = self.order[index]
        return key in self._held and self._held[key] is None

    def index_of(self, key: Key) -> int | None:
        """Where `key` stands, None when it is not in the list."""
        try:
            return self.order.index(key)
        except ValueError:
            return None

    def see(self, first: int, count: int) -> None:
        """Have the rows from `first` read, now if that takes but a moment."""
        self.take()
        if self._missing(first, first + count):
            self._wait()
            if (wanted := self._missing(first, first + count)) and self._reading is None:
                self._begin(wanted)
                self._wait()
            if self._reading is not None:
                self._reading.add_done_callback(self._late)

    def look_around(self, first: int, count: int) -> None:
        """Have the pages before and behind the rows from `first` read, in their own time."""
        self.take()
        around = self._missing(max(0, first - count), first + 2 * count)
        if around and self._reading is None:
            self._begin(around)

    def take(self) -> None:
        """Hold what a reading brought; called on the screen's thread."""
        if self._reading is None or not self._reading.done():
            return
        reading, self._reading = self._reading, None
        if (error := reading.exception()) is not None:
            self._arrived(error)
            return
        found = reading.result()
        self._held.update((key, found.get(key)) for key in self._asked)
        for key in list(self._held)[: max(0, len(self._held) - KEPT)]:
            del self._held[key]

    def close(self) -> None:
        """Let the reader go."""
        self._reader.shutdown(wait=False, cancel_futures=True)

    def _missing(self, first: int, last: int) -> list[Key]:
        return [key for key in self.order[first:last] if key not in self._held]

    def _begin(self, keys: Sequence[Key]) -> None:
        self._asked = keys
        self._reading = self._reader.submit(self._read, keys)

    def _wait(self) -> None:
        """Give the reading under way, if any, the time that a frame can spare."""
        if self._reading is not None:
            wait((self._reading,), PATIENCE)
            self.take()

    def _late(self, reading: Future[Mapping[Key, Memory]]) -> None:
        if not reading.cancelled():
            self._arrived(None)
