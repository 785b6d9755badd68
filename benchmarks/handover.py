"""How much of the hand-over note a session used, by replaying real projects session by session.

    CORTEX_DATA=DIR python -m benchmarks.handover [--projects NAME …] [--tokens N] [--show]

The sessions of a project are taken in the order in which they began. Before each, from the second
on, those that had ended by then are imported, with the clock at their end, and the worker's upkeep
runs. The note that the session would have been given is then compared with what it came to need
(`needs`), and so are two other choices from the same memories within the same budget: the newest,
and random ones. All memories together, without a budget, show how much could be met at all.
"""

from __future__ import annotations

import random
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks import report
from benchmarks.needs import TYPES, Line, Need, met, needs
from benchmarks.report import Figure
from cortex_core import Cortex, worker_run
from cortex_core.agents.claude import reader, sessions as claude_sessions
from cortex_core.base import text
from cortex_core.capture import pipeline
from cortex_core.duplicates.alignment import TokenVectors, from_stored
from cortex_core.duplicates.similarity import LIKELY_COVERAGE, compare
from cortex_core.embeddings.local import shipped
from cortex_core.language import statements
from cortex_core.records import events as event_records
from cortex_core.records.events import Candidate, Event
from cortex_core.records.memory import Memory
from cortex_core.store import cursors
from cortex_core.surface import wording

PROJECTS = (
    "EntityProcess__agentv",
    "cipher-box",
    "entireio-cli",
    "entireio-skills",
    "marot__spotter",
    "obra__episodic-memory",
)
"""Projects with several sessions of real work in one repository; the others are fixtures."""

CHOICES = ("note", "newest", "random", "all")
TOKENS = 250
"""Budget of the notes: at the default of 500 a young store fits whole, and nothing is chosen."""

MARGINS = {"newest": 5.0, "random": 3.0}
"""By how many percentage points more lines of the note must be used than of another choice."""

DRAWS = 20
SEED = 1


class Clock:
    """A clock that shows what it is set to, Unix seconds."""

    now = 0.0

    def __call__(self) -> float:
        """The time it shows."""
        return self.now


class Session(NamedTuple):
    """One transcript, and when it was written."""

    path: Path
    began: float
    ended: float
    branch: str


def sessions(folder: Path) -> list[Session]:
    """The sessions of a project in the order in which they began; those without times left out."""
    found = []
    for path in (one.path for one in claude_sessions.at(folder)):
        with reader.read(path) as events:
            marks = [(event.time, event.branch) for event in events if event.time is not None]
        if marks:
            times = [time for time, _ in marks]
            found.append(Session(path, min(times), max(times), marks[0][1]))
    return sorted(found, key=lambda one: (one.began, one.path))


@contextmanager
def project(folder: Path, clock: Clock, tokens: int = TOKENS) -> Iterator[Cortex]:
    """An empty project in a scratch home; ids repeat from run to run, for ties and token counts.

    Args:
        tokens: the budget of its notes.
    """
    chance = random.Random(SEED)
    root = folder / "project"
    (root / ".memory").mkdir(parents=True)
    (root / ".git").mkdir()
    with (
        patch.object(uuid, "uuid4", lambda: uuid.UUID(int=chance.getrandbits(128), version=4)),
        Cortex.open(root, folder / "home", clock=clock) as cortex,
    ):
        cortex.settings.set("surface.tokens", tokens)
        yield cortex


def check_out(cortex: Cortex, branch: str) -> None:
    """Let the project be on `branch`, on none where it is empty."""
    head = Path(cortex.project.root or "", ".git", "HEAD")
    head.write_text(f"ref: refs/heads/{branch}\n" if branch else "0" * 40 + "\n", encoding="utf-8")


def learn(cortex: Cortex, clock: Clock, session: Session) -> None:
    """Import one session at the moment of its end, and let the worker do its upkeep."""
    clock.now = session.ended
    check_out(cortex, session.branch)
    cortex.exchange.import_transcripts([session.path])
    worker_run.maintain(cortex)


