"""Searching while typing."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from cortex_core import Cortex
from cortex_tui.application import CortexApp
from cortex_tui.context import MeaningFound, RowsFound
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.queries import ListQuery, ListResult, MeaningHits
from cortex_tui.session import StoreSession
from cortex_tui.widgets.search_bar import LONGEST, SearchInput
from tests.tui.conftest import picture, screen, settle, titles, type_words
from tests.tui.similar import PAIRS
from tests.tui.waiting import press, until


async def test_typing_narrows_the_list_with_every_key(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        assert isinstance(app.focused, SearchInput)
        await pilot.press(*"tok")
        await settle(pilot)
        found = titles(pilot)
        assert 3 <= len(found) < 9
        assert all("oken" in title or "token" in title.lower() for title in found[:3])
        assert f"{len(found)} of 9" in picture(pilot)


async def test_words_match_in_any_order(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "wake token")
        assert titles(pilot)[0] == "Token refresh races when two tabs wake together"


async def test_a_misspelt_word_is_corrected_and_said(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "databse")
        assert "databse → database" in picture(pilot)
        assert titles(pilot)[0].startswith("The staging database")


async def test_matches_are_underlined_and_coloured(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "pnpm")
        rows = screen(pilot).rows
        line = rows.render_line(rows.HEAD)
        marked = [part for part in line if part.style and part.style.underline]
        assert [part.text for part in marked] == ["pnpm"]
        assert marked[0].style is not None
        assert marked[0].style.color != rows.paint()["row"].color


async def test_a_part_of_a_sentence_without_blanks_is_found_and_marked(
    app: CortexApp, cortex: Cortex
) -> None:
    cortex.remember("我们使用pnpm管理依赖，不要使用npm。")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "依赖 pnp")
        await until(lambda: titles(pilot) == ["我们使用pnpm管理依赖，不要使用npm"])

        def marked() -> list[str]:
            rows = screen(pilot).rows
            line = rows.render_line(rows.HEAD)
            return [part.text for part in line if part.style and part.style.underline]

        await until(lambda: marked() == ["pnp", "依赖"])


async def test_escape_leaves_typing_and_then_clears(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"pnpm")
        await settle(pilot)
        await pilot.press("escape")
        assert isinstance(app.focused, MemoryList)
        assert screen(pilot).search.words == "pnpm"
        key = screen(pilot).rows.key
        await pilot.press("escape")
        await settle(pilot)
        assert screen(pilot).search.words == ""
        assert len(titles(pilot)) == 9
        assert screen(pilot).rows.key == key


async def test_another_search_takes_the_place_of_the_words_before(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "slash", *"docker")
        assert "enter done" in picture(pilot)
        await press(pilot, "enter", "slash", *"pnpm", "enter")
        assert screen(pilot).search.words == "pnpm"
        await press(pilot, "slash", "end", "space", *"npm")
        assert screen(pilot).search.words == "pnpm npm"


async def test_arrows_move_in_the_list_while_typing(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", "down", "down", "up")
        assert screen(pilot).rows.cursor == 1
        assert isinstance(app.focused, SearchInput)


async def test_letters_typed_are_no_commands(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"dpuq?", "enter")
        await settle(pilot)
        assert screen(pilot).search.words == "dpuq?"
        assert cortex.status().counts == {"active": 9}


async def test_nothing_found_says_so_and_what_to_do(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        screen(pilot).finding.plan_meaning = lambda result: None  # type: ignore[method-assign]
        await pilot.press("slash")
        await type_words(pilot, "xylophone zebra")
        shown = picture(pilot)
        assert "No memory has all of these words." in shown
        assert "clear the search" in shown
        await pilot.press("escape")
        assert isinstance(app.focused, MemoryList)
        await pilot.press("escape")
        await settle(pilot)
        assert len(titles(pilot)) == 9
        await pilot.press("j")
        assert screen(pilot).rows.cursor > 0


async def test_a_search_has_an_order_of_its_own(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "token")
        await press(pilot, "o", "enter")
        assert "how well they match" in picture(pilot)
        assert screen(pilot).filters.query.sort == "updated"


async def test_keys_pressed_right_after_the_slash_are_typed(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("slash", "d", "p"):
            app.post_message(events.Key(key, "/" if key == "slash" else key))
        await settle(pilot)
        assert screen(pilot).search.words == "dp"
        assert cortex.status().counts == {"active": 9}


async def test_late_answers_are_dropped(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        assert view.stores is not None
        old = view.stores.find(ListQuery("pnpm"))
        late = view.finding.generation
        await type_words(pilot, "token")
        shown = titles(pilot)
        view.post_message(RowsFound(old, late, frozenset(), {}))
        view.post_message(MeaningFound(MeaningHits(tuple(old.order)), late))
        await settle(pilot)
        assert titles(pilot) == shown


@pytest.mark.usefixtures("meaning")
async def test_what_is_near_by_meaning_joins_at_the_end_and_is_marked(
    app: CortexApp, cortex: Cortex
) -> None:
    cortex.models.embed_pending()
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "package manager")
        await settle(pilot)
        assert "Use pnpm, never npm" in titles(pilot)
        assert "≈ meaning" in picture(pilot)
        assert "by meaning" in picture(pilot)
        assert f"{len(titles(pilot))} of 9" in picture(pilot)


@pytest.mark.usefixtures("meaning")
async def test_meaning_never_moves_the_rows_found_by_words(app: CortexApp, cortex: Cortex) -> None:
    cortex.models.embed_pending()
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        await type_words(pilot, "token")
        before = titles(pilot)
        await pilot.press("down")
        place = view.rows.cursor
        await settle(pilot)
        assert titles(pilot)[: len(before)] == before
        assert view.rows.cursor == place


async def test_a_paste_of_100_kb_is_cut(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        assert app.focused is not None
        app.focused.post_message(events.Paste("token \x1b[31m\n" * 12_000))
        await settle(pilot)
        value = screen(pilot).search.words
        assert len(value) <= LONGEST
        assert value.isprintable()
        await pilot.press("x")
        assert app.is_running


async def test_a_line_longer_than_its_field_shows_where_the_cursor_is(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("slash")
        assert app.focused is not None
        app.focused.post_message(events.Paste("pnpm " * 20 + "the end"))
        await until(lambda: "pnpm" in picture(pilot), "what was pasted")
        await settle(pilot)
        await press(pilot, "home", "end")
        await until(lambda: "the end" in picture(pilot), "the end of the line")
        await pilot.press("home")
        await until(lambda: "the end" not in picture(pilot), "the beginning of the line")


async def test_a_paste_outside_the_search_does_nothing(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen(pilot).rows.post_message(events.Paste("dddd"))
        await settle(pilot)
        assert cortex.status().counts == {"active": 9}


async def test_syntax_of_the_index_is_only_words(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for words in ('"', "token AND", "a:b*", "NEAR(", "-token", "'; drop table memory", "[/]"):
            await type_words(pilot, words)
            assert "cannot be read" not in picture(pilot)
        await type_words(pilot, "")
        assert len(titles(pilot)) == 9


async def test_cjk_words_are_found(app: CortexApp, cortex: Cortex) -> None:
    cortex.remember("デプロイ 前に マイグレーション を実行する")
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        screen(pilot).search.query_one(Input).value = "マイグレーション"
        await settle(pilot)
        assert titles(pilot)[0].startswith("デプロイ")


async def test_meaning_joins_when_typing_has_rested(
    app: CortexApp, cortex: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    cortex.models.embed_pending()
    asked: list[str] = []
    by_meaning = StoreSession.by_meaning

    def slow(stores: StoreSession, answer: ListResult) -> MeaningHits:
        asked.append(answer.query.words)
        return by_meaning(stores, answer)

    monkeypatch.setattr(StoreSession, "by_meaning", slow)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "nightly job")
        assert asked == []
        assert "≈ meaning" not in picture(pilot)
        rest = screen(pilot).finding._timer
        assert rest is not None
        await rest._tick(next_timer=0, count=1)
        await settle(pilot)
        assert asked == ["nightly job"]
        assert titles(pilot)[0].startswith("The staging database")
        assert "≈ meaning" in picture(pilot) and "by meaning" in picture(pilot)


async def test_suggestions_with_the_words_are_counted(app: CortexApp, cortex: Cortex) -> None:
    memory = cortex.remember("The grafana dashboard is deployed by the ops repository")
    with cortex.workspace.store().change("capture", "hear it", "worker") as change:
        change.update("memory", memory.id, {"status": "suggested"})
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "grafana")
        rest = screen(pilot).finding._timer
        assert rest is not None
        await rest._tick(next_timer=0, count=1)
        await settle(pilot)
        assert "1 suggested: is:suggested" in picture(pilot)


async def test_the_cursor_stays_on_its_memory_when_meaning_joins_again(app: CortexApp) -> None:
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        view = screen(pilot)
        view.finding.plan_meaning = lambda result: None  # type: ignore[method-assign]
        await type_words(pilot, "pnpm")
        assert view.stores is not None
        others = [key for key in view.stores.find(ListQuery()).order if key != view.rows.key]
        view.post_message(MeaningFound(MeaningHits(tuple(others[:3])), view.finding.generation))
        await settle(pilot)
        await pilot.press("end")
        assert view.rows.key == others[2]
        view.post_message(
            MeaningFound(MeaningHits((others[4], others[2])), view.finding.generation)
        )
        await settle(pilot)
        assert view.rows.key == others[2]
        assert len(view.rows.rows) == 3


async def test_a_slash_is_a_letter_while_typing(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"src", "slash", *"auth")
        await settle(pilot)
        assert screen(pilot).search.words == "src/auth"


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("tkn rfrsh", "Token refresh races"),
        ("wake tok", "Token refresh races"),
        ("efresh", "Token refresh races"),
        ("neverpnpm", "Use pnpm, never npm"),
        ("stgng dtbs", "The staging database"),
    ],
)
async def test_parts_and_slips_find_the_title_first(app: CortexApp, typed: str, title: str) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, typed)
        assert titles(pilot)[0].startswith(title)
        assert screen(pilot).rows.cursor == 0


async def test_a_row_found_by_its_letters_is_marked_and_says_so(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "refreshraces")
        rows = screen(pilot).rows
        line = rows.render_line(rows.HEAD)
        marked = [part.text for part in line if part.style and part.style.underline]
        assert marked == ["refresh", "races"]
        assert "~ spelling" in picture(pilot)
        assert "~ 1 by spelling" in picture(pilot)


@pytest.mark.usefixtures("meaning")
async def test_similar_words_come_before_what_is_near_by_meaning(
    app: CortexApp, cortex: Cortex
) -> None:
    cortex.models.embed_pending()
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "refreshraces")
        await settle(pilot)
        assert titles(pilot)[0].startswith("Token refresh races")
        assert screen(pilot).rows.cursor == 0


async def test_the_count_is_in_sight_whatever_else_there_is_to_say(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await type_words(pilot, "databse stagingg teh nightyl")
        assert " of 9" in picture(pilot)
        assert "databse → database" in picture(pilot)
        await pilot.resize_terminal(40, 24)
        await settle(pilot)
        assert " of 9" in picture(pilot)


async def test_words_are_marked_in_the_preview(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "pnpm")
        await until(lambda: screen(pilot).preview.memory is not None)
        lines = [screen(pilot).preview.render_line(y) for y in range(12)]
        marked = [
            part.text for line in lines for part in line if part.style and part.style.underline
        ]
        assert "pnpm" in marked


@pytest.mark.usefixtures("meaning")
async def test_a_possible_duplicate_of_what_is_near_is_a_row_too(
    app: CortexApp, cortex: Cortex
) -> None:
    for _, content, values in (PAIRS[1], PAIRS[3]):
        cortex.remember(content, **values)
    cortex.models.embed_pending()
    cortex.consolidate()
    assert len(cortex.review.list()) == 1
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "schema changes precede shipping")
        await settle(pilot)
        assert sum("migrations before" in title for title in titles(pilot)) == 2
