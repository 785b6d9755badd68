"""How well kept conversations are found again, how large their archive is, and how fast it is.

    CORTEX_DATA=DIR python -m benchmarks.conversations [--part size,asked,speed,sets] [--record]

`size`: the archive of all development transcripts next to the transcripts, and what reading them
for it costs beside the rules. `asked`: questions about them, fifty of which were written
before the ranking, all in one archive: is the right session among the first, and does the message
shown answer? `speed`: searches and the first page of the list with 10,000 sessions recombined
from the real ones. `sets`: LoCoMo, BEAM and LongMemEval, each session as a conversation, and each
turn.

Messages have vectors of the shipped model but where a figure says “by words”; those of the 10,000
are copies with a little noise added.
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks import conversation_data as talks, data as sets, report
from benchmarks.conversation_data import Asked
from benchmarks.recall import CachedModel
from benchmarks.report import Figure, percentile
from benchmarks.stores import CopyingModel
from cortex_core import Cortex
from cortex_core.agents.claude import sessions
from cortex_core.archive.archive import Archive
from cortex_core.archive.collecting import Collector
from cortex_core.base.config import Config
from cortex_core.capture import pipeline
from cortex_core.embeddings.protocol import Embedder
from cortex_core.store import cursors

PARTS = ("size", "asked", "speed", "sets")

MADE = 10_000
"""Sessions of the large archive."""

DEPTH = 10
"""Hits asked for."""

WARMING = 10
"""Searches before the time of one is taken."""


class Shown(NamedTuple):
    """A hit: the session that was found, and the message of it that is shown."""

    session: str
    message: str


class Outcome(NamedTuple):
    """What came of one question: ranks from 0, in their order."""

    gold: int
    """How many sessions or messages answer it."""
    found: Sequence[int]

    @property
    def reciprocal(self) -> float:
        """1 for the first rank, 1/2 for the second; 0 if nothing was found."""
        return 1 / (1 + self.found[0]) if self.found else 0.0


Part = tuple[list[Figure], dict[str, Any]]
"""The figures of a part and its details."""


# --- the archive


@contextmanager
def project() -> Iterator[Callable[[], Cortex]]:
    """A new project with a home folder of its own, to be opened as often as needed."""
    with tempfile.TemporaryDirectory(prefix="cortex-conversations-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        yield partial(Cortex.open, root, Path(scratch, "home"))


def search(cortex: Cortex, words: str, *, by_words: bool = False) -> list[Shown]:
    """The conversations that fit, best first."""
    hits = cortex.sessions.archive.search(words, limit=DEPTH, by_words=by_words)
    return [Shown(hit.conversation.session, hit.message.uuid) for hit in hits]


def embed(cortex: Cortex, model: Embedder) -> None:
    """Give every message its vectors, and search with them."""
    cortex.models.embedder = lambda: model  # type: ignore[method-assign]
    cortex.sessions.archive.embed()


def counted(cortex: Cortex) -> int:
    """Messages in the archive."""
    return sum(each.messages for each in cortex.sessions.archive.list(limit=None))


# --- size


def size(chosen: Namespace, model: CachedModel) -> Part:
    """How large the archive of all transcripts is, and how fast they are read for it."""
    folder = report.data_folder(chosen, "transcripts")
    files = [one.path for one in sessions.at(folder)]
    whole = sum(file.stat().st_size for file in files)
    sizes, kept = [], []
    with project() as opened:
        for has_vectors in (False, True):
            with opened() as cortex:
                cortex.exchange.import_transcripts([folder])
                kept.append(counted(cortex))
                if has_vectors:
                    embed(cortex, model)
                path = talks.archive_of(cortex)
            sizes.append(path.stat().st_size)
    with tempfile.TemporaryDirectory(prefix="cortex-conversations-") as scratch:
        archive = Archive.open(Path(scratch, "archive.db"), "project")
        _spent(files[:1])  # loads what the first one needs
        spent = {"rules": _spent(files), "rules and archive": _spent(files, archive)}
        archive.close()
    rate = whole / 1e6 / spent["rules and archive"]
    figures = [
        Figure("archive, of the transcripts' size", 100 * sizes[0] / whole, "%", 4),
        Figure("archive with vectors, of the transcripts' size", 100 * sizes[1] / whole, "%", 8),
        Figure("messages that a second import adds", kept[1] - kept[0], "", 0),
        Figure("transcripts read for rules and archive", rate, "MB/s", 10, 20, more=True),
    ]
    return figures, {
        "transcripts, bytes": whole,
        "archive, bytes": sizes[0],
        "with vectors, bytes": sizes[1],
        "messages": kept[0],
        "processor seconds": spent,
    }


def _spent(files: Sequence[Path], archive: Archive | None = None) -> float:
    """Seconds of processor time to read every file, run the rules and, where an archive is given,
    write what was said into it."""
    began = time.process_time()
    for file in files:
        collector = None if archive is None else Collector()
        pipeline.read(
            file, cursors.Cursor(), lambda key: False, Config(), {}, final=True, watch=collector
        )
        if archive is not None and collector is not None:
            archive.add(collector.collected)
    return time.process_time() - began


# --- questions


def asked(chosen: Namespace, model: CachedModel) -> Part:
    """The questions, with all transcripts in one archive."""
    folder = report.data_folder(chosen, "transcripts")
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    with project() as opened, opened() as cortex:
        talks.fill(cortex, (collected for _, collected in talks.real(folder)))
        embed(cortex, model)
        for label, by_words in (("", False), (" by words", True)):
            for name, path in (("questions", talks.ASKED), ("unseen questions", talks.UNSEEN)):
                found = {
                    one: search(cortex, one.text, by_words=by_words)
                    for one in talks.questions(path)
                }
                figures += _answered(f"{name}{label}", found)
                details[f"{name}{label}"] = list(map(_of_question, found.items()))
    return figures, details


def _answered(name: str, found: dict[Asked, list[Shown]]) -> list[Figure]:
    ranks = [session_rank(one, hits) for one, hits in found.items()]
    shares = {k: 100 * mean(rank is not None and rank < k for rank in ranks) for k in (1, 3, 10)}
    turns = 100 * mean(
        any(hit.message in one.answers for hit in hits) for one, hits in found.items()
    )
    reciprocal = 100 * mean(0 if rank is None else 1 / (1 + rank) for rank in ranks)
    about = f"{len(found)} {name}: "
    must, goal = (None, None) if name.endswith("by words") else (80, 90)
    return [
        Figure(f"{about}right session first", shares[1], "%", more=True),
        Figure(f"{about}among the first three", shares[3], "%", must, goal, more=True),
        Figure(f"{about}among the first ten", shares[10], "%", more=True),
        Figure(f"{about}mean reciprocal rank", reciprocal, "%", more=True),
        Figure(f"{about}a message shown that answers", turns, "%", more=True),
    ]


def session_rank(one: Asked, hits: Sequence[Shown]) -> int | None:
    """The rank from 0 of the session that answers, also where a fork keeps the message."""
    right = (
        rank
        for rank, hit in enumerate(hits)
        if hit.session == one.session or hit.message in one.answers
    )
    return next(right, None)


def _of_question(answered: tuple[Asked, Sequence[Shown]]) -> dict[str, Any]:
    one, hits = answered
    return {
        "question": one.text,
        "kind": one.kind,
        "session": session_rank(one, hits),
        "message": next((at for at, hit in enumerate(hits) if hit.message in one.answers), None),
    }


# --- speed


def speed(chosen: Namespace, model: CachedModel) -> Part:
    """Searches and the first page of the list with 10,000 sessions."""
    root, home = _large(chosen)
    queries = [one.text for path in (talks.UNSEEN, talks.ASKED) for one in talks.questions(path)]
    with Cortex.open(root, home) as cortex:
        for query in queries[:WARMING]:
            search(cortex, query)
        began = time.process_time()
        searches = [_milliseconds(partial(search, cortex, query)) for query in queries[WARMING:]]
        processor = 1000 * (time.process_time() - began) / len(searches)
        pages = [_milliseconds(cortex.sessions.archive.list) for _ in range(20)]
        megabytes, messages = talks.archive_of(cortex).stat().st_size / 1e6, counted(cortex)
    about = f"{MADE:,} sessions: "
    figures = [
        Figure(f"{about}search, median", median(searches), "ms"),
        Figure(f"{about}search, p95", percentile(searches, 0.95), "ms", 150, 60),
        Figure(f"{about}first page of the list, p95", percentile(pages, 0.95), "ms", 100, 30),
        Figure(f"{about}archive", megabytes, "MB"),
    ]
    return figures, {
        "searches, ms": searches,
        "processor ms of a search": processor,
        "pages, ms": pages,
        "messages": messages,
    }


def _milliseconds(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return 1000 * (time.perf_counter() - began)


def _large(chosen: Namespace) -> tuple[Path, Path]:
    """The project with the large archive and its home folder, made if it is not there."""
    folder = chosen.cache / "archives" / f"{talks.VERSION}-{MADE}"
    root, home = folder / "project", folder / "home"
    done = folder / "made"
    if not done.exists():
        print(f"Making an archive of {MADE:,} sessions in {folder}", flush=True)
        (root / ".memory").mkdir(parents=True, exist_ok=True)
        with Cortex.open(root, home) as cortex:
            transcripts = report.data_folder(chosen, "transcripts")
            talks.fill(cortex, talks.made(transcripts, MADE))
            embed(cortex, CopyingModel(chosen.cache))
        done.touch()
    return root, home


# --- public sets


def public(chosen: Namespace, model: CachedModel) -> Part:
    """The recall sets as conversations."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for name, chats in _sets(chosen):
        outcomes: defaultdict[str, list[Outcome]] = defaultdict(list)
        for chat in chats:
            for label, outcome in _of_chat(chat, model):
                outcomes[label].append(outcome)
            model.save()
        for label, found in outcomes.items():
            details[f"{name}, {label}"] = measures = summary(found)
            figures += [
                Figure(f"{name} as conversations, {label}: {measure}", value, "%", more=True)
                for measure, value in measures.items()
            ]
    return figures, details