def read(cortex: Cortex, session: Session) -> tuple[list[Event], list[Candidate]]:
    """What is new in a session: its events, and what extraction keeps or suggests of it."""
    known = cursors.read_keys(cortex.workspace.store())
    with reader.read(
        session.path, seen=lambda mark: event_records.uuid_key(mark) in known
    ) as found:
        events = list(found)
    made = pipeline.read(
        session.path, cursors.Cursor(), known.__contains__, cortex.config, {}, final=True
    )
    return events, made.candidates


# --- the choices


def may_be_given(cortex: Cortex) -> list[Memory]:
    """Every memory that the note could hold a line of, the newest first."""
    found = [
        one
        for one in cortex.list()
        if one.inject == "normal"
        and cortex.config.kinds.known(one.kind).surface_lines
        and line_of(one)
    ]
    return sorted(found, key=lambda one: (-one.created, one.content))


def line_of(memory: Memory) -> str:
    """The memory as the note writes it."""
    return wording.statement_line(memory.id, memory.title, memory.content)


def filled(memories: Sequence[Memory], tokens: int) -> list[Memory]:
    """Those of `memories` whose lines fit into `tokens` tokens, taken in order."""
    budget = wording.Budget(tokens)
    budget.spend(wording.fenced("-"))
    taken = []
    for memory in memories:
        if budget.fits(line_of(memory)):
            budget.spend(line_of(memory))
            taken.append(memory)
    return taken


def drawn(memories: Sequence[Memory], tokens: int, seed: str) -> list[Memory]:
    """As `filled`, in a random order that `seed` decides."""
    return filled(random.Random(seed).sample(memories, len(memories)), tokens)


# --- what came of them


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


class Tally(NamedTuple):
    """What came of one choice of lines: of one note, of several, or a mean over draws."""

    notes: float = 0.0
    """How many notes it sums up."""
    lines: float = 0.0
    used: float = 0.0
    """Lines that say something the session needed."""
    beyond_names: float = 0.0
    """Lines that say more of it than a name in the code."""
    tokens: float = 0.0
    met: Mapping[str, float] = {}
    """How many needs of each type."""


class Outcome(NamedTuple):
    """What one session needed, and what each choice said of it."""

    session: str
    needed: Mapping[str, int]
    """How many needs of each type."""
    recurring: Mapping[str, int]
    """How many of them a session that was over by then had needed too."""
    tallies: Mapping[str, Tally]
    """By the name of the choice."""
    lines: int = 0
    """Lines of the whole note."""
    statements: int = 0
    """Those of them that are complete statements of at most 40 tokens."""


def tally(lines: Sequence[Set[Need]], tokens: int) -> Tally:
    """The tally of one note, from what each of its lines says of what the session needed."""
    return Tally(
        notes=1,
        lines=len(lines),
        used=sum(map(bool, lines)),
        beyond_names=sum(any(need.type != "name" for need in line) for line in lines),
        tokens=tokens,
        met=Counter(need.type for need in frozenset().union(*lines)),
    )


def combined(tallies: Sequence[Tally], share: float = 1.0) -> Tally:
    """The sum of `tallies`, each weighted by `share`."""
    return Tally(
        share * sum(one.notes for one in tallies),
        share * sum(one.lines for one in tallies),
        share * sum(one.used for one in tallies),
        share * sum(one.beyond_names for one in tallies),
        share * sum(one.tokens for one in tallies),
        {name: share * sum(one.met.get(name, 0) for one in tallies) for name in TYPES},
    )


def replay(folder: Path, *, tokens: int = TOKENS, show: bool = False) -> Iterator[Outcome]:
    """What came of each session of a project but the first, with notes of `tokens` tokens."""
    clock = Clock()
    waiting: list[tuple[Session, list[Need]]] = []
    earlier: set[Need] = set()
    with (
        tempfile.TemporaryDirectory(prefix="cortex-handover-") as scratch,
        project(Path(scratch), clock, tokens) as cortex,
    ):
        for place, session in enumerate(sessions(folder)):
            over = [pair for pair in waiting if pair[0].ended <= session.began]
            for pair in sorted(over, key=lambda pair: (pair[0].ended, pair[0].path)):
                learn(cortex, clock, pair[0])
                earlier.update(pair[1])
                waiting.remove(pair)
            clock.now = session.began
            check_out(cortex, session.branch)
            known = [one.content for one in cortex.list(statuses=("active", "suggested"))]
            needed = needs(*read(cortex, session), known, same)
            if place:
                yield outcome(cortex, session, needed, earlier, show=show)
            waiting.append((session, needed))


