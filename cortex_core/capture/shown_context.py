"""What a language model is shown besides a session's messages: what is stored already, and where
the session ran."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from cortex_core import agents
from cortex_core.base import git
from cortex_core.base.authorship import MODEL
from cortex_core.base.config import Config
from cortex_core.base.errors import ModelUnavailable
from cortex_core.base.kinds import EPISODE, UNLIKE
from cortex_core.base.project import Project
from cortex_core.base.text import content_words, iso
from cortex_core.duplicates import again
from cortex_core.embeddings import local
from cortex_core.language.markdown_parts import without_fences
from cortex_core.llm.digest import Chunk, DigestLine
from cortex_core.llm.model_answers import ShownContext
from cortex_core.records.memory import Memory
from cortex_core.redaction import cleaning, secrets, stored_names
from cortex_core.search import keyword
from cortex_core.store import memory_lookup, vector_search
from cortex_core.store.store import Store

PRESENT = 86_400.0
"""Seconds after a session's last message in which the state of git still belongs to it."""

MOST_OF_SESSION = 40
"""Stored memories and suggestions of the session that are shown with one chunk."""

MOST_HISTORY = 15
"""Entries of the session's history that are shown."""

NEAREST = 15
"""Memories of other sessions that are shown, those nearest to what the user said. Of 30 statements
that five prompts of a session change or take back among 60, in nine languages, 28 are among them,
27 without vectors; of ten 27 and 25."""

PASSED_OVER = 20
"""How many times as many are looked at, as entries of the history and what was put away are found
as well."""

MOST_QUERIES = 40
"""Prompts of a chunk by which they are looked up: each takes the shipped model about 5 ms."""

MOST_RULES = 3_000
"""Characters of the project's rules that are shown."""

MOST_FILES = 1_500
"""Characters of names of files and folders that are shown."""

TAIL = 1_200
"""Characters before a chunk that are shown as context, without learning from them."""


def days(lines: Sequence[DigestLine], now: float) -> str:
    """Today's date and the days of the session."""
    times = [line.event.time for line in lines if line.event.time is not None]
    ran = dict.fromkeys(iso(time)[:10] for time in (min(times), max(times))) if times else {}
    return f"Today: {iso(now)[:10]}." + (f" Session: {' to '.join(ran)}." if ran else "")


def place(last: DigestLine, project: Project, config: Config, now: float) -> ShownContext:
    """Where the session ran, redacted: git, the names of files, and the rules of CLAUDE.md.

    The state of git is that of now: of a past session only the branch is shown.
    """
    event, ignored = last.event, stored_names.ignored(config)
    is_past = event.time is None or now - event.time > PRESENT
    was = f"Branch: {event.branch}" if event.branch else ""
    state = git.describe(event.cwd) if event.cwd and not is_past else was
    root = project.root or ""
    names = [name for name in (git.files(root) or ()) if not secrets.is_ignored(name, ignored)]
    # Folders from the second level on, the upper ones first: what there is, not where all of it is.
    known = dict.fromkeys("/".join(name.split("/")[:2]) for name in names)
    shown = " ".join(sorted(known, key=lambda name: (name.count("/"), name)))
    rules = [
        line
        for agent in agents.having("own_files")
        for file in agent.own_files.rules(project)
        if not (file.everywhere or secrets.is_ignored(file.path, ignored))
        for line in _lines(file.path)
    ]
    return ShownContext(
        git=cleaning.redacted(state, config),
        files=cleaning.redacted(shown[:MOST_FILES], config),
        rules=cleaning.redacted("\n".join(dict.fromkeys(rules))[:MOST_RULES], config),
    )


