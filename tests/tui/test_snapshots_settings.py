"""What the settings look like. `pytest THIS_FILE --snapshot-update` takes them again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.keymap import TABLE, Keymap
from cortex_tui.screens.settings_screen import SettingsScreen
from tests.conftest import Clock
from tests.tui.capturing import go
from tests.tui.pages import page
from tests.tui.snapshots import SIZES, Compare, keys


@pytest.fixture
def shown(project: Path, clock: Clock, cortex: Cortex) -> Callable[..., CortexApp]:
    """`shown(section)`: the app on that section, two settings changed."""
    cortex.settings.set("surface.tokens", 300, "project")
    cortex.settings.set("surface.tokens", 200, "global")
    cortex.settings.set("consolidation.mode", "auto", "global")

    def make(section: str = "options", **how: Any) -> CortexApp:
        return page(lambda: SettingsScreen(section), project, clock, **how)

    return make


@pytest.mark.parametrize("size", SIZES)
def test_options(
    snap_compare: Compare, shown: Callable[..., CortexApp], size: tuple[int, int]
) -> None:
    assert snap_compare(shown(), terminal_size=size, run_before=keys())


def test_theme_tried_on(snap_compare: Compare, shown: Callable[..., CortexApp]) -> None:
    assert snap_compare(shown("themes"), terminal_size=(100, 30), run_before=keys("j"))


def test_contrast(snap_compare: Compare, shown: Callable[..., CortexApp]) -> None:
    assert snap_compare(shown("themes"), terminal_size=(80, 24), run_before=keys("j", "j"))


def test_keys_with_problems(
    snap_compare: Compare, shown: Callable[..., CortexApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = shown("keys")
    told = "keys: d is memory.copy, so memory.forget lost it."
    app.keymap = Keymap(
        {key: keys for key, keys in app.keymap.keys.items() if key != "memory.forget"}
        | {"memory.forget": ()},
        (told,),
    )
    monkeypatch.setattr(
        "cortex_tui.actions.project_actions.TABLE",
        [key for key in TABLE if key.id in ("memory.forget", "memory.copy", "memory.pin")],
    )
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys())


def test_ascii(snap_compare: Compare, shown: Callable[..., CortexApp]) -> None:
    plain = shown(ascii_only=True)
    assert snap_compare(plain, terminal_size=(80, 24), run_before=keys("j"))


def test_no_colour(
    snap_compare: Compare, shown: Callable[..., CortexApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(shown("themes"), terminal_size=(80, 24), run_before=keys("j"))


def test_asking(snap_compare: Compare, shown: Callable[..., CortexApp]) -> None:
    async def ask(pilot: Pilot[None]) -> None:
        await go(pilot, "c")
        pilot.app.screen.query_one("Input").cursor_blink = False  # type: ignore[attr-defined]
        await go(pilot)

    assert snap_compare(shown(), terminal_size=(80, 24), run_before=ask)