def outcome(
    cortex: Cortex,
    session: Session,
    needed: Sequence[Need],
    earlier: Set[Need],
    *,
    show: bool = False,
) -> Outcome:
    """What each choice would have said, at the session's start, of what it `needed`.

    Args:
        earlier: what the sessions that were over by then had needed.
    """
    surface = cortex.surface()
    pool = may_be_given(cortex)
    contents = {one.id: cortex.show(one.id).content for one in surface.lines}
    says = {one.id: met(Line(line_of(one), one.content), needed, same) for one in pool}
    # Where it stopped is no choice among the same memories.
    chosen = [one for one in surface.lines if one.id in says]
    note = [met(Line(one.text, contents[one.id]), needed, same) for one in chosen]
    draws = [
        drawn(pool, surface.budget, f"{SEED} {session.path.name} {draw}") for draw in range(DRAWS)
    ]

    def tallied(chosen: Sequence[Memory]) -> Tally:
        words = wording.fenced("\n".join(map(line_of, chosen)))
        return tally([says[one.id] for one in chosen], text.tokens(words))

    if show:
        _show(session, needed, zip((one.text for one in chosen), note, strict=True))
    return Outcome(
        session.path.stem,
        Counter(need.type for need in needed),
        Counter(need.type for need in needed if recurs(need, earlier)),
        {
            "note": tally(note, surface.tokens),
            "newest": tallied(filled(pool, surface.budget)),
            "random": combined([tallied(draw) for draw in draws], 1 / DRAWS),
            "all": tallied(pool),
        },
        len(surface.lines),
        sum(is_statement(one.text, contents[one.id]) for one in surface.lines),
    )


def is_statement(text: str, content: str) -> bool:
    """Whether each line of `text`, which tells `content`, is a complete and short statement."""
    said = [line.removeprefix("- ").rpartition(" [")[0] for line in text.split("\n")]
    return all(
        statements.is_short(words) and statements.is_complete(words, content) for words in said
    )


def recurs(need: Need, earlier: Set[Need]) -> bool:
    """Whether a session had the need before; a fact is one only where it was known."""
    if need.type == "rule":
        return any(same(need.text, one.text) for one in earlier if one.type == "rule")
    return need.type == "fact" or need in earlier


def _show(session: Session, needed: Sequence[Need], lines: Iterable[tuple[str, Set[Need]]]) -> None:
    print(f"\n{text.iso(session.began)} {session.path.name}")
    for name in ("command", "rule", "fact"):
        for need in needed:
            if need.type == name:
                print(f"  needed {name}: {text.one_line(need.text)[:150]}")
    for line, said in lines:
        print(f"  {line}")
        for need in sorted(said):
            print(f"      used for the {need.type} {text.one_line(need.text)[:100]}")


# --- figures


class Shares(NamedTuple):
    """One choice over some sessions; shares in percent."""

    used: float
    """Of the lines."""
    beyond_names: float
    met: float
    """The mean of `by_type`, so that the many names do not decide it."""
    by_type: Mapping[str, float]
    """Needs met of each type of which there were any."""
    tokens: float
    """A note."""


def shares(choice: str, outcomes: Sequence[Outcome]) -> Shares:
    """What one choice came to over `outcomes`."""
    total = combined([one.tallies[choice] for one in outcomes])
    met_share, by_type = of_needed(total.met, outcomes)
    return Shares(
        _percent(total.used, total.lines),
        _percent(total.beyond_names, total.lines),
        met_share,
        by_type,
        total.tokens / total.notes if total.notes else 0.0,
    )


def recurring(outcomes: Sequence[Outcome]) -> tuple[float, Mapping[str, float]]:
    """The share of the needs that an earlier session had too: mean of the types, and by type."""
    return of_needed(
        {name: sum(one.recurring.get(name, 0) for one in outcomes) for name in TYPES}, outcomes
    )


