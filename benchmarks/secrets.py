"""How many secrets are found and how much innocent text is spared.

    python -m benchmarks.secrets [--rounds N] [--seed N] [--json FILE]

Prints, per group of drawn texts, how many came out right, the failures, and the slowest of a row of
texts made to be slow.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.secret_corpus import Case, adversarial, broken, hidden, innocent, private_keys
from cortex_core.capture.secrets import redact


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


def main() -> None:
    """Measure, print, and write JSON where asked."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--json", type=Path)
    options.add_argument("--show", type=int, default=10, help="how many failures to print")
    chosen = options.parse_args()
    r = random.Random(chosen.seed)
    report: dict[str, dict[str, object]] = {}
    for name, cases, gone in (
        ("found", hidden(r, chosen.rounds), True),
        ("found broken over lines", broken(r, chosen.rounds), True),
        ("found private keys", private_keys(r, chosen.rounds), True),
        ("spared", innocent(r, chosen.rounds), False),
    ):
        total, wrong, which = misses(cases, gone=gone)
        count, failed = sum(total.values()), sum(wrong.values())
        report[name] = {"texts": count, "wrong": failed, "by sort": dict(wrong)}
        print(f"{name:26} {count - failed:6} of {count:6}  {dict(wrong.most_common(8)) or ''}")
        for case in which[: chosen.show]:
            print(f"    {case.sort}: {case.text!r}")
    times = {name: seconds_of(text) for name, text in adversarial(1_000_000).items()}
    slowest = max(times, key=lambda name: times[name])
    report["speed"] = {"slowest megabyte, s": round(times[slowest], 2), "made of": slowest}
    print(f"slowest of {len(times)} adversarial megabytes: {times[slowest]:.2f} s ({slowest!r})")
    if chosen.json:
        chosen.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
