"""What had to be said again, in the inbox: a case, its repair, and its turn."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_tui.application import CortexApp
from cortex_tui.screens.dialogs import Choose
from cortex_tui.screens.inbox_screen import InboxScreen
from tests.conftest import Clock
from tests.transcript_samples import Sample
from tests.tui.capturing import go, until_dialog
from tests.tui.conftest import picture
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


async def test_a_case_is_repaired_with_yes_and_taken_back(
    repeated: CortexApp, cortex: Cortex
) -> None:
    async with repeated.run_test(size=(100, 30)) as pilot:
        seen = await go(pilot, "3")
        assert "said again" in seen and AGAIN in seen
        assert "not given: it is archived" in seen and "y repair" in seen
        await go(pilot, "y")
        await until(lambda: any(one.content == RULE for one in cortex.list()), "the memory")
        assert "repaired" in picture(pilot)
        await go(pilot, "u")
        page = pilot.app.screen
        assert isinstance(page, InboxScreen)
        assert page.repeats.items and not page.repeats.decided


async def test_another_repair_can_be_chosen_or_none(repeated: CortexApp) -> None:
    async with repeated.run_test(size=(100, 30)) as pilot:
        await go(pilot, "3")
        await pilot.press("e")
        await until_dialog(pilot)
        assert isinstance(pilot.app.screen, Choose)
        await go(pilot, "escape", "n")
        assert "It is decided: left" in await go(pilot, "y")


async def test_it_shows_where_it_was_said(repeated: CortexApp) -> None:
    async with repeated.run_test(size=(100, 30)) as pilot:
        await go(pilot, "3")
        await pilot.press("t")
        await until(lambda: "you said it here" in picture(pilot), "the turn")
        assert AGAIN in picture(pilot)
        await go(pilot, "escape")
        assert isinstance(pilot.app.screen, InboxScreen)
