"""Going over the words of every table, and removing some for good.

Questions about memories: how many there are of which, and which ones.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from sqlite3 import Row
from typing import TYPE_CHECKING, Any, NamedTuple

from cortex_core.base import project as projects
from cortex_core.base import text
from cortex_core.records.memory import Memory, Source
from cortex_core.records.reviews import Proposal, QueuedProposal
from cortex_core.store import rows
from cortex_core.store.opening import database_errors
from cortex_core.store.reader import Reader, marks, parts

if TYPE_CHECKING:
    from cortex_core.records.events import Observation
    from cortex_core.store.database import DatabaseFile
    from cortex_core.store.store import Store

OF_MEMORIES = frozenset({"source", "receipt", "occasion", "trash", "journal_row"})
"""Tables whose rows name the memory they are of."""

INDEXES = ("memory_fts", "memory_words")

CHUNK = 400

MOST_HOLDERS = 2000
"""How often memories may hold some words for all of these to be ranked that hold one."""


class Words(NamedTuple):
    """Some columns of one row."""

    row: int
    memory: str
    """The id of the memory it is of; empty where it is of none."""
    cells: dict[str, Any]


def words(store: Reader, table: str, columns: Sequence[str]) -> Iterator[Words]:
    """These columns of each row of a table, read in parts, so that no read is long."""
    owner = {"memory": "id"}.get(table, "memory" if table in OF_MEMORIES else "''")
    listed = ", ".join(f'"{name}"' for name in columns)
    asked = (
        f'SELECT rowid, {owner}, {listed} FROM "{table}" WHERE rowid > ? '
        f"ORDER BY rowid LIMIT {CHUNK}"
    )
    last = -1
    while found := store.rows(asked, (last,)):
        for number, memory, *cells in found:
            yield Words(number, str(memory), dict(zip(columns, cells, strict=True)))
        last = found[-1][0]


def overwrite(store: Store, table: str, row: int, cells: Mapping[str, Any]) -> None:
    """Set columns of a row and keep nothing of what they held, inside an open transaction.

    A row that becomes another one's repetition replaces it.
    """
    sets = ", ".join(f'"{name}" = ?' for name in cells)
    store.execute(f'UPDATE OR REPLACE "{table}" SET {sets} WHERE rowid = ?', (*cells.values(), row))


def overwrite_freed_pages(store: Store) -> None:
    """From now on have SQLite write zeros over what it frees; before a transaction."""
    store.execute("PRAGMA secure_delete = ON")


def rebuild_indexes(store: Store) -> None:
    """Rebuild the search indexes, inside an open transaction."""
    for index in INDEXES:
        store.execute(f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def rewrite_file(store: Store) -> None:
    """Rewrite the file, without what was freed, and empty its log: as far as nobody else reads
    or writes it."""
    try:
        store.database.run("VACUUM", ())
        store.database.run("PRAGMA wal_checkpoint(TRUNCATE)", ())
    except database_errors():
        return


def old_pages(file: DatabaseFile) -> str:
    """Why pages that were overwritten may still be on disk, in a sentence; empty when they are not:
    another process keeps the write-ahead log from being emptied."""
    log = file.path.with_name(file.path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        return ""
    return (
        f"{log} is in use by another process and may still contain old pages. End that process, "
        "then run: cortex secrets scrub"
    )


CODE_PATH = "json_extract(m.details, '$.path')"
"""The source file that a description is of."""


class Content(NamedTuple):
    """A memory's words."""

    id: str
    content: str


class StatusCount(NamedTuple):
    """How many memories there are of a status and kind."""

    status: str
    kind: str
    number: int


class Tagged(NamedTuple):
    """A memory's title and tags."""

    title: str
    tags: list[str]


# --- counting


def counts(store: Reader, without: Sequence[int] = ()) -> list[StatusCount]:
    """How many memories there are of each status and kind, but those with these row numbers."""
    where, values = but_for(without, "1", ())
    asked = f"SELECT status, kind, count(*) FROM memory m WHERE {where} GROUP BY status, kind"
    return [StatusCount(*row) for row in store.rows(asked, values)]


def statuses(store: Reader) -> dict[str, int]:
    """How many memories there are of each status."""
    found = store.rows("SELECT status, count(*) AS number FROM memory GROUP BY status")
    return {row["status"]: row["number"] for row in found}


def active(store: Reader) -> int:
    """How many memories are active."""
    return int(store.value("SELECT count(*) FROM memory WHERE status = 'active'"))


