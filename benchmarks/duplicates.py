"""How safely near-duplicates are merged, and how well they are proposed.

    python -m benchmarks.duplicates [--data DIR] [--edits N] [--seed N] [--show] [--record]

DIR (or CORTEX_DATA) holds the development sets. Vectors are of the shipped model; about 60 texts
are encoded a second. Precision and recall come with their 95 % interval (Wilson 1927).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.duplicate_data import Edit, Pair, chats, edits, msrp, sts, updates
from benchmarks.duplicate_texts import RESTATEMENTS, SENTENCES, TRAPS
from benchmarks.report import Figure
from cortex_core.admission.lookup import LONGEST_CHANGED
from cortex_core.curation.relations import CHANGED_FROM
from cortex_core.duplicates.alignment import TokenVectors, from_stored
from cortex_core.duplicates.last_word import later_word
from cortex_core.duplicates.similarity import Comparison, compare
from cortex_core.embeddings.local import shipped

EXACT = ("number", "name", "negation")
"""Edits after which no two sentences may be merged."""


class Seen(NamedTuple):
    """What the rules make of one pair, with all they may know and with words alone."""

    full: Comparison
    words: Comparison


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
    counts: dict[str, object] = {"pairs": len(pairs), "same": positives}
    rules = {
        "merged unasked": [pair for pair, comparison in seen if comparison.full.may_merge],
        "repetition by words": [pair for pair, comparison in seen if comparison.words.same],
        "proposed": [pair for pair, comparison in seen if comparison.full.propose],
        "proposed by words": [pair for pair, comparison in seen if comparison.words.propose],
    }
    for rule, chosen in rules.items():
        right = sum(pair.same for pair in chosen)
        counts[rule] = {"chosen": len(chosen), "right": right}
        print(
            f"{name:22} {rule:20} {right:5} of {len(chosen):5}  precision "
            f"{_ratio(right, len(chosen))}  recall {_ratio(right, positives)}"
        )
        if show and rule in ("merged unasked", "repetition by words"):
            for pair in chosen:
                if not pair.same:
                    print(f"    wrong: {pair.first!r} | {pair.second!r}")
    return counts


def measure_edits(name: str, made: Iterable[Edit], *, show: bool) -> dict[str, object]:
    """How many edited sentences would be merged with their originals, by sort of edit."""
    total: Counter[str] = Counter()
    merged: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for edit in made:
        total[edit.sort] += 1
        comparison = see(edit.first, edit.second)
        if comparison.full.may_merge or comparison.words.same:
            merged[edit.sort] += 1
            if show:
                print(f"    merged: {edit.sort}: {edit.first!r} | {edit.second!r}")
        if edit.sort in ("word", "name"):
            first[edit.sort] += _shown_first(comparison.full, edit)
    for sort in total:
        explained = f"  changed word shown first {first[sort]}" if sort in first else ""
        print(f"{name:22} {sort:20} {merged[sort]:5} of {total[sort]:5} merged{explained}")
    return {sort: {"edits": total[sort], "merged": merged[sort]} for sort in total}


def _shown_first(comparison: Comparison, edit: Edit) -> bool:
    """Whether the unmatched words begin with the one that was changed."""
    before, after = set(edit.first.split()), set(edit.second.split())
    return all(
        bool(shown) and any(shown[0] in word for word in changed)
        for shown, changed in (
            (comparison.unmatched_a, before - after),
            (comparison.unmatched_b, after - before),
        )
    )


def measure_updates(data: Path, *, show: bool) -> dict[str, object]:
    """How many of BEAM's labelled changes of a value are proposed, and how many others are."""
    labelled = {frozenset((pair.first, pair.second)) for pair in updates(data)}
    proposed: set[frozenset[str]] = set()
    for said in chats(data):
        for older, newer in combinations(said, 2):
            if max(len(older), len(newer)) > LONGEST_CHANGED or not later_word(older, newer):
                continue
            if float(_encoded(older)[0] @ _encoded(newer)[0]) >= CHANGED_FROM:
                proposed.add(frozenset((older, newer)))
                if show:
                    print(f"  {older}  |  {newer}")
    hit = len(proposed & labelled)
    print(f"updates: {len(proposed)} proposed, {hit} of {len(labelled)} labelled ones among them")
    return {"proposed": len(proposed), "labelled": len(labelled), "found": hit}


