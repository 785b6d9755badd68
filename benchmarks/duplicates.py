"""How safely near-duplicates are merged, and how well they are proposed.

    python -m benchmarks.duplicates [--data DIR] [--edits N] [--seed N] [--json FILE] [--show]

DIR (or CORTEX_DATA) holds the development sets; without it only the pairs and edits of this
repository are measured. Vectors are of the shipped model; about 60 texts are encoded a second.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.duplicate_data import Edit, Pair, chats, edits, msrp, sts, updates
from benchmarks.duplicate_texts import RESTATEMENTS, SENTENCES, TRAPS
from cortex_core.embedding.shipped import shipped
from cortex_core.similarity import Likeness, TokenVectors, compare
from cortex_core.similarity.stored import from_stored
from cortex_core.similarity.updates import LEAST_COSINE, update
from cortex_core.text import words


class Seen(NamedTuple):
    """What the rules make of one pair, with all they may know and with words alone."""

    full: Likeness
    words: Likeness


@cache
def _encoded(text: str) -> tuple[Any, TokenVectors | None]:
    encoded = shipped().encode(text)
    return encoded.vector, from_stored(encoded.pieces, encoded.bits)


def see(first: str, second: str) -> Seen:
    """What the rules make of two texts."""
    (vector, tokens), (other, others) = _encoded(first), _encoded(second)
    both = (tokens, others) if tokens and others else None
    full = compare(first, second, cosine=float(vector @ other), tokens=both)
    return Seen(full, compare(first, second))


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:6.1%}" if whole else "     -"


def measure_pairs(name: str, pairs: Sequence[Pair], *, show: bool) -> dict[str, object]:
    """Precision and recall of the three rules on judged pairs, printed and returned."""
    seen = [(pair, see(pair.first, pair.second)) for pair in pairs]
    positives = sum(pair.same for pair in pairs)
    report: dict[str, object] = {"pairs": len(pairs), "same": positives}
    rules = {
        "merged unasked": [pair for pair, likeness in seen if likeness.full.may_merge],
        "repetition by words": [pair for pair, likeness in seen if likeness.words.same],
        "proposed": [pair for pair, likeness in seen if likeness.full.propose],
        "proposed by words": [pair for pair, likeness in seen if likeness.words.propose],
    }
    for rule, chosen in rules.items():
        right = sum(pair.same for pair in chosen)
        report[rule] = {"chosen": len(chosen), "right": right}
        print(
            f"{name:22} {rule:20} {right:5} of {len(chosen):5}  precision "
            f"{_ratio(right, len(chosen))}  recall {_ratio(right, positives)}"
        )
        if show and rule in ("merged unasked", "repetition by words"):
            for pair in chosen:
                if not pair.same:
                    print(f"    wrong: {pair.first!r} | {pair.second!r}")
    return report


def measure_edits(name: str, made: Iterable[Edit], *, show: bool) -> dict[str, object]:
    """How many edited sentences would be merged with their originals, by sort of edit."""
    total: Counter[str] = Counter()
    merged: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for edit in made:
        total[edit.sort] += 1
        likeness = see(edit.first, edit.second)
        if likeness.full.may_merge or likeness.words.same:
            merged[edit.sort] += 1
            if show:
                print(f"    merged: {edit.sort}: {edit.first!r} | {edit.second!r}")
        if edit.sort in ("word", "name"):
            first[edit.sort] += _shown_first(likeness.full, edit)
    for sort in total:
        explained = f"  changed word shown first {first[sort]}" if sort in first else ""
        print(f"{name:22} {sort:20} {merged[sort]:5} of {total[sort]:5} merged{explained}")
    return {sort: {"edits": total[sort], "merged": merged[sort]} for sort in total}


def _shown_first(likeness: Likeness, edit: Edit) -> bool:
    """Whether the unmatched words begin with the one that was changed."""
    before, after = set(edit.first.split()), set(edit.second.split())
    return all(
        bool(shown) and any(shown[0] in word for word in changed)
        for shown, changed in (
            (likeness.unmatched_a, before - after), (likeness.unmatched_b, after - before),
        )
    )  # fmt: skip


def measure_updates(data: Path, *, show: bool) -> dict[str, object]:
    """How many of BEAM's labelled changes of a value are proposed, and how many others are."""
    labelled = {frozenset((pair.first, pair.second)) for pair in updates(data)}
    proposed: set[frozenset[str]] = set()
    for said in chats(data):
        found = list(_changes(said))
        by_newer: dict[str, tuple[float, str, str, str]] = {}
        for one in sorted(found, reverse=True):
            by_newer.setdefault(one[2], one)
        by_older: dict[str, tuple[float, str, str, str]] = {}
        for one in sorted(by_newer.values(), reverse=True):
            by_older.setdefault(one[1], one)
        proposed |= {frozenset(one[1:3]) for one in by_older.values()}
        for one in by_older.values() if show else ():
            print(f"  {one[3]}")
    hit = len(proposed & labelled)
    print(f"updates: {len(proposed)} proposed, {hit} of {len(labelled)} labelled ones among them")
    return {"proposed": len(proposed), "labelled": len(labelled), "found": hit}


def _changes(said: Sequence[str]) -> Iterator[tuple[float, str, str, str]]:
    """Weight, older text, newer text and sentence of every change of a value in one chat."""
    held = Counter(word for text in said for word in set(words(text)))

    def rarity(word: str) -> float:
        return max(0.0, log((len(said) + 1) / (held[word] + 0.5)))

    for place, newer in enumerate(said):
        for older in said[:place]:
            found = update(older, newer, rarity)
            if found and float(_encoded(older)[0] @ _encoded(newer)[0]) >= LEAST_COSINE:
                yield found.weight, older, newer, found.sentence


def main() -> None:
    """Measure, print, and write JSON where asked."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=os.environ.get("CORTEX_DATA"))
    options.add_argument("--edits", type=int, default=200, help="edits of each sort")
    options.add_argument("--seed", type=int, default=5)
    options.add_argument("--json", type=Path)
    options.add_argument("--show", action="store_true", help="print what was merged wrongly")
    chosen = options.parse_args()
    own = [Pair(*pair, same=True) for pair in RESTATEMENTS] + [
        Pair(*pair, same=False) for pair in TRAPS
    ]
    report = {"coding pairs": measure_pairs("coding pairs", own, show=chosen.show)}
    made = edits(SENTENCES, chosen.seed, chosen.edits)
    report["coding edits"] = measure_edits("coding edits", made, show=chosen.show)
    if chosen.data:
        report |= _measure_data(Path(chosen.data), chosen.edits, chosen.seed, show=chosen.show)
    else:
        print("The development sets were not measured: give --data DIR or set CORTEX_DATA.")
    if chosen.json:
        chosen.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _measure_data(data: Path, most: int, seed: int, *, show: bool) -> dict[str, dict[str, object]]:
    sets = {
        "MSRP test": msrp(data, "test"),
        "STS-B test": sts(data, "test"),
        "STS-B dev": sts(data, "dev"),
        "BEAM updates": updates(data),
    }
    report = {name: measure_pairs(name, pairs, show=show) for name, pairs in sets.items()}
    judged = [*sets["MSRP test"], *sets["STS-B test"], *sets["STS-B dev"]]
    sentences = list(dict.fromkeys(pair.first for pair in judged))
    report["updates proposed"] = measure_updates(data, show=show)
    report["edited sentences"] = measure_edits(
        "edited sentences", edits(sentences, seed, most), show=show
    )
    return report


if __name__ == "__main__":
    main()