def with_triggers(store: Reader) -> list[str]:
    """The ids of the active memories with triggers, the important first."""
    found = store.rows(
        "SELECT id FROM memory WHERE status = 'active' AND triggers <> '[]' "
        "ORDER BY pinned DESC, priority DESC, number"
    )
    return [row["id"] for row in found]


def known_commands(store: Reader) -> dict[str, str]:
    """What the memories of recurring commands say, by the task that they are about."""
    found = store.rows(
        "SELECT content, json_extract(details, '$.recurring') AS about FROM memory "
        "WHERE status = 'active' AND details LIKE ? ORDER BY number",
        ('%"recurring":"command:%',),
    )
    return {row["about"].partition(":")[2]: row["content"] for row in found}


def with_trigger(store: Reader, command: str) -> list[str]:
    """The ids of active memories whose words gave them a trigger for commands that begin so."""
    found = store.rows(
        "SELECT id FROM memory WHERE triggers_by = 'words' AND status = 'active' "
        "AND triggers LIKE ? ORDER BY number",
        (f'%"Bash({command}%',),
    )
    return [row["id"] for row in found]


def trigger_lines(store: Reader) -> list[tuple[str, str, str, str]]:
    """Id, title, guard and triggers (JSON) of the active memories that have triggers or a guard."""
    found = store.rows(
        "SELECT id, title, guard, triggers FROM memory WHERE status = 'active' "
        "AND (triggers <> '[]' OR guard <> 'remind') ORDER BY number"
    )
    return [(row["id"], row["title"], row["guard"], row["triggers"]) for row in found]


def without_triggers(store: Reader, kinds: Sequence[str], limit: int) -> list[str]:
    """The ids of memories of these kinds in whose words nobody has looked for triggers."""
    found = store.rows(
        f"SELECT id FROM memory WHERE triggers_by = '' AND kind IN ({marks(kinds)}) LIMIT ?",
        (*kinds, limit),
    )
    return [row["id"] for row in found]


def active_since(store: Reader, number: int) -> int:
    """How many active memories came after the one with this row number."""
    asked = "SELECT count(*) FROM memory WHERE number > ? AND status = 'active'"
    return int(store.value(asked, (number,)))


def injectable(store: Reader) -> int:
    """How many memories may be given to Claude freely."""
    asked = "SELECT count(*) FROM memory WHERE status = 'active' AND inject = 'normal'"
    return int(store.value(asked))


def of_statuses(store: Reader, statuses: Sequence[str]) -> int:
    """How many memories have one of these statuses."""
    asked = f"SELECT count(*) FROM memory WHERE status IN ({marks(statuses)})"
    return int(store.value(asked, statuses))


def values_of(store: Reader, column: str, statuses: Sequence[str]) -> dict[str, int]:
    """How many memories of these statuses have each value of a column of text, empty aside."""
    found = store.rows(
        f"SELECT {column} AS value, count(*) AS number FROM memory WHERE {column} <> '' "
        f"AND status IN ({marks(statuses)}) GROUP BY {column}",
        statuses,
    )
    return {row["value"]: row["number"] for row in found}


def tag_lists(store: Reader, statuses: Sequence[str]) -> list[tuple[list[str], int]]:
    """The lists of tags that memories of these statuses have, and how many have each list."""
    found = store.rows(
        "SELECT tags, count(*) AS number FROM memory WHERE tags <> '[]' "
        f"AND status IN ({marks(statuses)}) GROUP BY tags",
        statuses,
    )
    return [(json.loads(row["tags"]), row["number"]) for row in found]


def newest_number(store: Reader) -> int:
    """The row number of the newest memory; 0 where there is none."""
    return store.value("SELECT max(number) FROM memory") or 0


def next_position(store: Reader, session: str) -> int:
    """The position in a session that follows those of its memories, counted from 0."""
    last = store.value("SELECT max(place) FROM memory WHERE session = ?", (session,))
    return 0 if last is None else int(last) + 1


# --- ids and row numbers


def exists(store: Reader, id: str) -> bool:
    """Whether there is a memory called `id`."""
    return bool(store.rows("SELECT 1 FROM memory WHERE id = ?", (id,)))


def ids_between(store: Reader, after: str, last: str | None) -> list[str]:
    """The ids after the id `after`, up to the id `last`; None: all after it."""
    asked = "SELECT id FROM memory WHERE id > ?1 AND (?2 IS NULL OR id <= ?2)"
    return [row["id"] for row in store.rows(asked, (after, last))]


