"""The open stores as the app uses them: how they are opened, and how rows are found and changed.

Nothing here knows a widget. Every method may take as long as a store takes, so screens call them
from workers; each method is safe to call from several threads at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Literal

from cortex_core import permissions
from cortex_core.base import text
from cortex_core.base.errors import NotFound, StoreError, UndoElsewhere, UsageError
from cortex_core.records.hits import WordHits
from cortex_core.records.memory import NEWS, SCOPES, Key, Memory, Sort, Where
from cortex_tui.queries import (
    WHOLE,
    Chip,
    Done,
    ListQuery,
    ListResult,
    MeaningHits,
    Pulse,
    Revision,
    Verb,
    with_kept,
)

if TYPE_CHECKING:
    from cortex_core import Cortex
    from cortex_core.records.captures import ProjectStatus
    from cortex_core.records.changes import JournalEntry, TakenBack
    from cortex_core.records.memory import Facets
    from cortex_core.store.own_changes import OwnChanges

MOST_SHOWN = 1000
"""Memories of one undone change whose rows are updated; with more, the list is read again."""
MOST_IMPORTANCES = 20_000
"""Memories whose importance is kept."""
SPANS, SPAN_DAYS = 6, 14
"""Spans in which it is counted how often a memory was given, and days of each."""
MOST_BY_MEANING = 12
"""Most rows that join a search by meaning."""
MEANING_FLOOR, MEANING_SHARE = 0.08, 0.6
"""Minimum similarity of a row to join the result: absolute, and relative to the best one."""
PAGE = 60
"""Memories read before the screen knows how many it can show."""
HEAD = 500
"""Rows that are enough for a first result."""
ANY_WORD = "anything"
"""What is searched for so that all is read that a search needs."""

ASKED_FOR = 10.0
"""Seconds in which a second undo takes back what the first one named, which was done elsewhere."""


class StoreSession:
    """The stores as the app sees them."""

    def __init__(
        self,
        project: str | Path | None = None,
        home: str | Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._where = (project, home)
        self.clock = clock
        self._opening = Lock()
        self._named, self._named_at = "", 0.0
        """The action made elsewhere that the last undo or redo named instead of doing it, and when.
        """
        self.drafts: dict[tuple[str, Hashable], str] = {}
        """What was typed and not saved: by the id of the key that goes on with it, and the memory
        that it is about."""
        self._own: OwnChanges | None = None
        """What was done in this app, also before the stores were opened again."""
        self.reopen()

    def reopen(self) -> None:
        """Open the stores: for the first time, or after they were removed, replaced or repaired."""
        from cortex_core import Cortex

        project, home = self._where
        opened = Cortex.open(project, home, clock=self.clock)
        self._own = opened.workspace.own = self._own or opened.workspace.own
        self._importances: dict[str, float] = {}
        self._given: dict[str, Sequence[int]] = {}
        self._finder = Finder(opened)
        self.cortex: Cortex = opened
        self._files = self._store_files()

    def check(self) -> None:
        """Make sure that what is open is still what is on the disk.

        Raises:
            StoreError: a store's file is gone.
        """
        with self._opening:
            files = self._store_files()
            for path, known in self._files.items():
                if known is not None and files[path] is None:
                    raise StoreError(
                        f"{path} was removed while it was open. Nothing was written. "
                        "Put it back, or press f5 to go on with what is there."
                    )
            if any(known not in (None, files[path]) for path, known in self._files.items()):
                self.reopen()
            self._files = files

    # --- reading

    def find(self, query: ListQuery, kept: Mapping[Key, Key | None] | None = None) -> ListResult:
        """Every row of `query`.

        Args:
            kept: rows that stay although they no longer pass, and the row each one follows.
        """
        self.check()
        return self._finder.find(query, kept or {})

    def first(self, query: ListQuery) -> ListResult:
        """The first rows of `query`, sooner than all; all where there are few."""
        self.check()
        return self._finder.first(query)

    def prepare_search(self, query: ListQuery) -> None:
        """Search among what passes the filters of `query` for any word, so that the first search
        finds read what all of them need: soonest what a single letter needs."""
        self._finder.prepare(query)
        self.cortex.memories.search_ids(ANY_WORD, 1)

    def by_meaning(self, result: ListResult) -> MeaningHits:
        """What is closest in meaning and not in `result` yet; loads the model if necessary."""
        return self._finder.by_meaning(result)

    def rows_of(self, ids: Iterable[str]) -> dict[Key, Memory]:
        """The memories with `ids`; those gone meanwhile are missing."""
        return self.rows(list(self.cortex.memories.keys_of(ids).values()))

    def rows(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        """The memories behind `keys`; those gone meanwhile are missing."""
        memories = self.cortex.memories.rows(keys)
        self._note_importances(memories)
        if len(memories) == len(keys):
            return dict(zip(keys, memories, strict=True))
        return {key: memory for key in keys for memory in self.cortex.memories.rows([key])}

    def chosen(self, keys: Sequence[Key]) -> list[Memory]:
        """The memories behind `keys`, in that order.

        Raises:
            NotFound: none of them is there any more.
        """
        memories = list(self.rows(keys).values())
        if not memories:
            raise NotFound("This memory is no longer there. Nothing was changed. f5 reads again.")
        return memories

    def importance(self, memory: Memory) -> float | None:
        """The importance of a memory, 0 to 1.1; None while it has not been read here."""
        return self._importances.get(memory.id)

    def given(self, memory: Memory) -> Sequence[int]:
        """To how many sessions it was given, of late, as far as it has been read here."""
        return self._given.get(memory.id, ())

    def facets(self, query: ListQuery) -> Facets:
        """The values by which the memories of the query's statuses can be filtered."""
        return self.cortex.memories.facets(query.statuses)

    def first_page(self, result: ListResult) -> dict[Key, Memory]:
        """The memories that a screen shows first."""
        return self.rows(result.order[:PAGE])

    def pulse(self, known: Revision | None) -> Pulse:
        """The revision now, and the status unless it is that of `known` (`Pulse.seen`)."""
        self.check()
        revision, remotes = self.cortex.workspace.revision(), self._remotes_written()
        # What no revision tells of, such as hooks that cannot run, is looked at each minute.
        seen = (*revision, remotes, int(self.clock() // 60))
        if seen == known:
            return Pulse(revision, None, seen=seen)
        team = self.cortex.team.status() if self.has_team else None
        sync = self.cortex.sync.status() if remotes else None
        return Pulse(revision, self._status(), team, sync, seen)

    def _remotes_written(self) -> int:
        """When the list of remotes was written, in nanoseconds; 0 where there are none, so that
        what knows them is not loaded."""
        try:
            return Path(self.cortex.project.remotes_file).stat().st_mtime_ns
        except OSError:
            return 0

    @property
    def has_team(self) -> bool:
        """Whether the project follows a team."""
        path = self.cortex.workspace.path_of("team")
        return path is not None and path.exists()

    def _status(self) -> ProjectStatus:
        from cortex_core.doctor import connection_checks  # takes a while to load

        return connection_checks.with_hooks(self.cortex.status(), self.cortex.project)

    # --- writing

    def act(self, verb: Verb, *keys: Key) -> Done:
        """Carry out `verb`, on the memories behind `keys` where it needs some; one step to undo.

        Among several those that it can do nothing for are left out.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        before = self.cortex.workspace.revision()
        if verb == "undo" or verb == "redo":
            return self._turned(self._in_order(verb), before)
        memories = self.chosen(keys)
        able = [memory for memory in memories if not refusal(f"memory.{verb}", memory)]
        # What waits for a verdict is restored by that verdict, which counts for its rule; of
        # several memories only those that the same verdict admits.
        if verb == "restore" and able and (admits := admitted_by(able[0])):
            return self._admit(admits, [one for one in able if admitted_by(one) == admits])
        if len(memories) > 1 and not able:
            why = refusal(f"memory.{verb}", memories[0])
            raise UsageError(
                f"This would change none of the {len(memories):,} memories. "
                f"The first one: {why[:1].lower()}{why[1:]}"
            )
        chosen = able or memories
        name = "unpin" if verb == "pin" and all(memory.pinned for memory in chosen) else verb
        left = len(memories) - len(chosen)
        rest = f"; {left:,} left as they are" if left else ""
        return self.change(
            name,
            lambda cortex: getattr(cortex, name)([memory.id for memory in chosen]),
            f"{PAST[name]}: {naming(chosen)}{rest}",
        )

    def _admit(self, verb: str, memories: Sequence[Memory]) -> Done:
        """Keep suggestions, release what is quarantined, or confirm what is out of date."""
        names = [memory.id for memory in memories]

        def task(cortex: Cortex) -> Iterable[Memory]:
            if verb == "confirm":
                return cortex.code.anchors.confirm(names)
            return (cortex.suggestions.keep if verb == "keep" else cortex.quarantine.release)(names)

        return self.change(verb, task, f"{PAST[verb]}: {naming(memories)}")

    def take_back(self, entry: JournalEntry, verb: Literal["undo", "redo"]) -> Done:
        """Undo or redo one change of the log, whatever was done since.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        self._named = ""
        before = self.cortex.workspace.revision()
        turn = self.cortex.undo if verb == "undo" else self.cortex.redo
        return replace(self._turned(turn(action=entry.action), before), verb="take back")

    def _turned(self, changes: TakenBack, before: Revision) -> Done:
        """What an undo or a redo has changed."""
        verb = (
            "redo"
            if any(
                change.verb == "redo" or (change.is_setting and not change.is_undone)
                for change in changes
            )
            else "undo"
        )
        rest = f". {changes.passed_over}" if changes.passed_over else ""
        return Done(
            verb,
            self._touched(changes),
            f"{PAST[verb]}: {label_of(changes)}{rest}",
            before,
            self._now(),
            settings=any(change.is_setting for change in changes),
        )

    def _in_order(self, verb: Literal["undo", "redo"]) -> TakenBack:
        """Undo or redo what this app did last; what was done elsewhere only when asked a second
        time.

        Raises:
            UndoElsewhere: the newest change was made elsewhere, and is named for the first time.
        """
        named, self._named = self._named, ""
        turn = self.cortex.undo if verb == "undo" else self.cortex.redo
        try:
            return turn(own=True)
        except UndoElsewhere as foreign:
            # Whoever comes back to the key later means what was done since.
            if foreign.action != named or self.clock() - self._named_at > ASKED_FOR:
                self._named, self._named_at = foreign.action, self.clock()
                raise
            return turn()

    @property
    def guards_are_on(self) -> bool:
        """Whether tool calls recall rules and guards hold, as it is set at this moment."""
        return bool(self.cortex.config.get("triggers.on"))

    def change(self, verb: str, task: Callable[[Cortex], Iterable[Memory]], sentence: str) -> Done:
        """Carry out `task`, one step to undo.

        Args:
            verb: what is done, as the journal calls it.
            task: does it, and returns the memories that it changed.
            sentence: the message when it is done.

        Raises:
            CortexError: it was not done; the message says why.
        """
        self.check()
        self._named = ""
        before = self.cortex.workspace.revision()
        changed = {memory.id: memory for memory in task(self.cortex)}
        return Done(verb, self._keyed(list(changed.values())), sentence, before, self._now())

    def note(self, verb: str, task: Callable[[Cortex], object], sentence: str) -> Done:
        """Carry out `task`, which changes no memory itself, as `change` does."""

        def carried_out(cortex: Cortex) -> tuple[Memory, ...]:
            task(cortex)
            return ()

        return self.change(verb, carried_out, sentence)

    # --- inside

    def _keyed(self, memories: Sequence[Memory]) -> dict[Key, Memory]:
        """`memories` by store and number."""
        self._note_importances(memories)
        keys = self.cortex.memories.keys_of(memory.id for memory in memories)
        return {keys[memory.id]: memory for memory in memories if memory.id in keys}

    def _touched(self, changes: Sequence[JournalEntry]) -> dict[Key, Memory]:
        """The memories of `changes` as they are now; empty when there are too many to read."""
        names = list(dict.fromkeys(name for change in changes for name in change.memories))
        return {} if len(names) > MOST_SHOWN else self.rows_of(names)

    def _note_importances(self, memories: Sequence[Memory]) -> None:
        """Keep the importance of `memories`, and how often they were given, for drawing them."""
        if len(self._importances) > MOST_IMPORTANCES:
            self._importances.clear()
            self._given.clear()
        self._importances.update(self.cortex.memories.importances(memories))
        names = (memory.id for memory in memories)
        self._given |= self.cortex.memories.given_lately(names, SPANS, SPAN_DAYS)

    def _now(self) -> Revision:
        return self.cortex.workspace.revision()

    def _store_files(self) -> dict[str, tuple[int, int] | None]:
        """Each store's file and what distinguishes it from another at the same path."""
        return {path: _identity(path) for _, path in self.cortex.project.store_files()}


NEED_A_MEMORY = frozenset(
    {
        "memory.edit",
        "memory.pin",
        "memory.forget",
        "memory.restore",
        "memory.set",
        "memory.source",
        "memory.map",
        "memory.file",
        "memory.copy",
        "memory.copy_id",
        "memory.detail",
        "memory.inject",
        "memory.tag",
        "memory.triggers",
        "memory.kind",
        "memory.priority",
        "memory.move",
        "memory.propose",
    }
)
"""The keys that act on a memory, by their ids."""
PAST = {
    "pin": "Pinned",
    "unpin": "Unpinned",
    "forget": "Forgotten",
    "restore": "Restored",
    "undo": "Undone",
    "redo": "Done again",
    "keep": "Kept",
    "release": "Released",
    "confirm": "Confirmed",
}
NO_TEAM = "This project has no team to propose it to. Join one with: cortex team join URL"
ADMITS = {"suggested": "keep", "quarantined": "release"}
"""What restoring means for a memory that waits for a verdict, by its status."""


def admitted_by(memory: Memory) -> str:
    """What is done instead of restoring it: keep, release, or confirm what is out of date."""
    is_outdated = memory.outdated and memory.status == "active"
    return ADMITS.get(memory.status, "confirm" if is_outdated else "")


def refusal(action: str, memory: Memory | None, *, team: bool = False) -> str:
    """Why `action` (an id of the keymap) does nothing for `memory`; "" when it does something.

    Args:
        team: whether the project follows a team.
    """
    if action not in NEED_A_MEMORY:
        return ""
    if memory is None:
        return "There is no memory under the cursor."
    verb = action.removeprefix("memory.")
    if verb == "propose" and not team:
        return NO_TEAM
    if verb == "restore" and admitted_by(memory):
        return ""
    return permissions.refusal(verb, memory) or permissions.nothing_to_do(verb, memory)


def label_of(changes: Sequence[JournalEntry]) -> str:
    """What a sentence calls `changes`, which were one action: one by its label, several by how many
    memories they touched."""
    # An import notes other things as well, which would hide how many memories it brought.
    changes = [change for change in changes if change.memories] or changes
    if len({change.label for change in changes}) == 1:
        return changes[0].label
    label, *others = dict.fromkeys(change.label for change in changes)
    count = len({name for change in changes for name in change.memories})
    verb = label.split(" ", 1)[0]
    if count > 1 and all(one.split(" ", 1)[0] == verb for one in others):
        return f"{verb} {text.memories(count)}"
    return f"{label} and {text.counted(len(others), 'other change')}"


def naming(memories: Sequence[Memory]) -> str:
    """What a sentence calls `memories`: the title of one, the number of several."""
    return memories[0].title if len(memories) == 1 else f"{len(memories):,} memories"


def _identity(path: str) -> tuple[int, int] | None:
    try:
        file = Path(path).stat()
    except OSError:
        return None
    return file.st_dev, file.st_ino


# --- which rows a query has: by filters and words, by meaning, all of them or the first at once


class Index:
    """Every row that passes some filters in one order, as of one revision."""

    def __init__(
        self, of: tuple[Revision, tuple[Chip, ...], Sort, bool], order: Sequence[Key]
    ) -> None:
        self.of = of
        self.order = order

    @cached_property
    def members(self) -> frozenset[Key]:
        """The same rows, for looking one up."""
        return frozenset(self.order)


class Finder:
    """Finds rows in open stores; keeps the last index of the list, and of a search."""

    def __init__(self, cortex: Cortex) -> None:
        self._cortex = cortex
        self._indexes: dict[bool, Index] = {}
        """By whether it is of a search; so that clearing a search reads neither again."""

    def find(self, query: ListQuery, kept: Mapping[Key, Key | None]) -> ListResult:
        """Every row of `query`, and the `kept` ones, each behind the row that it follows."""
        index = self._all(query)
        if not query.words.strip():
            return _result(query, index, WordHits(index.order, {}), kept)
        hits = self._cortex.memories.search_ids(query.words, passing=index.members)
        return _result(query, index, hits, kept)

    def first(self, query: ListQuery) -> ListResult:
        """The first rows of `query`, sooner than all; all where there are few."""
        if not query.words.strip():
            return self._head(query) or self.find(query, {})
        index = self._all(query)
        hits = self._cortex.memories.search_ids(query.words, HEAD, index.members)
        result = _result(query, index, hits, {})
        enough = hits.complete or len(result.order) >= PAGE
        return result if enough else self.find(query, {})

    def prepare(self, query: ListQuery) -> None:
        """Read what a search passes when it has the filters of `query`."""
        _ = self._all(query._replace(words=ANY_WORD)).members

    def by_meaning(self, result: ListResult) -> MeaningHits:
        """What is closest in meaning and not in `result` yet; loads the model if necessary."""
        query = result.query
        hits = self._cortex.recall(
            query.words,
            mode="semantic",
            limit=MOST_BY_MEANING,
            count=False,
            scope=_scope(query),
            **_filter_arguments(query),
        )
        nearest = max((hit.parts.semantic for hit in hits), default=0.0)
        floor = max(MEANING_FLOOR, MEANING_SHARE * nearest)
        names = [hit.memory.id for hit in hits if hit.parts.semantic >= floor]
        every = self._cortex.review.with_duplicates(names)
        passing = self._all(query).members
        keys = filter(passing.__contains__, self._cortex.memories.keys_of(every).values())
        known = set(result.order)
        near = tuple(key for key in keys if key not in known)
        return MeaningHits(near, hits.degraded, self._suggested(query))

    def _suggested(self, query: ListQuery) -> int:
        """How many suggestions have all words of `query`, which passes none of them."""
        memories, asked = self._cortex.memories, {**_filter_arguments(query)}
        asked["statuses"] = () if "suggested" in query.statuses else ("suggested",)
        waiting = memories.index(filters=memories.filters(**asked), scope=_scope(query))
        hits = memories.search_ids(query.words, passing=frozenset(waiting))
        return len(hits.keys) if not hits.corrected else 0

    def _head(self, query: ListQuery) -> ListResult | None:
        """The first of all that pass; None where there are no more, or all are known already."""
        revision = self._cortex.workspace.revision()
        if self._known(query, revision) is not None:
            return None
        order = self._cortex.memories.index(
            filters=self._cortex.memories.filters(**_filter_arguments(query)),
            scope=_scope(query),
            sort=query.sort,
            limit=HEAD,
        )
        if len(order) < HEAD:
            return None
        return ListResult(query, order, len(order), revision, partial=True)

    def _all(self, query: ListQuery) -> Index:
        """Every row that passes the query's filters, in its order, read again after a change."""
        revision = self._cortex.workspace.revision()
        if (known := self._known(query, revision)) is not None:
            return known
        filters = self._cortex.memories.filters(**_filter_arguments(query))
        order = self._cortex.memories.index(filters=filters, scope=_scope(query), sort=query.sort)
        of = (revision, query.chips, query.sort, query.is_search)
        self._indexes[query.is_search] = index = Index(of, order)
        return index

    def _known(self, query: ListQuery, revision: Revision) -> Index | None:
        cached = self._indexes.get(query.is_search)
        wanted = (revision, query.chips, query.sort, query.is_search)
        return cached if cached is not None and cached.of == wanted else None


def _result(
    query: ListQuery, index: Index, hits: WordHits, kept: Mapping[Key, Key | None]
) -> ListResult:
    """The `hits`, and what is `kept`."""
    order = hits.keys
    lost = frozenset(kept).difference(order) if kept else frozenset()
    if lost:
        order = with_kept(order, {key: kept[key] for key in kept if key in lost})
    return ListResult(
        query,
        order,
        len(index.order),
        index.of[0],
        hits.corrected,
        similar=hits.similar.intersection(order),
        kept=lost,
        partial=not hits.complete and not kept,
    )


def _scope(query: ListQuery) -> Where:
    return next((one for one in SCOPES if one == query.value("scope")), "all")


def _filter_arguments(query: ListQuery) -> Mapping[str, Any]:
    """What `query` asks of a memory besides its store, as the facade takes it."""
    return {
        "kinds": query.values("kind"),
        "tags": query.values("tag"),
        "statuses": query.statuses,
        "branch": query.value("branch"),
        "session": query.value("session"),
        "imported": query.value("import"),
        "file": query.value("file"),
        "new": next((one for one in NEWS if one == query.value("new")), None),
        "since": query.value("since"),
        "until": query.value("until"),
        "asof": query.value("asof"),
        "history": query.is_search,
    }


class Opening:
    """Opens stores in a thread of its own."""

    def __init__(
        self, project: str | Path | None, home: str | Path | None, clock: Callable[[], float]
    ) -> None:
        self._where = (project, home, clock)
        self._opened: Future[StoreSession] = Future()
        Thread(target=self._open, daemon=True, name="opening").start()

    def result(self) -> StoreSession:
        """The open stores; waits until they are.

        Raises:
            CortexError: it cannot be; the message says why.
        """
        return self._opened.result()

    @property
    def is_done(self) -> bool:
        """Whether it is done, and well."""
        return self._opened.done() and self._opened.exception() is None

    def _open(self) -> None:
        try:
            stores = StoreSession(*self._where)
            stores.first(WHOLE)  # so that what finds memories is loaded by then
            self._opened.set_result(stores)
        except BaseException as error:
            self._opened.set_exception(error)
