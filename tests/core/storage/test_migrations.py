"""The ladder of schemas: an older store climbs it whole, one below its first step is refused.

No version after the first was released yet, so a step of these tests is the next one.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreError, StoreTooNew, StoreUnusable
from cortex_core.store import migrations, reader, snapshots, table_models
from cortex_core.store.reader import OLDEST_VERSION, SCHEMA_VERSION
from cortex_core.store.store import Store
from cortex_core.store.surface_reader import open_store
from tests.conftest import Clock

NEXT = SCHEMA_VERSION + 1

STEP = """
from cortex_core.store import migrations, reader

def to_next(connection):
    migrations._run(connection, "CREATE TABLE mood (memory TEXT PRIMARY KEY, name TEXT)")
    migrations._run(connection, "INSERT INTO mood SELECT id, 'calm' FROM memory")
    migrations._run(connection, "CREATE INDEX mood_name ON mood (name)")

migrations.STEPS[reader.SCHEMA_VERSION] = to_next
reader.SCHEMA_VERSION += 1
"""


@pytest.fixture
def path(project: Path, clock: Clock) -> Path:
    """A project's store with memories of several statuses, a link, and a change undone."""
    with Cortex.open(project, clock=clock) as cortex:
        for words in (
            "Deploys go through the blue pipeline",
            "Lunch is at noon",
            "Tests run first",
        ):
            cortex.remember(words)
        first, second, third = cortex.list()
        cortex.graph.link(first.id, second.id, "REQUIRES")
        cortex.edit(second.id, content="Lunch is at one")
        cortex.undo()
        cortex.forget(third.id)
        cortex.remember("東京支店 opens at nine")
        return Path(cortex.project.project_db or "")


@pytest.fixture
def taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a step that a test adds be gone after it."""
    monkeypatch.setattr(migrations, "STEPS", {})
    monkeypatch.setattr(reader, "SCHEMA_VERSION", SCHEMA_VERSION)


@pytest.fixture
def step(taken_back: None) -> None:
    """Add a step to the ladder."""
    exec(STEP, {})


def content(path: Path) -> dict[str, object]:
    """Every row of every table that Cortex has today, and what the indexes hold."""
    with closing(sqlite3.connect(path)) as connection:
        asked = 'SELECT * FROM "{}"'
        found: dict[str, object] = {
            table: sorted(map(repr, connection.execute(asked.format(table))))
            for table in table_models.BY_NAME
        }
        for terms in ("stem", "word"):
            counted = connection.execute(f"SELECT term, doc, cnt FROM {terms} ORDER BY term")
            found[terms] = counted.fetchall()
        return found


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for index in ("memory_fts", "memory_words"):
            connection.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")
        return whole and not connection.execute("PRAGMA foreign_key_check").fetchall()


def older(path: Path) -> Path:
    """Let the store be of the version before the ladder."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {OLDEST_VERSION - 1}")
    return path


def test_nothing_is_lost_on_the_way_to_the_next_version(path: Path, step: None) -> None:
    before = content(path)
    Store.open(path, "project").close()
    assert content(path) == before
    assert (version(path), is_sound(path)) == (NEXT, True)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM mood").fetchone()[0] == 4


def test_a_snapshot_is_taken_first(path: Path, step: None) -> None:
    before = content(path)
    Store.open(path, "project").close()
    (copy,) = snapshots.taken(path)
    assert (copy.why, version(copy.path)) == ("migration", SCHEMA_VERSION)
    assert content(copy.path) == before


