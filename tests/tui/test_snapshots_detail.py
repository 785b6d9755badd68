"""What the detail of a memory looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_tui.screens.detail_screen import DetailScreen
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.portraits import converse, fill, key_of
from tests.tui.snapshots import SIZES, Compare, choose_theme, failing, keys, once, same_ids

__all__ = ["once", "same_ids"]


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are shown in the user's zone; the pictures have one."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.mark.parametrize("size", SIZES)
def test_detail(snap_compare: Compare, project: Path, clock: Clock, size: tuple[int, int]) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(DetailScreen, key, project, clock)
    assert snap_compare(app, terminal_size=size, run_before=keys())


@pytest.mark.parametrize("section", [1, 4])
def test_further_down(snap_compare: Compare, project: Path, clock: Clock, section: int) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(DetailScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys(*["tab"] * section, "j"))


def test_ascii(snap_compare: Compare, project: Path, clock: Clock) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(DetailScreen, key, project, clock, ascii_only=True)
    assert snap_compare(app, terminal_size=(120, 40), run_before=keys(*["tab"] * 4))


def test_light(snap_compare: Compare, project: Path, clock: Clock) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    choose_theme(project, "cortex-light")
    app = portraits.on(DetailScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(100, 30), run_before=keys("tab"))


def test_no_colour(
    snap_compare: Compare, project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(DetailScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys(*["tab"] * 4, "j"))


def test_cjk(snap_compare: Compare, project: Path, clock: Clock) -> None:
    key = key_of(project, clock, fill(project, clock)["cjk"])
    app = portraits.on(DetailScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys())


def test_code(snap_compare: Compare, project: Path, clock: Clock, cortex: Cortex) -> None:
    source = project / "auth.py"
    source.write_text(
        '"""Tokens."""\n\n\ndef issue(user: str) -> str:\n    return sign(user, life=15)\n',
        encoding="utf-8",
    )
    (told,) = cortex.code.index([source]).indexed
    app = portraits.on(DetailScreen, key_of(project, clock, told.id), project, clock)
    source.write_text("nothing\n", encoding="utf-8")
    assert snap_compare(app, terminal_size=(100, 30), run_before=keys("tab"))


def test_turn(snap_compare: Compare, project: Path, clock: Clock) -> None:
    _, memory = converse(project, clock)

    app = portraits.on(DetailScreen, key_of(project, clock, memory.id), project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("t"))


def test_error(snap_compare: Compare, project: Path, clock: Clock) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    app = portraits.on(DetailScreen, key, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=failing())
