"""Conversations to search: real sessions, ten thousand made of them, and the public recall sets.

A made session has the kinds of messages of one real session in their order. Its words come from two
sessions of one project: each message of prose is the first half of one and the second half of
another, so that its subjects hold together and hardly a message occurs twice.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks import data as sets
from cortex_core import Cortex
from cortex_core.agents.claude import reader, sessions
from cortex_core.archive.archive import Archive, path_next_to
from cortex_core.archive.collecting import Collected, Collector, MessageDraft
from cortex_core.records import events as event_records
from cortex_core.records.conversation import PROSE, MessageKind

VERSION = 4
"""Raised when the way of making sessions changes: archives of another version are made again."""

ASKED = Path(__file__).with_name("conversation_questions.json")
"""Fifty questions about the development transcripts, written before there was a ranking."""

UNSEEN = Path(__file__).with_name("conversation_questions_unseen.json")
"""25 more by the same reader, kept apart from whoever chose weights of the ranking."""

NOW = 1_789_646_400.0
"""When the last made session ends."""
APART = 3600.0
"""Seconds from one made session to the next."""

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+")


class Asked(NamedTuple):
    """A question, the session that answers it, and the ids of the messages in which it does."""

    text: str
    session: str
    answers: frozenset[str]
    kind: str
    project: str


class Pool(NamedTuple):
    """The messages of one real session, by their kind."""

    project: str
    order: Sequence[MessageKind]
    texts: dict[MessageKind, list[str]]


def questions(path: Path = ASKED) -> list[Asked]:
    """The questions of a file, in the order in which they were written."""
    return [
        Asked(
            one["question"], one["session"], frozenset(one["answers"]), one["kind"], one["project"]
        )
        for one in json.loads(path.read_text("utf-8"))
    ]


def real(transcripts: Path) -> Iterator[tuple[str, Collected]]:
    """What each transcript below the folder gives an archive, after the name of its project."""
    for path in (one.path for one in sessions.at(transcripts)):
        collector = Collector()
        collector(path.stem, reader.read(path))
        if collector.collected.drafts:
            yield path.relative_to(transcripts).parts[0], collector.collected


def made(transcripts: Path, count: int, seed: int = 16) -> Iterator[Collected]:
    """`count` sessions recombined from the real ones."""
    chance = random.Random(seed)
    projects: defaultdict[str, list[Pool]] = defaultdict(list)
    for project, collected in real(transcripts):
        projects[project].append(_pool(project, collected))
    everyone = [pool for pools in projects.values() for pool in pools]
    for number in range(count):
        pattern = chance.choice(everyone)
        first, second = (chance.choice(projects[pattern.project]) for _ in range(2))
        yield _recombined(number, NOW - APART * (count - number), pattern, first, second, chance)


def of_chat(chat: sets.Chat, by: str = "session") -> Iterator[Collected]:
    """The sessions of a recall set's chat, each a conversation in which the first to speak is the
    user; `by` its `id`, every turn is a conversation of its own.

    A speaker's name goes before each turn: an archive knows users and agents only.
    """
    sessions: defaultdict[str, list[sets.Row]] = defaultdict(list)
    for row in chat.rows:
        sessions[row[by]].append(row)
    for session, rows in sessions.items():
        users = {rows[0].get("author")}
        drafts = [_of_row(row, "user" if row.get("author") in users else "agent") for row in rows]
        yield Collected(session=session, drafts=drafts)


def archive_of(cortex: Cortex) -> Path:
    """The file of the project's archive."""
    return path_next_to(cortex.workspace.store("project").path)


def fill(cortex: Cortex, conversations: Iterable[Collected]) -> None:
    """Write conversations into the project's archive."""
    owner = cortex.workspace.store("project").identity
    archive = Archive.open(archive_of(cortex), "project", owner=owner)
    try:
        for collected in conversations:
            archive.add(collected)
    finally:
        archive.close()
    # One that Cortex did not make itself is not read until the user trusts it.
    cortex.trust.grant()
    cortex.sessions.archive.files.adopt()


def _pool(project: str, collected: Collected) -> Pool:
    texts: defaultdict[MessageKind, list[str]] = defaultdict(list)
    for draft in collected.drafts:
        texts[draft.kind].append(draft.text)
    return Pool(project, [draft.kind for draft in collected.drafts], texts)


def _recombined(
    number: int, start: float, pattern: Pool, first: Pool, second: Pool, chance: random.Random
) -> Collected:
    session = f"made-{number:05}"
    drafts = []
    for place, kind in enumerate(pattern.order):
        ours = first.texts.get(kind) or pattern.texts[kind]
        theirs = second.texts.get(kind) or ours
        text = chance.choice(ours)
        if kind in PROSE:
            text = f"{_halves(text)[0]} {_halves(chance.choice(theirs))[1]}"
        drafts.append(_draft(f"{session}/{place}", kind, text.strip(), start + place))
    return Collected(session=session, folder=f"/srv/{pattern.project}", drafts=drafts)


@cache
def _halves(text: str) -> tuple[str, str]:
    """The sentences of `text`, the first half of them and the rest."""
    sentences = _SENTENCE.split(text)
    middle = (len(sentences) + 1) // 2
    return " ".join(sentences[:middle]), " ".join(sentences[middle:])


def _of_row(row: sets.Row, kind: MessageKind) -> MessageDraft:
    author = row.get("author")
    text = f"{author}: {row['content']}" if author else str(row["content"])
    created = row.get("created")
    moment = datetime.fromisoformat(created).timestamp() if created else None
    return _draft(str(row["id"]), kind, text, moment)


def _draft(name: str, kind: MessageKind, text: str, time: float | None) -> MessageDraft:
    return MessageDraft(
        kind=kind, text=text, key=event_records.uuid_key(name), uuid=name, time=time
    )
