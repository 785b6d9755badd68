"""One store: a SQLite file of memories, opened safely, read in short reads, changed only through
its journal.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import log
from pathlib import Path
from typing import Any

from cortex_core import permissions
from cortex_core.base.errors import NotFound, UndoConflict, UsageError
from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_core.records.changes import JournalEntry as Entry
from cortex_core.records.memory import Actor, Memory, Scope, Source
from cortex_core.store import journal, opening, reader, rows
from cortex_core.store.database import DatabaseFile

TICK = 1e-6
"""Seconds between changes that were made at one reading of the clock."""

BY_HAND: tuple[Actor, ...] = ("person", "agent", "import")
"""Whose changes a plain undo takes back: never what a worker captured meanwhile."""

LOCAL = frozenset({"scrub"})
"""The verbs that change the copy of what the team has: a secret leaves this machine's files."""

_RAISE_REVISION = "UPDATE meta SET value = value + 1 WHERE key = 'revision'"

_DEGREES = """
SELECT json_group_object(target, degree)
FROM (SELECT target, count(*) AS degree FROM edge GROUP BY target)
"""
"""In one row: a step of the database for each of 100,000 takes three times as long."""


class Owner:
    """What a store asks of whoever opened it. As it is here, nobody answers: it is opened alone."""

    origin = ""
    """The mark of the project that changes are made in, "" outside of any."""

    def kinds_of(self, scope: Scope) -> Kinds:
        """How long the kinds of memories last in the store of `scope`."""
        return DEFAULT

    def secret_patterns(self) -> Sequence[str]:
        """The user's own patterns (setting `redact.extra`), for the redactor that every text passes
        before it is written."""
        return ()

    def newest_elsewhere(self, scope: Scope) -> float:
        """When the other one of the user's own stores than that of `scope` was changed last."""
        return 0.0

    def note_of(self, scope: Scope) -> str:
        """Where it is noted that the store of `scope` is this user's own; empty for none."""
        return ""

    def created(self, scope: Scope, identity: str) -> None:
        """Take notice of a store that is about to be created, by its identity."""

    def acted(self, action: str, *, is_undo: bool) -> None:
        """Take notice of a change that is made here, by its action; an undo or a redo with
        `is_undo`."""

    def existing(self, scope: Scope) -> Store | None:
        """The store of `scope`, where there is one."""
        return None


