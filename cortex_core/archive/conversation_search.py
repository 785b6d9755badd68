"""Which conversations answer a query: the messages that match it, gathered by conversation.

Messages are found by their words and by their meaning, and scored as memories are
(`search.fusion`): those of one conversation help each other.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import log
from typing import Any, NamedTuple

from cortex_core.archive import message_vectors
from cortex_core.archive.archive import Archive
from cortex_core.archive.listing import ANY
from cortex_core.archive.message_vectors import Signs
from cortex_core.embeddings.pieces import Pieces
from cortex_core.embeddings.protocol import Embedder, QueryEncoding, Vector
from cortex_core.records.conversation import PROSE, ConversationHit
from cortex_core.search import keyword, recall
from cortex_core.search.candidates import SearchQuery, maxsim
from cortex_core.search.fusion import Score, SearchCandidate, absolute, fuse
from cortex_core.search.stems import stems
from cortex_core.store.reader import marks, parts

INDEX = keyword.WordIndex(
    "message_fts",
    "temp.message_word",
    "bm25(message_fts)",
    "SELECT max(number) FROM message",
    common=48,
    least=1,
)

POOL = 200
"""Messages that are looked at for their words, at least."""

FOR_EACH = 4
"""As many of them for each conversation that is wanted, at least."""

NEAREST = 100
"""Messages that are looked at for their meaning."""

LINES = 0.6
"""What a line about what the agent did counts, next to prose: it is short, and names a file or a
command without saying anything of it."""

OTHERS = 0.5
"""What the other messages of a conversation add to its best one."""

SAYS_MORE = 0.3
"""What a message gains with each e-fold of its length when the one to show is chosen: a short one
often only announces what a longer one then says."""

LENGTHS = (40, 2000)
"""Characters below and above which the length no longer counts."""

RETOLD = 0.6
"""What a summary loses then, which repeats what others said, and a line of what was done."""

FLOOR = 0.22
"""The similarity from which on a message answers a query by its meaning alone. Of forty queries
about other things three in four have no message that is as similar; each of 75 questions that are
answered has one (benchmarks/conversations.py)."""

SHORTEST = 3
"""Letters from which on a word that is being typed is searched for as the beginning of one."""

ENDING = 5
"""Letters that stemming cuts off at the end of a word, at most: `configuration`, `configur`."""

_VOCABULARY = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.message_word USING "
    "fts5vocab('main', 'message_fts', 'row')"
)
"""A table of the connection: it is a view of the index, and costs nothing."""

_ALLOWED = "SELECT c.number FROM conversation c WHERE "

_AMONG = """
SELECT f.rowid, -bm25(message_fts) AS score FROM message_fts f
CROSS JOIN message m ON m.number = f.rowid WHERE message_fts MATCH ?
AND m.conversation IN (SELECT value FROM json_each(?)) ORDER BY score DESC LIMIT ?
"""
"""Of all matches, those in some conversations are scored: the rest costs little."""

_ABOUT = """
SELECT m.number, m.conversation, m.kind, substr(rtrim(m.text), -1) = '?',
    length(m.text) FROM json_each(?) j
