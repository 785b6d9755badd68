"""The log: every change, by whom, and undo and redo of the one at the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import ModalScreen

from cortex_core import Cortex
from cortex_core.records.changes import JournalEntry
from cortex_tui.application import CortexApp
from cortex_tui.screens.log_screen import LogScreen
from cortex_tui.session import label_of
from tests.conftest import Clock
from tests.tui.capturing import go, told_about
from tests.tui.conftest import picture, settle
from tests.tui.pages import page
from tests.tui.waiting import act, press


@pytest.fixture
def log(project: Path, clock: Clock) -> CortexApp:
    with Cortex.open(project, clock=clock) as cortex:
        first = cortex.remember("Use pnpm, never npm.", title="Use pnpm")
        cortex.remember("The queue is drained first.", title="The queue", actor="agent")
        cortex.pin(first.id)
        cortex.undo()
        clock.advance(minutes=1)
    return page(LogScreen, project, clock)


def shown(app: CortexApp) -> LogScreen:
    assert isinstance(app.screen, LogScreen)
    return app.screen


def rows(app: CortexApp) -> list[str]:
    """What was done, in the list's order; what is undone in brackets."""
    said = [(item.cells[-1].words, item.is_gone) for item in shown(app).rows.items]
    return [f"({words})" if is_gone else words for words, is_gone in said]


async def test_every_change_is_listed_and_an_undo_says_what_it_undid(log: CortexApp) -> None:
    async with log.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        assert rows(log) == [
            "undo of pin “Use pnpm”",
            "(pin “Use pnpm”)",
            "remember “The queue”",
            "remember “Use pnpm”",
        ]
        await press(pilot, "j")
        about = told_about(shown(log))
        assert "\nundone\n" in about and "+ pinned: yes" in about
        assert ", by you\n" in about
        await act(pilot, "section('agent')")
        assert rows(log) == ["remember “The queue”"]
        await act(pilot, "section('session')")
        assert "Nothing was changed in this app yet" in picture(pilot)


async def test_the_change_at_the_cursor_is_undone_and_redone_whatever_came_later(
    log: CortexApp, cortex: Cortex
) -> None:
    async with log.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        assert "Done again: pin “Use pnpm”" in await go(pilot, "r")
        assert [memory.title for memory in cortex.list() if memory.pinned] == ["Use pnpm"]
        await press(pilot, "end", "k")
        assert "Undone: remember “The queue”" in await go(pilot, "r")
        assert {memory.title for memory in cortex.list()} == {"Use pnpm"}
        assert "(remember “The queue”)" in rows(log)
        assert "Done again: remember “The queue”" in await go(pilot, "r")
        assert "Undone: remember “The queue”" in await go(pilot, "u")
        assert "Undone: pin “Use pnpm”" in await go(pilot, "u")
        assert "was not done here" in " ".join((await go(pilot, "u")).split())


async def test_a_setting_of_this_session_is_listed_and_undone_there(
    log: CortexApp, project: Path
) -> None:
    async with log.run_test(size=(100, 30)) as pilot:
        await press(pilot, "8", "right", "j", "e", "7")
        assert log.theme == "cortex-light"
        assert rows(log)[0] == "set theme to cortex-light"
        assert "changed no memory" in await go(pilot, "home", "enter")
        await press(pilot, "right", "r")
        assert rows(log) == ["(set theme to cortex-light)"]
        assert log.theme == "cortex-dark"
        await press(pilot, "ctrl+r")
        assert log.theme == "cortex-light" and rows(log) == ["set theme to cortex-light"]


async def test_enter_opens_what_it_changed_and_words_are_searched(
    log: CortexApp, cortex: Cortex
) -> None:
    cortex.forget([memory.id for memory in cortex.list()])
    async with log.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        await press(pilot, "enter")
        assert isinstance(log.screen, ModalScreen) and "Open one of 2 memories" in picture(pilot)
        await press(pilot, "escape", "j", "enter")
        assert "Use pnpm, never npm." in picture(pilot)
        await press(pilot, "escape", "/", *"queue", "enter")
        assert rows(log) == ["remember “The queue”"]
        assert "All “queue”" in picture(pilot)
        await press(pilot, "escape")
        assert len(rows(log)) > 1
        await press(pilot, "escape")
        assert not any(isinstance(one, LogScreen) for one in log.screen_stack)
        await settle(pilot)


def test_an_import_is_called_by_the_memories_that_it_brought() -> None:
    """What it notes beside touches none, and was named in their place."""

    def entry(number: int, label: str, *memories: str) -> JournalEntry:
        return JournalEntry(
            number=number, time=0.0, actor="import", verb="learn", label=label, memories=memories
        )

    noted = entry(3, "note what was said again")
    learned = entry(2, "learn from session b7675972", "m1", "m2")
    assert label_of([noted, learned, entry(1, "learn from session 835a89d9", "m3")]) == (
        "learn 3 memories"
    )
    assert label_of([noted]) == "note what was said again"