def _lines(path: Path) -> list[str]:
    """The lines of a file with rules that say something, without code."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            said = without_fences(file.read(4 * MOST_RULES))
    except OSError:
        return []
    return [line.strip() for line in said.split("\n") if len(line.split()) > 1]


def of_chunk(
    where: ShownContext,
    store: Store,
    found: Sequence[Memory],
    chunk: Chunk,
    lines: Sequence[DigestLine],
) -> ShownContext:
    """What is shown with one chunk.

    Args:
        where: the same for all chunks, see `place`.
        found: what is stored of this session, and what the model found in its parts before.
        lines: all messages of the session.
    """
    first, last = chunk.span
    said = [one for one in found if one.kind != EPISODE]
    # What a model suggested in an earlier part it need not judge once more.
    by_model = [one.source.rule.startswith(MODEL) for one in said]
    kept = [one for one, own in zip(said, by_model, strict=True) if own or one.status == "active"]
    waiting = [
        one
        for one, own in zip(said, by_model, strict=True)
        if not own and one.status == "suggested" and first <= (one.source.offset or 0) <= last
    ]
    before = "".join(str(line) for line in lines if line.number < chunk.lines[0].number)
    return replace(
        where,
        stored=[*_closest(kept, chunk), *nearest(store, chunk, {one.id for one in said})],
        history=[one for one in found if one.kind == EPISODE][-MOST_HISTORY:],
        suggested=_closest(waiting, chunk),
        before=before[-TAIL:],
    )


def _closest(memories: Sequence[Memory], chunk: Chunk) -> list[Memory]:
    """The `MOST_OF_SESSION` of `memories` that share most words with a chunk, in their order."""
    said = set(content_words(chunk.text)) if len(memories) > MOST_OF_SESSION else set()
    ranked = sorted(
        memories, key=lambda one: -len(said & set(content_words(f"{one.title} {one.content}")))
    )
    chosen = {one.id for one in ranked[:MOST_OF_SESSION]}
    return [one for one in memories if one.id in chosen]


def nearest(store: Store, chunk: Chunk, known: set[str]) -> list[Memory]:
    """The active memories that are nearest to what the user says in a chunk, without `known`.

    Those that come first for one of the prompts, then those that come second: by words, and by
    meaning where the store has vectors of the shipped model and that reads the prompt.
    """
    asked = [line.text for line in chunk.lines if line.speaker == "user"] or [chunk.text]
    asked = sorted(asked, key=len, reverse=True)[:MOST_QUERIES]
    # The session's own memories are nearest of all, and are shown already.
    most = NEAREST + len(known)
    ranked = [*_by_words(store, asked, most), *_by_meaning(store, asked, most)]
    ids, ranks = memory_lookup.active_numbers(store, UNLIKE), defaultdict[str, list[int]](list)
    for numbers in ranked:
        for rank, number in enumerate(number for number in numbers if number in ids):
            ranks[ids[number]].append(rank)
    by_rank = sorted(ranks, key=lambda name: (min(ranks[name]), -len(ranks[name])))
    return store.memories([name for name in by_rank if name not in known][:NEAREST])


def _by_words(store: Store, asked: Sequence[str], most: int) -> Iterator[list[int]]:
    """For each text the numbers of the memories that share its rarest words, best first."""
    for one in asked:
        words = keyword.prepare(store, keyword.terms(one))
        yield [number for number, _ in keyword.search(store, words, PASSED_OVER * most)]


def _by_meaning(store: Store, asked: Sequence[str], most: int) -> Iterator[list[int]]:
    """For each text the numbers of the memories of highest cosine, best first."""
    import numpy as np

    matrix = vector_search.matrix(store, local.NAME, local.DIMENSION)
    legible = [one for one in asked if keyword.is_legible(one)] if len(matrix) else []
    try:
        vectors = b"".join(map(again.encode, legible))
    except ModelUnavailable:
        return
    queries = np.frombuffer(vectors, np.float32).reshape(-1, local.DIMENSION)
    for pairs in matrix.nearest(queries, PASSED_OVER * most) if legible else ():
        yield [number for number, _ in pairs]
