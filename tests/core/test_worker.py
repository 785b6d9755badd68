"""The worker on real stores and transcripts: drains the spool, sweeps, survives being killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest

from cortex_core import Cortex, worker, worker_run
from cortex_core.agents.claude.places import slug
from cortex_core.base import hook_io, project as projects, trust
from cortex_core.store import leftovers
from tests.conftest import Clock, made
from tests.core.killing import FILES, WRITES, killed_at, spread, steps_of
from tests.transcript_samples import Sample

REMEMBERED = "Remember that releases go out through `make ship`, which tags first."
COMMIT = (
    "git commit -m 'fix(auth): limit logins to five a minute per address' "
    "-m 'A sliding window counts in Redis, since three instances share the load.'"
)
DONE = "[main 4f2c9a1] fix(auth): limit logins to five a minute per address\n 2 files changed"

Environment = Callable[..., dict[str, str]]


def session(project: Path, name: str = "one") -> Sample:
    """A session with two things worth keeping."""
    return (
        Sample(name, cwd=str(project))
        .human(REMEMBERED)
        .assistant("Noted.")
        .tool("Bash", {"command": COMMIT}, DONE)
        .assistant("The limiter is in.")
    )


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transcripts are looked at again at once: nobody writes to them meanwhile."""
    monkeypatch.setattr(worker_run, "SETTLE_INTERVAL", 0.01)


@pytest.fixture
def sessions(scratch_home: Path, project: Path) -> Path:
    """The client's folder for this project's sessions."""
    folder = scratch_home / ".claude" / "projects" / slug(str(project))
    folder.mkdir(parents=True)
    return folder


def spool(project: Path, path: Path, event: str = "Stop", **fields: object) -> Path:
    """A hook's record, as hooks write it."""
    found = projects.find(explicit=str(project))
    projects.prepare(found)
    folder = Path(projects.folder(found, "spool"))
    record = folder / f"{time.time_ns()}-1-{event}.json"
    record.write_text(
        json.dumps(
            {
                "event": event,
                "session": path.stem,
                "transcript": str(path),
                "cwd": str(project),
                "time": time.time(),
                "mark": trust.token(found.data, found.note),
                **fields,
            }
        ),
    )
    return record


def contents(project: Path) -> list[str]:
    """What is kept, in order of its words."""
    with Cortex.open(project) as cortex:
        return sorted(memory.content for memory in cortex.list(history=True))


def test_a_spooled_session_is_captured_once(project: Path, sessions: Path) -> None:
    path = session(project).write(sessions)
    record = spool(project, path, "SessionEnd")
    assert worker.main(["--project", str(project)]) == 0
    kept = contents(project)
    assert any("make ship" in content for content in kept)
    assert any("five a minute" in content for content in kept)
    assert not record.exists()
    spool(project, path, "SessionEnd")
    worker.main(["--project", str(project)])
    assert contents(project) == kept
    with Cortex.open(project) as cortex:
        assert cortex.status().pending_embeddings == 0
        entries = cortex.sessions.ledger()
        captured = [entry for entry in entries if entry.extractor]
        assert captured[-1].stored == len(kept)
        assert captured[-1].bytes_read == path.stat().st_size
        assert [entry.event for entry in entries if not entry.extractor] == ["SessionEnd"] * 2


def test_a_session_is_read_at_its_own_stop_though_an_agent_of_it_stops(
    project: Path, sessions: Path
) -> None:
    own = session(project).write(sessions)
    agent = sessions / "agent-a1.jsonl"
    agent.write_text("", encoding="utf-8")
    spool(project, own, "Stop")
    spool(project, own, "SubagentStop", transcript=str(agent), agent="a1")
    worker.main(["--project", str(project)])
    with Cortex.open(project) as cortex:
        read = [entry for entry in cortex.sessions.ledger(20) if entry.stored]
    assert [(Path(entry.transcript).name, entry.event) for entry in read] == [(own.name, "Stop")]


def test_a_growing_transcript_is_read_on_from_where_it_was(project: Path, sessions: Path) -> None:
    whole = session(project)
    path = sessions / f"{whole.session}.jsonl"
    lines = whole.lines()
    for count in range(1, len(lines) + 1):
        torn = lines[count][:40] if count < len(lines) else b""
        path.write_bytes(b"".join(lines[:count]) + torn)
        spool(project, path, "SessionEnd" if count == len(lines) else "Stop")
        worker.main(["--project", str(project)])
    pieces = contents(project)
    assert len(pieces) == len(set(pieces))
    assert any("make ship" in content for content in pieces)
    assert any("five a minute" in content for content in pieces)


