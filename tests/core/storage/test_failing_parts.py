"""What fails half-way says truly what is done, or nothing of it is done."""

from __future__ import annotations

import json

import peewee
import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreError
from cortex_core.records.memory import Scope
from cortex_core.store.journal import Change
from tests.conftest import Clock

PAIR = (
    "The billing exporter writes the monthly reports to the archive bucket",
    "The billing exporter wrote its monthly report into the archive bucket",
)
SCOPES: tuple[Scope, ...] = ("project", "global")


def failing(monkeypatch: pytest.MonkeyPatch, verb: str, at: int) -> None:
    """Let the `at`th change with `verb` fail at its first row, as where the disk is full."""
    count = 0
    note = Change._note

    def noted(change: Change, *given: object, **named: object) -> None:
        nonlocal count
        count += not change.written and _verb(change) == verb
        if count == at:
            raise peewee.OperationalError("database or disk is full")
        note(change, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Change, "_note", noted)


def _verb(change: Change) -> str:
    asked = "SELECT verb FROM journal WHERE number = ?"
    return str(change.store.value(asked, (change.number,)))


def pairs(cortex: Cortex) -> None:
    """The same pair of duplicates in both stores."""
    cortex.exchange.import_jsonl(
        [
            json.dumps({"id": f"{scope}-{number}", "scope": scope, "content": content})
            for scope in SCOPES
            for number, content in enumerate(PAIR)
        ]
    )


def active(cortex: Cortex) -> list[str]:
    return sorted(memory.id for memory in cortex.list())


def test_merging_all_that_is_certain_happens_whole_or_not_at_all(
    cortex: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs(cortex)
    cortex.consolidate()
    before = active(cortex)
    assert len(cortex.review.certain()) == 2
    with monkeypatch.context() as patched:
        failing(patched, "merge", 2)
        with pytest.raises(StoreError, match="Nothing was changed"):
            cortex.review.approve_all()
    assert active(cortex) == before
    assert len(cortex.review.approve_all()) == 2
    cortex.undo()
    assert active(cortex) == before


def test_merges_of_a_consolidation_happen_whole_or_not_at_all_in_a_store(
    cortex: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs(cortex)
    others = (
        "Always run the migrations before the deploy, and update the release notes",
        "Run the migrations before each deploy and update the release notes",
    )
    cortex.exchange.import_jsonl([json.dumps({"content": content}) for content in others])
    cortex.consolidate()
    before = active(cortex)
    certain = [one for one in cortex.review.certain() if one.scope == "project"]
    chosen = [(one.scope, one.proposal.number) for one in certain]
    assert len(chosen) == 2
    with monkeypatch.context() as patched:
        failing(patched, "merge", 2)
        with pytest.raises(StoreError, match="Nothing was changed"):
            cortex.review.merge_each(chosen, "worker")
    assert active(cortex) == before
    assert len(cortex.review.merge_each(chosen, "worker")) == 2
    cortex.undo(number=cortex.log(1)[0].number, scope="project")
    assert len(before) - len(active(cortex)) == 1


@pytest.mark.parametrize("at", [1, 2])
def test_a_lifecycle_that_ends_early_says_what_it_did(
    cortex: Cortex, clock: Clock, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    for scope in SCOPES:
        cortex.remember(f"The import of the {scope} is half done", kind="progress", scope=scope)
        cortex.lifecycle.run()
    for _ in range(2):
        clock.advance(days=60)
        for scope in SCOPES:
            cortex.remember(f"The {scope} is half built", kind="progress", scope=scope)
        if _ == 0:
            cortex.lifecycle.run()
    clock.advance(days=60)
    before = _statuses(cortex)
    failing(monkeypatch, "prune", at)
    with pytest.raises(StoreError) as caught:
        cortex.lifecycle.run()
    said, after = str(caught.value), _statuses(cortex)
    assert ("Nothing was changed" in said) is (at == 1) is (before == after)
    assert ("archived and pruned before that in the other store" in said) is (at == 2)


def _statuses(cortex: Cortex) -> dict[str, int]:
    return {
        f"{store.scope} {row['status']}": row["number"]
        for store in cortex.workspace.stores
        for row in store.rows("SELECT status, count(*) AS number FROM memory GROUP BY status")
    }


def test_emptying_the_trash_that_ends_early_says_what_is_deleted(
    cortex: Cortex, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scope in SCOPES:
        cortex.remember(f"The import of the {scope} is half done", kind="progress", scope=scope)
    for _ in range(3):
        clock.advance(days=60)
        cortex.lifecycle.run()
    assert len(cortex.trash.list()) == 2
    commit, count = peewee.SqliteDatabase.commit, 0

    def full(database: peewee.SqliteDatabase) -> object:
        nonlocal count
        count += 1
        if count == 2:
            raise peewee.OperationalError("database or disk is full")
        return commit(database)

    monkeypatch.setattr(peewee.SqliteDatabase, "commit", full)
    with pytest.raises(StoreError) as caught:
        cortex.trash.empty()
    assert "Nothing was changed" not in str(caught.value)
    assert "1 memory was deleted for good before that" in str(caught.value)
    assert len(cortex.trash.list()) == 1
