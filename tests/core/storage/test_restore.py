"""Restoring a snapshot: whole or not at all, whoever writes, dies or runs out of disk meanwhile."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreCorrupt, StoreError
from cortex_core.store import snapshots
from tests.conftest import made

Environment = Callable[..., dict[str, str]]

BEFORE, AFTER = "Before the snapshot", "After the snapshot"

KILLER = """
import os, signal, sys
from pathlib import Path
from cortex_core.store import leftovers, snapshots

left = int(os.environ["KILL_AT"])
def trace(frame, event, argument):
    global left
    if frame.f_code.co_filename not in (snapshots.__file__, leftovers.__file__):
        return None
    if event == "line":
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return trace
sys.settrace(trace)
snapshots.restore(Path(sys.argv[1]), 1)
sys.settrace(None)
print("steps", int(os.environ["KILL_AT"]) - left)
"""


@pytest.fixture
def store(project: Path) -> Path:
    """A store with one memory in its snapshot, and one more now."""
    with Cortex.open(project) as cortex:
        cortex.remember(BEFORE)
        cortex.snapshots.take()
        cortex.remember(AFTER)
    return project / ".memory" / "cortex.db"


def contents(store: Path) -> list[str]:
    """What the store or a snapshot of it says; it is whole."""
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return sorted(content for (content,) in connection.execute("SELECT content FROM memory"))


def names(store: Path) -> set[str]:
    """The files in the store's folder and in its folder of snapshots."""
    folders = (store.parent, snapshots.folder(store))
    return {path.name for folder in folders for path in folder.iterdir() if path.is_file()}


