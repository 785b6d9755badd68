"""Undo and redo leave alone what another project changed in the global store, and say so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.admission import apply
from cortex_core.base.errors import NotFound, UndoConflict, UsageError
from cortex_core.records.memory import Memory
from tests.conftest import Clock
from tests.core.killing import killed_at


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


def test_what_another_project_moved_is_undone_there_too_or_not_at_all(
    here: Cortex, there: Cortex, tmp_path: Path
) -> None:
    (lamp,) = there.list()
    there.move(lamp.id, "global")
    (tmp_path / "lighthouse").rename(tmp_path / "away")
    with pytest.raises(UndoConflict, match=r"made in lighthouse.*Nothing was changed"):
        here.undo(scope="global")
    (tmp_path / "away").rename(tmp_path / "lighthouse")
    assert here.show(lamp.id).scope == "global"
    here.undo(scope="global")
    assert there.show(lamp.id).scope == "project"


@pytest.fixture
def moved(here: Cortex, there: Cortex) -> Memory:
    """A memory that went from here to the other project, and was linked to one that stayed."""
    memory = here.remember("Lamps are cleaned on Mondays", kind="procedure")
    stays = here.remember("The lamp room is on the third floor")
    here.graph.link(memory.id, stays.id, "refines")
    (found,) = here.move(memory.id, there.project.root or "")
    assert found.content == memory.content
    return memory


def _both(here: Cortex, there: Cortex, memory: Memory) -> tuple[bool, bool]:
    """Whether each project has the memory in its own store."""
    return tuple(  # type: ignore[return-value]
        bool(one.workspace.store("project").memories([memory.id])) for one in (here, there)
    )


def test_a_move_to_another_project_is_one_step(here: Cortex, there: Cortex, moved: Memory) -> None:
    assert _both(here, there, moved) == (False, True)
    assert not here.list(scope="global")
    assert here.log(1)[0].label == "move “Lamps are cleaned on Mondays” to lighthouse"
    assert there.log(1)[0].label == here.log(1)[0].label


def test_a_move_that_is_refused_for_one_moves_none(here: Cortex, there: Cortex) -> None:
    own = here.remember("Lamps are cleaned on Mondays")
    shared = here.remember("Answers are short", kind="preference", scope="global")
    with there.workspace.store("project").change("remember", "twin", "person", "a") as change:
        apply.insert(change, shared)
    with pytest.raises(UsageError, match=r"in lighthouse already. Nothing was changed"):
        here.move([own.id, shared.id], there.project.root or "")
    assert _both(here, there, own) == (True, False)
    assert [one.id for one in here.list(scope="global")] == [shared.id]


def test_a_move_to_another_project_is_taken_back_on_both_sides(
    here: Cortex, there: Cortex, moved: Memory, project: Path, clock: Clock
) -> None:
    here.undo(own=True)
    assert _both(here, there, moved) == (True, False)
    assert [one.edge.type for one in here.graph.links(moved.id)] == ["refines"]
    here.redo(own=True)
    assert _both(here, there, moved) == (False, True)
    with Cortex.open(project, clock=clock) as later:
        later.undo()
    assert _both(here, there, moved) == (True, False)
    with Cortex.open(project, clock=clock) as later:
        later.redo()
    there.undo()
    assert _both(here, there, moved) == (True, False)


def test_what_was_changed_there_stays_there(here: Cortex, there: Cortex, moved: Memory) -> None:
    there.edit(moved.id, content="Lamps are cleaned on Tuesdays")
    with pytest.raises(UndoConflict, match="Nothing was changed"):
        here.undo()
    assert _both(here, there, moved) == (False, True)


def test_where_nothing_can_go_is_said(here: Cortex, there: Cortex, tmp_path: Path) -> None:
    memory = here.remember("Answers are short")
    for nowhere in ("everywhere", str(tmp_path / "nothing"), "team"):
        with pytest.raises(UsageError, match=r"no folder of a project.*Nothing was changed"):
            here.move(memory.id, nowhere)
    there.exchange.import_jsonl(
        [json.dumps({"id": memory.id, "content": memory.content})], own=True
    )
    with pytest.raises(UsageError, match=r"in lighthouse already.*cortex forget"):
        here.move(memory.id, str(there.project.root))
    assert _both(here, there, memory) == (True, True)


def test_killed_on_its_way_a_memory_is_never_gone(tmp_path: Path, clock: Clock) -> None:
    roots, home = [tmp_path / name for name in ("here", "there")], tmp_path / "home"
    for root in roots:
        root.mkdir()
        with Cortex.open(root, home, clock=clock) as cortex:
            name = cortex.remember(f"Answers are short in {root.name}").id
    seen, step = set(), 0

    def move() -> None:
        with Cortex.open(roots[1], home, clock=clock) as cortex:
            cortex.move(name, str(roots[0]))

    def has(root: Path) -> bool:
        with Cortex.open(root, home, clock=clock) as cortex:
            return bool(cortex.workspace.store("project").memories([name]))

    while killed_at(step := step + 1, move):
        seen.add((has(roots[1]), has(roots[0])))
        if seen & {(True, True)}:
            with Cortex.open(roots[1], home, clock=clock) as cortex:
                cortex.forget(name)
            break
    assert seen == {(True, False), (True, True)}
    with Cortex.open(roots[0], home, clock=clock) as cortex:
        assert cortex.show(name).status == "active"


def test_undoing_a_move_is_said_in_one_line(here: Cortex) -> None:
    memory = here.remember("Answers are short", kind="preference")
    here.move(memory.id, "global")
    done = here.undo()
    assert {(change.scope, change.label) for change in done} == {
        ("project", "move “Answers are short” to global"),
        ("global", "move “Answers are short” to global"),
    }
    assert len({change.action for change in done}) == 1
