"""Random histories: whatever the journal offers to undo or redo, it does exactly, or says why not.

A history is any order of the verbs that change something, in both stores, with undo and redo of any
number of any entry in between. `CORTEX_HISTORIES=1000` runs as many instead of the few of the
suite.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import CortexError, NotFound, StoreError, UndoConflict, UsageError
from cortex_core.records.changes import JournalEntry
from cortex_core.records.memory import EDGE_TYPES, INJECTION_POLICIES, Memory, Scope
from cortex_core.store import journal
from cortex_core.store.store import Store
from tests.conftest import Clock
from tests.transcript_samples import Sample

TABLES = ("memory", "source", "edge", "proposal", "verdict", "trash")
Rows = dict[tuple[str, str], list[tuple[Any, ...]]]
Item = TypeVar("Item")

SAID = (
    "Access tokens live 15 minutes because the mobile client can refresh them",
    "Access tokens live 15 minutes, since the mobile client can refresh them in the background",
    "The queue keeps jobs for 90 days",
    "The queue keeps jobs for 30 days",
    "Deploys go through the blue pipeline, never by hand",
    "Answers are short",
    "Names are spelt out in full",
)
KINDS = ("fact", "policy", "preference", "gotcha", "decision")


class Nothing(CortexError):
    """There is nothing to choose from, so this step is left out."""


class Trial:
    """One history in stores of its own, and how it chooses."""

    def __init__(self, folder: Path, random: Random) -> None:
        self.clock = Clock()
        self.random = random
        self.folder = folder
        (folder / "project").mkdir()
        self.cortex = Cortex.open(folder / "project", folder / "home", clock=self.clock)
        self.lost = False
        """Whether something was destroyed for good."""

    # --- choosing

    def choose(self, items: Sequence[Item]) -> Item:
        """One of `items`."""
        if not items:
            raise Nothing
        return self.random.choice(items)

    @property
    def memories(self) -> list[Memory]:
        return [memory for store in self.cortex.workspace.stores for memory in store.select()]

    def some(self) -> list[str]:
        """Ids of one to three memories, of one store or both."""
        ids = [memory.id for memory in self.memories]
        return list({self.choose(ids) for _ in range(1 + self.choose(range(3)))})

    def scope(self) -> Scope:
        return self.choose(("project", "global"))

    def proposal(self) -> dict[str, Any]:
        scope, proposal = self.choose(self.cortex.review.proposals())
        return {"number": proposal.number, "scope": scope}

    # --- looking

    def rows(self, without: frozenset[str] = frozenset()) -> Rows:
        """Every row of what is journalled, in both stores."""
        return {
            (store.scope, table): sorted(
                (
                    tuple(value for name, value in dict(row).items() if name not in without)
                    for row in store.rows(f'SELECT * FROM "{table}"')
                ),
                key=repr,
            )
            for store in self.cortex.workspace.stores
            for table in TABLES
        }

    def entries(self) -> list[JournalEntry]:
        """The whole journal of both stores, newest first."""
        return self.cortex.log(100_000)

    def store(self, entry: JournalEntry) -> Store:
        return self.cortex.workspace.store(entry.scope)


def remember(trial: Trial) -> None:
    trial.cortex.remember(
        trial.choose(SAID),
        scope=trial.scope(),
        kind=trial.choose(KINDS),
        pinned=trial.choose((False, False, True)),
        tags=["one"],
    )


def edit(trial: Trial) -> None:
    what: dict[str, Any] = trial.choose(
        (
            {"content": SAID[0]},
            {"content": "The queue keeps jobs forever"},
            {"title": "A title"},
            {"kind": "gotcha", "priority": 9},
            {"tags": ["two"]},
            {"confidence": 0.4},
        )
    )
    trial.cortex.edit(trial.choose(trial.memories).id, **what)


def lifecycle(trial: Trial) -> None:
    trial.clock.advance(days=trial.choose((1, 40, 200)))
    trial.cortex.lifecycle.run()


def trash(trial: Trial) -> None:
    trial.cortex.restore(trial.choose(trial.cortex.trash.list()).id)


def empty(trial: Trial) -> None:
    trial.lost = trial.cortex.trash.empty() > 0 or trial.lost


def link(trial: Trial) -> None:
    source, target = (trial.choose(trial.memories).id for _ in range(2))
    trial.cortex.graph.link(source, target, trial.choose(EDGE_TYPES))


def unlink(trial: Trial) -> None:
    edge = trial.choose(_edges(trial))
    trial.cortex.graph.unlink(edge[0], edge[1])


def _edges(trial: Trial) -> list[Any]:
    asked = "SELECT source, target, type FROM edge ORDER BY id"
    return [edge for store in trial.cortex.workspace.stores for edge in store.rows(asked)]


def wait(trial: Trial) -> None:
    """Have an agent's find wait for the user."""
    made = trial.choose(trial.memories)
    status = trial.choose(("suggested", "quarantined"))
    with trial.cortex.workspace.store(made.scope).change("capture", "wait", "worker") as change:
        change.update("memory", made.id, {"status": status})


