"""How rules were kept: the counts, the breaches, and the turn of one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.screens.detail_screen import DetailScreen, TurnScreen
from cortex_tui.screens.panes import OriginPane
from cortex_tui.screens.rules_screen import RulesScreen
from cortex_tui.widgets.memory_sections import PageSection
from tests.conftest import Clock
from tests.transcript_samples import Sample
from tests.tui import portraits
from tests.tui.capturing import go, told_about
from tests.tui.conftest import picture, settle
from tests.tui.portraits import DAY, key_of
from tests.tui.waiting import until


@pytest.fixture
def rule(project: Path, clock: Clock) -> str:
    """A rule that a session kept once and broke twice."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "a-project")
    folder.mkdir(parents=True)
    start = datetime.fromtimestamp(clock.now - DAY, UTC)
    sample = Sample("talk", cwd=str(project), start=start).human("Install it.")
    for command in ("npm ci", "pnpm install", "npm install [b]left-pad[/b]"):
        sample.tool("Bash", {"command": command}, "added")
    now, clock.now = clock.now, clock.now - 2 * DAY
    with Cortex.open(project, clock=clock) as cortex:
        name = cortex.remember("Use pnpm, never npm.", kind="preference").id
        clock.now = now
        cortex.exchange.import_transcripts([sample.write(folder)])
    return name


async def test_enter_on_a_breach_shows_its_turn(rule: str, project: Path, clock: Clock) -> None:
    app = portraits.on(DetailScreen, key_of(project, clock, rule), project, clock)
    async with app.run_test(size=(80, 40)) as pilot:
        await settle(pilot)
        # Nobody has counted before: opening the detail does.
        section = app.screen.query_one("#kept", PageSection)
        await until(lambda: "npm ci" in words(section), "the breaches")
        assert section.note.startswith("1 of 3, last broken 16 Sep 2026")
        assert "kept by: pnpm" in words(section)
        assert words(section).index("npm install [b]left-pad[/b]") < words(section).index("npm ci")
        await pilot.press(*["tab"] * 3, "j", "enter")
        await until(lambda: isinstance(app.screen, TurnScreen), "the turn")
        await until(lambda: "the rule was broken here" in picture(pilot), "what was said")
        assert "npm ci" in picture(pilot)


async def test_the_rules_are_listed_with_how_they_were_kept(rule: str, app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "6")
        await until(lambda: "1 of 3" in picture(pilot), "the counts")
        assert isinstance(app.screen, RulesScreen)
        about = told_about(app.screen)
        assert "kept by" in about and "npm install [b]left-pad[/b]" in about
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, DetailScreen), "the rule")


async def test_a_wide_screen_shows_the_turn_in_which_a_rule_was_broken(
    rule: str, app: CortexApp
) -> None:
    async with app.run_test(size=(170, 30)) as pilot:
        await go(pilot, "6")
        await until(lambda: "it was here" in picture(pilot), "the turn")
        origin = app.screen.query_one(OriginPane)
        drawn = " ".join(one.plain for one in origin._lines)
        assert "npm ci" in drawn
        here = next(y for y, one in enumerate(origin._lines) if "it was here" in one.plain)
        assert 0 <= here - origin.scroll_offset.y < origin.size.height
        await pilot.resize_terminal(120, 30)
        await until(lambda: not origin.display, "no room for it")
        await pilot.resize_terminal(120, 40)
        await until(lambda: origin.display and origin.size.height < 20, "below the other pane")


def words(section: PageSection) -> str:
    """What a section says, its lines joined."""
    return " ".join(strip.text.strip() for strip in section._lines)
