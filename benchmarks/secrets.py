"""How many secrets are found and how much innocent text is spared.

    python -m benchmarks.secrets [--rounds N] [--seed N] [--record]

Prints, per group of drawn texts, how many came out right, the failures, and the slowest of a row of
texts made to be slow.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import report
from benchmarks.report import Figure
from benchmarks.secret_corpus import Case, adversarial, broken, hidden, innocent, private_keys
from cortex_core.redaction.secrets import redact


def misses(cases: Iterator[Case], *, gone: bool) -> tuple[Counter[str], Counter[str], list[Case]]:
    """How many cases there are of each sort, how many went wrong, and which."""
    total: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    which: list[Case] = []
    for case in cases:
        total[case.sort] += 1
        after = redact(case.text).text
        if (case.value in after) if gone else (after != case.text):
            wrong[case.sort] += 1
            which.append(case)
    return total, wrong, which


def seconds_of(text: str) -> float:
    """How long one redaction of `text` takes."""
    start = time.perf_counter()
    redact(text)
    return time.perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "secrets")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=10, help="how many failures to print")
    chosen = parser.parse_args(arguments)
    r = random.Random(chosen.seed)
    details: dict[str, Any] = {}
    told: list[Figure] = []
    for name, cases, gone, must in (
        ("secrets found", hidden(r, chosen.rounds), True, 100.0),
        ("secrets found, broken over lines", broken(r, chosen.rounds), True, 100.0),
        ("private keys found", private_keys(r, chosen.rounds), True, 100.0),
        ("innocent texts spared", innocent(r, chosen.rounds), False, None),
    ):
        total, wrong, which = misses(cases, gone=gone)
        count, failed = sum(total.values()), sum(wrong.values())
        details[name] = {"texts": count, "wrong": failed, "by sort": dict(wrong)}
        told.append(Figure(name, 100 * (1 - failed / count), "%", must, must, more=True))
        for case in which[: chosen.show]:
            print(f"{name}, not: {case.sort}: {case.text!r}")
    times = {name: seconds_of(text) for name, text in adversarial(1_000_000).items()}
    details["adversarial megabytes, s"] = times
    told.append(Figure("slowest adversarial megabyte", max(times.values()), "s"))
    return report.finish("secrets", chosen, told, details)


if __name__ == "__main__":
    sys.exit(main())
