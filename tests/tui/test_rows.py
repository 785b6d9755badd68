"""Reading a long list by windows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import wait

import pytest

from cortex_core.records.memory import Key, Memory
from cortex_tui.lists import memory_list as module
from cortex_tui.lists.memory_list import Rows


def memory(key: Key) -> Memory:
    return Memory(id=str(key), content="c", title=f"row {key[1]}", kind="fact", scope=key[0])


class Source:
    """Reads rows, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Sequence[Key]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.arrived: list[BaseException | None] = []
        self.gone: set[Key] = set()
        self.error: Exception | None = None

    def read(self, keys: Sequence[Key]) -> Mapping[Key, Memory]:
        self.asked.append(list(keys))
        assert self.gate.wait(10)
        if self.error is not None:
            raise self.error
        return {key: memory(key) for key in keys if key not in self.gone}


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def rows(source: Source, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rows]:
    monkeypatch.setattr(module, "PATIENCE", 5)
    made = Rows(source.read, source.arrived.append)
    made.replace([("project", number) for number in range(100_000)])
    yield made
    source.gate.set()
    made.close()


def see(rows: Rows, first: int, count: int) -> None:
    """Look, then look around, and wait until both are read."""
    rows.load(first, count)
    rows.look_around(first, count)
    if rows._reading is not None:
        wait((rows._reading,), 10)
    rows.take()


def test_a_window_is_read_with_a_page_around_it(rows: Rows, source: Source) -> None:
    rows.load(500, 20)
    assert source.asked == [[("project", number) for number in range(500, 520)]]
    assert rows.at(500) is not None
    assert rows.at(520) is None
    see(rows, 500, 20)
    assert sorted(source.asked[1]) == [
        ("project", number) for number in [*range(480, 500), *range(520, 540)]
    ]
    assert [rows.at(place) is not None for place in (479, 480, 539, 540)] == [
        False,
        True,
        True,
        False,
    ]


def test_what_is_held_is_not_read_again(rows: Rows, source: Source) -> None:
    see(rows, 500, 20)
    see(rows, 505, 20)
    see(rows, 530, 20)
    asked = [key for keys in source.asked for key in keys]
    assert len(asked) == len(set(asked))


def test_no_more_is_held_than_allowed(
    rows: Rows, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT", 200)
    for first in range(0, 5000, 50):
        see(rows, first, 50)
    assert len(rows._memories) <= 200
    assert rows.at(4999) is not None
    assert rows.at(0) is None


def test_scrolling_meets_rows_that_are_read_already(rows: Rows, source: Source) -> None:
    see(rows, 0, 20)
    asked = len(source.asked)
    rows.load(20, 20)
    assert len(source.asked) == asked
    assert all(rows.at(place) is not None for place in range(20, 40))


def test_a_row_that_is_gone_is_not_asked_for_for_ever(rows: Rows, source: Source) -> None:
    source.gone.add(("project", 3))
    see(rows, 0, 10)
    see(rows, 0, 10)
    assert rows.at(3) is None
    assert rows.is_gone(3)
    assert not rows.is_gone(99)
    assert sum(("project", 3) in keys for keys in source.asked) == 1


def test_a_slow_store_does_not_stop_the_screen(
    rows: Rows, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    source.gate.clear()
    rows.load(0, 10)
    rows.load(1000, 10)
    assert rows._reading is not None and not rows._reading.done()  # nobody waited for it
    assert rows.at(0) is None
    assert len(source.asked) == 1
    source.gate.set()
    deadline = time.monotonic() + 10
    while not source.arrived and time.monotonic() < deadline:
        time.sleep(0.005)
    assert set(source.arrived) == {None}
    rows.take()
    assert rows.at(0) is not None
    see(rows, 1000, 10)
    assert rows.at(1000) is not None


def test_an_error_is_handed_on_and_the_next_try_is_open(rows: Rows, source: Source) -> None:
    source.error = OSError("disk")
    rows.load(0, 10)
    assert [type(error) for error in source.arrived] == [OSError]
    source.error = None
    see(rows, 0, 10)
    assert rows.at(0) is not None


def test_places_and_a_new_order(rows: Rows, source: Source) -> None:
    rows.load(0, 10)
    assert rows.index_of(("project", 4711)) == 4711
    assert rows.index_of(("global", 1)) is None
    rows.replace([("project", 7), ("project", 3)])
    assert rows.index_of(("project", 3)) == 1
    assert rows.at(0) is not None
    rows.replace(rows.order, keep=False)
    assert rows.at(0) is None
    assert rows.at(99) is None
