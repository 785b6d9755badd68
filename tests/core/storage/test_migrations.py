"""Older stores climb the ladder whole: `version-1.db.gz` was written by Cortex at schema version 1.

It holds memories of every status, links, proposals, verdicts, vectors, receipts, a ledger, two
memories in the trash, and a journal in which things were undone and done again while row numbers
were still used twice: number 13 was a memory in the trash, one that was taken back, and one that is
there.
"""

from __future__ import annotations

import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base import scripts
from cortex_core.base.errors import StoreTooNew, UndoConflict
from cortex_core.base.project import find
from cortex_core.store import migrations, models, revisions, snapshots, trust
from cortex_core.store.reader import SCHEMA_VERSION
from cortex_core.store.store import Store
from cortex_core.store.surface_reader import open_store
from tests.conftest import Clock

OLD = gzip.decompress(Path(__file__).with_name("version-1.db.gz").read_bytes())

TABLES = (
    "memory",
    "source",
    "embedding",
    "edge",
    "proposal",
    "cursor",
    "seen",
    "ledger",
    "receipt",
    "verdict",
    "trash",
    "journal",
    "journal_row",
    "meta",
)


@pytest.fixture
def path(project: Path) -> Path:
    """A project's store, as version 1 left it."""
    made = project / ".memory" / "cortex.db"
    made.parent.mkdir(mode=0o700, exist_ok=True)
    made.write_bytes(OLD)
    return made


@pytest.fixture
def cortex(path: Path, project: Path, clock: Clock) -> Cortex:
    """Cortex on that store."""
    clock.advance(days=1)
    with closing(sqlite3.connect(path)) as connection:
        identity = connection.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()[0]
    trust.grant(find(str(project)), identity)
    return Cortex.open(project=project, clock=clock)


def content(path: Path) -> dict[str, object]:
    """Every row by the columns that there are now, and what the indexes hold of words with blanks.

    What version 10 adds for others, `test_any_part_of_a_name_is_found` finds.
    """
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        found: dict[str, object] = {}
        for table in TABLES:
            rows = [dict(row) for row in connection.execute(f'SELECT * FROM "{table}"')]
            for row in rows:
                if table == "memory" and "giving" in row:
                    row["inject"] = row.pop("giving")
                if table == "memory":
                    row["context"] = row["context"].partition("\n")[0]
                    row.setdefault("claimed", 0)
                    row.setdefault("withheld", 0)
                    row.setdefault("triggers", "[]")
                    row.setdefault("triggers_by", "")
                    row.setdefault("guard", "remind")
                    row.setdefault("outdated", "")
                if table == "memory" and "looks" not in row:
                    row["looks"] = row["access_count"]
                    used = connection.execute(
                        "SELECT count(DISTINCT session), max(time) FROM receipt "
                        "WHERE memory = ? AND used = 1",
                        (row["id"],),
                    )
                    row["access_count"], row["last_access"] = used.fetchone()
                if table == "journal":
                    row.setdefault("origin", None)
                    row.setdefault("spans", None)
                    row.setdefault("machine", None)
                    row.setdefault("stamp", None)
            found[table] = sorted(rows, key=lambda row: repr(sorted(row.items())))
        for terms in ("stem", "word"):
            counted = connection.execute(f"SELECT term, doc, cnt FROM {terms} ORDER BY term")
            found[terms] = [tuple(row) for row in counted if not scripts.is_run(row["term"])]
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


def test_nothing_is_lost_on_the_way_to_the_newest_version(path: Path) -> None:
    before = content(path)
    assert (version(path), is_sound(path)) == (1, True)
    Store.open(path, "project").close()
    assert content(path) == before
    assert (version(path), is_sound(path)) == (SCHEMA_VERSION, True)


def test_an_older_store_becomes_what_a_new_one_is(path: Path) -> None:
    Store.open(path, "project").close()
    asked = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    made = [tuple(row) for row in models.in_memory().execute_sql(asked)]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(asked).fetchall() == made


def test_a_snapshot_is_taken_first(path: Path) -> None:
    before = content(path)
    Store.open(path, "project").close()
    (copy,) = snapshots.taken(path)
    assert (copy.why, version(copy.path), content(copy.path)) == ("migration", 1, before)


@pytest.mark.parametrize("part", ["東京支店", "東京", "京支", "店"])
def test_any_part_of_a_name_is_found(cortex: Cortex, part: str) -> None:
    (hit,) = cortex.recall(part, mode="keyword").hits
    assert hit.memory.title.endswith("東京支店")


def test_what_was_stored_is_found_and_shown(cortex: Cortex) -> None:
    assert [hit.memory.title for hit in cortex.recall("blue pipeline").hits][:1] == [
        "Deploys go through the blue pipeline, never by hand"
    ]
    assert {hit.memory.title for hit in cortex.recall("東京支店", mode="keyword").hits} == {
        "Le café du coin s’appelle « Chez Zoë » — 東京支店"
    }
    statuses = {memory.status for memory in cortex.workspace.store("project").select()}
    assert statuses == {"active", "superseded", "archived", "suggested", "quarantined"}
    assert len(cortex.trash.list()) == 2
    assert "blue pipeline" in cortex.surface().text
    assert "Lunch is at noon" not in cortex.surface().text


