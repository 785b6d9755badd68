"""The screen the app opens on: rows, cursor, preview, sorting, filters."""

from __future__ import annotations

from pathlib import Path

from cortex_core import Cortex
from cortex_core.records.memory import Source
from cortex_tui.application import CortexApp
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.queries import ListQuery
from cortex_tui.screens.detail_screen import DetailScreen
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles
from tests.tui.waiting import press, until


async def test_it_opens_on_the_newest_memories_ready_to_move(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        shown = picture(pilot)
        assert titles(pilot)[0].startswith("Access tokens live")
        assert len(titles(pilot)) == 9
        assert "project · main" in shown
        assert "Memories 9" in shown
        assert isinstance(app.focused, MemoryList)


async def test_rows_of_both_stores_are_in_one_order(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert titles(pilot)[-2:] == [
            "Use pnpm, never npm",
            "Never push to main without a green build",
        ]
        assert "global" in picture(pilot)


async def test_the_cursor_moves_by_every_key(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        rows = screen(pilot).rows
        page = rows.size.height
        places = []
        for key in ("j", "down", "k", "up", "end", "home", "pagedown", "pageup", "k"):
            await pilot.press(key)
            places.append(rows.cursor)
        assert places == [1, 2, 1, 0, 8, 0, min(8, page - 1), 0, 0]


async def test_the_preview_follows_the_cursor(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j")
        await settle(pilot)
        shown = picture(pilot)
        assert "auth/session.ts" in shown
        assert "gotcha · project · main" in shown
        assert "#auth" in shown and "#mobile" in shown
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "gotcha · project · main · #auth #mobile" in picture(pilot)


async def test_the_preview_stands_at_the_side_from_100_columns(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        assert view.preview.region.x > view.rows.region.x
        await pilot.resize_terminal(99, 30)
        await settle(pilot)
        assert view.preview.region.x == view.rows.region.x
        assert view.preview.region.y > view.rows.region.y


async def test_a_low_terminal_has_the_list_alone(app: CortexApp) -> None:
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        assert not screen(pilot).preview.display
        await pilot.press("right")
        assert isinstance(app.focused, MemoryList)


async def test_l_reads_on_in_the_preview_and_escape_comes_back(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        await pilot.press("right")
        assert view.preview.has_focus
        await pilot.press("j", "j")
        assert view.preview.scroll_offset.y == 2
        assert view.rows.cursor == 0
        await pilot.press("escape")
        assert view.rows.has_focus


async def test_tab_goes_round_the_panes(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        seen = []
        for _ in range(4):
            await pilot.press("tab")
            seen.append(type(app.focused).__name__)
        assert sorted(seen) == ["MemoryList", "OriginPane", "Preview", "SearchInput"]


async def test_a_click_moves_the_cursor_and_two_show_everything(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        await pilot.click(MemoryList, offset=(10, 5))
        assert view.rows.cursor == 3
        await pilot.click(MemoryList, offset=(10, 6), times=2)
        assert view.rows.cursor == 4
        await settle(pilot)
        assert isinstance(app.screen, DetailScreen)


async def test_enter_shows_everything_and_escape_comes_back(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("j", "enter")
        await settle(pilot)
        assert type(app.screen) is DetailScreen
        await pilot.press("escape")
        await settle(pilot)
        assert pilot.app.screen_stack == [screen(pilot)]
        assert screen(pilot).rows.cursor == 1


async def test_an_order_is_chosen_and_keeps_the_cursor_on_its_memory(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        await pilot.press("j")
        key = view.rows.key
        await press(pilot, "o", *"title", "enter")
        assert view.filters.query == ListQuery(sort="title")
        assert titles(pilot) == sorted(titles(pilot), key=str.casefold)
        assert view.rows.key == key
        assert "by title" in picture(pilot)
        await press(pilot, "o")
        await until(lambda: "by title (now)" in picture(pilot), "the order in effect")
        await press(pilot, *"priority", "enter")
        first = view.rows.rows.known(view.rows.rows.order[0])
        line = "".join(part.text for part in view.rows.render_line(view.rows.HEAD))
        assert first is not None and f" {first.priority} ━" in line
        await press(pilot, "o", *"updated", "enter")
        assert view.filters.query == ListQuery()
        assert titles(pilot)[0].startswith("Access tokens")


async def test_every_status_can_be_shown(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert len(titles(pilot)) == 8
        await pilot.press(".")
        await settle(pilot)
        assert len(titles(pilot)) == 9
        assert "◌ archived" in picture(pilot)
        assert "status:all" in picture(pilot)
        await pilot.press(".")
        await settle(pilot)
        assert len(titles(pilot)) == 8


async def test_thousands_of_rows_scroll_to_the_end(project: Path, clock: Clock, many: int) -> None:
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        rows = screen(pilot).rows
        assert len(rows.rows) == many
        await pilot.press("end")
        await settle(pilot)
        assert rows.cursor == many - 1
        assert rows.memory is not None
        assert rows.memory.title in picture(pilot)
        await pilot.press("pageup")
        assert rows.cursor < many - 1


async def test_ages_move_on_with_the_clock(app: CortexApp, clock: Clock) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert " 3d " in picture(pilot)
        clock.advance(days=1)
        screen(pilot).pulse()
        await settle(pilot)
        assert " 3d " not in picture(pilot)
        assert " 4d " in picture(pilot)


async def test_what_a_session_brought_begins_at_its_first_row_and_a_search_names_the_history(
    project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        for number in range(3):
            source = Source(session="5f1c2d3e", offset=number)
            cortex.remember(f"The queue {number} is drained first", source=source)
        cortex.episodes.add("The queue was drained before the release")
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "end")
        assert screen(pilot).rows.cursor == 2
        app.action_go("memories", "session:5f1c2d3e")
        await settle(pilot)
        assert (screen(pilot).rows.count(), screen(pilot).rows.cursor) == (3, 0)
        await press(pilot, "escape", "/", *"queue", "enter")
        await screen(pilot).workers.wait_for_complete()
        screen(pilot).pulse()
        await settle(pilot)
        await press(pilot, "f5")
        assert "of 3 + 1 of the history" in picture(pilot)