def interval(right: int, whole: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, in percent."""
    if not whole:
        return 0.0, 100.0
    z, share = 1.96, right / whole
    middle = share + z * z / (2 * whole)
    half = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    low, high = ((middle + sign * half) / (1 + z * z / whole) for sign in (-1, 1))
    return 100 * low, 100 * high


def figures(found: Mapping[str, Any]) -> Iterator[Figure]:
    """The operating points, and the bounds on what is merged."""
    for name in ("MSRP test", "STS-B", "coding pairs"):
        bounds = (None, None) if name == "coding pairs" else (97.0, 99.0)
        for rule in ("merged unasked", "proposed"):
            measured = found[name][rule]
            limits = bounds if rule == "merged unasked" else (None, None)
            yield _share(
                f"{name}, {rule}: precision", measured["right"], measured["chosen"], *limits
            )
            yield _share(f"{name}, {rule}: recall", measured["right"], found[name]["same"])
    merged = found["BEAM updates"]["merged unasked"]["chosen"]
    yield Figure(
        f"BEAM's changed values merged, of {found['BEAM updates']['pairs']}", merged, "", 0, 0
    )
    edited = found["edited sentences"]
    for sorts, must, goal in ((EXACT, 0.0, 0.0), (tuple(set(edited) - set(EXACT)), 2.0, 0.5)):
        edits = sum(edited[sort]["edits"] for sort in sorts)
        merged = sum(edited[sort]["merged"] for sort in sorts)
        what = "a number, name or negation" if sorts is EXACT else "another word or the order"
        yield Figure(
            f"sentences with {what} changed, merged ({merged} of {edits})",
            100 * merged / edits,
            "%",
            must,
            goal,
        )
    changed = found["updates proposed"]
    yield _share(
        "changed values proposed: of BEAM's labelled ones", changed["found"], changed["labelled"]
    )


def _share(
    name: str, right: int, whole: int, must: float | None = None, goal: float | None = None
) -> Figure:
    low, high = interval(right, whole)
    label = f"{name} ({right} of {whole}: {low:.0f} to {high:.0f})"
    return Figure(label, 100 * right / whole if whole else 0.0, "%", must, goal, more=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "duplicates")
    parser.add_argument("--edits", type=int, default=200, help="edits of each sort")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print what was merged wrongly")
    chosen = parser.parse_args(arguments)
    data = report.data_folder(chosen)
    own = [Pair(*pair, same=True) for pair in RESTATEMENTS] + [
        Pair(*pair, same=False) for pair in TRAPS
    ]
    found = {"coding pairs": measure_pairs("coding pairs", own, show=chosen.show)}
    made = edits(SENTENCES, chosen.seed, chosen.edits)
    found["coding edits"] = measure_edits("coding edits", made, show=chosen.show)
    found |= _measure_data(data, chosen.edits, chosen.seed, show=chosen.show)
    return report.finish("duplicates", chosen, list(figures(found)), found)


def _measure_data(data: Path, most: int, seed: int, *, show: bool) -> dict[str, dict[str, object]]:
    sets = {
        "MSRP test": msrp(data, "test"),
        "STS-B": [*sts(data, "test"), *sts(data, "dev")],
        "BEAM updates": updates(data),
    }
    found = {name: measure_pairs(name, pairs, show=show) for name, pairs in sets.items()}
    judged = [*sets["MSRP test"], *sets["STS-B"]]
    sentences = list(dict.fromkeys(pair.first for pair in judged))
    found["updates proposed"] = measure_updates(data, show=show)
    found["edited sentences"] = measure_edits(
        "edited sentences", edits(sentences, seed, most), show=show
    )
    return found


if __name__ == "__main__":
    sys.exit(main())
