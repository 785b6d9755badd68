"""What the map looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_tui.screens.map_screen import MapScreen
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.portraits import fill, key_of
from tests.tui.snapshots import Compare, choose_theme, keys, once, same_ids

__all__ = ["once", "same_ids"]


@pytest.mark.parametrize(
    ("size", "look"),
    [
        ((80, 24), "dark"),
        ((120, 40), "dark"),
        ((120, 40), "ascii"),
        ((80, 24), "light"),
        ((80, 24), "no colour"),
    ],
)
def test_map(
    snap_compare: Compare,
    project: Path,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
    look: str,
) -> None:
    key = key_of(project, clock, fill(project, clock)["token"])
    if look == "light":
        choose_theme(project, "cortex-light")
    if look == "no colour":
        monkeypatch.setenv("NO_COLOR", "1")
    app = portraits.on(MapScreen, key, project, clock, ascii_only=look == "ascii")
    assert snap_compare(app, terminal_size=size, run_before=keys("tab"))
