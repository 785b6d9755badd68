"""What a session was given: by its receipts, or as the journal says it would have been given.

Receipts name memories and not their words, and of the note they have only its length. The words
come from the journal; the note is composed as today's is, from the stores as they were.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from cortex_core.base import hook_words, text
from cortex_core.base.project import Project
from cortex_core.records.memory import Memory
from cortex_core.records.surfaces import HandedMemory, MemoryFate, PastSurface, Receipt, Surface
from cortex_core.store import journal, receipt_rows, snapshots, trash
from cortex_core.store.past import MemoryThen, PastStore, memories_at
from cortex_core.store.reader import Reader
from cortex_core.store.workspace import Workspace
from cortex_core.surface import explain, note, receipts
from cortex_core.surface.compose import Composition

BY_TODAYS = (
    "The note was composed with the settings and with Claude Code's own memory file as they are "
    "today."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionBeginning:
    """When and where a session began."""

    session: str
    title: str = ""
    time: float | None = None
    """Unix seconds; None where only receipts can say it."""
    branch: str = ""
    folder: str = ""
    """Absolute."""
    limits: tuple[str, ...] = ()
    """Sentences on what of this is not certain."""


def receipts_of(workspace: Workspace, name: str) -> list[Receipt]:
    """What the session called `name` was given, in order of time; also what has no receipt yet."""
    found = [
        receipt
        for store in workspace.own_stores
        for receipt in receipt_rows.listed(store, session=name, limit=-1)
        if receipt.session == name
    ]
    known = {(one.event, one.memory, one.time) for one in found}
    found += [
        Receipt(session=name, event=each.event, memory=each.memory, time=each.time, tokens=tokens)
        for each, tokens in receipts.noted(workspace.project)
        if each.session == name and each[1:] not in known
    ]
    return sorted(found, key=lambda receipt: (receipt.time, receipt.event))


def surface_of(
    workspace: Workspace, began: SessionBeginning, given: Sequence[Receipt]
) -> PastSurface:
    """What a session was given by `given`, its receipts; without any, what it would have been."""
    starts = [one for one in given if one.event == hook_words.START]
    moment = starts[0].time if starts else began.time
    if moment is None:
        moment = given[0].time
    note: Surface | None = None
    # Receipts say which memories were given, the journal which words they had: both must agree.
    limits: tuple[str, ...] = ()
    if starts:
        note, limits = _agreeing(workspace, began, [one for one in starts if one.time == moment])
    elif not given:
        composition, limits = _rebuilt(workspace, moment, began)
        note = _report(composition, workspace)
    return PastSurface(
        session=began.session,
        title=began.title,
        began=moment,
        branch=began.branch,
        folder=began.folder,
        basis="handed over" if given else "rebuilt",
        note=note,
        handed=tuple(_handed(workspace, given)),
        limits=limits,
    )


def _agreeing(
    workspace: Workspace, began: SessionBeginning, given: Sequence[Receipt]
) -> tuple[Surface | None, tuple[str, ...]]:
    """The note that agrees with the receipts of a session's start, and what may have been otherwise
    where none does. The branch that is known may not be the one that the hook saw: the present one
    and none are tried as well."""
    limits: tuple[str, ...] = ()
    for branch in dict.fromkeys((began.branch, workspace.project.branch, "")):
        there = replace(began, branch=branch)
        composition, limits = _rebuilt(workspace, given[0].time, there)
        if _agrees(composition, given):
            return _report(composition, workspace), ()
    return None, limits


def _report(note: Composition, workspace: Workspace) -> Surface:
    """A note as the dataclass that crosses borders, without what was left out."""
    lines = Composition(note.text, note.lines, (), note.titles)
    return explain.report(lines, int(workspace.config.get("surface.tokens")))


def _agrees(note: Composition, given: Sequence[Receipt]) -> bool:
    """Whether a note has the memories, their order and the length that receipts name."""
    ids = [line.candidate.row.id for line in note.lines]
    # The shares are rounded.
    is_as_long = abs(note.tokens - sum(one.tokens for one in given)) <= len(ids)
    return bool(ids) and is_as_long and ids == [one.memory for one in given]


# --- the note


def _rebuilt(
    workspace: Workspace, moment: float, began: SessionBeginning
) -> tuple[Composition, tuple[str, ...]]:
    """The hand-over note for a session that began at `moment`, and what may have been otherwise
    about it."""
    here = workspace.project
    then = Project(here.root, here.home, began.folder or here.root or here.cwd, began.branch)
    limits = list(began.limits)
    with ExitStack() as opened:
        stores = [opened.enter_context(store) for store in _stores(workspace, moment, limits)]
        composition = note.composed(then, moment, workspace.config, stores)
    limits += [BY_TODAYS] if composition.text else []
    return composition, tuple(limits)


def _stores(workspace: Workspace, moment: float, limits: list[str]) -> list[PastStore]:
    """The stores that may be injected, as they were; adds to `limits` what is not certain."""
    trusted: set[str] = set()
    found = []
    for store in note.injectable_stores(workspace.project):
        trusted.add(store.scope)
        with store:
            try:
                past = PastStore(store.file, store.scope, moment)
                limits += _limits(store, moment, past)
            except (sqlite3.Error, ValueError) as error:
                limits.append(
                    f"The {store.scope} store cannot be led back ({error}), so the note was "
                    "composed without it. See: cortex snapshot verify"
                )
                continue
        found.append(past)
    if workspace.existing("project") is not None and "project" not in trusted:
        limits.append("The project's store is not trusted, so the note was composed without it.")
    return found


def _limits(store: Reader, moment: float, past: PastStore) -> Iterator[str]:
    """How far the journal of a store is good for a moment, in sentences."""
    first = journal.oldest_time(store)
    if first is None or first > moment:
        begins = f"begins on {text.iso(first)}" if first is not None else "is empty"
        yield f"The {store.scope} store held nothing yet: its journal {begins}."
    if past.lost:
        yield (
            f"{text.memories(len(past.lost))} of the {store.scope} store of that time "
            f"{'was' if len(past.lost) == 1 else 'were'} deleted for good: what the note had "
            "of them is not known."
        )
    if scrubbed := journal.last_scrub(store, moment):
        yield (
            f"Secrets were removed from the {store.scope} store on {text.iso(scrubbed)}: where "
            "one was, the note has a mark."
        )
    if restored := _restored(store, moment):
        yield (
            f"The {store.scope} store was put back to a snapshot on {restored}: what was "
            "changed between the two is not in its journal."
        )


def _restored(store: Reader, moment: float) -> str:
    """When a store was put back to a state of before `moment`, after it; mostly empty."""
    for copy in snapshots.taken(Path(store.file)):
        if copy.why == "before-restore" and copy.moment > moment:
            before = journal.newest_before(store, copy.moment)
            if before < moment:
                return text.iso(copy.moment)
    return ""


# --- the words of memories


def _handed(workspace: Workspace, given: Sequence[Receipt]) -> Iterable[HandedMemory]:
    """What each receipt names, with the words of its moment."""
    then: dict[tuple[str, float], MemoryThen] = {}
    for store in workspace.stores:
        found = memories_at(store, [(one.memory, one.time) for one in given])
        then.update({key: one for key, one in found.items() if one.known or key not in then})
    ids = list({one.memory for one in given})
    now = {memory.id: memory for store in workspace.stores for memory in store.memories(ids)}
    pruned = {one.id for store in workspace.stores for one in trash.listed(store)} if given else ()
    for one in given:
        was = then.get((one.memory, one.time), MemoryThen(known=False))
        fate = _fate(was, now.get(one.memory), in_trash=one.memory in pruned)
        if (one.memory, one.time) not in then:
            fate = "unknown"
        yield HandedMemory(
            receipt=one, kind=was.kind, title=was.title, content=was.content, since=fate
        )


def _fate(was: MemoryThen, now: Memory | None, *, in_trash: bool) -> MemoryFate:
    """What has become of a memory that was known."""
    if not was.known:
        return "destroyed"
    if now is None:
        return "pruned" if in_trash else "removed"
    if now.status != "active":
        return now.status
    return "unchanged" if (was.title, was.content) == (now.title, now.content) else "edited"
