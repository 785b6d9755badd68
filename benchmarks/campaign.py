"""What the campaigns of faults share: the row of their table, a scratch project, and the end.

A campaign is a function of a `Scale` that yields a `Row` for each fault it made. It ends with
`unsound`: SQLite's integrity check of every store, and its rows compared with its journal.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeVar

from benchmarks import journal_replay, report
from benchmarks.report import Figure
from cortex_core.base import project as projects, trust
from cortex_core.store.reader import Reader

PYTHON = [sys.executable, "-I", "-m"]
"""What starts a module of the product, as Claude Code starts its hooks."""

Each = TypeVar("Each")

NOTES = 10
"""Maximum notes that a row keeps."""


class Row(NamedTuple):
    """One fault: how it was made, how often, and what came of it."""

    fault: str
    how: str
    times: int
    lost: int = 0
    """Memories or sessions that should be there and are not."""
    doubled: int = 0
    """Those that are there more than once."""
    hooks: int = 0
    """Hooks that failed, left a process running or printed what they should not."""
    broken: int = 0
    """Whatever else must not be: a traceback, an unsound store, half a change, a process left."""
    said: str = ""
    """The most frequent message; empty if nothing had to be said."""
    notes: tuple[str, ...] = ()
    """How to repeat what went wrong, and what was found."""

    @property
    def held(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.lost or self.doubled or self.hooks or self.broken)


class Scale(NamedTuple):
    """How large a run is, and where it works."""

    quick: bool
    seed: int
    scratch: Path
    cache: Path
    """Folder for what takes long to make."""

    def times(self, full: int, quick: int) -> int:
        """How often to do something."""
        return quick if self.quick else full

    def some(self, listed: Iterable[Each], quick: int) -> list[Each]:
        """All of `listed`; of a quick run `quick` of them in their order, as the seed draws."""
        every = list(listed)
        if not self.quick or quick >= len(every):
            return every
        chosen = random.Random(self.seed).sample(range(len(every)), quick)
        return [every[number] for number in sorted(chosen)]


Campaign = Callable[[Scale], Iterable[Row]]


class Done(NamedTuple):
    """How a process ended, and what it printed."""

    code: int
    out: bytes
    err: bytes
    seconds: float
    processor: float = 0.0
    """Seconds of processor time, which a busy machine does not change; 0 where not measured."""

    @property
    def said(self) -> str:
        """The first line of the error output, else of the output."""
        lines = (self.err or self.out).decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else ""

    @property
    def crashed(self) -> bool:
        """Whether a signal ended it, or it printed a traceback or an internal error."""
        return self.code < 0 or any(
            word in self.out + self.err for word in (b"Traceback (most", b"nternal error")
        )


def _used() -> float:
    """Seconds of processor time that all processes used that this one started and saw end."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


_EVENT = "coalesce(json_extract(details, '$.event'), '')"


