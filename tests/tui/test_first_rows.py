"""The first rows of an answer are shown at once; the rest joins when nothing newer is asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from cortex_core import Cortex
from cortex_tui import finding
from cortex_tui.answers import Chip, Question
from cortex_tui.application import CortexApp
from cortex_tui.library import Library
from cortex_tui.screens import base
from cortex_tui.screens.memories import MemoriesScreen
from tests.conftest import Clock
from tests.tui.conftest import picture, screen, settle, titles, type_words

QUESTIONS = (
    Question(),
    Question("token"),
    Question("t"),
    Question(sort="title"),
    Question("the", (Chip("kind", "fact"),)),
    Question(chips=(Chip("scope", "project"),)),
    Question("tokne"),
)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "HEAD", 3)
    monkeypatch.setattr(finding, "PAGE", 2)


@pytest.fixture
def library(project: Path, clock: Clock, fill: Callable[..., None]) -> Library:
    fill()
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Tokens of the global kind", kind="fact", scope="global")
    return Library(project, clock=clock)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_first_rows_begin_the_whole_answer(library: Library, question: Question) -> None:
    first = library.first(question)
    whole = library.find(question)
    assert list(first.order) == list(whole.order)[: len(first.order)]
    assert first.partial or list(first.order) == list(whole.order)
    assert not whole.partial
    assert whole.completes(first) is first.partial


def test_few_rows_are_whole_at_once(library: Library) -> None:
    assert library.first(Question()).partial
    assert not library.first(Question("pnpm")).partial


def test_too_few_of_the_first_that_pass_are_all_read(library: Library) -> None:
    rare = Question("t", (Chip("kind", "policy"),))
    assert list(library.first(rare).order) == list(library.find(rare).order)


def test_another_answer_completes_nothing(library: Library) -> None:
    first = library.first(Question("t"))
    assert not library.find(Question("token")).completes(first)
    library.act("pin", first.order[0])
    assert not library.find(Question("t")).completes(first)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The rest of an answer waits until this is set."""
    made = threading.Event()
    monkeypatch.setattr(base, "sleep", lambda seconds: made.wait(20))
    return made


async def type_t(pilot: Pilot[None]) -> MemoriesScreen:
    """Type a letter and wait for the first rows that hold it."""
    view = screen(pilot)
    view.search.type()
    await pilot.press("t")
    async with asyncio.timeout(10):
        while view._answer is None or not view._answer.partial:
            await pilot.pause(0.01)
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
        assert "Not every row is found yet" in picture(pilot)
        assert not view.rows.marks.keys
        held.set()
        await settle(pilot)
        view.action_mark_all()
        assert len(view.rows.marks.keys) == len(titles(pilot))


async def test_a_newer_letter_drops_the_rest(
    app: CortexApp, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    find = Library.find

    def counted(self: Library, question: Question, *rest: object) -> object:
        asked.append(question.words)
        return find(self, question, *rest)  # type: ignore[arg-type]

    held.set()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        held.clear()
        monkeypatch.setattr(Library, "find", counted)
        view = await type_t(pilot)
        await pilot.press("o", "k")
        async with asyncio.timeout(10):
            while view._answer is None or view._answer.question.words != "tok":
                await pilot.pause(0.01)
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
        screen(pilot).ask(screen(pilot).question)
        await settle(pilot)
        assert len(titles(pilot)) == count
