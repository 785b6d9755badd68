"""The inbox: the list, what is shown before acting, each answer and its undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_core.records.memory import Memory
from cortex_tui.actions import inbox_actions as actions
from cortex_tui.actions.inbox_actions import Stretch, differing
from cortex_tui.application import CortexApp
from cortex_tui.lists.cursor_list import LineList
from cortex_tui.queries import Done
from cortex_tui.screens.detail_screen import DetailScreen
from cortex_tui.screens.dialogs import Confirm
from cortex_tui.screens.inbox_screen import InboxScreen
from cortex_tui.session import StoreSession
from tests.conftest import Clock
from tests.tui.capturing import captured, utc
from tests.tui.conftest import picture, remove_store, settle
from tests.tui.pages import page
from tests.tui.similar import DEPLOY, TOKENS, alike, remember, word_by_model
from tests.tui.waiting import act, press

__all__ = ["alike", "captured", "utc"]


@pytest.fixture
def app(project: Path, clock: Clock, alike: list[Memory]) -> CortexApp:
    """The inbox with two proposals."""
    return page(InboxScreen, project, clock)


def shown(pilot: Pilot[None]) -> InboxScreen:
    assert isinstance(pilot.app.screen, InboxScreen)
    return pilot.app.screen


def contents(project: Path, clock: Clock) -> list[str]:
    with Cortex.open(project, clock=clock) as cortex:
        return sorted(memory.content for memory in cortex.list())


async def go_to(pilot: Pilot[None], words: str) -> None:
    """Put the cursor on the proposal about `words`."""
    view = shown(pilot)
    items = view.proposals.items
    view.lines.cursor = next(at for at, key in enumerate(items) if words in items[key].title)
    await settle(pilot)


# --- what is shown


async def test_everything_is_shown_before_anything_is_done(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, TOKENS)
        seen = picture(pilot)
        for words in (
            "1 of 2",
            "Numbers differ",
            "[30]",
            "[15]",
            "pin of",
            "auth",
            "mobile",
            "priority 8",
            "1 link",
            "2 sources",
            "These contradict each other. A is newer and would stay; B would go.",
            "keep the newer",
            "because A is newer",
            "< keep A",
            "> keep B",
        ):
            assert words in seen, words
        assert "result of a merge" not in seen


async def test_every_verdict_can_be_clicked_at_80_columns(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        hints = picture(pilot).split("\n")[-1]
        for key in ("y keep the newer", "n both hold", "e edit", "] next", "< keep A"):
            assert key in hints
        view = shown(pilot)
        await pilot.click(view.hints, offset=(hints.index("n both hold"), 0))
        await settle(pilot)
        assert "both stay" in view.proposals.decided.values()


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
        assert "kept A" in shown(pilot).proposals.decided.values()


async def test_the_list_stands_at_the_left_from_120_columns(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        assert view.lines.region.height > 20
        assert view.lines.line_of(1) > 1, "the first title needs two lines, and there is room"
        await pilot.click(LineList, offset=(5, 1 + view.lines.line_of(1)))
        await settle(pilot)
        assert view.lines.cursor == 1
        await pilot.click(LineList, offset=(5, view.lines.line_of(1)))
        await settle(pilot)
        assert view.lines.cursor == 0, "the last line of the first row"
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert view.lines.region.height == 7
        await pilot.resize_terminal(119, 40)
        await settle(pilot)
        assert view.lines.region.height == 10


async def test_moving_and_scrolling(app: CortexApp) -> None:
    async with app.run_test(size=(40, 16)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        places = []
        for key in ("j", "j", "k", "down", "up", "end", "home", "]"):
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
        ("y", "kept B", 4),
        ("less_than_sign", "kept A", 4),
        ("greater_than_sign", "kept B", 4),
        ("n", "both stay", 5),
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
        name = view.lines.key
        await pilot.press(key)
        await settle(pilot)
        assert view.proposals.decided == {name: word}
        assert len(view.proposals.items) == 2
        assert word in picture(pilot)
        assert view.lines.key != name
        assert len(contents(project, clock)) == left
        await pilot.press("u")
        await settle(pilot)
        assert view.proposals.decided == {}
        assert view.lines.key == name
        assert contents(project, clock) == before
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert list(view.proposals.decided) == [name]
        assert len(contents(project, clock)) == left


async def test_enter_opens_and_decides_nothing(app: CortexApp, project: Path, clock: Clock) -> None:
    before = contents(project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "enter open" in picture(pilot)
        view = shown(pilot)
        name = view.lines.key
        await press(pilot, "enter")
        assert view.has_class("-whole") and view.lines.region.height == 0
        assert view.lines.key == name
        await press(pilot, "escape")
        assert view.lines.region.height > 0 and pilot.app.screen is view
        assert view.proposals.decided == {}
    assert contents(project, clock) == before


async def test_enter_opens_the_memory_that_waits(captured: CortexApp, cortex: Cortex) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        found = await with_memory(pilot, "suggested")
        await press(pilot, "enter")
        assert pilot.app.screen.__class__ is DetailScreen
        assert "Redis because three instances" in picture(pilot)
        assert cortex.workspace.get(found).status == "suggested"
        assert "y yes" in picture(pilot)
        await press(pilot, "y")
        assert "Kept" in picture(pilot) and cortex.workspace.get(found).status == "active"
        await press(pilot, "y")
        assert "waits for no answer" in picture(pilot) and "y yes" not in picture(pilot)


async def test_a_decided_one_stays_listed_and_its_verdict_can_be_undone(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view = shown(pilot)
        name = next(iter(view.proposals.items))
        await press(pilot, "n")
        view.lines.cursor = list(view.proposals.items).index(name)
        await press(pilot, "y")
        assert "It is decided: both stay" in picture(pilot)
        (other,) = view.proposals.items.keys() - {name}
        view.lines.cursor = list(view.proposals.items).index(other)
        await press(pilot, "n")
        view.lines.cursor = list(view.proposals.items).index(name)
        await press(pilot, "u")
        assert list(view.proposals.decided) == [other]
        await press(pilot, "f5")
        assert list(view.proposals.items) == [name]


async def test_own_words_settle_a_contradiction_and_what_they_leave_out_is_named(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        number = next(s.proposal.number for s in cortex.review.list() if s.proposal.conflicts)
        word_by_model(cortex, number, "Access tokens live shortly.")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, TOKENS)
        assert "lacks 15, 30" in picture(pilot)
        await press(pilot, "e")
        assert shown(pilot).area.text == "Access tokens live shortly."
        shown(pilot).area.text = "Access tokens live for a short time."
        await press(pilot, "escape")
        assert "Your words leave out 15, 30." in picture(pilot)
        await press(pilot, "y")
        assert "Merged" in picture(pilot)
        assert "Access tokens live for a short time." in contents(project, clock)
        await press(pilot, "u")
    assert len(contents(project, clock)) == 5


async def test_edited_words_stand_under_both_and_enter_merges_with_them(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    words = "Migrate first, then deploy [b]and[/b] write the notes."
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        assert "y keep B" in picture(pilot)
        await press(pilot, "e")
        seen = picture(pilot)
        assert "Your words" in seen and "keep A" in seen and "keep B" in seen
        assert "result of a merge" not in seen and "inherits" not in seen
        assert "before each" in seen.replace("[", "").replace("]", "")
        shown(pilot).area.text = words
        await press(pilot, "escape")
        seen = picture(pilot)
        assert "result of a merge (your words)" in seen and "y merge" in seen
        assert shown(pilot).hints.labels["move.open"] == "merge"
        await press(pilot, "k", "j", "enter")
        assert "Merged" in picture(pilot)
        assert words in contents(project, clock)
        await press(pilot, "u")
        assert words not in contents(project, clock)


async def test_words_are_kept_when_the_cursor_moves_and_dropped_when_they_are_the_same(
    app: CortexApp,
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        await press(pilot, "e")
        view = shown(pilot)
        view.area.text = "Migrate, deploy, write the notes."
        key = view.lines.key
        view.lines.cursor += 1 if view.lines.cursor == 0 else -1
        await settle(pilot)
        assert view.draft(key) == "Migrate, deploy, write the notes."
        await go_to(pilot, DEPLOY)
        await press(pilot, "e")
        view.area.text = (
            "Always run the migrations before the deploy, and update the release notes."
        )
        await press(pilot, "ctrl+s")
        assert view.draft(key) is None
        assert "Nothing was changed" in picture(pilot)


async def test_who_leaves_while_writing_keeps_the_words(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        await press(pilot, "e")
        view = shown(pilot)
        view.area.text = ""
        await press(pilot, *"a", "slash", "b", "ctrl+c")
        assert app.is_running and view.draft(view.lines.key) == "a/b"


async def test_a_proposal_read_before_the_queue_was_read_again_is_not_shown(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        view = shown(pilot)
        assert isinstance(view.lines.key, actions.ProposalKey)
        late, revision = view.proposals.details[view.lines.key], view.revision
        with Cortex.open(project, clock=clock) as cortex:
            word_by_model(cortex, view.lines.key.number, "Migrate, then deploy.")
        assert view.stores is not None
        view.show_inbox(actions.read_inbox(view.stores))
        view.proposals.came(revision, view.show_question, late)
        await settle(pilot)
        assert "result of a merge (reworded)" in picture(pilot)


async def test_all_that_is_clear_is_merged_when_confirmed_and_undone_at_once(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    before = contents(project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await app.screen.run_action("approve_all")
        await settle(pilot)
        assert isinstance(app.screen, Confirm)
        assert "Merge 1 of 2 proposals" in picture(pilot)
        await pilot.press("n")
        await settle(pilot)
        assert contents(project, clock) == before
        await app.screen.run_action("approve_all")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert list(shown(pilot).proposals.decided.values()) == ["merged"]
        assert "Merged 1 proposal" in picture(pilot)
        await pilot.press("u")
        await settle(pilot)
        await app.screen.run_action("approve_all")
        await settle(pilot)
    assert contents(project, clock) == before


# --- suggestions and quarantine


async def with_memory(pilot: Pilot[None], status: str) -> str:
    """Open the inbox on the memory that waits with `status`; its id."""
    await settle(pilot)
    await press(pilot, "3")
    view = shown(pilot)
    waiting = view.memories.items
    found = next(key for key, one in waiting.items() if one.memory.status == status)
    view.lines.cursor = [line.key for line in view.lines.lines].index(found)
    await settle(pilot)
    return found


@pytest.mark.parametrize(
    ("status", "key", "word", "then"),
    [
        ("suggested", "y", "kept", "active"),
        ("suggested", "n", "discarded", "archived"),
        ("quarantined", "y", "released", "active"),
        ("quarantined", "n", "discarded", "archived"),
    ],
)
async def test_what_capture_is_not_sure_of_has_the_same_keys(
    captured: CortexApp, cortex: Cortex, status: str, key: str, word: str, then: str
) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        found = await with_memory(pilot, status)
        await press(pilot, key)
        view = shown(pilot)
        assert cortex.workspace.get(found).status == then
        assert view.memories.decided == {found: word} and found in view.memories.items
        await press(pilot, "u")
        assert cortex.workspace.get(found).status == status
        assert view.memories.decided == {}


async def test_what_is_listed_can_be_decided_while_it_is_read_again(
    captured: CortexApp, cortex: Cortex
) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        found = await with_memory(pilot, "suggested")
        view = shown(pilot)
        view.action_refresh()
        view.view.notify_style_update()
        view.action_answer("no")
        await settle(pilot)
        assert cortex.workspace.get(found).status == "archived"
        # The list may be read without it before the decision is told.
        assert found not in view.memories.items or view.memories.decided == {found: "discarded"}
        view.memories.items = {}  # it is gone, and the view is drawn before the list is
        view.view.notify_style_update()
        view.changed(actions.decided(Done("discard", {}, "Discarded.", (), ()), found, "left"))
        assert "left" not in view.memories.decided.values()
        await press(pilot, "f5")
        assert found not in view.memories.items


async def test_a_suggestion_is_kept_in_other_words_in_one_step(
    captured: CortexApp, cortex: Cortex
) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        found = await with_memory(pilot, "suggested")
        before = cortex.workspace.get(found).content
        await press(pilot, "e")
        shown(pilot).area.text = "Counters live in Redis."
        await press(pilot, "ctrl+s", "y")
        kept = cortex.workspace.get(found)
        assert (kept.status, kept.content) == ("active", "Counters live in Redis.")
        await press(pilot, "u")
        assert cortex.workspace.get(found).status == "suggested"
        assert cortex.workspace.get(found).content == before


async def test_it_leads_to_the_turn_in_which_it_was_said(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await with_memory(pilot, "suggested")
        await press(pilot, "t")
        assert "the memory came from here" in picture(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, InboxScreen)


# --- what happens meanwhile


async def test_a_member_that_changed_meanwhile_is_not_merged(
    app: CortexApp, project: Path, clock: Clock, alike: list[Memory]
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, DEPLOY)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.edit(alike[1].id, content="Run the migrations before the deploy, never after 5.")
        await pilot.press("y")
        await settle(pilot)
        assert shown(pilot).proposals.decided == {}
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
        await pilot.press("y")
        await settle(pilot)
        shown(pilot).pulse()
        await settle(pilot)
        assert list(shown(pilot).proposals.decided.values()) == ["a memory is gone"]
        assert len(contents(project, clock)) == 4
        with Cortex.open(project, clock=clock) as cortex:
            cortex.restore(alike[1].id)
        shown(pilot).pulse()
        await settle(pilot)
        assert shown(pilot).proposals.decided == {}


async def test_a_verdict_given_elsewhere_is_shown(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.review.distinct(cortex.review.list()[0].proposal.number)
        shown(pilot).pulse()
        await settle(pilot)
        assert list(shown(pilot).proposals.decided.values()) == ["both stay"]
        assert app.is_running


async def test_a_store_removed_underneath_is_told_and_f5_goes_on(
    app: CortexApp, project: Path
) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        remove_store(project)
        await pilot.press("y")
        await settle(pilot)
        shown(pilot).pulse()
        await settle(pilot)
        assert "cannot be read" in picture(pilot)
        for key in ("j", "h", "e", "enter", "]"):
            await pilot.press(key)
        await settle(pilot)
        await pilot.press("f5")
        await settle(pilot)
        await pilot.press("f5")
        await settle(pilot)
        assert "Nothing waits for you" in picture(pilot)


async def test_what_others_decide_leaves_the_list_and_content_stays_text(
    captured: CortexApp, cortex: Cortex
) -> None:
    memory = cortex.remember("[bold]x[/] \x1b[31mred\x07 [@click=app.quit]quit[/]")
    with cortex.workspace.store("project").change("hold", "hold", "worker") as change:
        change.update("memory", memory.id, {"status": "suggested"})
    async with captured.run_test(size=(120, 40)) as pilot:
        await with_memory(pilot, "suggested")
        seen = picture(pilot)
        assert "[bold]x[/] red [@click=app.quit]quit[/]" in seen and "\x1b" not in seen
        waiting = [*cortex.suggestions.list(), *cortex.quarantine.list()]
        cortex.suggestions.discard([one.id for one in waiting])
        shown(pilot).pulse()
        await settle(pilot)
        assert not shown(pilot).memories.items


# --- the empty queue, consolidation


async def test_an_empty_queue_leads_to_a_consolidation(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Invoices are rounded to whole cents", kind="fact")
    app = page(InboxScreen, project, clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "Nothing waits for you" in picture(pilot)
        for key in ("y", "h", "e", "]", "enter", "j"):
            await pilot.press(key)
            await settle(pilot)
        with Cortex.open(project, clock=clock) as cortex:
            other = cortex.remember("Every invoice is kept for ten years in the archive")
            cortex.edit(other.id, content="Invoices are rounded to the whole cent")
            assert cortex.review.proposals() == []
        await act(pilot, "consolidate")
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
        app = page(InboxScreen, project, clock)
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


def test_what_waits_in_a_library(project: Path, clock: Clock, alike: list[Memory]) -> None:
    stores = StoreSession(project, clock=clock)
    proposals = actions.read_inbox(stores).proposals
    first = next(iter(proposals))
    assert sorted(proposals[key].conflicts > 0 for key in proposals) == [False, True]
    stores.cortex.review.reject(first.number)
    assert actions.read_inbox(stores, [first]).closed == {first: "both stay"}
    gone = actions.read_proposal(stores, actions.ProposalKey("project", 99))
    assert gone.review is None
    assert "no proposal 99" in gone.gone


async def test_the_words_of_a_contradiction_begin_with_the_newer_ones(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await go_to(pilot, TOKENS)
        await press(pilot, "e")
        assert shown(pilot).area.text.startswith("Access tokens live 30 minutes")
        assert "15" not in shown(pilot).area.text
        await press(pilot, "escape")
        assert "Nothing was changed." in picture(pilot)
