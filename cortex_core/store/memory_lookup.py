"""Looking memories up: by id and row number, by kind, status, time, tag, title or event."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from cortex_core.base import text
from cortex_core.records.memory import Memory, Source
from cortex_core.store import rows
from cortex_core.store.reader import Reader, marks, parts
from cortex_core.store.store import Store

CODE_PATH = "json_extract(m.details, '$.path')"
"""The source file that a description is of."""


def with_triggers(store: Reader) -> list[str]:
    """The ids of the active memories with triggers, the important first."""
    return store.column(
        "SELECT id FROM memory WHERE status = 'active' AND triggers <> '[]' "
        "ORDER BY pinned DESC, priority DESC, number"
    )


def known_commands(store: Reader) -> dict[str, str]:
    """What the memories of recurring commands say, by the task that they are about."""
    found = store.rows(
        "SELECT content, json_extract(details, '$.recurring') AS about FROM memory "
        "WHERE status = 'active' AND details LIKE ? ORDER BY number",
        ('%"recurring":"command:%',),
    )
    return {row["about"].partition(":")[2]: row["content"] for row in found}


def triggered_by_words(store: Reader, part: str) -> list[str]:
    """The ids of active memories whose triggers, as their words gave them, hold this."""
    return store.column(
        "SELECT id FROM memory WHERE triggers_by = 'words' AND status = 'active' "
        "AND triggers LIKE ? ORDER BY number",
        (f"%{part}%",),
    )


def trigger_lines(store: Reader) -> list[tuple[str, str, str, str]]:
    """Id, title, guard and triggers (JSON) of the active memories that have triggers or a guard."""
    found = store.rows(
        "SELECT id, title, guard, triggers FROM memory WHERE status = 'active' "
        "AND (triggers <> '[]' OR guard <> 'remind') ORDER BY number"
    )
    return [(row["id"], row["title"], row["guard"], row["triggers"]) for row in found]


def without_triggers(store: Reader, kinds: Sequence[str], limit: int) -> list[str]:
    """The ids of memories of these kinds in whose words nobody has looked for triggers."""
    return store.column(
        f"SELECT id FROM memory WHERE triggers_by = '' AND kind IN ({marks(kinds)}) LIMIT ?",
        (*kinds, limit),
    )


def newest_number(store: Reader) -> int:
    """The row number of the newest memory; 0 where there is none."""
    return store.value("SELECT max(number) FROM memory") or 0


def next_position(store: Reader, session: str) -> int:
    """The position in a session that follows those of its memories, counted from 0."""
    last = store.value("SELECT max(place) FROM memory WHERE session = ?", (session,))
    return 0 if last is None else int(last) + 1


# --- ids and row numbers


def ids_between(store: Reader, after: str, last: str | None) -> list[str]:
    """The ids after the id `after`, up to the id `last`; None: all after it."""
    return store.column(
        "SELECT id FROM memory WHERE id > ? AND (? IS NULL OR id <= ?)", (after, last, last)
    )


def beginning_with(store: Reader, beginning: str, limit: int) -> list[str]:
    """The ids, `limit` at most, that begin so."""
    return store.column("SELECT id FROM memory WHERE instr(id, ?) = 1 LIMIT ?", (beginning, limit))


def known_ids(store: Reader, names: Iterable[str]) -> set[str]:
    """Those of `names` that are ids of memories here."""
    return set(
        store.column(
            "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))",
            (rows.dumps(list(names)),),
        )
    )


def ids(store: Reader) -> list[str]:
    """The ids of all memories, in the order in which they came."""
    return store.column("SELECT id FROM memory ORDER BY number")


def newer_than(store: Reader, number: int) -> list[str]:
    """The ids of the memories that came after the one with this row number."""
    return store.column("SELECT id FROM memory WHERE number > ?", (number,))


def numbers_of(store: Reader, ids: Iterable[str]) -> dict[str, int]:
    """The row number of each of `ids` that names a memory."""
    return store.pairs(
        "SELECT m.id, m.number FROM json_each(?) j JOIN memory m ON m.id = j.value",
        (json.dumps(list(ids)),),
    )


def active_numbers(store: Reader, but_kinds: Collection[str] = ()) -> dict[int, str]:
    """The id of each active memory by its row number, without those of `but_kinds`."""
    but = f"kind NOT IN ({marks(tuple(but_kinds))})"
    return store.pairs(
        f"SELECT number, id FROM memory WHERE status = 'active' AND {but}", tuple(but_kinds)
    )


def by_number(store: Store, numbers: Sequence[int]) -> dict[int, Memory]:
    """The memories with these row numbers, by number; those that are gone are left out."""
    ids = store.pairs(
        "SELECT number, id FROM memory WHERE number IN (SELECT value FROM json_each(?))",
        (rows.dumps(list(numbers)),),
    )
    found = {memory.id: memory for memory in store.memories(list(ids.values()))}
    return {number: found[id] for number, id in ids.items() if id in found}


# --- choosing memories


def in_order(store: Store) -> list[Memory]:
    """Every memory, the oldest first."""
    return store.select("ORDER BY m.created, m.id")


def in_force(store: Store, kind: str | None = None) -> list[Memory]:
    """The active memories, of a kind or of all."""
    return store.select("WHERE m.status = 'active' AND m.kind = coalesce(?, m.kind)", (kind,))


def not_pinned(store: Store) -> list[Memory]:
    """The active memories that are not pinned."""
    return store.select("WHERE m.status = 'active' AND NOT m.pinned")


def archived_before(store: Store, moment: float) -> list[Memory]:
    """The archived memories, not pinned, that were neither changed nor used since `moment`."""
    return store.select(
        "WHERE m.status = 'archived' AND NOT m.pinned "
        "AND max(m.updated, coalesce(m.last_access, 0)) <= ?",
        (moment,),
    )


def over(store: Store, today: str) -> list[Memory]:
    """The active memories that held until a day before `today`, or in a session that has ended."""
    return store.select(
        "WHERE m.status = 'active' AND m.until NOT IN ('', 'branch') AND (m.until < ? OR ("
        "m.until = 'session' AND m.session IN (SELECT session FROM cursor WHERE final)))",
        (today,),
    )


def suggested_before(store: Store, moment: float) -> list[Memory]:
    """The suggestions that have waited since before `moment`."""
    return store.select("WHERE m.status = 'suggested' AND m.updated <= ?", (moment,))


def newest_of_status(store: Store, status: str) -> list[Memory]:
    """The memories of a status, newest first."""
    return store.select("WHERE m.status = ? ORDER BY m.created DESC, m.number DESC", (status,))


def newest_of_kind(store: Store, kind: str, limit: int) -> list[Memory]:
    """The newest active memories of a kind, newest first."""
    return store.select(
        "WHERE m.status = 'active' AND m.kind = ? ORDER BY m.created DESC, m.id LIMIT ?",
        (kind, limit),
    )


def most_used(store: Store, limit: int) -> list[Memory]:
    """The active memories that most sessions used, raw code aside."""
    return store.select(
        "WHERE m.status = 'active' AND m.access_count > 0 AND m.kind <> 'code' "
        "ORDER BY m.access_count DESC, m.id LIMIT ?",
        (limit,),
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


def of_agents_file(store: Store, file: str, rule: str) -> list[Memory]:
    """What was learned from a file of an agent's own memory, whatever became of it; what is in
    force comes last.

    Args:
        rule: the rule by which it was learned; a memory that the user reworded has another.
    """
    return store.select(
        "WHERE m.message = ? AND (m.rule = ? OR instr(m.origin, '\"said\"')) "
        "ORDER BY m.status = 'active', m.number",
        (file, rule),
    )


def descriptions(store: Store, kind: str, path: str | None = None) -> list[Memory]:
    """The active memories of a kind that describe a source file, the one called `path` or any."""
    return store.select(
        f"WHERE m.kind = ? AND m.status = 'active' AND {CODE_PATH} = coalesce(?, {CODE_PATH}) "
        "ORDER BY m.number",
        (kind, path),
    )


def around(store: Store, memory: Memory, count: int) -> list[Memory]:
    """A memory with the `count` learned before it and after it, oldest first."""
    before, after = (
        store.select(
            f"WHERE (m.created, m.id) {side} (?, ?) ORDER BY m.created {way}, m.id {way} LIMIT ?",
            (memory.created, memory.id, count),
        )
        for side, way in (("<", "DESC"), (">", "ASC"))
    )
    return [*reversed(before), memory, *after]


# --- words


def titled(store: Reader, title: str) -> list[str]:
    """The ids of at most two memories with this title, in any case of its ASCII letters."""
    return store.column("SELECT id FROM memory WHERE title = ? COLLATE NOCASE LIMIT 2", (title,))


def of_messages(store: Store, messages: Collection[str]) -> list[Memory]:
    """The active and suggested memories that have one of these messages as a source."""
    return store.select(
        "WHERE m.status IN ('active', 'suggested') AND m.id IN "
        f"(SELECT memory FROM source WHERE message IN ({marks(tuple(messages))}))",
        tuple(messages),
    )


def with_source(store: Reader, ids: Sequence[str], message: str, rule: str) -> frozenset[str]:
    """Those of `ids` that have a source of this message by this rule; none without a message."""
    return frozenset(
        row["memory"]
        for part in (parts(ids) if message else ())
        for row in store.rows(
            "SELECT memory FROM source WHERE message = ? AND rule = ? "
            f"AND memory IN ({marks(part)})",
            (message, rule, *part),
        )
    )


def same_content(store: Reader, content: str, statuses: Sequence[str], but_kind: str) -> str | None:
    """The memory that says just this and has one of these statuses; an active one if there is.

    Args:
        but_kind: the kind that does not count.
    """
    return (
        store.value(
            f"SELECT id FROM memory WHERE content_hash = ? AND kind <> ? "
            f"AND status IN ({marks(statuses)}) ORDER BY status = 'active' DESC LIMIT 1",
            (text.content_hash(content), but_kind, *statuses),
        )
        or None
    )


def outlasting(store: Reader, name: str, memory: Memory) -> str:
    """The id `name` once more where it is of a superseded memory, and `memory` says the same again,
    later than what replaced it; else empty. What has this source already is not said again."""
    is_known = with_source(store, [name], memory.source.message, memory.source.rule)
    asked = (
        "SELECT id FROM memory m WHERE id = ? AND status = 'superseded' AND NOT EXISTS (SELECT 1 "
        "FROM edge e JOIN memory n ON n.id = e.source WHERE e.target = m.id "
        "AND e.type = 'supersedes' AND n.created > ?)"
    )
    return "" if is_known else store.value(asked, (name, memory.created)) or ""


def of_event(store: Reader, event: str) -> str | None:
    """The entry of the history that is about an event, whatever became of it; None for none.

    Args:
        event: its name, such as `commit:1a2b3c4`; entries that a user writes are about none.
    """
    if not event:
        return None
    return (
        store.value(
            "SELECT id FROM memory WHERE kind = 'episode' AND instr(details, ?) "
            "AND json_extract(details, '$.event') = ? LIMIT 1",
            (event, event),
        )
        or None
    )


# --- tags


def tags(store: Reader) -> list[list[str]]:
    """The tags of every active memory that has some."""
    return [
        json.loads(row["tags"])
        for row in store.rows("SELECT tags FROM memory WHERE status = 'active' AND tags <> '[]'")
    ]


def several_tags(store: Reader) -> list[tuple[str, list[str]]]:
    """Title and tags of every active memory with two tags or more, the important ones first."""
    found = store.rows(
        "SELECT title, tags FROM memory WHERE status = 'active' AND tags LIKE '%,%' "
        "ORDER BY priority DESC, updated DESC, id"
    )
    return [(row["title"], json.loads(row["tags"])) for row in found]


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
    return [
        Wording(row["id"], row["content"], row["content_hash"], row["vector"] or b"")
        for row in store.rows(
            "SELECT m.id, m.content, m.content_hash, e.vector FROM memory m "
            "LEFT JOIN embedding e ON e.number = m.number AND e.model = ? "
            f"WHERE m.status = 'active' AND m.kind IN ({marks(kinds)}) "
            "ORDER BY m.number DESC LIMIT ?",
            (model, *kinds, limit),
        )
    ]


# --- sources


def sources(store: Reader) -> dict[str, tuple[Source, ...]]:
    """Every memory's sources by its id, oldest first, in one read."""
    found: dict[str, list[Source]] = {}
    for row in store.rows("SELECT * FROM source ORDER BY id"):
        found.setdefault(row["memory"], []).append(rows.source_of(dict(row)))
    return {name: tuple(listed) for name, listed in found.items()}
