"""How a store gets its schema: created in an empty file, brought up to date in an older one.

The ladder has one step for each older version, counted by PRAGMA user_version alone. A step changes
the schema as it finds it and never looks at the models, which say what the newest schema is and
will be of another version tomorrow. A step that only adds the column of a new field is not written
here: the field's row in `fields.py` is enough, and stays as it was released. What was written in
words of an older schema and is not rewritten, the rows in the journal and in the trash, is read
through `rows.current`.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cortex_core.base import scripts
from cortex_core.base.errors import (
    StoreTooNew,
    StoreUnusable,
)
from cortex_core.base.text import counted
from cortex_core.records.fields import ADDED
from cortex_core.store import reader, rows, snapshots
from cortex_core.store.reader import SCHEMA_VERSION


def bring_up_to_date(
    connection: sqlite3.Connection, path: Path, *, writable: bool, create: Callable[[], None]
) -> None:
    """Create the schema in an empty file, migrate an older one, refuse a newer one.

    Args:
        create: makes the tables of a new store, in the transaction that is open then.

    Raises:
        StoreError: it is of a newer schema, of another program, or would have to be changed and
            can only be read.
    """
    version = reader.version(connection)
    if version > SCHEMA_VERSION:
        raise StoreTooNew(
            f"{path} was written by a newer Cortex (schema {version}, this one supports "
            f"{SCHEMA_VERSION}). Nothing was changed. Upgrade Cortex to open it."
        )
    if version == SCHEMA_VERSION:
        return
    if not writable:
        raise StoreUnusable(
            f"{path} needs a migration but is read-only. Nothing was changed. Make "
            "the file and its folder writable."
        )
    if version == 0:
        _create(connection, path, create)
        return
    snapshots.take(path, "migration")
    # With foreign keys on, dropping a table would empty those that refer to it. The setting cannot
    # be changed inside a transaction.
    connection.execute("PRAGMA foreign_keys = 0")
    try:
        for step in range(version, SCHEMA_VERSION):
            _take_step(connection, step)
    finally:
        connection.execute("PRAGMA foreign_keys = 1")


def _create(connection: sqlite3.Connection, path: Path, create: Callable[[], None]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not reader.version(connection):  # else another process has just created it
            create()
        connection.commit()
    finally:
        connection.rollback()  # what is still open then failed


def _take_step(connection: sqlite3.Connection, version: int) -> None:
    """Bring a store of `version` to the next one, in one transaction."""
    _run(connection, "BEGIN IMMEDIATE")
    try:
        if reader.version(connection) == version:  # else another process was quicker
            _add_columns(connection, version + 1)
            if version in MIGRATIONS:
                MIGRATIONS[version](connection)
            _run(connection, f"PRAGMA user_version = {version + 1}")
        _run(connection, "COMMIT")
    finally:
        connection.rollback()  # what is still open then failed


def _add_columns(connection: sqlite3.Connection, version: int) -> None:
    """Add the columns of the memory's fields that came with schema `version`."""
    for field in ADDED:
        if field.since == version:
            _run(connection, f"ALTER TABLE memory ADD COLUMN {rows.column_definition(field)}")


def _run(connection: sqlite3.Connection, sql: str, values: Iterable[Any] = ()) -> None:
    connection.execute(sql, tuple(values))


# --- to version 2: numbers are not used again, and a memory's injection policy is called `inject`

_NUMBERED = {
    "memory": "number",
    "source": "id",
    "edge": "id",
    "proposal": "number",
    "verdict": "id",
}
"""The tables whose rows the journal or the trash can bring back under their old numbers."""


