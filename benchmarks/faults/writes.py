"""The campaign of failing writes: each changing command in turn, in two processes at once.

    python -m benchmarks.faults.writes [--quick] [--seed N] [WORD …]

breaks only the commands whose names contain one of the words.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from benchmarks.campaign import Campaign, Row, Scale, run
from benchmarks.faults import commands, interposer
from benchmarks.report import ROOT

AT_ONCE = 2
"""Processes that break commands at the same time."""


class Breaker:
    """A process of `breaking`, which has the interposed library loaded."""

    def __init__(self, folder: Path) -> None:
        """`folder` is its own; it makes the project there."""
        folder.mkdir(parents=True)
        library = interposer.built(folder.parent)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.faults.breaking", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "LD_PRELOAD": str(library)},
        )

    def rows(self, case: int, scale: Scale) -> list[Row]:
        """Break the command of that number; the lines of its table.

        Raises:
            RuntimeError: the process has ended.
        """
        return self._answer({"case": case, "seed": scale.seed, "quick": scale.quick})

    def scene(self, name: str, *, seed: int = 1, quick: bool = True) -> list[Row]:
        """The rows of a scene."""
        return self._answer({"scene": name, "seed": seed, "quick": quick})

    def once(self, name: str, how: str, share: float) -> Row:
        """Break the case of that name once.

        Args:
            how: see `Fault.how`.
            share: at which of its calls that change a file, 0 the first and 1 the last.
        """
        case = next(n for n, case in enumerate(commands.CASES) if case.name == name)
        (row,) = self._answer({"case": case, "how": how, "share": share})
        return row

    def _answer(self, order: dict[str, object]) -> list[Row]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended at {order}")
        return [Row(**{**row, "notes": tuple(row["notes"])}) for row in json.loads(line)]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def scene(name: str) -> Campaign:
    """The campaign of the scene of that name."""

    def play(scale: Scale) -> Iterator[Row]:
        if reason := interposer.missing():
            print(f"{name}: skipped. {reason}")
            return
        breaker = Breaker(scale.scratch / f"scene-{name}")
        try:
            yield from breaker.scene(name, seed=scale.seed, quick=scale.quick)
        finally:
            breaker.close()

    return play


def campaign(scale: Scale) -> Iterator[Row]:
    """The rows of every changing command, in the order of the table of commands."""
    if reason := interposer.missing():
        print(f"writes: skipped. {reason}")
        return
    if unknown := commands.unknown():
        raise SystemExit(f"No case breaks {', '.join(sorted(unknown))}. See faults/commands.py.")
    yield from broken(scale, scale.some(range(len(commands.CASES)), 6))


def broken(scale: Scale, cases: Sequence[int]) -> Iterator[Row]:
    """The rows of the commands of these numbers."""
    free: SimpleQueue[Breaker] = SimpleQueue()
    breakers = [Breaker(scale.scratch / f"breaker-{n}") for n in range(AT_ONCE)]
    for breaker in breakers:
        free.put(breaker)

    def work(case: int) -> list[Row]:
        breaker = free.get()
        try:
            return breaker.rows(case, scale)
        finally:
            free.put(breaker)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for rows in pool.map(work, cases):
            yield from rows
    for breaker in breakers:
        breaker.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Break the named commands and print the table; 1 if something went wrong."""

    def chosen(scale: Scale) -> Iterator[Row]:
        named = [n for n, case in enumerate(commands.CASES) if any(w in case.name for w in words)]
        return broken(scale, named)

    given = sys.argv[1:] if arguments is None else arguments
    words = [word for word in given if word in " ".join(case.name for case in commands.CASES)]
    rest = [word for word in given if word not in words]
    return run("writes", __doc__, {"writes": chosen if words else campaign}, rest)


if __name__ == "__main__":
    sys.exit(main())
