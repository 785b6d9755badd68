"""The page of today: what is new, what waits and is answered there, and where each line leads."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.screens.today_screen import TodayScreen
from tests.conftest import Clock
from tests.tui.capturing import captured, utc
from tests.tui.conftest import picture, settle
from tests.tui.waiting import press

__all__ = ["captured", "utc"]


def shown(pilot: Pilot[None]) -> TodayScreen:
    assert isinstance(pilot.app.screen, TodayScreen)
    return pilot.app.screen


async def on(pilot: Pilot[None], words: str) -> None:
    """Put the cursor on the line that is drawn with `words`."""
    lines = shown(pilot).lines
    drawn = [line.draw(200).plain for line in lines.lines]
    lines.cursor = next(at for at, line in enumerate(drawn) if words in line)
    await settle(pilot)


async def test_it_says_what_is_new_what_waits_and_what_comes(captured: CortexApp) -> None:
    for size in ((80, 24), (120, 40)):
        async with captured.run_test(size=size) as pilot:
            await settle(pilot)
            await press(pilot, "0")
            seen = picture(pilot)
            for words in (
                "Learned since yesterday",
                "small commits",
                "2 waiting for you",
                "counters in Redis",
                "Kept and broken",
                "The next session gets",
                "tokens",
            ):
                assert words in seen, words
        return


async def test_what_waits_is_answered_in_place_and_taken_back(
    captured: CortexApp, cortex: Cortex
) -> None:
    (suggestion,) = cortex.suggestions.list()
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "0")
        await on(pilot, "counters in Redis")
        await press(pilot, "y")
        assert cortex.workspace.get(suggestion.id).status == "active"
        assert "1 waiting for you" in picture(pilot)
        await press(pilot, "u")
        assert "2 waiting for you" in picture(pilot)
        await on(pilot, "counters in Redis")
        await press(pilot, "n")
        assert cortex.workspace.get(suggestion.id).status == "archived"


async def test_each_line_leads_to_what_it_is_about(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "0")
        for words, screen in (
            ("small commits", "DetailScreen"),
            ("counters in Redis", "InboxScreen"),
            ("Never push to main", "SurfaceScreen"),
        ):
            await on(pilot, words)
            await press(pilot, "enter")
            assert type(pilot.app.screen).__name__ == screen
            await press(pilot, "escape")
        await on(pilot, "small commits")
        await press(pilot, "s")
        assert "the memory came from here" in picture(pilot)


async def test_an_empty_store_says_that_nothing_is_there(project: Path, clock: Clock) -> None:
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "0")
        seen = picture(pilot)
        assert "Nothing was learned" in seen and "Nothing waits for you" in seen
        for key in ("y", "n", "s", "enter", "G", "g"):
            await press(pilot, key)
        assert app.is_running
