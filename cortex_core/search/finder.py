"""Filters of a search, and finding memories by the words that a user types into a list.

This is for lists as they are filtered key by key; ranking by meaning is in `recall`.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Unpack

from cortex_core.base import agent_names, fuzzy, scripts, text
from cortex_core.base.config import Config
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import EPISODE
from cortex_core.embeddings.pieces import Pieces
from cortex_core.records.hits import WordHits
from cortex_core.records.memory import NEWS, STATUSES, FilterOptions, Key, New, Status
from cortex_core.redaction import stored_names
from cortex_core.search import keyword
from cortex_core.search.titles import TitleHit, titles_of
from cortex_core.store import memory_counts
from cortex_core.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a memory must be; an empty field asks for nothing."""

    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """All of them."""
    statuses: tuple[Status, ...] = ("active",)
    branch: str | None = None
    session: str | None = None
    """The beginning of a session's id: memories learned or confirmed in it."""
    agent: str | None = None
    """In whose sessions it was learned."""
    imported: str | None = None
    """The beginning of an import's id: memories that it brought."""
    new: New | None = None
    """From whom they came, if nobody has opened them here, nor found them."""
    file: str | None = None
    """A path: memories that apply to it or were learned in it."""
    since: float | None = None
    """Created then or later, Unix seconds."""
    until: float | None = None
    asof: float | None = None
    """A moment: memories that were there then, also if they were replaced or archived since."""
    history: bool = True
    """Whether the history is among them where neither a kind nor a file is asked for."""

    def where(self) -> tuple[str, list[Any]]:
        """An SQL condition over `m` (memory), and its parameters."""
        conditions: list[str] = []
        values: list[Any] = []
        for column, wanted in (("status", self.statuses), ("kind", self.kinds)):
            if wanted:
                conditions.append(f"m.{column} IN ({','.join('?' * len(wanted))})")
                values += wanted
        # History is hidden in lists, but not from who asks for its kind or for a file.
        if not (self.history or self.kinds or self.file is not None):
            conditions.append("m.kind <> ?")
            values.append(EPISODE)
        if self.agent is not None:
            conditions.append(f"({agent_names.condition('m.transcript', self.agent)})")
        if self.new is not None:
            conditions.append(f"(m.looks = 0 AND ({_CAME[self.new]}))")
        for condition, value in (
            *((_TAG, tag) for tag in self.tags),
            (_FILE, self.file),
            (_SESSION, _beginning(self.session)),
            (_IMPORTED, _beginning(self.imported)),
            ("m.branch = ?", self.branch),
            ("m.created >= ?", self.since),
            ("m.created <= ?", self.until),
            ("m.created <= ?", self.asof),
            (_STOOD, self.asof),
        ):
            if value is not None:
                conditions.append(f"({condition})")
                values += [value] * condition.count("?")
        return " AND ".join(conditions) or "1", values


_STOOD = """
COALESCE((
    SELECT json_extract(r.before, '$.status') FROM journal_row r JOIN journal j
    ON j.number = r.entry WHERE r.memory = m.id AND r."table" = 'memory' AND j.time > ?
    AND json_extract(r.before, '$.status') IS NOT NULL ORDER BY j.number LIMIT 1
), m.status) = 'active'
"""
"""Whether a memory was active at a time: as the first later change of its status found it, or as
it is."""

_TAG = (
    "EXISTS (SELECT 1 FROM json_each(m.tags) "
    "WHERE replace(lower(value), ' ', '-') = replace(lower(?), ' ', '-'))"
)
"""As they are stored, tags are of one word in lower case; one may be asked for as it was typed."""

_FILE = """
EXISTS (SELECT 1 FROM json_each(m.globs) WHERE glob_matches(?, value))
OR EXISTS (SELECT 1 FROM json_each(m.files) WHERE value = ?)
"""

_SESSION = """
m.session GLOB ? OR m.id IN (SELECT memory FROM source WHERE session GLOB ?)
"""


_IMPORTED = """
m.id IN (SELECT r.memory FROM journal j JOIN journal_row r ON r.entry = j.number
WHERE j.action GLOB ? AND r."table" = 'memory' AND r.before IS NULL)
"""


