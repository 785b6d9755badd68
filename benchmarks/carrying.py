"""How long JSON lines and the files of a vault take to come in, and whether that grows.

    python -m benchmarks.carrying [--record]

Each import is a process of its own with new stores, without vectors: those are computed afterwards,
and the worker does so too. Seconds are of processor time, which leaves out what other processes
took. The sentences are made of few words, so that every memory shares some with every other one:
the worst case for finding duplicates.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from benchmarks.stores import sentences

_IMPORT = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[1])
from cortex_core import Cortex
times = []
def progress(done, total, what):
    if what == "writing":
        times.append(time.process_time())
with Cortex.open(sys.argv[2], sys.argv[3]) as cortex:
    if sys.argv[4].endswith(".jsonl"):
        report = cortex.exchange.import_jsonl(sys.argv[4], progress=progress)
    else:
        report = cortex.exchange.import_markdown(sys.argv[4])
    if len(sys.argv) > 5:
        cortex.exchange.export_markdown(sys.argv[5])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
parts = [after - before for before, after in zip(times, times[1:])]
print(json.dumps([report.stored + report.quarantined, time.process_time(), parts, peak]))
"""


class Import(NamedTuple):
    """One import in a process of its own."""

    memories: int
    seconds: float
    """Of processor time, from the start of the process."""
    parts: list[float]
    """The same of each thousand memories that are written, after the first."""
    peak: float
    """Kilobytes of memory; bytes on macOS."""

    @property
    def growth(self) -> float:
        """How much longer the last five thousands took than the first five."""
        first, last = self.parts[:5], self.parts[-5:]
        return sum(last) / sum(first)


def imported(source: Path, folder: Path, vault: str = "") -> Import:
    """Import `source` into new stores in `folder`, and export them to `vault` if that is named."""
    root = folder / "project"
    (root / ".memory").mkdir(parents=True)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _IMPORT,
            str(report.ROOT),
            str(root),
            str(folder / "home"),
            str(source),
            *([vault] if vault else []),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return Import(*json.loads(done.stdout))


def lines(count: int, path: Path) -> Path:
    """A file of `count` JSON lines."""
    made = (json.dumps({"content": text, "kind": kind}) for kind, text in sentences(count, seed=5))
    path.write_text("\n".join(made) + "\n", encoding="utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    chosen = report.options(__doc__, "carrying").parse_args(arguments)
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="cortex-carrying-") as name:
        scratch = Path(name)
        for count, most in ((20_000, 120), (100_000, 900)):
            done = imported(lines(count, scratch / f"{count}.jsonl"), scratch / f"{count}")
            details[f"{count:,} lines"] = done._asdict()
            figures.append(Figure(f"{count:,} JSON lines imported", done.seconds, "s", most))
            if count == 20_000:
                name = "a thousand lines, the last to the first"
                figures.append(Figure(name, done.growth, "x", 2))
        vault = scratch / "vault"
        imported(lines(10_000, scratch / "10000.jsonl"), scratch / "10000", str(vault))
        done = imported(vault, scratch / "again")
        details["10,000 files"] = done._asdict()
        figures.append(Figure("10,000 files of a vault imported", done.seconds, "s", 90))
    return report.finish("carrying", chosen, figures, details)


if __name__ == "__main__":
    sys.exit(main())