def decide(trial: Trial) -> None:
    waiting = [*trial.cortex.suggestions.list(), *trial.cortex.quarantine.list()]
    memory = trial.choose(waiting)
    services = {
        "suggested": trial.cortex.suggestions.keep,
        "quarantined": trial.cortex.quarantine.release,
    }
    if trial.choose((True, False)):
        services[memory.status](memory.id)
    else:
        trial.cortex.suggestions.discard([one.id for one in waiting])


def import_lines(trial: Trial) -> None:
    lines: list[dict[str, Any]] = [
        {
            "id": f"00000000-0000-4000-8000-{trial.choose(range(5)):012}",
            "scope": trial.scope(),
            "content": trial.choose(SAID),
            "priority": 1 + trial.choose(range(9)),
        }
        for _ in range(3)
    ]
    lines.append({"content": trial.choose(SAID)})
    trial.cortex.exchange.import_jsonl(list(map(json.dumps, lines)))


def capture(trial: Trial) -> None:
    said = trial.choose(
        (
            "Remember: never push to main without a green build.",
            "From now on write tests before the code.",
        )
    )
    start = datetime.fromtimestamp(trial.clock(), UTC)
    name = f"session-{trial.choose(range(3))}"
    made = Sample(name, cwd=trial.cortex.project.root or "", start=start).human(said)
    path = trial.folder / f"{name}.jsonl"
    made.assistant("I will.").write(path)
    trial.cortex.sessions.capture(path, event="Stop", final=trial.choose((False, True)))


def outcome(trial: Trial) -> None:
    chosen = [memory for memory in trial.memories if memory.kind == "procedure"]
    trial.cortex.procedures.outcome(
        trial.choose(chosen).id, trial.choose((True, False)), note=trial.choose(("", "It broke"))
    )


def procedure(trial: Trial) -> None:
    steps = ["make ship", trial.choose(("wait", "look"))]
    trial.cortex.procedures.add("Release it", steps, scope=trial.scope())


def episode(trial: Trial) -> None:
    trial.cortex.episodes.add("The release broke", outcome="failed", scope=trial.scope())


def review(trial: Trial) -> None:
    service = trial.cortex.review
    verb = trial.choose(
        (
            service.approve,
            service.keep_left,
            service.keep_right,
            service.supersede,
            service.reject,
            service.distinct,
        )
    )
    verb(**trial.proposal())


VERBS: tuple[Callable[[Trial], object], ...] = (
    remember,
    remember,
    remember,
    edit,
    edit,
    lifecycle,
    trash,
    empty,
    link,
    link,
    unlink,
    wait,
    decide,
    decide,
    import_lines,
    import_lines,
    capture,
    outcome,
    procedure,
    episode,
    review,
    review,
    lambda trial: trial.cortex.pin(trial.some()),
    lambda trial: trial.cortex.unpin(trial.some()),
    lambda trial: trial.cortex.tag(trial.some(), add=[trial.choose(("one", "two"))]),
    lambda trial: trial.cortex.give(trial.some(), trial.choose(INJECTION_POLICIES)),
    lambda trial: trial.cortex.lifecycle.reinforce(trial.some()),
    lambda trial: trial.cortex.forget(trial.some()),
    lambda trial: trial.cortex.forget(trial.some()),
    lambda trial: trial.cortex.restore(trial.some()),
    lambda trial: trial.cortex.move(trial.some(), trial.scope()),
    lambda trial: trial.cortex.move(trial.some(), trial.scope()),
    lambda trial: trial.cortex.consolidate(),
    lambda trial: trial.cortex.review.approve_all(),
)


def act(trial: Trial) -> None:
    """Do anything; it changes nothing where it is refused, and else can be undone and redone."""
    verb = trial.choose(VERBS)
    before, known = trial.rows(), {(one.scope, one.number) for one in trial.entries()}
    try:
        verb(trial)
    except StoreError:
        raise
    except CortexError:
        refreshed = any(one.verb == "refresh" for one in trial.entries()[:1])
        assert refreshed or trial.rows() == before
        return
    written = [one for one in trial.entries() if (one.scope, one.number) not in known]
    if not written or verb is empty:
        return
    after = trial.rows()
    for one in written:
        if one.undone_by is None and in_force(trial, one):
            trial.cortex.undo(number=one.number, scope=one.scope)
    assert trial.rows() == before
    for one in reversed(written):
        undone = current(trial, one).undone_by
        if undone is not None:
            trial.cortex.redo(number=undone, scope=one.scope)
    assert trial.rows() == after


def current(trial: Trial, entry: JournalEntry) -> JournalEntry:
    return trial.store(entry).entry(entry.number)


