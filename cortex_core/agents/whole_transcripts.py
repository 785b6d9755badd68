"""Transcripts that are read whole each time, because their agent changes what it wrote before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from types import TracebackType
from typing import Self

from cortex_core.records.events import Event, ReadPosition, content_mark, uuid_key

LARGEST = 64 << 20
"""Bytes of a file that is one JSON document; parsing it takes about eight times as much memory."""


class WholeReader:
    """One pass over the events of a session, of which those that are known are left out."""

    def __init__(
        self,
        path: Path,
        session: str,
        start: ReadPosition,
        end: ReadPosition,
        events: Iterable[Event],
        seen: Callable[[str], bool] | None = None,
        problems: Mapping[str, int] | None = None,
    ) -> None:
        """A pass from `start` on.

        Args:
            end: where the next pass begins.
            events: those at `start` and after it, perhaps with some that an earlier pass had.
            seen: whether an event is known from elsewhere, by the mark of its content.
        """
        self.path = path
        self.session = session
        self.position = start
        self.problems = Counter(problems)
        self._end = end
        self._all = events
        self._seen = seen
        self._keys: set[int] = set()

    @property
    def keys(self) -> Set[int]:
        """Keys of the events yielded so far: what `seen` should know from now on."""
        return self._keys

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def __iter__(self) -> Iterator[Event]:
        for event in self._all:
            mark = content_mark(event)
            key = uuid_key(mark)
            if key not in self._keys and not (self._seen and self._seen(mark)):
                self._keys.add(key)
                yield event
        self.position = self._end
