"""The section of what had to be said again: the cases, the repair of one, and its turn."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.agents.claude.samples import Sample
from cortex_tui.application import CortexApp
from cortex_tui.screens.dialogs import Choose
from tests.conftest import Clock
from tests.tui.capturing import go, told_about
from tests.tui.conftest import picture
from tests.tui.test_capture_screen import shown, until_dialog
from tests.tui.waiting import until

RULE = "From now on format with biome, never prettier."
AGAIN = "no, format with biome, never prettier"


@pytest.fixture
def repeated(project: Path, clock: Clock, app: CortexApp) -> CortexApp:
    """The app over a project whose user said twice what a memory in the archive says."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug(str(project)))
    folder.mkdir(parents=True, exist_ok=True)
    with Cortex.open(project, clock=clock) as cortex:
        for name, said in (("one", RULE), ("two", AGAIN)):
            at = datetime.fromtimestamp(clock(), UTC)
            sample = Sample(name, cwd=str(project), start=at).human(said).assistant("I see.")
            path = folder / f"{sample.session}.jsonl"
            sample.write(path)
            clock.advance(hours=2)
            cortex.sessions.capture(path, event="SessionEnd", final=True)
        cortex.sessions.report()  # keeps what was suggested, since it was said again
        cortex.forget([one.id for one in cortex.list() if one.content == RULE])
    return app


async def test_a_case_says_what_came_and_its_repair_is_undone(
    repeated: CortexApp, cortex: Cortex
) -> None:
    async with repeated.run_test(size=(100, 30)) as pilot:
        assert "Missed 1" in await go(pilot, "4", "M")
        assert "by month" in told_about(shown(pilot))
        await go(pilot, "j")
        about = told_about(shown(pilot))
        assert AGAIN in about and "not given: it is archived" in about and RULE in about
        await pilot.press("c")
        await until_dialog(pilot)
        assert isinstance(pilot.app.screen, Choose)
        await pilot.press("enter")
        await until(lambda: any(one.content == RULE for one in cortex.list()), "the memory")
        await until(lambda: "nothing in the session" in told_about(shown(pilot)), "the new state")
        await pilot.press("u")
        await until(lambda: "it is archived" in told_about(shown(pilot)), "the old state")


async def test_enter_shows_where_it_was_said(repeated: CortexApp) -> None:
    async with repeated.run_test(size=(100, 30)) as pilot:
        await go(pilot, "4", "M", "j")
        await pilot.press("enter")
        await until(lambda: "you said it here" in picture(pilot), "the turn")
        assert AGAIN in picture(pilot)
        await go(pilot, "escape")
        assert shown(pilot).shown == "missed"
