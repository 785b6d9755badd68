"""Outages of capture, made and found."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.base import hook_io, project as projects
from cortex_core.base.project import Project
from cortex_core.capture.spool import is_worker_running
from cortex_core.records.captures import LedgerEntry
from cortex_core.store import ledger
from tests.core.doctor.conftest import Look

HOUR = 3600.0
DAY = 86_400.0


@pytest.fixture
def session(project: Path) -> Path:
    """A transcript of this project that nobody has read."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug(str(project)))
    folder.mkdir(parents=True)
    path = folder / "5e551000-0000-4000-8000-000000000001.jsonl"
    message = {"role": "user", "content": "Always use pnpm, never npm, here."}
    record = {"type": "user", "cwd": str(project), "sessionId": path.stem, "uuid": "u1"}
    record |= {"message": message}  # type: ignore[dict-item]
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


@pytest.mark.parametrize(
    "name",
    [
        "spool",
        "worker",
        "lost-records",
        "failures",
        "log",
        "paused",
        "retention",
        "extractor",
    ],
)
def test_all_is_well_on_a_new_store(name: str, store: Path, look: Look) -> None:
    assert look(name).state == "ok", look(name)


def test_sessions_that_nobody_has_read(store: Path, session: Path, look: Look) -> None:
    found = look("last-capture")
    assert (found.state, "import transcripts" in found.next_step) == ("warning", True)


@pytest.mark.parametrize(("hours", "state"), [(0.1, "ok"), (3, "warning"), (30, "failed")])
def test_capture_that_has_fallen_silent(
    hours: float, state: str, store: Path, session: Path, project: Path, look: Look
) -> None:
    with Cortex.open(project) as cortex:
        cortex.exchange.import_transcripts()
        own = cortex.workspace.store("project")
        with own.write():
            own.execute("UPDATE ledger SET time = time - ?", (60 * HOUR,))
    with session.open("a", encoding="utf-8") as file:
        file.write("{}\n")
    age(session, hours * HOUR)
    found = look("last-capture")
    assert found.state == state, found
    assert "Last capture:" in found.sentence


def test_transcripts_about_to_be_deleted(store: Path, session: Path, look: Look) -> None:
    age(session, 25 * DAY)
    found = look("retention")
    assert (found.state, "1 unread session within 5 days" in found.sentence) == ("warning", True)


def test_a_client_that_keeps_nothing(store: Path, scratch_home: Path, look: Look) -> None:
    settings = scratch_home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"cleanupPeriodDays": 0}', encoding="utf-8")
    assert look("retention").state == "failed"


