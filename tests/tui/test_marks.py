"""Marks, what is done with several memories at once, and never with any that nobody sees."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_core.records.memory import STATUSES, Key, Memory
from cortex_tui.application import CortexApp
from cortex_tui.lists.memory_list import Marks
from cortex_tui.screens import memory_screen
from cortex_tui.screens.dialogs import Choose
from tests.conftest import Clock
from tests.tui.conftest import picture, settle, titles, type_words
from tests.tui.waiting import act, press, until


def made(count: int) -> list[Key]:
    """So many rows."""
    return [("project", number) for number in range(count)]


def test_a_range_goes_from_what_was_marked_last_in_either_direction() -> None:
    rows = made(9)
    marks = Marks()
    marks.show(rows)
    marks.toggle(rows[8])
    marks.toggle(rows[5])
    marks.range(rows[3])
    assert marks.shown() == [*rows[3:6], rows[8]]
    marks.none()
    marks.range(rows[2])
    assert marks.shown() == [rows[2]]


def test_hidden_marks_are_known() -> None:
    rows = made(4)
    marks = Marks()
    marks.show(rows)
    marks.all()
    marks.show(rows[:1])
    assert marks.shown() == rows[:1]
    assert marks.hidden() == rows[1:]
    marks.drop(rows[2:])
    assert len(marks) == 2
    marks.none()
    assert len(marks) == 0


async def dialog(pilot: Pilot[None]) -> None:
    """Wait for a dialog to stand there."""
    await until(lambda: len(pilot.app.screen_stack) > 1, "a dialog")
    await settle(pilot)


def archived(cortex: Cortex) -> list[Memory]:
    return [one for one in cortex.list(statuses=STATUSES) if one.status == "archived"]


async def test_many_are_forgotten_as_one_step(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = titles(pilot)
        await press(pilot, "space", "j", "space")
        assert "2 marked" in picture(pilot)
        await press(pilot, "d")
        assert "Forgotten: 2 memories" in picture(pilot)
        assert {one.title for one in archived(cortex)} == {before[0], before[2]}
        assert titles(pilot) == before
        assert picture(pilot).count("✕ forgotten") == 2
        assert "marked" not in picture(pilot)
        await press(pilot, "u")
        assert archived(cortex) == []
        assert "✕ forgotten" not in picture(pilot)
        await press(pilot, "ctrl+r")
        assert len(archived(cortex)) == 2
        assert titles(pilot) == before
        assert picture(pilot).count("✕ forgotten") == 2


async def test_all_and_none(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "A")
        assert "9 marked" in picture(pilot)
        assert picture(pilot).count("■") == 9
        await press(pilot, "A")
        assert "marked" not in picture(pilot)


async def test_escape_leaves_a_search_first_and_then_the_marks(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "A")
        await type_words(pilot, "refresh")
        await press(pilot, "escape")
        assert len(titles(pilot)) == 9 and "9 marked" in picture(pilot)
        await press(pilot, "escape")
        assert "marked" not in picture(pilot)


async def test_what_is_set_of_marked_memories_is_what_several_can_have(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        names = [one.id for one in cortex.list()[:2]]
        await press(pilot, "space", "space", "s")
        await dialog(pilot)
        shown = picture(pilot)
        assert "Set of 2 memories" in shown and "tags  " in shown and "priority  " not in shown
        await press(pilot, *"scope", "enter")
        assert "Move 2 memories" in picture(pilot)
        await press(pilot, "enter")
        assert [cortex.show(name).scope for name in names] == ["global", "global"]
        await press(pilot, "home", "space", "end", "s")
        await dialog(pilot)
        first = cortex.list()[0]
        assert f"Set of “{first.title}”"[:40] in picture(pilot)
        await press(pilot, *"priority", "enter", *"9", "enter")
        assert cortex.show(first.id).priority == 9


async def test_marks_by_mouse(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.click("MemoryList", offset=(2, 4))
        await pilot.click("MemoryList", offset=(20, 6), control=True)
        await settle(pilot)
        assert "2 marked" in picture(pilot)
        line, words = next(
            (line, words)
            for line, words in enumerate(picture(pilot).split("\n"))
            if "2 marked" in words
        )
        await pilot.click(offset=(words.index("2 marked") + 1, line))
        await settle(pilot)
        assert "2 marked" not in picture(pilot)


@pytest.mark.parametrize(("answer", "gone"), [("enter", 1), ("down", 2), ("escape", 0)])
async def test_marks_that_a_search_hides_are_asked_about(
    app: CortexApp, cortex: Cortex, answer: str, gone: int
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "space", "end", "space")
        await type_words(pilot, "refresh")
        assert "2 marked, 1 not shown" in picture(pilot)
        await pilot.press("d")
        await dialog(pilot)
        assert isinstance(app.screen, Choose)
        assert "Only the 1 marked that are shown" in picture(pilot)
        await press(pilot, *([answer, "enter"] if answer == "down" else [answer]))
        assert len(archived(cortex)) == gone
        left = 2 - gone
        assert (f"{left} marked" in picture(pilot)) == bool(left)


async def test_when_no_mark_is_shown_the_cursor_can_be_meant(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "space")
        await type_words(pilot, "pnpm")
        await pilot.press("p")
        await dialog(pilot)
        await press(pilot, "enter")
        assert {one.title for one in cortex.list() if one.pinned} == {
            "Use pnpm, never npm",
            "Never push to main without a green build",
        }
        assert "1 marked, 1 not shown" in picture(pilot)


async def test_those_that_cannot_be_are_left(app: CortexApp, cortex: Cortex) -> None:
    cortex.forget([cortex.list()[0].id])
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, ".", "A", "d")
        assert "Forgotten: 8 memories; 1 left as they are" in picture(pilot)
        await press(pilot, "A", "d")
        assert "This would change none of the 9 memories." in picture(pilot)


async def test_the_texts_and_ids_of_several_are_copied(
    app: CortexApp, cortex: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_screen, "copy_by_machine", lambda text: False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first, second = cortex.list()[:2]
        await press(pilot, "space", "space", "c")
        assert app.clipboard == f"{first.content}\n\n{second.content}"
        assert "Copied 2 texts" in picture(pilot)
        await act(pilot, "copy_id")
        assert app.clipboard == f"{first.id}\n{second.id}"


async def test_several_are_tagged_given_and_moved_each_with_one_undo(
    app: CortexApp, cortex: Cortex, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        names = [one.id for one in cortex.list()[:2]]
        await pilot.press("space", "space")
        await act(pilot, "set('tag')")
        await dialog(pilot)
        await press(pilot, *"-none", "space", "plus", *"web", "enter")
        assert "Tagged +web -none: 2 memories" in picture(pilot)
        assert [cortex.show(name).tags for name in names] == [("web",), ("web",)]
        clock.advance(minutes=1)
        await press(pilot, "home", "space", "space")
        await act(pilot, "set('move')")
        await press(pilot, "enter")
        assert "Moved to global: 2 memories" in picture(pilot)
        assert [cortex.show(name).scope for name in names] == ["global", "global"]
        clock.advance(minutes=1)
        await pilot.press("home", "space", "space")
        await act(pilot, "set('inject')")
        await dialog(pilot)
        await press(pilot, *"never", "enter")
        assert [cortex.show(name).inject for name in names] == ["never", "never"]
        assert picture(pilot).count("never injected") == 2
        await press(pilot, "u", "u", "u")
        for name in names:
            memory = cortex.show(name)
            assert (memory.tags, memory.scope, memory.inject) == ((), "project", "normal")
