"""How the memories of a store changed over time: revisions, undo and redo, and the trash."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cortex_core import permissions
from cortex_core.base import project as projects
from cortex_core.base import text
from cortex_core.base.errors import NotFound, UndoConflict, UndoElsewhere, UsageError
from cortex_core.records.changes import (
    FieldChange,
    JournalEntry,
    MemoryChange,
    Revision,
    TakenBack,
    Verification,
)
from cortex_core.records.fields import COLUMNS
from cortex_core.records.memory import ACTORS, OWN_SCOPES, Actor, Memory, Scope, Source
from cortex_core.store import consistency, journal, queries, rows, snapshots, synced, trust
from cortex_core.store import edges as stored_edges
from cortex_core.store.journal import EMPTIED, INSERTED, UNNAMED, Change, is_insertion
from cortex_core.store.own_changes import Noted, OwnChanges
from cortex_core.store.reader import CHUNK, Reader
from cortex_core.store.rows import Row, current, dumps
from cortex_core.store.snapshots import Snapshot
from cortex_core.store.store import BY_HAND, Store
from cortex_core.store.workspace import Ids, Workspace, naming

_TABLES = ("memory", "source", "edge")


class Discarded(NamedTuple):
    """One memory in the trash."""

    id: str
    title: str
    scope: str
    time: float
    """When it was pruned, Unix seconds."""


class Kept(NamedTuple):
    """A memory in the trash with all that belongs to it."""

    id: str
    title: str
    rows: dict[str, list[Row]]
    """By table, what is to be inserted again."""


def put(store: Reader, change: Change, name: str) -> None:
    """Move a memory with its sources and edges into the trash; nothing where there is none."""
    memory = change.read("memory", name)
    if memory is None:
        return
    sources = store.rows("SELECT * FROM source WHERE memory = ?", (name,))
    edges = store.rows("SELECT * FROM edge WHERE source = ?1 OR target = ?1", (name,))
    kept = {"memory": [memory], "source": list(map(dict, sources)), "edge": list(map(dict, edges))}
    packed = zlib.compress(dumps(kept).encode())
    change.delete("memory", name)
    change.insert(
        "trash",
        {"memory": name, "title": memory["title"], "rows": packed, "time": change.time},
    )


def listed(store: Reader) -> list[Discarded]:
    """What lies in the trash, newest first."""
    found = store.rows("SELECT memory, title, time FROM trash ORDER BY time DESC, memory")
    return [Discarded(row["memory"], row["title"], store.scope, row["time"]) for row in found]


def beginning_with(store: Reader, name: str) -> list[Kept]:
    """The memories in the trash whose ids begin so."""
    found = store.rows(
        "SELECT memory, title, rows FROM trash WHERE substr(memory, 1, length(?1)) = ?1", (name,)
    )
    return [Kept(row["memory"], row["title"], _unpacked(row["rows"])) for row in found]


def trashed(store: Reader) -> Iterator[tuple[Memory, tuple[Source, ...]]]:
    """Each memory in the trash, and its sources."""
    for row in store.rows("SELECT rows FROM trash"):
        kept = _unpacked(row["rows"])
        for memory in kept["memory"]:
            values = [memory[column] for column in rows.COLUMNS]
            sources = tuple(map(rows.source_of, kept["source"]))
            yield rows.to_memory(values, store.scope, memory["updated"]), sources


def gone_key(rule: str, message: str) -> int:
    """What is noted among the keys of records, which hold no words, of a memory that is deleted
    for good: a replay does not suggest again what `rule` found in `message`."""
    from cortex_core.records.events import uuid_key

    return uuid_key(f"gone:{rule}:{message}")


def destroy(store: Store, names: Iterable[str]) -> None:
    """Delete memories in the trash for good, and their words in the journal, inside an open
    transaction. What a change of one of them alone is called names it no more. Verdicts have no
    word of a memory: they stay, and so does what the journal says of them."""
    for name in names:
        kept = [each for each in beginning_with(store, name) if each.id == name]
        sources = [rows.source_of(row) for each in kept for row in each.rows["source"]]
        queries.note_read(store, [gone_key(each.rule, each.message) for each in sources])
        store.execute(
            "UPDATE journal SET label = verb || ?2 "
            "WHERE number IN (SELECT entry FROM journal_row WHERE memory = ?1) AND NOT EXISTS ("
            "SELECT 1 FROM journal_row WHERE entry = number AND memory <> ?1)",
            (name, UNNAMED),
        )
        store.execute("DELETE FROM trash WHERE memory = ?", (name,))
        synced.mark_gone(store, name)
        store.execute(
            "UPDATE journal_row SET before = CASE WHEN before IS NOT NULL THEN ?1 END, "
            "after = CASE WHEN substr(after, 1, 1) = ?2 THEN ?2 WHEN after IS NOT NULL THEN ?1 END "
            "WHERE memory = ?3 AND \"table\" <> 'verdict'",
            (EMPTIED, INSERTED, name),
        )


def _unpacked(packed: bytes) -> dict[str, list[Row]]:
    kept = json.loads(zlib.decompress(packed))
    return {table: [current(table, row) for row in kept[table]] for table in _TABLES}


_UNTOLD = frozenset(
    {
        "content_hash",
        "updated",
        "reinforced",
        "context",
        "access_count",
        "last_access",
        "looks",
        "number",
    }
)
"""Columns that follow from others, or only say when."""
_LISTS = frozenset(name for name, one in COLUMNS.items() if one.form in ("texts", "mapping"))
_MARKS = frozenset(name for name, one in COLUMNS.items() if one.form == "flag")


class MemoryState(NamedTuple):
    """What decay counted from, from some moment on."""

    since: float
    reinforced: float
    initial: float
    pinned: bool


def of_memory(store: Store, name: str, limit: int = 50) -> list[Revision]:
    """The newest changes of a memory, newest first."""
    entries = store.log(limit, name)
    written = _rows(store, name, [entry.number for entry in entries])
    return [
        Revision(change=entry, fields=tuple(_fields(store, written.get(entry.number, ()))))
        for entry in entries
    ]


def of_entry(store: Store, number: int, most: int = 100) -> list[MemoryChange]:
    """What the entry called `number` did to each memory, in order; the first `most` of them."""
    written: dict[str, list[Row]] = {}
    names = ("memory", "table", "key", "before", "after")
    for values in store.rows(
        'SELECT memory, "table", "key", before, after FROM journal_row '
        "WHERE entry = ? AND memory <> '' ORDER BY place",
        (number,),
    ):
        written.setdefault(values[0], []).append(dict(zip(names, values, strict=True)))
    shown = list(written)[:most]
    titles = {memory.id: memory.title for memory in store.memories(shown)}
    return [
        MemoryChange(
            id=name,
            title=titles.get(name) or _title_before(store, name, written[name]),
            fate=_fate(written[name]),
            fields=tuple(_fields(store, written[name])),
        )
        for name in shown
    ]


def _fate(written: Sequence[Row]) -> Literal["made", "removed", "changed"]:
    """What became of the memory that the rows `written` are about."""
    ends = [row["after"] for row in written if row["table"] == "memory"]
    if any(map(is_insertion, ends)):
        return "made"
    return "removed" if None in ends else "changed"


def _title_before(store: Store, name: str, written: Sequence[Row]) -> str:
    """The title of a memory that is not there any more: of the trash, else of what was removed."""
    kept = store.value("SELECT title FROM trash WHERE memory = ?", (name,))
    removed = [_values(row, "before").get("title") for row in written if row["table"] == "memory"]
    return str(kept or next(filter(None, removed), ""))


def states(store: Store, name: str, limit: int = 500) -> list[MemoryState]:
    """From what a memory's confidence was counted, the oldest state first.

    Read backwards from what is stored now; the newest `limit` changes are looked at.
    """
    found = store.rows(
        "SELECT created, reinforced, initial_confidence, pinned FROM memory WHERE id = ?", (name,)
    )
    if not found:
        return []
    created, reinforced, initial, pinned = found[0]
    made: list[MemoryState] = []
    entries = store.log(limit, name)
    written = _rows(store, name, [entry.number for entry in entries])
    for entry in entries:
        for row in reversed(written.get(entry.number, ())):
            before = _values(row, "before") if row["table"] == "memory" else {}
            if {"reinforced", "initial_confidence", "pinned"} & before.keys():
                made.append(MemoryState(entry.time, reinforced, initial, bool(pinned)))
                reinforced = before.get("reinforced", reinforced)
                initial = before.get("initial_confidence", initial)
                pinned = before.get("pinned", pinned)
    made.append(MemoryState(created, reinforced, initial, bool(pinned)))
    return made[::-1]


def _rows(store: Store, name: str, entries: Sequence[int]) -> dict[int, list[Row]]:
    """What each entry wrote that belongs to the memory, in the order it was written."""
    names = ("entry", "table", "key", "before", "after")
    found: dict[int, list[Row]] = {}
    for start in range(0, len(entries), CHUNK):
        part = entries[start : start + CHUNK]
        marks = ",".join("?" * len(part))
        for values in store.rows(
            'SELECT entry, "table", "key", before, after FROM journal_row '
            f"WHERE memory = ? AND entry IN ({marks}) ORDER BY place",
            (name, *part),
        ):
            found.setdefault(values[0], []).append(dict(zip(names, values, strict=True)))
    return found


def _fields(store: Store, written: Sequence[Row]) -> Iterator[FieldChange]:
    """What a change set; nothing where it made the memory or removed it whole."""
    whole = any(
        row["table"] == "memory" and (row["after"] is None or is_insertion(row["after"]))
        for row in written
    )
    for row in () if whole else written:
        yield from _told(store, row)


def _told(store: Store, row: Row) -> Iterator[FieldChange]:
    table, was_made = str(row["table"]), is_insertion(row["after"])
    before = _values(row, "before")
    if table == "memory":
        after = _values(row, "after")
        for name in before:
            if name not in _UNTOLD:
                yield FieldChange(
                    name=COLUMNS[name].name if name in COLUMNS else name,
                    before=_plain(name, before[name]),
                    after=_plain(name, after[name]),
                )
    elif describe := _DESCRIBED.get(table):
        old = {} if was_made else before
        new = {} if row["after"] is None else _now(store, table, row, before)
        yield FieldChange(
            name=_NAMES.get(table, table),
            before=describe(old) if old else None,
            after=describe(new) if new else None if row["after"] is None else "",
        )


def _now(store: Store, table: str, row: Row, before: Row) -> Row:
    """The row as the change left it; of an insertion what is still there."""
    if not is_insertion(row["after"]):
        return {**before, **_values(row, "after")}
    columns = _COLUMNS[table]
    found = store.rows(
        f'SELECT {", ".join(columns)} FROM "{table}" WHERE "{journal.KEYS[table]}" = ?',
        (json.loads(row["key"]),),
    )
    return dict(zip(columns, found[0], strict=True)) if found else {}


def _values(row: Row, side: str) -> Row:
    written = row[side]
    if written in (None, EMPTIED) or is_insertion(written):
        return {}
    return current(row["table"], json.loads(str(written)))


def _plain(name: str, value: Any) -> Any:
    """A column's value as a user means it."""
    if name in _LISTS and isinstance(value, str):
        return json.loads(value)
    return bool(value) if name in _MARKS else value


