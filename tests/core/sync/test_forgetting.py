"""What was scrubbed or deleted for good on one machine is nowhere on the other, nor in the files of
either."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.maintenance import scrub
from cortex_core.maintenance.scrub import SecretFinder
from cortex_core.store import synced, trash
from cortex_core.store.rows import Row
from cortex_core.store.store import Store
from cortex_core.sync.exchange import StoreExchange
from tests.conftest import Clock

SECRET = "zebra-unicorn-42"
Carried = dict[str, bytes]


@pytest.fixture
def two(tmp_path: Path, clock: Clock) -> Iterator[tuple[Cortex, Cortex]]:
    """The project on two machines."""
    for name in ("desk", "laptop"):
        (tmp_path / name / "shop").mkdir(parents=True)
    opened = [
        Cortex.open(tmp_path / name / "shop", tmp_path / name / "home", clock=clock)
        for name in ("desk", "laptop")
    ]
    yield opened[0], opened[1]
    for each in opened:
        each.close()


def exchange(cortex: Cortex, carried: Carried) -> None:
    """What a sync does with the project's store, and a scrub that knows no pattern of its own."""

    def cleaned(store: Store, texts: Sequence[str]) -> object:
        return scrub.scrub(store, SecretFinder([*map(re.escape, texts)]), "worker")

    one = StoreExchange(cortex.workspace.store("project"), "a machine", scrub=cleaned)
    one.write()
    one.merge({name: carried[name] for name in one.wanted(carried)})
    one.write()
    own = one.own_files()
    for name in [name for name in carried if name.startswith(one.state.writer)]:
        del carried[name]
    carried.update((name, path.read_bytes()) for name, path in own.items())


def holds(cortex: Cortex, carried: Carried) -> list[str]:
    """Where the secret is: files of the store, unpacked, and what is carried."""
    folder = Path(cortex.project.data)
    found = [path for path in folder.rglob("*") if path.is_file()]
    plain = {str(path): path.read_bytes() for path in found if "sync" not in path.parts}
    plain |= {
        str(path): zlib.decompress(path.read_bytes()) for path in found if "sync" in path.parts
    }
    plain |= {name: zlib.decompress(data) for name, data in carried.items()}
    return [name for name, data in plain.items() if SECRET.encode() in data]


def test_a_scrub_reaches_every_place(two: tuple[Cortex, Cortex]) -> None:
    desk, laptop = two
    carried: Carried = {}
    made = desk.remember(f"The token of the build is {SECRET}, from the vault")
    exchange(desk, carried)
    exchange(laptop, carried)
    laptop.pin(made.id)
    exchange(laptop, carried)
    assert holds(laptop, carried) and holds(desk, carried)
    desk.settings.set("redact.extra", ["zebra-unicorn-[0-9]+"])  # the laptop knows no such pattern
    assert desk.secrets.scrub().found
    for machine in (desk, laptop, desk):
        exchange(machine, carried)
    assert "[redacted" in laptop.show(made.id).content and laptop.show(made.id).pinned
    laptop.close()
    desk.close()
    assert holds(laptop, carried) == holds(desk, carried) == []


def test_what_is_deleted_for_good_is_so_everywhere(two: tuple[Cortex, Cortex]) -> None:
    desk, laptop = two
    carried: Carried = {}
    made = desk.remember(f"The token of the build is {SECRET}, from the vault")
    desk.remember("The queue keeps jobs for 90 days")
    exchange(desk, carried)
    exchange(laptop, carried)
    laptop.edit(made.id, title=f"About {SECRET}")
    exchange(laptop, carried)
    store = desk.workspace.store("project")
    exchange(desk, carried)
    with store.change("prune", "prune it", "person") as change:
        trash.put(store, change, made.id)
    assert desk.trash.empty() == 1
    for machine in (desk, laptop, desk):
        exchange(machine, carried)
    assert not any(SECRET.encode() in zlib.decompress(data) for data in carried.values())
    assert [memory.title for memory in laptop.list()] == ["The queue keeps jobs for 90 days"]
    assert laptop.trash.list() == []
    for machine in two:
        kept = machine.workspace.store("project").rows("SELECT before, after FROM journal_row")
        assert SECRET not in repr([tuple(row) for row in kept])


def test_a_verdict_that_was_taken_back_goes_although_its_memory_is_deleted_for_good(
    two: tuple[Cortex, Cortex],
) -> None:
    desk, laptop = two
    carried: Carried = {}
    made = desk.remember("The queue keeps jobs for 90 days")
    with desk.workspace.store("project").change("arrange", "arrange", "worker") as change:
        change.update("memory", made.id, {"status": "suggested"})
    exchange(desk, carried)
    desk.suggestions.keep(made.id)
    for machine in (desk, laptop):
        exchange(machine, carried)
    assert [len(verdicts(machine)) for machine in two] == [1, 1]
    laptop.undo(number=laptop.log()[0].number)
    store = laptop.workspace.store("project")
    with store.change("prune", "prune it", "person") as change:
        trash.put(store, change, made.id)
    assert laptop.trash.empty() == 1
    for machine in (laptop, desk):
        exchange(machine, carried)
    assert [verdicts(machine) for machine in two] == [[], []]


def test_what_was_written_without_knowing_of_a_deletion_for_good_is_of_no_account(
    two: tuple[Cortex, Cortex], clock: Clock
) -> None:
    desk, laptop = two
    carried: Carried = {}
    made = desk.remember("The queue keeps jobs for 90 days")
    for machine in two:
        exchange(machine, carried)
    store = desk.workspace.store("project")
    (row,) = synced.all_rows(store, "memory")
    with store.change("prune", "prune it", "person") as change:
        trash.put(store, change, made.id)
    desk.trash.empty()
    exchange(desk, carried)
    with store.change("import", "import it again", "import") as change:
        change.insert("memory", row)
    clock.advance(minutes=5)
    laptop.edit(made.id, content=f"The token is {SECRET}")
    laptop.pin(made.id)
    for machine in (desk, laptop, desk, laptop):
        exchange(machine, carried)
    for machine in two:
        (memory,) = machine.list(statuses=("active", "suggested"))
        assert (memory.content, memory.pinned) == ("The queue keeps jobs for 90 days", False)
    assert not any(SECRET.encode() in zlib.decompress(data) for data in carried.values())


def verdicts(cortex: Cortex) -> list[Row]:
    """Every verdict of the project's store."""
    return synced.all_rows(cortex.workspace.store("project"), "verdict")
