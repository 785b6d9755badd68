"""What every way of searching needs to know of a store: its authors, who follows whom in a
session, and which memories may be returned at all.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from cortex_core.base import hook_io
from cortex_core.base.text import STOP_WORDS
from cortex_core.store.reader import Reader

REACH = 2
"""Positions on each side, in the same session, that join the pool."""

LEADING = 50
"""The best of the pool, whose neighbours join it."""

FIRST = 3.0
"""Weight of the similarity against words when the candidates are pre-selected."""

_AUTHORS = """
WITH RECURSIVE name(x) AS (
    SELECT (SELECT author FROM memory WHERE author > '' ORDER BY author LIMIT 1)
    UNION ALL
    SELECT (SELECT author FROM memory WHERE author > x ORDER BY author LIMIT 1)
    FROM name WHERE x IS NOT NULL LIMIT 1000
) SELECT x FROM name WHERE x IS NOT NULL
"""

_INSTRUCTING = ("policy", "preference", "architecture", "pattern", "procedure")
_INSTRUCTIVE = ("always ", "prefer", "from now on", "when i ask")
"""Kinds of memories, and words in others, that say how things are done."""

_COLUMNS = f"""
m.number, m.session, m.place, m.author, substr(rtrim(m.content), -1) = '?',
m.kind IN {_INSTRUCTING} OR {" OR ".join(f"m.content LIKE '%{each}%'" for each in _INSTRUCTIVE)}
"""

_BY_NUMBER = f"""
SELECT {_COLUMNS} FROM memory m NOT INDEXED
WHERE m.number IN (SELECT value FROM json_each(?)) AND
"""
"""By the row number: with an index on the status SQLite would read every active memory."""

_AT_POSITIONS = f"""
SELECT {_COLUMNS} FROM json_each(?) j
CROSS JOIN memory m ON m.session = json_extract(j.value, '$[0]')
AND m.place BETWEEN json_extract(j.value, '$[1]') - {REACH}
    AND json_extract(j.value, '$[1]') + {REACH}
WHERE
"""


class PoolContext(hook_io.LightRecord):
    """The position of a memory in its conversation, and its manner of speaking."""

    session: str
    position: int | None
    author: str
    asks: bool
    """Whether it ends in a question, which is seldom the answer to one."""
    instructs: bool
    """Whether it says how things are done here, which holds beyond its own words."""


def manner(kind: str, content: str) -> tuple[bool, bool]:
    """Whether a memory that is in no store asks, and whether it says how things are done."""
    lower = content.lower()
    instructs = kind in _INSTRUCTING or any(words in lower for words in _INSTRUCTIVE)
    return content.rstrip().endswith("?"), instructs


class Allowed(hook_io.LightRecord):
    """The memories that a search may return: an SQL condition over `m`, and its parameters."""

    condition: str = "m.status = 'active'"
    values: Sequence[object] = ()

    def among(self, store: Reader, numbers: Sequence[int]) -> dict[int, PoolContext]:
        """Those of `numbers` that may be returned, with their contexts."""
        wanted = f"[{','.join(map(str, numbers))}]"
        rows = store.rows(_BY_NUMBER + self.condition, (wanted, *self.values))
        return {number: PoolContext(*context) for number, *context in rows}


def authors(store: Reader) -> list[str]:
    """Who has spoken in this store, at most a thousand names."""
    return store.column(_AUTHORS)


def the_one_named(text: str, names: Iterable[str]) -> str | None:
    """The author whom `text` names, when it names exactly one."""
    named = [name for name in names if _pattern(name, text)]
    return named[0] if len(named) == 1 else None


def without_names(text: str, names: Sequence[str]) -> str:
    """`text` without the names of a store's authors, where it has two or more of them."""
    if len(names) < 2:
        return text
    for name in names:
        if pattern := _pattern(name, text):
            text = pattern.sub(" ", text)
    return " ".join(text.split())


def allowed_first(
    store: Reader,
    allowed: Allowed,
    count: int,
    searches: Sequence[Callable[[int], list[tuple[int, float]]]],
) -> tuple[list[dict[int, float]], dict[int, PoolContext]]:
    """The first `count` of each search that may be returned, and their contexts.

    A search is asked for more while few of what it finds may be returned.

    Args:
        searches: each gives the best so many as (number, score); fewer when there are no more.
    """
    found = [search(count) for search in searches]
    known = allowed.among(store, sorted({number for some in found for number, _ in some}))
    for index, search in enumerate(searches):
        limit = count
        while len(found[index]) == limit and sum(n in known for n, _ in found[index]) < count:
            limit *= 8
            found[index] = search(limit)
            new = [number for number, _ in found[index] if number not in known]
            known |= allowed.among(store, new)
    firsts = [[(n, score) for n, score in some if n in known][:count] for some in found]
    return [dict(some) for some in firsts], known


def best_first(
    by_word: Mapping[int, float], by_meaning: Iterable[int], similarity: Callable[[int], float]
) -> list[int]:
    """What both ways of searching found, best first by a rough score; of equal ones the higher
    number leads.

    Args:
        by_word: bm25 by number.
        similarity: of a number, -1 to 1; 0 where it is not known.
    """
    highest = max(by_word.values(), default=0.0) or 1.0
    rough = {
        number: by_word.get(number, 0.0) / highest + FIRST * similarity(number)
        for number in (*by_word, *by_meaning)
    }
    return sorted(rough, key=lambda number: (-rough[number], -number))


def with_neighbours(
    store: Reader,
    best: Sequence[int],
    known: dict[int, PoolContext],
    allowed: Allowed,
) -> dict[int, PoolContext]:
    """`best`, best first, and the neighbours of the first of them in the same sessions.

    Args:
        known: the context of each of `best`.
    """
    pool = {number: known[number] for number in best}
    first = [known[number] for number in best[:LEADING]]
    turns = {(at.session, at.position) for at in first if at.session and at.position is not None}
    if turns:
        wanted = hook_io.dumps([list(turn) for turn in sorted(turns)])
        rows = store.rows(_AT_POSITIONS + allowed.condition, (wanted, *allowed.values))
        for number, *context in rows:
            pool.setdefault(number, PoolContext(*context))
    return pool


def _pattern(name: str, text: str) -> re.Pattern[str] | None:
    """What finds `name` in `text`; None where it is not there.

    Case matters for names that are common words, such as Will and May.
    """
    folded = name.casefold()
    if folded not in text.casefold():
        return None
    flags = 0 if folded in STOP_WORDS else re.IGNORECASE
    pattern = re.compile(rf"\b{re.escape(name)}(?:['’]s)?\b", flags)
    return pattern if pattern.search(text) else None
