"""How long recall takes, in process and from the shell, and how many memories a second are stored.

    python -m benchmarks.latency [--queries 200] [--sizes 1000,10000,100000] [--record]

Recall in process includes encoding the query, and counts no access. The shell's recall is a cold
process of the installed wheel. Memories are stored one by one through `remember`, and then given
their vectors as the worker does.
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.installed import Installed, environment, milliseconds
from benchmarks.report import Figure, percentile
from benchmarks.stores import Made, questions, sentences, store_of
from cortex_core import Cortex

STORED = 300
"""Memories stored to see how many a second are."""

_BOUNDS = {10_000: (40.0, 20.0), 100_000: (100.0, 45.0)}


def in_process(made: Made, count: int) -> list[float]:
    """Milliseconds of each of `count` different queries, after ten that warm up."""
    times = []
    with Cortex.open(made.root, made.home) as cortex:
        for query in questions(count + 10):
            began = time.perf_counter()
            cortex.recall(query, count=False)
            times.append(1000 * (time.perf_counter() - began))
    return times[10:]


def from_the_shell(product: Installed, made: Made, runs: int) -> tuple[list[float], list[float]]:
    """Milliseconds of `cortex recall`, and of an empty start for each."""
    shell, bare = [], []
    for query in questions(runs + 2):
        told = environment(made)
        bare.append(milliseconds(product.bare, told, made.root)[0])
        command = [product.cortex, "recall", query, "--json"]
        shell.append(milliseconds(command, told, made.root)[0])
    return shell[2:], bare[2:]


def stored_a_second(count: int) -> tuple[float, float]:
    """Memories remembered a second, and with their vectors."""
    with tempfile.TemporaryDirectory(prefix="cortex-latency-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        with Cortex.open(root, Path(scratch, "home")) as cortex:
            cortex.remember("The first one pays for loading everything.")
            cortex.models.embed_pending()
            began = time.perf_counter()
            for kind, text in sentences(count, seed=5):
                cortex.remember(text, kind=kind)
            written = time.perf_counter() - began
            cortex.models.embed_pending()
            whole = time.perf_counter() - began
    return count / written, count / whole


def figures(
    times: dict[int, list[float]], shell: Sequence[float], rates: tuple[float, float]
) -> Iterator[Figure]:
    """How long recall and storing take, with their bounds."""
    for size, found in times.items():
        must, goal = _BOUNDS.get(size, (None, None))
        yield Figure(f"recall in process, {size:,}: median", median(found), "ms")
        yield Figure(f"recall in process, {size:,}: p95", percentile(found, 0.95), "ms", must, goal)
    if {10_000, 100_000} <= set(times):
        ratio = median(times[100_000]) / median(times[10_000])
        yield Figure("recall, from 10,000 to 100,000 memories", ratio, "x", 10, 4)
    yield Figure("cortex recall from the shell, 10,000", median(shell) / 1000, "s", 0.5, 0.35)
    yield Figure("memories stored", rates[0], "/s", more=True)
    yield Figure("memories stored with vectors", rates[1], "/s", 80, 160, more=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "latency")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--runs", type=int, default=11, help="cold starts from the shell")
    parser.add_argument("--sizes", default="1000,10000,100000")
    chosen = parser.parse_args(arguments)
    times = {
        size: in_process(store_of(size, chosen.cache), chosen.queries)
        for size in map(int, chosen.sizes.split(","))
    }
    shell, bare = _shell(chosen)
    told = figures(times, shell, stored_a_second(STORED))
    details: dict[str, Any] = {
        "in process, ms": {str(size): found for size, found in times.items()},
        "shell, ms": shell,
        "bare start, ms": bare,
    }
    return report.finish("latency", chosen, list(told), details)


def _shell(chosen: Namespace) -> tuple[list[float], list[float]]:
    with tempfile.TemporaryDirectory(prefix="cortex-latency-") as scratch:
        product = Installed(Path(scratch))
        return from_the_shell(product, store_of(10_000, chosen.cache), chosen.runs)


if __name__ == "__main__":
    sys.exit(main())