def beginning_with(store: Reader, beginning: str, limit: int) -> list[str]:
    """The ids, `limit` at most, that begin so."""
    asked = "SELECT id FROM memory WHERE substr(id, 1, length(?1)) = ?1 LIMIT ?2"
    return [row["id"] for row in store.rows(asked, (beginning, limit))]


def known_ids(store: Reader, names: Iterable[str]) -> set[str]:
    """Those of `names` that are ids of memories here."""
    asked = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
    return {row["id"] for row in store.rows(asked, (rows.dumps(list(names)),))}


def ids(store: Reader) -> list[str]:
    """The ids of all memories, in the order in which they came."""
    return [row["id"] for row in store.rows("SELECT id FROM memory ORDER BY number")]


def newer_than(store: Reader, number: int) -> list[str]:
    """The ids of the memories that came after the one with this row number."""
    return [row["id"] for row in store.rows("SELECT id FROM memory WHERE number > ?", (number,))]


def numbers_of_kind(store: Reader, kind: str) -> dict[str, int]:
    """The row number of each memory of a kind by its id."""
    found = store.rows("SELECT id, number FROM memory WHERE kind = ?", (kind,))
    return {row["id"]: row["number"] for row in found}


def ids_of(store: Reader, numbers: Sequence[int]) -> dict[str, int]:
    """The memories with these row numbers: each id and its number."""
    return {
        row["id"]: row["number"]
        for part in parts(numbers)
        for row in store.rows(
            f"SELECT id, number FROM memory WHERE number IN ({marks(part)})", part
        )
    }


def numbers_of(store: Reader, ids: Iterable[str]) -> dict[str, int]:
    """The row number of each of `ids` that names a memory."""
    found = store.rows(
        "SELECT m.id, m.number FROM json_each(?) j JOIN memory m ON m.id = j.value",
        (json.dumps(list(ids)),),
    )
    return {row["id"]: row["number"] for row in found}


def active_numbers(store: Reader) -> dict[int, str]:
    """The id of each active memory by its row number."""
    found = store.rows("SELECT number, id FROM memory WHERE status = 'active'")
    return {row["number"]: row["id"] for row in found}


def in_force_by_number(store: Store, numbers: Sequence[int]) -> dict[int, Memory]:
    """Those memories with these row numbers that are active or suggested."""
    listed = store.rows(
        "SELECT id, number FROM memory WHERE number IN (SELECT value FROM json_each(?)) "
        "AND status IN ('active', 'suggested')",
        (rows.dumps(list(numbers)),),
    )
    found = {memory.id: memory for memory in store.memories([row["id"] for row in listed])}
    return {row["number"]: found[row["id"]] for row in listed}


# --- choosing memories


def in_order(store: Store) -> list[Memory]:
    """Every memory, the oldest first."""
    return store.select("ORDER BY m.created, m.id")


def in_force(store: Store) -> list[Memory]:
    """The active memories."""
    return store.select("WHERE m.status = 'active'")


NOT_MINE = "json_extract(m.origin, '$.mine') IS NULL"
"""The SQL condition for what the team has that the user neither proposed nor approved."""


def seen_and_unseen(store: Store) -> tuple[int, int]:
    """How many active memories the team's store has, and how many of them are of other members and
    were never opened or found here (`Memory.is_unseen`)."""
    (row,) = store.rows(
        f"SELECT count(*) AS total, coalesce(sum(m.looks = 0 AND {NOT_MINE}), 0) AS unseen "
        "FROM memory m WHERE m.status = 'active'"
    )
    return row["total"], row["unseen"]


def in_force_of_kind(store: Store, kind: str) -> list[Memory]:
    """The active memories of a kind."""
    return store.select("WHERE m.status = 'active' AND m.kind = ?", (kind,))


def that_may_fade(store: Store) -> list[Memory]:
    """The active memories that are not pinned."""
    return store.select("WHERE m.status = 'active' AND NOT m.pinned")


def archived_before(store: Store, moment: float) -> list[Memory]:
    """The archived memories, not pinned, that were neither changed nor used since `moment`."""
    return store.select(
        "WHERE m.status = 'archived' AND NOT m.pinned "
        "AND max(m.updated, coalesce(m.last_access, 0)) <= ?",
        (moment,),
    )


