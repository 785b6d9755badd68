"""The questions that a hub is asked, and how its rows are read: a value is cleaned, or refused if
it does not have the form that the schema gives it.
"""

import json
import math
from hashlib import sha256
from typing import Any, LiteralString

from cortex_core.base import text
from cortex_core.base.kinds import CODE
from cortex_core.records.teams import (
    HubEntry,
    HubMemory,
    Item,
    Member,
    Place,
    Request,
    TeamState,
    Unsearchable,
)

Row = tuple[Any, ...]

DEEPEST = 100
"""Levels of nested lists and objects that are read."""

LONGEST_NAME = 100
"""Characters of a name that are kept; a login of PostgreSQL has 63."""

_LONGEST_NUMBER = 15
"""Digits of the number of an entry, as a request may say it."""

TEAMS: LiteralString = """
    SELECT t.id::text, t.name, extract(epoch FROM t.created)::float8, t.sequence, m.rights,
        (SELECT count(*) FROM cortex.member WHERE team = t.id AND departed IS NULL),
        (SELECT count(*) FROM cortex.request WHERE team = t.id AND status = 'open'),
        t.self_approval
    FROM cortex.team AS t JOIN cortex.member AS m ON m.team = t.id AND m.role = session_user
    WHERE m.departed IS NULL ORDER BY t.name, t.id
"""

MEMBERS: LiteralString = """
    SELECT role, display, rights, extract(epoch FROM joined)::float8,
        extract(epoch FROM departed)::float8, version, extract(epoch FROM seen)::float8
    FROM cortex.member WHERE team = %s ORDER BY departed IS NOT NULL, role
"""

_REQUEST: LiteralString = """
    SELECT id::text, team::text, project, kind, reason, items::text, author,
        extract(epoch FROM created)::float8, status, decided_by,
        extract(epoch FROM decided)::float8, note, sequence
    FROM cortex.request WHERE team = %s
"""

REQUESTS: LiteralString = f"{_REQUEST} ORDER BY created DESC, id DESC LIMIT %s"

OPEN: LiteralString = f"""
    {_REQUEST} AND status = 'open' ORDER BY created DESC, id DESC LIMIT %s
"""

NAMED: LiteralString = f"{_REQUEST} AND id BETWEEN %s AND %s LIMIT 2"

_ENTRY: LiteralString = """
    SELECT sequence, (extract(epoch FROM at) * 1000000)::bigint, author, approver, request::text,
        verb, project, audience, edited, erased, items::text, digest, hash
"""

ENTRIES: LiteralString = f"""
    {_ENTRY} FROM cortex.entry WHERE team = %s AND sequence > %s ORDER BY sequence LIMIT %s
"""

ENTRIES_FOR: LiteralString = f"""
    {_ENTRY} FROM unnest(%s::text[]) AS asked CROSS JOIN LATERAL (
        SELECT * FROM cortex.entry WHERE team = %s AND audience = asked AND sequence > %s
        ORDER BY sequence LIMIT %s) AS entry
    ORDER BY sequence LIMIT %s
"""
"""Each audience's by the index: a condition on all of them reads the whole log."""

PLACES: LiteralString = """
    SELECT audience, sequence, hash FROM cortex.place WHERE team = %s AND audience = ANY (%s)
"""

ORIGINS: LiteralString = "SELECT origin FROM cortex.origin WHERE team = %s AND project = %s"

COUNT_ENTRIES: LiteralString = """
    SELECT count(*) FROM cortex.entry WHERE team = %s AND audience = ANY (%s) AND sequence > %s
"""

MEMORIES: LiteralString = """
    SELECT m.id::text, m.fields::text, m.author, m.approver, coalesce(e.request::text, ''),
        m.project, m.sequence, extract(epoch FROM m.updated)::float8
    FROM unnest(%s::text[]) AS asked CROSS JOIN LATERAL (
        SELECT * FROM cortex.memory WHERE team = %s AND project = asked AND id > %s
        ORDER BY id LIMIT %s) AS m
    LEFT JOIN cortex.entry AS e ON e.team = m.team AND e.sequence = m.sequence
    ORDER BY m.id LIMIT %s
"""

UNSEARCHABLE: LiteralString = f"""
    SELECT id::text, sequence, title, content, tags, kind, words IS NOT NULL,
        embedding IS NOT NULL OR kind = '{CODE}'
    FROM cortex.memory
    WHERE team = %s AND (words IS NULL OR (embedding IS NULL AND kind <> '{CODE}'))
    ORDER BY sequence DESC, id LIMIT %s
"""