_OF_TEAM = f"json_extract(m.origin, '$.approved_by') IS NOT NULL AND {memory_counts.NOT_MINE}"

_OF_MACHINES = """
m.id IN (SELECT r.memory FROM journal j JOIN journal_row r ON r.entry = j.number
WHERE j.machine IS NOT NULL AND r."table" = 'memory' AND r.before IS NULL)
"""

_CAME: Mapping[New, str] = {
    "team": _OF_TEAM,
    "machines": _OF_MACHINES,
    "others": f"({_OF_TEAM}) OR ({_OF_MACHINES})",
}
"""By whom memories came from, the SQL condition for that."""


_LITERAL = str.maketrans({"*": "[*]", "?": "[?]", "[": "[[]"})
"""Signs of GLOB, each as one that means itself."""


def _beginning(words: str | None) -> str | None:
    """A pattern of GLOB for what begins with `words`; None where there are none."""
    return None if words is None else words.translate(_LITERAL) + "*"


def checked(config: Config, now: float, **options: Unpack[FilterOptions]) -> Filters:
    """Filters from what a user gave.

    Raises:
        UsageError: an unknown filter, kind, status, origin or time.
    """
    statuses = tuple(options.get("statuses", ("active",)))
    new, agent = options.get("new"), options.get("agent")
    since, until, asof = (options.get(name) for name in ("since", "until", "asof"))
    asked: tuple[tuple[str | None, str, Collection[str]], ...] = (
        *((option, "is no filter", FilterOptions.__annotations__) for option in options),
        (new, "is not where new memories come from", NEWS),
        (agent, "is no agent", agent_names.LABELS),
        *((status, "is not a status", STATUSES) for status in statuses),
    )
    for name, what, known in asked:
        if name is not None and name not in known:
            raise UsageError(
                f"“{name}” {what}. Nothing was searched. Use one of: {', '.join(known)}."
            )
    # Names from outside are looked up in the form in which they are stored, redacted ones included.
    return Filters(
        kinds=tuple(config.kinds.get(kind).name for kind in options.get("kinds", ())),
        tags=tuple(map(text.storable, options.get("tags", ()))),
        statuses=statuses,
        branch=_stored(options.get("branch"), config),
        session=_stored(options.get("session"), config),
        agent=agent,
        imported=options.get("imported"),
        new=new,
        file=_stored(options.get("file"), config),
        since=None if since is None else text.parse_time(since, now),
        until=None if until is None else text.parse_time(until, now),
        asof=None if asof is None else text.parse_time(asof, now),
        history=options.get("history", True),
    )


def _stored(name: str | None, config: Config) -> str | None:
    """A branch, a session or a file as stores keep it: without a secret or half a character."""
    return name and stored_names.clean(text.storable(name), config.get("redact.extra"))


MOST = 100_000
"""Numbers that one search may return."""

RANKED = 5_000
"""Most memories with every whole word that are ranked by how well they fit. If there are more, the
newest come first: ranking them would take too long after a key press."""


FEW = 5
"""Memories with every word as typed, below which titles with similar words are added to them."""

MOST_SPELLED = 100
"""Titles with similar words that one search may return."""

LONG = 4
"""Letters from which a word may be a misspelt one of the texts: of shorter ones there are many."""

CLOSE = 0.15
"""How much worse than the best title another one with similar words may fit."""


def search(
    stores: Sequence[Store], typed: str, most: int = MOST, passing: Container[Key] | None = None
) -> WordHits:
    """The memories that fit every word of `typed`, in any order, best first.

    A word may be the beginning of one. Titles with every word come first. A word that no memory
    has may be any word of a title with letters left out, swapped or joined; for the texts it is
    read as the most similar one.

    Args:
        most: how many are enough; they are the first ones of a larger search.
        passing: the memories that a filter lets through; None for all. How well titles must fit is
            measured on the best of these.
    """
    runs, rest = scripts.apart(typed)
    wanted = list(dict.fromkeys(word for word in (*runs, *text.words(rest)) if word))
    if not wanted:
        return WordHits((), {})
    unknown = [
        word
        for word in wanted
        if not any(
            _prefixed(store, [word], 1) or _numbers(store, _WHOLE, [keyword.quoted(word)], 1)
            for store in stores
        )
    ]
    titles, readings = _titles(stores, typed, unknown, passing)
    corrected = _readings(stores, unknown, readings)
    read = [corrected.get(word, word) for word in wanted]
    keys: list[Key] = []
    complete = True
    for store in stores:
        found, is_complete = find(store, read, most)
        here = zip(repeat(store.scope), found, strict=False)
        keys += here if passing is None else filter(passing.__contains__, here)
        # A store that has more than is wanted ends the search: its rows come before those of the
        # next store.
        if not is_complete:
            complete = False
            break
    return _merged(titles, keys, corrected, most, spelled=bool(unknown), complete=complete)


