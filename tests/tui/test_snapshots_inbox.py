"""What the inbox looks like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.records.memory import Memory
from cortex_tui.screens.inbox_screen import InboxScreen
from tests.conftest import Clock
from tests.tui.pages import page
from tests.tui.similar import alike, remember
from tests.tui.snapshots import CJK, SIZES, Compare, choose_theme, failing, keys

__all__ = ["alike"]

WIDE_LETTERS = (
    (4, "缓存在部署之后预热 🚀 否则第一个请求会超时 [red]x[/red].", {"kind": "gotcha"}),
    (2, "缓存在部署之后必须预热 🚀 否则第一个请求会超时 [red]x[/red].", {"kind": "gotcha"}),
)


@pytest.mark.parametrize("size", SIZES)
def test_inbox(
    snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock, size: tuple[int, int]
) -> None:
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys("j"))


def test_decided(snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock) -> None:
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=(120, 40), run_before=keys("y", "k"))


def test_light(snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock) -> None:
    choose_theme(project, "cortex-light")
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=(120, 40), run_before=keys("j"))


def test_no_colour(
    snap_compare: Compare,
    alike: list[Memory],
    project: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=(120, 40), run_before=keys("j"))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_ascii(
    snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock, size: tuple[int, int]
) -> None:
    app = page(InboxScreen, project, clock, ascii_only=True)
    assert snap_compare(app, terminal_size=size, run_before=keys("j"))


def test_empty(snap_compare: Compare, project: Path, clock: Clock) -> None:
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys())


def test_error(snap_compare: Compare, alike: list[Memory], project: Path, clock: Clock) -> None:
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=failing())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_cjk(snap_compare: Compare, project: Path, clock: Clock, size: tuple[int, int]) -> None:
    remember(project, clock, WIDE_LETTERS)
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_suggestion(
    snap_compare: Compare,
    project: Path,
    clock: Clock,
    fill: Callable[..., None],
    size: tuple[int, int],
) -> None:
    fill(CJK)
    with Cortex.open(project, clock=clock) as cortex:
        listed = cortex.list()
        with cortex.workspace.store("project").change("hold", "hold back", "worker") as change:
            for memory in listed:
                change.update("memory", memory.id, {"status": "suggested"})
    app = page(InboxScreen, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys("j", "e"))