def of_needed(
    part: Mapping[str, float], outcomes: Sequence[Outcome]
) -> tuple[float, Mapping[str, float]]:
    """`part` in percent of what the sessions needed: the mean of the types, and by type."""
    needed = {name: sum(one.needed.get(name, 0) for one in outcomes) for name in TYPES}
    by_type: dict[str, float] = {
        name: _percent(part.get(name, 0), needed[name]) for name in TYPES if needed[name]
    }
    return (sum(by_type.values()) / len(by_type) if by_type else 0.0), by_type


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def figures(name: str, outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    """For each choice: the share of lines used, the share of needs met, tokens a note."""
    yield Figure(f"{name}: needs that recur", recurring(outcomes)[0], "%")
    lines, whole = sum(one.lines for one in outcomes), sum(one.statements for one in outcomes)
    if lines:
        yield Figure(f"{name}, note: complete lines", _percent(whole, lines), "%", 100, more=True)
    for choice in CHOICES:
        found = shares(choice, outcomes)
        yield Figure(f"{name}, {choice}: lines used", found.used, "%", more=True)
        yield Figure(f"{name}, {choice}: needs met", found.met, "%", more=True)
        yield Figure(f"{name}, {choice}: tokens", found.tokens)


def margins(outcomes: Sequence[Outcome]) -> Iterator[Figure]:
    """How many percentage points more of the note's lines were used than of other choices."""
    used = shares("note", outcomes).used
    for choice, least in MARGINS.items():
        margin = used - shares(choice, outcomes).used
        yield Figure(f"lines used, note above {choice}", margin, "points", least, more=True)


HEAD = ("", "lines", "used", "names aside", "needs met", *(f"{name}s" for name in TYPES))


def rows(name: str, outcomes: Sequence[Outcome]) -> Iterator[tuple[str, ...]]:
    """The needs of some sessions, how many recur, and what each choice met of them, by type."""
    counts = (str(sum(one.needed.get(type_, 0) for one in outcomes)) for type_ in TYPES)
    yield (f"{name}: {text.counted(len(outcomes), 'session')}", "", "", "", "", *counts)
    share, by_type = recurring(outcomes)
    yield ("  needed before", "", "", "", *_percents(share, by_type))
    for choice in CHOICES:
        found = shares(choice, outcomes)
        lines = sum(one.tallies[choice].lines for one in outcomes)
        yield (
            f"  {choice}",
            f"{lines:.0f}",
            f"{found.used:.1f}%",
            f"{found.beyond_names:.1f}%",
            *_percents(found.met, found.by_type),
        )


def _percents(share: float, by_type: Mapping[str, float]) -> Iterator[str]:
    yield f"{share:.1f}%"
    for name in TYPES:
        yield f"{by_type[name]:.1f}%" if name in by_type else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; lines must be complete, and more of them used than of other choices."""
    parser = report.options(__doc__, "handover")
    parser.add_argument("--projects", nargs="+", default=PROJECTS, help="folders of transcripts")
    parser.add_argument("--tokens", type=int, default=TOKENS, help="the budget of the notes")
    parser.add_argument("--show", action="store_true", help="print needs and notes")
    chosen = parser.parse_args(arguments)
    data = report.data_folder(chosen, "transcripts")
    found = {
        name: list(replay(data / name, tokens=chosen.tokens, show=chosen.show))
        for name in chosen.projects
    }
    groups = {"all projects": [one for outcomes in found.values() for one in outcomes], **found}
    print(report.table(HEAD, [row for group in groups.items() for row in rows(*group)]))
    measured = [figure for group in groups.items() for figure in figures(*group)]
    measured += margins(groups["all projects"])
    details = {name: [_details(one) for one in outcomes] for name, outcomes in found.items()}
    return report.finish("handover", chosen, measured, details)


def _details(one: Outcome) -> dict[str, Any]:
    return {
        "session": one.session,
        "needed": one.needed,
        "recurring": one.recurring,
        **{name: made._asdict() for name, made in one.tallies.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
