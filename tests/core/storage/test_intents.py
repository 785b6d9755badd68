"""An action in both stores is whole or was never there: killed, failing, or found by another."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import peewee
import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreError
from cortex_core.records.memory import Memory
from cortex_core.store import opening
from cortex_core.store.journal import Change
from tests.conftest import NOON, made
from tests.core.killing import killed_at
from tests.journals import unexplained

TABLES = {
    "memory": "*",
    "source": "*",
    "edge": "*",
    "proposal": "*",
    "verdict": "*",
    "trash": "*",
    "journal": "number, actor, verb, label, undoes, undone_by, spans",
    "journal_row": "*",
}
"""What an action writes; the word that its entries share is drawn by chance."""

Content = dict[str, list[tuple[object, ...]]]


class Place:
    """A project and a global side that can be put back to how they were."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "now" / "project"
        self.home = folder / "now" / "home"
        self.project.mkdir(parents=True)

    def cortex(self) -> Cortex:
        return Cortex.open(self.project, self.home, clock=lambda: NOON)

    @property
    def files(self) -> tuple[Path, Path]:
        return self.project / ".memory" / "cortex.db", self.home / "cortex-global.db"

    def save(self, name: str) -> None:
        shutil.copytree(self.folder / "now", self.folder / name)

    def load(self, name: str) -> None:
        shutil.rmtree(self.folder / "now")
        shutil.copytree(self.folder / name, self.folder / "now")
        made(self.project, self.home)

    def content(self) -> list[Content]:
        """Every row of both stores; both are sound, and nothing is left to do in them."""
        return [_content(path) for path in self.files]

    def pending(self) -> int:
        asked = "SELECT count(*) FROM meta WHERE substr(key, 1, 7) = 'intent '"
        return sum(int(_ask(path, asked)[0][0]) for path in self.files)