def _edge(row: Row) -> str:
    return f"{row['source']} {row['type']} {row['target']}"


def _source(row: Row) -> str:
    session = f", session {row['session'][:8]}" if row.get("session") else ""
    return f"{row.get('rule', '')}{session}"


def _verdict(row: Row) -> str:
    return "kept" if row.get("kept") else "discarded"


def _forgotten(row: Row) -> str:
    return f"{str(row.get('session', ''))[:8]} {row.get('title', '')}".strip()


_DESCRIBED: dict[str, Callable[[Row], str]] = {
    "edge": _edge,
    "source": _source,
    "verdict": _verdict,
    "forgotten": _forgotten,
}
_NAMES = {"edge": "link", "forgotten": "forgotten session"}
_COLUMNS = {
    "edge": ("source", "target", "type"),
    "source": ("rule", "session"),
    "verdict": ("kept",),
    "forgotten": ("session", "title"),
}

PAST = {"undo": "Taken back", "redo": "Done again"}

_BY: dict[Actor, str] = {
    "person": "by you elsewhere",
    "agent": "by an agent",
    "worker": "by capture",
    "import": "by an import",
    "team": "by your team",
}
"""Who made a change that was not made here."""


class History:
    """Everything that was done, and how to undo it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def _own(self) -> OwnChanges:
        """What was done through this workspace."""
        return self._workspace.own

    def log(
        self,
        limit: int = 20,
        memory: str | None = None,
        *,
        words: str = "",
        actors: Sequence[Actor] = (),
    ) -> list[JournalEntry]:
        """See `Cortex.log`."""
        stores, name = self._workspace.stores, None
        if memory is not None:
            ((store, name),) = self._workspace.find(memory)
            stores = (store,)
        found = [
            self._described(store, change)
            for store in stores
            for change in store.log(limit, name, words=words, actors=actors)
        ]
        if name is None and (not actors or "person" in actors):
            found += [one for one in self._own.entries() if _has_words(one.label, words)]
        return sorted(found, key=lambda change: (change.time, change.number), reverse=True)[:limit]

    def _described(self, store: Store, change: JournalEntry) -> JournalEntry:
        """`change` with where it was made."""
        if change.machine:
            machine = synced.machine_names(store).get(change.machine, "another machine")
            return replace(change, elsewhere=f"on {machine}")
        mark = journal.origin(store, change.number) if store.scope == "global" else store.origin
        elsewhere = "" if mark == store.origin else self._made_in(mark)
        return replace(change, elsewhere=elsewhere, here=self._own.has(change.action))

    def take_back(
        self,
        verb: str,
        count: int = 1,
        *,
        number: int | None = None,
        scope: Scope | None = None,
        action: str | None = None,
        actor: Actor = "person",
        own: bool = False,
    ) -> TakenBack:
        """Undo or redo (`verb`); see `Cortex.undo` and `Cortex.redo`."""
        if action is not None:
            return self._one_action(verb, action, actor)
        if own:
            return self._own_back(verb, actor)
        return self._back(verb, count, number, scope, actor)

    # --- what was done through this workspace, in order

    def _own_back(self, verb: str, actor: Actor) -> TakenBack:
        """Take back what was done last here, or do again what was taken back last here.

        Raises:
            NotFound: there is nothing, neither here nor elsewhere.
            UndoElsewhere: something that was not done here is newer; the message names it.
        """
        pile = self._own.done if verb == "undo" else self._own.undone
        noted, at = self._last_of(pile)
        self._refuse_foreign(verb, at)
        if noted is None:
            return self._back(verb, 1, None, None, actor)  # which says that there is nothing
        try:
            done, new = self._inverted(noted, actor)
        except UndoConflict:
            if self._own.step(noted.action) is not None:
                self._own.drop(noted)  # a file that others wrote is not in the way of the rest
            raise
        self._own.turn(pile, noted, new)
        return done

    def _last_of(self, pile: Sequence[Noted]) -> tuple[Noted | None, float]:
        """The last one of a pile that is still in force, and when it was made."""
        for noted in reversed(pile):
            step = self._own.step(noted.action)
            at = step.time if step is not None else self._in_force(noted.action)
            if at:
                return noted, at
        return None, 0.0

    def _in_force(self, action: str) -> float:
        """When an action was made that can be taken back; 0 where none is in force."""
        found = [
            entry.time
            for store in self._workspace.own_stores
            if (entry := self._invertible(store, action)) is not None
        ]
        return max(found, default=0.0)

    def _invertible(self, store: Store, action: str) -> JournalEntry | None:
        """The entry by which an action is taken back in a store; None where it cannot be."""
        for number in journal.in_force(store, action):
            entry = store.entry(number)
            if entry.verb == "undo":
                return entry
            meant = journal.original(store, entry)
            actors = BY_HAND if entry.verb != "redo" else ACTORS
            if meant.undone_by is None and store.last(
                "undo", actors, anywhere=True, action=meant.action
            ):
                return entry
        return None

    def _inverted(self, noted: Noted, actor: Actor) -> tuple[TakenBack, Noted]:
        """Take back something that was noted; what was written, and how that is noted."""
        if (step := self._own.step(noted.action)) is not None:
            new = Noted(noted.action, not noted.made)
            return TakenBack([self._own.make(self._workspace, step, made=new.made)]), new
        for store in self._workspace.own_stores:
            if (entry := self._invertible(store, noted.action)) is not None:
                verb = "redo" if entry.verb == "undo" else "undo"
                made = TakenBack(self._back_one(store, entry, verb, actor))
                return made, Noted(made[0].action)
        raise NotFound("There is nothing to undo. Nothing was changed.")

    def _refuse_foreign(self, verb: str, at: float) -> None:
        """Refuse where something that was not done here is newer than `at`.

        Raises:
            UndoElsewhere: the message names it.
        """
        newest = self._newest(verb, None)
        if newest is None or self._own.has(newest[1].action) or newest[1].time < at:
            return
        entry = newest[1]
        ago = text.ago(entry.time, self._workspace.clock())
        when = "just now" if ago == "now" else f"{ago} ago"
        done, again = (
            ("done", "Undo once more to take it back.")
            if verb == "undo"
            else ("undone", "Redo once more to do it again.")
        )
        raise UndoElsewhere(
            f"{entry.label} was not {done} here: {_BY[entry.actor]}, {when}. Nothing was changed. "
            f"{again}",
            entry.action,
        )

    def _one_action(self, verb: str, action: str, actor: Actor) -> TakenBack:
        """Undo or redo one action, whatever was done since.

        Raises:
            NotFound: it is not known.
        """
        if (step := self._own.step(action)) is not None:
            made = verb == "redo"
            done = TakenBack([self._own.make(self._workspace, step, made=made)])
            pile = self._own.undone if made else self._own.done
            self._own.turn(pile, Noted(action, not made), Noted(action, made))
            return done
        for store in self._workspace.stores:
            for number in journal.of_action(store, action):
                return self._by_itself(store, store.entry(number), verb, actor)
        raise NotFound(f"There is no action “{action}”. Nothing was changed. See: cortex log")

    def _by_itself(self, store: Store, entry: JournalEntry, verb: str, actor: Actor) -> TakenBack:
        """Undo or redo the action of one entry.

        To undo an undo is to redo what it undid, and to redo what was undone is to redo that undo.
        Undoing what was done elsewhere is something done here: the next undo is about that.
        """
        if verb == "undo" and entry.verb == "undo":
            verb = "redo"
        elif verb == "redo" and entry.verb != "undo" and entry.undone_by is not None:
            entry = store.entry(entry.undone_by)
        done = TakenBack(self._back_one(store, entry, verb, actor))
        new = Noted(done[0].action)
        if verb == "undo" and self._own.has(entry.action):
            self._own.turn(self._own.done, Noted(entry.action), new)
        else:
            self._own.turn(self._own.undone, Noted(entry.action), new)
        return done

    def move(self, ids: Ids, scope: Scope, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.move`."""
        if scope not in OWN_SCOPES:
            raise UsageError(
                f"“{scope}” is not a scope. Nothing was changed. Use project or global."
            )
        target = self._workspace.store(scope)
        found = self._workspace.find(ids)
        permissions.check("move", (store.memory(name) for store, name in found))
        names = [name for store, name in found if store is not target]
        if names:
            source = next(store for store in self._workspace.own_stores if store is not target)
            self._move(source, target, names, actor)
        return target.memories([name for _, name in found])

    def _back(
        self, verb: str, count: int, number: int | None, scope: Scope | None, actor: Actor
    ) -> TakenBack:
        if number is not None:
            store = self._workspace.existing(scope or self._workspace.default_scope())
            if store is None:
                raise NotFound(f"There is nothing to {verb} in this project. Nothing was changed.")
            return self._by_itself(store, store.entry(number), verb, actor)
        done = TakenBack()
        done.passed_over = self._passed_over(verb) if scope is None else ""
        for _ in range(count):
            newest = self._newest(verb, scope)
            if newest is None:
                break
            try:
                written = self._back_one(*newest, verb, actor)
                pile = self._own.done if verb == "undo" else self._own.undone
                self._own.turn(pile, Noted(newest[1].action), Noted(written[0].action))
                done += written
            except UndoConflict as error:
                if not done:
                    raise
                labels = ", ".join(one.label for one in done)
                raise UndoConflict(f"{PAST[verb]} before that: {labels}. Then: {error}") from error
        if not done:
            rest = f" {done.passed_over}" if done.passed_over else ""
            raise NotFound(f"There is nothing to {verb}. Nothing was changed.{rest}")
        return done

    def _newest(self, verb: str, scope: Scope | None) -> tuple[Store, JournalEntry] | None:
        """The newest entry that a plain undo or redo is about: of `scope` alone, whoever made it,
        or of both stores what this project made."""
        found = [
            (entry.time, entry.number, store, entry)
            for store in self._workspace.within(scope or "all")
            if (entry := store.last(verb, anywhere=scope is not None)) is not None
        ]
        return max(found, key=lambda item: item[:2])[2:] if found else None

    def _passed_over(self, verb: str) -> str:
        """What to say where the newest change of the global store was made elsewhere; else ""."""
        store, newest = self._workspace.existing("global"), self._newest(verb, None)
        last = store.last(verb, anywhere=True) if store is not None else None
        if store is None or last is None or (newest and newest[1].time >= last.time):
            return ""
        mark = journal.origin(store, last.number)
        if mark == store.origin:
            return ""
        return (
            f"The newest change of the global store was made {self._made_in(mark)} and is left as "
            f"it is: {last.label}. To {verb} it: cortex {verb} --scope global --change "
            f"{last.number}"
        )

    def _made_in(self, mark: str) -> str:
        """Where a change was made, by the mark of its project: “in lighthouse”."""
        if not mark:
            return "outside of this project"
        roots = trust.roots(self._workspace.project.home)
        names = [Path(root).name for root in roots if projects.mark(root) == mark]
        return f"in {names[0]}" if names else "in another project"

    def _back_one(
        self, store: Store, entry: JournalEntry, verb: str, actor: Actor
    ) -> list[JournalEntry]:
        """Invert an action, its entry and all that belongs to it: in both stores or in neither."""
        if verb == "undo":
            entry = journal.original(store, entry)
        action = secrets.token_hex(8)
        parts = {store: [entry.number]}
        for other in self._workspace.own_stores:
            numbers = {*parts.get(other, ()), *journal.in_force(other, entry.action)}
            if numbers:
                parts[other] = sorted(numbers, reverse=True)
        self._refuse_a_part(store, entry, verb)
        order = sorted(parts, key=lambda one: not journal.brings_back(one, parts[one]))
        with self._workspace.together(order, action):
            if len(parts) > 1 and journal.brings_back(order[0], parts[order[0]]):
                _refuse_changed(order[1], parts[order[1]], entry.label)
            made = [
                one.invert(number, verb, actor, action)
                for one, numbers in parts.items()
                for number in numbers
            ]
            for one in order:
                self._refuse_twins(one, action, entry.label)
        return made

    def _refuse_twins(self, store: Store, action: str, label: str) -> None:
        """Refuse to bring back a memory to `store` that is in the other one by now."""
        names = [name for name, _ in journal.adds(store, journal.of_action(store, action))]
        for other in self._workspace.own_stores if names else ():
            if other is not store and other.memories(names) and store.memories(names):
                raise journal.conflict(label)

    def _refuse_a_part(self, store: Store, entry: JournalEntry, verb: str) -> None:
        """Refuse to invert what another project did in its own store as well: what it moved here
        would be gone."""
        mark = journal.origin(store, entry.number)
        if mark != store.origin and journal.spans(store, entry.number):
            raise UndoConflict(
                f"“{entry.label}” was made {self._made_in(mark)} and also changed the store there. "
                f"Nothing was changed. Run cortex {verb} there."
            )

    def _move(self, store: Store, target: Store, names: list[str], actor: Actor) -> None:
        """Move memories from `store` to `target`: they arrive before they leave."""
        action = secrets.token_hex(8)
        with self._workspace.together((target, store), action):
            memories = [store.memory(name) for name in names]
            label = f"move {naming(memories)} to {target.scope}"
            edges = stored_edges.among(store, names)
            with target.change("move", label, actor, action) as change:
                for memory in memories:
                    change.insert("memory", rows.to_row(memory))
                    for source in memory.sources:
                        change.insert("source", rows.source_row(memory.id, source))
                for edge in edges:
                    change.insert("edge", rows.edge_row(edge))
            with store.change("move", label, actor, action) as change:
                for name in names:
                    change.delete("memory", name)


