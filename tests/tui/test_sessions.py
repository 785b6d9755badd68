"""The sessions: found by words that were said, read, and made memories of."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_core.base.text import one_line
from cortex_core.records.conversation import Conversation, Message, MessageKind
from cortex_core.records.memory import STATUSES
from cortex_tui.actions import sessions_actions as actions
from cortex_tui.application import CortexApp
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.conversation_list import head, shape, snippet
from cortex_tui.lists.conversation_view import blocks, fold_words, matching
from cortex_tui.queries import CONVERSATION_FIELDS, Chip, ListQuery, read_search
from cortex_tui.screens.detail_screen import DetailScreen
from cortex_tui.screens.memories_screen import MemoriesScreen
from cortex_tui.screens.sessions_screen import ConversationScreen, SessionsScreen, when_they_were
from cortex_tui.session import StoreSession
from cortex_tui.widgets.lines import cut
from tests.conftest import Clock
from tests.transcript_samples import Sample
from tests.tui.conftest import picture, settle
from tests.tui.pages import page
from tests.tui.waiting import press, until


def keep_sessions(project: Path, clock: Clock, folder: Path) -> None:
    """Three conversations in the archive of the project, one of which was captured."""
    start = datetime.fromtimestamp(clock.now - 90_000, UTC)
    tunnel = Sample("tunnel", cwd=str(project), branch="trunk", start=start)
    tunnel.human("Why does the tunnel die after a reboot?")
    tunnel.assistant("Let me look at its unit.")
    for name in ("cat unit", "journalctl -u tunnel"):
        tunnel.tool("Bash", {"command": name}, "Exit code 1", failed=name != "cat unit")
    tunnel.assistant("The tunnel loses its lease, because the lease file is on a temporary disk.")
    tunnel.human(
        "Remember: I decided to keep the lease file in /var/lib because /tmp is emptied at boot."
    )
    tunnel.tool("Bash", {"command": "git commit"}, "[trunk 1a2b3c4] Keep the lease file")
    tunnel.assistant("Done: the lease survives.")
    site = Sample("site", cwd=str(project), branch="site", start=start.replace(day=1))
    site.human(f"Deploy the [bold]site[/bold]. {'Every page of it. ' * 9}")
    site.assistant("It is deployed.")
    with Cortex.open(project, clock=clock) as cortex:
        for sample in (tunnel, site):
            path = sample.write(folder / f"{sample.session}.jsonl")
            cortex.sessions.capture(path, event="Stop", final=True)


@pytest.fixture
def app(project: Path, clock: Clock, tmp_path: Path) -> CortexApp:
    keep_sessions(project, clock, tmp_path)
    return page(SessionsScreen, project, clock)


def message(number: int, kind: MessageKind = "user", words: str = "so", **more: object) -> Message:
    return Message(number=number, kind=kind, text=words, **more)  # type: ignore[arg-type]


# --- what is said of them


def test_commands_and_files_in_a_row_are_one_line_that_opens() -> None:
    said = [
        message(1),
        message(2, "command", "make", succeeded=False),
        message(3, "edit", "a.py"),
        message(4, "edit", "a.py"),
        message(5, "agent"),
        message(6, "command", "ls"),
    ]
    folded = list(blocks(said, frozenset()))
    assert [block.name for block in folded] == [(1, False), (2, True), (5, False), (6, False)]
    assert fold_words(folded[1], frozenset(), Glyphs()) == "▸ 1 command, 1 failed, 1 file changed"
    opened = [block.name for block in blocks(said, {2})]
    assert opened == [
        (1, False),
        (2, True),
        (2, False),
        (3, False),
        (4, False),
        (5, False),
        (6, False),
    ]


def test_matches_are_the_messages_that_have_enough_of_the_words() -> None:
    said = [
        message(1, words="The lease of the tunnel is lost."),
        message(2, words="The tunnels die."),
        message(3, words="Something else."),
        message(4, words="lease, tunnel, reboot"),
    ]
    words = actions.words_to_mark(ListQuery("the lease of the tunnel at reboot"))
    assert words == ["lease", "tunnel", "reboot"]
    assert matching(said, words) == [1, 4]
    assert matching(said, ["tunnel"]) == [1, 2, 4]
    assert matching(said, ["nothing"]) == []


@pytest.mark.parametrize(
    ("words", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 9, ["one two", "three"]),
        ("a" * 12, 5, ["aaaaa", "aaaaa", "aa"]),
        ("    - indented words", 10, ["    -", "indented", "words"]),
        ("配置文件 应该", 8, ["配置文件", "应该"]),
    ],
)
def test_lines_are_cut_between_words(words: str, width: int, lines: list[str]) -> None:
    assert list(cut(words, width)) == lines


def test_what_can_be_typed_filters_conversations_by_what_they_have(
    project: Path, clock: Clock, tmp_path: Path
) -> None:
    keep_sessions(project, clock, tmp_path)
    stores = StoreSession(project, clock=clock)
    typed = read_search(
        "lease branch:trunk kind:fact commit:1a2 ",
        stores.cortex.config.kinds,
        clock.now,
        fields=CONVERSATION_FIELDS,
    )
    assert typed.words == "lease kind:fact"
    assert typed.chips == (Chip("branch", "trunk"), Chip("commit", "1a2"))
    found = actions.find(stores, ListQuery(chips=typed.chips))
    assert [row.conversation.branch for row in found.rows] == ["trunk"]
    assert (found.total, found.partial, stores.cortex.status().conversations) == (2, False, 2)
    offered = dict(actions.choices(actions.find(stores, ListQuery())))
    assert "branch:trunk" in offered and "since:1w" in offered


def test_columns_fit_and_the_part_that_matches_is_shown() -> None:
    for width in (30, 50, 80, 100, 160):
        for with_branch in (False, True):
            assert len(head(shape(width, with_branch=with_branch))) <= width - 2
    said = message(1, "agent", "It said much before this. " * 9 + "The lease is lost.")
    shown = snippet(said, ["lease"], 60, Glyphs())
    assert shown.startswith("agent: …") and shown.endswith("The lease is lost.")


# --- as the user sees it


async def go(pilot: Pilot[None], *keys: str) -> str:
    await settle(pilot)
    await press(pilot, *keys)
    return picture(pilot)


async def test_a_phrase_finds_the_message_which_becomes_a_memory_and_is_undone(
    app: CortexApp, cortex: Cortex
) -> None:
    before = {memory.id for memory in cortex.list()}
    async with app.run_test(size=(80, 24)) as pilot:
        shown = await go(pilot)
        assert "2 sessions" in shown and "Deploy the [bold]site[/bold]." in shown
        assert shown.index("Why does the tunnel") < shown.index("Deploy the")
        await press(pilot, "slash", *"temporary", "space", *"disk")
        await until(lambda: "is on a temporary disk." in picture(pilot), "the hit")
        assert "1 of 2" in picture(pilot)
        await press(pilot, "enter", "enter")
        await until(lambda: "match 1 of 1" in picture(pilot), "the conversation at the match")
        assert "▸ 2 commands, 1 failed" in picture(pilot) and "1a2b3c4" in picture(pilot)
        await press(pilot, "a", "ctrl+s")
        await until(lambda: "Does it replace this one" in picture(pilot), "the question")
        await press(pilot, "n")
        await until(lambda: "● The tunnel loses its lease" in picture(pilot), "the memory")
        (made,) = [memory for memory in cortex.list() if memory.id not in before]
        assert made.source.session == Sample("tunnel").session and made.source.rule == "person"
        turn = cortex.memories.turn_of(made.id)
        assert [one_line(said.text) for said in turn.said if said.here] == [made.content]
        await press(pilot, "u")
        await until(lambda: "Undone: remember" in picture(pilot), "the undo")
        assert {memory.id for memory in cortex.list()} == before


async def test_from_a_message_to_its_memory_and_back(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "enter")
        assert isinstance(app.screen, ConversationScreen)
        await press(pilot, "enter")
        assert "No memory came from this message" in picture(pilot)
        await press(pilot, "right_square_bracket", "enter")
        await until(lambda: isinstance(app.screen, DetailScreen), "the memory")
        await press(pilot, "t", "enter")
        await until(lambda: "I decided to keep the lease" in picture(pilot), "the message")
        assert isinstance(app.screen, ConversationScreen)
        at = app.screen.view
        await until(
            lambda: at.block and at.block.first.text.startswith("Remember: I decided"), "its cursor"
        )
        await press(pilot, "right_square_bracket")
        assert "You said nothing after this" in picture(pilot)


async def test_a_memory_that_was_forgotten_is_no_longer_shown_as_kept(
    app: CortexApp, project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        kept = sum(one.memories for one in cortex.sessions.archive.list())
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "enter")
        assert "enter" not in picture(pilot).split("\n")[-1], "nothing opens here"
        await press(pilot, "]")
        assert "enter memories" in picture(pilot) and "● I decided to keep" in picture(pilot)
        await press(pilot, "enter", "d")
        await until(lambda: "Forgotten" in picture(pilot), "the change")
        await press(pilot, "escape")
        await until(lambda: "(archived)" in picture(pilot), "what became of it")
        assert "◌ I decided to keep" in picture(pilot)
    with Cortex.open(project, clock=clock) as cortex:
        assert sum(one.memories for one in cortex.sessions.archive.list()) == kept - 1


async def test_one_step_leads_back_from_what_a_session_taught(app: CortexApp) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "5")
        sessions = app.screen
        assert isinstance(sessions, SessionsScreen)
        sessions.action_taught()
        await until(lambda: "session:" in picture(pilot), "what it taught")
        assert isinstance(app.screen, MemoriesScreen)
        memories = app.screen
        await press(pilot, "escape")
        await until(lambda: app.screen is sessions, "the sessions")
        assert not memories.filters.query.chips


async def test_a_fold_opens_and_a_conversation_is_searched(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, "enter", "j", "j", "enter")
        await until(lambda: "✕ journalctl -u tunnel" in picture(pilot), "the commands")
        await press(pilot, "enter")
        await until(lambda: "journalctl" not in picture(pilot), "the fold")
        await press(pilot, "slash", *"journalctl", "enter")
        await until(lambda: "match 1 of 1" in picture(pilot), "the match")
        assert "✕ journalctl -u tunnel" in picture(pilot)
        await press(pilot, "]")
        assert "This is the last match" in picture(pilot)


async def test_filters_are_typed_chosen_and_dropped(app: CortexApp) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, "slash", *"branch:site", "enter")
        await until(lambda: "1 of 2" in picture(pilot), "the filtered list")
        await press(pilot, "enter")
        await until(lambda: " · 1 turn · site" in picture(pilot), "facts under a long title")
        await press(pilot, "escape", "escape")
        await until(lambda: "2 sessions" in picture(pilot), "all of them")
        await press(pilot, "slash", *"nowhere", "enter")
        await until(lambda: "No conversation matches" in picture(pilot), "nothing")
        assert "clears the search" in picture(pilot)


async def test_a_session_is_forgotten_with_its_memories_and_comes_back(
    app: CortexApp, cortex: Cortex
) -> None:
    def statuses() -> dict[str, str]:
        return {one.id: one.status for one in cortex.list(statuses=STATUSES)}

    before = statuses()
    async with app.run_test(size=(80, 24)) as pilot:
        await go(pilot, "enter", "d")
        await until(lambda: "its memories too" in picture(pilot), "the question")
        await press(pilot, "down", "enter")
        await until(lambda: "Forgot the session and its memories" in picture(pilot), "the change")
        assert isinstance(app.screen, SessionsScreen)
        await until(lambda: "1 session" in picture(pilot), "the list")
        assert set(statuses().values()) == {"archived"} != set(before.values())
        await press(pilot, "u")
        await until(lambda: "2 sessions" in picture(pilot), "the list again")
        assert statuses() == before


async def test_without_a_conversation_it_says_how_they_come(project: Path, clock: Clock) -> None:
    empty = page(SessionsScreen, project, clock)
    async with empty.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await until(lambda: "No conversation is kept yet" in picture(pilot), "the empty list")
        assert "cortex import transcripts" in picture(pilot)
        await press(pilot, "enter")
        assert "no conversation under the cursor" in picture(pilot)


async def test_a_session_that_is_not_kept_is_said(project: Path, clock: Clock) -> None:
    lost = page(lambda: ConversationScreen("5f1c2d3e-gone"), project, clock)
    async with lost.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await until(lambda: "There is no conversation to show" in picture(pilot), "the notice")


def test_the_map_of_days_ends_at_the_newest_session(clock: Clock) -> None:
    """Of sessions that are long past every day would lie before it."""
    old = Conversation(
        number=1,
        session="s1",
        scope="project",
        title="Deploy",
        branch="main",
        folder="",
        model="",
        started=clock.now - 300 * 86_400,
        ended=None,
        turns=1,
        messages=2,
        commits=0,
        memories=2,
    )
    drawn = when_they_were([old], clock.now, 80, Glyphs(ascii_only=False)).plain
    assert "sessions 1 " in drawn and "kept 2 " in drawn and drawn.count("█") == 2
    assert "sessions 0" in when_they_were([], clock.now, 80, Glyphs(ascii_only=False)).plain