def _ask(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return list(map(tuple, connection.execute(sql)))


def _content(path: Path) -> Content:
    assert _ask(path, "PRAGMA integrity_check") == [("ok",)]
    return {
        table: sorted(_ask(path, f"SELECT {names} FROM {table}"), key=repr)
        for table, names in TABLES.items()
    }


LINES = [
    json.dumps(
        {
            "id": f"00000000-0000-4000-8000-00000000000{n}",
            "scope": scope,
            "content": f"Imported rule number {n}",
        }
    )
    for n, scope in enumerate(("project", "global"))
]


def _ids(cortex: Cortex) -> list[str]:
    return sorted(memory.id for memory in cortex.list())


def _of(cortex: Cortex, scope: str) -> list[str]:
    return sorted(memory.id for memory in cortex.list() if memory.scope == scope)


ACTIONS: dict[str, Callable[[Cortex], object]] = {
    "move": lambda cortex: cortex.move(_of(cortex, "project"), "global"),
    "forget": lambda cortex: cortex.forget(_ids(cortex)),
    "import": lambda cortex: cortex.exchange.import_jsonl(LINES),
}
OTHERS: dict[str, Callable[[Cortex], object]] = {
    "undo": lambda cortex: cortex.undo(),
    "redo": lambda cortex: cortex.redo(),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two linked memories in the project, two in the global store, one of each pinned."""
    place = Place(tmp_path_factory.mktemp("filled"))
    with place.cortex() as cortex:
        one = cortex.remember("The queue keeps jobs for 90 days", tags=["queue"])
        two = cortex.remember("Jobs are retried five times", kind="policy", pinned=True)
        cortex.graph.link(one.id, two.id, "REQUIRES")
        cortex.remember("Answers are short", kind="preference", scope="global", pinned=True)
        cortex.remember("Names are spelt out", kind="preference", scope="global")
    return place.folder / "now"


@pytest.fixture
def place(filled: Path, tmp_path: Path) -> Iterator[Place]:
    """A copy of that."""
    copy = Place(tmp_path)
    shutil.rmtree(tmp_path / "now")
    shutil.copytree(filled, tmp_path / "now")
    made(copy.project, copy.home)
    yield copy


def run(place: Place, task: Callable[[Cortex], object]) -> None:
    with place.cortex() as cortex:
        task(cortex)


@pytest.mark.parametrize("name", ACTIONS)
def test_killed_around_any_commit_an_action_in_both_stores_is_whole(
    place: Place, name: str
) -> None:
    for verb, task in {name: ACTIONS[name], **OTHERS}.items():
        before = place.content()
        place.save(verb)
        run(place, task)
        after = place.content()
        place.save(f"{verb} done")
        assert before[0] != after[0] and before[1] != after[1]
        halves = step = 0
        while True:
            step += 1
            place.load(verb)
            if not killed_at(step, lambda task=task: run(place, task)):  # type: ignore[misc]
                break
            halves += place.pending()
            run(place, lambda cortex: cortex.workspace.stores)
            assert place.content() in (before, after), (verb, step)
            assert not place.pending()
        assert halves == 4, verb  # from the first commit until the intent is gone
        place.load(f"{verb} done")


def failing(monkeypatch: pytest.MonkeyPatch, *numbers: int) -> None:
    """Let the commits with these numbers fail, counted from here."""
    commit, count = peewee.SqliteDatabase.commit, 0

    def maybe(database: peewee.SqliteDatabase) -> object:
        nonlocal count
        count += 1
        if count in numbers:
            raise peewee.OperationalError("database or disk is full")
        return commit(database)

    monkeypatch.setattr(peewee.SqliteDatabase, "commit", maybe)


@pytest.mark.parametrize("name", ["move", "forget"])
@pytest.mark.parametrize("at", [1, 2])
def test_a_commit_that_fails_changes_nothing_and_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch, name: str, at: int
) -> None:
    for verb, task in {name: ACTIONS[name], **OTHERS}.items():
        before = place.content()
        with monkeypatch.context() as patched, place.cortex() as cortex:
            assert len(cortex.workspace.stores) == 2
            failing(patched, at)
            with pytest.raises(StoreError, match=r"the disk is full\. Nothing was changed"):
                task(cortex)
        assert place.content() == before, verb
        assert not place.pending()
        run(place, task)


def test_what_cannot_be_taken_back_at_once_is_said_and_taken_back_later(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = place.content()
    with monkeypatch.context() as patched, place.cortex() as cortex:
        names = _of(cortex, "project")
        failing(patched, 2, 3, 4)
        with pytest.raises(StoreError) as caught:
            cortex.move(names, "global")
    said = str(caught.value)
    assert "Nothing was changed" not in said
    assert "cortex-global.db was changed" in said and "cortex status" in said
    assert place.pending() == 1 and place.content() != before
    with Cortex.open(place.folder / "elsewhere", place.home, clock=lambda: NOON) as other:
        (place.folder / "elsewhere").mkdir()
        assert len(other.list()) == 4  # another project leaves it to the one that it belongs to
    assert place.pending() == 1
    run(place, lambda cortex: cortex.list())
    assert place.content() == before and not place.pending()
    with place.cortex() as cortex:
        assert unexplained(cortex) == []


def test_a_failed_step_changes_neither_store(place: Place) -> None:
    before = place.content()
    with place.cortex() as cortex, pytest.raises(RuntimeError):
        last = _ids(cortex)[-1]

        def step(change: Change, memory: Memory) -> None:
            change.update("memory", memory.id, {"pinned": not memory.pinned})
            if memory.id == last:
                raise RuntimeError

        cortex.workspace.act(_ids(cortex), "pin", step, label="pin", actor="person")
    assert place.content() == before


def test_an_action_in_progress_is_left_alone_by_who_opens_the_stores(place: Place) -> None:
    """Whoever is between its two commits still holds the second store."""
    commit = peewee.SqliteDatabase.commit
    opened: list[int] = []

    def open_stores() -> None:
        opening._PRAGMAS["busy_timeout"] = 50  # in a process of its own
        run(place, lambda other: other.workspace.stores)

    def committing(database: peewee.SqliteDatabase) -> object:
        done = commit(database)
        if not opened:
            opened.append(place.pending())
            assert not killed_at(10**6, open_stores)
        return done

    with pytest.MonkeyPatch.context() as patched, place.cortex() as cortex:
        patched.setitem(opening._PRAGMAS, "busy_timeout", 50)
        names = _of(cortex, "project")
        patched.setattr(peewee.SqliteDatabase, "commit", committing)
        cortex.move(names, "global")
    assert opened == [1] and not place.pending()
    with place.cortex() as cortex:
        assert len(_of(cortex, "global")) == 4