def team_of(row: Row) -> TeamState:
    """A team of the user."""
    return TeamState(
        id=str(row[0]),
        name=_name(row[1]),
        created=moment(row[2]),
        sequence=int(row[3]),
        rights=row[4],
        members=int(row[5]),
        open_requests=int(row[6]),
        self_approval=bool(row[7]),
    )


def member_of(row: Row) -> Member:
    """A member of a team."""
    role, display, rights, joined, departed, version, seen = row
    return Member(
        role=_name(role),
        display=_name(display),
        rights=rights,
        joined=moment(joined),
        departed=None if departed is None else moment(departed),
        version=_name(version),
        seen=None if seen is None else moment(seen),
    )


def request_of(row: Row) -> Request:
    """A request of a team."""
    decided = None if row[10] is None else moment(row[10])
    return Request(
        id=str(row[0]),
        team=str(row[1]),
        project=str(row[2]),
        kind=row[3],
        reason=str(row[4]),
        items=items_of(row[5])[0],
        author=_name(row[6]),
        created=moment(row[7]),
        status=row[8],
        decided_by=_name(row[9]),
        decided=decided,
        note=str(row[11]),
        sequence=row[12],
    )


def _name(value: Any) -> str:
    """A name as one line without signs that steer a terminal, whoever set it."""
    return text.one_line(str(value))[:LONGEST_NAME]


def moment(value: Any) -> float:
    """A time that can be shown; 0 for none."""
    return float(value) if math.isfinite(value) and abs(value) < text.FURTHEST else 0.0


def entry_of(row: Row) -> HubEntry:
    """An entry of a team's log, with what proves its past."""
    sequence, micros, author, approver, request, verb, project, audience = row[:8]
    edited, erased, items, digest, hash_ = row[8:]
    signed = (sequence, micros, author, approver, request, verb, project, audience, int(edited))
    read, problem = items_of(items)
    return HubEntry(
        sequence=sequence,
        time=moment(micros / 1e6),
        author=_name(author),
        approver=_name(approver),
        request=str(request),
        verb=verb,
        project=str(project),
        audience=str(audience),
        edited=bool(edited),
        erased=bool(erased),
        items=read,
        problem=problem,
        hash=hash_,
        proof=(digest, "\x1f".join(map(str, signed)).encode()),
        items_digest=sha256(items.encode()).digest(),
    )


def loaded(said: str | bytes) -> Any:
    """JSON of the hub; an empty object where Python cannot read it: numbers of thousands of digits,
    thousands of levels."""
    try:
        given = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    return given if text.levels(given, DEEPEST) <= DEEPEST else {}


def place_of(row: Row) -> tuple[str, Place]:
    """An audience, and how far its entries go."""
    audience, sequence, hash_ = row
    return str(audience), Place(int(sequence), bytes(hash_))


def memory_of(row: Row) -> HubMemory:
    """A memory as the hub states it."""
    if not text.is_uuid(row[0]):
        raise ValueError
    return HubMemory(
        id=row[0],
        memory=loaded(row[1]),
        author=_name(row[2]),
        approver=_name(row[3]),
        request=str(row[4]),
        project=str(row[5]),
        sequence=int(row[6]),
        time=moment(row[7]),
    )


def unsearchable_of(row: Row) -> Unsearchable:
    """A memory that search on the hub lacks something of."""
    return Unsearchable(
        id=str(row[0]),
        sequence=int(row[1]),
        title=str(row[2]),
        content=str(row[3]),
        tags=tuple(map(str, row[4])),
        kind=str(row[5]),
        has_words=bool(row[6]),
        has_vectors=bool(row[7]),
    )


def items_of(said: str) -> tuple[tuple[Item, ...], str]:
    """What is said of each memory, and why some of it was left out: one that cannot be read must
    not keep the others from arriving."""
    listed = loaded(said)
    read = [_item(each) for each in listed] if isinstance(listed, list) else [None]
    kept = tuple(item for item in read if item is not None)
    return kept, "" if len(kept) == len(read) else "A memory was left out: it cannot be read."


def _item(each: Any) -> Item | None:
    """What is said of one memory; None where it has not the form of that."""
    given = each if isinstance(each, dict) else {}
    memory, base = given.get("memory"), str(given.get("base") or given.get("was") or 0)
    if not (
        text.is_uuid(given.get("id"))
        and isinstance(memory, dict | None)
        and base.isascii()
        and base.isdigit()
        and len(base) <= _LONGEST_NUMBER
    ):
        return None
    return Item(
        id=given["id"], memory=memory, author=_name(given.get("author") or ""), base=int(base)
    )