def test_changes_of_an_older_schema_are_taken_back_and_made_again(cortex: Cortex) -> None:
    store = cortex.workspace.store("project")
    named = {title: id for id, title in store.rows("SELECT id, title FROM memory")}
    last = named["This one is the last"]

    def policy() -> str:
        return str(store.value("SELECT inject FROM memory WHERE id = ?", (last,)))

    assert policy() == "never"
    cortex.undo()
    assert policy() == "normal"
    cortex.redo()
    assert policy() == "never"
    lunch = named["Lunch is at noon"]
    (changed,) = [
        change
        for revision in revisions.of_memory(store, lunch)
        for change in revision.fields
        if change.after == "never"
    ]
    assert (changed.name, changed.before) == ("inject", "normal")


def test_every_change_of_an_older_journal_is_taken_back_one_after_the_other(
    cortex: Cortex,
) -> None:
    store = cortex.workspace.store("project")
    undone = 0
    while entry := store.last("undo"):
        store.invert(entry.number, "undo")
        undone += 1
    assert undone > 25
    left = {title for (title,) in store.rows("SELECT title FROM memory")}
    assert not left
    for _ in range(undone):
        again = store.last("redo")
        assert again is not None
        store.invert(again.number, "redo")
    assert store.value("SELECT inject FROM memory WHERE title = 'Lunch is at noon'") == "never"
    assert is_sound(store.path)


def test_what_lies_in_the_trash_comes_back_though_its_number_was_given_again(
    cortex: Cortex,
) -> None:
    store = cortex.workspace.store("project")
    for item in cortex.trash.list():
        cortex.restore(item.id)
    assert not cortex.trash.list()
    found = store.rows("SELECT inject, status FROM memory WHERE title LIKE 'A memory that went%'")
    assert {row["inject"] for row in found} == {"normal", "demoted"}
    numbers = [number for (number,) in store.rows("SELECT number FROM memory")]
    assert len(numbers) == len(set(numbers)) == 15
    assert is_sound(store.path)


def test_a_number_is_not_given_again(cortex: Cortex) -> None:
    store = cortex.workspace.store("project")
    highest = store.value("SELECT max(number) FROM memory")
    with closing(sqlite3.connect(":memory:")):
        kept = store.rows(
            "SELECT json_extract(before, '$.number') AS number FROM journal_row "
            "WHERE \"table\" = 'memory' AND after IS NULL"
        )
    taken = max(highest, *(row["number"] for row in kept))
    made = cortex.remember("A new one")
    assert store.value("SELECT number FROM memory WHERE id = ?", (made.id,)) > taken


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


def test_hooks_read_an_older_store_as_it_is(path: Path) -> None:
    reader = open_store(str(path), "project")
    assert reader is not None
    with reader:
        titles = {row.title for row in reader.select("inject = 'never' ORDER BY number")}
        assert titles == {"Lunch is at noon", "This one is the last"}
        assert reader.rows(
            "SELECT m.number FROM memory m NOT INDEXED JOIN memory_fts f ON f.rowid = m.number "
            "WHERE memory_fts MATCH 'pipeline'"
        )
    assert version(path) == 1


def test_older_code_refuses_the_newer_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(path, "project").close()
    monkeypatch.setattr("cortex_core.store.store.SCHEMA_VERSION", 1)
    monkeypatch.setattr(migrations, "SCHEMA_VERSION", 1)
    with pytest.raises(StoreTooNew, match="newer Cortex"):
        Store.open(path, "project")


def steps(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many statements the whole ladder takes."""
    count = 0
    run = migrations._run

    def counting(*given: object) -> None:
        nonlocal count
        count += 1
        run(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(migrations, "_run", counting)
        Store.open(path, "project").close()
    return count


def test_a_step_that_fails_leaves_the_store_before_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(path)
    count = steps(path, monkeypatch)
    assert count > 30
    for at in range(count):
        path.write_bytes(OLD)
        left = iter(range(at))
        run = migrations._run

        def failing(*given: object, left: object = left, run: Callable[..., None] = run) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise sqlite3.OperationalError("disk I/O error")
            run(*given)

        with monkeypatch.context() as patched:
            patched.setattr(migrations, "_run", failing)
            with pytest.raises(Exception, match="disk I/O error"):
                Store.open(path, "project")
        assert version(path) in range(1, SCHEMA_VERSION) and content(path) == before, at
    Store.open(path, "project").close()
    assert (version(path), content(path)) == (SCHEMA_VERSION, before)


KILLED = """
import os, signal, sys
from cortex_core.store import migrations
from cortex_core.store.store import Store

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
    path: Path, monkeypatch: pytest.MonkeyPatch, clean_env: Callable[..., dict[str, str]]
) -> None:
    before = content(path)
    count = steps(path, monkeypatch)
    for at in [*range(0, count, 4), count - 1]:
        path.write_bytes(OLD)
        done = subprocess.run([sys.executable, "-c", KILLED, path, str(at)], env=clean_env())
        assert done.returncode == -signal.SIGKILL
        assert version(path) in range(1, SCHEMA_VERSION) and content(path) == before, at
        Store.open(path, "project").close()
        assert (version(path), content(path)) == (SCHEMA_VERSION, before), at
        for tail in ("-wal", "-shm"):
            path.with_name(path.name + tail).unlink(missing_ok=True)


def test_an_undo_of_an_older_store_that_would_overwrite_is_refused(cortex: Cortex) -> None:
    store = cortex.workspace.store("project")
    (undone,) = [
        entry for entry in cortex.log(limit=100) if "taken back" in entry.label and entry.undoes
    ]
    before = content(store.path)
    with pytest.raises(UndoConflict):
        store.invert(undone.number, "redo")
    after = content(store.path)
    assert json.dumps(after["memory"], default=str) == json.dumps(before["memory"], default=str)
