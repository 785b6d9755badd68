"""A store as the surface reads it: which memories may be given to Claude, and what of them.

SQL chooses; the contents of a few hundred rows at most are loaded, however many there are.
Standard library only: the hooks load this module.
"""

from __future__ import annotations

import os
import time
from functools import cached_property, partial

from cortex_core.base import authorship, hook_io, text
from cortex_core.store.reader import Reader, marks, parts, refuse_older, state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set
    from typing import Any

    from cortex_core.records.memory import Scope

_COLUMNS = (
    "number",
    "id",
    "content",
    "title",
    "kind",
    "tags",
    "initial_confidence",
    "priority",
    "pinned",
    "inject",
    "created",
    "reinforced",
    "access_count",
    "rule",
    "session",
    "branch",
    "files",
    "globs",
    "content_hash",
    "origin",
    "outdated",
)

HUBS = 40
"""How many of the most central memories are known by name."""

SESSION_END = "rule:session-end"
"""The rule whose episodes say where a session stopped; those of a model say so too."""

UP_TO_DATE = "(outdated = '' OR (pinned AND NOT claimed))"
"""The SQL condition for memories of which nothing that they name is gone or reads otherwise, and
for those that the user pinned all the same."""

INJECTABLE = (
    f"+status = 'active' AND inject <> 'never' AND kind <> 'code' AND NOT withheld "
    f"AND {UP_TO_DATE} AND (until = '' OR holds(until, branch))"
)
"""The SQL condition for memories that may be injected. The plus keeps SQLite from the index on
status, which nearly all rows share."""

STATED = f"""triggers, triggers_by,
    json_quote(json_extract(details, '$."{authorship.PROPOSED}"')) AS listed"""
"""The SQL columns that `named` reads."""

MISFITS = "misfits"
"""The detail of a memory that holds the words of prompts which it does not fit."""

SAME, CHANGED = "may say the same as", "is changed by"
"""What the lesser memory of an open proposal is to the better one, in words."""


class SurfaceRow:
    """What the surface knows of one memory."""

    __slots__ = (*_COLUMNS, "centrality", "learned", "remark", "scope")

    number: int
    id: str
    content: str
    title: str
    kind: str
    tags: Sequence[str]
    initial_confidence: float
    priority: int
    pinned: bool
    """False where that is only claimed, and of the team's: only the user pins."""
    inject: str
    created: float
    reinforced: float
    access_count: int
    rule: str
    """Who or what wrote it: `person`, `agent`, `rule:NAME` …; `import:…` where it is claimed; of
    the team's after `team:`."""
    session: str
    branch: str
    files: Sequence[str]
    globs: Sequence[str]
    content_hash: str
    origin: str
    """As it is stored, in JSON."""
    outdated: str
    """What it names that is not so any more, in words; only pinned memories are injected then."""
    scope: Scope
    centrality: float
    """In-degree as a share of the store's highest, 0 to 1; 0 where nobody asked."""
    learned: int
    """How many sessions it was learned in; 1 where nobody asked."""
    remark: str
    """What is out of date in it, or when it replaced another memory; the latter where asked for."""

    def __init__(
        self,
        scope: Scope,
        centrality: float = 0.0,
        learned: int = 1,
        *,
        has_replaced: bool = False,
        **values: Any,
    ) -> None:
        self.scope = scope
        self.centrality = centrality
        self.learned = learned
        for name in _COLUMNS:
            setattr(self, name, values[name])
        changed = f"changed on {text.iso(self.created)[:10]}" if has_replaced else ""
        self.remark = self.outdated or changed


MOST_RULES = 2000
"""Rules with triggers of one store that are looked at."""


def _holds(current: str, until: str, branch: str) -> bool:
    """Whether what holds `until` a day, or on a `branch`, holds now, on the branch `current`."""
    if until == "branch":
        return branch == current
    return until >= time.strftime("%Y-%m-%d")  # a session comes after any day


