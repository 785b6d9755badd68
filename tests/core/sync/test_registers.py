"""Registers are merged into the same whatever the order and however often, and stamps order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as some

from cortex_core.sync import registers, stamps
from cortex_core.sync.registers import Operation, OperationKind, Registers, merged

WRITERS = ("a1", "b2", "c3")
ENDS = tuple(stamps.stamp(ticks, "a1") for ticks in (2, 4))
ROW = {"content": 1, "title": 1, "pinned": 1}
STAMPS = some.builds(stamps.stamp, some.integers(0, 9), some.sampled_from(WRITERS))


@some.composite
def operations(draw: some.DrawFn) -> Operation:
    """What a machine may do to one row. A value follows from its stamp, as it does in use: a
    machine gives no stamp twice."""
    kind: OperationKind = draw(some.sampled_from(("add", "set", "remove", "destroy", "set")))
    stamp = draw(STAMPS)
    known = draw(some.sampled_from((stamps.NONE, stamps.NONE, *ENDS)))
    names = draw(some.sets(some.sampled_from(sorted(ROW)), min_size=1)) if kind == "set" else ROW
    columns = dict.fromkeys(names, stamp) if kind in ("add", "set") else {}
    return Operation(
        object="memory:m",
        kind=kind,
        stamp=stamp,
        columns=columns,
        after=known if kind != "destroy" and known < stamp else stamps.NONE,
        revives=kind == "set" and draw(some.booleans()),
    )


def after(done: Iterable[Operation]) -> tuple[Any, ...]:
    """What is known of the row, column by column, and the row itself."""
    held, row = Registers(), dict[str, Any]()
    for operation in done:
        before = held.destroyed
        held, won = merged(held, operation)
        row = {**(row if held.destroyed == before else {}), **won}
    stamped = {name: held.stamp_of(name) for name in ROW}
    return held.destroyed, held.added, held.removed, held.revived, stamped, row


@settings(max_examples=60, deadline=None, database=None)
@given(
    some.lists(operations(), max_size=8).flatmap(
        lambda done: some.tuples(some.just(done), some.permutations(done))
    )
)
def test_any_order_gives_the_same_row(both: tuple[list[Operation], list[Operation]]) -> None:
    assert after(both[0]) == after(both[1])


@settings(max_examples=60, deadline=None, database=None)
@given(some.lists(operations(), max_size=5), some.lists(operations(), max_size=3))
def test_what_comes_twice_changes_nothing(done: list[Operation], again: list[Operation]) -> None:
    whole = [*done, *again]
    assert after([*whole, *again, *done]) == after(whole)


@settings(max_examples=60, deadline=None, database=None)
@given(some.lists(operations(), max_size=8))
def test_the_latest_write_of_a_column_that_knows_of_the_last_deletion_stands(
    done: list[Operation],
) -> None:
    destroyed, *_, stamped, row = after(done)
    since = [each for each in done if each.kind != "destroy" and each.after == (destroyed or "")]
    for name in ROW:
        written = [each.stamp for each in since if name in each.columns]
        assert row.get(name, "") == max(written, default="") == stamped[name]


@settings(max_examples=60, deadline=None, database=None)
@given(some.lists(operations(), max_size=6))
def test_what_is_kept_of_a_row_reads_as_it_was(done: list[Operation]) -> None:
    held = Registers()
    for operation in done:
        held = merged(held, operation)[0]
    assert registers.unpacked(held.packed()) == held


@settings(max_examples=60, deadline=None, database=None)
@given(some.integers(0, 2**50), some.integers(0, 2**50), some.sampled_from(WRITERS))
def test_stamps_order_as_their_times_do(first: int, second: int, writer: str) -> None:
    one, other = stamps.stamp(first, writer), stamps.stamp(second, writer)
    assert (one < other) == (first < second)
    assert (stamps.ticks_of(one), stamps.writer_of(one)) == (first, writer)
    assert stamps.next_ticks(first, second / 1_000_000) > first


@pytest.mark.parametrize(
    "words",
    [
        "",
        "-",
        "0005fd3c1e2a0b",
        "0005fd3c1e2a0b-",
        "0005fd3c1e2a0b-a b",
        "+005fd3c1e2a0b-a1",
        "0x05fd3c1e2a0b-a1",
        "0_05fd3c1e2a0b-a1",
        "0005FD3C1E2A0B-a1",
        "٠005fd3c1e2a0b-a1",
        "0005fd3c1e2a0b-a1\n",
        "0005fd3c1e2a0b-é",
    ],
)
def test_only_a_stamp_of_ours_is_one(words: str) -> None:
    with pytest.raises(ValueError, match="no stamp"):
        stamps.ticks_of(words)
