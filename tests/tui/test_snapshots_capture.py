"""What capture and health look like. `pytest THIS_FILE --snapshot-update` takes them again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cortex_core.doctor import examine
from cortex_core.records.upkeep import CheckResult
from cortex_tui.application import CortexApp
from cortex_tui.screens.capture_screen import CaptureScreen
from tests.conftest import Clock
from tests.tui.capturing import captured, utc
from tests.tui.pages import page
from tests.tui.snapshots import SIZES, Compare, choose_theme, failing, keys

__all__ = ["captured", "utc"]

CHECKS = (
    CheckResult(name="python", group="machine", state="ok", sentence="Python 3.11 is here."),
    CheckResult(
        name="hooks",
        group="client",
        state="warning",
        fixable=True,
        sentence="The hooks are installed twice: by the settings and by the plugin.",
        next_step="Take one of the two out: cortex uninstall",
    ),
    CheckResult(
        name="transcripts",
        group="capture",
        state="failed",
        sentence="The transcripts cannot be read.",
        next_step="Make them readable.",
    ),
    CheckResult(name="plugin", group="client", state="skipped", sentence="There is none."),
)


@pytest.fixture
def shown(
    captured: CortexApp, project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., CortexApp]:
    """`shown(section)`: the app on that section, with fixed checks."""
    ranked = sorted(CHECKS, key=lambda one: ("failed", "warning", "ok", "skipped").index(one.state))
    monkeypatch.setattr(examine, "run", lambda *where, **how: tuple(ranked))

    def make(section: str = "ledger", **how: Any) -> CortexApp:
        return page(lambda: CaptureScreen(section), project, clock, **how)

    return make


@pytest.mark.parametrize("size", SIZES)
def test_ledger(
    snap_compare: Compare, shown: Callable[..., CortexApp], size: tuple[int, int]
) -> None:
    assert snap_compare(shown(), terminal_size=size, run_before=keys("j"))


@pytest.mark.parametrize("section", ["rules", "health"])
def test_sections(snap_compare: Compare, shown: Callable[..., CortexApp], section: str) -> None:
    assert snap_compare(shown(section), terminal_size=(80, 24), run_before=keys())


def test_ascii(snap_compare: Compare, shown: Callable[..., CortexApp]) -> None:
    plain = shown("health", ascii_only=True)
    assert snap_compare(plain, terminal_size=(80, 24), run_before=keys("j"))


def test_no_colour(
    snap_compare: Compare, shown: Callable[..., CortexApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(shown("rules"), terminal_size=(80, 24), run_before=keys("j"))


def test_light(snap_compare: Compare, shown: Callable[..., CortexApp], project: Path) -> None:
    choose_theme(project, "cortex-light")
    assert snap_compare(shown("rules"), terminal_size=(100, 30), run_before=keys("j"))


def test_empty(snap_compare: Compare, project: Path, clock: Clock) -> None:
    app = page(CaptureScreen, project, clock)
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys())


def test_error(snap_compare: Compare, shown: Callable[..., CortexApp]) -> None:
    reason = (
        "/home/ann/shop/.memory/cortex.db is damaged (database disk image is malformed). "
        "Nothing was changed. Restore a snapshot: cortex snapshot list"
    )
    assert snap_compare(shown(), terminal_size=(80, 24), run_before=failing(reason))