def test_a_record_of_a_while_ago_is_not_waited_for(
    project: Path, sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("cortex_core.worker.time.sleep", waits.append)
    path = session(project).write(sessions)
    spool(project, path, time=time.time() - worker_run.SETTLE)
    worker.main(["--project", str(project)])
    assert any("make ship" in content for content in contents(project))
    assert worker_run.SETTLE_INTERVAL not in waits


def test_a_session_whose_hooks_never_fired_is_swept(project: Path, sessions: Path) -> None:
    session(project).write(sessions)
    worker.main(["--project", str(project)])
    assert any("make ship" in content for content in contents(project))


def test_paused_nothing_is_captured(project: Path, sessions: Path) -> None:
    path = session(project).write(sessions)
    with Cortex.open(project) as cortex:
        cortex.sessions.pause()
    spool(project, path)
    worker.main(["--project", str(project)])
    assert contents(project) == []


def test_a_transcript_that_cannot_be_read_is_told_and_tried_again(
    project: Path, sessions: Path
) -> None:
    made = session(project)
    path = sessions / f"{made.session}.jsonl"
    path.mkdir()
    spool(project, path)
    worker.main(["--project", str(project)])
    with Cortex.open(project) as cortex:
        assert [bool(entry.error) for entry in cortex.sessions.ledger() if entry.extractor] == [
            True
        ]
        assert cortex.status().failures == 1
    path.rmdir()
    made.write(path)
    worker.main(["--project", str(project)])
    assert any("make ship" in content for content in contents(project))
    with Cortex.open(project) as cortex:
        assert cortex.status().failures == 0


def test_a_broken_record_is_set_aside(project: Path, sessions: Path) -> None:
    folder = made(project) / "spool"
    folder.mkdir()
    for name, text in (("1-1-Stop.json", "{"), ("2-1-Stop.json", "[]"), ("3-1-Stop.json", "")):
        (folder / name).write_text(text)
    spool(project, session(project).write(sessions))
    worker.main(["--project", str(project)])
    assert contents(project)
    assert sorted(path.suffix for path in folder.iterdir()) == [".broken"] * 3


@pytest.mark.parametrize(
    ("fields", "is_record"),
    [
        ({"transcript": "/" + "x" * 5000}, True),
        ({"transcript": "/" + "a/" * 3000 + "one.jsonl"}, True),
        ({"transcript": "/tmp/\udcff.jsonl"}, False),
        ({"session": "\ud800"}, False),
    ],
)
def test_a_record_that_leads_nowhere_keeps_no_other_from_being_read(
    project: Path, sessions: Path, fields: dict[str, str], is_record: bool
) -> None:
    record = spool(project, project, **fields)
    path = session(project).write(sessions)
    spool(project, path)
    with Cortex.open(project) as cortex:
        worker_run.work(cortex, inf)
    assert any("make ship" in content for content in contents(project))
    assert not record.exists()
    assert record.with_suffix(".broken").exists() is not is_record


def test_a_file_that_cannot_be_looked_at_keeps_no_other_from_being_swept(
    project: Path, sessions: Path
) -> None:
    (sessions / "gone.jsonl").symlink_to(sessions / "nowhere")
    (sessions / "loop.jsonl").symlink_to(sessions / "loop.jsonl")
    Path(os.fsdecode(os.fsencode(sessions) + b"/\xff.jsonl")).write_bytes(b"{}\n")
    os.mkfifo(sessions / "pipe.jsonl")
    session(project).write(sessions)
    with Cortex.open(project) as cortex:
        worker_run.work(cortex, inf)
    assert any("make ship" in content for content in contents(project))


BRIEF = (
    "import sys; from cortex_core import worker, worker_run; worker_run.SETTLE = 2.0; "
    "sys.exit(worker.main())"
)
"""A worker that waits for a transcript to catch up just long enough to meet another one."""


def _start(project: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", BRIEF, "--project", str(project)],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def test_two_workers_at_once_one_works(
    project: Path, sessions: Path, clean_env: Environment
) -> None:
    path = session(project).write(sessions)
    spool(project, path, "SessionEnd")
    running = [_start(project, clean_env()) for _ in range(2)]
    for process in running:
        output, _ = process.communicate(timeout=60)
        assert (process.returncode, output) == (0, b"")
    with Cortex.open(project) as cortex:
        assert len([entry for entry in cortex.sessions.ledger() if entry.extractor]) == 1
    assert len(contents(project)) == len(set(contents(project)))


CALLS = (*WRITES, *FILES)


@pytest.mark.parametrize("in_parts", [False, True])
def test_killed_at_any_write_nothing_is_lost_and_nothing_comes_twice(
    project: Path, sessions: Path, tmp_path: Path, in_parts: bool
) -> None:
    """In parts: the finds of the first part are pending when the worker is killed in the second."""
    whole = session(project)
    path = whole.write(sessions)

    def begin(root: Path) -> None:
        (root / ".git").mkdir(parents=True, exist_ok=True)
        if in_parts:
            path.write_bytes(b"".join(whole.lines()[:-1]))
            spool(root, path, "Stop")
            assert worker.main(["--project", str(root)]) == 0
            whole.write(sessions)
        spool(root, path, "SessionEnd")

    def work(root: Path) -> int:
        return worker.main(["--project", str(root)])

    complete = tmp_path / "complete"
    begin(complete)
    steps = steps_of(lambda: work(complete), CALLS)
    expected = contents(complete)
    assert expected
    for at in spread(steps, 3 if in_parts else 5):
        root = tmp_path / f"killed-{at}"
        begin(root)
        assert killed_at(at, lambda root=root: work(root), CALLS), at  # type: ignore[misc]
        assert worker.main(["--project", str(root)]) == 0
        assert contents(root) == expected, at
        with Cortex.open(root) as cortex:
            assert cortex.status().queue == cortex.status().pending == 0
            assert cortex.status().pending_embeddings == 0


def test_ten_captures_or_eighty_memories_make_a_consolidation_due(
    project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.settings.set("consolidation.after_new", 3)
        cortex.remember("Deploys run from the release branch only", kind="decision")
        cortex.remember("The wiki is rendered from the docs folder", kind="decision")
        worker_run.maintain(cortex)
        (store,) = (one for one in cortex.workspace.stores if one.scope == "project")
        assert store.meta("consolidated") is None
        cortex.remember("Invoices are rounded to whole cents", kind="decision")
        worker_run.maintain(cortex)
        assert store.meta("consolidated") == "3 0"


def test_a_memory_that_a_session_used_does_not_fade(project: Path, sessions: Path) -> None:
    with Cortex.open(project) as cortex:
        memory = cortex.remember("The nightly job lives in `jobs/prune_tokens.py`", kind="fact")
        other = cortex.remember("Invoices are rounded to whole cents", kind="fact")
    made = (
        Sample("user", cwd=str(project))
        .human("The cleanup did not run tonight, have a look.")
        .tool("Read", {"file_path": str(project / "jobs/prune_tokens.py")}, "import sys")
        .assistant("The job in jobs/prune_tokens.py fails on an empty table.")
    )
    path = made.write(sessions)
    given = project / ".memory" / "given"
    given.mkdir(parents=True)
    note = {
        "session": path.stem,
        "event": "SessionStart",
        "time": 1.0,
        "tokens": 40,
        "ids": [memory.id, other.id],
    }
    (given / "x.jsonl").write_text(json.dumps(note) + "\n")
    spool(project, path)
    worker.main(["--project", str(project)])
    with Cortex.open(project) as cortex:
        receipts = {one.memory: one.used for one in cortex.sessions.receipts()}
        assert receipts[memory.id] is True
        assert receipts[other.id] is None
        assert cortex.show(memory.id).reinforced > memory.reinforced
        assert cortex.show(other.id).reinforced == other.reinforced


def test_what_killed_processes_left_outside_the_store_is_removed(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with leftovers.scratch() as at_work:
        copy = tmp_path / f"cortex-{gone.pid}-ab12_3"
        (copy / ".memory").mkdir(parents=True)
        other = tmp_path / "cortex-notes-mine"
        other.mkdir()
        # Another container's process has a number that runs nowhere here.
        elsewhere = tmp_path / f"cortex-{gone.pid}-cd34_5"
        elsewhere.mkdir()
        descriptor = os.open(elsewhere / ".in-use", os.O_RDWR | os.O_CREAT)
        assert hook_io.lock(descriptor, wait=False)
        unfinished = project / ".claude" / f"cortex-memory.local.md.{gone.pid}.new"
        unfinished.parent.mkdir()
        unfinished.touch()
        mine = unfinished.with_name(f"settings.json.{gone.pid}.new")
        mine.touch()
        worker.main(["--project", str(project)])
        os.close(descriptor)
        assert not copy.exists() and elsewhere.exists()
        assert not unfinished.exists()
        assert at_work.exists()
        assert other.exists()
        assert mine.exists()