def suggested_before(store: Store, moment: float) -> list[Memory]:
    """The suggestions that have waited since before `moment`."""
    return store.select("WHERE m.status = 'suggested' AND m.updated <= ?", (moment,))


def newest_of_status(store: Store, status: str) -> list[Memory]:
    """The memories of a status, newest first."""
    tail = "WHERE m.status = ? ORDER BY m.created DESC, m.number DESC"
    return store.select(tail, (status,))


def newest_of_kind(store: Store, kind: str, limit: int) -> list[Memory]:
    """The newest active memories of a kind, newest first."""
    tail = "WHERE m.status = 'active' AND m.kind = ? ORDER BY m.created DESC, m.id LIMIT ?"
    return store.select(tail, (kind, limit))


def tagged(store: Store, tag: str, statuses: Sequence[str], limit: int) -> list[Memory]:
    """The newest memories of these statuses that have a tag, newest first."""
    tail = (
        f"WHERE m.status IN ({marks(statuses)}) AND instr(m.tags, ?) "
        "ORDER BY m.created DESC, m.number DESC LIMIT ?"
    )
    return store.select(tail, (*statuses, rows.dumps(tag), limit))


def most_used(store: Store, limit: int) -> list[Memory]:
    """The active memories that most sessions used, raw code aside."""
    return store.select(
        "WHERE m.status = 'active' AND m.access_count > 0 AND m.kind <> 'code' "
        "ORDER BY m.access_count DESC, m.id LIMIT ?",
        (limit,),
    )


def learned_between(
    store: Store, transcript: str, first: int, last: int, limit: int
) -> list[Memory]:
    """Active and suggested memories from these bytes of a transcript, newest first."""
    return store.select(
        'WHERE m.transcript = ? AND m."offset" BETWEEN ? AND ? '
        "AND m.status IN ('active', 'suggested') ORDER BY m.number DESC LIMIT ?",
        (store.clean(transcript), first, last, limit),
    )


def learned_from(
    store: Store, transcript: str, session: str, statuses: Sequence[str]
) -> list[Memory]:
    """The memories from a transcript or its session that have one of these statuses."""
    return store.select(
        "WHERE (m.transcript = ? OR (m.session = ? AND m.session <> '')) "
        f"AND m.status IN ({marks(statuses)})",
        (store.clean(transcript), store.clean(session), *statuses),
    )


def descriptions(store: Store, kind: str) -> list[Memory]:
    """The active memories of a kind that describe a source file."""
    return store.select(
        f"WHERE m.kind = ? AND m.status = 'active' AND {CODE_PATH} IS NOT NULL ORDER BY m.number",
        (kind,),
    )


def descriptions_of(store: Store, kind: str, path: str) -> list[Memory]:
    """Those that describe the source file called `path`."""
    return store.select(
        f"WHERE m.kind = ? AND m.status = 'active' AND {CODE_PATH} = ? ORDER BY m.number",
        (kind, path),
    )


def learned_before(store: Store, memory: Memory, limit: int) -> list[Memory]:
    """The memories learned before this one, the last of them first."""
    return store.select(
        "WHERE (m.created, m.id) < (?, ?) ORDER BY m.created DESC, m.id DESC LIMIT ?",
        (memory.created, memory.id, limit),
    )


def learned_after(store: Store, memory: Memory, limit: int) -> list[Memory]:
    """The memories learned after this one, the first of them first."""
    return store.select(
        "WHERE (m.created, m.id) > (?, ?) ORDER BY m.created, m.id LIMIT ?",
        (memory.created, memory.id, limit),
    )


# --- long lists, of which only numbers are read


class SortOrder(NamedTuple):
    """What memories can be sorted by."""

    column: str
    is_descending: bool = False
    collation: str = ""


ORDERS = {
    "updated": SortOrder("updated", True),
    "created": SortOrder("created", True),
    "priority": SortOrder("priority", True),
    "title": SortOrder("title", collation="COLLATE NOCASE"),
    "kind": SortOrder("kind"),
    "access": SortOrder("access_count", True),
}
"""By the name that a user gives an order."""


class Ordered(NamedTuple):
    """Memories in an order."""

    numbers: list[int]
    """Their row numbers."""
    ranks: Sequence[Any] = ()
    """What they are sorted by, where that was asked for."""