def run(store: Path, env: dict[str, str], limit: int | None = None) -> tuple[int, str]:
    """Restore in a process of its own; files may grow to `limit` bytes."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(store)],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=limited,
    )
    return done.returncode, done.stdout + done.stderr


def copied(store: Path, folder: Path) -> Path:
    """A copy of the store and its snapshots in `folder`."""
    snapshots.folder(folder / store.name).mkdir(parents=True)
    for path in (store, *(one.path for one in snapshots.taken(store))):
        target = folder / path.relative_to(store.parent)
        target.write_bytes(path.read_bytes())
    return folder / store.name


def test_killed_at_any_step_the_store_is_as_before_or_as_restored(
    store: Path, clean_env: Environment, tmp_path: Path
) -> None:
    whole = copied(store, tmp_path / "whole")
    code, told = run(whole, clean_env(KILL_AT="1000000"))
    assert code == 0, told
    steps = int(told.split()[1]) - 9  # some are taken only in the second of the first snapshot
    count = int(os.environ.get("CORTEX_KILLS", "7"))
    found = []
    for at in sorted({1 + (steps - 1) * n // (count - 1) for n in range(count)}):
        killed = copied(store, tmp_path / f"killed-{at}" / ".memory")
        kept = {one.path.name for one in snapshots.taken(killed)}
        assert run(killed, clean_env(KILL_AT=str(at)))[0] == -9, at
        assert kept <= {one.path.name for one in snapshots.taken(killed)}, at
        found.append(contents(killed))
        if found[-1] == [BEFORE]:
            assert contents(snapshots.taken(killed)[0].path) == [AFTER, BEFORE], at
        with Cortex.open(killed.parent.parent) as cortex:
            cortex.trust.grant()
            cortex.snapshots.restore(len(cortex.snapshots.list()))
        assert contents(killed) == [BEFORE], at
        assert not [name for name in names(killed) if "partial" in name or "restoring" in name]
    assert {tuple(each) for each in found} == {(BEFORE,), (AFTER, BEFORE)}


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_with_a_full_disk_nothing_changes(
    store: Path, clean_env: Environment, share: float
) -> None:
    """Half the size: no copy fits. The whole size: the copies fit, the log of the change not."""
    kept = [one.path for one in snapshots.taken(store)]
    limit = int(share * kept[0].stat().st_size)
    env = clean_env(KILL_AT="1000000", PYTHONDONTWRITEBYTECODE="1")  # which may be cut off as well
    code, told = run(store, env, limit)
    assert code == 1
    assert "The store and its snapshots are as they were" in told
    assert contents(store) == [AFTER, BEFORE]
    assert set(kept) <= {one.path for one in snapshots.taken(store)}
    assert not [name for name in names(store) if "partial" in name]


def test_what_others_write_meanwhile_is_in_the_store_or_in_the_snapshot(store: Path) -> None:
    """Including those who had the store open before."""
    written: list[str] = []
    stop = threading.Event()

    def write() -> None:
        with closing(sqlite3.connect(store, timeout=10, isolation_level=None)) as other:
            while not stop.wait(0.001):  # or nobody else gets the lock
                name = f"n{len(written)}"
                other.execute("INSERT INTO meta VALUES (?, '')", (name,))
                written.append(name)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(3):
        snapshots.restore(store, len(snapshots.taken(store)))
    stop.set()
    writer.join()
    kept = set()
    for path in (store, *(one.path for one in snapshots.taken(store))):
        with closing(sqlite3.connect(path)) as copy:
            kept |= {key for (key,) in copy.execute("SELECT key FROM meta")}
    assert written
    assert set(written) <= kept


def test_an_open_app_goes_on_with_the_restored_store(project: Path, store: Path) -> None:
    with Cortex.open(project) as app, Cortex.open(project) as other:
        assert len(app.list()) == 2
        revision = app.workspace.store().revision
        other.snapshots.restore(1)
        assert [memory.content for memory in app.list()] == [BEFORE]
        assert app.workspace.store().revision > revision
        app.remember("By the app")
    assert contents(store) == [BEFORE, "By the app"]


def test_numbers_are_not_given_again(project: Path, store: Path) -> None:
    with Cortex.open(project) as cortex:
        cortex.snapshots.restore(1)
        cortex.remember("New after that")
        numbers = [row["number"] for row in cortex.workspace.store().rows("SELECT * FROM memory")]
    assert sorted(numbers) == [1, 3]


def test_a_store_that_another_holds_is_left_alone(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "PATIENCE", 0.01)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="Close other programs"):
            snapshots.restore(store, 1)
    assert contents(store) == [AFTER, BEFORE]
    assert len(snapshots.taken(store)) == 1


def damaged_page(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = 'journal'"
        page = connection.execute(asked).fetchone()[0]
    with store.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)


def cut_off(store: Path) -> None:
    with store.open("r+b") as file:
        file.truncate(6000)


def no_database(store: Path) -> None:
    store.write_bytes(b"no database" * 400)


@pytest.mark.parametrize("harm", [damaged_page, cut_off, no_database, Path.unlink])
def test_a_damaged_store_is_restored_and_kept_aside(
    store: Path, harm: Callable[[Path], None]
) -> None:
    harm(store)
    left = store.read_bytes() if store.exists() else None
    snapshots.restore(store, 1)
    assert contents(store) == [BEFORE]
    assert len(snapshots.taken(store)) == 1, "no damaged copy among the snapshots"
    broken = store.with_name("cortex.db.broken")
    assert broken.exists() is (left is not None)
    if left is not None and harm is not damaged_page:
        assert broken.read_bytes() == left


def test_a_damaged_snapshot_is_refused(store: Path) -> None:
    damaged_page(snapshots.taken(store)[0].path)
    with pytest.raises(StoreError, match="is damaged"):
        snapshots.restore(store, 1)
    assert contents(store) == [AFTER, BEFORE]


def test_copies_of_a_damaged_store_drive_out_no_sound_one(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "KEEP", 2)
    sound = snapshots.taken(store)[0].path
    damaged_page(store)
    for _ in range(3):
        snapshots.take(store, "prune")
    assert sound in [one.path for one in snapshots.taken(store)]


def test_a_snapshot_of_a_held_store_ends(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "PATIENCE", 0.01)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = delete")
        other.execute("PRAGMA locking_mode = exclusive")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="Nothing was changed"):
            snapshots.take(store, "by-hand")
        with (
            closing(sqlite3.connect(store, timeout=0)) as source,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            snapshots.copy(source, store.with_name("copy.db"))


@pytest.fixture
def foreign(project: Path) -> Path:
    """A database of another program where the store would be; its schema version is one of ours."""
    path = project / ".memory" / "cortex.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE songs (title)")
        other.execute("INSERT INTO songs VALUES ('Blue')")
        other.execute("PRAGMA user_version = 2")
        other.commit()
    return path


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_of_another_program_is_never_changed(
    project: Path, foreign: Path, mode: str
) -> None:
    with closing(sqlite3.connect(foreign)) as other:
        other.execute(f"PRAGMA journal_mode = {mode}")
    before = foreign.read_bytes()
    made(project)
    snapshots.folder(foreign).mkdir()
    (snapshots.folder(foreign) / "cortex.20260101T000000.000.import.db").touch()
    with Cortex.open(project) as cortex:
        for act in (
            lambda: cortex.remember("A memory"),
            lambda: cortex.list(),
            lambda: cortex.undo(),
            lambda: cortex.snapshots.restore(1),
        ):
            with pytest.raises(StoreCorrupt, match="of another program"):
                act()
    assert foreign.read_bytes() == before
    assert sorted(path.name for path in foreign.parent.glob("*.db*")) == ["cortex.db"]


def test_what_killed_processes_left_is_removed(project: Path, store: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    folder, cache = snapshots.folder(store), store.parent / "cache"
    cache.mkdir(exist_ok=True)
    stem = "cortex.20260101T000000.00"
    left = [
        folder / f"{stem}1.import.db.{gone.pid}-0.partial",
        cache / f"vectors-project.bin.{gone.pid}-3.partial",
        store.parent / f"cortex.db.{gone.pid}-0.partial-journal",
        store.parent / f"config.toml.{gone.pid}.new",
    ]
    at_work = folder / f"{stem}4.import.db.{os.getpid()}-0.partial"
    for path in (*left, at_work):
        path.write_bytes(b"x")
        os.utime(path, (path.stat().st_mtime - 7200,) * 2)
    with Cortex.open(project) as cortex:
        cortex.list()
    assert not [path for path in left if path.exists()]
    assert at_work.exists()
