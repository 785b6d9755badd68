"""How often a memory is found first when letters of its title are left out, swapped or joined.

    CORTEX_DATA=DIR python -m benchmarks.fuzzy [--show] [--size 100000] [--record]

Imports the development transcripts into one store and draws titles. Of each it makes two queries,
seeded: letters left out, neighbouring letters swapped, words joined, or parts of words in any
order. The chosen words are in no other title together, nor are the parts. The first row of the
list's search must be the title. It also measures, like `benchmarks.app`, how long such letters take
to become rows.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import app, report
from benchmarks.installed import Installed, environment
from benchmarks.report import Figure
from benchmarks.stores import store_of
from cortex_core import Cortex
from cortex_core.base import fuzzy
from cortex_core.records.memory import STATUSES, Memory

TITLES = 300
EACH = 2
"""Queries of each title."""
SEED = 11
TYPED = ("schdlr", "rcae lokc", "webpakc", "crtfct", "queuetimezone", "gister retr")
"""What is typed a letter at a time into the app."""


class Asked(NamedTuple):
    """A query, and the title that it is about."""

    way: str
    words: str
    title: str


def left_out(words: Sequence[str], chance: random.Random) -> str:
    """Up to a third of the letters of each word left out, never its first."""
    shortened = []
    for word in words:
        gone = chance.sample(range(1, len(word)), chance.randint(1, max(1, len(word) // 3)))
        shortened.append("".join(x for at, x in enumerate(word) if at not in gone))
    return " ".join(shortened)


def swapped(words: Sequence[str], chance: random.Random) -> str:
    """Two neighbouring letters of each word swapped."""
    turned = []
    for word in words:
        at = chance.randrange(1, len(word) - 1)
        turned.append(word[:at] + word[at + 1] + word[at] + word[at + 2 :])
    return " ".join(turned)


def joined(words: Sequence[str], chance: random.Random) -> str:
    """The words without blanks."""
    return "".join(words)


def parts(words: Sequence[str], chance: random.Random) -> str:
    """The beginning or the inside of each word, in any order."""
    pieces = []
    for word in chance.sample(words, len(words)):
        size = chance.randint(min(4, len(word)), len(word))
        start = chance.choice((0, chance.randint(0, len(word) - size)))
        pieces.append(word[start : start + size])
    return " ".join(pieces)


WAYS: dict[str, Callable[[Sequence[str], random.Random], str]] = {
    "letters left out": left_out,
    "letters swapped": swapped,
    "words joined": joined,
    "parts of words": parts,
}


def chosen(title: str, others: Sequence[str], way: str, chance: random.Random) -> list[str]:
    """One to three words of `title`, in their order, that are in no other title together."""
    words = fuzzy.words(title)
    neighbours = way == "words joined"
    for count in (1, 2, 2, 2, 3, 3, 3, 3, 4, 4):
        if (neighbours and count == 1) or len(words) < count:
            continue
        start = chance.randrange(len(words) - count + 1)
        picked = (
            range(start, start + count)
            if neighbours
            else sorted(chance.sample(range(len(words)), count))
        )
        some = [words[at] for at in picked]
        least = 6 if count == 1 else 2 if neighbours else 4
        if min(map(len, some)) >= least and is_only(some, others):
            return some
    return []


def is_only(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether no other title holds all these words."""
    return not any(all(word in other for word in words) for other in others)


def queries(titles: Sequence[str], seed: int) -> list[Asked]:
    """`EACH` queries of each title, as far as it has words of its own."""
    chance = random.Random(seed)
    folded = {title: fuzzy.fold(title) for title in titles}
    asked: list[Asked] = []
    for title in chance.sample(titles, len(titles)):
        others = [text for other, text in folded.items() if other != title]
        ways = chance.sample(sorted(WAYS), len(WAYS))
        picked = ((way, chosen(title, others, way, chance)) for way in ways)
        made = [(way, WAYS[way](words, chance)) for way, words in picked if words]
        good = [
            Asked(way, words, title)
            for way, words in made
            if way != "parts of words" or is_only(words.split(), others)
        ]
        asked += good[:EACH]
    return asked[: EACH * TITLES]


def imported(folders: Sequence[Path], scratch: Path) -> Cortex:
    """A store of what these transcripts teach."""
    root = scratch / "project"
    (root / ".memory").mkdir(parents=True)
    cortex = Cortex.open(root, scratch / "home")
    cortex.exchange.import_transcripts(folders)
    return cortex


def first(cortex: Cortex, words: str) -> Memory | None:
    """The first row of the list's search."""
    rows = cortex.memories.rows(cortex.memories.search_ids(words).keys[:1])
    return rows[0] if rows else None


def measured(
    cortex: Cortex, seed: int, *, show: bool
) -> tuple[Counter[str], Counter[str], list[float]]:
    """How many queries there were of each way, how many were right, and the milliseconds each."""
    listed = cortex.list(statuses=STATUSES, history=True)
    asked = queries(list(dict.fromkeys(memory.title for memory in listed)), seed)
    total, right, took = Counter[str](), Counter[str](), list[float]()
    for query in asked:
        begun = time.perf_counter()
        found = first(cortex, query.words)
        took.append((time.perf_counter() - begun) * 1000)
        hit = found is not None and found.title == query.title
        total[query.way] += 1
        right[query.way] += hit
        if show and not hit:
            print(f"{query.way}: {query.words}\n   {query.title}\n   {found and found.title}")
    return total, right, took


def letters_to_rows(size: int, cache: Path) -> list[float]:
    """Milliseconds from each letter of `TYPED` to rows in the app over `size` memories."""
    with tempfile.TemporaryDirectory(prefix="cortex-fuzzy-") as scratch:
        product, made = Installed(Path(scratch)), store_of(size, cache)
        with Cortex.open(made.root, made.home) as cortex:
            cortex.settings.set("extractor", "rules")  # so that the app does not ask
        where = {**environment(made), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        row = app.first_row(made)
        with app.running([product.cortex, "--project", str(made.root)], where) as terminal:
            terminal.until(row, time.perf_counter())
            terminal.quiet(1.0)
            return app.key_to_results(terminal, TYPED)


def figures(
    total: Counter[str],
    right: Counter[str],
    took: Sequence[float],
    size: int,
    results: Sequence[float],
) -> Iterator[Figure]:
    """The share of first rows that are right, and the times."""
    count, good = total.total(), right.total()
    share = 100 * good / count
    yield Figure(
        f"title found first from parts and slips ({good} of {count})", share, "%", 95, 98, more=True
    )
    for way, number in sorted(total.items()):
        yield Figure(f"{way} ({right[way]} of {number})", 100 * right[way] / number, "%", more=True)
    yield Figure("search of the list", statistics.median(took), "ms")
    if results:
        name = f"app, {size:,} memories: letter to results with slips, p95"
        yield Figure(name, report.percentile(results, 0.95), "ms", 120, 50)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "fuzzy")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="print what is not found first")
    parser.add_argument("--size", type=int, default=100_000, help="0: do not measure the app")
    options = parser.parse_args(arguments)
    folders = sorted(filter(Path.is_dir, report.data_folder(options, "transcripts").iterdir()))
    with (
        tempfile.TemporaryDirectory(prefix="cortex-fuzzy-") as scratch,
        imported(folders, Path(scratch)) as cortex,
    ):
        total, right, took = measured(cortex, options.seed, show=options.show)
    results = letters_to_rows(options.size, options.cache) if options.size else []
    found = list(figures(total, right, took, options.size, results))
    return report.finish("fuzzy", options, found, {"letters": len(results)})


if __name__ == "__main__":
    raise SystemExit(main())