class Place:
    """A scratch project with a home of its own, and the processes that run for it."""

    def __init__(self, folder: Path) -> None:
        """`folder` need not exist; the project is `project` in it, the global side `memory`."""
        self.folder = folder
        self.root = folder / "project"
        self.home = folder / "memory"
        self.sessions = folder / "claude" / "projects"
        (self.root / ".memory").mkdir(parents=True, exist_ok=True)
        self.home.mkdir(exist_ok=True)

    def claim(self) -> None:
        """Let what is in the project's `.memory` be this user's own, after it was copied here."""
        data, home = str(self.root / projects.FOLDER), str(self.home)
        trust.mark(data, trust.note_of(data, home), home)

    @property
    def environment(self) -> dict[str, str]:
        """What a process knows of the machine: nothing but this place."""
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
            "CORTEX_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.folder / "claude"),
        }

    def run(self, *words: str, data: bytes = b"", seconds: float = 300.0) -> Done:
        """Run `python -I -m WORDS` in the project; a process that takes longer is killed."""
        began, used = time.perf_counter(), _used()
        process = self.start(*words)
        try:
            out, err = process.communicate(data, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        return Done(process.returncode, out, err, time.perf_counter() - began, _used() - used)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `python -I -m WORDS` in the project, with pipes."""
        return subprocess.Popen(
            [*PYTHON, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
            cwd=self.root,
        )

    def cortex(self, *words: str, data: bytes = b"", seconds: float = 300.0) -> Done:
        """Run a command of `cortex`."""
        return self.run("cortex_core.cli", *words, data=data, seconds=seconds)

    @property
    def stores(self) -> list[Path]:
        """The files of the stores that exist."""
        files = (self.root / ".memory" / "cortex.db", self.home / "cortex-global.db")
        return [file for file in files if file.exists()]

    def contents(self) -> Counter[str]:
        """The text of every memory that was not pruned, and in how many rows it is."""
        texts: Counter[str] = Counter()
        for file in self.stores:
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
                texts.update(text for (text,) in connection.execute("SELECT content FROM memory"))
        return texts

    def doubled(self) -> list[str]:
        """The texts that two memories have, about the same event if they are history."""
        rows: Counter[tuple[str, str]] = Counter()
        for file in self.stores:
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
                rows.update(connection.execute(f"SELECT content, {_EVENT} FROM memory"))
        return [text for (text, _event), count in rows.items() if count > 1]

    def processes(self) -> list[int]:
        """The processes that run for this place."""
        numbers = []
        mark = f"CORTEX_HOME={self.home}\0".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    numbers.append(int(entry.name))
            except OSError:
                continue
        return numbers

    def wait(self, seconds: float = 120.0) -> list[int]:
        """Wait until no process runs for this place; those that still run are returned."""
        until = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.05)
        return left

    def close(self) -> int:
        """Kill the processes that still run; returns how many."""
        left = self.processes()
        for number in left:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        return len(left)


def unsound(place: Place, *, journalled: bool = True) -> list[str]:
    """What is wrong with the stores of `place`; empty if nothing is.

    Args:
        journalled: whether every row was written through the journal, so that it can be replayed.
    """
    faults = [f"{file.name}: {fault}" for file in place.stores for fault in _faults(file)]
    if journalled:
        faults += [fault for file in place.stores for fault in _unexplained(file)]
    return faults


def _unexplained(file: Path) -> list[str]:
    try:
        with Reader(str(file), "project") as store:
            return journal_replay.differences(store)
    except sqlite3.Error as error:
        return [str(error)]


def _faults(file: Path) -> list[str]:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return [str(error)]
    return [*(fault for fault in found if fault != "ok"), *map(str, orphans[:3])]


def most_frequent(messages: Iterable[str]) -> str:
    """The message that was given most often, cut to a line."""
    counted = Counter(message for message in messages if message)
    return counted.most_common(1)[0][0][:160] if counted else ""


def run(
    name: str,
    about: str | None,
    campaigns: Mapping[str, Campaign],
    arguments: Sequence[str] | None = None,
) -> int:
    """The command line of a module of campaigns: run those that are named, print, record.

    Returns:
        1 if something was lost, doubled, failed or broke, else 0.
    """
    parser = report.options(about, name)
    parser.add_argument("campaigns", nargs="*", choices=[*campaigns, []], metavar="CAMPAIGN")
    parser.add_argument("--quick", action="store_true", help="small numbers, to try it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=1, help="run everything so often, and compare")
    chosen = parser.parse_args(arguments)
    named = {wanted: campaigns[wanted] for wanted in chosen.campaigns or campaigns}
    tables = [_one_run(name, chosen, named) for _ in range(chosen.runs)]
    differences = list(differing(tables))
    if chosen.runs > 1:
        print("\n".join(differences) or f"{chosen.runs} runs agree in every row.")
    rows = [row for each in tables for row in each]
    details = {
        "seed": chosen.seed,
        "quick": chosen.quick,
        "runs": chosen.runs,
        "rows": [row._asdict() for row in tables[0]],
    }
    return report.finish(name, chosen, list(figures(rows)), details)


def _one_run(name: str, chosen: Namespace, campaigns: Mapping[str, Campaign]) -> list[Row]:
    """The rows of all `campaigns`, printed as they come and as a table at the end."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix=f"cortex-{name}-", ignore_cleanup_errors=True) as at:
        scale = Scale(chosen.quick, chosen.seed, Path(at), chosen.cache)
        for wanted, campaign in campaigns.items():
            rows += _printed(wanted, campaign(scale))
    print()
    print(table(rows), flush=True)
    return rows


def differing(tables: Sequence[Sequence[Row]]) -> Iterator[str]:
    """What later runs counted otherwise than the first, a line each; nothing if all agree.

    How often a fault was made may differ: a process does not write equally often each time.
    """
    first, *others = ({(row.fault, row.how): row for row in each} for each in tables)
    for number, other in enumerate(others, 2):
        for key in first | other:
            one, two = (_counts(each.get(key)) for each in (first, other))
            if one != two:
                yield f"Run {number} differs: {', '.join(key)}: {two}, at first {one}"


def _counts(row: Row | None) -> tuple[int, ...] | None:
    """What went wrong in a row: lost, doubled, hooks, broken."""
    return None if row is None else (row.lost, row.doubled, row.hooks, row.broken)


def _printed(name: str, rows: Iterable[Row]) -> Iterator[Row]:
    """`rows`, each printed when it comes, with its notes."""
    for row in rows:
        verdict = "held" if row.held else "FAILED"
        print(f"{name}: {row.fault}, {row.how}: {row.times} times, {verdict}", flush=True)
        for note in row.notes:
            print(f"    {note}", flush=True)
        yield row


def table(rows: Iterable[Row]) -> str:
    """The rows as columns, what was said last."""
    head = ("fault", "how made", "times", "lost", "doubled", "hooks", "broken", "said")
    lines = [
        (
            row.fault,
            row.how,
            f"{row.times:,}",
            str(row.lost),
            str(row.doubled),
            str(row.hooks),
            str(row.broken),
            row.said,
        )
        for row in rows
    ]
    return report.table(head, lines)


def figures(rows: Sequence[Row]) -> Iterator[Figure]:
    """What all rows come to; everything but the number of faults must be 0."""
    yield Figure("faults made", sum(row.times for row in rows))
    for name, value in (
        ("lost to a fault", sum(row.lost for row in rows)),
        ("doubled by a fault", sum(row.doubled for row in rows)),
        ("hooks that failed or spoke out of turn", sum(row.hooks for row in rows)),
        ("otherwise broken by a fault", sum(row.broken for row in rows)),
    ):
        yield Figure(name, value, "", 0, 0)
