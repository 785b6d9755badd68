"""How surely any part of a sentence is found again in scripts that write no blanks, and in Russian.

    python -m benchmarks.scripts [--show] [--record]

A project's store gets 200 sentences in each of five languages, made of the phrases below; their
titles say nothing. A query is a part of a sentence to the letter, drawn with a fixed seed: two to
six neighbouring letters, in Russian one or two words; none has a sign or Latin letters. Parts that
more than five sentences hold are drawn again. A query is answered if its sentence is among the
first five hits of recall, and among the first five rows of the app's list.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from benchmarks.stores import NOW
from cortex_core import Cortex
from cortex_core.embeddings import stored
from cortex_core.embeddings.local import shipped
from cortex_core.records.memory import Memory
from cortex_core.store import rows

SENTENCES = 200
FIRST = 5
"""Hits among which the sentence must be, and the most sentences that hold a query."""
SEED = 16
TOOLS = "pnpm pytest Redis Postgres Docker nginx Kafka ruff Vite Grafana GitHub Terraform".split()


_NO_SIGN = re.compile(r"[^\W\d_a-zA-Z]|[\u0e31-\u0e4e]")
"""Matches a letter that is not of the Latin alphabet, or a Thai mark."""


class Language(NamedTuple):
    """What the sentences of one language are made of."""

    subjects: Sequence[str]
    predicates: Sequence[str]
    join: str
    """How a subject, a predicate and a tool become a sentence."""


LANGUAGES: dict[str, Language] = {
    name: Language(**phrases)
    for name, phrases in json.loads(
        Path(__file__).with_name("script_phrases.json").read_text("utf-8")
    ).items()
}


class Asked(NamedTuple):
    """A query, and the sentence that it was drawn from."""

    words: str
    sentence: str


def sentences(language: Language, chance: random.Random) -> list[str]:
    """So many different sentences, each phrase in about as many of them."""
    times = -(-SENTENCES // len(language.subjects))
    subjects, predicates = list(language.subjects) * times, list(language.predicates) * times
    made: dict[str, None] = {}
    while len(made) < SENTENCES:
        chance.shuffle(predicates)
        for subject, predicate in zip(subjects, predicates, strict=True):
            sentence = language.join.format(subject, predicate, chance.choice(TOOLS))
            if len(made) < SENTENCES:
                made[sentence] = None
    return list(made)


def part(name: str, sentence: str, chance: random.Random) -> str:
    """A part of a sentence, to the letter."""
    if name == "Russian":
        words = re.findall(r"\w+", sentence)
        start = chance.randrange(len(words) - 1)
        return " ".join(words[start : start + chance.randint(1, 2)])
    size = chance.randint(2, 6)
    start = chance.randrange(len(sentence) - size)
    return sentence[start : start + size]


def query(name: str, sentence: str, others: Sequence[str], chance: random.Random) -> Asked:
    """A part of `sentence` with two letters of its script or more that few sentences hold."""
    while True:
        words = part(name, sentence, chance).strip()
        letters = [letter for letter in words if not letter.isspace()]
        is_own = len(letters) > 1 and all(_NO_SIGN.fullmatch(letter) for letter in letters)
        if is_own and sum(words in other for other in others) <= FIRST:
            return Asked(words, sentence)


def found(cortex: Cortex, words: str) -> tuple[list[str], list[str]]:
    """What the first hits of recall say, and the first rows of the list."""
    recalled = cortex.recall(words, limit=FIRST).hits
    listed = cortex.memories.rows(cortex.memories.search_ids(words).keys[:FIRST])
    return [hit.memory.content for hit in recalled], [memory.content for memory in listed]


def measured(cortex: Cortex, asked: Sequence[Asked], *, show: bool) -> tuple[float, float]:
    """The percentage of queries that recall answers, and that the list answers."""
    right = [0, 0]
    for one in asked:
        answers = found(cortex, one.words)
        for at, texts in enumerate(answers):
            right[at] += one.sentence in texts
            if show and one.sentence not in texts:
                print(f"{('recall', 'list')[at]}: {one.words}\n   {one.sentence}\n   {texts[:2]}")
    return 100 * right[0] / len(asked), 100 * right[1] / len(asked)


def figures(folder: Path, seed: int, *, show: bool) -> Iterator[Figure]:
    """Both shares of each language, all sentences in one store."""
    chance = random.Random(seed)
    texts = {name: sentences(language, chance) for name, language in LANGUAGES.items()}
    everything = [text for each in texts.values() for text in each]
    with filled(folder, everything) as cortex:
        for name, own in texts.items():
            asked = [query(name, sentence, everything, chance) for sentence in own]
            recall, listed = measured(cortex, asked, show=show)
            yield Figure(f"{name}: part of a sentence recalled", recall, "%", 95, 99, more=True)
            yield Figure(f"{name}: the same, in the list", listed, "%", 95, 99, more=True)


def filled(folder: Path, texts: Sequence[str]) -> Cortex:
    """A project whose memories say `texts`, with vectors; admission would propose to merge some,
    since they are made of the same phrases."""
    (folder / "project" / ".memory").mkdir(parents=True)
    cortex = Cortex.open(folder / "project", folder / "home")
    store = cortex.workspace.store()
    with store.change("import", "import sentences") as change:
        for number, text in enumerate(texts):
            change.insert("memory", rows.to_row(_memory(number, text)))
    stored.embed(store, shipped())
    return cortex


def _memory(number: int, text: str) -> Memory:
    return Memory(
        id=str(uuid.UUID(int=number)),
        content=text,
        title=f"Note {number}",
        kind="fact",
        scope="project",
        created=NOW,
        updated=NOW,
        reinforced=NOW,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "scripts")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", action="store_true", help="print what is not found")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cortex-scripts-") as scratch:
        measures = list(figures(Path(scratch), options.seed, show=options.show))
    return report.finish("scripts", options, measures)


if __name__ == "__main__":
    raise SystemExit(main())
