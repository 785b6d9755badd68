"""The log of every store, undo and redo in their order, and moving memories between stores."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from cortex_core import permissions
from cortex_core.base import config as configuration, project as projects, text, trust
from cortex_core.base.errors import NotFound, UndoConflict, UndoElsewhere, UsageError
from cortex_core.records.changes import (
    JournalEntry,
    TakenBack,
)
from cortex_core.records.memory import ACTORS, OWN_SCOPES, Actor, Memory, Scope
from cortex_core.store import edges as stored_edges, journal, rows, synced
from cortex_core.store.own_changes import Noted
from cortex_core.store.store import BY_HAND, Store
from cortex_core.store.workspace import Ids, Workspace, naming

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
        self._own = workspace.own
        """What was done through this workspace."""

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
        # What no journal records (a setting, trust, a pause) is the user's, and of no memory.
        if name is None and (not actors or "person" in actors):
            wanted = words.lower().split()
            found += [
                one
                for one in self._own.entries()
                if all(word in one.label.lower() for word in wanted)
            ]
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
        if number is None and scope is None:
            self._refuse_skipping(verb)
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
        """Undo or redo one action, whatever was done since; the next undo is about that.

        Raises:
            NotFound: it is not known.
        """
        if (step := self._own.step(action)) is not None:
            made = verb == "redo"
            done = TakenBack([self._own.make(self._workspace, step, made=made)])
            pile = self._own.undone if made else self._own.done
            self._own.turn(pile, Noted(action, not made), Noted(action, made))
            self._own.turn(self._own.undone, None, Noted(action, made))
            return done
        for store in self._workspace.stores:
            for number in journal.of_action(store, action):
                done = self._by_itself(store, store.entry(number), verb, actor)
                self._own.turn(self._own.undone, None, Noted(done[0].action))
                return done
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

    def move(self, ids: Ids, scope: str, *, actor: Actor = "person") -> list[Memory]:
        """See `Cortex.move`."""
        target = (
            self._workspace.store(cast("Scope", scope))
            if scope in OWN_SCOPES
            else self._store_at(scope)
        )
        if target is None:
            raise UsageError(
                f"“{scope}” is not a scope, and no folder of a project that has memories. Nothing "
                "was changed. Use project, global or such a folder."
            )
        found = self._workspace.find(ids)
        permissions.check("move", (store.memory(name) for store, name in found))
        place = Path(scope).resolve().name
        elsewhere = [(store, name) for store, name in found if store.path != target.path]
        if there := target.memories([name for _, name in elsewhere]):
            raise UsageError(
                f"“{there[0].title}” is in {place} already. Nothing was changed. To have it there "
                f"alone: cortex forget {text.short(there[0].id)}"
            )
        for source in self._workspace.own_stores:
            if names := [name for store, name in elsewhere if store is source]:
                self._move(source, target, names, place, actor)
        return target.memories([name for _, name in found])

    def _store_at(self, root: str) -> Store | None:
        """The store of the project of the user at `root`, open until the workspace closes."""
        there = self._workspace.own_project(root)
        if there is None:
            return None
        self._workspace.at_close.append(there.close)
        return there.existing("project")

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
                # What was undone before the conflict stays undone, and the error says so.
                if not done:
                    raise
                labels = ", ".join(one.label for one in done)
                raise UndoConflict(f"{PAST[verb]} before that: {labels}. Then: {error}") from error
        if not done:
            rest = f" {done.passed_over}" if done.passed_over else ""
            raise NotFound(f"There is nothing to {verb}. Nothing was changed.{rest}")
        return done

    def _refuse_skipping(self, verb: str) -> None:
        """Refuse to pass over what was done since, and is not what a plain undo or redo is about.

        Raises:
            UndoConflict: a setting was written, or after an undo something else done; what to do.
        """
        here, newest = self._workspace, self._newest(verb, None)
        if newest is None or self._own.entries():
            return  # the settings that this process wrote are in the order of its own changes
        since, done = newest[1], self._newest("undo", None)
        files = [configuration.path(here.project, store.scope) for store in here.own_stores]
        written = [Path(file).stat().st_mtime for file in files if Path(file).exists()]
        # No journal records a setting; when its file was written is known to the file.
        if verb == "undo" and max(written, default=0.0) > since.time:
            what = (
                "The last change was of a setting, which cortex config set NAME VALUE changes back"
            )
        elif (
            verb == "redo"
            and done
            and done[1].verb != verb
            and done[1].actor in ("person", "agent")  # not what Cortex noted by itself
            and done[1].time > since.time
        ):
            what = f"Since the undo, this was done: {done[1].label}"
        else:
            return
        raise UndoConflict(
            f"{what}. Nothing was changed. To {verb} “{since.label}” all the same: cortex {verb} "
            f"--scope {since.scope} --change {since.number}"
        )

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
        for other in self._stores_of(store, entry):
            numbers = {*parts.get(other, ()), *journal.in_force(other, entry.action)}
            if numbers:
                parts[other] = sorted(numbers, reverse=True)
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

    def _stores_of(self, store: Store, entry: JournalEntry) -> list[Store]:
        """The stores that an action changed, another project's where memories went to or came from
        there: taken back in one alone, they would be gone, or there twice."""
        here, own = self._workspace.project, self._workspace.own_stores
        found = [one for one in own if journal.of_action(one, entry.action)]
        if len(found) > 1 or not journal.spans(store, entry.number):
            return found
        for other in (self._store_at(one) for one in trust.roots(here.home) if one != here.root):
            if other is not None and journal.of_action(other, entry.action):
                return [*found, other]
        raise UndoConflict(
            f"“{entry.label}” was made {self._made_in(journal.origin(store, entry.number))} and "
            "also changed the store of another project, which cannot be read. Nothing was changed."
        )

    def _move(
        self, store: Store, target: Store, names: list[str], place: str, actor: Actor
    ) -> None:
        """Move memories from `store` to `target`, in a `place`: they arrive before they leave."""
        action = secrets.token_hex(8)
        with self._workspace.together((target, store), action):
            memories = [store.memory(name) for name in names]
            label = f"move {naming(memories)} to {place}"
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


def _refuse_changed(store: Store, numbers: Sequence[int], label: str) -> None:
    """Refuse to take back a move where a memory was changed in the store that it came to: what goes
    back is what left."""
    for name, noted in journal.adds(store, numbers):
        there = journal.whole_rows(store, "memory", "id = ?", name)
        if any(any(journal.differing("memory", noted, row)) for row in there):
            raise journal.conflict(label)