def _merged(
    titles: Sequence[tuple[Key, TitleHit]],
    keys: Sequence[Key],
    corrected: Mapping[str, str],
    most: int,
    *,
    spelled: bool,
    complete: bool,
) -> WordHits:
    """The titles and the memories found by words in one order.

    Args:
        spelled: a word is in no memory as it was typed, so that similar titles lead.
    """
    clear = [(key, hit) for key, hit in titles if hit.score >= fuzzy.CLEAR]
    first = [key for key, hit in clear if spelled or hit.literal]
    last: list[Key] = []
    if complete and (spelled or len(keys) < FEW):
        last = [key for key, _ in (titles if spelled else clear)]
    order = list(dict.fromkeys((*first, *keys, *last)))
    held = set(keys)
    similar = frozenset(
        key for key, hit in titles if key not in held and not (hit.literal or hit.as_read)
    ).intersection(order[:most])
    return WordHits(order[:most], corrected, complete and len(order) <= most, similar)


def _titles(
    stores: Sequence[Store], typed: str, unknown: Sequence[str], passing: Container[Key] | None
) -> tuple[Sequence[tuple[Key, TitleHit]], Mapping[str, tuple[str, float]]]:
    """The titles that fit the words of `typed`, those far behind the best one left out."""
    asked = fuzzy.words(typed)
    if unknown and (content := [word for word in asked if word not in text.STOP_WORDS]):
        asked = content
    if max(map(len, asked), default=0) < fuzzy.SHORTEST and typed.isascii():
        return (), {}
    hits: list[tuple[Key, TitleHit]] = []
    readings: dict[str, tuple[str, float]] = {}
    with Pieces() as common:
        for store in stores:
            found, read = titles_of(store).find(
                asked, MOST_SPELLED, common.is_word, _numbers_in(store, passing)
            )
            hits += (((store.scope, hit.number), hit) for hit in found)
            for word, (meant, score) in read.items():
                if score > readings.get(word, ("", 0.0))[1]:
                    readings[word] = meant, score
    least = max((hit.score for _, hit in hits), default=0.0) - CLOSE
    close = [(key, hit) for key, hit in hits if hit.literal or hit.score >= least]
    return sorted(close, key=lambda one: -one[1].score), readings


def _numbers_in(store: Store, passing: Container[Key] | None) -> Callable[[int], bool] | None:
    return None if passing is None else lambda number: (store.scope, number) in passing


def _readings(
    stores: Sequence[Store], unknown: Sequence[str], known: Mapping[str, tuple[str, float]]
) -> dict[str, str]:
    """What words that no memory has are read as: the most similar word of titles or texts."""
    read: dict[str, str] = {}
    for word in unknown:
        parts = fuzzy.words(word)
        if len(parts) > 1:  # of `ledger.wrte`, only the second part is misspelt
            meant = ".".join(known.get(part, (part, 0.0))[0] or part for part in parts)
            read[word] = meant if any(part in known for part in parts) else ""
        else:
            options = [known.get(word, ("", 0.0)), _of_texts(stores, word)]
            read[word] = max(options, key=lambda option: option[1])[0]
    return {word: meant for word, meant in read.items() if meant}


