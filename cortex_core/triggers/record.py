"""The record of keeping: of each rule that can be checked, how often it was kept and broken.

It is worked out of the transcripts that capture has read, those of sub-agents included, and kept in
the store of the project whose sessions they are.
"""

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from cortex_core.agents.protocol import TranscriptPass
from cortex_core.agents.transcripts import located, reader_of
from cortex_core.base import project as projects
from cortex_core.base.errors import NotFound, TranscriptError
from cortex_core.base.text import one_line
from cortex_core.records import events as event_records
from cortex_core.records.captures import Progress, unwatched
from cortex_core.records.events import Event, Limits
from cortex_core.records.kept_rules import Breach, RuleKept
from cortex_core.records.memory import Memory, Source
from cortex_core.store import memory_lookup, occasions
from cortex_core.store.occasions import Extent, NotedOccasion
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.triggers import judging
from cortex_core.triggers.judging import CheckableRule

VERSION = 3
"""Raised when calls are judged otherwise: then everything is worked out again."""

LONGEST = 160
"""Characters of a call that are kept."""

MOST_BREACHES = 500
"""Breaches of one rule that are listed."""

GROWN = 1.25
"""By how much a running session has to grow before a worker reads it again: each reading begins at
its start, so that what was done before is known."""

LIMITS = Limits(result=16_000, string=32_000)
"""Characters of commands and of written texts that are looked at."""


class Recorded(NamedTuple):
    """What bringing the record up to date read."""

    read: int = 0
    """Sessions."""
    unread: tuple[str, ...] = ()
    """The transcripts that are gone or cannot be read, though something is not known of them."""


_Due = tuple[str, tuple[Path, ...], list[CheckableRule], Extent]
"""A session that is to be read: its transcript as the store keeps it, this file with those of its
sub-agents, the rules to look for, and how far the record goes afterwards."""
_DueAndGone = tuple[list[_Due], list[str]]