def _sets(chosen: Namespace) -> Iterator[tuple[str, list[sets.Chat]]]:
    folder = report.data_folder(chosen)
    yield "locomo", sets.locomo(folder)
    yield "beam", sets.beam(folder)
    samples = sorted(report.data_folder(chosen, "longmemeval_sample").glob("*.json"))
    yield "longmemeval", [chat for sample in samples for chat in sets.longmemeval(sample)]


def _of_chat(chat: sets.Chat, model: CachedModel) -> Iterator[tuple[str, Outcome]]:
    """By turn, where the gold names turns, and by session."""
    session_of = {row["id"]: row["session"] for row in chat.rows}
    if all(question.gold <= session_of.keys() for question in chat.questions):
        for question, found in _answers(chat, "id", model):
            yield "turns", ranked(question.gold, [hit.session for hit in found])
    for question, found in _answers(chat, "session", model):
        sessions = frozenset(session_of.get(gold, gold) for gold in question.gold)
        yield "sessions", ranked(sessions, [hit.session for hit in found])


def _answers(
    chat: sets.Chat, by: str, model: CachedModel
) -> Iterator[tuple[sets.Question, list[Shown]]]:
    """Each question with what is found, sessions or turns being the conversations."""
    with project() as opened, opened() as cortex:
        talks.fill(cortex, talks.of_chat(chat, by))
        embed(cortex, model)
        for question in chat.questions:
            yield question, search(cortex, question.text)


