"""The map: where memories are, walking over links, looking closer, and changing links with undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.base.kinds import DEFAULT
from cortex_tui.actions.map_actions import MapPoint, way
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.map_view import MapSheet, MapView
from cortex_tui.screens.detail_screen import DetailScreen
from cortex_tui.screens.dialogs import Choose
from cortex_tui.screens.map_screen import MapScreen
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.conftest import picture, remove_store, settle
from tests.tui.portraits import key_of
from tests.tui.waiting import act, press

WIDE = (120, 30)


@pytest.fixture
def charted(project: Path, clock: Clock) -> Callable[[str], CortexApp]:
    """`charted(id)`: the app on the map, the cursor on that memory."""

    def made(name: str) -> CortexApp:
        return portraits.on(MapScreen, key_of(project, clock, name), project, clock)

    return made


def shown(pilot: Pilot[None]) -> MapScreen:
    found = pilot.app.screen
    assert isinstance(found, MapScreen)
    return found


def here(pilot: Pilot[None]) -> str:
    """The id of the memory under the cursor."""
    _, memory = shown(pilot).current()
    assert memory is not None
    return memory.id


def edges(cortex: Cortex, name: str) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.type, edge.target) for edge in cortex.memories.details(name).edges}


async def pick(pilot: Pilot[None], value: str) -> None:
    """Type into the dialog in front, and take what it offers."""
    pilot.app.screen.query_one(Input).value = value
    await settle(pilot)
    await press(pilot, "enter")


async def test_it_shows_every_memory_and_what_the_one_at_hand_is_linked_with(
    ids: dict[str, str], charted: Callable[[str], CortexApp]
) -> None:
    async with charted(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        seen = picture(pilot)
        assert here(pilot) == ids["token"]
        assert "7 memories, by what they are about" in seen
        assert "The 401 loop ends" in seen
        first, *others = [one.draw(60).plain for one in shown(pilot).links.lines]
        assert first.startswith("≠ CONTRADICTS ← Sessions survive")
        assert "relates_to" in others[-1], "the weakest links come last"
        assert any("⠀" < sign <= "⣿" for sign in seen), "links are drawn"


async def test_it_says_why_it_does_not_show_what_it_was_asked_for(
    ids: dict[str, str], charted: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    cortex.forget(ids["token"])
    async with charted(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "active memories without the history, so not this" in picture(pilot)
        await press(pilot, "j")
        assert here(pilot) != ids["token"]


async def test_links_lead_on_and_escape_leads_back(
    ids: dict[str, str], charted: Callable[[str], CortexApp]
) -> None:
    async with charted(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "tab", "enter")
        assert here(pilot) == ids["restart"]
        await press(pilot, "escape")
        assert here(pilot) == ids["token"]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailScreen)
        await press(pilot, "escape", "escape")
        assert len(pilot.app.screen_stack) == 1


async def test_arrows_go_to_the_nearest_and_a_click_to_the_one_under_it(
    ids: dict[str, str], charted: Callable[[str], CortexApp]
) -> None:
    async with charted(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        view = shown(pilot).view
        seen = set()
        for key in (*["left"] * 6, *["right"] * 6, *["up"] * 6, *["down"] * 6):
            await press(pilot, key)
            seen.add(here(pilot))
        assert len(seen) >= 4
        sheet = view.sheet()
        assert sheet is not None
        other = next(n for n in range(len(view.points)) if n != view.cursor)
        at = sheet.seen[other]
        await pilot.click(MapView, offset=(at[1] + 1, at[0] + 1))
        await settle(pilot)
        assert sheet.seen[view.cursor] == at
        await press(pilot, *"[[[[[[[", "]")
        assert view.cursor == 1


async def test_looking_closer_and_filtering(
    ids: dict[str, str], charted: Callable[[str], CortexApp]
) -> None:
    async with charted(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "+", "+")
        assert "zoom 4" in picture(pilot) and here(pilot) == ids["token"]
        await press(pilot, "-")
        assert shown(pilot).view.zoom == 2
        await press(pilot, "escape")
        assert shown(pilot).view.zoom == 1
        await press(pilot, "f")
        await pick(pilot, "fact")
        assert "kind:fact" in picture(pilot) and "2 memories" in picture(pilot)
        await press(pilot, "backspace")
        assert "7 memories" in picture(pilot)
        shown(pilot).view.points = []
        shown(pilot).action_step(1)
        assert shown(pilot).view.cursor == 0


async def test_the_way_to_another_memory_is_shown(
    ids: dict[str, str], charted: Callable[[str], CortexApp]
) -> None:
    async with charted(ids["route"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await act(pilot, "way")
        assert isinstance(pilot.app.screen, Choose)
        await pick(pilot, "survive")
        view, links = shown(pilot).view, shown(pilot).links
        names = [view.points[index].id for index in view.way]
        assert names == [ids["route"], ids["token"], ids["restart"]]
        sheet = view.sheet()
        assert sheet is not None and {*view.way} <= {*sheet.titles}
        assert links.has_focus and links.border_title == "The way: 2 links"
        stages = [one.draw(60).plain.rstrip() for one in links.lines]
        assert stages[0].startswith("● Every route checks")
        assert stages[1].startswith("→ exemplifies Token refresh races")
        assert stages[2].startswith("← contradicts Sessions survive")
        await press(pilot, "j", "enter")
        assert here(pilot) == ids["token"] and view.way
        await press(pilot, "]")
        assert here(pilot) == ids["restart"]
        await press(pilot, "escape")
        assert not view.way and "Sessions survive" in str(links.border_title)


async def test_where_no_way_leads_is_said(
    ids: dict[str, str], charted: Callable[[str], CortexApp]
) -> None:
    async with charted(ids["route"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f")
        await pick(pilot, "pattern")
        await act(pilot, "way")
        await pick(pilot, "survive")
        assert "it is not shown" in shown(pilot).hints.said and not shown(pilot).view.way


async def test_a_new_link_a_removed_one_and_undo(
    ids: dict[str, str], charted: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with charted(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await act(pilot, "link")
        assert isinstance(pilot.app.screen, Choose)
        await pick(pilot, "incident")
        assert isinstance(pilot.app.screen, Choose)
        await pick(pilot, "causes<")
        made = (ids["incident"], "CAUSES", ids["token"])
        assert made in edges(cortex, ids["token"])
        await press(pilot, "u")
        assert made not in edges(cortex, ids["token"])
        gone = (ids["restart"], "contradicts", ids["token"])
        await act(pilot, "unlink")
        assert "Go to a link first" in picture(pilot)
        await settle(pilot)
        await press(pilot, "tab")
        await act(pilot, "unlink")
        assert gone not in edges(cortex, ids["token"])
        await press(pilot, "u")
        assert gone in edges(cortex, ids["token"])


async def test_the_keys_of_a_memory_mean_the_one_under_the_cursor(
    ids: dict[str, str], charted: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with charted(ids["loop"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        assert cortex.show(ids["loop"]).pinned
        await press(pilot, "d")
        assert cortex.show(ids["loop"]).status == "archived"
        assert "6 memories" in picture(pilot)
        await press(pilot, "u", "u")
        assert "7 memories" in picture(pilot) and not cortex.show(ids["loop"]).pinned


async def test_a_store_that_is_gone_is_said(
    ids: dict[str, str], charted: Callable[[str], CortexApp], project: Path
) -> None:
    async with charted(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        remove_store(project)
        await press(pilot, "p")
        assert "was removed while it was open" in " ".join(picture(pilot).split())
        shown(pilot).load()
        await settle(pilot)
        assert "The map cannot be read" in picture(pilot)


# --- the drawing by itself


def sheet(count: int, width: int, height: int, title: str) -> MapSheet:
    points = [
        MapPoint(
            ("project", n),
            str(n),
            f"{title} {n}",
            "fact",
            "active",
            (n * 37 % count) / count,
            (n * 11 % count) / count,
        )
        for n in range(count)
    ]
    links = [(n, (n * 7) % count, "refines") for n in range(count)]
    return MapSheet(points, links, (0.0, 0.0, 1.0), width, height)  # type: ignore[arg-type]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("title", ["retry backoff of the queue", "デプロイの前に", "x"])
@pytest.mark.parametrize(("count", "size"), [(3, (78, 12)), (60, (78, 12)), (400, (40, 5))])
def test_nothing_is_drawn_outside(
    count: int, size: tuple[int, int], title: str, plain: bool
) -> None:
    drawn = sheet(count, *size, title)
    drawn.lay_out(DEFAULT, Glyphs(ascii_only=plain), (0, 1, 2))
    assert all(0 <= y < size[1] and 0 <= x < size[0] for y, x in drawn.cells)
    for sign, _ in drawn.cells.values():
        assert cell_len(sign) <= 2 and (sign.isascii() or not plain)


def test_areas_are_named_by_their_words() -> None:
    drawn = sheet(60, 78, 12, "retry backoff")
    drawn.lay_out(DEFAULT, Glyphs())
    lines = ["".join(drawn.cells.get((y, x), (" ", ""))[0] for x in range(78)) for y in range(12)]
    assert any("backoff · retry (" in line for line in lines)


def test_the_way_is_the_shortest_and_empty_where_there_is_none() -> None:
    links = [(0, 1, "refines"), (1, 2, "refines"), (2, 3, "refines"), (0, 3, "refines")]
    assert way(links, 0, 2) in ([0, 1, 2], [0, 3, 2])  # type: ignore[arg-type]
    assert way(links, 0, 9) == []  # type: ignore[arg-type]
