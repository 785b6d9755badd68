"""What the sessions and one conversation look like. `pytest THIS_FILE --snapshot-update` takes them
again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_tui.application import CortexApp
from cortex_tui.screens.sessions_screen import SessionsScreen
from tests.conftest import Clock
from tests.tui.capturing import utc
from tests.tui.pages import page
from tests.tui.snapshots import Compare, keys
from tests.tui.test_sessions import keep_sessions

__all__ = ["utc"]

pytestmark = pytest.mark.usefixtures("utc")

FIND = ("slash", *"lease", "space", *"tunnel", "enter")


@pytest.fixture
def shown(project: Path, clock: Clock, tmp_path: Path) -> Callable[..., CortexApp]:
    """The app on the sessions."""
    keep_sessions(project, clock, tmp_path)
    return lambda **how: page(SessionsScreen, project, clock, **how)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_found(
    snap_compare: Compare, shown: Callable[..., CortexApp], size: tuple[int, int]
) -> None:
    assert snap_compare(shown(), terminal_size=size, run_before=keys(*FIND))


@pytest.mark.parametrize("ascii_only", [False, True])
def test_conversation(
    snap_compare: Compare, shown: Callable[..., CortexApp], ascii_only: bool
) -> None:
    opened = keys(*FIND, "enter", "k", "enter", "]")
    app = shown(ascii_only=ascii_only)
    assert snap_compare(app, terminal_size=(80, 24), run_before=opened)
