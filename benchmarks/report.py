"""The report of every benchmark: a table to read, and a file for `compare` and `figures`.

A run is a JSON object: the benchmark's name; what was measured, with what and when; its figures
with their bounds; and details of that benchmark alone.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).with_name("results")
"""Recorded runs; the documents show the newest of each benchmark."""

CACHE = Path.home() / ".cache" / "cortex-benchmarks"
"""Folder for what takes long to make, and for runs that are not recorded."""

REFERENCE_START = 9.0
"""Milliseconds of `python -I -c pass` on the machine whose times the bounds mean."""

_TIMES, _RATES = frozenset({"ms", "s"}), frozenset({"MB/s", "/s"})
"""Units of figures that a slower machine makes larger, and of those that it makes smaller."""

_PACKAGES = ("numpy", "onnxruntime", "tokenizers", "peewee", "textual")


class Figure(NamedTuple):
    """One measured number."""

    name: str
    value: float
    unit: str = ""
    must: float | None = None
    """The bound that must be reached."""
    goal: float | None = None
    more: bool = False
    """Whether more is better."""
    slowness: float = 1.0
    """How many times as long an empty Python start takes as on the reference machine; 1 for a
    figure that does not depend on it."""

    @property
    def scaled(self) -> float:
        """The value on the reference machine, which the bounds are about."""
        return self.value * self.slowness if self.unit in _RATES else self.value / self.slowness

    @property
    def verdict(self) -> str:
        """`goal`, `must` or `MISSED`: what is reached; empty if there is no bound."""
        for bound, word in ((self.goal, "goal"), (self.must, "must")):
            if bound is not None and (self.scaled >= bound if self.more else self.scaled <= bound):
                return word
        return "" if self.must is None else "MISSED"


class _Record(Action):
    """`--record`: refused before anything is measured where the tree is not that of its commit."""

    def __init__(self, **given: Any) -> None:
        super().__init__(nargs=0, default=False, **given)

    def __call__(self, parser: ArgumentParser, chosen: Namespace, *_given: object) -> None:
        """Refuse a tree with changes besides recorded runs, else note the choice."""
        if changed := _git("status", "--porcelain", "--", ".", ":!benchmarks/results"):
            parser.error(f"only a clean tree is recorded; commit or put away:\n{changed}")
        setattr(chosen, self.dest, True)


def options(about: str | None, name: str) -> ArgumentParser:
    """A parser with the options of every benchmark: `--out`, `--record`, `--cache`, `--data`."""
    parser = ArgumentParser(description=(about or "").split("\n\n")[0])
    parser.add_argument("--out", type=Path, default=CACHE / f"{name}.json", help="the run's file")
    parser.add_argument("--record", action=_Record, help=f"write it to results/{name}.json")
    parser.add_argument("--cache", type=Path, default=CACHE)
    given = os.environ.get("CORTEX_DATA")
    parser.add_argument("--data", type=Path, default=Path(given) if given else None)
    return parser


def data_folder(chosen: Namespace, *parts: str) -> Path:
    """The folder of a data set.

    Raises:
        SystemExit: no folder is given, or this set is not in it.
    """
    if chosen.data is None or not (folder := Path(chosen.data, *parts)).exists():
        missing = "/".join(parts) or "the sets"
        raise SystemExit(f"--data or CORTEX_DATA must name the folder that holds {missing}.")
    return folder


def finish(
    name: str, chosen: Namespace, figures: Sequence[Figure], details: Mapping[str, Any] = {}
) -> int:
    """Print the figures and write the run; 1 if a bound that must be reached is missed, else 0.

    Times and rates are judged as on the reference machine.
    """
    figures = on_this_machine(figures)
    print(table(("", "", "scaled", "must", "goal", ""), map(_row, figures)))
    path = RESULTS / f"{name}.json" if chosen.record else chosen.out
    run = {
        "benchmark": name,
        "about": about(),
        "figures": [figure._asdict() for figure in figures],
        "details": details,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"Written to {path}")
    return int(any(figure.verdict == "MISSED" for figure in figures))


def on_this_machine(figures: Sequence[Figure]) -> Sequence[Figure]:
    """`figures`, the times and rates among them with the slowness of this machine."""
    if not any(figure.unit in _TIMES | _RATES for figure in figures):
        return figures
    slowness = empty_start() / REFERENCE_START
    return [
        figure._replace(slowness=slowness) if figure.unit in _TIMES | _RATES else figure
        for figure in figures
    ]


def empty_start() -> float:
    """Milliseconds that an empty Python start takes here: the median of twenty."""
    taken = []
    for _ in range(20):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
        taken.append(1000 * (time.perf_counter() - begin))
    return statistics.median(taken)


def figures_of(run: Mapping[str, Any]) -> list[Figure]:
    """The figures of a run read back."""
    return [Figure(**values) for values in run["figures"]]


def about() -> dict[str, Any]:
    """What was measured, with what, when, and how busy the machine was."""
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain", "--", "cortex_core", "cortex_tui")),
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    """The name of the processor, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """`rows` in columns: the first one aligned left, the others right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def number(value: float, unit: str = "") -> str:
    """A figure to read: three significant digits, and its unit."""
    digits = 0 if abs(value) >= 100 or value == int(value) else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}{unit and ('' if unit in ('x', '%') else ' ') + unit}"


def scaled(figure: Figure) -> str:
    """What a time or rate would be on the reference machine, to read; empty for other figures."""
    return "" if figure.slowness == 1 else number(figure.scaled, figure.unit)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of `values` lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _row(figure: Figure) -> tuple[str, ...]:
    sign = "≥ " if figure.more else "≤ "
    bounds = ("" if bound is None else sign + number(bound) for bound in (figure.must, figure.goal))
    return (figure.name, number(figure.value, figure.unit), scaled(figure), *bounds, figure.verdict)


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return done.stdout.strip()