def but_for(numbers: Sequence[int], where: str, values: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """A condition of `Filters.where` that the memories with these row numbers do not meet."""
    if not numbers:
        return where, values
    asked = f"({where}) AND m.number NOT IN (SELECT value FROM json_each(?))"
    return asked, (*values, json.dumps(numbers))


def any_of(store: Reader, where: str, values: Sequence[Any]) -> bool:
    """Whether any memory meets a condition of `Filters.where`."""
    return bool(store.rows(f"SELECT 1 FROM memory m WHERE {where} LIMIT 1", values))


def count_of(store: Reader, where: str, values: Sequence[Any]) -> int:
    """How many memories meet a condition of `Filters.where`."""
    return int(store.value(f"SELECT count(*) FROM memory m WHERE {where}", values))


def ordered(
    store: Reader,
    where: str,
    values: Sequence[Any],
    sort: str,
    limit: int | None,
    *,
    ranked: bool = False,
) -> Ordered:
    """The memories that meet a condition of `Filters.where`, in one of `ORDERS`.

    All come in one row, since a step of the database for each of 100,000 takes three times as long.

    Args:
        ranked: whether to read what they are sorted by, too.
    """
    column, is_descending, collation = ORDERS[sort]
    columns = ("number", column) if ranked else ("number",)
    lists = ", ".join(f"json_group_array({name})" for name in columns)
    inner = ", ".join(f"m.{name}" for name in columns)
    direction = " DESC" if is_descending else ""
    (found,) = store.rows(
        f"SELECT {lists} FROM (SELECT {inner} FROM memory m WHERE {where} "
        f"ORDER BY m.{column} {collation}{direction}, m.number DESC LIMIT ?)",
        (*values, -1 if limit is None else limit),
    )
    return Ordered(*(json.loads(one) for one in found))


def weights(store: Reader, where: str, values: Sequence[Any]) -> list[Row]:
    """What confidence and importance of the memories that meet a condition are computed from:
    number, id, initial confidence, day zero, kind, access count, pinned, priority and branch.

    To be unpacked in this order: for 100,000 memories, names would add a fifth to the time.
    """
    return store.rows(
        "SELECT m.number, m.id, m.initial_confidence, m.reinforced, m.kind, m.access_count, "
        f"m.pinned, m.priority, m.branch FROM memory m WHERE {where}",
        values,
    )


# --- words


def titled(store: Reader, title: str) -> list[str]:
    """The ids of at most two memories with this title, in any case of its ASCII letters."""
    asked = "SELECT id FROM memory WHERE title = ? COLLATE NOCASE LIMIT 2"
    return [row["id"] for row in store.rows(asked, (title,))]


def same_content(store: Reader, content: str, statuses: Sequence[str], but_kind: str) -> str | None:
    """The memory that says just this and has one of these statuses; an active one if there is.

    Args:
        but_kind: the kind that does not count.
    """
    found: str | None = store.value(
        f"SELECT id FROM memory WHERE content_hash = ? AND kind <> ? "
        f"AND status IN ({marks(statuses)}) ORDER BY status = 'active' DESC LIMIT 1",
        (text.content_hash(content), but_kind, *statuses),
    )
    return found


def of_event(store: Reader, event: str) -> str | None:
    """The entry of the history that is about an event, whatever became of it; None for none.

    Args:
        event: its name, such as `commit:1a2b3c4`; entries that a user writes are about none.
    """
    if not event:
        return None
    found: str | None = store.value(
        "SELECT id FROM memory WHERE kind = 'episode' AND instr(details, ?) "
        "AND json_extract(details, '$.event') = ? LIMIT 1",
        (event, event),
    )
    return found


def sharing_words(
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
        but: the id of a memory that does not count.
        but_kinds: kinds that do not count.
        up_to: the highest row number that counts.
    """
    bound = "" if up_to is None else f"AND f.rowid <= {up_to:d} "
    found = store.rows(
        "SELECT m.id, m.content FROM memory_fts f JOIN memory m ON m.number = f.rowid "
        f"WHERE memory_fts MATCH ? {bound}AND m.id <> ? AND m.status IN ({marks(statuses)}) "
        f"AND m.kind NOT IN ({marks(tuple(but_kinds))}) ORDER BY bm25(memory_fts) LIMIT ?",
        (f"{{title content}} : ({_shared(store, words)})", but, *statuses, *but_kinds, limit),
    )
    return [Content(*row) for row in found]


def _shared(store: Reader, words: Sequence[str]) -> str:
    """What full-text search is asked for memories that share many of `words`."""
    counted = f"SELECT term, doc FROM word WHERE term IN ({marks(words)})"
    holders: dict[str, int] = {row["term"]: row["doc"] for row in store.rows(counted, words)}
    if sum(holders.values()) <= MOST_HOLDERS:
        return " OR ".join(map(_quoted, words))
    rarest = sorted(words, key=lambda word: holders.get(word, 0))[: len(words) // 4 + 3]
    quoted = [_quoted(word) for word in rarest]
    return " OR ".join(
        f"({word} AND ({' OR '.join(quoted[number:])}))"
        for number, word in enumerate(quoted[:-1], 1)
    )


def _quoted(word: str) -> str:
    return f'"{word}"'


def holders(store: Reader, word: str) -> int:
    """How many memories hold a word."""
    return store.value("SELECT doc FROM word WHERE term = ?", (word,)) or 0


def rare(store: Reader, words: Sequence[str], most: int) -> list[str]:
    """Those of `words` that some memories hold, but `most` at most."""
    return [
        row["term"]
        for part in parts(words)
        for row in store.rows(
            f"SELECT term FROM word WHERE term IN ({marks(part)}) AND doc <= ?", (*part, most)
        )
    ]


# --- tags


def tags(store: Reader) -> list[list[str]]:
    """The tags of every active memory that has some."""
    found = store.rows("SELECT tags FROM memory WHERE status = 'active' AND tags <> '[]'")
    return [json.loads(row["tags"]) for row in found]


def several_tags(store: Reader) -> list[Tagged]:
    """Every active memory with two tags or more, the important ones first."""
    found = store.rows(
        "SELECT title, tags FROM memory WHERE status = 'active' AND tags LIKE '%,%' "
        "ORDER BY priority DESC, updated DESC, id"
    )
    return [Tagged(row["title"], json.loads(row["tags"])) for row in found]


# --- vectors


def vector(store: Reader, name: str) -> tuple[str, bytes] | None:
    """The model and the vector (float32) of a memory, None where it has none."""
    asked = (
        "SELECT e.model, e.vector FROM embedding e JOIN memory m ON m.number = e.number "
        "WHERE m.id = ?"
    )
    found = store.rows(asked, (name,))
    return (found[0]["model"], found[0]["vector"]) if found else None


# --- across projects


class Wording(NamedTuple):
    """What one memory says, in words and as a vector."""

    id: str
    content: str
    content_hash: str
    vector: bytes
    """float32 of unit length; empty where there is none of the model in force."""


def wordings(store: Reader, model: str, kinds: Sequence[str], limit: int) -> list[Wording]:
    """The newest active memories of these kinds, with their vectors by `model`."""
    found = store.rows(
        "SELECT m.id, m.content, m.content_hash, e.vector FROM memory m "
        "LEFT JOIN embedding e ON e.number = m.number AND e.model = ? "
        f"WHERE m.status = 'active' AND m.kind IN ({marks(kinds)}) "
        "ORDER BY m.number DESC LIMIT ?",
        (model, *kinds, limit),
    )
    return [
        Wording(row["id"], row["content"], row["content_hash"], row["vector"] or b"")
        for row in found
    ]


# --- sources


def sources(store: Reader) -> dict[str, tuple[Source, ...]]:
    """Every memory's sources by its id, oldest first, in one read."""
    found: dict[str, list[Source]] = {}
    for row in store.rows("SELECT * FROM source ORDER BY id"):
        found.setdefault(row["memory"], []).append(rows.source_of(dict(row)))
    return {name: tuple(listed) for name, listed in found.items()}


def source_marks(store: Reader) -> dict[tuple[str, str], int]:
    """How many sources memories have of each rule and message, by these two."""
    found = store.rows(
        "SELECT rule, message, count(*) FROM source WHERE message <> '' GROUP BY rule, message"
    )
    return {(rule, message): number for rule, message, number in found}


# --- verdicts


class RuleVerdicts(NamedTuple):
    """What became of the finds of one rule that a user judged."""

    rule: str
    kept: int
    total: int


def verdicts(store: Reader) -> list[RuleVerdicts]:
    """How many finds of each rule were judged, and how many of these kept."""
    asked = "SELECT rule, sum(kept), count(*) FROM verdict GROUP BY rule"
    return [RuleVerdicts(*row) for row in store.rows(asked)]


class SavedCursor(NamedTuple):
    """A position in a transcript."""

    offset: int
    """Bytes that have been read."""
    head: str
    """Hash of the first bytes: a replaced file starts again."""
    carry: str
    """JSON that the extraction goes on from."""
    final: bool


def read(store: Store, transcript: str) -> SavedCursor | None:
    """The saved position in a transcript; None where it was never read."""
    found = store.rows(
        'SELECT "offset", head, carry, final FROM cursor WHERE transcript = ?',
        (store.clean(transcript),),
    )
    if not found:
        return None
    offset, head, carry, final = found[0]
    return SavedCursor(offset, head, carry, bool(final))


def save(store: Store, transcript: str, session: str, cursor: SavedCursor) -> None:
    """Write the position in a transcript, inside an open transaction."""
    own = {"transcript": transcript, "session": session, "carry": cursor.carry}
    own = store.filtered("cursor", own)
    store.execute(
        'INSERT INTO cursor (transcript, session, "offset", head, carry, final, updated, error) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (transcript) DO UPDATE SET "
        'session = excluded.session, "offset" = excluded."offset", head = excluded.head, '
        "carry = excluded.carry, final = excluded.final, updated = excluded.updated, error = ''",
        (
            own["transcript"],
            own["session"],
            cursor.offset,
            cursor.head,
            own["carry"],
            cursor.final,
            store.clock(),
        ),
    )


def forget(store: Store, transcript: str) -> None:
    """Have a transcript read from its beginning, inside an open transaction."""
    transcript = store.clean(transcript)
    store.execute(
        "DELETE FROM observation "
        "WHERE session IN (SELECT session FROM cursor WHERE transcript = ?)",
        (transcript,),
    )
    store.execute("DELETE FROM cursor WHERE transcript = ?", (transcript,))


def pending(store: Reader) -> int:
    """How many finds wait for the end of their session."""
    return int(store.value("SELECT total(json_array_length(carry, '$.pending')) FROM cursor") or 0)


def offsets(store: Reader) -> dict[str, int]:
    """By transcript, the bytes that have been read."""
    found = store.rows('SELECT transcript, "offset" FROM cursor')
    return {row["transcript"]: int(row["offset"]) for row in found}


def located(store: Store, saved: str) -> Path:
    """The transcript whose path a store has as `saved`; a secret in the path is not in `saved`."""
    from cortex_core.redaction.redactor import MARK

    path = Path(saved)
    if MARK not in saved or path.exists():
        return path
    files = Path(projects.claude_sessions()).glob("*/*.jsonl")
    return next((file for file in files if store.clean(str(file)) == saved), path)


def of_session(store: Reader, beginning: str) -> list[str]:
    """The transcripts of the sessions whose ids begin so, the last read first."""
    found = store.rows(
        "SELECT transcript FROM cursor WHERE substr(session, 1, length(?1)) = ?1 "
        "ORDER BY updated DESC",
        (beginning,),
    )
    return [row["transcript"] for row in found]


def sessions_beginning(store: Reader, beginning: str) -> set[str]:
    """The ids that begin so of the sessions that a store has heard of."""
    tables = ("cursor", "ledger", "receipt", "memory")
    asked = " UNION ".join(
        f"SELECT session FROM {table} WHERE substr(session, 1, length(?1)) = ?1" for table in tables
    )
    return {session for (session,) in store.rows(asked, (beginning,)) if session}


class FirstLearned(NamedTuple):
    """The first memory that a session taught."""

    time: float
    branch: str
    folder: str


def first_learned(store: Reader, session: str) -> FirstLearned | None:
    """When and where a session first taught something; None where it has taught nothing."""
    found = store.rows(
        "SELECT created, branch, folder FROM memory WHERE session = ? ORDER BY created LIMIT 1",
        (session,),
    )
    return FirstLearned(*found[0]) if found else None


def is_read(store: Reader, key: int) -> bool:
    """Whether a record with `key` was read before, in whatever file: forks and resumes repeat them.

    For the dozens of records that a Stop brings: the table holds those of every session there was.
    """
    return bool(store.value("SELECT 1 FROM seen WHERE key = ?", (key,)))


def read_keys(store: Reader) -> set[int]:
    """The keys of all records read before, for whoever asks for very many (see `is_read`)."""
    return {key for (key,) in store.rows("SELECT key FROM seen")}


def note_read(store: Store, keys: Sequence[int]) -> None:
    """Remember the keys of records that were read, inside an open transaction."""
    for part in parts(keys):
        store.execute(f"INSERT OR IGNORE INTO seen VALUES {','.join(['(?)'] * len(part))}", part)


def observe(store: Store, observations: Iterable[Observation]) -> None:
    """Add up what a part of a session adds to the counts, inside an open transaction."""
    names = ("key", "session", "text", "message", "branch")
    for each in observations:
        own = store.filtered("observation", {name: getattr(each, name) for name in names})
        store.execute(
            "INSERT INTO observation (topic, key, session, succeeded, failed, text, message, "
            '"offset", time, branch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) '
            "ON CONFLICT (topic, key, session) DO UPDATE SET "
            "succeeded = succeeded + excluded.succeeded, failed = failed + excluded.failed, "
            'text = excluded.text, message = excluded.message, "offset" = excluded."offset", '
            "time = excluded.time, branch = excluded.branch",
            (
                each.topic,
                own["key"],
                own["session"],
                each.succeeded,
                not each.succeeded,
                own["text"],
                own["message"],
                each.offset,
                each.time,
                own["branch"],
            ),
        )


class Observed(NamedTuple):
    """How often something came up in one session, and its newest form."""

    topic: str
    key: str
    session: str
    succeeded: int
    failed: int
    text: str
    message: str
    offset: int
    time: float | None
    branch: str


def observed(store: Reader, topic: str, sessions: int) -> list[Observed]:
    """What came up in the newest sessions of a store, at most so many, the oldest first."""
    newest = "SELECT session FROM observation GROUP BY session ORDER BY max(time) DESC, 1 LIMIT ?"
    return [
        Observed(*row)
        for row in store.rows(
            'SELECT topic, key, session, succeeded, failed, text, message, "offset", time, branch '
            f"FROM observation WHERE topic = ? AND session IN ({newest}) "
            "ORDER BY time, session, key",
            (topic, sessions),
        )
    ]


_COLUMNS = (
    "number",
    "type",
    "members",
    "similarity",
    "reasons",
    "conflicts",
    "text",
    "fingerprint",
    "status",
    "created",
)

_JUDGEABLE = """
proposal.status = 'open' AND NOT EXISTS (
    SELECT 1 FROM json_each(proposal.members) j LEFT JOIN memory m ON m.id = j.value
    WHERE m.id IS NULL OR m.status NOT IN ('active', 'suggested'))
"""
"""Whether a proposal can be judged: it is open, and all of its members are still in force."""


def waiting(store: Reader) -> int:
    """How many proposals a user can judge."""
    return int(store.value(f"SELECT count(*) FROM proposal WHERE {_JUDGEABLE}"))


def queued(store: Reader) -> list[QueuedProposal]:
    """The proposals that a user can judge, as a list of them needs them; the most similar first."""
    found = store.rows(
        "SELECT proposal.number, first.title, proposal.similarity, "
        "json_array_length(proposal.conflicts) FROM proposal "
        "JOIN memory first ON first.id = json_extract(proposal.members, '$[0]') "
        f"WHERE {_JUDGEABLE} ORDER BY proposal.similarity DESC, proposal.number"
    )
    return [QueuedProposal(store.scope, *row) for row in found]


def unjudged(store: Reader) -> list[Proposal]:
    """The open proposals, the most alike first."""
    return _select(store, "status = 'open'")


def numbered(store: Reader, number: int) -> Proposal | None:
    """The proposal called `number`, whatever came of it."""
    found = _select(store, "number = ?", number)
    return found[0] if found else None


def awaits_words(store: Reader, number: int, fingerprint: str) -> bool:
    """Whether the proposal is open, has no text of its own, and is on the same contents."""
    return bool(
        store.rows(
            "SELECT 1 FROM proposal WHERE number = ? AND status = 'open' AND text = '' "
            "AND fingerprint = ?",
            (number, fingerprint),
        )
    )


def _select(store: Reader, where: str, *values: object) -> list[Proposal]:
    found = store.rows(
        f"SELECT {', '.join(_COLUMNS)} FROM proposal WHERE {where} "
        "ORDER BY similarity DESC, number",
        values,
    )
    return [
        Proposal(
            **{
                **dict(row),
                "members": tuple(json.loads(row["members"])),
                "reasons": tuple(json.loads(row["reasons"])),
                "conflicts": tuple(json.loads(row["conflicts"])),
            }
        )
        for row in found
    ]
