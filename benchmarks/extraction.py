"""What capture keeps of real sessions, and how much of it is worth keeping, by a reader's labels.

    CORTEX_DATA=DIR python -m benchmarks.extraction [--show] [--record]
    CORTEX_DATA=DIR python -m benchmarks.extraction --extractor api|claude [--cap 5]

Imports the development transcripts, each project into a store of its own, and joins what is kept at
once and what is suggested with `extraction_labels.json` by the hash of the content: the labels hold
no text of other people. What no label covers is reported, and printed with `--show`; it counts
neither way. Four of the projects were read only after the sources and their tables were written:
their figures stand apart.

With `--extractor` a language model reads the sessions too, at the user's cost, and only what it
finds is scored: it has the label of what the rules found that says the same, and it finds an item
of the reader's list if it says what a memory of that item says, or comes from one of its messages.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from cortex_core import Cortex
from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import content_hash
from cortex_core.duplicates.alignment import TokenVectors, from_stored
from cortex_core.duplicates.similarity import LIKELY_COVERAGE, compare
from cortex_core.embeddings.local import shipped
from cortex_core.extract import rules
from cortex_core.records.events import Event, Role
from cortex_core.records.memory import Memory, Status

EXAMPLES = (
    "The deploy script requires sudo on Linux.",
    "The production server is Ubuntu 24.04 on Hetzner.",
    "I'm a fullstack developer focused on TypeScript.",
    "All database migrations use Drizzle Kit.",
    "We're using Drizzle ORM instead of Prisma.",
    "No semicolons in TypeScript.",
    "I fixed CORS by adding the origin to the Nitro route rules.",
    "All API routes follow the parse, service, format pattern.",
    "vi.mock() at module level leaks between test files.",
    "Auth is a separate service.",
    "Actually the port is 8081.",
    "No, it's called billing-api.",
    "It's not a queue but a stream.",
    "You must run migrations first.",
    "A changelog entry is required.",
    "Never commit secrets.",
    "Don't use the ORM for bulk inserts.",
    "We chose SQLite over Postgres for the cache.",
    "I prefer the standard library over dependencies.",
    "The API rate limit is 100 requests a minute.",
    "Always use named exports.",
    "Never push to main.",
    "Don't ever log tokens.",
    "We decided to use Bun for scripts.",
    "use pnpm in this repo",
    "We're going with Drizzle ORM instead of Prisma because of the edge runtime.",
    "No, use pnpm.",
    "From now on: commits in English.",
    "Remember: the staging database is reset every night.",
)
"""What the documents that the product was drawn from give as examples, typed as prompts."""

LABELS = Path(__file__).with_name("extraction_labels.json")
LABEL_NAMES = ("good", "borderline", "bad")
STOPPED = "rule:session-end"
STATUSES: tuple[Status, Status] = ("active", "suggested")


@cache
def _encoded(words: str) -> tuple[Any, TokenVectors | None]:
    made = shipped().encode(words)
    return made.vector, from_stored(made.pieces, made.bits)


@cache
def same(first: str, second: str) -> bool:
    """Whether the product takes two texts for the same statement, by words and by meaning."""
    (vector, tokens), (other, others) = _encoded(first), _encoded(second)
    cosine = float(vector @ other)
    if cosine < LIKELY_COVERAGE:
        return first == second
    both = (tokens, others) if tokens and others else None
    found = compare(first, second, cosine=cosine, tokens=both)
    return found.same or found.propose


class Found(NamedTuple):
    """What capture found in one project, history left out."""

    project: str
    kept: list[Memory]
    suggested: list[Memory]
    stopped: list[Memory]
    """Where the sessions stopped: of the history, what the hand-over note gives."""


def imported(folder: Path, extractor: str = "rules", cap: float = 0.0) -> Found:
    """What an import of a project's transcripts keeps at once, and what it suggests.

    Args:
        extractor: who reads the sessions: `rules`, or also a model (`api`, `claude`).
        cap: US dollars that the model may cost.

    Raises:
        SystemExit: the model cannot be used.
    """
    with tempfile.TemporaryDirectory(prefix="cortex-extraction-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        with Cortex.open(root, Path(scratch, "home")) as cortex:
            cortex.settings.set("extractor", extractor)
            if extractor != "rules":
                cortex.settings.set("model.daily_cap_usd", cap)
            if trouble := cortex.llm.trouble():
                raise SystemExit(trouble)
            cortex.exchange.import_transcripts([folder])
            kept, suggested = (cortex.list(statuses=(status,)) for status in STATUSES)
            stopped = [one for one in cortex.list(kinds=(EPISODE,)) if one.source.rule == STOPPED]
    return Found(folder.name, kept, suggested, stopped)


def by_model(found: Sequence[Memory]) -> list[Memory]:
    """Those that a language model found."""
    return [one for one in found if one.source.rule.startswith("model:")]


def labelled_alike(
    found: Sequence[Memory], known: Sequence[Memory], labels: Mapping[str, str]
) -> dict[str, str]:
    """The labels, and the label of a `known` memory for each of `found` that says the same."""
    texts = [(one.content, labels[key]) for one in known if (key := hash_of(one)) in labels]
    alike = {
        hash_of(one): next((label for text, label in texts if same(one.content, text)), "")
        for one in found
    }
    return {**{name: label for name, label in alike.items() if label}, **labels}


def hash_of(memory: Memory) -> str:
    """The hash by which a memory is labelled."""
    return content_hash(memory.content)


def judged(found: Sequence[Memory], labels: Mapping[str, str]) -> Counter[str]:
    """How many of `found` have which label; `unlabelled` for none."""
    return Counter(labels.get(hash_of(memory), "unlabelled") for memory in found)


def by_rule(found: Sequence[Memory], labels: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """For each rule: how many it found, and how many have which label."""
    groups: dict[str, list[Memory]] = defaultdict(list)
    for memory in found:
        groups[memory.source.rule.removeprefix("rule:")].append(memory)
    for rule, ones in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        counts = judged(ones, labels)
        columns = (counts[name] for name in (*LABEL_NAMES, "unlabelled"))
        yield (rule, str(len(ones)), *map(str, columns))


Item = Mapping[str, Any]
"""Something that a reader of a session would keep: its `type`, the `messages` that say it (the
beginnings of their ids), and the `memories` that carry it (hashes)."""


def is_found(item: Item, found: Sequence[Memory], *, by_message: bool) -> bool:
    """Whether one of `found` carries the item.

    Args:
        by_message: whether coming from one of its messages is enough.
    """
    return any(
        hash_of(one) in item["memories"]
        or (by_message and one.source.message.startswith(tuple(item["messages"])))
        for one in found
    )


def recalled(
    sessions: Mapping[str, Sequence[Item]], found: Sequence[Memory], *, by_message: bool = False
) -> dict[str, tuple[int, int]]:
    """By type of item, and for `all`: how many are there, of how many."""
    counts: dict[str, list[bool]] = defaultdict(list)
    for session, items in sessions.items():
        name = session.rsplit("/", 1)[-1]
        own = [
            one
            for one in found
            if any(s.session.startswith(name) for s in (one.source, *one.sources))
        ]
        for item in items:
            there = is_found(item, own, by_message=by_message)
            counts[item["type"]].append(there)
            counts["all"].append(there)
    return {name: (sum(each), len(each)) for name, each in counts.items()}


def _is_from(memory: Memory, session: str) -> bool:
    """Whether a memory was learned in the session whose id begins so."""
    return any(one.session.startswith(session) for one in (memory.source, *memory.sources))


def heard(sentence: str) -> bool:
    """Whether a sentence that is typed after a question of the agent is kept or suggested."""
    roles: tuple[tuple[Role, str], ...] = (
        ("human", "Look at the shop."),
        ("assistant", "I looked. Anything I should know?"),
        ("human", sentence),
        ("assistant", "Noted."),
    )
    events = [Event(role=role, text=text, offset=at) for at, (role, text) in enumerate(roles)]
    return bool(rules.extract(events, final=True).candidates)


def most_suggested(found: Sequence[Memory]) -> int:
    """The most suggestions of one session, without what several sessions added up to."""
    own = (one for one in found if "recurring" not in one.details)
    return max(Counter(one.source.session for one in own).values(), default=0)


BOUNDS: Mapping[str, tuple[float | None, float | None]] = {
    "all": (55, 70),
}
"""By type of item: the share that must be found, and the goal."""


def figures(counts: Counter[str], name: str, must: float, goal: float) -> Iterator[Figure]:
    """How much of what is kept, or suggested, is worth it, with its bounds."""
    read = sum(counts[label] for label in LABEL_NAMES) or 1
    bounds = (5, 1) if name.startswith("kept") else (None, None)
    yield Figure(f"{name}: good", 100 * counts["good"] / read, "%", must, goal, more=True)
    yield Figure(f"{name}: bad", 100 * counts["bad"] / read, "%", *bounds)
    yield Figure(f"{name}: read", read)
    if counts["unlabelled"]:
        yield Figure(f"{name}: not labelled", counts["unlabelled"])


def found_items(items: Mapping[str, tuple[int, int]]) -> Iterator[Figure]:
    """Of what a reader would keep, how much is found."""
    for type_, (there, of) in sorted(items.items()):
        must_find, goal_find = BOUNDS.get(type_, (None, None))
        name = "of what a reader would keep, found"
        name = name if type_ == "all" else f"{name}: {type_}"
        yield Figure(name, 100 * there / of, "%", must_find, goal_find, more=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "extraction")
    parser.add_argument("--show", action="store_true", help="print what no label knows")
    parser.add_argument("--extractor", choices=("rules", "api", "claude"), default="rules")
    parser.add_argument("--cap", type=float, default=5.0, help="US dollars a model may cost")
    chosen = parser.parse_args(arguments)
    known = json.loads(LABELS.read_text("utf-8"))
    labels: dict[str, str] = known["memories"]
    folders = sorted(report.data_folder(chosen, "transcripts").iterdir())
    made = [imported(folder) for folder in folders if folder.is_dir()]
    kept, suggested = _together(made)
    is_model = chosen.extractor != "rules"
    if is_model:
        read = [imported(Path(f), chosen.extractor, chosen.cap) for f in folders if f.is_dir()]
        of_rules = [*kept, *suggested]
        kept, suggested = map(by_model, _together(read))
        labels = labelled_alike([*kept, *suggested], of_rules, labels)
    rows = list(by_rule([*kept, *suggested], labels))
    print(report.table(("rule", "found", *LABEL_NAMES, "unlabelled"), rows))
    if chosen.show:
        _show([*kept, *suggested], labels)
    stopped = [memory for each in made for memory in each.stopped if not is_model]
    items = recalled(known["sessions"], [*kept, *suggested, *stopped], by_message=is_model)
    measured = [
        *figures(judged(kept, labels), "kept at once", 80, 90),
        *figures(judged(suggested, labels), "suggested", 40, 60),
    ]
    if not is_model:
        unseen = _together([each for each in made if each.project in known["unseen"]])
        for name, each in zip(("kept at once", "suggested"), unseen, strict=True):
            counts = judged(each, labels)
            of = sum(counts[label] for label in LABEL_NAMES) or 1
            measured.append(Figure(f"{name}, unseen: good", 100 * counts["good"] / of, "%"))
        measured.append(
            Figure("suggestions of one session, most", most_suggested(suggested), "", 12)
        )
        examples = Figure("of 29 examples, heard", sum(map(heard, EXAMPLES)), "", 27, 29, more=True)
        measured.append(examples)
    measured += found_items(items)
    details = {
        "rules": rows,
        "items": items,
        "kept": len(kept),
        "suggested": len(suggested),
        "extractor": chosen.extractor,
    }
    return report.finish("extraction", chosen, measured, details)


def _together(found: Sequence[Found]) -> tuple[list[Memory], list[Memory]]:
    """What is kept, and what is suggested, of all projects."""
    kept = [memory for each in found for memory in each.kept]
    return kept, [memory for each in found for memory in each.suggested]


def _show(found: Sequence[Memory], labels: Mapping[str, str]) -> None:
    for memory in found:
        if (name := hash_of(memory)) not in labels:
            print(f"\n{name} {memory.status} {memory.source.rule} {memory.source.message}")
            print(f"  {memory.title}\n  {memory.content}")


if __name__ == "__main__":
    sys.exit(main())