class Store(DatabaseFile):
    """An open store that can be changed.

    Everything written to the journalled tables goes through `change`. peewee is loaded by the first
    of these, and by opening a store that has to be created or migrated.

    Raises:
        StoreError: the store is locked, corrupt or gone; the message says what to do.
    """

    def __init__(
        self,
        path: Path,
        scope: Scope,
        *,
        writable: bool,
        clock: Callable[[], float],
        owner: Owner,
    ) -> None:
        super().__init__(
            path,
            scope,
            writable=writable,
            clock=clock,
            secret_patterns=owner.secret_patterns,
            note=owner.note_of(scope),
        )
        self.origin = owner.origin
        self.kinds = owner.kinds_of(scope)
        self._owner = owner
        self._degrees: tuple[int | None, dict[str, int], int] = (None, {}, 0)
        """At which revision, how many edges point to each memory, and the most of them."""

    @classmethod
    def open(
        cls,
        path: str | Path,
        scope: Scope,
        *,
        create: bool = True,
        clock: Callable[[], float] = time.time,
        owner: Owner | None = None,
    ) -> Store:
        """Open the store at `path`, creating or migrating it where needed.

        Raises:
            StoreError: it is missing (with `create` off), locked, corrupt, too old or too new, on a
                network file system, or its folder cannot be written; the message says which.
        """
        path = Path(path)
        writable = opening.prepare(path, create=create)
        store = cls(path, scope, writable=writable, clock=clock, owner=owner or Owner())
        try:
            with opening.translated(path):
                store._bring_up_to_date()
        except BaseException:
            store.close()
            raise
        return store

    # --- reading

    def memories(self, ids: Sequence[str]) -> list[Memory]:
        """The memories called `ids`, in that order; unknown ids are left out."""
        asked = "WHERE m.id IN (SELECT value FROM json_each(?))"
        found = {memory.id: memory for memory in self.select(asked, (rows.dumps(list(ids)),))}
        return [found[name] for name in ids if name in found]

    def select(self, where: str = "", parameters: Sequence[Any] = ()) -> list[Memory]:
        """The memories that an SQL tail (`WHERE … ORDER BY … LIMIT …` over `m`) picks."""
        found = self.rows(f"{rows.SELECT} {where}", parameters)
        ids = [row["id"] for row in found]
        central, now = self.centrality(ids), self.clock()
        return [
            rows.to_memory(
                row, self.scope, now, kinds=self.kinds, centrality=central.get(name, 0.0)
            )
            for name, row in zip(ids, found, strict=True)
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
            found[0],
            self.scope,
            self.clock(),
            kinds=self.kinds,
            centrality=central,
            sources=self.sources(name),
        )

    def sources(self, name: str) -> tuple[Source, ...]:
        """Every source of a memory, oldest first."""
        return tuple(
            rows.source_of(dict(row))
            for row in self.rows("SELECT * FROM source WHERE memory = ? ORDER BY id", (name,))
        )

    def centrality(self, ids: Iterable[str]) -> dict[str, float]:
        """In-degree of each memory as a share of the store's highest, 0 to 1; zeros left out."""
        # Read again only when the store has changed, and in every transaction, which sees its own.
        revision = None if self.connection.in_transaction else self.revision
        held = self._degrees
        if revision is None or held[0] != revision:
            degrees: dict[str, int] = json.loads(self.value(_DEGREES))
            held = self._degrees = (revision, degrees, max(degrees.values(), default=0))
        return {name: held[1][name] / held[2] for name in ids if name in held[1]}

    @property
    def team(self) -> Store | None:
        """What the project's team has: it needs not be learned again. None without a team."""
        return None if self.scope == "team" else self._owner.existing("team")

    @property
    def max_log(self) -> float:
        """`log(access_count + 1)` of the most used active memory."""
        return log(self.most_accessed + 1)

    # --- writing

    @contextmanager
    def durable(self) -> Iterator[None]:
        """What is committed inside is on the disk then, even if the machine loses its power.

        Otherwise the newest commits may be lost: each whole, but in one store and not in another.
        """
        with opening.translated(self.path):
            self.connection.execute("PRAGMA synchronous = full")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self.connection.execute("PRAGMA synchronous = normal")

    @contextmanager
    def change(
        self,
        verb: str,
        label: str,
        actor: Actor = "person",
        action: str = "",
        *,
        resumes: bool = False,
        machine: str | None = None,
        stamp: str | None = None,
    ) -> Iterator[journal.Change]:
        """One transaction and one journal entry; no entry is left where nothing was written.

        Args:
            verb: the product's word for it, such as `pin`.
            label: what was done, in words a user recognises.
            action: shared by entries of both stores that belong to one action.
            resumes: write under the newest entry, if that is of the same action, and give it
                `label`: for what is written in several transactions.
            machine: the writer on another machine whose entry this repeats, and its `stamp`.

        Raises:
            UsageError: the store is the team's, and this is neither from its hub nor a scrub.
        """
        from cortex_core.store.table_models import JournalTable

        if self.scope == "team" and actor != "team" and verb not in LOCAL:
            raise UsageError(
                f"This belongs to the team. Nothing was changed. {permissions.OF_TEAM} ID"
            )
        action = action or secrets.token_hex(8)
        label = self.clean(label)  # before anybody has to wait: the filter is made at first use
        with self.write():
            now = self.clock()
            # Later than every change before it in both stores, even if the clock was set back or is
            # coarse: undo takes the newest of both.
            before = max(journal.newest_time(self), self._owner.newest_elsewhere(self.scope))
            columns = {"time": max(now, before + TICK), "label": label}
            resumed = journal.resumable(self, action, machine) if resumes else None
            if resumed is None:
                written = 0
                number = JournalTable.insert(
                    **columns,
                    actor=actor,
                    verb=verb,
                    action=action,
                    origin=self.origin,
                    machine=machine,
                    stamp=stamp,
                ).execute(self.database)
            else:
                number, written = resumed
                JournalTable.update(**columns).where(JournalTable.number == number).execute(
                    self.database
                )
            made = journal.Change(self, number, now, written)
            yield made
            if not made.written and not made.kept:
                JournalTable.delete().where(JournalTable.number == number).execute(self.database)
            else:
                self._owner.acted(action, is_undo=verb in journal.INVERSES)
                self.execute(_RAISE_REVISION)

    def count_looks(self, ids: Sequence[str]) -> None:
        """Count one look at each memory, which changes nothing else: not even the revision, unless
        it is the first look at what the team sent, which is marked until then.

        It is part of reading, so it does without peewee.
        """
        if not ids:
            return
        self._must_be_writable()
        with opening.translated(self.path), self._transaction("IMMEDIATE") as connection:
            for part in reader.parts(ids):
                unseen = f"SELECT 1 FROM memory WHERE looks = 0 AND id IN ({reader.marks(part)})"
                if self.scope == "team" and connection.execute(unseen, part).fetchone():
                    connection.execute(_RAISE_REVISION)
                connection.execute(
                    f"UPDATE memory SET looks = looks + 1 WHERE id IN ({reader.marks(part)})", part
                )

    # --- journal

    def log(
        self,
        limit: int = 20,
        memory: str | None = None,
        *,
        words: str = "",
        actors: Sequence[Actor] = (),
    ) -> list[Entry]:
        """The newest journal entries, newest first.

        Args:
            memory: only what changed the memory with this id.
            words: only those whose label has each of these words.
            actors: only those that one of these made.
        """
        return journal.entries(self, limit, memory, words=words, actors=actors)

    def entry(self, number: int) -> Entry:
        """One journal entry."""
        return journal.entry(self, number)

    def last(
        self,
        verb: str,
        actors: Iterable[Actor] = BY_HAND,
        *,
        anywhere: bool = False,
        action: str | None = None,
    ) -> Entry | None:
        """The newest entry that can be undone (`verb` = "undo") or redone ("redo").

        Args:
            anywhere: whether entries of the global store count that other projects made.
            action: only entries of this action.
        """
        is_shared = self.scope == "global" and not anywhere
        return journal.last(self, verb, actors, self.origin if is_shared else None, action)

    def invert(self, number: int, verb: str, actor: Actor = "person", action: str = "") -> Entry:
        """Undo the entry `number`, or redo the undo entry `number`; the new entry.

        Raises:
            NotFound: there is no such entry.
            UndoConflict: it was taken back already, or what it wrote has changed since.
        """
        old = self.entry(number)
        if old.undone_by is not None:
            raise UndoConflict(f"Change {number} is already undone. Nothing was changed.")
        if old.verb in journal.FOR_GOOD:
            raise UndoConflict(
                f"“{old.label}” is permanent and cannot be undone. Nothing was changed."
            )
        if (verb == "redo") != (old.verb == "undo"):
            raise UsageError(f"It is not possible to {verb} change {number}. Nothing was changed.")
        with self.change(verb, old.label, actor, action) as made:
            made.kept = True
            journal.invert(self, made, old)
            made.mark_undone(old, verb)
        return self.entry(made.number)

    # --- inside a transaction

    def _bring_up_to_date(self) -> None:
        if reader.version(self.connection) == reader.SCHEMA_VERSION:
            return
        from cortex_core.store import migrations

        migrations.bring_up_to_date(
            self.connection,
            self.path,
            writable=self.writable,
            create=self._create,
            scope=self.scope,
        )

    def _create(self) -> None:
        from cortex_core.store import table_models

        table_models.create(self.database)
        identity = str(uuid.uuid4())
        self._owner.created(self.scope, identity)
        for key, value in (
            ("identity", identity),
            ("created", repr(self.clock())),
            ("revision", "0"),
        ):
            self.execute("INSERT INTO meta VALUES (?, ?)", (key, value))
