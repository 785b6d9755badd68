"""The merge review: the queue, what is shown before acting, each verdict and its undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_core.records.memory import Memory
from cortex_tui.actions import review_actions as actions
from cortex_tui.actions.review_actions import Stretch, differing
from cortex_tui.application import CortexApp
from cortex_tui.lists.cursor_list import LineList
from cortex_tui.screens.dialogs import CleanText, Confirm, Write
from cortex_tui.screens.review_screen import ReviewScreen
from cortex_tui.session import StoreSession
from tests.conftest import Clock
from tests.tui.conftest import picture, remove_store, settle
from tests.tui.pages import page
from tests.tui.similar import DEPLOY, TOKENS, alike, remember

__all__ = ["alike"]


@pytest.fixture
def app(project: Path, clock: Clock, alike: list[Memory]) -> CortexApp:
    """The review of two proposals."""
    return page(ReviewScreen, project, clock)


def shown(pilot: Pilot[None]) -> ReviewScreen:
    assert isinstance(pilot.app.screen, ReviewScreen)
    return pilot.app.screen


def contents(project: Path, clock: Clock) -> list[str]:
    with Cortex.open(project, clock=clock) as cortex:
        return sorted(memory.content for memory in cortex.list())


async def go_to(pilot: Pilot[None], words: str) -> None:
    """Put the cursor on the proposal about `words`."""
    view = shown(pilot)
    place = next(place for place, item in enumerate(view.items) if words in item.title)
    view.lines.cursor = place
    await settle(pilot)


# --- what is shown


async def test_everything_is_shown_before_anything_is_done(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, TOKENS)
        seen = picture(pilot)
        for words in (
            "2 of 2",
            "Numbers differ",
            "[30]",
            "[15]",
            "{, agreed with ops}",
            "pin of",
            "auth",
            "mobile",
            "priority 8",
            "1 link",
            "2 sources",
            "result of a merge",
            "keep the newer",
            "is newer",
            "< keep A",
            "> keep B",
        ):
            assert words in seen, words


async def test_every_verdict_can_be_clicked_at_80_columns(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        hints = picture(pilot).split("\n")[-1]
        for key in ("a merge", "< keep A", "> keep B", "s newer", "n differ", "x leave"):
            assert key in hints
        view = shown(pilot)
        await pilot.click(view.hints, offset=(hints.index("n differ"), 0))
        await settle(pilot)
        assert "differ" in view.decided.values()


async def test_the_heading_of_a_side_keeps_it_when_clicked(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        line, row = next(
            (line, y) for y, line in enumerate(picture(pilot).split("\n")) if "keep A" in line
        )
        await pilot.click(offset=(line.index("keep A"), row))
        await settle(pilot)
        assert "kept A" in shown(pilot).decided.values()


async def test_the_queue_stands_at_the_left_from_120_columns(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        assert view.lines.display
        await pilot.click(LineList, offset=(5, 1))
        await settle(pilot)
        assert view.lines.cursor == 1
        await pilot.resize_terminal(119, 40)
        await settle(pilot)
        assert not view.query_one(LineList).display


async def test_moving_and_scrolling(app: CortexApp) -> None:
    async with app.run_test(size=(40, 16)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        places = []
        for key in ("j", "j", "k", "down", "up", "G", "g", "space"):
            await pilot.press(key)
            places.append(view.lines.cursor)
        assert places == [1, 1, 0, 1, 0, 1, 0, 1]
        await settle(pilot)
        await pilot.press("pagedown")
        assert view.view.scroll_offset.y > 0
        await pilot.press("pageup")
        assert view.view.scroll_offset.y == 0


# --- verdicts


@pytest.mark.parametrize(
    ("key", "word", "left"),
    [
        ("a", "merged", 4),
        ("less_than_sign", "kept A", 4),
        ("greater_than_sign", "kept B", 4),
        ("s", "kept newer", 4),
        ("n", "differ", 5),
        ("x", "left alone", 5),
    ],
)
async def test_a_verdict_by_one_key_and_its_undo(
    app: CortexApp, project: Path, clock: Clock, key: str, word: str, left: int
) -> None:
    before = contents(project, clock)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        await go_to(pilot, DEPLOY)
        name = view.name_at_hand
        await pilot.press(key)
        await settle(pilot)
        assert view.decided == {name: word}
        assert len(view.items) == 2
        assert word in picture(pilot)
        assert view.name_at_hand != name
        assert len(contents(project, clock)) == left
        await pilot.press("u")
        await settle(pilot)
        assert view.decided == {}
        assert view.name_at_hand == name
        assert contents(project, clock) == before
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert list(view.decided) == [name]
        assert len(contents(project, clock)) == left


async def test_enter_does_what_is_suggested(app: CortexApp, project: Path, clock: Clock) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await go_to(pilot, TOKENS)
        await pilot.press("enter")
        await settle(pilot)
        assert "kept newer" in shown(pilot).decided.values()
        await go_to(pilot, DEPLOY)
        await pilot.press("enter")
        await settle(pilot)
        assert sorted(shown(pilot).decided.values()) == ["kept A", "kept newer"]
        assert len(contents(project, clock)) == 3


async def test_a_decided_one_stays_listed_and_its_verdict_can_be_undone(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        name = view.name_at_hand
        await pilot.press("x")
        await settle(pilot)
        await go_to(pilot, next(i.title for i in view.items if i.name == name))
        await pilot.press("a")
        await settle(pilot)
        assert "It is decided: left alone" in picture(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert [item.name for item in view.items][-1] == name
        other = view.items[0].name
        view.lines.cursor = 0
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        view.lines.cursor = [item.name for item in view.items].index(name)
        await settle(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert list(view.decided) == [other]


async def test_words_that_would_be_lost_are_not_approved(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        number = next(s.proposal.number for s in cortex.review.list() if s.proposal.conflicts)
        cortex.review.set_merged_text(number, "Access tokens live shortly.")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, TOKENS)
        assert "lacks 15, 30" in picture(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert "Nothing was merged" in picture(pilot)
        assert shown(pilot).decided == {}
    assert len(contents(project, clock)) == 5


async def test_the_merged_words_can_be_edited(app: CortexApp, project: Path, clock: Clock) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        await pilot.press("e")
        await pilot.pause()
        assert isinstance(app.screen, Write)
        app.screen.query_one(CleanText).text = "Migrate first, then deploy [b]and[/b] tell."
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert "result of a merge (reworded)" in picture(pilot)
        assert "[b]and[/b]" in picture(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert "Migrate first, then deploy [b]and[/b] tell." in contents(project, clock)
        await pilot.press("u", "u")
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        assert "all that both say" in picture(pilot)


async def test_a_proposal_read_before_the_queue_was_read_again_is_not_shown(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        view = shown(pilot)
        assert view.name_at_hand is not None
        late, revision = view.details[view.name_at_hand], view.revision
        with Cortex.open(project, clock=clock) as cortex:
            cortex.review.set_merged_text(view.name_at_hand.number, "Migrate, then deploy.")
        assert view.stores is not None
        view.show_queue(actions.queue(view.stores))
        view.show_details(revision, late)
        await settle(pilot)
        assert "result of a merge (reworded)" in picture(pilot)


async def test_all_that_is_clear_is_merged_when_confirmed_and_undone_at_once(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    before = contents(project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("A")
        await settle(pilot)
        assert isinstance(app.screen, Confirm)
        assert "Merge 1 of 2 proposals" in picture(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert contents(project, clock) == before
        await pilot.press("A")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert list(shown(pilot).decided.values()) == ["merged"]
        assert "Merged 1 proposal" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        await pilot.press("A")
        await settle(pilot)
    assert contents(project, clock) == before


# --- what happens meanwhile


async def test_a_member_that_changed_meanwhile_is_not_merged(
    app: CortexApp, project: Path, clock: Clock, alike: list[Memory]
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.edit(alike[1].id, content="Run the migrations before the deploy, never after 5.")
        await pilot.press("a")
        await settle(pilot)
        assert shown(pilot).decided == {}
        assert len(contents(project, clock)) == 5
        assert "after 5" in picture(pilot)


async def test_a_member_forgotten_meanwhile_leaves_the_queue_dimmed(
    app: CortexApp, project: Path, clock: Clock, alike: list[Memory]
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.forget(alike[1].id)
        await pilot.press("a")
        await settle(pilot)
        shown(pilot).pulse()
        await settle(pilot)
        assert list(shown(pilot).decided.values()) == ["a memory is gone"]
        assert len(contents(project, clock)) == 4
        with Cortex.open(project, clock=clock) as cortex:
            cortex.restore(alike[1].id)
        shown(pilot).pulse()
        await settle(pilot)
        assert shown(pilot).decided == {}


async def test_a_verdict_given_elsewhere_is_shown(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.review.distinct(cortex.review.list()[0].proposal.number)
        shown(pilot).pulse()
        await settle(pilot)
        assert list(shown(pilot).decided.values()) == ["differ"]
        assert app.is_running


async def test_a_store_removed_underneath_is_told_and_f5_goes_on(
    app: CortexApp, project: Path
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        remove_store(project)
        await pilot.press("a")
        await settle(pilot)
        shown(pilot).pulse()
        await settle(pilot)
        assert "cannot be read" in picture(pilot)
        for key in ("j", "h", "e", "A", "enter", "space"):
            await pilot.press(key)
        await settle(pilot)
        await pilot.press("f5")
        await settle(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert "Nothing to review" in picture(pilot)


# --- the empty queue, consolidation


async def test_an_empty_queue_leads_to_a_consolidation(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Invoices are rounded to whole cents", kind="fact")
    app = page(ReviewScreen, project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Nothing to review" in picture(pilot)
        for key in ("a", "h", "e", "space", "enter", "j", "A"):
            await pilot.press(key)
            await settle(pilot)
        with Cortex.open(project, clock=clock) as cortex:
            other = cortex.remember("Every invoice is kept for ten years in the archive")
            cortex.edit(other.id, content="Invoices are rounded to the whole cent")
            assert cortex.review.proposals() == []
        await pilot.press("c", "c")
        await settle(pilot)
        assert "1 of 1" in picture(pilot)


def test_a_consolidation_can_be_stopped(project: Path, clock: Clock) -> None:
    remember(project, clock)

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Enough

    with Cortex.open(project, clock=clock) as cortex:
        before = cortex.log(50)
        with pytest.raises(Enough):
            cortex.consolidate(progress=stop)
        assert cortex.log(50) == before
        progress: list[tuple[int, int]] = []
        cortex.consolidate(progress=lambda done, total: progress.append((done, total)))
        assert progress[-1] == (4, 5)


# --- untrusted words, other scripts


async def test_markup_escapes_and_wide_letters_are_shown_as_they_are(
    project: Path, clock: Clock
) -> None:
    remember(
        project,
        clock,
        (
            (
                4,
                "[red]缓存[/red]\x1b[31m在部署之后预热，否则第一个请求会超时 "
                "[@click=app.quit]x[/].",
                {"kind": "gotcha"},
            ),
            (
                2,
                "[red]缓存[/red]\x1b[31m在部署之后必须预热，否则第一个请求会超时 "
                "[@click=app.quit]x[/].",
                {"kind": "gotcha"},
            ),
        ),
    )
    for size in ((80, 24), (120, 40), (40, 12), (20, 6)):
        app = page(ReviewScreen, project, clock)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            seen = picture(pilot)
            assert "\x1b" not in seen
            if size[0] >= 80:
                assert "[red]" in seen
                assert "{必须}" in seen
                assert "[@click=app.quit]" in seen.replace("\n", "")
            await pilot.press("less_than_sign")
            await settle(pilot)
            await pilot.press("u")
            await settle(pilot)


# --- the parts


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a 15 b", "a 30 b", (Stretch("a "), Stretch("15", "other"), Stretch(" b"))),
        ("a b", "a b c", (Stretch("a b"),)),
        ("a b c d", "a b", (Stretch("a b "), Stretch("c d", "only"))),
        ("Use X", "use x", (Stretch("Use X"),)),
        ("", "a", ()),
    ],
)
def test_the_words_that_differ(one: str, other: str, expected: tuple[Stretch, ...]) -> None:
    assert differing(one, other) == expected


def test_pieces_joined_are_the_text() -> None:
    one = "Deploys run at 02:00\nfrom `ci/run.sh`,  never by hand 缓存. "
    for other in ("", "Deploys run at 03:00 from ci.sh 缓存热", one, one * 300):
        assert "".join(piece.text for piece in differing(one, other)) == one


def test_the_queue_of_a_library(project: Path, clock: Clock, alike: list[Memory]) -> None:
    stores = StoreSession(project, clock=clock)
    queue = actions.queue(stores)
    assert [item.flags > 0 for item in queue.items] == [False, True]
    seen = actions.read_proposal(stores, queue.items[0].name)
    assert seen.review is not None
    stores.cortex.review.reject(seen.name.number)
    assert actions.queue(stores, [seen.name]).closed == {seen.name: "left alone"}
    gone = actions.read_proposal(stores, actions.ProposalKey("project", 99))
    assert gone.review is None
    assert "no proposal 99" in gone.gone
