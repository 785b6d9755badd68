"""Stores that are opened while the app is imported: the first answer, and what goes wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreCorrupt, UndoElsewhere
from cortex_tui.application import CortexApp
from cortex_tui.queries import WHOLE
from cortex_tui.screens.dialogs import Dialog
from cortex_tui.session import Opening, StoreSession
from tests.conftest import Clock
from tests.tui.waiting import settle


def test_the_first_answer_is_what_the_stores_say(project: Path, fill: Callable[..., None]) -> None:
    fill()
    stores = Opening(project, None, time.time).result()
    found, result = stores.first(WHOLE), StoreSession(project).find(WHOLE)
    assert list(found.order) == list(result.order)
    assert found.total == result.total == 9 and found.revision == result.revision
    rows = stores.first_page(found).values()
    assert "Use pnpm, never npm" in {memory.title for memory in rows}
    assert all((stores.importance(memory) or 0) > 0 for memory in rows)


def test_an_undo_of_what_was_done_elsewhere_is_asked_for_again_when_time_has_passed(
    project: Path, clock: Clock
) -> None:
    stores = StoreSession(project, clock=clock)
    with Cortex.open(project) as other:
        other.remember("Use pnpm, never npm.", title="theirs")
    for _ in range(2):
        with pytest.raises(UndoElsewhere, match="theirs"):
            stores.act("undo")
        clock.advance(minutes=1)
    with pytest.raises(UndoElsewhere, match="theirs"):
        stores.act("undo")
    assert stores.act("undo").sentence.startswith("Undone")


def test_what_could_not_be_read_is_told(project: Path, fill: Callable[..., None]) -> None:
    fill()
    (project / ".memory" / "cortex.db").write_bytes(b"no database" * 1000)
    opening = Opening(project, None, time.time)
    with pytest.raises(StoreCorrupt, match=r"cortex\.db"):
        opening.result()
    assert not opening.is_done


async def test_the_first_start_asks_nothing_over_what_is_typed(
    project: Path, fill: Callable[..., None]
) -> None:
    fill()
    app = CortexApp(project)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "extractor" not in app.config.changed and not isinstance(app.screen, Dialog)
