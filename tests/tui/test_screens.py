"""Screens have helpers, not ancestors; they are found by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from cortex_tui.application import CortexApp
from cortex_tui.screens import MAIN, SCREENS
from cortex_tui.screens.base import StoreScreen
from tests.tui.conftest import settle
from tests.tui.waiting import press

MOST_BASES = 3


def kind_of(name: str) -> type[Screen[None]]:
    module, class_name = SCREENS[name]
    kind: type[Screen[None]] = getattr(import_module(f"cortex_tui.screens.{module}"), class_name)
    return kind


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_has_few_bases_of_ours(name: str) -> None:
    kind = kind_of(name)
    ours = [base for base in kind.__mro__[1:] if base.__module__.startswith("cortex_tui.")]
    assert len(ours) <= MOST_BASES


@pytest.mark.parametrize("name", SCREENS)
def test_the_messages_of_all_screens_are_handled_once(name: str) -> None:
    """What a screen does about them is a method that it overrides, never a second handler."""
    shared = StoreScreen._decorated_handlers
    below = [base for base in kind_of(name).__mro__ if base is not StoreScreen]
    again = {
        message
        for base in below
        for message in getattr(base, "_decorated_handlers", {})
        if "_decorated_handlers" in base.__dict__ and message in shared
    }
    assert again == set()


async def test_escape_goes_back_along_the_way_one_came(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "3", "6", "8", "6")
        assert shown(app) == ["memories", "inbox", "rules"]
        await press(pilot, "8", "right", "j", "7")
        assert app.theme == "cortex-dark"
        await press(pilot, "escape")
        assert shown(app)[-1] == "settings" and app.theme == "cortex-light"
        await press(pilot, "escape", "escape", "escape")
        assert shown(app) == ["memories"] and app.theme == "cortex-dark"


def shown(app: CortexApp) -> list[str]:
    """The names of the screens, the one that is shown last."""
    return [getattr(screen, "NAME", "") for screen in app.screen_stack]


@pytest.mark.parametrize("name", sorted(MAIN))
def test_a_main_screen_knows_its_name(name: str) -> None:
    kind = kind_of(name)
    assert issubclass(kind, StoreScreen)
    assert name == kind.NAME


FRAMED = ("round", "ascii", "solid")
"""Kinds of lines around a pane."""


@pytest.mark.parametrize("name", [*sorted(MAIN), "map", "conversation", "detail"])
async def test_a_frame_has_a_title_while_its_list_is_read(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(StoreScreen, "fetch", lambda *_, **__: None)
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        app.go(name, *([] if name in MAIN else [None]))
        await settle(pilot)
        framed = [
            one
            for one in app.screen.query(Widget)
            if one.styles.border_top[0] in FRAMED and one.size.height and one.region.width
        ]
        assert framed or app.screen.has_class("-notice")
        assert [one for one in framed if not one.border_title] == []


@pytest.mark.parametrize("settled", [False, True])
@pytest.mark.parametrize("name", sorted(MAIN))
async def test_a_search_can_be_typed_on_every_screen(
    project: Path, name: str, settled: bool
) -> None:
    app = CortexApp(project, first="today", ascii_only=False)  # nothing is remembered
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.action_go(name)
        if settled:
            await settle(pilot)
        await pilot.press("slash", *"syn")
        await settle(pilot)
        assert [one.value for one in app.screen.query(Input)] == ["syn"]
