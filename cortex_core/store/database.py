"""A SQLite file that can be changed: connections per thread, short reads, errors in words.

Stores of memories and archives of conversations are such files.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cortex_core.base import trust
from cortex_core.base.errors import StoreError, StoreUnusable
from cortex_core.base.project import OF_OTHERS
from cortex_core.records.memory import Scope
from cortex_core.store import foreign, opening, text_columns
from cortex_core.store.reader import Reader
from cortex_core.store.rows import Row

if TYPE_CHECKING:
    from cortex_core.redaction.redactor import Redactor
    from cortex_core.store.table_models import StoreDatabase


class _Connections(threading.local):
    """The calling thread's connection."""

    own: sqlite3.Connection | None = None
    is_noted = False
    """Whether the logs of this connection are noted as this user's own, as far as they need it."""


class DatabaseFile(Reader):
    """An open SQLite file that can be changed.

    Connections are per thread; `close` ends the calling thread's. peewee is loaded by the first
    write: whoever only reads does without.

    Raises:
        StoreError: the file is locked, corrupt or gone; the message says what to do.
    """

    TABLES: ClassVar[Set[str]] = foreign.OURS
    """Tables by which the file is recognised as one of this kind."""

    def __init__(
        self,
        path: Path,
        scope: Scope,
        *,
        writable: bool,
        clock: Callable[[], float] = time.time,
        secret_patterns: Callable[[], Sequence[str]] = tuple,
        note: str = "",
    ) -> None:
        """Args:
        note: where it is noted that the file is this user's own (`base/trust.py`), if it is in a
            project.
        """
        super().__init__(str(path), scope)
        self._note = note
        self.path = path
        self.writable = writable
        self.clock = clock
        self._secret_patterns = secret_patterns
        self._connections = _Connections()
        self._database: StoreDatabase | None = None
        self._lock = threading.Lock()

    @property
    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection, which reads and writes share."""
        if self._connections.own is None:
            if self._note and (strange := trust.strange_log(self._note, self.file)):
                raise StoreUnusable(f"{strange}. {OF_OTHERS}")
            self._connections.own = opening.connect(
                self.path, writable=self.writable, tables=self.TABLES
            )
            self._connections.is_noted = not (self._note and self.writable)
            with suppress(OSError):  # a full disk does not keep anybody from reading
                self._note_logs()
        return self._connections.own

    @property
    def database(self) -> StoreDatabase:
        """peewee's side of the same connections."""
        if self._database is None:
            from cortex_core.store.table_models import StoreDatabase

            with self._lock:
                if self._database is None:
                    self._database = StoreDatabase(self.file, lambda: self.connection)
        return self._database

    def close(self) -> None:
        """End this thread's connection."""
        if self._database is not None and not self._database.is_closed():
            self._database.close()
        if self._connections.own is not None:
            self._connections.own.close()
            self._connections.own = None

    # --- reading

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """The rows of one short read."""
        try:
            return super().rows(sql, parameters)
        except opening.database_errors() as error:
            raise opening.translation(self.path, error) from error

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several reads of one state of the store, whatever others write meanwhile."""
        with opening.translated(self.path), self._transaction("DEFERRED") as connection:
            yield connection

    # --- writing

    @property
    def redactor(self) -> Redactor:
        """What every text passes before it is written. Loaded late: reading does without."""
        from cortex_core.redaction import redactor

        return redactor.shared(tuple(self._secret_patterns()))

    def clean(self, value: str) -> str:
        """A text without secrets, as the store keeps it: look up names and paths from outside so.

        Raises:
            ConfigError: a pattern in the setting `redact.extra` is not valid.
        """
        return self.redactor.text(value)

    @contextmanager
    def write(self) -> Iterator[None]:
        """One immediate transaction, for bookkeeping that is no change of a user's data."""
        self._must_be_writable()
        with opening.translated(self.path), self.database.atomic("IMMEDIATE"):
            yield

    def _note_logs(self) -> None:
        """Note that the logs are this user's own, unless that is done.

        Raises:
            OSError: it cannot be noted.
        """
        if not self._connections.is_noted:
            trust.note_logs(self._note, self.file)
            self._connections.is_noted = True

    def filtered(self, table: str, row: Row) -> Row:
        """All or some columns of `table` as they may be written, without secrets."""
        return text_columns.filtered(self.redactor, table, row)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run one statement that writes; the caller has opened the transaction."""
        try:
            return self.database.run(sql, parameters)
        except opening.database_errors() as error:
            raise opening.translation(self.path, error) from error

    def set_meta(self, key: str, value: str) -> None:
        """Set one meta row; not a journalled change."""
        row = self.filtered("meta", {"key": key, "value": value})
        with self.write():
            self.execute(
                "INSERT INTO meta VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (row["key"], row["value"]),
            )

    def drop_meta(self, key: str) -> None:
        """Remove one meta row; not a journalled change."""
        with self.write():
            self.execute("DELETE FROM meta WHERE key = ?", (self.clean(key),))

    @contextmanager
    def without_waiting(self) -> Iterator[None]:
        """What is written inside fails at once where another process holds the lock.

        For what is only a part of reading: an answer never waits for it.
        """
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {opening.BUSY_MS}")

    # --- inside a transaction

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        """A transaction without peewee; inside one that is open already, a part of that."""
        connection = self.connection
        if connection.in_transaction:
            yield connection
            return
        connection.execute(f"BEGIN {kind}")
        with connection:
            yield connection

    def _must_be_writable(self) -> None:
        if not self.writable:
            raise StoreError(
                f"{self.path} is read-only. Nothing was changed. Give yourself write permission on "
                "the file and its folder, then try again."
            )
        with opening.translated(self.path):
            _ = self.connection  # which is opened by that, and with it the log
        try:
            self._note_logs()  # what a log holds that is not noted would not be believed
        except OSError as error:
            raise StoreUnusable(
                f"{self.path} cannot be written: {error.strerror}. Nothing was changed. Free "
                "some space."
            ) from error
