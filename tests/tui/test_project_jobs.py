"""What is done for the whole project from any screen: learning, exporting, pausing, connecting."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.screen import ModalScreen
from textual.widgets import Input

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.screens.memories_screen import MemoriesScreen
from cortex_tui.widgets.frame import KeyHints
from tests.conftest import Clock
from tests.tui.capturing import captured, do, go, session, until_dialog, utc
from tests.tui.conftest import picture
from tests.tui.waiting import until

__all__ = ["captured", "utc"]


async def test_past_sessions_are_learned_from_after_a_preview(
    project: Path, clock: Clock, app: CortexApp, cortex: Cortex, utc: None
) -> None:
    session(project, clock)
    before = len(cortex.list())
    async with app.run_test(size=(80, 24)) as pilot:
        shown = await go(pilot, "L")
        assert "Learn from 1 past session?" in shown and "would be kept" in shown
        await go(pilot, "n")
        assert len(cortex.list()) == before
        shown = await go(pilot, "L", "y")
        assert len(cortex.list()) > before
        assert len(cortex.suggestions.list()) == 1
        assert "show the 2 memories kept" in shown
        assert "show what is only suggested (1)" in shown
        await go(pilot, "escape")
        assert "nothing new" in await go(pilot, "L")
        await go(pilot, "u")
        assert len(cortex.list()) == before


async def test_an_import_leads_to_what_it_kept(
    project: Path, clock: Clock, app: CortexApp, cortex: Cortex, utc: None
) -> None:
    session(project, clock)
    before = {memory.id for memory in cortex.list()}
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "5", "L", "y", "enter")
        assert isinstance(app.screen, MemoriesScreen)
        kept = [memory for memory in cortex.list() if memory.id not in before]
        assert len(kept) == app.screen.query_one(MemoryList).count() == 2
        assert all(memory.title[:20] in picture(pilot) for memory in kept)


async def test_what_has_no_key_works_on_every_screen(
    captured: CortexApp, cortex: Cortex, tmp_path: Path
) -> None:
    async with captured.run_test(size=(120, 40)) as pilot:
        assert "capture paused" in await do(pilot, "app.job('pause')")
        seen = [cortex.sessions.paused]
        await do(pilot, "app.job('pause')")
        assert [*seen, cortex.sessions.paused] == [True, False]
        await do(pilot, "app.job('export')")
        captured.screen.query_one(Input).value = str(tmp_path / "vault")
        assert "memories are in" in await go(pilot, "enter")
        assert len(list((tmp_path / "vault").rglob("*.md"))) >= 8


async def test_secrets_are_found_and_taken_out_after_a_question(
    captured: CortexApp, cortex: Cortex
) -> None:
    memory = cortex.remember("The key of the mail service.")
    leaked = "key AKIA" + "Z7Q2M4X9P1L8K3J6"
    store = cortex.workspace.store("project")
    with store.write():  # As an older version stored it; a change would redact it.
        store.execute("UPDATE memory SET content = ? WHERE id = ?", (leaked, memory.id))
    async with captured.run_test(size=(80, 24)) as pilot:
        shown = await do(pilot, "app.job('scrub')")
        assert "aws" in shown and leaked not in shown
        await go(pilot, "enter")
        assert cortex.workspace.get(memory.id).content == leaked
        await do(pilot, "app.job('scrub')", "down", "enter")
        assert "redacted" in cortex.workspace.get(memory.id).content
        assert "No secret was found" in await do(pilot, "app.job('scrub')")


async def test_connecting_asks_first_and_names_the_way_back(
    app: CortexApp, scratch_home: Path
) -> None:
    settings = scratch_home / ".claude" / "settings.json"
    async with app.run_test(size=(100, 30)) as pilot:
        assert "not connected: I connects" in await go(pilot)
        await pilot.press("I")
        await until_dialog(pilot)
        assert "Connect Cortex with Claude Code?" in picture(pilot)
        assert "cortex uninstall" in picture(pilot)
        await pilot.press("n")
        await until(lambda: "Nothing was changed." in picture(pilot), "the refusal")
        assert not settings.exists()
        await pilot.press("I")
        await until_dialog(pilot)
        await pilot.press("y")
        await until(lambda: not isinstance(app.screen, ModalScreen), "the end of the dialog")
        hints = app.screen_stack[-1].query_one(KeyHints)
        await until(lambda: "To undo: cortex uninstall" in hints.said, "the connection")
        assert "cortex_core.hook" in settings.read_text()
        await until(lambda: "not connected" not in picture(pilot), "the strip")


@pytest.mark.parametrize("screen", ["today", "memories", "sessions", "rules", "log"])
async def test_every_screen_of_an_empty_project_takes_every_key(
    project: Path, clock: Clock, screen: str
) -> None:
    app = CortexApp(project, clock=clock, ascii_only=False, first=screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        for key in ("d", "e", "r", "space", "enter", "c", "j", "end", "u", "t", "w", "]", "y", "n"):
            await go(pilot, key)
        assert app.is_running
        assert not (project / ".memory" / "cortex.db").exists()


async def test_past_sessions_are_replayed_and_what_they_needed_is_shown(
    project: Path, clock: Clock, app: CortexApp, utc: None
) -> None:
    session(project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot)
        await do(pilot, "app.job('prove')")
        await until_dialog(pilot)
        seen = picture(pilot)
        assert "What Cortex would have been worth" in seen and "1 session from" in seen
        assert "corrections of yours that a line would" in seen and "by chance 0" in " ".join(
            seen.split()
        )
