"""What the neighbours of a memory look like."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_tui.screens.neighbours_screen import NeighboursScreen
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.conftest import settle
from tests.tui.portraits import fill, hub, key_of
from tests.tui.snapshots import SIZES, Compare, choose_theme, keys


@pytest.mark.parametrize("size", SIZES)
def test_neighbours(
    snap_compare: Compare, project: Path, clock: Clock, size: tuple[int, int]
) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(NeighboursScreen, key, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys("j"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_ascii(snap_compare: Compare, project: Path, clock: Clock, size: tuple[int, int]) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(NeighboursScreen, key, project, clock, ascii_only=True)
    assert snap_compare(app, terminal_size=size, run_before=keys())


def test_light(snap_compare: Compare, project: Path, clock: Clock) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    choose_theme(project, "cortex-light")
    app = portraits.on(NeighboursScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(100, 30), run_before=keys())


def test_no_colour(
    snap_compare: Compare, project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(NeighboursScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(120, 40), run_before=keys("j"))


def test_the_way_here(snap_compare: Compare, project: Path, clock: Clock) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(NeighboursScreen, key, project, clock)
    pressed = keys("j", "enter")
    assert snap_compare(app, terminal_size=(100, 30), run_before=pressed)


def test_many(snap_compare: Compare, project: Path, clock: Clock, cortex: Cortex) -> None:
    app = portraits.on(NeighboursScreen, key_of(project, clock, hub(cortex, 59)), project, clock)
    assert snap_compare(
        app, terminal_size=(100, 30), run_before=keys("j", "j", "right", "right", "G")
    )


def test_nothing(snap_compare: Compare, project: Path, clock: Clock, cortex: Cortex) -> None:
    memory = cortex.remember("Nobody knows me.")
    app = portraits.on(NeighboursScreen, key_of(project, clock, memory.id), project, clock)
    assert snap_compare(app, terminal_size=(100, 30), run_before=keys())


def test_looking_for_a_memory(snap_compare: Compare, project: Path, clock: Clock) -> None:
    async def glyphs(pilot: Pilot[None]) -> None:
        await settle(pilot)
        await pilot.press("+")
        await settle(pilot)
        pilot.app.screen.query_one(Input).cursor_blink = False
        await settle(pilot)

    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(NeighboursScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=glyphs)
