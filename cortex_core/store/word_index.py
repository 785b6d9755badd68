"""Which memories share words with a text, by the full-text index."""

from collections.abc import Collection, Sequence

from cortex_core.base import scripts
from cortex_core.store.reader import Reader, marks, parts

MOST_HOLDERS = 2000
"""How often memories may hold some words for all of these to be ranked that hold one."""


Content = tuple[str, str]
"""A memory's id and its words."""


def sharing(
    store: Reader,
    words: Sequence[str],
    statuses: Sequence[str],
    *,
    but: str,
    but_kinds: Collection[str],
    limit: int,
    up_to: int | None = None,
) -> list[Content]:
    """The memories whose titles and contents share the most of `words`, the best first.

    Where memories hold the words more than `MOST_HOLDERS` times, only those are ranked that share
    two of the rarest: what shares three of four words is among them, and the time does not follow
    what the whole store has in common.

    Args:
        words: one that ends in `*` means all that begin so, and two letters of a script
            without blanks, as `scripts.tokens` returns them, for the texts that have them side by
            side.
        but: the id of a memory that does not count.
        but_kinds: kinds that do not count.
        up_to: the highest row number that counts.
    """
    # Letters side by side are in the context's line of index words.
    columns = "title content context" if max(words) >= scripts.FIRST else "title content"
    # A number of the index itself: rows above it are not even read.
    bound = "" if up_to is None else f"AND f.rowid <= {up_to:d} "
    found = store.rows(
        "SELECT m.id, m.content FROM memory_fts f JOIN memory m ON m.number = f.rowid "
        f"WHERE memory_fts MATCH ? {bound}AND m.id <> ? AND m.status IN ({marks(statuses)}) "
        f"AND m.kind NOT IN ({marks(tuple(but_kinds))}) ORDER BY bm25(memory_fts) LIMIT ?",
        (f"{{{columns}}} : ({_shared(store, words)})", but, *statuses, *but_kinds, limit),
    )
    return [(id, content) for id, content in found]


def _shared(store: Reader, words: Sequence[str]) -> str:
    """What full-text search is asked for memories that share many of `words`."""
    counted = (
        f"SELECT term, doc FROM word WHERE term IN ({marks(words)}) UNION ALL "
        f"SELECT term, doc FROM stem WHERE term >= ? AND term IN ({marks(words)})"
    )
    holders = store.pairs(counted, (*words, scripts.FIRST, *words))
    for start in (word.removesuffix("*") for word in words if word.endswith("*")):
        holders[f"{start}*"] = store.value(
            "SELECT coalesce(sum(doc), 0) FROM word WHERE term >= ? AND term < ?",
            (start, f"{start}\U0010ffff"),
        )
    if sum(holders.values()) <= MOST_HOLDERS:
        return " OR ".join(map(_quoted, words))
    rarest = sorted(words, key=lambda word: holders.get(word, 0))[: len(words) // 4 + 3]
    quoted = [_quoted(word) for word in rarest]
    return " OR ".join(
        f"({word} AND ({' OR '.join(quoted[number:])}))"
        for number, word in enumerate(quoted[:-1], 1)
    )


def _quoted(word: str) -> str:
    return f'"{word}"'.replace('*"', '"*')


def rare(store: Reader, words: Sequence[str], most: int) -> list[str]:
    """Those of `words` that some memories hold, but `most` at most."""
    return [
        row["term"]
        for part in parts(words)
        for row in store.rows(
            f"SELECT term FROM word WHERE term IN ({marks(part)}) AND doc <= ?", (*part, most)
        )
    ]
