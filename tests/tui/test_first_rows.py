"""The first rows of an answer are shown at once; the rest joins when nothing newer is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_tui import session
from cortex_tui.application import CortexApp
from cortex_tui.queries import Chip, ListQuery
from cortex_tui.screens import list_query
from cortex_tui.screens.memories_screen import MemoriesScreen
from cortex_tui.session import StoreSession
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles, type_words
from tests.tui.waiting import until

QUESTIONS = (
    ListQuery(),
    ListQuery("token"),
    ListQuery("t"),
    ListQuery(sort="title"),
    ListQuery("the", (Chip("kind", "fact"),)),
    ListQuery(chips=(Chip("scope", "project"),)),
    ListQuery("tokne"),
)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "HEAD", 3)
    monkeypatch.setattr(session, "PAGE", 2)


@pytest.fixture
def stores(project: Path, clock: Clock, fill: Callable[..., None]) -> StoreSession:
    fill()
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Tokens of the global kind", kind="fact", scope="global")
    return StoreSession(project, clock=clock)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_first_rows_begin_the_whole_answer(stores: StoreSession, question: ListQuery) -> None:
    first = stores.first(question)
    whole = stores.find(question)
    assert list(first.order) == list(whole.order)[: len(first.order)]
    assert first.partial or list(first.order) == list(whole.order)
    assert not whole.partial
    assert whole.completes(first) is first.partial


def test_what_is_prepared_is_not_read_again_at_the_first_letter(stores: StoreSession) -> None:
    chips = (Chip("kind", "fact"),)
    stores.prepare_search(ListQuery(chips=chips))
    statements: list[str] = []
    for store in stores.cortex.workspace.stores:
        store.connection.set_trace_callback(statements.append)
    filtered = "m.kind IN ('fact')"
    stores.first(ListQuery("t", chips))
    assert not any(filtered in statement for statement in statements)
    stores.first(ListQuery("t", (*chips, Chip("scope", "project"))))
    assert any(filtered in statement for statement in statements)


def test_few_rows_are_whole_at_once(stores: StoreSession) -> None:
    assert stores.first(ListQuery()).partial
    assert not stores.first(ListQuery("pnpm")).partial


def test_too_few_of_the_first_that_pass_are_all_read(stores: StoreSession) -> None:
    rare = ListQuery("t", (Chip("kind", "policy"),))
    assert list(stores.first(rare).order) == list(stores.find(rare).order)


def test_another_answer_completes_nothing(stores: StoreSession) -> None:
    first = stores.first(ListQuery("t"))
    assert not stores.find(ListQuery("token")).completes(first)
    stores.act("pin", first.order[0])
    assert not stores.find(ListQuery("t")).completes(first)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The rest of an answer waits until this is set."""
    made = threading.Event()
    monkeypatch.setattr(list_query, "sleep", lambda seconds: made.wait(20))
    return made


async def type_t(pilot: Pilot[None]) -> MemoriesScreen:
    """Type a letter and wait for the first rows that hold it."""
    view = screen(pilot)
    view.search.type()
    await pilot.press("t")
    await until(lambda: view._result is not None and view._result.partial, "the first rows")
    await pilot.pause()
    return view


async def test_the_rest_joins_and_the_cursor_stays(app: CortexApp, held: threading.Event) -> None:
    held.set()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        held.clear()
        view = await type_t(pilot)
        assert "3… of 9" in picture(pilot)
        assert len(titles(pilot)) == 3
        stood = view.rows.key
        held.set()
        await settle(pilot)
        assert len(titles(pilot)) > 3
        assert view.rows.key == stood
        assert f"{len(titles(pilot))} of 9" in picture(pilot)


async def test_not_all_are_marked_before_all_are_found(
    app: CortexApp, held: threading.Event
) -> None:
    held.set()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        held.clear()
        view = await type_t(pilot)
        view.action_mark_all()
        await pilot.pause()
        assert "The search is still running" in picture(pilot)
        assert not view.rows.marks.keys
        held.set()
        await settle(pilot)
        view.action_mark_all()
        assert len(view.rows.marks.keys) == len(titles(pilot))


async def test_a_newer_letter_drops_the_rest(
    app: CortexApp, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    find = StoreSession.find

    def counted(self: StoreSession, question: ListQuery, *rest: object) -> object:
        asked.append(question.words)
        return find(self, question, *rest)  # type: ignore[arg-type]

    held.set()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        held.clear()
        monkeypatch.setattr(StoreSession, "find", counted)
        view = await type_t(pilot)
        await pilot.press("o", "k")
        await until(lambda: view._result is not None and view._result.query.words == "tok")
        held.set()
        await settle(pilot)
        assert asked.count("t") == asked.count("to") == 0


async def test_what_is_kept_is_asked_for_whole(app: CortexApp) -> None:
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await type_words(pilot, "t")
        count = len(titles(pilot))
        await pilot.press("d")
        await settle(pilot)
        screen(pilot).ask(screen(pilot).filters.query)
        await settle(pilot)
        assert len(titles(pilot)) == count
