"""Capture and health: what was read, what waits for a verdict, and what one key does about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input

from cortex_core import Cortex
from cortex_core.doctor import examine
from cortex_core.records.memory import STATUSES
from cortex_core.records.upkeep import CheckResult
from cortex_tui.application import CortexApp
from cortex_tui.lists.cursor_list import ItemList
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.screens.capture_screen import CaptureScreen
from cortex_tui.screens.memories_screen import MemoriesScreen
from cortex_tui.screens.tabbed import TabLine
from cortex_tui.widgets.frame import KeyHints
from tests.conftest import Clock
from tests.tui.capturing import captured, go, session, utc
from tests.tui.conftest import picture, settle
from tests.tui.waiting import until

__all__ = ["captured", "utc"]

CHECKS = (
    CheckResult(name="python", group="machine", state="ok", sentence="Python is new enough."),
    CheckResult(
        name="hooks",
        group="client",
        state="warning",
        fixable=True,
        sentence="The hooks are installed twice.",
        next_step="Take one out.",
    ),
)


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """The doctor's visits, one a call: whether it was to repair."""
    visits: list[bool] = []

    def look(*where: object, fix: bool = False, **how: object) -> object:
        visits.append(fix)
        repaired = CheckResult(
            name="hooks",
            group="client",
            state="ok",
            sentence="Installed once.",
            fixed="Took one of the two out.",
        )
        return (CHECKS[0], repaired) if fix else CHECKS

    monkeypatch.setattr(examine, "run", look)
    return visits


def shown(pilot: Pilot[None]) -> CaptureScreen:
    page = pilot.app.screen
    assert isinstance(page, CaptureScreen)
    return page


async def until_dialog(pilot: Pilot[None]) -> None:
    """Wait until a dialog asks something, although a worker waits for its answer."""
    await until(lambda: isinstance(pilot.app.screen, ModalScreen), "a dialog")
    await settle(pilot)


async def test_the_ledger_tells_what_was_read_and_what_failed(captured: CortexApp) -> None:
    async with captured.run_test(size=(100, 30)) as pilot:
        shown_text = await go(pilot, "4")
        assert "import" in shown_text
        assert "the file is torn" in shown_text
        assert "Ledger ▲1" in shown_text
        assert "11:00 today" in shown_text
        assert "I decided to" in shown_text
        assert "waits to be read" not in shown_text, "the hook's session was read since"


async def test_every_section_has_a_key(captured: CortexApp, doctor: list[bool]) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await go(pilot, "4")
        held = {
            "R": "answer",
            "X": "No secret",
            "H": "installed twice",
            "N": "memories learned",
            "L": "the file is torn",
        }
        for key, words in held.items():
            assert words in await go(pilot, key), key
        assert "No secret" in await go(pilot, "right")


async def test_a_session_is_read_again(captured: CortexApp, cortex: Cortex) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await go(pilot, "4")
        page = shown(pilot)
        page.rows.cursor = next(
            place for place, item in enumerate(page.rows.items) if item.cells[2].words == "import"
        )
        shown_text = await go(pilot, "r")
        assert "Read again" in shown_text
        assert cortex.sessions.ledger(1)[0].event == "replay"


async def test_a_row_opens_what_its_session_taught_and_reads_nothing_again(
    captured: CortexApp, cortex: Cortex
) -> None:
    taught = {one.id for one in cortex.list(statuses=STATUSES) if one.source.session}
    async with captured.run_test(size=(100, 30)) as pilot:
        await go(pilot, "4")
        page, before = shown(pilot), len(cortex.sessions.ledger(100))
        page.rows.cursor = next(
            place for place, item in enumerate(page.rows.items) if item.cells[2].words == "import"
        )
        shown_text = await go(pilot, "enter")
        assert isinstance(captured.screen, MemoriesScreen)
        assert "session:" in shown_text and "status:all" in shown_text
        found = [captured.screen.rows.rows.known(key) for key in captured.screen.rows.rows.order]
        assert {one.id for one in found if one} == taught
        assert len(cortex.sessions.ledger(100)) == before


