"""Which conversations answer a query: the messages that match it, gathered by conversation."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from cortex_core.archive.archive import Archive
from cortex_core.archive.listing import ANY
from cortex_core.conversations import PROSE, ConversationHit
from cortex_core.embeddings.pieces import Pieces
from cortex_core.search import keyword
from cortex_core.search.fusion import absolute
from cortex_core.search.keyword import Beginning, QueryWords, WordIndex
from cortex_core.store.reader import marks, parts

INDEX = WordIndex(
    "message_fts", "temp.message_word", "bm25(message_fts)",
    "SELECT total(messages) FROM conversation", common=32,
)  # fmt: skip

POOL = 400
"""Messages that are looked at."""

LINES = 0.6
"""What a line about what the agent did counts, next to prose: it is short, and names a file or a
command without saying anything of it."""

OTHERS = 0.5
"""What the other messages of a conversation add to its best one."""

SHORTEST = 3
"""Letters from which on a word that is being typed is searched for as the beginning of one."""

ENDING = 5
"""Letters that stemming cuts off at the end of a word, at most: `configuration`, `configur`."""

_VOCABULARY = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.message_word USING "
    "fts5vocab('main', 'message_fts', 'row')"
)
"""A table of the connection: it is a view of the index, and costs nothing."""

_PROBE = """
CREATE VIRTUAL TABLE probe USING fts5(word, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE stem USING fts5vocab(probe, 'instance');
"""

_ALLOWED = "SELECT c.number FROM conversation c WHERE "

_AMONG = """
SELECT f.rowid, -bm25(message_fts) AS score FROM message_fts f
CROSS JOIN message m ON m.number = f.rowid WHERE message_fts MATCH ?
AND m.conversation IN (SELECT value FROM json_each(?)) ORDER BY score DESC LIMIT ?
"""
"""Of all matches, those in some conversations are scored: the rest costs little."""

_ABOUT = """
SELECT m.number, m.conversation, m.kind FROM json_each(?) j
CROSS JOIN message m ON m.number = j.value
"""

Condition = tuple[str, Sequence[Any]]
"""SQL over `c`, and its parameters: the conversations that may be returned."""


class Match(NamedTuple):
    """A message that matches a query."""

    number: int
    conversation: int
    score: float
    """0 to about 1."""


class Found(NamedTuple):
    """A conversation that answers a query."""

    conversation: int
    message: int
    """The message that fits best."""
    score: float


def search(
    archive: Archive,
    query: str,
    condition: Condition,
    limit: int,
    *,
    unfinished: bool = False,
) -> list[Found]:
    """The `limit` conversations that answer `query` best, best first.

    Args:
        condition: as `listing.condition` gives it.
        unfinished: whether the last word may be the beginning of one.
    """
    archive.rows(_VOCABULARY)
    words = _words(archive, query, unfinished=unfinished)
    return _gathered(_matches(archive, words, condition))[:limit]


def hits(archive: Archive, found: Sequence[Found]) -> list[ConversationHit]:
    """What was found, to be shown."""
    conversations = archive.by_number(one.conversation for one in found)
    numbers = [one.message for one in found]
    messages = {
        message.number: message
        for part in parts(numbers)
        for _, message in archive.messages(f"WHERE m.number IN ({marks(part)})", part)
    }
    return [
        ConversationHit(
            conversation=conversations[one.conversation], message=messages[one.message],
            score=one.score,
        )
        for one in found
        if one.conversation in conversations and one.message in messages
    ]  # fmt: skip


def _words(archive: Archive, query: str, *, unfinished: bool) -> QueryWords:
    """The words to search for: what is misspelt is corrected, what is unfinished completed."""
    terms = keyword.terms(query)
    read: dict[str, str] = {}
    if unfinished and terms and query[-1:].isalnum():
        read = _begun(archive, terms[-1])
    read |= _misspelt(archive, [term for term in terms if term not in read])
    return keyword.prepare(archive, [read.get(term, term) for term in terms], index=INDEX)


def _begun(archive: Archive, word: str) -> dict[str, str]:
    """What `word` is searched for as while it is being typed; nothing for a short one.

    The index has stems: where no word begins with all its letters, the last ones are an ending.
    """
    for length in range(len(word), max(SHORTEST, len(word) - ENDING) - 1, -1):
        beginning = Beginning(word[:length])
        if keyword.has(archive, beginning, INDEX):
            return {word: beginning}
    return {}


def _misspelt(archive: Archive, terms: Sequence[str]) -> dict[str, str]:
    """The misspelt ones of `terms`, and the stems that they are read as, which are beginnings:
    stemming a stem may shorten it.

    A word is misspelt if the archive has it in no form and it is no common word either.
    """
    with Pieces() as common:
        unknown = [
            term
            for term in terms
            if term.isalpha() and not keyword.has(archive, term, INDEX) and not common.is_word(term)
        ]
    stems = _stems(unknown) if unknown else {}
    read = keyword.correct(
        list(stems), lambda stem: False, lambda stem: keyword.similar(archive, stem, INDEX)
    )
    return {stems[stem]: Beginning(best) for stem, best in read.items()}


def _stems(words: Sequence[str]) -> dict[str, str]:
    """The stem of each word, as the index has it, and the word."""
    with closing(sqlite3.connect(":memory:")) as probe:
        probe.executescript(_PROBE)
        probe.executemany("INSERT INTO probe (rowid, word) VALUES (?, ?)", enumerate(words))
        return {stem: words[at] for stem, at in probe.execute("SELECT term, doc FROM stem")}


def _matches(archive: Archive, words: QueryWords, condition: Condition) -> list[Match]:
    """The best messages with any of the words, of the conversations that may be returned."""
    if not words.terms:
        return []
    where, values = condition
    if where == ANY:
        ranked = keyword.search(archive, words, POOL, INDEX)
    else:
        allowed = [number for (number,) in archive.rows(_ALLOWED + where, values)]
        asked = (keyword.match(words.terms), json.dumps(allowed), POOL)
        ranked = [(number, score) for number, score in archive.rows(_AMONG, asked)]
    scores = dict(ranked)
    return [
        Match(number, conversation, _score(kind, scores[number], words))
        for number, conversation, kind in archive.rows(_ABOUT, (json.dumps(list(scores)),))
    ]


def _score(kind: str, bm25: float, words: QueryWords) -> float:
    return absolute(bm25, words.weight) * (1.0 if kind in PROSE else LINES)


def _gathered(matches: Iterable[Match]) -> list[Found]:
    """The conversations of these messages, best first."""
    by_conversation: dict[int, list[Match]] = defaultdict(list)
    for match in matches:
        by_conversation[match.conversation].append(match)
    found = []
    for conversation, own in by_conversation.items():
        own.sort(key=lambda match: (-match.score, match.number))
        others = sum(match.score / 2**rank for rank, match in enumerate(own[1:], 1))
        found.append(Found(conversation, own[0].number, own[0].score + OTHERS * others))
    return sorted(found, key=lambda one: (-one.score, -one.conversation))
