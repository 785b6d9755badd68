"""Reading a store with the standard library alone: what the hooks, and every surface, read by.

Read-only, and it never creates a store. SQL chooses; the contents of a few hundred rows at most are
loaded, however many there are.
"""

from __future__ import annotations

import os
import sqlite3

from cortex_core import lean
from cortex_core.storage import peek

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType
    from typing import Any

    from cortex_core.memory import Scope

CHUNK = 500
"""Most ids in one SQL statement."""

_COLUMNS = (
    "number", "id", "content", "title", "kind", "initial_confidence", "priority", "pinned",
    "giving", "reinforced", "access_count", "branch", "files", "globs", "content_hash",
)  # fmt: skip

HUBS = 40
"""How many of the most central memories are known by name."""

GIVEABLE = "+status = 'active' AND giving <> 'never' AND kind <> 'code'"
"""The SQL condition for what may be given at all. The plus keeps SQLite from the index on status,
which nearly all rows share."""

WITH_GLOBS = f"{GIVEABLE} AND globs <> '[]'"
"""The SQL condition for what may be given for some files."""


class Row:
    """What the surface knows of one memory."""

    __slots__ = (*_COLUMNS, "centrality", "scope")

    number: int
    id: str
    content: str
    title: str
    kind: str
    initial_confidence: float
    priority: int
    pinned: bool
    giving: str
    reinforced: float
    access_count: int
    branch: str
    files: Sequence[str]
    globs: Sequence[str]
    content_hash: str
    scope: Scope
    centrality: float
    """In-degree as a share of the store's highest, 0 to 1; 0 where nobody asked."""

    def __init__(self, scope: Scope, centrality: float = 0.0, **values: Any) -> None:
        self.scope = scope
        self.centrality = centrality
        for name in _COLUMNS:
            setattr(self, name, values[name])


class Light:
    """One store, open for reading. A context manager; not to be shared between threads."""

    def __init__(self, path: str, scope: Scope, connection: sqlite3.Connection) -> None:
        self.path = path
        self.scope = scope
        self._connection = connection
        self.identity, self.revision = peek.state(connection)
        self._hubs: list[tuple[str, int]] | None = None
        self._most_accessed: int | None = None

    def __enter__(self) -> Light:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def give_functions(self, **functions: tuple[int, Callable[..., Any]]) -> None:
        """Lend SQL functions that SQLite was built without: name, number of arguments, function."""
        for name, (arguments, function) in functions.items():
            try:
                self.rows(f"SELECT {name}({','.join('1' * arguments)})")
            except sqlite3.OperationalError:
                self._connection.create_function(name, arguments, function, deterministic=True)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The rows of one statement.

        Raises:
            sqlite3.Error: the store is locked, damaged or of another schema.
        """
        return self._connection.execute(sql, parameters).fetchall()

    def select(
        self, where: str, parameters: Sequence[Any] = (), *, central: bool = False
    ) -> list[Row]:
        """The memories that an SQL condition (with ORDER BY and LIMIT, if wanted) picks.

        Args:
            central: whether to look up how central they are, for which all edges are counted.
        """
        columns = ", ".join(_COLUMNS)
        found = self.rows(f"SELECT {columns} FROM memory WHERE {where}", parameters)
        degrees = self.centrality([values[1] for values in found]) if central else {}
        return [self._row(values, degrees) for values in found]

    def giveable(self, ids: Iterable[str], *, central: bool = False) -> list[Row]:
        """Those memories called `ids` that may be given at all, in no particular order."""
        return [
            row
            for part in _parts(list(ids))
            for row in self.select(f"id IN ({_marks(part)}) AND {GIVEABLE}", part, central=central)
        ]

    def numbered(self, numbers: Sequence[int]) -> list[Row]:
        """The memories with these row numbers, in their order."""
        found = {row.number: row for row in self.select(f"number IN ({_marks(numbers)})", numbers)}
        return [found[number] for number in numbers if number in found]

    def centrality(self, ids: Sequence[str]) -> dict[str, float]:
        """In-degree of each of `ids` as a share of the store's highest; zeros left out."""
        highest = self.hubs[0][1] if self.hubs else 0
        asked = "SELECT target, count(*) FROM edge WHERE target IN ({}) GROUP BY target"
        return {
            name: count / highest
            for part in _parts(ids if highest else ())
            for name, count in self.rows(asked.format(_marks(part)), part)
        }

    @property
    def hubs(self) -> list[tuple[str, int]]:
        """The ids that most edges point at, and how many do, the most first."""
        if self._hubs is None:
            self._hubs = self.rows(
                "SELECT target, count(*) FROM edge GROUP BY target "
                "ORDER BY count(*) DESC, target LIMIT ?",
                (HUBS,),
            )
        return self._hubs

    @property
    def most_accessed(self) -> int:
        """The highest access count among active memories."""
        if self._most_accessed is None:
            asked = "SELECT max(access_count) FROM memory WHERE status = 'active'"
            self._most_accessed = int(self.rows(asked)[0][0] or 0)
        return self._most_accessed

    def doubles(self) -> dict[str, str]:
        """Memories that an open merge proposal calls the lesser of a pair, and the better one."""
        lesser: dict[str, str] = {}
        asked = "SELECT members FROM proposal WHERE status = 'open' AND type = 'merge'"
        for (members,) in self.rows(asked):
            better, *others = lean.loads(members)
            lesser.update(dict.fromkeys(others, better))
        return lesser

    def _row(self, values: Sequence[Any], degrees: dict[str, float]) -> Row:
        made = dict(zip(_COLUMNS, values, strict=True))
        made["files"], made["globs"] = _list(made["files"]), _list(made["globs"])
        made["pinned"] = bool(made["pinned"])
        return Row(self.scope, degrees.get(made["id"], 0.0), **made)


def connect(path: str | None, scope: Scope) -> Light | None:
    """The store at `path`, open for reading; None where there is none.

    Raises:
        sqlite3.Error: it is locked, damaged or of another schema.
    """
    if path is None or not os.path.isfile(path):
        return None
    connection = peek.connect(path)
    try:
        return Light(path, scope, connection)
    except BaseException:
        connection.close()
        raise


def _list(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(lean.loads(text))


def _parts(ids: Sequence[str]) -> list[Sequence[str]]:
    return [ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK)]


def _marks(ids: Sequence[object]) -> str:
    return ",".join("?" * len(ids))
