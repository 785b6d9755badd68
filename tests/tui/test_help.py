"""Help and palette: made from the table of keys."""

from __future__ import annotations

import pytest
from textual.command import CommandList, CommandPalette
from textual.containers import VerticalScroll
from textual.events import Key as KeyPress
from textual.widgets import Input

from cortex_tui.application import CortexApp
from cortex_tui.keymap import TABLE, around, resolve
from cortex_tui.screens.help_screen import SYNONYMS, HelpScreen, matching, page
from cortex_tui.widgets.frame import chosen
from tests.tui.conftest import picture, screen, settle
from tests.tui.waiting import press, until


def test_the_help_tells_every_key() -> None:
    text = page(resolve({}), "", 120, "memories").plain
    for key in TABLE:
        assert key.tooltip in text
        assert key.id in text


def test_the_help_fits_80_columns() -> None:
    lines = page(resolve({}), "", 71, "memories").plain.split("\n")
    assert max(len(line) for line in lines) <= 71


def test_the_help_can_be_filtered() -> None:
    found = {key.id for key in matching(resolve({}), "pin")}
    assert "memory.pin" in found
    assert "memory.copy" not in found
    assert "No key" in page(resolve({}), "no such words", 80, "memories").plain


def test_the_footer_sheds_keys_but_never_the_help() -> None:
    keymap = resolve({})
    places = frozenset(around("memories"))
    sizes = [len(chosen(keymap, places, width)) for width in (120, 79, 40, 10, 1)]
    assert sizes == sorted(sizes, reverse=True)
    for width in (120, 79, 40, 10, 1):
        assert "app.help" in [key.id for key in chosen(keymap, places, width)]


async def test_the_question_mark_opens_it_and_typing_filters(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        sheet = app.screen.query_one(VerticalScroll)
        lines = page(resolve({}), "", sheet.scrollable_content_region.width, "memories").plain
        await until(lambda: lines.split("\n")[1] in picture(pilot), "the second line, whole")
        await pilot.press(*"repair")
        await until(lambda: "palette  " in picture(pilot), "how an action without a key is found")
        await pilot.press(*["backspace"] * 6, *"forget")
        await pilot.pause()
        shown = picture(pilot)
        assert "Archive the memory" in shown
        assert "Copy the memory" not in shown
        await pilot.press(*["backspace"] * 6, "pagedown", "down", "up")
        await pilot.pause()
        assert app.screen.query_one(VerticalScroll).scroll_offset.y > 12
        await pilot.press("escape")
        assert len(app.screen_stack) == 1


async def test_the_palette_runs_what_a_key_does(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)
        app.screen.query_one(Input).value = "forget"
        await until(lambda: "Archive the memory" in picture(pilot), "the command")
        await pilot.press("enter")
        await settle(pilot)
        assert "✕ forgotten" in picture(pilot)


async def test_a_key_in_the_footer_can_be_clicked(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        hints = screen(pilot).hints
        place = picture(pilot).split("\n")[-1].index("p pin")
        await pilot.click(hints, offset=(place, 0))
        await settle(pilot)
        assert "Pinned" in picture(pilot)


async def test_quitting(app: CortexApp) -> None:
    for key in ("q", "ctrl+c"):
        again = CortexApp(clock=app.clock)
        async with again.run_test(size=(80, 24)) as pilot:
            await pilot.press(key)
            await pilot.pause()
            assert not again.is_running


async def test_the_palette_leads_to_what_other_screens_do(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)
        app.screen.query_one(Input).value = "inbox: approve"
        await until(lambda: "Merge all" in picture(pilot), "the command")
        await pilot.press("enter")
        await settle(pilot)
        assert type(app.screen).__name__ == "InboxScreen"


def test_the_palette_knows_other_words_for_actions_that_there_are() -> None:
    assert set(SYNONYMS) <= {key.id for key in TABLE}


async def test_the_palette_finds_actions_by_other_words(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+p")
        await pilot.pause()
        for words, command in (("trash", "Show all"), ("costs", "Today"), ("sync", "Exchange")):
            app.screen.query_one(Input).value = words
            while command not in picture(pilot):
                await pilot.pause()


async def test_what_is_typed_while_the_palette_opens_goes_into_it(app: CortexApp) -> None:
    """`ctrl+p`, words and enter in one go: the list that was there first is not what is meant."""
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for key in ("ctrl+p", *"colours", "enter"):
            app.post_message(KeyPress(key, key if len(key) == 1 else None))
        await until(lambda: getattr(app.screen, "shown", "") == "themes", "the themes")


@pytest.mark.parametrize(
    ("words", "first"),
    [("trash", "Show all  (.)"), ("dark", "Settings: Themes"), ("rename", "Edit  (e)")],
)
async def test_words_as_they_are_typed_come_first_in_the_palette(
    app: CortexApp, words: str, first: str
) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+p", *words)
        found = app.screen.query_one(CommandList)
        await until(
            lambda: [str(one.prompt).split("\n")[0] for one in found.options[:1]] == [first], first
        )


async def test_the_palette_does_what_belongs_to_another_screen_there(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+p")
        app.screen.query_one(Input).value = "colours"
        await until(lambda: "Choose a theme" in picture(pilot), "the command")
        await press(pilot, "enter")
        await until(lambda: getattr(app.screen, "shown", "") == "themes", "the themes")


async def test_the_palette_finds_memories_and_settings(app: CortexApp) -> None:
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        for typed, opens in (("staging database", "detail"), ("surface.tokens", "settings")):
            await press(pilot, "ctrl+p")
            app.screen.query_one(Input).value = typed
            await until(lambda: "memory, " in picture(pilot) or "setting: " in picture(pilot))
            await press(pilot, "enter")
            await until(lambda: getattr(app.screen, "PLACE", "") == opens, opens)  # noqa: B023
            await settle(pilot)
        thing = getattr(app.screen, "thing", None)
        assert thing is not None and thing.name == "surface.tokens"