def test_older_code_refuses_the_newer_file(
    path: Path, step: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(path, "project").close()
    monkeypatch.undo()
    with pytest.raises(StoreTooNew, match="newer Cortex"):
        Store.open(path, "project")


def steps(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many statements the step takes."""
    count = 0
    run = migrations._run

    def counting(connection: sqlite3.Connection, sql: str) -> None:
        nonlocal count
        count += 1
        run(connection, sql)

    with monkeypatch.context() as patched:
        patched.setattr(migrations, "_run", counting)
        Store.open(path, "project").close()
    return count


def test_a_step_that_fails_leaves_the_store_before_it(
    path: Path, step: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, before = path.read_bytes(), content(path)
    count = steps(path, monkeypatch)
    assert count > 5
    for at in range(count):
        path.write_bytes(old)
        left = iter(range(at))
        run = migrations._run

        def failing(
            connection: sqlite3.Connection,
            sql: str,
            left: object = left,
            run: Callable[..., None] = run,
        ) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise sqlite3.OperationalError("disk I/O error")
            run(connection, sql)

        with monkeypatch.context() as patched:
            patched.setattr(migrations, "_run", failing)
            with pytest.raises(Exception, match="disk I/O error"):
                Store.open(path, "project")
        assert (version(path), content(path)) == (SCHEMA_VERSION, before), at
    Store.open(path, "project").close()
    assert (version(path), content(path)) == (NEXT, before)


KILLED = f"""
import os, signal, sys
from cortex_core.store.store import Store
{STEP}
left, run = int(sys.argv[2]), migrations._run

def killing(*given):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    run(*given)

migrations._run = killing
Store.open(sys.argv[1], "project")
"""


def test_a_killed_migration_is_made_by_the_next_who_opens(
    path: Path,
    step: None,
    monkeypatch: pytest.MonkeyPatch,
    clean_env: Callable[..., dict[str, str]],
) -> None:
    old, before = path.read_bytes(), content(path)
    count = steps(path, monkeypatch)
    for at in range(count):
        path.write_bytes(old)
        done = subprocess.run([sys.executable, "-c", KILLED, path, str(at)], env=clean_env())
        assert done.returncode == -signal.SIGKILL
        assert (version(path), content(path)) == (SCHEMA_VERSION, before), at
        Store.open(path, "project").close()
        assert (version(path), content(path)) == (NEXT, before), at
        for tail in ("-wal", "-shm"):
            path.with_name(path.name + tail).unlink(missing_ok=True)


def test_a_store_from_before_the_ladder_is_refused_and_left_alone(path: Path) -> None:
    held = older(path).read_bytes()
    with pytest.raises(StoreUnusable, match="earlier development version") as refused:
        Store.open(path, "project")
    assert "Nothing was changed. Export it with the version of Cortex" in str(refused.value)
    assert path.read_bytes() == held
    assert not snapshots.taken(path)


def test_hooks_do_not_read_a_store_from_before_the_ladder(path: Path) -> None:
    with pytest.raises(sqlite3.DatabaseError, match="older schema"):
        open_store(str(older(path)), "project")


def test_a_snapshot_from_before_the_ladder_is_not_restored(path: Path) -> None:
    older(snapshots.take(path, "by-hand").path)
    held = path.read_bytes()
    with pytest.raises(StoreError, match=r"schema 11\)\. Nothing was changed"):
        snapshots.restore(path, 1)
    assert path.read_bytes() == held


def test_a_number_is_not_given_again(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        store = cortex.workspace.store("project")
        gone = cortex.remember("The last one")
        number = store.value("SELECT number FROM memory WHERE id = ?", (gone.id,))
        cortex.undo()
        made = cortex.remember("A new one")
        assert store.value("SELECT number FROM memory WHERE id = ?", (made.id,)) > number


def test_remember_undo_remember_redo(project: Path, clock: Clock) -> None:
    with Cortex.open(project=project, clock=clock) as cortex:
        first = cortex.remember("The billing queue retries for up to 90 seconds")
        cortex.undo()
        second = cortex.remember("Deploys go through the blue pipeline")
        (undone,) = [entry for entry in cortex.log() if entry.verb == "undo"]
        cortex.workspace.store("project").invert(undone.number, "redo")
        assert {memory.id for memory in cortex.list()} == {first.id, second.id}
        assert cortex.recall("billing").hits[0].memory.id == first.id


def test_links_taken_back_do_not_stand_in_the_way_of_others(project: Path, clock: Clock) -> None:
    with Cortex.open(project=project, clock=clock) as cortex:
        a, b, c = (
            cortex.remember(f"{word} has its own place") for word in ("Oslo", "Rome", "Bonn")
        )
        cortex.graph.link(a.id, b.id, "REQUIRES")
        cortex.undo()
        cortex.graph.link(a.id, c.id, "REQUIRES")
        (undone,) = [entry for entry in cortex.log() if entry.verb == "undo"]
        cortex.workspace.store("project").invert(undone.number, "redo")
        ends = cortex.workspace.store("project").rows(
            "SELECT target FROM edge WHERE type = 'REQUIRES'"
        )
        assert {row["target"] for row in ends} == {b.id, c.id}