async def test_a_session_that_is_gone_is_a_sentence(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await go(pilot, "4")
        shown(pilot).rows.action_bottom()
        assert "The transcript of session" in " ".join((await go(pilot, "r")).split())


async def test_a_rule_is_set(captured: CortexApp, cortex: Cortex) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        await go(pilot, "4", "R", "enter")
        await pilot.press(*"off", "enter")
        shown_text = await go(pilot)
        assert "finds are off" in shown_text
        assert cortex.rules.list()[0].name in shown_text
        with Cortex.open(cortex.project.root, clock=captured.clock) as other:
            assert other.rules.list()[0].tier == "off"
        count, before = len(cortex.log(50)), cortex.rules.list()[0].setting
        assert "finds are" in await go(pilot, "u")
        assert len(cortex.log(50)) == count
        with Cortex.open(cortex.project.root, clock=captured.clock) as other:
            assert other.rules.list()[0].setting == before != "off"


async def test_the_checks_and_their_repair(captured: CortexApp, doctor: list[bool]) -> None:
    async with captured.run_test(size=(100, 30)) as pilot:
        shown_text = await go(pilot, "4", "H")
        assert shown_text.index("installed twice") < shown_text.index("new enough")
        assert "Take one out." in shown_text
        await go(pilot, "L", "H")
        assert doctor == [False]
        await go(pilot, "f")
        assert isinstance(captured.screen, ModalScreen)
        shown_text = await go(pilot, "y")
        assert doctor == [False, True]
        assert "Took one of the two out." in shown_text


async def test_secrets_are_found_and_taken_out_after_a_question(
    captured: CortexApp, cortex: Cortex
) -> None:
    memory = cortex.remember("The key of the mail service.")
    leaked = "key AKIA" + "Z7Q2M4X9P1L8K3J6"
    store = cortex.workspace.store("project")
    with store.write():  # As an older version stored it; a change would redact it.
        store.execute("UPDATE memory SET content = ? WHERE id = ?", (leaked, memory.id))
    async with captured.run_test(size=(80, 24)) as pilot:
        shown_text = await go(pilot, "4", "X")
        assert "aws" in shown_text
        assert leaked not in shown_text
        await go(pilot, "b", "enter")
        assert cortex.workspace.get(memory.id).content == leaked
        await go(pilot, "b", "down", "enter")
        assert "redacted" in cortex.workspace.get(memory.id).content
        assert "no secret to remove" in await go(pilot, "b")


async def test_past_sessions_are_learned_from_after_a_preview(
    project: Path, clock: Clock, app: CortexApp, cortex: Cortex, utc: None
) -> None:
    session(project, clock)
    before = len(cortex.list())
    async with app.run_test(size=(80, 24)) as pilot:
        shown_text = await go(pilot, "4", "i")
        assert "Learn from 1 past session?" in shown_text
        assert "would be kept" in shown_text
        assert len(cortex.list()) == before
        await go(pilot, "n")
        assert len(cortex.list()) == before
        shown_text = await go(pilot, "i", "y")
        assert len(cortex.list()) > before
        assert len(cortex.suggestions.list()) == 1
        assert "show the 2 memories kept" in shown_text
        assert "show what is only suggested (1)" in shown_text
        await go(pilot, "escape")
        assert "nothing new" in await go(pilot, "i")
        await go(pilot, "u")
        assert len(cortex.list()) == before


async def test_an_import_leads_to_what_it_kept(
    project: Path, clock: Clock, app: CortexApp, cortex: Cortex, utc: None
) -> None:
    session(project, clock)
    before = {memory.id for memory in cortex.list()}
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "4", "i", "y", "enter")
        screen = app.screen
        assert isinstance(screen, MemoriesScreen)
        kept = [memory for memory in cortex.list() if memory.id not in before]
        assert len(kept) == 2
        assert screen.query_one(MemoryList).count() == 2
        assert all(memory.title[:20] in picture(pilot) for memory in kept)


async def test_capture_is_paused_and_goes_on(captured: CortexApp, cortex: Cortex) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        assert "capture paused" in await go(pilot, "4", "P")
        assert cortex.sessions.paused
        await go(pilot, "P")
        assert not cortex.sessions.paused


