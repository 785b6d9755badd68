"""What the surface workbench looks like."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.screens.surface_screen import REST, SurfaceScreen
from tests.conftest import Clock
from tests.tui.conftest import settle
from tests.tui.pages import page
from tests.tui.snapshots import CJK, SIZES, Before, Compare, choose_theme, failing, keys


@pytest.fixture(autouse=True)
def known_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are part of what is given: the same ones every time."""
    numbers = itertools.count(1)
    monkeypatch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=next(numbers) << 96))


@pytest.fixture
def app(project: Path, clock: Clock, fill: Callable[..., None]) -> CortexApp:
    """The workbench over the samples, with a budget that one of them just misses."""
    fill(own=True)
    with Cortex.open(project, clock=clock) as cortex:
        cortex.settings.set("surface.tokens", 280)
    return page(SurfaceScreen, project, clock)


def typed(words: str) -> Before:
    """Type a prompt and wait for what it adds."""

    async def type_it(pilot: Pilot[None]) -> None:
        await settle(pilot)
        line = pilot.app.screen.query_one(Input)
        line.cursor_blink = False
        line.value = words
        await settle(pilot, timers=REST)

    return type_it


@pytest.mark.parametrize("size", SIZES)
def test_surface(snap_compare: Compare, app: CortexApp, size: tuple[int, int]) -> None:
    assert snap_compare(app, terminal_size=size, run_before=keys("j", "j", "j"))


def test_exact_text(snap_compare: Compare, app: CortexApp) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("tab"))


def test_prompt(snap_compare: Compare, app: CortexApp) -> None:
    asked = typed("is the staging database rebuilt every night, and what of two tabs")
    assert snap_compare(app, terminal_size=(120, 40), run_before=asked)


def test_light(snap_compare: Compare, app: CortexApp, project: Path, clock: Clock) -> None:
    choose_theme(project, "cortex-light")
    light = page(SurfaceScreen, project, clock)
    assert snap_compare(light, terminal_size=(120, 40), run_before=keys("j"))


def test_no_colour(
    snap_compare: Compare,
    app: CortexApp,
    project: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    plain = page(SurfaceScreen, project, clock)
    assert snap_compare(plain, terminal_size=(80, 24), run_before=keys("j", "j"))


def test_ascii(snap_compare: Compare, app: CortexApp, project: Path, clock: Clock) -> None:
    plain = page(SurfaceScreen, project, clock, ascii_only=True)
    assert snap_compare(plain, terminal_size=(80, 24), run_before=keys("j", "j"))


def test_empty(snap_compare: Compare, project: Path, clock: Clock) -> None:
    app = page(SurfaceScreen, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys())


def test_error(snap_compare: Compare, app: CortexApp) -> None:
    assert snap_compare(app, terminal_size=(80, 24), run_before=failing())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_cjk(
    snap_compare: Compare,
    project: Path,
    clock: Clock,
    fill: Callable[..., None],
    size: tuple[int, int],
) -> None:
    fill(CJK)
    app = page(SurfaceScreen, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys("j"))
