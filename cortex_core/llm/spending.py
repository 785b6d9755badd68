"""What was spent: every call with its project and cost, on the global side, under one daily cap.

A call is entered at the most it can cost before it is made, so that neither two workers at once nor
one that is killed can spend more than the cap.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core.base.errors import ModelFailed
from cortex_core.llm.protocol import Purpose, Usage

FILE = "spend.db"

KEEP_DAYS = 400
"""Days after which a call is forgotten."""

WAIT = 5.0
"""Seconds to wait for another process that writes."""

_TABLE = """
CREATE TABLE IF NOT EXISTS call (
    number INTEGER PRIMARY KEY, day TEXT NOT NULL, time REAL NOT NULL, project TEXT NOT NULL,
    purpose TEXT NOT NULL, extractor TEXT NOT NULL, model TEXT NOT NULL,
    tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL, settled INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS call_day ON call (day);
"""


class ModelCall(NamedTuple):
    """One call to a model."""

    time: float
    project: str
    purpose: Purpose
    extractor: str
    model: str
    tokens: int
    cost: float
    """US dollars; of a call whose end is not known, the most it can have been."""
    seconds: float
    error: str


class Spending:
    """The record of what models cost this person; safe from several processes and threads."""

    def __init__(
        self, home: str | Path, cap: float, clock: Callable[[], float] = time.time
    ) -> None:
        """`home`: the global side's folder; `cap`: US dollars a day, over all projects."""
        self._path = Path(home, FILE)
        self.cap = cap
        self._clock = clock

    def reserve(
        self, project: str, purpose: Purpose, extractor: str, model: str, most: float
    ) -> int:
        """Enter a call that can cost `most` US dollars; its number.

        Raises:
            ModelFailed: the cap would be passed, or the record cannot be kept.
        """
        now = self._clock()
        try:
            with self._writing() as database:
                spent = _spent(database, day_of(now))
                if spent + most > self.cap:
                    raise ModelFailed(
                        f"the daily limit of ${self.cap:g} is reached (${spent:.4f} spent, and the "
                        f"next call may cost ${most:.4f})",
                        cause="not asked",
                    )
                oldest = day_of(now - KEEP_DAYS * 86_400)
                database.execute("DELETE FROM call WHERE day < ?", (oldest,))
                made = database.execute(
                    "INSERT INTO call (day, time, project, purpose, extractor, model, cost) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (day_of(now), now, project, purpose, extractor, model, most),
                )
                return int(made.lastrowid or 0)
        except (OSError, sqlite3.Error) as error:
            raise ModelFailed(
                f"the cost cannot be recorded in {self._path} ({error})", cause="not asked"
            ) from error

    def settle(
        self, number: int, usage: Usage, cost: float | None, seconds: float, error: str = ""
    ) -> None:
        """Enter how a call ended; `cost` None leaves it at the most it can have cost.

        A record that cannot be written leaves it there as well.
        """
        try:
            with self._writing() as database:
                database.execute(
                    "UPDATE call SET tokens = ?, cost = coalesce(?, cost), seconds = ?, error = ?, "
                    "settled = 1 WHERE number = ?",
                    (usage.total, cost, seconds, error, number),
                )
        except (OSError, sqlite3.Error):
            return

    def today(self, project: str | None = None) -> float:
        """US dollars spent since midnight, by all projects or one."""
        tail, values = ("", ()) if project is None else (" AND project = ?", (project,))
        found = self._read(
            f"SELECT coalesce(sum(cost), 0) FROM call WHERE day = ?{tail}",
            (day_of(self._clock()), *values),
        )
        return float(found[0][0]) if found else 0.0

    def days(self, project: str | None = None) -> dict[str, float]:
        """US dollars by day (`YYYY-MM-DD`), the newest first."""
        tail, values = ("", ()) if project is None else ("WHERE project = ? ", (project,))
        found = self._read(
            f"SELECT day, sum(cost) FROM call {tail}GROUP BY day ORDER BY day DESC", values
        )
        return {str(day): float(cost) for day, cost in found}

    def calls(self, limit: int = 100) -> list[ModelCall]:
        """The newest calls, newest first."""
        found = self._read(
            "SELECT time, project, purpose, extractor, model, tokens, cost, seconds, error "
            "FROM call ORDER BY number DESC LIMIT ?",
            (limit,),
        )
        return [ModelCall(*values) for values in found]

    def _read(self, sql: str, values: tuple[object, ...]) -> list[tuple[Any, ...]]:
        if not self._path.exists():
            return []
        try:
            with closing(sqlite3.connect(self._path, timeout=WAIT)) as database:
                return database.execute(sql, values).fetchall()
        except sqlite3.Error:
            return []

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._path.exists():
            self._path.touch(mode=0o600)
        with closing(sqlite3.connect(self._path, timeout=WAIT, isolation_level=None)) as database:
            database.executescript(_TABLE)
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")


def day_of(moment: float) -> str:
    """The user's day at `moment`, `YYYY-MM-DD`."""
    return time.strftime("%Y-%m-%d", time.localtime(moment))


def _spent(database: sqlite3.Connection, day: str) -> float:
    found = database.execute("SELECT coalesce(sum(cost), 0) FROM call WHERE day = ?", (day,))
    return float(found.fetchone()[0])
