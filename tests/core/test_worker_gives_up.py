"""A worker that cannot use its store or its settings: it ends, says why once, and loses nothing."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex, worker, worker_run
from cortex_core.base import project as projects
from cortex_core.capture import spool
from cortex_core.doctor import examine
from cortex_core.hook_events import answering, worker_start
from cortex_core.store import opening, write_queue
from tests import locking
from tests.core.test_worker import contents, session, sessions, spool as record_of

__all__ = ["sessions"]

Repair = Callable[[], object]


def folder(store: Path) -> Repair:
    sound = store.rename(store.with_name("sound"))
    store.mkdir()

    def repair() -> None:
        store.rmdir()
        sound.rename(store)

    return repair


def no_database(store: Path) -> Repair:
    sound = store.read_bytes()
    store.write_bytes(b"no database" * 400)
    return lambda: store.write_bytes(sound)


def cut_off(store: Path) -> Repair:
    sound = store.read_bytes()
    with store.open("r+b") as file:
        file.truncate(9000)
    return lambda: store.write_bytes(sound)


def of_another_program(store: Path) -> Repair:
    sound = store.read_bytes()
    store.write_bytes(b"")
    with closing(sqlite3.connect(store)) as other:
        other.execute("CREATE TABLE songs (title)")
        other.commit()
    return lambda: store.write_bytes(sound)


def mistake_in_settings(store: Path) -> Repair:
    settings = store.with_name("config.toml")
    settings.write_text("[surface\n")
    return settings.unlink


def held(store: Path) -> Repair:
    """In rollback mode, with exclusive locking."""
    other = sqlite3.connect(store, isolation_level=None)
    for pragma in ("journal_mode = delete", "locking_mode = exclusive"):
        other.execute(f"PRAGMA {pragma}")
    other.execute("BEGIN EXCLUSIVE")
    return other.close


WHY: dict[Callable[[Path], Repair], str] = {
    folder: "is a folder",
    no_database: "is damaged",
    cut_off: "is damaged",
    of_another_program: "is a database of another program",
    mistake_in_settings: "not valid TOML",
    held: "is locked by another process",
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_run, "SETTLE_INTERVAL", 0.01)
    monkeypatch.setattr(worker, "DEADLINE", 2.0)
    monkeypatch.setattr(opening, "BUSY_MS", 20)
    monkeypatch.setitem(opening._PRAGMAS, "busy_timeout", 20)


@pytest.fixture
def store(project: Path) -> Path:
    with Cortex.open(project) as cortex:
        cortex.remember("Use pnpm, never npm")
    return project / ".memory" / "cortex.db"


def logged(store: Path) -> list[str]:
    log = store.with_name("cortex.log")
    return log.read_text().splitlines() if log.exists() else []


def started(project: Path) -> str:
    """What a session's start says to the user."""
    payload = {
        "hook_event_name": "SessionStart",
        "cwd": str(project),
        "source": "startup",
        "session_id": "a",
    }
    answer = answering.answer("", json.dumps(payload).encode())
    return str(json.loads(answer).get("systemMessage", "")) if answer else ""


@pytest.mark.parametrize("harm", list(WHY))
def test_it_ends_says_why_once_and_the_session_is_learned_later(
    project: Path,
    store: Path,
    sessions: Path,
    harm: Callable[[Path], Repair],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repair = harm(store)
    before = store.read_bytes() if store.is_file() else b""
    record = record_of(project, session(project).write(sessions), "SessionEnd")
    runs = []
    monkeypatch.setattr(
        worker_run, "work", lambda *given, real=worker_run.work: runs.append(real(*given))
    )
    for _ in range(2):
        assert worker.main(["--project", str(project)]) == 0
    assert not runs
    assert record.exists()
    (line,) = logged(store)
    assert WHY[harm] in line
    assert "Traceback" not in line
    found = projects.find(explicit=str(project))
    assert WHY[harm] in spool.problem(found)
    (check,) = (one for one in examine.CHECKS if one.name == "worker")
    (result,) = examine.run(project, checks=[check])
    assert (result.state, WHY[harm] in result.sentence) == ("failed", True)
    monkeypatch.setattr(worker_start, "start_worker", lambda _project: True)
    assert (WHY[harm] in started(project)) is (harm is not held)
    if harm is not mistake_in_settings:  # which leaves the ledger in order
        assert (store.read_bytes() if store.is_file() else b"") == before
    repair()
    assert not spool.problem(found, lasting=True)
    assert started(project) == ""
    assert worker.main(["--project", str(project)]) == 0
    assert spool.problem(found) == ""
    assert any("make ship" in content for content in contents(project))
    assert not record.exists()


def test_it_waits_for_a_store_that_another_process_holds(
    project: Path, store: Path, sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(opening._PRAGMAS, "busy_timeout", 600_000)
    record_of(project, session(project).write(sessions), "SessionEnd")
    with locking.held(store):
        working = threading.Thread(target=worker.main, args=(["--project", str(project)],))
        working.start()
        while not store.with_name(store.name + write_queue.QUEUE).exists():  # it waits in the queue
            time.sleep(0.01)
    working.join()
    assert any("make ship" in content for content in contents(project))
    assert not logged(store)


def test_where_the_store_can_be_written_the_ledger_says_so(project: Path, store: Path) -> None:
    repair = mistake_in_settings(store)
    for _ in range(2):
        worker.main(["--project", str(project)])
    repair()
    with Cortex.open(project) as cortex:
        (entry,) = cortex.sessions.ledger()
        assert (entry.event, "not valid TOML" in entry.error) == ("Worker", True)
        assert not cortex.status().problem


def test_the_status_says_so(project: Path, store: Path) -> None:
    with Cortex.open(project) as cortex:
        mistake_in_settings(store)
        worker.main(["--project", str(project)])
        assert "not valid TOML" in cortex.status().problem
        assert any("Capture did not work" in sentence for sentence in cortex.status().degraded)


def test_a_disk_that_is_full_is_said_in_one_sentence(
    project: Path, store: Path, sessions: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    """Files may not grow beyond a size at which a store can be opened and nothing captured: the
    disk is full within a transaction, and then its rollback fails as well."""
    record = record_of(project, session(project).write(sessions), "SessionEnd")
    size = 65_536
    done = subprocess.run(
        [sys.executable, "-m", "cortex_core.worker", "--project", str(project)],
        env=clean_env(PYTHONDONTWRITEBYTECODE="1"),  # bytecode may be cut off as well
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert record.exists()
    assert [line[21:] for line in logged(store)] == [
        f"worker: {spool.problem(projects.find(explicit=str(project)))}"
    ]
    assert "Check that the disk has room" in logged(store)[0]
    worker.main(["--project", str(project)])
    assert any("make ship" in content for content in contents(project))
