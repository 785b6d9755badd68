"""What a memory is linked with: the drawing, walking, and changing links with undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.base.kinds import DEFAULT
from cortex_core.records.memory import Edge, EdgeType, Memory, Neighbour
from cortex_tui.actions.detail_actions import Neighbourhood, Spot, spots
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.neighbour_map import MIDDLE, NeighbourColumns, tree
from cortex_tui.screens.dialogs import Choose
from cortex_tui.screens.neighbours_screen import NeighboursScreen, PickMemory
from tests.conftest import Clock
from tests.tui import portraits
from tests.tui.conftest import picture, settle
from tests.tui.portraits import fill, hub, key_of

WIDE = (120, 30)


@pytest.fixture
def ids(project: Path, clock: Clock) -> dict[str, str]:
    """The memories of `portraits`."""
    return fill(project, clock)


@pytest.fixture
def neighbours(project: Path, clock: Clock) -> Callable[[str], CortexApp]:
    """`neighbours(id)`: the app on that memory's."""

    def made(name: str) -> CortexApp:
        return portraits.on(NeighboursScreen, key_of(project, clock, name), project, clock)

    return made


def shown(pilot: Pilot[None]) -> NeighboursScreen:
    found = pilot.app.screen
    assert isinstance(found, NeighboursScreen)
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
    await pilot.pause()
    await settle(pilot)
    await pilot.press("enter")
    await settle(pilot)


async def test_three_columns(ids: dict[str, str], neighbours: Callable[[str], CortexApp]) -> None:
    async with neighbours(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        lines = picture(pilot).split("\n")
    (against,) = [line for line in lines if "≠ CONTRADICTS ══" in line]
    assert against.index("Sessions survive") < against.index("CONTRADICTS")
    (middle,) = [line for line in lines if "─▶│" in line]
    assert "derived_from" in middle
    (cause,) = [line for line in lines if "requires" in line]
    assert cause.index("requires") < cause.index("デプロイ")
    assert any("6 links" in line for line in lines[2:4])


@pytest.mark.parametrize("size", [(80, 24), (89, 30)])
async def test_a_tree_where_there_is_less_room(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], size: tuple[int, int]
) -> None:
    async with neighbours(ids["token"]).run_test(size=size) as pilot:
        await settle(pilot)
        lines = picture(pilot).split("\n")
        assert any("├═ ≠ CONTRADICTS ← • Sessions survive" in line for line in lines)
        assert any("└─ requires → • デプロイ" in line for line in lines)