def _of_texts(stores: Sequence[Store], typed: str) -> tuple[str, float]:
    """The word of any text that a misspelt one most likely is, and its similarity; "" for none."""
    if len(typed) < LONG:
        return "", 0.0
    is_run = scripts.has_runs(typed)
    counts = Counter(
        {
            word: count
            for store in stores
            for word, count in _similar(store, typed)
            if scripts.has_runs(word) == is_run
        }
    )
    scores = fuzzy.nearest(fuzzy.fold(typed), counts)
    word = max(scores, key=lambda word: (scores[word], counts[word]), default="")
    with Pieces() as common:
        least = fuzzy.CLEAR + (0.01 if common.is_word(typed) else 0.0)
    return (word, scores[word]) if word and scores[word] >= least else ("", 0.0)


KEPT = 16
"""Beginnings of words of which it is kept what words of the texts begin so."""

_kept: dict[tuple[str, str, int, str], list[tuple[str, int]]] = {}
"""These words and their counts, by the store, its state and the beginning."""


def _similar(store: Store, typed: str) -> list[tuple[str, int]]:
    """The words of the texts that begin like `typed`, with their counts.

    They are kept while it is typed on: SQLite counts a word by going through all that have it.
    """
    state = (store.file, store.identity, store.revision, typed[:2])
    found = _kept.get(state)
    if found is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        found = _kept[state] = keyword.similar(store, typed)
    return found


def find(store: Store, read: Sequence[str], most: int = MOST) -> tuple[Sequence[int], bool]:
    """The memories of `store` with every word of `read`, in any order, best first.

    A word may be the beginning of one; whole words in any form come first.
    """
    terms = [keyword.quoted(word) for word in read]
    whole = _numbers(store, _WHOLE, terms, max(most, RANKED + 1))
    if len(whole) <= RANKED:
        whole = _numbers(store, _BEST, terms, RANKED)
    if len(whole) >= most:
        return whole[:most], False
    prefixed = _prefixed(store, read, most)
    numbers = list(dict.fromkeys((*whole, *prefixed))) if whole else prefixed
    return numbers[:most], len(numbers) < most


_WHOLE = "memory_fts WHERE memory_fts MATCH ? ORDER BY rowid DESC"
_BEST = "memory_fts WHERE memory_fts MATCH ? ORDER BY bm25(memory_fts)"
_PREFIX = "memory_words WHERE memory_words MATCH ? ORDER BY rowid DESC"


def _prefixed(store: Store, read: Sequence[str], most: int) -> list[int]:
    """The memories with words that begin so, newest first, runs of letters as a whole.

    Runs, and the words that are written onto one, are in another index than words are.
    """
    runs = [keyword.quoted(word) for word in read if scripts.is_run(word)]
    others = [word for word in read if not scripts.is_run(word)]
    begun = [part for word in others for part in _beginnings(word)]
    plain = [] if runs else _numbers(store, _PREFIX, begun, most)
    enough = MOST if len(read) > 1 else most
    glued = [
        set(_numbers(store, _WHOLE, [scripts.glued(part) for part in _parts(word)], enough))
        for word in others
    ]
    found = set(_numbers(store, _WHOLE, runs, enough)) if runs else set().union(*glued)
    for word, own in zip(others, glued, strict=True):
        found = (found & own) | _among(store, word, found - own)
    return sorted({*plain, *found}, reverse=True)[:most] if found else plain


def _among(store: Store, word: str, numbers: set[int]) -> set[int]:
    """Those of `numbers` with a word that begins so."""
    if not numbers:
        return set()
    asked = (
        "SELECT rowid FROM memory_words WHERE memory_words MATCH ? "
        "AND +rowid IN (SELECT value FROM json_each(?))"
    )
    begun = " AND ".join(_beginnings(word))
    return {row[0] for row in store.rows(asked, (begun, json.dumps(list(numbers))))}


def _beginnings(word: str) -> list[str]:
    """`word` as the unstemmed index takes it, which knows no phrases: part by part."""
    return [keyword.quoted(part) + "*" for part in _parts(word)]


def _parts(word: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in word).split()


def _numbers(store: Store, tail: str, terms: list[str], limit: int) -> list[int]:
    if not terms:
        return []
    ((listed,),) = store.rows(
        f"SELECT json_group_array(rowid) FROM (SELECT rowid FROM {tail} LIMIT ?)",
        (" AND ".join(terms), limit),
    )
    numbers: list[int] = json.loads(listed)
    return numbers
