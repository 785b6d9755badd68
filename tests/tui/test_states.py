"""Nothing there yet, nothing readable, gone while open: the app stays up and says what to do."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents import hook_command
from cortex_core.base import config
from cortex_tui.application import CortexApp
from cortex_tui.screens.base import StoreScreen
from cortex_tui.session import StoreSession
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles
from tests.tui.waiting import act, press


def made(project: Path, clock: Clock) -> CortexApp:
    return CortexApp(project, clock=clock, ascii_only=False)


async def test_nothing_is_offered_for_what_is_not_there(project: Path, clock: Clock) -> None:
    app = made(project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for number in "1234567":
            await press(pilot, number)
            offered = picture(pilot).split("\n")[-1]
            for label in ("open", "pin", "edit", "forget", "yes", "wrong"):
                assert f" {label}" not in offered, (number, offered)
            assert "? help" in offered
            if number == "3":
                assert "^p" in picture(pilot) and "consolidate:" in picture(pilot)
            if number == "5":
                assert "while Claude Code is connected (I)" in picture(pilot)


async def test_an_empty_store_says_how_to_begin(project: Path, clock: Clock) -> None:
    app = made(project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = picture(pilot)
        assert "Nothing is remembered here yet." in shown
        assert "age" not in shown.split("\n")[3]
        assert "learn from this project" in shown
        assert "connect Claude Code" in shown
        for key in ("j", "d", "p", "y", "u", "enter", "end"):
            await pilot.press(key)
        await settle(pilot)
        assert app.is_running
    assert not (project / ".memory" / "cortex.db").exists()


async def test_the_first_memory_ends_the_empty_state(project: Path, clock: Clock) -> None:
    async with made(project, clock).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.remember("Use pnpm, never npm.")
        screen(pilot).pulse()
        await settle(pilot)
        assert titles(pilot) == ["Use pnpm, never npm"]
        assert "Nothing is remembered" not in picture(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert "Pinned" in picture(pilot)


async def test_only_suggestions_are_told(project: Path, clock: Clock, app: CortexApp) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.forget([memory.id for memory in cortex.list()])
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "No memory is active here." in picture(pilot)
        await pilot.press(".")
        await settle(pilot)
        assert len(titles(pilot)) == 9


async def test_a_damaged_store_is_a_sentence_with_a_next_step(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    (project / ".memory" / "cortex.db").write_bytes(b"this is no database at all " * 400)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = picture(pilot)
        assert "The memories cannot be read" in shown
        assert shown.count("is damaged") == 1
        assert "Traceback" not in shown
        assert "f5" in shown
        for key in ("j", "d", "slash", "x", "escape"):
            await pilot.press(key)
        assert app.is_running


async def test_a_store_mended_is_read_after_f5(
    project: Path, clock: Clock, app: CortexApp, tmp_path: Path
) -> None:
    store = project / ".memory" / "cortex.db"
    shutil.copy(store, tmp_path / "good")
    store.write_bytes(b"this is no database at all " * 400)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shutil.copy(tmp_path / "good", store)
        await pilot.press("f5")
        await settle(pilot)
        assert "cannot be read" not in picture(pilot)
        assert titles(pilot)


async def test_a_store_removed_while_open_is_noticed(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shutil.rmtree(project / ".memory")
        screen(pilot).pulse()
        await settle(pilot)
        assert "was removed while it was open" in " ".join(picture(pilot).split())
        await pilot.press("f5")
        await settle(pilot)
        assert titles(pilot) == ["Use pnpm, never npm"]
    assert not (project / ".memory").exists()


async def test_nothing_is_written_into_a_removed_store(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shutil.rmtree(project / ".memory")
        await pilot.press("p")
        await settle(pilot)
        assert "was removed while it was open" in " ".join(picture(pilot).split())
        assert "Pinned" not in picture(pilot)


async def test_a_store_that_was_replaced_is_opened_afresh(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    store = project / ".memory" / "cortex.db"
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for file in store.parent.glob("cortex.db*"):
            file.unlink()
        with Cortex.open(project, clock=clock) as cortex:
            cortex.remember("A new beginning for this store.")
        screen(pilot).pulse()
        await settle(pilot)
        assert any(title.startswith("A new beginning") for title in titles(pilot))


async def test_a_mistake_in_the_configuration_is_a_sentence(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    config = project / ".memory" / "config.toml"
    config.write_text("theme = [", encoding="utf-8")
    async with made(project, clock).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = " ".join(picture(pilot).split())
        assert "is not valid TOML" in shown
        assert "Correct the file" in shown


async def test_an_unknown_theme_and_bad_keys_are_told(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    (project / ".memory" / "config.toml").write_text(
        'theme = "mauve"\n[keys]\n"memory.copy" = "d"\n"memory.explode" = "x"\n', encoding="utf-8"
    )
    app = made(project, clock)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settle(pilot)
        shown = " ".join(picture(pilot).split())
        assert app.theme == "cortex-dark"
        assert "mauve" in shown
        assert "memory.explode" in shown
        assert "memory.forget" in shown
        await press(pilot, "d")
        assert "Copied the text" in picture(pilot)


async def test_a_configured_key_works_and_is_shown(
    project: Path, clock: Clock, app: CortexApp
) -> None:
    (project / ".memory" / "config.toml").write_text(
        '[keys]\n"memory.pin" = "ctrl+b"\n', encoding="utf-8"
    )
    async with made(project, clock).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "^b pin" in picture(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert "Pinned" not in picture(pilot)
        await pilot.press("ctrl+b")
        await settle(pilot)
        assert "Pinned" in picture(pilot)


async def test_a_bug_in_a_worker_is_told_and_the_app_stays(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)

        def broken(*_: object) -> None:
            raise RuntimeError("a slip of ours")

        monkeypatch.setattr(StoreSession, "act", broken)
        await pilot.press("p")
        await settle(pilot)
        assert "Changing something failed" in picture(pilot)
        assert app.is_running


async def test_a_storm_of_resizes(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for width, height in ((20, 5), (1, 1), (300, 80), (99, 15), (100, 16), (5, 60), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.press("j")
        await settle(pilot)
        assert "Access tokens live" in picture(pilot)


async def test_content_full_of_markup_and_escapes_stays_text(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    clock.advance(minutes=1)
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(
            "[bold red]loud[/] [@click=app.quit]quit[/] \x1b]0;title\x07\x1b[2J end\n[/nonsense]",
            title="[red]t[/] \x1b[31mx",
            tags=("[b]",),
        )
    async with app.run_test(size=(180, 40)) as pilot:
        await settle(pilot)
        shown = picture(pilot)
        assert "[red]t[/] x" in shown
        assert "[bold red]loud[/]" in shown
        assert "[@click=app.quit]quit[/]" in shown
        assert "[/nonsense]" in shown
        assert "\x1b" not in shown
        await pilot.press("p")
        await settle(pilot)
        assert "Pinned: [red]t[/] x" in picture(pilot)


async def test_a_folder_that_came_with_a_clone_is_said(project: Path, clock: Clock) -> None:
    (project / ".memory").mkdir()
    (project / ".memory" / "config.toml").write_text("theme = 'none'\n")
    app = made(project, clock)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert "not trusted" in picture(pilot)
        for key in ("a", "s", "d", "p", "g", "c", "escape", "S"):
            await pilot.press(key)
            await settle(pilot)
        assert app.is_running


async def test_settings_that_cannot_be_read_are_said_wherever_one_is(
    project: Path, clock: Clock
) -> None:
    file = project / ".memory" / "config.toml"
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Access tokens live 15 minutes")
    before = file.read_text() if file.exists() else ""
    file.write_text("theme = [")
    app = CortexApp(project, clock=clock, ascii_only=False, first="today")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in ("escape", "3", "8"):
            await press(pilot, key)
            assert "▲ nothing can be read: f5 tries again" in picture(pilot).split("\n")[0]
            assert "is not valid TOML" in picture(pilot)
        file.write_text(before)
        await press(pilot, "f5")
        assert "nothing can be read" not in picture(pilot) and "Access tokens" in picture(pilot)
        file.write_text("theme = [")
        clock.advance(minutes=1)
        await press(pilot, "8")
        assert "is not valid TOML" in picture(pilot) and "Reading …" not in picture(pilot)
        status = app.screen.strip.status if isinstance(app.screen, StoreScreen) else None
        assert status is not None and "is not valid TOML" in status.problem


def hook(python: str) -> None:
    """Let Claude Code run the hook for the end of a turn with `python`."""
    settings = Path(os.environ["CLAUDE_CONFIG_DIR"], "settings.json")
    settings.parent.mkdir(parents=True, exist_ok=True)
    program, *words = hook_command.command((python, "-I"), "stop")
    command = {"type": "command", "command": program, "args": words}
    settings.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [command]}]}}), "utf-8")


async def test_hooks_that_cannot_run_are_in_the_first_line_with_the_key_that_repairs(
    project: Path, clock: Clock
) -> None:
    hook("/nowhere/python")
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "▲ hooks cannot run: I connects again" in picture(pilot).split("\n")[0]


async def test_one_key_does_what_the_first_line_says_is_needed(
    app: CortexApp, cortex: Cortex
) -> None:
    hook(sys.executable)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await act(pilot, "switch_triggers")
        assert "No tool call recalls a rule now, and no guard holds." in picture(pilot)
        assert "guards off: I switches them on" in picture(pilot)
        await press(pilot, "I")
        assert "Tool calls recall rules again, and guards hold." in picture(pilot)
        assert "guards off" not in picture(pilot)
        assert config.load(cortex.project).get("triggers.on")
        await act(pilot, "app.job('pause')")
        assert "capture paused: I resumes" in picture(pilot)
        await press(pilot, "I")
        assert not cortex.sessions.paused
        assert "capture paused" not in picture(pilot)


async def test_today_says_that_a_store_is_not_trusted_and_reads_it_once_it_is(
    project: Path, clock: Clock
) -> None:
    (project / ".memory").mkdir()
    (project / ".memory" / "config.toml").write_text("theme = 'none'\n")
    app = CortexApp(project, clock=clock, ascii_only=False, first="today")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        shown = picture(pilot)
        assert "came from elsewhere and are not read" in shown
        assert "cortex trust" in shown
        assert "Nothing is remembered here yet." not in shown
        with Cortex.open(project, clock=clock) as cortex:
            cortex.trust.grant()
            cortex.remember("The api listens on port 8080")
        await pilot.press("f5")
        await settle(pilot)
        shown = picture(pilot)
        assert "The api listens on port 8080" in shown
        assert "not trusted" not in shown
