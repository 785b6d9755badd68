"""What the screens look like. `pytest tests/tui --snapshot-update` takes the pictures again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from cortex_core import Cortex
from cortex_tui.actions.memories_actions import injection_policies
from cortex_tui.application import CortexApp
from cortex_tui.screens.dialogs import Ask, Choose, Confirm, Write
from tests.conftest import Clock
from tests.tui.conftest import settle, type_words
from tests.tui.snapshots import CJK, SIZES, Before, Compare, choose_theme, failing, keys


def glyphs(project: Path, clock: Clock, **how: Any) -> CortexApp:
    return CortexApp(project, clock=clock, **{"ascii_only": False, **how})


@pytest.mark.parametrize("size", SIZES)
def test_memories(snap_compare: Compare, app: CortexApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=keys("j", "j"))


@pytest.mark.parametrize("theme", ["cortex-light", "cortex-contrast"])
def test_themes(
    snap_compare: Compare, app: CortexApp, project: Path, clock: Clock, theme: str
) -> None:
    choose_theme(project, theme)
    themed = glyphs(project, clock)
    assert snap_compare(themed, terminal_size=(100, 30), run_before=keys("j", "j"))


def test_no_colour(
    snap_compare: Compare,
    app: CortexApp,
    project: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(glyphs(project, clock), terminal_size=(80, 24), run_before=keys("j", "d"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_ascii(
    snap_compare: Compare, app: CortexApp, project: Path, clock: Clock, size: tuple[int, int]
) -> None:
    plain = glyphs(project, clock, ascii_only=True)
    assert snap_compare(plain, terminal_size=size, run_before=keys("j", "j"))


def test_empty(snap_compare: Compare, project: Path, clock: Clock) -> None:
    assert snap_compare(glyphs(project, clock), terminal_size=(80, 24), run_before=keys())


def test_error(snap_compare: Compare, app: CortexApp) -> None:
    reason = (
        "/home/ann/shop/.memory/cortex.db is damaged (database disk image is malformed). "
        "Nothing was changed. Restore a snapshot (cortex snapshot list), or move the file "
        "away to start afresh."
    )
    assert snap_compare(app, terminal_size=(80, 24), run_before=failing(reason))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_cjk(
    snap_compare: Compare,
    project: Path,
    clock: Clock,
    fill: Callable[..., None],
    size: tuple[int, int],
) -> None:
    fill(CJK)
    assert snap_compare(glyphs(project, clock), terminal_size=size, run_before=keys("j"))


def test_search(snap_compare: Compare, app: CortexApp) -> None:
    async def search(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await pilot.press("slash")
        pilot.app.screen.query_one(Input).cursor_blink = False
        await type_words(pilot, "databse")

    assert snap_compare(app, terminal_size=(120, 40), run_before=search)


def test_every_status(snap_compare: Compare, app: CortexApp, project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.forget([memory.id for memory in cortex.list()[:2]])
    assert snap_compare(app, terminal_size=(100, 30), run_before=keys(".", "end", "d"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_help(snap_compare: Compare, app: CortexApp, size: tuple[int, int]) -> None:
    async def open_help(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        pilot.app.screen.query_one(Input).cursor_blink = False
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=open_help)


def filtered(*pressed: str) -> Before:
    """Filter by typing, mark a few, press."""

    async def act(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await type_words(pilot, "scope:project status:all ")
        await keys("space", "j", "space", "end", "d", "backspace", *pressed)(pilot)

    return act


@pytest.mark.parametrize(("size", "ascii_only"), [((80, 24), False), ((120, 40), True)])
def test_filters_and_marks(
    snap_compare: Compare,
    app: CortexApp,
    project: Path,
    clock: Clock,
    size: tuple[int, int],
    ascii_only: bool,
) -> None:
    shown = glyphs(project, clock, ascii_only=ascii_only)
    assert snap_compare(shown, terminal_size=size, run_before=filtered("space"))


def test_marks_without_colour(
    snap_compare: Compare,
    app: CortexApp,
    project: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = glyphs(project, clock)
    assert snap_compare(shown, terminal_size=(80, 24), run_before=filtered("v", "k", "k"))


DIALOGS: dict[str, Callable[[], ModalScreen[Any]]] = {
    "confirm": lambda: Confirm("Empty the trash?", "3 memories go for good.", yes="empty"),
    "ask": lambda: Ask("Tags of 3 memories", "auth", "+tag adds, -tag removes"),
    "write": lambda: Write("Edit", "title: デプロイ\nkind: fact\n---\nRun the migrations first."),
    "choose": lambda: Choose("Inject “Use pnpm, never npm”", injection_policies(), "demoted"),
}


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *((name, "dark") for name in DIALOGS),
        ("write", "ascii"),
        ("confirm", "colourless"),
        ("choose", "colourless"),
    ],
)
def test_dialogs(
    snap_compare: Compare,
    app: CortexApp,
    project: Path,
    clock: Clock,
    name: str,
    how: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if how == "colourless":
        monkeypatch.setenv("NO_COLOR", "1")
    shown = glyphs(project, clock, ascii_only=how == "ascii")

    async def ask(pilot: Pilot[None]) -> None:
        await settle(pilot)
        shown.push_screen(DIALOGS[name]())
        await pilot.pause()
        for field in shown.screen.query("Input, TextArea"):
            field.cursor_blink = False  # type: ignore[attr-defined]
        await pilot.pause()

    assert snap_compare(shown, terminal_size=(80, 24), run_before=ask)