async def test_vectors_are_made(captured: CortexApp, cortex: Cortex) -> None:
    assert cortex.status().pending_embeddings
    async with captured.run_test(size=(120, 40)) as pilot:
        assert "found by meaning now" in await go(pilot, "4", "v")
        assert not cortex.status().pending_embeddings
        assert "has its vector" in await go(pilot, "v")


async def test_a_key_of_another_section_says_where_it_works(captured: CortexApp) -> None:
    async with captured.run_test(size=(80, 24)) as pilot:
        assert "works in: Health (H)" in await go(pilot, "4", "f")


async def test_by_mouse(captured: CortexApp, cortex: Cortex) -> None:
    async with captured.run_test(size=(100, 30)) as pilot:
        await go(pilot, "4")
        page = shown(pilot)
        place = picture(pilot).split("\n")[2].index("Rules")
        await pilot.click(TabLine, offset=(place, 0))
        await settle(pilot)
        assert page.shown == "rules"
        await pilot.click(ItemList, offset=(6, 3))
        await settle(pilot)
        assert page.rows.cursor == 2


async def test_an_empty_project_leads_to_the_first_import(project: Path, clock: Clock) -> None:
    app = CortexApp(project, clock=clock, ascii_only=False)
    async with app.run_test(size=(80, 24)) as pilot:
        shown_text = await go(pilot, "4")
        assert "Nothing has been captured here yet." in shown_text
        assert "cortex install" in shown_text
        for key in ("a", "d", "e", "r", "space", "enter", "y", "j", "G", "u", "v"):
            await go(pilot, key)
        for key in ("X", "a", "K", "N", "space", "L", "r"):
            await go(pilot, key)
        assert app.is_running
        assert not (project / ".memory" / "cortex.db").exists()
        await go(pilot, "escape")
        assert isinstance(app.screen, MemoriesScreen)


async def test_a_suggestion_is_kept_from_the_list(captured: CortexApp, cortex: Cortex) -> None:
    async with captured.run_test(size=(100, 30)) as pilot:
        await go(pilot)
        captured.action_go("memories", "status:suggested")
        await go(pilot)
        before = len(cortex.suggestions.list())
        assert "Kept: " in await go(pilot, "r")
        assert len(cortex.suggestions.list()) == before - 1
        assert "does nothing here" in await go(pilot, "D")
        await go(pilot, "u")
        assert len(cortex.suggestions.list()) == before


async def test_the_memories_are_exported_to_a_folder(app: CortexApp, tmp_path: Path) -> None:
    async with app.run_test(size=(100, 30)) as pilot:
        await go(pilot, "4", "E")
        app.screen.query_one(Input).value = str(tmp_path / "vault")
        assert "9 memories are in" in await go(pilot, "enter")
        assert len(list((tmp_path / "vault").rglob("*.md"))) >= 8


@pytest.mark.parametrize("keys", [("I",), ("4", "f")])
async def test_connecting_asks_first_and_names_the_way_back(
    keys: tuple[str, ...], app: CortexApp, scratch_home: Path
) -> None:
    settings = scratch_home / ".claude" / "settings.json"
    async with app.run_test(size=(100, 30)) as pilot:
        assert "not connected: I connects" in await go(pilot, *keys[:-1])
        await pilot.press(keys[-1])
        await until_dialog(pilot)
        shown_text = picture(pilot)
        assert "Connect Cortex with Claude Code?" in shown_text
        assert "cortex uninstall" in shown_text
        await pilot.press("n")
        await until(lambda: "Nothing was changed." in picture(pilot), "the refusal")
        assert not settings.exists()
        await pilot.press(keys[-1])
        await until_dialog(pilot)
        await pilot.press("y")
        await until(lambda: not isinstance(app.screen, ModalScreen), "the end of the dialog")
        hints = app.screen_stack[-1].query_one(KeyHints)
        await until(lambda: "To undo: cortex uninstall" in hints.said, "the connection")
        assert "cortex_core.hook" in settings.read_text()
        await until(lambda: "not connected" not in picture(pilot), "the strip")
