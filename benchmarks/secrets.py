"""How many secrets are found and how much innocent text is spared.

    [CORTEX_DATA=DIR] python -m benchmarks.secrets [--each N] [--rounds N] [--seed N] [--times]

Prints, per group of forms, how many secrets stay where something names them and bare, which forms
stay, and what innocent text was changed: generated, and every sentence of the real transcripts if
the data is given. Two runs print the same; `--times` also measures the slowest of a row of texts
made to be slow.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.report import Figure
from benchmarks.secret_corpus import (
    Case,
    Secret,
    adversarial,
    broken,
    hidden,
    innocent,
    private_keys,
    secrets,
    stays,
)
from cortex_core.agents.claude import reader, sessions
from cortex_core.language.sentences import sentences
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


def left(drawn: Iterable[Secret]) -> list[Secret]:
    """The secrets that stay in their texts."""
    return [secret for secret in drawn if stays(secret, redact(secret.text).text)]


def real_sentences(folder: Path) -> set[str]:
    """Every sentence that users and agents wrote in the transcripts below `folder`."""
    events = (event for one in sessions.at(folder) for event in reader.read(one.path))
    texts = {event.text for event in events if event.role in ("human", "assistant")}
    return {sentence.text for text in texts for sentence in sentences(text)}


def by_group(drawn: Sequence[Secret], staying: Sequence[Secret]) -> str:
    """A table: forms and secrets of each group, and how many stay, named and bare."""
    rows = []
    for group in dict.fromkeys(secret.group for secret in drawn):
        row = [group]
        for bare in (False, True):
            own = [s for s in drawn if s.group == group and s.bare == bare]
            kept = sum(s.group == group and s.bare == bare for s in staying)
            share = f"{100 * kept / len(own):.1f}%" if own else ""
            row += [str(len({s.form for s in own})), str(len(own)), share]
        rows.append(row)
    head = ("", "forms", "named", "stay", "bare forms", "bare", "stay")
    return report.table(head, rows)


def forms_that_stay(drawn: Sequence[Secret], staying: Sequence[Secret]) -> dict[str, str]:
    """How many of how many secrets of each form stay, for the forms of which any does."""
    total = Counter(secret.form for secret in drawn)
    kept = Counter(secret.form for secret in staying)
    return {form: f"{kept[form]} of {total[form]}" for form in kept}


def _found(seed: int, each: int, details: dict[str, Any]) -> list[Figure]:
    drawn = list(secrets(seed, each))
    staying = left(drawn)
    print(by_group(drawn, staying), "\n")
    details["forms that stay"] = forms_that_stay(drawn, staying)
    for form, count in details["forms that stay"].items():
        print(f"stays: {form}, {count}")
    figures = []
    for name, bare, most in (
        ("named secrets that stay", False, 1),
        ("bare keys that stay", True, 3),
    ):
        own = [secret for secret in drawn if secret.bare == bare]
        share = 100 * sum(secret.bare == bare for secret in staying) / len(own)
        forms = len({secret.form for secret in own})
        details[name] = {"forms": forms, "secrets": len(own)}
        figures.append(Figure(name, share, "%", most, most))
    return figures


def _spared(folder: Path | None, show: int, details: dict[str, Any]) -> list[Figure]:
    if folder is None:
        return []
    every = sorted(real_sentences(folder / "transcripts"))
    changed = [(text, after) for text in every if (after := redact(text).text) != text]
    details["sentences of real transcripts"] = {"sentences": len(every), "changed": len(changed)}
    for text, after in changed[:show]:
        print(f"changed: {text!r}\n     to: {after!r}")
    share = 100 * len(changed) / len(every)
    return [Figure("sentences of real transcripts changed", share, "%", 0.5, 0.1)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "secrets")
    parser.add_argument("--each", type=int, default=6, help="named texts of each form")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=10, help="how many failures to print")
    parser.add_argument("--times", action="store_true", help="measure the texts made to be slow")
    chosen = parser.parse_args(arguments)
    r = random.Random(chosen.seed)
    details: dict[str, Any] = {}
    told: list[Figure] = _found(chosen.seed, chosen.each, details)
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
    told += _spared(chosen.data, chosen.show, details)
    if chosen.times:
        times = {name: seconds_of(text) for name, text in adversarial(1_000_000).items()}
        details["adversarial megabytes, s"] = times
        told.append(Figure("slowest adversarial megabyte", max(times.values()), "s"))
    return report.finish("secrets", chosen, told, details)


if __name__ == "__main__":
    sys.exit(main())
