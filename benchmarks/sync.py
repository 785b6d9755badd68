"""How long machines take to share a store, to join, and to pass on a few changes.

    python -m benchmarks.sync [--large] [--record]

Two machines exchange one project store through the folder carrier; each step is a process of its
own. Seconds are of processor time after the process has opened the store, which leaves out what
other processes took; an exchange is `fetch` to `publish` as `cortex sync` does it. Each memory has
a source, every second one a link.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from benchmarks.stores import memories
from cortex_core import Cortex
from cortex_core.store import rows
from cortex_core.store.store import Store
from cortex_core.sync.carriers.folder import FolderCarrier
from cortex_core.sync.exchange import StoreExchange

_STEP = """
import sys
sys.path.insert(0, sys.argv[1])
from benchmarks import sync
sync.take_step(*sys.argv[2:])
"""

MEMORIES, MANY, FILES = 10_000, 100_000, 1000


class Step(NamedTuple):
    """One exchange of one machine, in a process of its own."""

    seconds: float
    """Of processor time."""
    wall: float
    """Seconds that passed."""
    peak: float
    """Megabytes of memory."""
    sent: int
    """Entries."""
    received: int


def step(machine: Path, carried: Path, changes: int = 0, files: int = 1) -> Step:
    """Exchange what is new.

    Args:
        machine: the folder with its project and home.
        changes: how many memories are written before.
        files: into how many files they are written.
    """
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _STEP,
            str(report.ROOT),
            str(machine),
            str(carried),
            str(changes),
            str(files),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(machine)},
    )
    if done.returncode:
        raise SystemExit(f"{machine.name}: {done.stderr}")
    return Step(*json.loads(done.stdout))


def take_step(machine: str, carried: str, changes: str, files: str) -> None:
    """What `step` runs: prints a `Step`."""
    with Cortex.open(Path(machine, "project"), Path(machine, "home")) as cortex:
        store = cortex.workspace.store("project")
        one = StoreExchange(store, Path(machine).name)
        for written in range(int(changes)):
            cortex.remember(f"Worker {written} reads from queue {random.getrandbits(64)}")
            if int(files) > 1:
                one.write()
        carrier = FolderCarrier(Path(carried))
        carrier.prepare()
        used, began = time.process_time(), time.perf_counter()
        _exchange(one, carrier)
        spent = time.process_time() - used, time.perf_counter() - began
    if one.problems:
        raise SystemExit("\n".join(one.problems))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([*spent, peak / 1024, one.sent, one.received]))


def _exchange(one: StoreExchange, carrier: FolderCarrier) -> None:
    """Fetch, read what is new, and publish, as `cortex sync` does for one store."""
    carrier.fetch()
    there = [name.partition("/")[2] for name in carrier.names()]

    def read(names: Iterable[str]) -> dict[str, bytes]:
        listed = carrier.read(f"store/{name}" for name in names)
        return {name.partition("/")[2]: data for name, data in listed}

    one.settle_identity(there, lambda name: read([name])[name])
    one.write()
    one.merge(read(one.wanted(there)))
    one.write()
    own = one.own_files().items()
    carrier.publish({f"store/{name}": path.read_bytes() for name, path in own if name not in there})


def machine(folder: Path, count: int = 0) -> Path:
    """A machine with `count` memories in its project."""
    (folder / "project" / ".memory").mkdir(parents=True)
    with Cortex.open(folder / "project", folder / "home") as cortex:
        _fill(cortex.workspace.store("project"), count)
    return folder


def _fill(store: Store, count: int) -> None:
    """Write past the journal, which is as long as the store for one who shares it first."""
    before = ""
    with store.write():
        for number, memory in enumerate(memories(count)):
            made = [("memory", rows.to_row(memory))]
            made.append(("source", rows.source_row(memory.id, memory.source)))
            if number % 2:
                made.append(
                    (
                        "edge",
                        {
                            "source": before,
                            "target": memory.id,
                            "type": "relates_to",
                            "strength": 0.5,
                            "directed": 0,
                            "created": memory.created,
                            "context": "",
                        },
                    )
                )
            for table, row in made:
                _insert(store, table, row)
            before = memory.id


def _insert(store: Store, table: str, row: dict[str, Any]) -> None:
    names = ",".join(f'"{name}"' for name in row)
    marks = ",".join("?" * len(row))
    store.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', list(row.values()))


def sharing(count: int, scratch: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Share a store of `count` memories, join it, and pass on some changes."""
    carried = scratch / "carried"
    first, second = machine(scratch / "first", count), machine(scratch / "second")
    steps = {"first share": step(first, carried)}
    sizes = [path.stat().st_size for path in carried.rglob("*") if path.is_file()]
    steps["join"] = step(second, carried)
    for changes in (1, 100, 1000):
        steps[f"send {changes:,}"] = step(first, carried, changes)
        steps[f"receive {changes:,}"] = step(second, carried)
    bounds = {"first share": count * 3e-4, "join": count * 1e-3, "receive 1": 0.2}
    figures = [
        Figure(f"sync of {count:,} memories: {name}", done.seconds, "s", bounds.get(name))
        for name, done in steps.items()
    ]
    megabytes = sum(sizes) / 1e6
    figures.append(Figure(f"files of {count:,} shared memories", megabytes, "MB", count * 4e-4))
    peak = max(done.peak for done in steps.values())
    figures.append(
        Figure(f"peak memory of sync, {count:,} memories", peak, "MB", 100 + count / 100)
    )
    details = {name: done._asdict() for name, done in steps.items()}
    return figures, {f"{count:,} memories": {"files": len(sizes), **details}}


def small_files(count: int, scratch: Path) -> tuple[list[Figure], dict[str, Any]]:
    """Join a machine that has exchanged so often, with a change each time."""
    carried = scratch / "carried"
    first, second = machine(scratch / "first"), machine(scratch / "second")
    sent = step(first, carried, count, count)
    read = step(second, carried)
    figures = [Figure(f"{count:,} files of one change read", read.seconds, "s", count * 1e-2)]
    return figures, {f"{count:,} files": {"send": sent._asdict(), "receive": read._asdict()}}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "sync")
    parser.add_argument("--large", action="store_true", help=f"{MANY:,} memories as well")
    chosen = parser.parse_args(arguments)
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="cortex-sync-") as name:
        for count in (MEMORIES, *((MANY,) if chosen.large else ())):
            made = sharing(count, Path(name, str(count)))
            figures, details = figures + made[0], details | made[1]
        made = small_files(FILES, Path(name, "small"))
        figures, details = figures + made[0], details | made[1]
    return report.finish("sync", chosen, figures, details)


if __name__ == "__main__":
    sys.exit(main())
