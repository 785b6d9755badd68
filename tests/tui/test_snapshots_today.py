"""What the page of today looks like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core.records.memory import Memory
from cortex_tui.screens.today_screen import TodayScreen
from tests.conftest import Clock
from tests.tui.pages import page
from tests.tui.similar import alike
from tests.tui.snapshots import SIZES, Compare, choose_theme, keys, once, same_ids

__all__ = ["alike", "once", "same_ids"]


@pytest.mark.parametrize("size", SIZES)
def test_today(
    snap_compare: Compare,
    alike: list[Memory],
    fill: Callable[..., None],
    project: Path,
    clock: Clock,
    size: tuple[int, int],
) -> None:
    fill()
    app = page(TodayScreen, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys("j"))


def test_light(snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock) -> None:
    choose_theme(project, "cortex-light")
    app = page(TodayScreen, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("j"))


def test_ascii(snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock) -> None:
    app = page(TodayScreen, project, clock, ascii_only=True)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("j"))


def test_no_colour(
    snap_compare: Compare,
    alike: list[Memory],
    project: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = page(TodayScreen, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("j"))
