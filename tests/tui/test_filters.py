"""Filters: typed as qualifiers, chosen from a dialog, shown as chips, taken away again."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base.kinds import DEFAULT
from cortex_tui import queries
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.queries import EVERYTHING, Chip, ListQuery
from cortex_tui.screens.dialogs import Choose
from cortex_tui.widgets.search_bar import FilterLine, SearchInput, counted, filter_line
from tests.core.team.replica import approve
from tests.tui.conftest import picture, screen, settle, titles, type_words
from tests.tui.waiting import press

NOW = 1_789_646_400.0
AUTH, DECISION, GLOBAL = Chip("tag", "auth"), Chip("kind", "decision"), Chip("scope", "global")


def read(typed: str, *, done: bool = False) -> queries.TypedSearch:
    return queries.read_search(typed, DEFAULT, NOW, done=done)


def test_a_qualifier_becomes_a_chip_when_a_blank_follows() -> None:
    assert read("kind:decision") == ("", (), "kind:decision", "")
    assert read("kind:decision ") == ("", (DECISION,), "", "")
    assert read("kind:decision", done=True).chips == (DECISION,)


def test_words_around_qualifiers_are_searched_and_stay() -> None:
    found = read("auth kind:decision tok tag:#Auth", done=True)
    assert found == ("auth tok", (DECISION, AUTH), "auth tok", "")
    assert read("type:pitfall x").chips == (Chip("kind", "gotcha"),)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("kind:nonsense ", "nonsense"),
        ("scope:all ", "project, global, team"),
        ("status:gone ", "archived"),
        ("new:yours ", "others, team, machines"),
        ("tag: ", "wants a value"),
        ("since:sometime ", "sometime"),
    ],
)
def test_an_invalid_value_is_reported_and_stays_unsearched(typed: str, reason: str) -> None:
    found = read(typed)
    assert reason in found.problem
    assert (found.words, found.chips, found.left) == ("", (), typed)


@pytest.mark.parametrize("typed", ["a:b", "https://x.y", "NEAR(:", "::", "kindly:x"])
def test_other_colons_are_words(typed: str) -> None:
    assert read(typed + " ") == (typed, (), typed + " ", "")


@given(st.text(max_size=40), st.booleans())
def test_whatever_is_typed_nothing_is_lost(typed: str, done: bool) -> None:
    found = read(typed, done=done)
    kept = found.left.split() + [f"{chip.field}:" for chip in found.chips]
    assert len(kept) == len(typed.split())


def test_chips_that_cannot_stand_together_replace_each_other() -> None:
    question = ListQuery().with_chip(GLOBAL).with_chip(Chip("scope", "project"))
    assert question.chips == (Chip("scope", "project"),)
    archived = Chip("status", "archived")
    assert question.with_chip(archived).with_chip(EVERYTHING).values("status") == ("all",)
    assert question.with_chip(EVERYTHING).with_chip(archived).statuses == ("archived",)
    several = question.with_chip(DECISION).with_chip(Chip("kind", "fact")).with_chip(DECISION)
    assert several.values("kind") == ("fact", "decision")


def test_the_line_counts_what_does_not_fit() -> None:
    chips = [Chip("tag", f"label-{number}") for number in range(9)]
    for width in (20, 40, 79):
        shown = filter_line(chips, Glyphs(), width)
        assert shown.cell_length <= max(width, 20)
        assert "more" in shown.plain
    assert filter_line([DECISION], Glyphs(ascii_only=True), 40).plain.isascii()
    assert counted(3, 1) == "3 marked, 1 not shown"
    assert counted(0, 0) == ""


async def test_typed_qualifiers_filter_and_leave_the_line(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"kind:gotcha", "space", *"tok")
        assert "kind:gotcha ✕" in picture(pilot)
        assert screen(pilot).search.words == "tok"
        assert titles(pilot) == ["Token refresh races when two tabs wake together"]
        assert "1 of 1" in picture(pilot)
        await press(pilot, "backspace", "backspace", "backspace", "backspace")
        assert isinstance(app.focused, SearchInput)
        assert len(titles(pilot)) == 9
        assert screen(pilot).filters.query.chips == ()


async def test_enter_ends_a_qualifier(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"scope:global", "enter")
        assert titles(pilot) == ["Use pnpm, never npm"]
        assert "1 shown" in picture(pilot)
        await press(pilot, "escape")
        assert len(titles(pilot)) == 9


@pytest.mark.parametrize(
    ("keys", "chip"),
    [
        ("/ s c right g right enter", GLOBAL),
        ("/ t a right a u right enter", AUTH),
        ("/ k i right d e right enter", DECISION),
    ],
)
async def test_two_letters_are_enough_of_a_qualifier(app: CortexApp, keys: str, chip: Chip) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key in keys.split():
            await press(pilot, key)
        assert screen(pilot).filters.query.chips == (chip,)


async def test_each_field_filters(app: CortexApp, cortex: Cortex) -> None:
    cortex.forget([cortex.list()[1].id])
    approve(cortex, "Deploy on weekdays alone")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for typed, count in (
            ("tag:auth", 1),
            ("tag:none", 0),
            ("status:archived", 1),
            ("status:all", 10),
            ("branch:main", 8),
            ("branch:x", 0),
            ("since:10d", 3),
            ("file:auth/x.ts", 1),
            ("new:others", 1),
        ):
            screen(pilot).filters.clear()
            await type_words(pilot, typed + " ")
            assert len(titles(pilot)) == count, typed


async def test_a_wrong_qualifier_is_told(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"status:gone", "space")
        assert "“gone” is no status" in picture(pilot)
        assert len(titles(pilot)) == 9


async def test_chips_are_taken_away_by_keys_and_by_mouse(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "kind:fact kind:gotcha scope:project ")
        assert len(titles(pilot)) == 2
        await pilot.click(FilterLine, offset=(4, 0))
        await settle(pilot)
        assert len(titles(pilot)) == 1
        await press(pilot, "backspace")
        assert screen(pilot).filters.query.chips == (Chip("kind", "gotcha"),)
        assert "No longer filtered by scope:project" in picture(pilot)
        await press(pilot, "escape")
        assert len(titles(pilot)) == 9
        await press(pilot, "backspace")
        assert "There is no filter to remove." in picture(pilot)


async def test_the_dialog_offers_what_there_is(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for typed, chips in (("tag auth", 1), ("decision", 2), ("remove decision", 1)):
            await pilot.press("f")
            await settle(pilot)
            assert isinstance(app.screen, Choose)
            keys = ["space" if letter == " " else letter for letter in typed]
            await press(pilot, *keys, "enter")
            assert len(screen(pilot).filters.query.chips) == chips


async def test_nothing_passes_says_what_to_do(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await type_words(pilot, "tag:nobody ")
        assert "No memory passes these filters." in picture(pilot)
        assert "remove the last filter" in picture(pilot)


async def test_what_a_change_takes_out_of_a_filter_stays_until_refresh(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "scope:project ")
        before = titles(pilot)
        await press(pilot, "j", "s", *"scope", "enter", *"global", "enter")
        assert titles(pilot) == before
        assert "✕ filtered out" in picture(pilot)
        assert screen(pilot).rows.cursor == 1
        await press(pilot, "u")
        assert titles(pilot) == before
        assert "filtered out" not in picture(pilot)


async def test_orders_by_importance_and_confidence(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for typed, names, order in (
            ("importance", "by importance", "standing"),
            ("confidence", "by confidence", "confidence"),
        ):
            await pilot.press("o")
            await settle(pilot)
            assert isinstance(app.screen, Choose)
            await press(pilot, *typed, "enter")
            assert names in picture(pilot)
            sort = screen(pilot).filters.query.sort
            assert titles(pilot) == [one.title for one in cortex.list(sort=sort)]
            assert sort == order
        surest = [one.confidence for one in cortex.list(sort="confidence")]
        assert surest == sorted(surest, reverse=True)
        found = cortex.list(sort="standing")
        worth = cortex.memories.importances(found)
        assert [worth[one.id] for one in found] == sorted(worth.values(), reverse=True)
        assert worth[found[0].id] == pytest.approx(
            sum(cortex.memories.details(found[0].id).importance.values())
        )


async def test_the_map_shows_what_the_list_shows(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "kind:fact kind:gotcha ")
        await press(pilot, "m")
        assert "2 memories, by what they are about" in picture(pilot)
        assert "kind:gotcha" in picture(pilot)