def in_force(trial: Trial, entry: JournalEntry) -> bool:
    return current(trial, entry).undone_by is None


def back(trial: Trial) -> None:
    """Undo or redo any entry: it works and its own inverse is exact, or it has a reason.

    Out of its order it leaves alone what was only noted since, such as when a memory was updated.
    """
    chosen = trial.choose(trial.entries())
    verb = "redo" if chosen.verb == "undo" else "undo"
    before = trial.rows(journal.UNCOUNTED)
    try:
        done = getattr(trial.cortex, verb)(number=chosen.number, scope=chosen.scope)
    except UsageError:
        assert chosen.verb == "redo" and trial.rows(journal.UNCOUNTED) == before
        return
    except UndoConflict:
        assert trial.rows(journal.UNCOUNTED) == before
        meant = journal.original(trial.store(chosen), current(trial, chosen))
        assert not in_force(trial, meant) or has_reason(trial, meant)
        return
    after = trial.rows(journal.UNCOUNTED)
    other = {"undo": "redo", "redo": "undo"}[verb]
    for inverse, expected in ((other, before), (verb, after)):
        done = getattr(trial.cortex, inverse)(number=done[0].number, scope=done[0].scope)
        assert trial.rows(journal.UNCOUNTED) == expected


def has_reason(trial: Trial, chosen: JournalEntry) -> bool:
    """Whether a later change touched what this action wrote, or brought its memories elsewhere."""
    entries = trial.entries()
    parts = [one for one in entries if one.action == chosen.action]
    return any(
        _touched_later(trial.store(part), part.number)
        or any(
            set(part.memories) & set(other.memories) and other.time >= part.time
            for other in entries
            if other.scope != part.scope
        )
        for part in parts
    )


def _touched_later(store: Store, number: int) -> bool:
    return bool(
        store.rows(
            "SELECT 1 FROM journal_row a JOIN journal_row b ON b.entry > a.entry AND "
            '((b."table" = a."table" AND b."key" = a."key") OR (a.memory <> \'\' AND '
            "(b.memory = a.memory OR instr(coalesce(b.before, ''), a.memory)))) WHERE a.entry = ?",
            (number,),
        )
    )


def plain(trial: Trial) -> None:
    """Undo or redo the newest few."""
    verb = trial.choose(("undo", "redo"))
    before = trial.rows()
    try:
        getattr(trial.cortex, verb)(1 + trial.choose(range(3)))
    except UndoConflict as error:
        assert trial.rows() == before or "before that" in str(error)
    except NotFound:
        assert trial.rows() == before


STEPS = (act, act, act, back, back, plain)


def finish(trial: Trial) -> None:
    """Undo everything, after doing again what was undone out of its order: nothing is left.

    An addition that was undone by its number took what was built upon it with it; where its place
    is taken since, so that it cannot come back, that can no longer be undone.
    """
    for verb in ("redo", "undo"):
        while any(_went(trial, entry, verb) for entry in trial.entries()):
            pass
    stays = [
        entry
        for entry in trial.entries()
        if entry.undone_by is None and entry.verb not in ("undo", "redo")
    ]
    assert all(has_reason(trial, entry) for entry in stays)
    assert trial.lost or stays or not any(trial.rows().values())


def _went(trial: Trial, entry: JournalEntry, verb: str) -> bool:
    """Whether an entry could be undone or redone; what brought a memory comes after its changes."""
    is_undo = entry.verb == "undo"
    if entry.verb == "redo" or entry.undone_by is not None or is_undo != (verb == "redo"):
        return False
    if verb == "undo" and _is_built_upon(trial, entry):
        return False
    try:
        getattr(trial.cortex, verb)(number=entry.number, scope=entry.scope)
    except UndoConflict:
        return False
    return True


def _is_built_upon(trial: Trial, entry: JournalEntry) -> bool:
    """Whether a later change that is in force touched a memory that this action brought."""
    parts = [one for one in trial.entries() if one.action == entry.action]
    return any(
        other.scope == part.scope
        and other.number > part.number
        and other.action != part.action
        and other.verb not in ("undo", "redo")
        and other.undone_by is None
        and {name for name, _ in journal.adds(trial.store(part), [part.number])}
        & set(other.memories)
        for part in parts
        for other in trial.entries()
    )


HISTORIES = int(os.environ.get("CORTEX_HISTORIES", "5"))


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_any_history_is_undone_exactly_or_refused_with_a_reason(tmp_path: Path, seed: int) -> None:
    trial = Trial(tmp_path, Random(seed))
    with trial.cortex:
        trial.cortex.remember("The first of all")
        trial.cortex.remember("The first of all, everywhere", scope="global")
        for _ in range(25):
            trial.clock.advance(minutes=1)
            with suppress(Nothing):
                trial.choose(STEPS)(trial)
        finish(trial)
