"""Pinning, forgetting, taking back, copying; and what others write meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from textual.message import Message

from cortex_core import Cortex
from cortex_core.records.memory import STATUSES, Key
from cortex_tui.application import CortexApp
from cortex_tui.context import RowsFound
from cortex_tui.queries import Done, ListQuery, Pulse, Revision, Verb
from cortex_tui.screens import memory_screen
from cortex_tui.screens.base import SOON, StoreScreen
from cortex_tui.session import StoreSession
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles, type_words
from tests.tui.waiting import PATIENCE, act, until


async def test_pin_and_unpin(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        name = screen(pilot).rows.memory
        assert name is not None
        await pilot.press("p")
        await settle(pilot)
        assert cortex.show(name.id).pinned
        assert "Pinned: Access tokens" in picture(pilot)
        assert "★ pinned" in picture(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert not cortex.show(name.id).pinned


async def test_what_is_out_of_date_is_marked_and_confirmed(app: CortexApp, cortex: Cortex) -> None:
    named = cortex.list(sort="updated", limit=1)[0]
    with cortex.workspace.store(named.scope).change("check", "mark it", "worker") as change:
        change.update("memory", named.id, {"outdated": "names src/gone.py, which is gone"})
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        while (found := screen(pilot).rows.memory) is None or found.id != named.id:
            await pilot.press("j")
            await settle(pilot)
        await until(lambda: "out of date: it names src/gone.py" in picture(pilot))
        await pilot.press("r")
        await until(lambda: "Confirmed: " in picture(pilot))
        assert cortex.show(named.id).outdated == ""


async def test_two_fast_presses_cancel_out(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        memory = screen(pilot).rows.memory
        assert memory is not None
        screen(pilot).action_pin()
        screen(pilot).action_pin()
        await settle(pilot)
        assert not cortex.show(memory.id).pinned
        assert [change.verb for change in cortex.log(2)] == ["unpin", "pin"]


async def test_a_forgotten_row_stays_in_its_place_until_read_again(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = titles(pilot)
        await pilot.press("j", "d")
        await settle(pilot)
        assert titles(pilot) == before
        assert screen(pilot).rows.cursor == 1
        assert "✕ forgotten" in picture(pilot)
        assert cortex.status().counts["archived"] == 1
        await pilot.press("f5")
        await settle(pilot)
        assert titles(pilot) == [before[0], *before[2:]]


async def test_it_stays_even_when_others_write(
    app: CortexApp, cortex: Cortex, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = titles(pilot)
        await pilot.press("j", "d")
        await settle(pilot)
        clock.advance(minutes=1)
        cortex.remember("Release notes are written by hand.", title="Release notes by hand")
        screen(pilot).pulse()
        await settle(pilot)
        assert titles(pilot) == ["Release notes by hand", *before]
        memory = screen(pilot).rows.memory
        assert memory is not None
        assert memory.title == before[1]


async def test_a_refresh_on_its_way_does_not_take_a_forgotten_row_away(
    app: CortexApp, cortex: Cortex
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        view, before = screen(pilot), titles(pilot)
        assert view.stores is not None and view.rows.key is not None
        view.changes.act("forget", view.rows.key)
        view.finding.generation += 1
        while not any(memory.status == "archived" for memory in cortex.list(statuses=STATUSES)):
            await pilot.pause()
        stale = view.stores.find(ListQuery())
        await settle(pilot)
        view.post_message(RowsFound(stale, view.finding.generation, frozenset(), {}))
        await settle(pilot)
        assert titles(pilot) == before


async def test_undo_and_redo(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("d", "u")
        await settle(pilot)
        assert "Undone: forget" in picture(pilot)
        assert "✕ forgotten" not in picture(pilot)
        assert cortex.status().counts == {"active": 9}
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "Done again: forget" in picture(pilot)
        assert cortex.status().counts["archived"] == 1
        await pilot.press("u")
        await settle(pilot)
        assert cortex.status().counts == {"active": 9}


async def test_restore_a_forgotten_row(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert cortex.status().counts == {"active": 9}
        assert "✕ forgotten" not in picture(pilot)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [("r", "there is nothing to restore"), ("ctrl+r", "nothing to redo")],
)
async def test_a_key_that_does_nothing_says_why(app: CortexApp, key: str, sentence: str) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(key)
        await settle(pilot)
        assert sentence in picture(pilot)


async def test_forgotten_twice_says_why(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        assert "archived already" in picture(pilot)
        assert len(cortex.log(20)) == 10


@pytest.mark.usefixtures("meaning")
async def test_changes_hold_in_a_search_too(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "pnpm")
        await settle(pilot)
        before = titles(pilot)
        await pilot.press("d")
        await settle(pilot)
        assert titles(pilot) == before
        assert "✕ forgotten" in picture(pilot)
        assert cortex.status().counts["archived"] == 1


async def test_what_others_write_appears_and_the_cursor_stays(
    app: CortexApp, cortex: Cortex, clock: Clock
) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j")
        key = screen(pilot).rows.key
        clock.advance(minutes=1)
        cortex.remember("The queue is drained before a deploy.")
        screen(pilot).pulse()
        await settle(pilot)
        assert titles(pilot)[0].startswith("The queue is drained")
        assert screen(pilot).rows.key == key
        assert screen(pilot).rows.cursor == 3
        assert "Memories 10" in picture(pilot)


async def test_the_timer_notices_by_itself(
    app: CortexApp, cortex: Cortex, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cortex_tui.screens.base.PULSE", 0.05)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        cortex.remember("The cache is warmed after a deploy.")
        clock.advance(minutes=1)
        await until(lambda: titles(pilot)[0].startswith("The cache is warmed"), "the memory")


async def test_a_change_is_the_persons_in_the_journal(app: CortexApp, cortex: Cortex) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("p")
        await settle(pilot)
        assert cortex.log(1)[0].actor == "person"


async def test_copying_hands_the_text_to_the_terminal(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_screen, "copy_by_machine", lambda text: False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        memory = screen(pilot).rows.memory
        assert memory is not None
        await pilot.press("c")
        await settle(pilot)
        assert app.clipboard == memory.content
        assert "Copied the text" in picture(pilot)
        await act(pilot, "copy_id")
        await settle(pilot)
        assert app.clipboard == memory.id


async def test_a_text_too_long_for_any_clipboard_is_told(
    app: CortexApp, cortex: Cortex, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_screen, "copy_by_machine", lambda text: False)
    clock.advance(minutes=1)
    cortex.remember("word " * 20_000, title="A long one")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        assert "Nothing was copied" in picture(pilot)


def test_no_clipboard_program_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyperclip

    def fail(text: str) -> None:
        raise pyperclip.PyperclipException("none here")

    monkeypatch.setattr(pyperclip, "copy", fail)
    assert memory_screen.copy_by_machine("x") is False


async def test_what_takes_long_is_told_and_then_what_came_of_it(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, told = StoreSession.act, threading.Event()

    def slow(self: StoreSession, verb: Verb, *keys: Key) -> Done:
        assert told.wait(PATIENCE)
        return act(self, verb, *keys)

    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(StoreSession, "act", slow)
        await pilot.press("p")
        await until(lambda: "Working. You can look around meanwhile." in picture(pilot))
        told.set()
        await settle(pilot)
        assert "Pinned: " in picture(pilot)
        await settle(pilot, timers=SOON)
        assert "Pinned: " in picture(pilot)


async def test_nothing_is_said_over_the_result_of_a_change_whose_worker_still_ends(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, seen = StoreScreen.report, threading.Event()

    def lingering(
        self: StoreScreen, task: Callable[[], Message], *, reading: bool = False
    ) -> Message:
        message = report(self, task, reading=reading)
        assert seen.wait(PATIENCE)
        return message

    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(StoreScreen, "report", lingering)
        await pilot.press("p")
        await until(lambda: "Pinned: " in screen(pilot).hints.said)
        screen(pilot).changes._say_under_way()
        assert "Pinned: " in screen(pilot).hints.said
        seen.set()


async def test_what_changes_while_others_writes_are_looked_for_is_looked_for_again(
    app: CortexApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulse, asked, go_on = StoreSession.pulse, list[Revision | None](), threading.Event()

    def slow(self: StoreSession, known: Revision | None) -> Pulse:
        asked.append(known)
        found = pulse(self, known)
        assert go_on.wait(PATIENCE)
        return found

    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(StoreSession, "pulse", slow)
        screen(pilot).pulse()
        screen(pilot).pulse()
        screen(pilot).pulse()
        go_on.set()
        await settle(pilot)
        assert len(asked) == 2
        assert asked[1] is None


async def test_what_is_written_is_found_by_meaning_soon(
    app: CortexApp, cortex: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cortex_tui.screens.base.PULSE", 0.05)
    monkeypatch.setattr("cortex_tui.screens.base.REST", 0.05)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await until(lambda: not cortex.status().pending_embeddings, "the first vectors")
        cortex.edit(cortex.list()[-1].id, content="The lamp keeper sleeps in the north tower.")
        assert cortex.status().pending_embeddings == 1
        await until(lambda: not cortex.status().pending_embeddings, "the vector of the new text")