async def test_walking_and_the_way_back(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp]
) -> None:
    async with neighbours(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert here(pilot) == ids["restart"]
        await pilot.press("j", "j", "right", "right")
        assert shown(pilot).map.cursor >= 3
        await pilot.press("left")
        assert here(pilot) == ids["token"]
        await pilot.press("right", "g", "enter")
        await settle(pilot)
        assert shown(pilot).key == shown(pilot).neighbourhood.key  # type: ignore[union-attr]
        assert shown(pilot).neighbourhood.memory.id == ids["loop"]  # type: ignore[union-attr]
        assert "Token refresh races whe… → The 401 loop ends" in picture(pilot)
        await pilot.press("right", "right", "m")
        await settle(pilot)
        assert len(shown(pilot).trail) == 2
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert shown(pilot).neighbourhood.memory.id == ids["token"]  # type: ignore[union-attr]
        assert here(pilot) == ids["loop"]
        await pilot.press("escape")
        await settle(pilot)
        assert len(pilot.app.screen_stack) == 1


# --- links


async def test_a_new_link_and_undo(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with neighbours(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("+")
        await settle(pilot)
        assert isinstance(pilot.app.screen, PickMemory)
        await pick(pilot, "incident")
        assert isinstance(pilot.app.screen, Choose)
        await pick(pilot, "causes<")
        made = (ids["incident"], "CAUSES", ids["token"])
        assert made in edges(cortex, ids["token"])
        assert "7 links" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert made not in edges(cortex, ids["token"])
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert made in edges(cortex, ids["token"])


async def test_no_link_is_drawn_when_one_leaves(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    before = edges(cortex, ids["token"])
    async with neighbours(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("+")
        await settle(pilot)
        await pilot.press("escape", "+")
        await settle(pilot)
        await pick(pilot, "nothing holds these")
        assert "No other memory of this store" in picture(pilot)
        pilot.app.screen.query_one(Input).value = "route"
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(pilot.app.screen, NeighboursScreen)
    assert edges(cortex, ids["token"]) == before


async def test_a_link_is_taken_away_and_undone(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with neighbours(ids["token"]).run_test(size=WIDE) as pilot:
        await settle(pilot)
        gone = (ids["restart"], "contradicts", ids["token"])
        await pilot.press("-")
        await settle(pilot)
        assert gone not in edges(cortex, ids["token"])
        assert "CONTRADICTS" not in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert gone in edges(cortex, ids["token"])
        await pilot.press("right")
        shown(pilot).map.cursor = MIDDLE
        await pilot.press("-")
        await pilot.pause()
        assert "go to a neighbour first" in picture(pilot)


async def test_the_keys_of_a_memory_mean_the_neighbour_under_the_cursor(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with neighbours(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        assert cortex.show(ids["restart"]).status == "archived"
        assert cortex.show(ids["token"]).status == "active"
        assert "(archived) Sessions" in picture(pilot)
        await pilot.press("u", "k", "p")
        await settle(pilot)
        assert cortex.show(ids["restart"]).status == "active"
        assert cortex.show(ids["token"]).pinned


async def test_everything_by_mouse(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp]
) -> None:
    for size in (WIDE, (80, 24)):
        async with neighbours(ids["token"]).run_test(size=size) as pilot:
            await settle(pilot)
            lines = picture(pilot).split("\n")
            y = next(place for place, line in enumerate(lines) if "The 401" in line)
            await pilot.click(offset=(lines[y].index("The 401"), y))
            await pilot.pause()
            assert here(pilot) == ids["loop"]
            await pilot.click(offset=(lines[y].index("The 401"), y), times=2)
            await settle(pilot)
            assert shown(pilot).key == key_of_shown(pilot)
            assert len(shown(pilot).trail) == 1


def key_of_shown(pilot: Pilot[None]) -> object:
    seen = shown(pilot).neighbourhood
    return None if seen is None else seen.key


# --- what tries to break it


async def test_a_memory_without_links(
    cortex: Cortex, neighbours: Callable[[str], CortexApp]
) -> None:
    memory = cortex.remember("Nobody knows me.")
    async with neighbours(memory.id).run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert "It has no links yet. + links it" in picture(pilot)
        assert "0 links" in picture(pilot)
        await pilot.press("j", "h", "l", "G", "g", "-", "R", "D", "T", "j", "pagedown")
        await settle(pilot)
        assert here(pilot) == memory.id


async def test_many_neighbours_scroll_and_are_counted(
    cortex: Cortex, neighbours: Callable[[str], CortexApp]
) -> None:
    name = hub(cortex, 80)
    for size in (WIDE, (80, 24)):
        async with neighbours(name).run_test(size=size) as pilot:
            await settle(pilot)
            assert "80 links" in picture(pilot)
            assert "below" in picture(pilot)
            await pilot.press("G")
            await settle(pilot)
            assert "above" in picture(pilot)
            assert shown(pilot).map.spot is not None
            line = [line for line in picture(pilot).split("\n") if line.lstrip().startswith("▌")]
            assert line or "▌ •" in picture(pilot)


async def test_gone_underneath_and_brought_back(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], cortex: Cortex
) -> None:
    async with neighbours(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        with cortex.workspace.store("project").change("discard", "discard it", "person") as change:
            change.delete("memory", ids["token"])
        await pilot.press("f5")
        await settle(pilot)
        assert "This memory is no longer there" in picture(pilot)
        await pilot.press("+", "-", "R", "enter", "d")
        await settle(pilot)
        assert "There is no memory" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert "was not done here: by you elsewhere" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert "CONTRADICTS" in picture(pilot)


async def test_the_store_removed_underneath(
    ids: dict[str, str], neighbours: Callable[[str], CortexApp], project: Path
) -> None:
    async with neighbours(ids["token"]).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for file in (project / ".memory").glob("cortex.db*"):
            file.unlink()
        await pilot.press("-")
        await settle(pilot)
        assert "was removed while it was open" in " ".join(picture(pilot).split())
        shown(pilot).load()
        await settle(pilot)
        assert "The memories cannot be read" in picture(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert "This memory is no longer there" in picture(pilot)


# --- the drawing by itself


def memory(name: str, title: str) -> Memory:
    return Memory(id=name, content=title, title=title, kind="fact", scope="project")


def neighbour(name: str, title: str, type: EdgeType, *, outgoing: bool) -> Neighbour:
    ends = ("0", name) if outgoing else (name, "0")
    edge = Edge(source=ends[0], target=ends[1], type=type, directed=type != "relates_to")
    return Neighbour(memory=memory(name, title), edge=edge, depth=1, outgoing=outgoing)


def survey(incoming: int, outgoing: int, title: str = "") -> Neighbourhood:
    """So many neighbours of every type in turn; every seventh has one behind it."""
    types = get_args(EdgeType)
    shown_title = title or "A title that is far too long for any column of a terminal"

    def side(count: int, *, leads: bool) -> tuple[Spot, ...]:
        direct = [
            neighbour(f"{leads}{n}", shown_title, types[n % 13], outgoing=leads)
            for n in range(count)
        ]
        far = [
            Neighbour(
                memory=memory(f"far{leads}{n}", shown_title),
                depth=2,
                outgoing=True,
                edge=Edge(source=f"{leads}{n}", target=f"far{leads}{n}", type="contradicts"),
            )
            for n in range(0, count, 7)
        ]
        return tuple(spots(direct, far))

    return Neighbourhood(
        key=("project", 1),
        memory=memory("0", shown_title),
        incoming=side(incoming, leads=False),
        outgoing=side(outgoing, leads=True),
        edges=incoming + outgoing,
        keys={},
        depth=2,
        revision=(1,),
    )


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("title", ["", "デプロイの前に必ずマイグレーションを実行すること", "x"])
@pytest.mark.parametrize("counts", [(0, 0), (1, 0), (0, 1), (1, 1), (2, 9), (30, 3)])
def test_no_line_is_wider_than_it_may_be(counts: tuple[int, int], title: str, plain: bool) -> None:
    glyphs = Glyphs(ascii_only=plain)
    seen = survey(*counts, glyphs.line(title))
    for width in (90, 97, 120, 200):
        drawn = NeighbourColumns(seen, width, DEFAULT, glyphs)
        for y in range(drawn.height):
            for cursor in (MIDDLE, 0):
                said = "".join(words for words, _ in drawn.line(y, drawn.height // 2, cursor))
                assert cell_len(said) <= width
                assert not plain or said.isascii()
        for place in range(len(seen.spots)):
            outgoing = place >= len(seen.incoming)
            assert drawn.spot_at(drawn.line_of(place), outgoing=outgoing) == place
    for width in (30, 80):
        for line in tree(seen, width, DEFAULT, glyphs):
            assert sum(cell_len(words) for words, _ in line.pieces) <= width


def test_contradictions_come_first_and_each_far_one_stands_behind_its_own() -> None:
    found = survey(0, 14).outgoing
    assert found[0].neighbour.edge.type == "contradicts"
    for place, spot in enumerate(found):
        if spot.depth == 2:
            parent = next(one for one in reversed(found[:place]) if one.depth == 1)
            assert spot.neighbour.edge.source == parent.neighbour.memory.id
            assert spot.trail == (not parent.last,)
