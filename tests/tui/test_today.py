"""The page of today: what is new, what waits and is answered there, and where each line leads."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_core.records.captures import Figures, ImportReport, Period
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.screens import capture_lines
from cortex_tui.screens.inbox_screen import InboxScreen
from cortex_tui.screens.today_screen import TodayBox, TodayScreen, weeks
from tests.conftest import Clock
from tests.tui.capturing import captured, session, utc
from tests.tui.conftest import picture, settle
from tests.tui.waiting import press

__all__ = ["captured", "utc"]


def shown(pilot: Pilot[None]) -> TodayScreen:
    assert isinstance(pilot.app.screen, TodayScreen)
    return pilot.app.screen


async def on(pilot: Pilot[None], box: str, words: str) -> None:
    """Put the cursor on the line of a box that is drawn with `words`."""
    lines = shown(pilot).query_one(f"#{box}", TodayBox)
    drawn = [line.draw(200).plain for line in lines.lines]
    lines.focus()
    lines.cursor = next(at for at, line in enumerate(drawn) if words in line)
    await settle(pilot)


async def test_it_says_what_is_new_what_waits_and_what_comes(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        seen = picture(pilot)
        for words in (
            "Learned since yesterday",
            "small commits",
            "Waiting for you · 2",
            "counters in Redis",
            "Kept and broken",
            "Next session gets",
            "tokens",
            "given 0",
            "cost $0",
        ):
            assert words in seen, words
        await press(pilot, *"j" * len(shown(pilot).box.lines))
        assert shown(pilot).box.id == "waiting", "the cursor goes on into the next box"


LONG = "The importer reads every file of the export twice, since the first reading only counts"


@pytest.mark.parametrize("size", [(120, 40), (200, 50)])
async def test_nothing_is_cut_while_there_is_room(
    captured: CortexApp, cortex: Cortex, size: tuple[int, int]
) -> None:
    for number in range(4):
        cortex.remember(f"{LONG}, as seen in case {number}.", kind="fact")
    async with captured.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        drawn = shown(pilot).query(TodayBox)
        assert not [box.id for box in drawn if box.virtual_size.height > box.size.height]
        boxes = picture(pilot).partition("Learned")[2].partition("sessions")[0]
        assert "…" not in boxes
        cases = []
        for box in drawn:
            lines = [box.render_line(y).text.strip(" ▌") for y in range(box.size.height)]
            cases += [box.id] if "case 3" in " ".join(" ".join(lines).split()) else []
        assert cases == ["learned", "next"]


def test_a_session_counts_in_the_week_in_which_it_was_held() -> None:
    # All three were read in the last week, as an import does.
    read = [Period(start=0.0), Period(start=7.0), Period(start=14.0, sessions=3)]
    figures = Figures(unit="week", periods=tuple(read))
    drawn = weeks(figures, [6.9, 7.0, 8.0], Glyphs(), 3).plain
    assert drawn.startswith("sessions ▄█· 3  learned")


async def test_a_long_box_takes_no_room_that_a_short_one_needs(
    captured: CortexApp, cortex: Cortex
) -> None:
    for number in range(12):
        cortex.remember(f"{LONG}, as seen in case {number}.", kind="fact")
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        heights = {box.id: box.size.height for box in shown(pilot).query(TodayBox)}
        assert heights["rules"] == 1, "all that it holds"
        assert heights["learned"] >= 3 and heights["next"] >= heights["learned"]
        await pilot.resize_terminal(120, 24)
        await settle(pilot)
        again = {box.id: box.size.height for box in shown(pilot).query(TodayBox)}
        assert again["next"] > heights["next"]
        await press(pilot, *"jjj")
        box = shown(pilot).box
        assert box.cursor == 3 and box.line_of(4) <= box.scroll_offset.y + box.size.height


async def test_a_window_that_grows_draws_rows_that_were_laid_out_for_less_room(
    captured: CortexApp, cortex: Cortex
) -> None:
    cortex.remember(
        "The importer reads every file of the export twice, to count first.", kind="fact"
    )
    async with captured.run_test(size=(60, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        box = shown(pilot).query_one("#learned", TodayBox)
        assert box.line_of(1) == 2
        with patch.object(box, "lay_out"):  # drawn before the rows are laid out again
            await pilot.resize_terminal(99, 30)
            await settle(pilot)
            assert not box.render_line(1).text.strip()
        box.lay_out()
        await settle(pilot)
        assert box.line_of(1) == 1 and "twice, to count first" in picture(pilot)


async def test_what_waits_is_answered_in_place_and_taken_back(
    captured: CortexApp, cortex: Cortex
) -> None:
    (suggestion,) = cortex.suggestions.list()
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        await on(pilot, "waiting", "counters in Redis")
        await press(pilot, "y")
        assert cortex.workspace.get(suggestion.id).status == "active"
        assert "Waiting for you · 1" in picture(pilot)
        await press(pilot, "u")
        assert "Waiting for you · 2" in picture(pilot)
        await on(pilot, "waiting", "counters in Redis")
        await press(pilot, "n")
        assert cortex.workspace.get(suggestion.id).status == "archived"


async def test_what_was_learned_and_what_comes_is_answered_in_place(
    captured: CortexApp, cortex: Cortex
) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        await on(pilot, "learned", "small commits")
        assert "y it holds  n forget" in picture(pilot)
        key = shown(pilot).box.key
        await press(pilot, "y")
        assert "Confirmed: " in picture(pilot)
        await press(pilot, "n")
        assert "Forgotten: " in picture(pilot) and shown(pilot).box.key != key
        await press(pilot, "u")
        assert key in shown(pilot).box.things
        await on(pilot, "next", "Never push to main")
        assert shown(pilot).hints.labels == {"answer.no": "not at start"}
        await press(pilot, "y")
        assert "does nothing" in picture(pilot)
        await press(pilot, "n")
        assert "No longer injected at a session's start: Never push" in picture(pilot)


async def test_each_line_leads_to_what_it_is_about(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        for box, words, screen in (
            ("learned", "small commits", "DetailScreen"),
            ("waiting", "counters in Redis", "InboxScreen"),
            ("next", "Never push to main", "SurfaceScreen"),
        ):
            await on(pilot, box, words)
            await press(pilot, "enter")
            front = pilot.app.screen
            assert type(front).__name__ == screen
            if isinstance(front, InboxScreen):
                assert "counters in Redis" in front.lines.lines[front.lines.cursor].draw(200).plain
            await press(pilot, "escape")
        await on(pilot, "learned", "small commits")
        await press(pilot, "t")
        assert "the memory came from here" in picture(pilot)


async def test_it_is_the_first_screen_and_an_empty_store_says_the_next_step(
    project: Path, clock: Clock
) -> None:
    app = CortexApp(project, clock=clock, ascii_only=False, first="today")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Nothing is remembered here yet." in picture(pilot)
        assert "L   learn from this project's past sessions" in picture(pilot)


async def test_an_empty_store_reads_the_past_sessions_and_shows_what_it_found(
    project: Path, clock: Clock, utc: None
) -> None:
    session(project, clock)
    app = CortexApp(project, clock=clock, ascii_only=False, first="today")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        seen = picture(pilot)
        assert "Read 1 session: " in seen and "(u takes it back)" in seen
        assert "small commits" in seen and "Waiting for you · 1" in seen
        assert app.focused is shown(pilot).box, "the keys work at once"
        await press(pilot, "u")
        assert "Nothing is remembered here yet." in picture(pilot), "it is not read again unasked"


def test_an_import_says_how_much_of_what_it_kept_is_history() -> None:
    report = ImportReport(files=7, stored=28, suggested=9)
    assert "2 kept and 26 entries of the history, 9 suggested" in capture_lines.imported(report, 2)
    assert "28 kept, 9 suggested" in capture_lines.imported(report, 28)


async def test_a_box_that_nobody_is_in_stays_at_its_first_line(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "1")
        box = shown(pilot).query_one("#waiting", TodayBox)
        things, old = list(box.things.items()), box.key
        shown(pilot)._fill("waiting", "", [(("new", 1), things[0][1]), *things], "")
        assert (box.cursor, box.key) == (0, ("new", 1))
        shown(pilot)._fill("waiting", "", things, "")
        box.focus()
        await settle(pilot)
        shown(pilot)._fill("waiting", "", [(("new", 1), things[0][1]), *things], "")
        assert (box.cursor, box.key) == (1, old), "what is about to be answered stays"


async def test_past_sessions_are_read_whatever_other_projects_left(
    project: Path, clock: Clock, utc: None
) -> None:
    session(project, clock)
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Sign every commit", kind="policy", scope="global")
    app = CortexApp(project, clock=clock, ascii_only=False, first="today")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Read 1 session: " in picture(pilot) and "small commits" in picture(pilot)


async def test_history_alone_is_something(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.episodes.add("Moved the counters to Redis")
    app = CortexApp(project, clock=clock, ascii_only=False, first="today")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Nothing is remembered here yet." not in picture(pilot)
        assert "Nothing was learned yet." in picture(pilot)