class Keeping:
    """Reads the record of keeping, and brings it up to date."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def list(self) -> Sequence[RuleKept]:
        """The active rules with triggers, those that were broken first, the last one of them on
        top; what cannot be checked comes last."""
        return sorted(
            self._kept(
                [
                    memory
                    for store in self._workspace.stores
                    for memory in store.memories(memory_lookup.with_triggers(store))
                ]
            ),
            key=lambda one: (
                not one.checkable,
                -(one.last_breach or 0.0),
                not one.occasions,
                -one.memory.priority,
            ),
        )

    def get(self, name: str) -> RuleKept:
        """How often one memory was kept; one without triggers cannot be checked.

        Raises:
            NotFound: there is none of this id.
        """
        return next(self._kept([self._workspace.get(name)]))

    def breaches(self, name: str, limit: int = MOST_BREACHES) -> Sequence[Breach]:
        """The calls that broke a rule, the newest first, those before it was one included."""
        memory, store = self._workspace.get(name), self._store()
        since = self._since([memory])[memory.id]
        return [
            Breach(
                memory=memory.id,
                number=number,
                session=one.session,
                turn=one.turn,
                time=one.time,
                call=one.call,
                before=one.time < since,
            )
            for number, one in enumerate(
                occasions.breaches(store, memory.id, limit) if store else (), 1
            )
        ]

    def source_of(self, name: str, number: int) -> Source:
        """Where in a session a rule was broken.

        Args:
            number: of the breach, as `breaches` counts them.

        Raises:
            NotFound: there is no such breach.
        """
        memory, store = self._workspace.get(name), self._store()
        found = occasions.breaches(store, memory.id, number) if store else []
        if not 0 < number <= len(found):
            raise NotFound(
                f"This rule has {len(found)} recorded breaches, so there is no breach {number}. "
                f"See: cortex rules kept {memory.id[:8]}"
            )
        one = found[number - 1]
        return Source(
            rule="breach",
            session=one.session,
            message=one.message,
            offset=one.offset,
            transcript=one.transcript,
            time=one.time,
        )

    # --- bringing it up to date

    def record(
        self,
        *,
        should_continue: Callable[[], bool] = lambda: True,
        is_patient: bool = False,
        progress: Progress = unwatched,
    ) -> Recorded:
        """Read what the record lacks: new parts of sessions, and all of them for new rules.

        Each session is one transaction, so that it can be ended at any moment and goes on later.
        Nothing is read while capture is paused, nor where the store cannot be written.

        Args:
            should_continue: asked before each session.
            is_patient: whether a session that has only grown a little can wait.
        """
        store = self._store()
        if store is None or not store.writable or projects.is_paused(self._workspace.project):
            return Recorded()
        # What is unread stays so until the next time: a session is read whole or not at all.
        due, unread = self._due(store, self._rules(store), is_patient)
        total, done, read = sum(size for *_, (size, _) in due), 0, 0
        for name, files, wanted, extent in due:
            if not should_continue():
                break
            progress(done, total, files[0].name)
            done += extent[0]
            try:
                noted = self._noted(store, files, wanted)
            except (TranscriptError, OSError):
                unread.append(name)
                continue
            ids = [one.id for one in wanted]
            occasions.rerecord(store, name, map(str, files), ids, noted, extent)
            read += 1
        return Recorded(read, tuple(unread))

    def _rules(self, store: Store) -> dict[str, CheckableRule]:
        """The rules to look for: the active ones, and those that were looked for before."""
        known = occasions.numbered(store)
        rules: dict[str, CheckableRule] = {}
        for owner in self._workspace.stores:
            names = dict.fromkeys((*memory_lookup.with_triggers(owner), *known))
            for memory in owner.memories(list(names)):
                if one := judging.rule(memory.id, memory.content, memory.triggers):
                    rules[memory.id] = one
        return rules

    def _due(
        self, store: Store, rules: Mapping[str, CheckableRule], is_patient: bool
    ) -> _DueAndGone:
        """The sessions to read, the newest first, and the transcripts that are gone."""
        numbers = occasions.number_rules(store, {id: _hash_of(one) for id, one in rules.items()})
        newest, extents = max(numbers.values(), default=0), occasions.extents(store)
        due: list[_Due] = []
        gone: list[str] = []
        for path, is_final in occasions.transcripts(store) if rules else ():
            known_size, known_number = extents.get(path, (0, 0))
            file = located(path, store.clean)
            try:
                files = reader_of(file).files_of_session(file)
            except TranscriptError:
                files = ()
            if not files:
                gone += [path] if known_number < newest else []
                continue
            size = sum(reader_of(each).extent(each) for each in files)
            # A session that goes on is read again when it has grown enough.
            can_wait = is_patient and not is_final and size < known_size * GROWN
            wanted = [
                one
                for id, one in rules.items()
                if numbers[id] > known_number or (size != known_size and not can_wait)
            ]
            if wanted:
                due.append((path, files, wanted, (known_size if can_wait else size, newest)))
        return due, gone

    def _noted(
        self, store: Store, files: Sequence[Path], rules: Iterable[CheckableRule]
    ) -> Sequence[NotedOccasion]:
        """The occasions of these rules in a session's transcripts.

        Raises:
            TranscriptError, OSError: one of them cannot be read.
        """
        # Calls are judged in the order of their times, across a session and its sub-agents: what
        # has to come first may have been done by any of them.
        watch = judging.Watch(rules, self._workspace.project.root or "")
        session = reader_of(files[0]).session_of(files[0])
        noted: list[NotedOccasion] = []
        for time, event, path in _events(files):
            for found in watch.see(event):
                use, call = found.use, store.clean(one_line(found.call))
                noted.append(
                    NotedOccasion(
                        memory=found.rule,
                        use=event_records.uuid_key(use.tool_id),
                        session=session,
                        time=use.time or time,
                        turn=found.turn,
                        message=use.uuid,
                        offset=use.offset,
                        transcript=str(path),
                        call=call if len(call) <= LONGEST else f"{call[: LONGEST - 1]}…",
                        kept=found.kept,
                    )
                )
        return noted

    # --- reading

    def _store(self) -> Store | None:
        """The store that has the record: that of the project, where there is one."""
        return self._workspace.existing(self._workspace.default_scope())

    def _since(self, memories: Sequence[Memory]) -> dict[str, float]:
        """From when on each memory is a rule: when it was learned, or last said something else."""
        changed: dict[str, float] = {}
        for owner in self._workspace.stores:
            own = [one.id for one in memories if one.scope == owner.scope]
            changed.update(occasions.reworded(owner, own))
        return {one.id: max(one.created, changed.get(one.id, 0.0)) for one in memories}

    def _kept(self, memories: Sequence[Memory]) -> Iterator[RuleKept]:
        store, since = self._store(), self._since(memories)
        tallies = occasions.tallies(store, since) if store else {}
        known = occasions.numbered(store) if store else {}
        for memory in memories:
            one = judging.rule(memory.id, memory.content, memory.triggers)
            rights = one.rights.values() if one else ()
            yield RuleKept(
                memory=memory,
                checkable=one is not None,
                countable=one is not None and one.is_countable,
                since=since[memory.id],
                counted=one is not None and known.get(memory.id, (0, ""))[1] == _hash_of(one),
                right_ways=tuple(dict.fromkeys(way for ways in rights for way in ways)),
                **(tallies.get(memory.id, {}) if one else {}),
            )


def _hash_of(rule: CheckableRule) -> str:
    """By which a change of what is looked for is seen."""
    said = [VERSION, *((str(trigger), rule.rights[trigger]) for trigger in rule.triggers)]
    return hashlib.blake2b(repr(said).encode(), digest_size=8).hexdigest()


def _events(files: Iterable[Path]) -> Iterator[tuple[float, Event, Path]]:
    """The events of these transcripts in the order of their times."""
    with ExitStack() as stack:
        opened = [stack.enter_context(reader_of(path).read(path, limits=LIMITS)) for path in files]
        yield from heapq.merge(*map(_timed, opened), key=itemgetter(0))


def _timed(events: TranscriptPass) -> Iterator[tuple[float, Event, Path]]:
    """The events with their times; one without has that of the event before it."""
    time = 0.0
    for event in events:
        time = event.time or time
        yield time, event, events.path
