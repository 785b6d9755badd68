"""Requests to a language model, their replies, what they cost, and the record of what was spent.

Prices are US dollars for a million tokens. `Spending` records every call of every project on the
global side and refuses calls above one daily cap.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from cortex_core.base import hook_io
from cortex_core.base.errors import ModelFailed
from cortex_core.records.model_replies import Reply, Usage
from cortex_core.redaction.stored_names import clean

BROKEN_OFF = "broken off"
"""What `Model.ask` adds to an answer of which the end is missing: only what was whole is in it."""

Purpose = Literal["extract", "edges", "merge", "describe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to the model, answered by one JSON object."""

    purpose: Purpose
    system: str
    """The instructions: the same for every request of its purpose."""
    text: str
    """The material that the instructions are about."""
    schema: Mapping[str, Any]
    """The JSON schema of the answer."""
    most_output: int = 4_096
    """Most tokens of the answer."""
    is_one_of_many: bool = False
    """Whether requests with the same system text follow soon, so that caching it pays."""


class Transport(Protocol):
    """One way to reach a model."""

    @property
    def name(self) -> str:
        """Its name in the ledger: `api`, `claude` or `codex`."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def overhead(self) -> int:
        """Tokens that this transport adds to every prompt."""

    def send(self, request: ModelRequest, timeout: float) -> Reply:
        """Send `request` once and wait at most `timeout` seconds.

        Raises:
            ModelFailed: nothing usable came back; it says why and what it may have cost.
        """


MILLION = 1_000_000


class Price(NamedTuple):
    """What a model costs, in US dollars for a million tokens."""

    input: float
    output: float
    step: int = 0
    """Tokens of a prompt above which the whole call costs more; 0: never."""
    factor: float = 1.0
    """How many times as much it costs then."""


CACHE_WRITE_FACTOR = 1.25
"""Price of a token that is written to the cache for five minutes, as a multiple of its price."""

CACHE_READ_FACTOR = 0.1
"""Price of a token that is read from the cache, as a fraction of its price."""

PLAN = Price(0.50, 2.50)
"""What a model of Codex counts as, whose price is not known or which a plan pays for: the dearest
price of the default model. So the default cap allows 300,000 tokens a day, ten medium sessions."""

PRICES: Mapping[str, Price] = {
    "claude-haiku-5-5": Price(0.10, 0.50, 100_000, 5.0),
    "claude-haiku-4-5": Price(1.0, 5.0),
    "claude-sonnet-5-5": Price(2.0, 10.0),
    "claude-opus-5-5": Price(4.0, 20.0),
    "claude-fable-5-2": Price(8.0, 40.0),
    "codex": PLAN,
    "gpt-": PLAN,
}

HIGHEST_PRICE = max(PRICES.values(), key=lambda price: price.output)


def price_of(model: str) -> Price:
    """The price of `model`; an unknown one counts as the most expensive, never as too cheap."""
    return next((price for name, price in PRICES.items() if model.startswith(name)), HIGHEST_PRICE)


def cost(model: str, usage: Usage) -> float:
    """Cost of a call, US dollars."""
    price = price_of(model)
    factor = price.factor if price.step and usage.prompt > price.step else 1.0
    prompt = (
        usage.input
        + usage.cache_written * CACHE_WRITE_FACTOR
        + usage.cache_read * CACHE_READ_FACTOR
    )
    return factor * (prompt * price.input + usage.output * price.output) / MILLION


FILE = "spend.db"

KEEP_DAYS = 400
"""Days for which calls are kept."""

WAIT = 5.0
"""Seconds to wait for another process that is writing."""

_TABLE = """
CREATE TABLE IF NOT EXISTS call (
    number INTEGER PRIMARY KEY, day TEXT NOT NULL, time REAL NOT NULL, project TEXT NOT NULL,
    purpose TEXT NOT NULL, extractor TEXT NOT NULL, model TEXT NOT NULL,
    tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL, settled INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS call_day ON call (day);
"""


class Spending:
    """The record of what models cost the user; several processes and threads may use it at once."""

    def __init__(
        self, home: str | Path, cap: float, clock: Callable[[], float] = time.time
    ) -> None:
        """`home`: the folder of the global side; `cap`: US dollars a day, over all projects."""
        self._path = Path(home, FILE)
        self.cap = cap
        self._clock = clock

    def reserve(
        self, project: str, purpose: Purpose, extractor: str, model: str, most: float
    ) -> int:
        """Record a call that can cost `most` US dollars, and return its number.

        The most it can cost counts until `settle`, so that calls at the same time cannot pass the
        cap together.

        Raises:
            ModelFailed: the cap would be passed, or the call cannot be recorded.
        """
        now = self._clock()
        try:
            with self._writing() as database:
                summed = "SELECT coalesce(sum(cost), 0) FROM call WHERE day = ?"
                ((spent,),) = database.execute(summed, (day_of(now),))
                if spent + most > self.cap:
                    raise ModelFailed(
                        f"the daily limit of ${self.cap:g} is reached (${spent:.4f} spent, and the "
                        f"next call may cost ${most:.4f})",
                        cause="not asked",
                    )
                # Cleaned here, since every call comes by.
                database.execute(
                    "DELETE FROM call WHERE day < ?", (day_of(now - KEEP_DAYS * 86_400),)
                )
                inserted = database.execute(
                    "INSERT INTO call (day, time, project, purpose, extractor, model, cost) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (day_of(now), now, clean(project), purpose, extractor, model, most),
                )
                return int(inserted.lastrowid or 0)
        except (OSError, sqlite3.Error) as error:
            raise ModelFailed(
                f"the cost cannot be recorded in {self._path} ({error})", cause="not asked"
            ) from error

    def settle(
        self, number: int, usage: Usage, cost: float | None, seconds: float, error: str = ""
    ) -> None:
        """Record how a call ended; `cost` None leaves it at the most it can have cost.

        So does a record that cannot be written.
        """
        try:
            with self._writing() as database:
                database.execute(
                    "UPDATE call SET tokens = ?, cost = coalesce(?, cost), seconds = ?, error = ?, "
                    "settled = 1 WHERE number = ?",
                    (usage.total, cost, seconds, clean(error), number),
                )
        except (OSError, sqlite3.Error):
            return

    def today(self, project: str | None = None) -> float:
        """US dollars spent since midnight, by all projects or one."""
        tail, values = ("", ()) if project is None else (" AND project = ?", (clean(project),))
        rows = self._read(
            f"SELECT coalesce(sum(cost), 0) FROM call WHERE day = ?{tail}",
            (day_of(self._clock()), *values),
        )
        return float(rows[0][0]) if rows else 0.0

    def tokens_without_price(self) -> int:
        """Tokens since midnight of the transport whose price depends on the user's plan, Codex."""
        rows = self._read(
            "SELECT coalesce(sum(tokens), 0) FROM call WHERE day = ? AND extractor = 'codex'",
            (day_of(self._clock()),),
        )
        return int(rows[0][0]) if rows else 0

    def days(self, project: str | None = None) -> dict[str, float]:
        """US dollars by day (`YYYY-MM-DD`), the newest first."""
        tail, values = ("", ()) if project is None else ("WHERE project = ? ", (clean(project),))
        rows = self._read(
            f"SELECT day, sum(cost) FROM call {tail}GROUP BY day ORDER BY day DESC", values
        )
        return {str(day): float(cost) for day, cost in rows}

    def scrub(self, redacted: Callable[[str], str], *, dry_run: bool) -> int:
        """Remove secrets from the texts of the record; returns how many calls had one.

        Args:
            redacted: a text without its secrets.
            dry_run: only count.
        """
        found = [
            (*clean, number)
            for number, *texts in self._read("SELECT number, project, error FROM call", ())
            if (clean := list(map(redacted, texts))) != texts
        ]
        if found and not dry_run:
            with self._writing() as database:
                database.execute("PRAGMA secure_delete = ON")
                database.executemany(
                    "UPDATE call SET project = ?, error = ? WHERE number = ?", found
                )
        return len(found)

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
        hook_io.private_folder(str(self._path.parent))
        if not self._path.exists():
            self._path.touch(mode=0o600)
        with closing(sqlite3.connect(self._path, timeout=WAIT, isolation_level=None)) as database:
            database.executescript(_TABLE)
            database.execute("BEGIN IMMEDIATE")
            with database:
                yield database


def day_of(moment: float) -> str:
    """The day at `moment` (Unix seconds) in the user's time zone, `YYYY-MM-DD`."""
    return time.strftime("%Y-%m-%d", time.localtime(moment))