def _to_2(connection: sqlite3.Connection) -> None:
    """Give the numbered tables AUTOINCREMENT, and rename `giving`.

    Without it SQLite gives the highest number again once its row is gone, and then what had it
    cannot come back: remember, undo, remember, redo failed.
    """
    highest = {table: _highest(connection, table) for table in _NUMBERED}
    _run(connection, 'ALTER TABLE memory RENAME COLUMN giving TO "inject"')
    for table, key in _NUMBERED.items():
        plain = f'"{key}" INTEGER NOT NULL PRIMARY KEY'
        _rebuild(connection, table, plain, f"{plain} AUTOINCREMENT")
        _run(connection, "DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        _run(connection, "INSERT INTO sqlite_sequence VALUES (?, ?)", (table, highest[table]))


def _highest(connection: sqlite3.Connection, table: str) -> int:
    """The highest number that a row of the table has, or had and may have again."""
    key = _NUMBERED[table]
    numbers = {0, connection.execute(f'SELECT max("{key}") FROM "{table}"').fetchone()[0] or 0}
    numbers.update(
        json.loads(before).get(key) or 0
        for (before,) in connection.execute(
            'SELECT before FROM journal_row WHERE "table" = ? AND after IS NULL', (table,)
        )
    )
    if table in ("memory", "source", "edge"):
        for (packed,) in connection.execute("SELECT rows FROM trash"):
            kept = json.loads(zlib.decompress(packed))
            numbers.update(row.get(key) or 0 for row in kept.get(table, ()))
    return max(numbers)


def _rebuild(connection: sqlite3.Connection, table: str, old: str, new: str) -> None:
    """Rebuild a table with `new` in place of `old` in its definition; keep the rest.

    The rows keep their numbers, so the search indexes, which know them by these, still fit.
    """
    asked = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type {} AND sql IS NOT NULL"
    ((sql,),) = connection.execute(asked.format("= 'table'"), (table,)).fetchall()
    others = connection.execute(asked.format("IN ('index', 'trigger')"), (table,)).fetchall()
    name = f'"{table}"'
    _run(connection, sql.replace(name, '"rebuilt"', 1).replace(old, new, 1))
    _run(connection, f'INSERT INTO "rebuilt" SELECT * FROM {name}')
    _run(connection, f"DROP TABLE {name}")
    _run(connection, f'ALTER TABLE "rebuilt" RENAME TO {name}')
    for (statement,) in others:
        _run(connection, statement)


# --- to version 3: what counts only over sessions; commits and pull requests become history


def _to_3(connection: sqlite3.Connection) -> None:
    """Add the table of observations, and make episodes of memories that only say what was done."""
    _add_observations(connection)
    _move_to_history(connection)


def _add_observations(connection: sqlite3.Connection) -> None:
    _run(
        connection,
        'CREATE TABLE IF NOT EXISTS "observation" ("topic" TEXT NOT NULL, "key" TEXT NOT NULL, '
        '"session" TEXT NOT NULL, "succeeded" INTEGER NOT NULL, "failed" INTEGER NOT NULL, '
        '"text" TEXT NOT NULL, "message" TEXT NOT NULL, "offset" INTEGER NOT NULL, "time" REAL, '
        '"branch" TEXT NOT NULL, PRIMARY KEY ("topic", "key", "session"))',
    )
    _run(
        connection,
        'CREATE INDEX IF NOT EXISTS "observation_session" ON "observation" ("session")',
    )


_HISTORY_RULES = ("rule:commit", "rule:commit-subject", "rule:pull-request")
_FROM_MESSAGES = f"""
SELECT id, title, content, kind, status, "commit", details FROM memory m
WHERE rule IN ({",".join("?" * len(_HISTORY_RULES))}) AND status IN ('active', 'suggested')
AND kind <> 'episode' AND NOT pinned AND NOT EXISTS (
    SELECT 1 FROM journal_row r JOIN journal j ON j.number = r.entry
    WHERE r.memory = m.id AND r."table" = 'memory' AND r.after <> '+' AND j.undone_by IS NULL
    AND j.verb NOT IN ('undo', 'redo', 'open') AND j.actor IN ('person', 'agent'))
ORDER BY number
"""
"""What rules made of messages and no user has changed, kept or pinned since."""

_GIVES_CAUSE = re.compile(
    r"\b(?:not|no|never|only|wrong\w*|fail\w*|broke\w*|crash\w*|lost|lack\w*|miss(?:es|ed|ing)"
    r"|reject\w*|ignor\w*|caus(?:e|es|ed|ing)|stale|invalid|duplicat\w*|leak\w*|race|timeouts?"
    r"|because|due to|while|but|\w+n['’]t)\b|потому что|так как|из-за",
    re.IGNORECASE,
)
_GIVES_REASON = re.compile(
    r"\b(?:because|since|so that|due to|instead of|rather than|otherwise|to avoid|to prevent"
    r"|without|would|no longer|never|must|cannot|can['’]t|won['’]t|doesn['’]t)\b"
    r"|потому что|так как|из-за",
    re.IGNORECASE,
)
_OF_THE_CHANGE = re.compile(r"(?:this|it|these|also|now|all|the new|the change)\b", re.IGNORECASE)


def _move_to_history(connection: sqlite3.Connection) -> None:
    """Make episodes of the memories of commits and pull requests that give no cause or reason.

    One entry of the journal names what was changed, so that it can be undone.
    """
    found = connection.execute(_FROM_MESSAGES, _HISTORY_RULES).fetchall()
    moved = [row for row in found if not _says_why(row["content"], row["kind"])]
    if not moved:
        return
    entry = _journal_entry(connection, len(moved))
    notes = [_moved(connection, row) for row in moved]
    notes += _close_proposals(connection, {row["id"] for row in moved})
    for place, note in enumerate(notes):
        _run(
            connection,
            "INSERT INTO journal_row VALUES (?, ?, ?, ?, ?, ?, ?)",
            (entry, place, *note),
        )
    _run(connection, "UPDATE meta SET value = value + 1 WHERE key = 'revision'")


def _says_why(content: str, kind: str) -> bool:
    """Whether a message says in full sentences what was wrong, or why something was chosen."""
    from cortex_core.language import verbs

    if "\nCause: " in content:
        return True
    wanted = _GIVES_CAUSE if kind == "solution" else _GIVES_REASON
    _, _, body = content.partition("\n")
    prose = " ".join(line for line in body.split("\n") if not line.lstrip().startswith(("-", "*")))
    for sentence in re.split(r"(?<=[.!?])\s+", prose):
        first = sentence.partition(" ")[0].casefold()
        reports = verbs.is_verb(first) or bool(verbs.base(first)) or _OF_THE_CHANGE.match(sentence)
        if not reports and wanted.search(sentence) and verbs.has_verb(sentence):
            return True
    return False


def _journal_entry(connection: sqlite3.Connection, count: int) -> int:
    label = f"move {counted(count, 'commit or pull request', 'commits and pull requests')}"
    _run(
        connection,
        "INSERT INTO journal (time, actor, verb, label, action) "
        "VALUES (?, 'import', 'migrate', ?, ?)",
        (time.time(), f"{label} to the history", secrets.token_hex(8)),
    )
    return int(connection.execute("SELECT last_insert_rowid()").fetchone()[0])


_Note = tuple[str, str, str, str, str]
"""Table, key, memory, the columns before and after, as the journal keeps them."""


def _moved(connection: sqlite3.Connection, row: sqlite3.Row) -> _Note:
    """Make one memory an episode."""
    event = {"event": f"commit:{row['commit'][:7]}"} if row["commit"] else {}
    details = rows.dumps({**json.loads(row["details"]), **event})
    new = {"kind": "episode", "status": "active", "title": _told(row["title"]), "details": details}
    changed = {name: value for name, value in new.items() if row[name] != value}
    sets = ", ".join(f"{name} = ?" for name in changed)
    _run(connection, f"UPDATE memory SET {sets} WHERE id = ?", (*changed.values(), row["id"]))
    before = {name: row[name] for name in changed}
    return "memory", rows.dumps(row["id"]), row["id"], rows.dumps(before), rows.dumps(changed)


def _told(title: str) -> str:
    """The title in the past tense where it begins with an English verb."""
    from cortex_core.language import verbs

    first, space, rest = title.partition(" ")
    is_order = verbs.is_verb(first.casefold())
    return f"{verbs.past(first.casefold()).capitalize()}{space}{rest}" if is_order else title


def _close_proposals(connection: sqlite3.Connection, moved: set[str]) -> list[_Note]:
    """Close the proposals to merge episodes: entries of the history are no duplicates."""
    notes = []
    asked = "SELECT number, members FROM proposal WHERE status = 'open'"
    for number, members in connection.execute(asked).fetchall():
        if moved.intersection(json.loads(members)):
            _run(connection, "UPDATE proposal SET status = 'distinct' WHERE number = ?", (number,))
            before, after = rows.dumps({"status": "open"}), rows.dumps({"status": "distinct"})
            notes.append(("proposal", rows.dumps(number), "", before, after))
    return notes


# --- to version 4: where a change was made, and whether it spans both stores


def _to_4(connection: sqlite3.Connection) -> None:
    """Add what an undo must know about changes of the global store: whose they are."""
    _run(connection, 'ALTER TABLE journal ADD COLUMN "origin" TEXT')
    _run(connection, 'ALTER TABLE journal ADD COLUMN "spans" INTEGER')


# --- to version 6: vectors of a model that another stands in for are kept


def _to_6(connection: sqlite3.Connection) -> None:
    """Add the table of vectors that are put aside while their model cannot be used."""
    _run(
        connection,
        'CREATE TABLE IF NOT EXISTS "kept_vector" ("number" INTEGER NOT NULL, '
        '"model" TEXT NOT NULL, "dimension" INTEGER NOT NULL, "text_hash" TEXT NOT NULL, '
        '"vector" BLOB NOT NULL, "bits" BLOB NOT NULL, "pieces" BLOB NOT NULL, '
        'PRIMARY KEY ("number", "model"), FOREIGN KEY ("number") REFERENCES "memory" ("number") '
        "ON DELETE CASCADE)",
    )
    _run(
        connection,
        'CREATE INDEX IF NOT EXISTS "kept_vector_number" ON "kept_vector" ("number")',
    )


# --- to version 7: a look is no use


def _to_7(connection: sqlite3.Connection) -> None:
    """Move the counts of looks to their own column, and count the sessions that used a memory.

    Until then what a recall found counted as used.
    """
    _run(connection, "UPDATE memory SET looks = access_count WHERE access_count > 0")
    _run(
        connection,
        "UPDATE memory SET (access_count, last_access) = (SELECT count(DISTINCT r.session), "
        "max(r.time) FROM receipt r WHERE r.memory = memory.id AND r.used = 1) "
        "WHERE access_count > 0 OR last_access IS NOT NULL "
        "OR id IN (SELECT memory FROM receipt WHERE used = 1)",
    )


# --- to version 9: whether rules were kept, and what memories name of their project


def _to_9(connection: sqlite3.Connection) -> None:
    """Add what is worked out of the sessions that were read, and of the project's files."""
    _add_occasions(connection)
    _add_anchors(connection)


def _add_occasions(connection: sqlite3.Connection) -> None:
    _run(
        connection,
        'CREATE TABLE IF NOT EXISTS "occasion" ("memory" TEXT NOT NULL, "use" INTEGER NOT NULL, '
        '"session" TEXT NOT NULL, "time" REAL NOT NULL, "turn" INTEGER NOT NULL, '
        '"message" TEXT NOT NULL, "offset" INTEGER NOT NULL, "transcript" TEXT NOT NULL, '
        '"call" TEXT NOT NULL, "kept" INTEGER NOT NULL, PRIMARY KEY ("memory", "use"))',
    )
    _run(
        connection,
        'CREATE INDEX IF NOT EXISTS "occasion_transcript" ON "occasion" ("transcript")',
    )


def _add_anchors(connection: sqlite3.Connection) -> None:
    _run(
        connection,
        'CREATE TABLE IF NOT EXISTS "anchor" ("memory" TEXT NOT NULL, "kind" TEXT NOT NULL, '
        '"name" TEXT NOT NULL, "key" TEXT NOT NULL, "value" TEXT NOT NULL, "path" TEXT NOT NULL, '
        '"line" INTEGER NOT NULL, "commit" TEXT NOT NULL, "state" TEXT NOT NULL, '
        '"since" REAL NOT NULL, "now" TEXT NOT NULL, "content_hash" TEXT NOT NULL, '
        'PRIMARY KEY ("memory", "kind", "name"))',
    )


# --- to version 10: words in scripts without blanks can be found, conversations forgotten


def _to_10(connection: sqlite3.Connection) -> None:
    """Add what the index of words needs besides, and the table of forgotten sessions."""
    _add_index_words(connection)
    _run(connection, 'CREATE INDEX IF NOT EXISTS "source_session" ON "source" ("session")')
    _run(
        connection,
        'CREATE TABLE IF NOT EXISTS "forgotten" ("session" TEXT NOT NULL PRIMARY KEY, '
        '"title" TEXT NOT NULL, "time" REAL NOT NULL)',
    )


def _add_index_words(connection: sqlite3.Connection) -> None:
    """Add to each memory's context what its index needs besides, as `rows.with_index_words` does
    from now on."""
    texts = "title || content || tags || context"
    asked = (
        "SELECT number, title, content, tags, context FROM memory "
        f"WHERE length(CAST({texts} AS BLOB)) > length({texts})"  # letters that are not ASCII
    )
    for number, *held in connection.execute(asked).fetchall():
        if words := scripts.index_words("\n".join(held)):
            context = f"{held[-1]}\n{words}"
            _run(connection, "UPDATE memory SET context = ? WHERE number = ?", (context, number))


# --- to version 11: machines exchange their journals


def _to_11(connection: sqlite3.Connection) -> None:
    """Add what sync notes of entries and of the rows that machines share."""
    _run(connection, 'ALTER TABLE "journal" ADD COLUMN "machine" TEXT')
    _run(connection, 'ALTER TABLE "journal" ADD COLUMN "stamp" TEXT')
    _run(connection, 'CREATE INDEX IF NOT EXISTS "journal_stamp" ON "journal" ("stamp")')
    _run(
        connection,
        'CREATE TABLE IF NOT EXISTS "synced" ("object" TEXT NOT NULL PRIMARY KEY, '
        '"stamps" TEXT NOT NULL, "row" TEXT)',
    )
    _run(
        connection,
        'CREATE INDEX IF NOT EXISTS "synced_hidden" ON "synced" ("object") WHERE "row" IS NOT NULL',
    )


MIGRATIONS: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: _to_2,
    2: _to_3,
    3: _to_4,
    5: _to_6,
    6: _to_7,
    8: _to_9,
    9: _to_10,
    10: _to_11,
}
"""From an older version the step to the next one, where it does more than add columns. The columns
of new fields are there then."""