def test_records_that_no_worker_takes(
    store: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = store.parent / "spool"
    spool.mkdir(mode=0o700)
    record = spool / "00000000000000000001-1-Stop.json"
    record.write_text('{"event": "Stop", "session": "s"}', encoding="utf-8")
    age(record, 2 * HOUR)
    assert look("spool").state == "failed"
    mended = look("spool", fix=True)
    assert "Started the worker" in mended.fixed
    until = time.monotonic() + 120
    while time.monotonic() < until and (record.exists() or is_worker_running(_project(store))):
        time.sleep(0.05)
    assert not record.exists()


def _project(store: Path) -> Project:
    return projects.find(explicit=str(store.parent.parent))


def test_broken_records(store: Path, look: Look) -> None:
    spool = store.parent / "spool"
    spool.mkdir(mode=0o700)
    (spool / "00000000000000000001-1-Stop.broken").write_text("{", encoding="utf-8")
    assert look("spool").state == "warning"


def test_a_worker_that_hangs(store: Path, look: Look) -> None:
    lock = store.parent / "worker.lock"
    lock.write_text("4711\n", encoding="ascii")
    with lock.open("r+") as held:
        fcntl.flock(held.fileno(), fcntl.LOCK_EX)
        assert look("worker").state == "ok"
        age(lock, 2 * HOUR)
        found = look("worker")
    assert (found.state, "kill 4711" in found.next_step) == ("failed", True)


def test_something_in_the_place_of_the_lock(store: Path, look: Look) -> None:
    (store.parent / "worker.lock").mkdir()
    assert look("worker").state == "failed"
    assert look("worker", fix=True).state == "ok"


def test_a_lock_of_a_dead_worker_is_no_trouble(store: Path, look: Look) -> None:
    (store.parent / "worker.lock").write_text("4711\n", encoding="ascii")
    age(store.parent / "worker.lock", DAY)
    assert look("worker").state == "ok"


def test_a_hook_that_could_not_record(store: Path, project: Path, look: Look) -> None:
    lost = Path(os.environ["CORTEX_HOME"], "lost", hook_io.sha256(str(project.resolve()))[:32])
    lost.mkdir(parents=True)
    (lost / "1.json").write_text('{"error": "disk full"}', encoding="utf-8")
    found = look("lost-records")
    assert (found.state, "disk full" in found.sentence) == ("warning", True)


def test_a_capture_that_failed(store: Path, project: Path, look: Look) -> None:
    with Cortex.open(project) as cortex:
        own = cortex.workspace.store("project")
        entry = LedgerEntry(
            number=0,
            time=time.time(),
            event="Stop",
            session="5e55abcd",
            transcript="/t",
            extractor="rules",
            error="cannot be read",
        )
        with own.write():
            ledger.record(own, entry)
    found = look("failures")
    assert (found.state, "cannot be read" in found.sentence) == ("warning", True)
    assert "5e55abcd" in found.next_step


@pytest.mark.parametrize(("first", "second"), [("claude", "rules"), ("rules", "claude")])
def test_the_doctor_and_the_status_count_the_same_failures(
    first: str, second: str, store: Path, project: Path, look: Look
) -> None:
    with Cortex.open(project) as cortex:
        own = cortex.workspace.store("project")
        for extractor, error in ((first, "no answer"), (second, "")):
            entry = LedgerEntry(
                number=0,
                time=time.time(),
                event="Stop",
                session="5e55abcd",
                transcript="/t",
                extractor=extractor,
                error=error,
            )
            with own.write():
                ledger.record(own, entry)
        assert cortex.status().failures == 1
    found = look("failures")
    assert (found.state, "1 session could not be captured this week" in found.sentence) == (
        "warning",
        True,
    ), found
    assert "no answer" in found.sentence


def test_faults_in_the_log(store: Path, project: Path, look: Look) -> None:
    from cortex_core.base import log

    with Cortex.open(project) as cortex:
        log.write(cortex.project, "Stop: ValueError: no good")
    found = look("log")
    assert (found.state, "no good" in found.sentence) == ("warning", True)


def test_capture_paused(store: Path, project: Path, look: Look) -> None:
    with Cortex.open(project) as cortex:
        cortex.sessions.pause()
    assert look("paused").state == "warning"


def test_a_model_that_was_chosen_and_is_not_there(
    store: Path, project: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Cortex.open(project) as cortex:
        cortex.settings.set("extractor", "api")
    found = look("extractor")
    assert (found.state, "set to api, but there is no key in" in found.sentence) == ("failed", True)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "made-up")
    assert look("extractor").state == "ok"


def test_a_model_that_a_clone_chose_is_not_told_as_chosen(
    store: Path, project: Path, look: Look
) -> None:
    with Cortex.open(project) as cortex:
        cortex.settings.set("extractor", "api")
    subprocess.run(["git", "add", "-f", ".memory/config.toml"], cwd=project, check=True)
    found = look("extractor")
    assert (found.state, "uses rules" in found.sentence) == ("ok", True), found


def test_the_cap_that_counts_is_the_persons_own(
    store: Path, project: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "made-up")
    with Cortex.open(project) as cortex:
        cortex.settings.set("extractor", "api", "global")
        cortex.settings.set("model.daily_cap_usd", 0.25, "global")
        cortex.settings.set("model.daily_cap_usd", 99.0)
    assert "of $99 is spent" in look("extractor").sentence
    subprocess.run(["git", "add", "-f", ".memory/config.toml"], cwd=project, check=True)
    assert "of $0.25 is spent" in look("extractor").sentence


def test_guards_are_listed_with_who_set_them(project: Path, store: Path, look: Look) -> None:
    assert look("guards").sentence == "No rule keeps a tool call from running."
    with Cortex.open(project) as cortex:
        (rule,) = [one for one in cortex.list() if "pnpm" in one.content]
        cortex.memories.triggers.guard(rule.id, "deny")
    found = look("guards")
    assert (found.state, "deny by “Use pnpm" in found.sentence) == ("ok", True)
    assert "set by you on 20" in found.sentence
    assert f"cortex trigger guard {rule.id[:8]} remind" in found.next_step
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE memory SET guard = 'ask'")
    found = look("guards")
    assert (found.state, found.sentence.count("was changed, not by Cortex")) == ("failed", 2)