def _has_words(label: str, words: str) -> bool:
    """Whether `label` has each of `words`, whatever their case."""
    return all(word in label.lower() for word in words.lower().split())


def _refuse_changed(store: Store, numbers: Sequence[int], label: str) -> None:
    """Refuse to take back a move where a memory was changed in the store that it came to: what goes
    back is what left."""
    for name, noted in journal.adds(store, numbers):
        row = store.rows("SELECT * FROM memory WHERE id = ?", (name,))
        if noted and row and journal.fingerprint("memory", dict(row[0])) != noted:
            raise journal.conflict(label)


class Snapshots:
    """The copies of the stores of a workspace, and what its journals say of changes."""

    def __init__(
        self, workspace: Workspace, verify: Callable[[Workspace], list[Verification]]
    ) -> None:
        self._workspace = workspace
        self._verify = verify

    def verify(self) -> list[Verification]:
        """Follow the journal of every store back from the present to the oldest copy, or to the
        empty store, and compare every row with what its changes made of it.

        Then the search indexes, the vectors with their cache file, and the ends of links. Nothing
        is changed. How often and when a memory was used is no change, and not compared.
        """
        return self._verify(self._workspace)

    def changed_by(self, number: int, scope: Scope) -> Sequence[MemoryChange]:
        """What a change of the log did, memory by memory.

        Args:
            number: of the change; numbers count per store.
        """
        store = self._workspace.existing(scope)
        return [] if store is None else of_entry(store, number)

    def list(self, scope: Scope | None = None) -> list[Snapshot]:
        """The copies of a store, newest first."""
        return snapshots.taken(self._file(scope))

    def take(self, why: str = "by-hand", scope: Scope | None = None) -> Snapshot:
        """Copy a store as it is now."""
        return snapshots.take(self._file(scope), why)

    def restore(self, number: int, scope: Scope | None = None) -> Snapshot:
        """Put a store back to its `number`th newest snapshot; the present state becomes one too."""
        chosen = scope or self._workspace.default_scope()
        path = self._file(chosen)
        self._workspace.let_go(chosen)
        return snapshots.restore(path, number)

    def in_both(self) -> Sequence[str]:
        """The ids of the memories that both stores hold: a restored store has again what was moved
        to the other one since."""
        stores = self._workspace.own_stores
        return consistency.in_both(*stores) if len(stores) == 2 else []

    def keep_one(self) -> Sequence[Memory]:
        """Remove one of each two memories that are in both stores; the ones that stay.

        The one that was changed last stays, of equal ones the global one, which other projects may
        use. It is one action, in both stores or in neither.
        """
        twice, stores = self.in_both(), {store.scope: store for store in self._workspace.own_stores}
        leaving: dict[Store, list[str]] = {}
        for name in twice:
            here, shared = (stores[scope].memory(name) for scope in OWN_SCOPES)
            older = stores["global" if here.updated > shared.updated else "project"]
            leaving.setdefault(older, []).append(name)
        action = secrets.token_hex(8)
        with self._workspace.together(list(leaving), action):
            for store, names in leaving.items():
                label = f"remove {naming(store.memories(names))}, in both stores"
                with store.change("move", label, action=action) as change:
                    for name in names:
                        change.delete("memory", name)
        return [self._workspace.get(name) for name in twice]

    def before_import(self) -> None:
        """Copy the stores that hold something, so that an import can be taken back whole."""
        for store in self._workspace.own_stores:
            if store.writable and store.rows("SELECT 1 FROM memory LIMIT 1"):
                snapshots.take(store.path, "import")

    def _file(self, scope: Scope | None) -> Path:
        path = self._workspace.path_of(scope or self._workspace.default_scope())
        if path is None or not snapshots.folder(path).parent.exists():
            raise NotFound("There is no store yet. Nothing was changed.")
        return path