class SurfaceReader(Reader):
    """One store, open for a moment. What it says of the whole store is as it was when first asked.

    Args:
        branch: the one that a session works on; what holds on another one is not injected.

    Raises:
        sqlite3.Error: the store is locked, damaged or of another schema.
    """

    def __init__(self, file: str, scope: Scope, branch: str = "") -> None:
        super().__init__(file, scope)
        try:
            refuse_older(self.connection)
            self._identity, self._revision = state(self.connection)
        except BaseException:
            self.close()
            raise
        # A method of the reader would hold it from within SQLite, where nobody sees that it can go:
        # its file would stay open.
        self.connection.create_function("holds", 2, partial(_holds, branch))

    @property
    def identity(self) -> str:
        """A random name given when the store was created."""
        return self._identity

    @property
    def revision(self) -> int:
        """Raised by every change and every access update."""
        return self._revision

    def select(
        self, where: str, parameters: Sequence[Any] = (), *, central: bool = False
    ) -> list[SurfaceRow]:
        """The memories that an SQL condition (with ORDER BY and LIMIT, if wanted) picks.

        Args:
            central: whether to look up how central they are, how often they were learned, and
                whether they replaced others.
        """
        columns = ", ".join((*_COLUMNS, "claimed"))
        found = self.rows(f"SELECT {columns} FROM memory WHERE {where}", parameters)
        ids = [row["id"] for row in found] if central else []
        degrees, learned = self.centrality(ids), self._learned(ids)
        replacing = self._replacing(ids) if ids else frozenset()
        return [self._row(values, degrees, learned, replacing) for values in found]

    def injectable(self, ids: Iterable[str], *, central: bool = False) -> list[SurfaceRow]:
        """The memories with these ids that may be injected at all, in no particular order."""
        return [
            row
            for part in parts(list(ids))
            for row in self.select(f"id IN ({marks(part)}) AND {INJECTABLE}", part, central=central)
        ]

    def numbered(self, numbers: Sequence[int]) -> list[SurfaceRow]:
        """The memories with these row numbers, in their order."""
        found = {row.number: row for row in self.select(f"number IN ({marks(numbers)})", numbers)}
        return [found[number] for number in numbers if number in found]

    @property
    def forgotten(self) -> list[str]:
        """The ids of the sessions whose conversations the user forgot."""
        return self.column("SELECT session FROM forgotten")

    def misfits(self, ids: Sequence[str]) -> dict[str, list[list[str]]]:
        """By id, the words of prompts of which the user said that a memory does not fit them."""
        found = self.pairs(
            "SELECT id, CASE WHEN json_valid(details) THEN json_extract(details, ?) END AS words "
            f"FROM memory WHERE id IN ({marks(ids)}) AND words IS NOT NULL",
            (f"$.{MISFITS}", *ids),
        )
        return {id: hook_io.loads(words) for id, words in found.items()}

    def withheld(self, limit: int) -> list[SurfaceRow]:
        """Active memories that are kept from being given freely, the important ones first."""
        return self.select(
            f"status = 'active' AND (inject <> 'normal' OR withheld OR NOT {UP_TO_DATE}) "
            "ORDER BY priority DESC, id LIMIT ?",
            (limit,),
            central=True,
        )

    def demoted(self, limit: int) -> list[SurfaceRow]:
        """Memories that are given only when they match, the important ones first."""
        return self.select(
            "status = 'active' AND inject = 'demoted' AND kind <> 'code' AND NOT withheld "
            "ORDER BY pinned DESC, priority DESC, id LIMIT ?",
            (limit,),
            central=True,
        )

    def best(
        self,
        standing: tuple[str, Sequence[Any]],
        picks: Sequence[tuple[str, Sequence[Any], int]],
        lineless: Sequence[str] = (),
    ) -> list[str]:
        """The ids of the best memories that may be given freely, of several selections together.

        Args:
            standing: an SQL expression that says how good a memory is, and its parameters.
            picks: of each selection an SQL condition, its parameters, and how many it takes.
            lineless: kinds of which only pinned memories are taken.
        """
        expression, values = standing
        # One query: a hook pays for each.
        united = " UNION ".join(
            f"SELECT id FROM (SELECT id FROM scored WHERE {condition} "
            "ORDER BY pinned DESC, standing DESC, id LIMIT ?)"
            for condition, _, _ in picks
        )
        return self.column(
            "WITH scored AS MATERIALIZED (SELECT id, pinned, kind, tags, branch, files, globs, "
            f"priority, {expression} AS standing "
            f"FROM memory WHERE {INJECTABLE} AND inject = 'normal' "
            f"AND (pinned OR kind NOT IN ({marks(lineless)}))) {united}",
            [*values, *lineless, *(one for _, given, most in picks for one in (*given, most))],
        )

    def stopped(self, branches: Sequence[str]) -> tuple[SurfaceRow, Mapping[str, Any]] | None:
        """The newest episode that says where a session stopped, and what it says of that.

        Args:
            branches: where the session was; any branch if there are none.
        """
        here = f"AND branch IN ({marks(branches)}) " if branches else ""
        found = self.rows(
            "SELECT number, json_extract(details, '$.stopped') AS stopped FROM memory "
            "WHERE status = 'active' AND kind = 'episode' AND inject = 'normal' "
            f"AND (rule = ? OR rule LIKE 'model:%') AND NOT withheld {here}"
            "ORDER BY created DESC, number DESC LIMIT 1",
            (SESSION_END, *branches),
        )
        if not found:
            return None
        stopped = hook_io.loads(found[0]["stopped"] or "{}")
        row = self.numbered([found[0]["number"]])[0]
        return row, stopped if isinstance(stopped, dict) else {}

    def waiting(self) -> int:
        """How many suggestions wait for the user's decision."""
        found = self.rows("SELECT count(*) AS number FROM memory WHERE status = 'suggested'")
        return int(found[0]["number"])

    def unnamed(self, ids: Sequence[str]) -> list[str]:
        """Those of the memories `ids` for which neither an agent nor the user named tool calls."""
        found = self.rows(
            "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?)) AND triggers_by <> "
            f"'user' AND json_extract(details, '$.\"{authorship.PROPOSED}\"') IS NULL "
            "ORDER BY number",
            (hook_io.dumps(list(ids)),),
        )
        return [row["id"] for row in found]

    def globs(self) -> list[tuple[int, list[str]]]:
        """Row number and globs of the memories that are given for files, the important first."""
        found = self.rows(
            f"SELECT number, globs FROM memory WHERE {INJECTABLE} AND globs <> '[]' "
            "ORDER BY pinned DESC, priority DESC, number"
        )
        return [(row["number"], hook_io.loads(row["globs"])) for row in found]

    def rules(self) -> list[tuple[SurfaceRow, dict[str, list[str]]]]:
        """The memories with triggers, each with its triggers by what becomes of a call that they
        match, the important first."""
        found = self.rows(
            f"SELECT id, guard, {STATED} FROM memory "
            f"WHERE {INJECTABLE} AND triggers <> '[]' "
            "ORDER BY pinned DESC, priority DESC, number LIMIT ?",
            (MOST_RULES,),
        )
        by_id = {row.id: row for row in self.injectable(row["id"] for row in found)}
        # Where the later word is given, the earlier one must not speak either.
        for id, (_, says) in self.duplicates().items():
            if says == CHANGED:
                by_id.pop(id, None)
        return [(by_id[row["id"]], _by_action(row)) for row in found if row["id"] in by_id]

    def centrality(self, ids: Sequence[str]) -> dict[str, float]:
        """In-degree of each of `ids` as a share of the highest, at most 1; zeros left out.

        Only edges from other sessions count: what one session says at length is alike, and would
        make itself central. A memory of no session counts as one of a session of its own.
        """
        if not ids:
            return {}
        degrees = self._from_other_sessions(ids) if self._highest else {}
        return {name: min(1.0, count / self._highest) for name, count in degrees.items()}

    @cached_property
    def _highest(self) -> int:
        return max(self._from_other_sessions(self.hubs).values(), default=0)

    def _from_other_sessions(self, ids: Sequence[str]) -> dict[str, int]:
        """How many edges from memories of other sessions point at each of `ids`; zeros left out."""
        asked = (
            "SELECT e.target, count(*) FROM edge e JOIN memory t ON t.id = e.target "
            "JOIN memory s ON s.id = e.source WHERE e.target IN ({}) "
            "AND (s.session <> t.session OR s.session = '') GROUP BY e.target"
        )
        return {
            name: count
            for part in parts(ids)
            for name, count in self.rows(asked.format(marks(part)), part)
        }

    @cached_property
    def hubs(self) -> list[str]:
        """The ids that most edges point at, the most first."""
        return self.column(
            "SELECT target FROM edge GROUP BY target ORDER BY count(*) DESC, target LIMIT ?",
            (HUBS,),
        )

    def _learned(self, ids: Sequence[str]) -> dict[str, int]:
        """In how many sessions each of `ids` was learned; those without a source left out."""
        asked = (
            "SELECT memory, count(DISTINCT session) FROM source WHERE memory IN ({}) "
            "GROUP BY memory"
        )
        return {
            name: count
            for part in parts(ids)
            for name, count in self.rows(asked.format(marks(part)), part)
        }

    def _replacing(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of `ids` that replaced a memory, or are proposed to."""
        asked = (
            "SELECT source FROM edge WHERE source IN ({}) AND type = 'supersedes' UNION "
            "SELECT json_extract(members, '$[0]') FROM proposal "
            "WHERE status = 'open' AND type = 'supersede'"
        )
        return frozenset(
            name for part in parts(ids) for name in self.column(asked.format(marks(part)), part)
        )

    @cached_property
    def most_accessed(self) -> int:
        """The highest access count among active memories."""
        return super().most_accessed

    def duplicates(self) -> dict[str, tuple[str, str]]:
        """The lesser memory of each pair in force on which a proposal is open, with the better one
        and what it is to that: `SAME` or `CHANGED`.

        What is the user's word is never less than what is not.
        """
        # From the few proposals to their members: a list of all that is given takes far longer.
        found = self.rows(
            "WITH given AS NOT MATERIALIZED "
            f"(SELECT id, rule, claimed FROM memory WHERE {INJECTABLE}) "
            "SELECT iif(p.type = 'supersede', ?, ?), newer.*, older.* FROM proposal p "
            "CROSS JOIN given newer ON newer.id = json_extract(p.members, '$[0]') "
            "CROSS JOIN given older ON older.id = json_extract(p.members, '$[1]') "
            "WHERE p.status = 'open'",
            (CHANGED, SAME),
        )
        lesser: dict[str, tuple[str, str]] = {}
        for says, newer, rule, claimed, older, its_rule, its_claimed in found:
            is_users = authorship.applies_always(rule) and not claimed
            if is_users or its_claimed or not authorship.applies_always(its_rule):
                lesser[older] = (newer, says)
            else:
                lesser[newer] = (older, SAME)
        return lesser

    def _row(
        self,
        values: Sequence[Any],
        degrees: Mapping[str, float],
        learned: Mapping[str, int],
        replacing: Set[str],
    ) -> SurfaceRow:
        *known, claimed = values
        made = dict(zip(_COLUMNS, known, strict=True))
        for name in ("tags", "files", "globs"):
            made[name] = () if made[name] == "[]" else tuple(hook_io.loads(made[name]))
        is_teams = self.scope == "team"
        made["pinned"] = bool(made["pinned"]) and not (claimed or is_teams)
        rule = authorship.written_by(made["rule"], claimed=bool(claimed))
        made["rule"] = f"{authorship.TEAM}{rule}" if is_teams else rule
        id = made["id"]
        return SurfaceRow(
            self.scope,
            degrees.get(id, 0.0),
            learned.get(id, 1),
            has_replaced=id in replacing,
            **made,
        )


def _by_action(row: Any) -> dict[str, list[str]]:
    """The triggers of a row of `rules`, by what becomes of a call that they match."""
    listed, actions = named(row), dict[str, list[str]]()
    for line in hook_io.loads(row["triggers"]):
        actions.setdefault("remind" if line in listed else row["guard"], []).append(line)
    return actions


def named(row: Any) -> tuple[str, ...]:
    """Those triggers of a row with the columns `STATED` that an agent named."""
    return authorship.named_by_agents(
        hook_io.loads(row["triggers"]), row["triggers_by"], hook_io.loads(row["listed"])
    )


def open_store(path: str | None, scope: Scope, branch: str = "") -> SurfaceReader | None:
    """The store at `path`, open for reading on a branch; None where there is none.

    Raises:
        sqlite3.Error: it is locked, damaged or of another schema.
    """
    if path is None or not os.path.isfile(path):
        return None
    return SurfaceReader(path, scope, branch)
