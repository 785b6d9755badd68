"""All of the user's projects in one app: going to another one, and searching them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.screens.dialogs import Ask, Choose, Write
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles
from tests.tui.test_editing import opened
from tests.tui.waiting import act, press, until


@pytest.fixture
def shop(tmp_path: Path, clock: Clock) -> Path:
    """Another project, with a memory of its own."""
    there = tmp_path / "shop"
    (there / ".git").mkdir(parents=True)
    with Cortex.open(there, clock=clock) as cortex:
        cortex.remember("The cart keeps its prices in cents", kind="decision")
    return there


async def test_going_to_another_project_and_back(app: CortexApp, shop: Path) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await act(pilot, "app.job('projects')")
        assert isinstance(app.screen, Choose) and "shop" in picture(pilot)
        await press(pilot, "enter")
        await until(lambda: "cart keeps" in picture(pilot), "the page of today there")
        assert app.stores is not None and app.stores.cortex.project.root == str(shop)
        await press(pilot, "2", "f5")
        assert len(titles(pilot)) == 2 and "The cart keeps its prices in cents" in titles(pilot)
        await act(pilot, "app.job('projects')")
        await press(pilot, "enter")
        await until(lambda: "pnpm" in picture(pilot) or "cents" not in picture(pilot))
        await settle(pilot)
        await press(pilot, "2")
        assert screen(pilot).rows.count() == 9


async def go_elsewhere(app: CortexApp, pilot: Pilot[None]) -> None:
    """Go to the other of two projects."""
    before = app.stores
    await act(pilot, "app.job('projects')")
    await press(pilot, "enter")
    await until(lambda: app.stores not in (None, before), "the other project")
    await settle(pilot)


async def test_a_draft_waits_until_one_comes_back_to_its_project(
    app: CortexApp, shop: Path
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "a")
        await opened(pilot, Write)
        app.screen.query_one(TextArea).text += "Keep the lock file"
        await press(pilot, "escape")
        await go_elsewhere(app, pilot)
        await go_elsewhere(app, pilot)
        await press(pilot, "2", "a")
        await opened(pilot, Choose)
        await press(pilot, "enter")
        await opened(pilot, Write)
        assert "Keep the lock file" in picture(pilot)
        await press(pilot, "escape", "q")
        assert app.is_running and any("not saved" in one.message for one in app._notifications)
        await pilot.press("q")
        await until(lambda: app.return_code == 0, "the end")


async def test_a_search_of_all_projects_opens_the_memory_where_it_is(
    app: CortexApp, shop: Path
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await act(pilot, "app.job('search_all')")
        await until(lambda: isinstance(app.screen, Ask), "the question")
        app.screen.query_one(Input).value = "cart prices"
        await press(pilot, "enter")
        await until(lambda: isinstance(app.screen, Choose), "what was found")
        assert "shop" in picture(pilot)
        await press(pilot, "enter")
        await until(lambda: getattr(app.screen, "PLACE", "") == "detail", "the memory")
        await settle(pilot)
        assert "The cart keeps its prices in cents" in picture(pilot)
        assert app.stores is not None and app.stores.cortex.project.root == str(shop)


async def test_a_memory_moves_to_another_project_in_one_step(
    app: CortexApp, shop: Path, clock: Clock
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "2")
        before = titles(pilot)
        await press(pilot, "s")
        await opened(pilot, Choose)
        await press(pilot, *"scope", "enter")
        await opened(pilot, Choose)
        assert "shop" in picture(pilot)
        await press(pilot, *"shop", "enter")
        assert f"Moved to shop: {before[0]}" in screen(pilot).hints.said
        assert titles(pilot) == before[1:]
        with Cortex.open(shop, clock=clock) as there:
            assert before[0] in [one.title for one in there.list()]
        await press(pilot, "u")
        assert sorted(titles(pilot)) == sorted(before)
        with Cortex.open(shop, clock=clock) as there:
            assert before[0] not in [one.title for one in there.list()]