CROSS JOIN message m ON m.number = j.value
"""

Condition = tuple[str, Sequence[Any]]
"""SQL over `c`, and its parameters: the conversations that may be returned."""


Found = tuple[int, int, float]
"""A conversation that answers a query, the message of it that fits best, and its score."""


def search(
    archive: Archive,
    query: str,
    condition: Condition,
    limit: int,
    *,
    embedder: Embedder | None = None,
    unfinished: bool = False,
) -> list[Found]:
    """The `limit` conversations that answer `query` best, best first.

    Args:
        condition: as `listing.condition` gives it.
        embedder: None searches by words alone.
        unfinished: whether the last word may be the beginning of one.

    Raises:
        ModelUnavailable: the model fails.
    """
    archive.rows(_VOCABULARY)
    words = _words(archive, query, unfinished=unfinished)
    where, values = condition
    # Filtered before scoring: else the best of all could leave no room for the allowed.
    allowed = None
    if where != ANY:
        allowed = [number for (number,) in archive.rows(_ALLOWED + where, values)]
        if not allowed:
            return []
    most = max(POOL, FOR_EACH * limit)
    if allowed is None or not words.terms:
        by_word = dict(keyword.search(archive, words, most, INDEX))
    else:
        among = (keyword.match(words.terms), json.dumps(allowed), most)
        by_word = {row[0]: row[1] for row in archive.rows(_AMONG, among)}
    asked = SearchQuery(query, embedder)
    meaning = _Meaning.of(archive, asked)
    found, worth = _candidates(archive, by_word, words, meaning, allowed)
    scores = fuse(found, meaning.signs.weights(meaning.query.pieces) if meaning else [])
    least = floor(asked)
    kept = [one for one in scores if one.candidate.keyword > 0 or recall.meant(one) >= least]
    return _gathered(kept, worth)[:limit]


def floor(query: SearchQuery) -> float:
    """How similar a message without a word of the query has to be, as `recall.floor` for memories:
    a long reply has something of everything, so that more is asked of it."""
    return recall.floor(query) + FLOOR - recall.FLOOR


def hits(archive: Archive, found: Sequence[Found]) -> list[ConversationHit]:
    """What was found, to be shown."""
    conversations = archive.by_number(number for number, _, _ in found)
    numbers = [message for _, message, _ in found]
    messages = {
        message.number: message
        for part in parts(numbers)
        for _, message in archive.messages(f"WHERE m.number IN ({marks(part)})", part)
    }
    return [
        ConversationHit(
            conversation=conversations[conversation], message=messages[message], score=score
        )
        for conversation, message, score in found
        if conversation in conversations and message in messages
    ]


def _words(archive: Archive, query: str, *, unfinished: bool) -> keyword.QueryWords:
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
        beginning = keyword.Beginning(word[:length])
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
    cut = zip(unknown, stems(unknown) if unknown else (), strict=True)
    word_of = {stem: word for word, found in cut for stem in found}
    read = keyword.correct(
        list(word_of), lambda stem: False, lambda stem: keyword.similar(archive, stem, INDEX)
    )
    return {word_of[stem]: keyword.Beginning(best) for stem, best in read.items()}


class _Meaning(NamedTuple):
    """How close the messages of an archive are to the meaning of a query."""

    query: QueryEncoding
    signs: Signs
    cosines: Vector
    """By the rows of the signs."""

    @classmethod
    def of(cls, archive: Archive, query: SearchQuery) -> _Meaning | None:
        """None where there is no model, or no message with a vector of it."""
        model = query.embedder
        signs = None if model is None else message_vectors.signs(archive, model.name)
        if signs is None:
            return None
        encoding = query.encoding(query.text)
        return cls(encoding, signs, signs.cosines(encoding.vector))

    def best(self, allowed: Sequence[int] | None) -> list[int]:
        """The messages of highest cosine, of these conversations alone."""
        import numpy as np

        values = self.cosines
        if allowed is not None:
            values = np.where(np.isin(self.signs.owners, allowed), values, -3.0)
        some = np.argpartition(values, -min(NEAREST, len(values)))[-NEAREST:]
        return [int(self.signs.numbers[row]) for row in some if values[row] > -3.0]


def _candidates(
    archive: Archive,
    by_word: Mapping[int, float],
    words: keyword.QueryWords,
    meaning: _Meaning | None,
    allowed: Sequence[int] | None,
) -> tuple[list[SearchCandidate], dict[int, float]]:
    """What may answer, with all that fusion scores it by, and how much each is worth showing."""
    pool = list(dict.fromkeys((*by_word, *(meaning.best(allowed) if meaning else ()))))
    rows = meaning.signs.rows_of(pool) if meaning else {}
    # The best match of each of the query's wordpieces in each message.
    held = message_vectors.tokens(archive, list(rows)) if meaning else {}
    bits = {number: bits for number, (bits, _) in held.items()}
    tokens = maxsim(meaning.query.tokens, bits) if meaning else {}
    found, worth = [], {}
    for number, conversation, kind, asks, length in archive.rows(_ABOUT, (json.dumps(pool),)):
        row = rows.get(number)
        # Lines about commands and files say less of a conversation than its words.
        share = 1.0 if kind in PROSE else LINES
        found.append(
            SearchCandidate(
                number,
                keyword=share * absolute(by_word.get(number, 0.0), words.weight),
                cosine=None if row is None or meaning is None else float(meaning.cosines[row]),
                tokens=tokens.get(number, ()),
                session=str(conversation),
                position=None
                if row is None or meaning is None
                else int(meaning.signs.positions[row]),
                asks=bool(asks),
            )
        )
        # What is added to the score of a message when the one to show is chosen.
        retold = RETOLD if kind == "summary" or kind not in PROSE else 0.0
        says = SAYS_MORE * log(min(LENGTHS[1], max(LENGTHS[0], length)))
        worth[number] = says - retold if meaning else 0.0
    return found, worth


def _gathered(scores: Sequence[Score], worth: Mapping[int, float]) -> list[Found]:
    """The conversations of these messages, best first."""
    by_conversation: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_conversation[score.candidate.session].append(score)
    found = []
    for conversation, own in by_conversation.items():
        totals = sorted((recall.SCALE * (one.keyword + one.semantic) for one in own), reverse=True)
        others = sum(max(0.0, total) / 2**rank for rank, total in enumerate(totals[1:], 1))
        shown = max(
            own,
            key=lambda one: (one.keyword + one.semantic + worth[one.number], -one.number),
        )
        found.append((int(conversation), shown.number, totals[0] + OTHERS * others))
    return sorted(found, key=lambda one: (-one[2], -one[0]))
