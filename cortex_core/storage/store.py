"""One store: a SQLite file of memories, opened safely, read in short reads, changed only through
its journal.
"""

from __future__ import annotations

import json
import secrets
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import log
from pathlib import Path
from typing import Any

import peewee

from cortex_core.errors import NotFound, StoreError, UndoConflict, UsageError
from cortex_core.kinds import DEFAULT, Kinds
from cortex_core.memory import Actor, Memory, Scope, Source
from cortex_core.records import Change as Entry
from cortex_core.storage import journal, opening, rows, schema
from cortex_core.storage.journal import Change

BY_HAND: tuple[Actor, ...] = ("person", "agent", "import")
"""Whose changes a plain undo takes back: never what a worker captured meanwhile."""

CHUNK = 500
"""Most ids in one SQL statement."""


_DEGREES = """
SELECT json_group_object(target, degree)
FROM (SELECT target, count(*) AS degree FROM edge GROUP BY target)
"""
"""In one row: a step of the database for each of 100,000 takes three times as long."""


class Store:
    """An open store.

    Connections are per thread; `close` ends the calling thread's. Everything written to the
    journalled tables goes through `change`.
    """

    def __init__(
        self,
        path: Path,
        scope: Scope,
        database: peewee.SqliteDatabase,
        *,
        writable: bool,
        kinds: Kinds = DEFAULT,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.scope = scope
        self.database = database
        self.writable = writable
        self.kinds = kinds
        self.clock = clock
        self._steady: dict[str, tuple[int, Any]] = {}
        self.tables = schema.tables(database)

    @classmethod
    def open(
        cls,
        path: str | Path,
        scope: Scope,
        *,
        create: bool = True,
        kinds: Kinds = DEFAULT,
        clock: Callable[[], float] = time.time,
        named: Callable[[str], None] | None = None,
    ) -> Store:
        """Open the store at `path`, creating or migrating it where needed.

        Args:
            named: told the identity of a store that is created here, before it is there.

        Raises:
            StoreError: it is missing (with `create` off), locked, corrupt, too new, on a network
                file system, or its folder cannot be written; the message says which.
        """
        path = Path(path)
        database, writable = opening.connect(path, create=create)
        store = cls(path, scope, database, writable=writable, kinds=kinds, clock=clock)
        with opening.translated(path):
            opening.bring_up_to_date(
                store.tables, database, path, writable=writable, found=lambda: store._found(named)
            )
        return store

    def close(self) -> None:
        """End this thread's connection."""
        if not self.database.is_closed():
            self.database.close()

    # --- what the store says of itself

    def meta(self, key: str) -> str | None:
        """The value of one meta row."""
        found = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return found[0][0] if found else None

    def set_meta(self, key: str, value: str) -> None:
        """Set one meta row; not a journalled change."""
        with self.write():
            self._set_meta(key, value)

    @property
    def revision(self) -> int:
        """Raised by every change and every access update."""
        return int(self.meta("revision") or 0)

    @property
    def identity(self) -> str:
        """A random name given when the store was created."""
        return self.meta("identity") or ""

    # --- reading

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of one short read."""
        with opening.translated(self.path):
            return list(self.database.execute_sql(sql, parameters).fetchall())

    def memories(self, ids: Sequence[str]) -> list[Memory]:
        """The memories called `ids`, in that order; unknown ids are left out."""
        found: dict[str, Memory] = {}
        for start in range(0, len(ids), CHUNK):
            part = ids[start : start + CHUNK]
            marks = ",".join("?" * len(part))
            found.update(
                (memory.id, memory) for memory in self.select(f"WHERE m.id IN ({marks})", part)
            )
        return [found[name] for name in ids if name in found]

    def select(self, where: str = "", parameters: Sequence[Any] = ()) -> list[Memory]:
        """The memories that an SQL tail (`WHERE … ORDER BY … LIMIT …` over `m`) picks."""
        found = self.rows(f"{rows.SELECT} {where}", parameters)
        central = self.centrality([values[1] for values in found])
        now = self.clock()
        return [
            rows.to_memory(
                values, self.scope, now, kinds=self.kinds, centrality=central.get(values[1], 0.0)
            )
            for values in found
        ]

    def memory(self, name: str) -> Memory:
        """The memory called `name`, with its sources.

        Raises:
            NotFound: there is none.
        """
        found = self.rows(f"{rows.SELECT} WHERE m.id = ?", (name,))
        if not found:
            raise NotFound(f"There is no memory {name}. Nothing was changed.")
        central = self.centrality([name]).get(name, 0.0)
        return rows.to_memory(
            found[0], self.scope, self.clock(), kinds=self.kinds, centrality=central,
            sources=self.sources(name),
        )  # fmt: skip

    def sources(self, name: str) -> tuple[Source, ...]:
        """Every source of a memory, oldest first."""
        table = self.tables.source
        found = table.select().where(table.memory == name).order_by(table.id).dicts()
        return tuple(rows.source_of(row) for row in found)

    def centrality(self, ids: Iterable[str]) -> dict[str, float]:
        """In-degree of each memory as a share of the store's highest, 0 to 1; zeros left out."""
        degrees, most = self._until_changed("degrees", self._degrees)
        return {name: degrees[name] / most for name in ids if name in degrees}

    @property
    def max_log(self) -> float:
        """`log(accesses + 1)` of the most read active memory."""
        ((most,),) = self.rows("SELECT max(access_count) FROM memory WHERE status = 'active'")
        return log((most or 0) + 1)

    def _degrees(self) -> tuple[dict[str, int], int]:
        """How many edges point to each memory, and the highest of these numbers."""
        ((counted,),) = self.rows(_DEGREES)
        degrees: dict[str, int] = json.loads(counted)
        return degrees, max(degrees.values(), default=0)

    def _until_changed(self, name: str, read: Callable[[], Any]) -> Any:
        """What `read` gives; read again only when the store has changed."""
        revision = None if self.database.in_transaction() else self.revision
        held = self._steady.get(name)
        if held is not None and held[0] == revision:
            return held[1]
        found = read()
        if revision is not None:
            self._steady[name] = (revision, found)
        return found

    # --- writing

    @contextmanager
    def write(self) -> Iterator[None]:
        """One immediate transaction, for bookkeeping that is no change of a person's data."""
        self._must_be_writable()
        with opening.translated(self.path), self.database.atomic("IMMEDIATE"):
            yield

    @contextmanager
    def change(
        self, verb: str, label: str, actor: Actor = "person", action: str = ""
    ) -> Iterator[Change]:
        """One transaction and one journal entry; no entry is left where nothing was written.

        Args:
            verb: the product's word for it, such as `pin`.
            label: what was done, in words a person recognises.
            action: shared by entries of both stores that belong to one action.
        """
        with self.write():
            table, now = self.tables.journal, self.clock()
            number = table.insert(
                time=now, actor=actor, verb=verb, label=label,
                action=action or secrets.token_hex(8),
            ).execute()  # fmt: skip
            made = Change(self.tables, number, now)
            yield made
            if made.empty and not made.kept:
                table.delete().where(table.number == number).execute()
            else:
                self._raise_revision()

    def touch(self, ids: Sequence[str]) -> None:
        """Count one access of each memory."""
        if not ids:
            return
        with self.write():
            for start in range(0, len(ids), CHUNK):
                part = ids[start : start + CHUNK]
                self.database.execute_sql(
                    "UPDATE memory SET access_count = access_count + 1, last_access = ? "
                    f"WHERE id IN ({','.join('?' * len(part))})",
                    (self.clock(), *part),
                )
            self._raise_revision()

    # --- journal

    def log(self, limit: int = 20, memory: str | None = None) -> list[Entry]:
        """The newest journal entries, newest first."""
        with opening.translated(self.path):
            found = journal.entries(self.tables, limit, memory)
            return [journal.to_entry(self.tables, row, self.scope) for row in found]

    def entry(self, number: int) -> Entry:
        """One journal entry."""
        return journal.to_entry(self.tables, journal.get(self.tables, number), self.scope)

    def last(self, verb: str, actors: Iterable[Actor] = BY_HAND) -> Entry | None:
        """The newest entry that can be undone (`verb` = "undo") or redone ("redo")."""
        row = journal.last(self.tables, verb, actors)
        return None if row is None else journal.to_entry(self.tables, row, self.scope)

    def invert(self, number: int, verb: str, actor: Actor = "person", action: str = "") -> Entry:
        """Undo the entry `number`, or redo the undo entry `number`; the new entry.

        Raises:
            NotFound: there is no such entry.
            UndoConflict: it was taken back already, or what it wrote has changed since.
        """
        old = journal.get(self.tables, number)
        if old["undone_by"] is not None:
            raise UndoConflict(f"Change {number} was taken back already. Nothing was changed.")
        if old["verb"] in journal.FOR_GOOD:
            raise UndoConflict(f"“{old['label']}” is for good. Nothing was changed.")
        if (verb == "redo") != (old["verb"] == "undo"):
            raise UsageError(f"Change {number} cannot be given to {verb}. Nothing was changed.")
        table = self.tables.journal
        with self.change(verb, old["label"], actor, action) as made:
            made.kept = True
            journal.invert(made, self.tables, number, old["label"])
            table.update(undone_by=made.number).where(table.number == number).execute()
            table.update(undoes=number).where(table.number == made.number).execute()
            if verb == "redo":
                table.update(undone_by=None).where(table.number == old["undoes"]).execute()
        return self.entry(made.number)

    # --- inside a transaction

    def _found(self, named: Callable[[str], None] | None) -> None:
        identity = str(uuid.uuid4())
        if named is not None:
            named(identity)
        for key, value in (
            ("identity", identity), ("created", repr(self.clock())), ("revision", "0"),
        ):  # fmt: skip
            self.database.execute_sql("INSERT INTO meta VALUES (?, ?)", (key, value))

    def _raise_revision(self) -> None:
        self.database.execute_sql("UPDATE meta SET value = value + 1 WHERE key = 'revision'")

    def _set_meta(self, key: str, value: str) -> None:
        self.database.execute_sql(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def _must_be_writable(self) -> None:
        if not self.writable:
            raise StoreError(
                f"{self.path} can only be read. Nothing was changed. "
                "Give yourself write permission on the file and its folder, then try again."
            )
