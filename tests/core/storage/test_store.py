"""Stores: what is written is read back, every change is journalled and can be undone."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from cortex_core.base.errors import (
    NotFound,
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreTooNew,
    UndoConflict,
    UsageError,
)
from cortex_core.records.memory import Context, Memory, Source
from cortex_core.store import opening, rows
from cortex_core.store.journal import Change
from cortex_core.store.reader import SCHEMA_VERSION
from cortex_core.store.store import Store

NOW = 1_789_646_400.0


def made(name: str, content: str = "Staging listens on port 8443", **more: Any) -> Memory:
    """A memory called `name`."""
    base = Memory(
        id=name,
        content=content,
        title=content[:40],
        kind="fact",
        scope="project",
        created=NOW,
        updated=NOW,
        reinforced=NOW,
    )
    return replace(base, **more)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty project store with a clock that stands still."""
    return Store.open(tmp_path / ".memory" / "cortex.db", "project", clock=lambda: NOW)


def add(store: Store, *memories: Memory) -> int:
    """Add memories as one change; the entry's number."""
    with store.change("remember", "remember", "person") as change:
        for memory in memories:
            change.insert("memory", rows.to_row(memory))
        return change.number


def dump(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Everything a person would miss, to the byte, the full-text index included."""
    found = {
        table: sorted(map(tuple, store.rows(f"SELECT * FROM {table}")), key=repr)
        for table in ("memory", "source", "edge", "proposal", "verdict", "trash")
    }
    for name, terms in (("fts", "stem"), ("words", "word")):
        counted = store.rows(f"SELECT term, doc, cnt FROM {terms} ORDER BY term")
        found[name] = list(map(tuple, counted))
    return found


def test_a_memory_comes_back_as_it_went(store: Store) -> None:
    memory = made(
        "m1",
        tags=("auth", "ops"),
        priority=9,
        pinned=True,
        inject="demoted",
        globs=("src/**",),
        source=Source(
            rule="rule:commit",
            author="Ada",
            session="s1",
            position=3,
            message="u",
            offset=17,
            transcript="/t.jsonl",
            time=NOW,
        ),
        context=Context(branch="main", commit="abc", folder="/w", files=("a.py", "b/c.py")),
        access_count=4,
        last_access=NOW - 5,
        excerpt="what was said",
        origin={"type": "Note", "n": [1, None]},
        details={"steps": ["a"]},
    )
    add(store, memory)
    found = store.memories(["m1"])[0]
    names = [field.name for field in fields(Memory)]
    assert {name: getattr(found, name) for name in names} == {
        **{name: getattr(memory, name) for name in names},
        "content_hash": found.content_hash,
        "confidence": found.initial_confidence,
    }


def test_files_are_the_owners_alone(store: Store) -> None:
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700


def test_words_date_branch_and_file_names_are_indexed(store: Store) -> None:
    add(store, made("m1", context=Context(branch="feature/login", files=("src/tokens.py",))))
    for word in ("listening", "2026", "september", "login", "tokens"):
        found = store.rows("SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?", (word,))
        assert [row["rowid"] for row in found] == [1], word


def test_undo_and_redo_restore_to_the_byte(store: Store) -> None:
    add(store, made("m1"), made("m2", "Deploys run from the release branch"))
    with store.change("link", "link", "person") as change:
        change.insert("edge", {"source": "m1", "target": "m2", "type": "refines", "created": NOW})
        change.insert("source", rows.source_row("m1", Source(session="s")))
    before = dump(store)
    with store.change("edit", "edit and drop", "person") as change:
        change.update("memory", "m2", {"content": "Deploys run from main", "pinned": True})
        change.delete("memory", "m1")
        change.insert("memory", rows.to_row(made("m3", "Third")))
        number = change.number
    after = dump(store)
    assert after["edge"] == after["source"] == []
    undone = store.invert(number, "undo")
    assert dump(store) == before
    store.invert(undone.number, "redo")
    assert dump(store) == after
    store.invert(number, "undo")
    assert dump(store) == before


def test_undo_refuses_what_was_changed_since(store: Store) -> None:
    add(store, made("m1"))
    with store.change("tag", "tag", "person") as change:
        change.update("memory", "m1", {"tags": '["a"]'})
        first = change.number
    with store.change("tag", "tag again", "person") as change:
        change.update("memory", "m1", {"tags": '["b"]'})
    before = dump(store)
    with pytest.raises(UndoConflict, match="a later change"):
        store.invert(first, "undo")
    assert dump(store) == before


def test_undo_ignores_looks(store: Store) -> None:
    add(store, made("m1"))
    with store.change("pin", "pin", "person") as change:
        change.update("memory", "m1", {"pinned": True})
    store.count_looks(["m1"])
    entry = store.last("undo")
    assert entry is not None
    store.invert(entry.number, "undo")
    memory = store.memory("m1")
    assert not memory.pinned
    assert memory.looks == 1


def test_an_entry_is_undone_once(store: Store) -> None:
    number = add(store, made("m1"))
    store.invert(number, "undo")
    with pytest.raises(UndoConflict, match="already"):
        store.invert(number, "undo")
    with pytest.raises(NotFound):
        store.invert(99, "undo")
    with pytest.raises(UsageError):
        store.invert(add(store, made("m2")), "redo")


def test_a_plain_undo_leaves_the_workers_captures(store: Store) -> None:
    add(store, made("m1"))
    with store.change("capture", "learn", "worker") as change:
        change.insert("memory", rows.to_row(made("m2", "Captured")))
    entry = store.last("undo")
    assert entry is not None
    assert entry.memories == ("m1",)


def test_an_empty_change_leaves_no_entry_and_no_revision(store: Store) -> None:
    add(store, made("m1"))
    revision = store.revision
    with store.change("pin", "nothing", "person") as change:
        change.update("memory", "m1", {"pinned": False})
        change.update("memory", "nobody", {"pinned": True})
    assert store.revision == revision
    assert [entry.label for entry in store.log()] == ["remember"]


def test_a_failed_change_leaves_nothing(store: Store) -> None:
    before = dump(store)
    with (
        pytest.raises(RuntimeError),
        store.change("remember", "half", "person") as change,
    ):
        change.insert("memory", rows.to_row(made("m1")))
        raise RuntimeError
    assert dump(store) == before
    assert store.log() == []


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["pin", "edit", "drop", "add", "link"]), st.integers(0, 4)),
    min_size=1,
    max_size=8,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ACTIONS)
def test_undoing_everything_backwards_restores_everything(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("s") / "cortex.db"
    store = Store.open(path, "project", clock=lambda: NOW)
    add(store, *(made(f"m{n}", f"Thing number {n}") for n in range(3)))
    before, first = dump(store), store.log()[0].number
    for step, (action, n) in enumerate(actions):
        with store.change(action, action, "person") as change:
            _act(change, action, f"m{n}", step)
    while (entry := store.last("undo")) is not None and entry.number > first:
        store.invert(entry.number, "undo")
    assert dump(store) == before
    store.close()


def _act(change: Change, action: str, name: str, step: int) -> None:
    there = change.read("memory", name) is not None
    if action == "pin":
        change.update("memory", name, {"pinned": step % 2 == 0})
    elif action == "edit":
        change.update("memory", name, {"content": f"Edited {step}", "title": f"T{step}"})
    elif action == "drop":
        change.delete("memory", name)
    elif action == "add" and not there:
        change.insert("memory", rows.to_row(made(name, f"Added {step}")))
    elif action == "link" and there and change.edge_of("m0", name, "refines") is None:
        edge = {"source": "m0", "target": name, "type": "refines", "created": step}
        change.insert("edge", edge)


def test_ten_threads_write_at_once(store: Store) -> None:
    def write(n: int) -> None:
        add(store, made(f"t{n}", f"From thread {n}"))
        store.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.select()) == 10
    assert store.revision == 10


class TestOpening:
    """Every way a store's file can be wrong: one sentence, nothing lost."""

    def test_a_newer_schema_is_refused(self, store: Store) -> None:
        store.database.pragma("user_version", SCHEMA_VERSION + 1)
        store.close()
        with pytest.raises(StoreTooNew, match="Nothing was changed"):
            Store.open(store.path, "project")

    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        path = tmp_path / "cortex.db"
        path.write_bytes(b"not a database at all" * 100)
        with pytest.raises(StoreCorrupt, match="snapshot"):
            Store.open(path, "project")
        assert path.read_bytes().startswith(b"not a database")

    def test_a_damaged_page(self, store: Store) -> None:
        add(store, *(made(f"m{n}", f"Long text {n} " * 50) for n in range(200)))
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.close()
        raw = bytearray(store.path.read_bytes())
        raw[4096 * 3 : 4096 * 40] = b"\xff" * (4096 * 37)
        store.path.write_bytes(raw)
        with pytest.raises(StoreCorrupt):
            Store.open(store.path, "project").select()

    def test_another_programs_database(self, tmp_path: Path) -> None:
        path = tmp_path / "cortex.db"
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE theirs (x)")
        with pytest.raises(StoreCorrupt, match="another program"):
            Store.open(path, "project")

    def test_a_folder_in_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="folder"):
            Store.open(tmp_path, "project")

    def test_missing_where_it_must_exist(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError, match="no store"):
            Store.open(tmp_path / "cortex.db", "project", create=False)
        assert not (tmp_path / "cortex.db").exists()

    def test_locked_by_another_process(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            store.database.pragma("busy_timeout", 50)
            with pytest.raises(StoreLocked, match="Try again"):
                add(store, made("m1"))
            other.execute("ROLLBACK")
        add(store, made("m1"))
        assert len(store.select()) == 1

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_read_only_is_read_and_not_written(self, store: Store) -> None:
        add(store, made("m1"))
        store.close()
        store.path.chmod(0o400)
        store.path.parent.chmod(0o500)
        try:
            again = Store.open(store.path, "project")
            assert [memory.id for memory in again.select()] == ["m1"]
            with pytest.raises(StoreError, match="only be read"):
                add(again, made("m2"))
        finally:
            store.path.parent.chmod(0o700)

    def test_a_read_only_database_is_readable(self, store: Store) -> None:
        add(store, made("m1"))
        store.close()
        database = opening.connect(store.path, writable=False)
        found = database.execute("SELECT id FROM memory").fetchall()
        assert [row["id"] for row in found] == ["m1"]

    def test_a_full_disk_is_called_so(self, store: Store) -> None:
        add(store, made("m1"))
        pages = store.database.pragma("page_count")
        store.database.pragma("max_page_count", pages + 2)
        with pytest.raises(StoreError, match="disk is full"):
            add(store, made("m2", "lengthy " * 20_000))
        store.database.pragma("max_page_count", 1_000_000)
        add(store, made("m3"))
        assert [memory.id for memory in store.select()] == ["m1", "m3"]

    def test_a_truncated_log_loses_only_what_was_not_committed(self, store: Store) -> None:
        add(store, made("m1"))
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        add(store, made("m2"))
        wal = store.path.with_name("cortex.db-wal")
        cut = wal.read_bytes()[:-2000]
        store.execute("PRAGMA wal_checkpoint(PASSIVE)")
        copy = store.path.with_name("copy.db")
        copy.write_bytes(store.path.read_bytes())
        copy.with_name("copy.db-wal").write_bytes(cut)
        again = Store.open(copy, "project")
        assert "m1" in {memory.id for memory in again.select()}


def test_network_file_systems_are_told(tmp_path: Path) -> None:
    assert opening.network_file_system(tmp_path) == ""
