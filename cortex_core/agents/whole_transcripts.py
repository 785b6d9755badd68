"""Transcripts that are read whole each time, because their agent changes what it wrote before."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from cortex_core.records.events import START, Event, ReadPosition, content_mark, uuid_key

LARGEST = 64 << 20
"""Bytes of a file that is one JSON document; parsing it takes about eight times as much memory."""


class WholeReader(AbstractContextManager["WholeReader"]):
    """One pass over the events of a session, of which those that are known are left out."""

    def __init__(
        self,
        path: Path,
        session: str,
        head: str,
        position: ReadPosition,
        end: int,
        events: Callable[[int], Iterable[Event]],
        seen: Callable[[str], bool] | None = None,
    ) -> None:
        """A pass from `position` on.

        Args:
            head: the reader with its version, and what distinguishes this session from another one
                that takes its place.
            end: how far it can be read.
            events: those at an offset and after it, perhaps with some that an earlier pass had.
            seen: whether an event is known from elsewhere, by a mark of its content.
        """
        self.path = path
        self.session = session
        self.problems: Counter[str] = Counter()
        # Another head is another session under this path, or what an older reader has read.
        is_replaced = position.offset > end or position.head != head
        if position.offset and is_replaced:
            self.problems["replaced file"] += 1
        self.position = START if is_replaced else position
        self._end = ReadPosition(end, head)
        self._version = head.partition(" ")[0]
        self._events = events
        self._seen = seen
        self._keys: set[int] = set()

    @property
    def keys(self) -> Set[int]:
        """Keys of the events yielded so far: what `seen` should know from now on."""
        return self._keys

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def __iter__(self) -> Iterator[Event]:
        for event in self._events(self.position.offset):
            mark = f"{self._version}{content_mark(event) or event.uuid}"
            key = uuid_key(mark)
            if key not in self._keys and not (self._seen and self._seen(mark)):
                self._keys.add(key)
                yield event
        self.position = self._end
