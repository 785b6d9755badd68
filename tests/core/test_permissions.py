"""What may be done to a memory in its present state is refused below every interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex, permissions
from cortex_core.base.errors import UsageError
from cortex_core.records.memory import STATUSES, Memory, Status
from tests.conftest import Clock


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Cortex:
    return Cortex.open(project, clock=clock)


def made(cortex: Cortex, status: Status) -> Memory:
    """A memory of that status."""
    memory = cortex.remember(f"The queue of the {status} ones holds 500 jobs.")
    with cortex.workspace.store("project").change("arrange", "arrange", "worker") as change:
        change.update("memory", memory.id, {"status": status})
    return cortex.show(memory.id)


@pytest.mark.parametrize(
    ("status", "way"),
    [
        ("suggested", "cortex suggestions keep"),
        ("quarantined", "cortex suggestions keep --quarantined"),
    ],
)
def test_what_waits_for_a_verdict_is_not_restored(cortex: Cortex, status: Status, way: str) -> None:
    held, revision = made(cortex, status), cortex.workspace.revision()
    with pytest.raises(UsageError, match=way):
        cortex.restore(held.id[:8])
    assert cortex.show(held.id) == held
    assert cortex.workspace.revision() == revision


@pytest.mark.parametrize("status", [one for one in STATUSES if one != "active"])
def test_only_what_is_active_is_pinned(cortex: Cortex, status: Status) -> None:
    held, revision = made(cortex, status), cortex.workspace.revision()
    with pytest.raises(UsageError, match=f"Only active memories can be pinned.*{status}"):
        cortex.pin(held.id)
    assert cortex.show(held.id) == held
    assert cortex.workspace.revision() == revision


def test_one_that_is_refused_stops_all(cortex: Cortex) -> None:
    active, gone, held = (made(cortex, one) for one in ("active", "archived", "quarantined"))
    revision = cortex.workspace.revision()
    with pytest.raises(UsageError, match="Nothing was changed"):
        cortex.pin([active.id, gone.id])
    with pytest.raises(UsageError, match="Nothing was changed"):
        cortex.restore([gone.id, held.id])
    assert cortex.workspace.revision() == revision


@pytest.mark.parametrize("status", ["archived", "superseded"])
def test_what_was_put_away_is_restored_and_then_pinned(cortex: Cortex, status: Status) -> None:
    memory = made(cortex, status)
    assert cortex.restore(memory.id)[0].status == "active"
    assert cortex.pin(memory.id)[0].pinned


def test_an_archived_memory_can_be_unpinned(cortex: Cortex) -> None:
    memory = cortex.remember("The pager wakes whoever deployed last.", pinned=True)
    cortex.forget(memory.id)
    assert not cortex.unpin(memory.id)[0].pinned


def test_what_changes_nothing_does_no_harm(cortex: Cortex) -> None:
    memory = made(cortex, "archived")
    assert permissions.nothing_to_do("forget", memory) == "It is archived already."
    assert cortex.forget(memory.id)[0].status == "archived"
    cortex.restore(memory.id)
    active = cortex.show(memory.id)
    assert "nothing to restore" in permissions.nothing_to_do("restore", active)
    assert cortex.restore(memory.id)[0].status == "active"
