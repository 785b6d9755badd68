"""Undo and redo leave alone what another project changed in the global store, and say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import NotFound, UndoConflict
from tests.conftest import Clock


@pytest.fixture
def here(project: Path, clock: Clock) -> Iterator[Cortex]:
    """Cortex in the project that is asked to undo."""
    with Cortex.open(project, clock=clock) as cortex:
        yield cortex


@pytest.fixture
def there(tmp_path: Path, clock: Clock) -> Iterator[Cortex]:
    """Cortex in another project, with a memory of its own."""
    root = tmp_path / "lighthouse"
    root.mkdir()
    with Cortex.open(root, clock=clock) as cortex:
        cortex.remember("The lamp turns every ten seconds")
        yield cortex


def test_a_plain_undo_passes_over_what_another_project_did(
    here: Cortex, there: Cortex, clock: Clock
) -> None:
    own = here.remember("Builds run on the blue machine")
    clock.advance(minutes=1)
    rule = there.remember("Never push on Fridays", kind="policy", scope="global")
    done = here.undo()
    assert [change.label for change in done] == ["remember “Builds run on the blue machine”"]
    assert "made in lighthouse" in done.passed_over and "Never push on Fridays" in done.passed_over
    assert "cortex undo --scope global --change 1" in done.passed_over
    assert [memory.id for memory in here.list()] == [rule.id]
    with pytest.raises(NotFound, match=r"Nothing was changed.*made in lighthouse"):
        here.undo()
    done = here.redo()
    assert not done.passed_over
    assert {memory.id for memory in here.list()} == {rule.id, own.id}


def test_what_belongs_here_is_undone_in_the_global_store_too(
    here: Cortex, there: Cortex, clock: Clock
) -> None:
    here.remember("Answers are short", kind="preference", scope="global")
    clock.advance(minutes=1)
    rule = there.remember("Never push on Fridays", kind="policy", scope="global")
    done = here.undo()
    assert [(change.scope, change.label) for change in done] == [
        ("global", "remember “Answers are short”")
    ]
    assert [memory.id for memory in here.list()] == [rule.id]
    assert "Never push on Fridays" in done.passed_over
    assert not there.undo().passed_over
    assert here.list() == []


def test_a_change_made_elsewhere_is_undone_where_it_is_named(here: Cortex, there: Cortex) -> None:
    rule = there.remember("Never push on Fridays", kind="policy", scope="global")
    here.undo(number=1, scope="global")
    assert not here.workspace.store("global").memories([rule.id])
    there_is_nothing = pytest.raises(NotFound, match="There is nothing to redo")
    with there_is_nothing:
        there.redo()
    here.redo()
    here.undo(scope="global")
    assert not here.workspace.store("global").memories([rule.id])


def test_a_part_of_what_another_project_moved_is_not_undone_alone(
    here: Cortex, there: Cortex
) -> None:
    (lamp,) = there.list()
    there.move(lamp.id, "global")
    with pytest.raises(UndoConflict, match=r"made in lighthouse.*Nothing was changed"):
        here.undo(scope="global")
    assert here.show(lamp.id).scope == "global"
    there.undo()
    assert there.show(lamp.id).scope == "project"


def test_undoing_a_move_is_said_in_one_line(here: Cortex) -> None:
    memory = here.remember("Answers are short", kind="preference")
    here.move(memory.id, "global")
    done = here.undo()
    assert {(change.scope, change.label) for change in done} == {
        ("project", "move “Answers are short” to global"),
        ("global", "move “Answers are short” to global"),
    }
    assert len({change.action for change in done}) == 1
