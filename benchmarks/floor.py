"""Where recall's floor is: what real questions lose by it, and what nonsense it refuses.

    CORTEX_DATA=DIR python -m benchmarks.floor [--sets locomo,beam,cosqa] [--record]

Memories that have no word of a query answer it only if one of them is similar enough
(`recall.FLOOR`, or `FLOOR_UNREAD` for a query of which the model knows no word). For each possible
floor this prints what share of the right answers among the first ten is lost, over the public
recall sets and the prompts of `prompts/` that one memory fits; and what share of the queries gets
no answer that none fits: nonsense, asked of the three projects of `prompts/`, and the other prompts
there. Then the same for `FLOOR_UNREAD`. Encodings are kept in `--cache`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, NamedTuple

from benchmarks import prompts, recall, report
from benchmarks.report import Figure
from cortex_core.api import Cortex
from cortex_core.search import recall as search

FLOORS = (0.1, 0.12, 0.13, 0.14, 0.145, 0.15, 0.16, 0.18, 0.2, 0.22, 0.24, 0.26, 0.3)
"""The possible floors."""

MOST_LOST = 1.0
"""Percent of the right answers of any set that a floor may cost."""

NONSENSE = (
    "xyzzy plugh quux",
    "asdf qwer zxcv",
    "lorem ipsum dolor sit amet",
    "8081",
    "fnord",
    "hjkl hjkl hjkl",
    "qwertyuiop",
    "blorptang veezle",
    "snark boojum",
    "????",
    "42 17 99 3",
    "zzz zzz",
    "grault garply waldo",
    "aaaaaaaaaa",
    "wibble wobble wubble",
    "0xdeadbeef",
    "flurbo gnarsh",
    "tralala",
    "abracadabra",
    "jabberwocky mimsy borogoves",
    "kjhgfdsa",
    "nnnnnn mmmmmm",
    "ooga booga",
    "1234567890",
    "shazbot nanu nanu",
    "bleep bloop",
    "pancake recipe",
    "capital of Mongolia",
    "tallest giraffe",
    "who won the 1998 world cup",
    "best beaches in Portugal",
    "symptoms of measles",
    "how to knit a scarf",
    "Mozart's birthday",
    "weather tomorrow",
    "dinosaur extinction",
    "chess opening for black",
    "tomato seedlings",
    "Napoleon at Waterloo",
    "violin strings",
)
"""Half of it is words that mean nothing, half is what no project of `prompts/` is about."""


class Asked(NamedTuple):
    """A query: how similar the best memory without its words is, and what is found."""

    similarity: float
    is_read: bool
    """Whether the model knows any of its words."""
    gold: int
    """How many memories answer it; 0 where none does."""
    found: int
    """How many of these are among the first ten."""
    by_words: int
    """How many of these remain below the floor."""
    is_answered: bool
    """Whether anything remains below the floor."""

    def is_below(self, floor: float, unread: float) -> bool:
        """Whether only words answer it."""
        return self.similarity < (floor if self.is_read else unread)


def asked(cortex: Cortex, question: str, gold: frozenset[str]) -> Asked:
    """What recall does with a question without a floor, and below one."""
    similarity, floor = search.similarity, search.floor
    measured: list[float] = []
    limits: list[float] = []

    def noted(scored: Any) -> float:
        measured.append(similarity(scored))
        return measured[-1]

    def found(limit: float) -> set[str]:
        def at(query: Any) -> float:
            limits.append(floor(query))
            return limit

        search.floor = at
        hits = cortex.recall(question, limit=10, count=False).hits
        return {recall.named(hit, gold) for hit in hits}

    search.similarity = noted
    try:
        whole, below = found(-inf), found(inf)
    finally:
        search.similarity, search.floor = similarity, floor
    return Asked(
        measured[0],
        limits[0] != search.FLOOR_UNREAD,
        len(gold),
        len(gold & whole),
        len(gold & below),
        bool(below),
    )


def of_set(name: str, chosen: Any, model: recall.CachedModel) -> Iterator[Asked]:
    """The questions of one public set."""
    for chat in recall.SETS[name](chosen.data):
        with recall.store_of(chat, model) as cortex:
            for question in chat.questions:
                yield asked(cortex, question.text, question.gold)
        model.save()


def of_projects() -> dict[str, list[Asked]]:
    """The prompts of the three projects, and nonsense."""
    found: dict[str, list[Asked]] = {"prompts that fit": [], "prompts that fit none": []}
    found["nonsense"] = []
    listed = list(prompts.prompts())
    for project in dict.fromkeys(one.project for one in listed):
        with prompts.project_of(project) as cortex:
            for one in listed:
                if one.project == project:
                    gold = frozenset({one.memory} if one.memory else ())
                    name = "prompts that fit" if gold else "prompts that fit none"
                    found[name].append(asked(cortex, one.text, gold))
            found["nonsense"] += [asked(cortex, words, frozenset()) for words in NONSENSE]
    return found


def share(found: Sequence[Asked], floor: float, unread: float) -> float:
    """Percent of the right answers that the floors cost, or of the queries that get no answer
    where none is right."""
    below = [one for one in found if one.is_below(floor, unread)]
    if right := sum(one.found for one in found):
        return 100 * sum(one.found - one.by_words for one in below) / right
    return 100 * sum(not one.is_answered for one in below) / len(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where the floor in force costs more than it may."""
    parser = report.options(__doc__, "floor")
    parser.add_argument("--sets", default="locomo,beam,cosqa", help=f"of {', '.join(recall.SETS)}")
    chosen = parser.parse_args(arguments)
    chosen.data = report.data_folder(chosen)
    model = recall.CachedModel(chosen.cache)
    names = filter(None, chosen.sets.split(","))
    found = {name: list(of_set(name, chosen, model)) for name in names} | of_projects()
    for label in ("floor", "floor, no word read"):
        print(report.table((label, *found), [_row(found, label, floor) for floor in FLOORS]))
        print()
    return report.finish("floor", chosen, list(figures(found)))


def _row(found: dict[str, list[Asked]], label: str, floor: float) -> tuple[str, ...]:
    floors = (floor, search.FLOOR_UNREAD) if label == "floor" else (search.FLOOR, floor)
    return (f"{floor:.3f}", *(f"{share(ones, *floors):.2f}" for ones in found.values()))


def figures(found: dict[str, list[Asked]]) -> Iterator[Figure]:
    """The shares at the floors in force."""
    for name, ones in found.items():
        value = share(ones, search.FLOOR, search.FLOOR_UNREAD)
        if any(one.gold for one in ones):
            yield Figure(f"right answers lost to the floor: {name}", value, "%", must=MOST_LOST)
        else:
            yield Figure(f"answered with nothing: {name}", value, "%", more=True)


if __name__ == "__main__":
    sys.exit(main())