def ranked(gold: frozenset[str], shown: Sequence[str]) -> Outcome:
    """The ranks of `gold` among what is shown, each of which counts once."""
    order = list(dict.fromkeys(shown))
    return Outcome(len(gold), [rank for rank, name in enumerate(order) if name in gold])


def summary(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Recall and its strict forms, in percent."""

    def share(k: int) -> float:
        return 100 * mean(sum(rank < k for rank in one.found) / one.gold for one in outcomes)

    return {
        "R@1": share(1),
        "R@3": share(3),
        "R@10": share(10),
        "any@10": 100 * mean(bool(one.found) for one in outcomes),
        "all@10": 100 * mean(len(one.found) == one.gold for one in outcomes),
        "MRR": 100 * mean(one.reciprocal for one in outcomes),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "conversations")
    parser.add_argument("--part", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    chosen = parser.parse_args(arguments)
    model = CachedModel(chosen.cache / "conversations")
    measured = dict(zip(PARTS, (size, asked, speed, public), strict=True))
    every: list[Figure] = []
    details: dict[str, Any] = {}
    for name in chosen.part.split(","):
        figures, found = measured[name](chosen, model)
        every += figures
        details[name] = found
    model.save()
    return report.finish("conversations", chosen, every, details)


if __name__ == "__main__":
    sys.exit(main())
