"""Conversations are kept as sessions are captured: what of them, once, whatever interrupts it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.archive.archive import Archive
from cortex_core.base.errors import NotFound, StoreUnusable, UsageError
from cortex_core.records.conversation import Message
from tests.conftest import Clock
from tests.core import killing
from tests.transcript_samples import Sample

CODE = "\n".join(f"line {number} of the program" for number in range(9))
ASKED = {
    "questions": [
        {
            "question": "Which database?",
            "header": "Store",
            "options": [{"label": "SQLite"}, {"label": "Postgres"}],
        }
    ]
}


def session(project: Path, name: str = "kept", day: int = 2) -> Sample:
    """A session with one of everything that is kept, and of what is not."""
    start = datetime(2026, 11, day, 9, tzinfo=UTC)
    return (
        Sample(name, cwd=str(project), branch="trunk", start=start)
        .human("Why does the tunnel die? <private>my sister's wedding</private>")
        .assistant(f"It loses its lease.\n```python\n{CODE}\n```\nRun ```make tunnel``` again.")
        .tool("Bash", {"command": "make tunnel\nsleep 1"}, "Exit code 2\nno lease", failed=True)
        .tool("Edit", {"file_path": f"{project}/src/tunnel.py", "new_string": CODE}, "ok")
        .tool("Edit", {"file_path": f"{project}/src/tunnel.py", "new_string": "x"}, "ok")
        .tool("Bash", {"command": "git commit -am 'Renew'"}, "[trunk 1a2b3c4] Renew the lease")
        .tool("AskUserQuestion", ASKED, "", outcome={"answers": {"Which database?": "SQLite"}})
        .tool("Agent", {"description": "Look at leases", "prompt": "Look"}, "Leases end at noon.")
        .tool("Agent", {"description": "Look again", "prompt": "Look"}, "it broke", failed=True)
        .compaction("1. Primary Request: the tunnel.")
        .human("The password is hunter2-Xk29vLq8Zt, keep it.")
    )


def said(cortex: Cortex, name: str) -> list[tuple[str, str]]:
    """Kinds and texts of a conversation."""
    text = cortex.sessions.archive.read(Sample(name).session)
    return [(message.kind, message.text) for message in text.messages]


def captured(cortex: Cortex, sample: Sample, folder: Path, *, final: bool = True) -> Path:
    """The transcript of `sample`, captured as the worker does."""
    path = folder / f"{sample.session}.jsonl"
    sample.write(path)
    cortex.sessions.capture(path, event="Stop", final=final)
    return path


def test_a_conversation_is_called_what_its_session_is_called(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    sample = session(project)
    captured(cortex, sample, tmp_path, final=False)
    (found,) = cortex.sessions.archive.list()
    assert found.title == "Why does the tunnel die?"

    sample.raw({"type": "ai-title", "aiTitle": "Leases of the tunnel", "sessionId": "s"})
    captured(cortex, sample.human("Go on."), tmp_path)
    (found,) = cortex.sessions.archive.list()
    assert found.title == "Leases of the tunnel"


def test_what_was_said_is_kept_and_one_line_of_what_was_done(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    captured(cortex, session(project), tmp_path)

    words = said(cortex, "kept")

    assert words[:2] == [
        ("user", "Why does the tunnel die?"),
        (
            "agent",
            "It loses its lease.\n[python code, 9 lines]\nRun ```make tunnel``` again.",
        ),
    ]
    assert words[2:7] == [
        ("command", "make tunnel …"),
        ("edit", "src/tunnel.py"),
        ("command", "git commit -am 'Renew'"),
        ("commit", "1a2b3c4 Renew the lease"),
        ("question", "Which database? [SQLite / Postgres]"),
    ]
    assert words[7] == ("answer", "Which database? → SQLite")
    assert words[8] == ("report", "Leases end at noon.")
    assert [kind for kind, _ in words[9:]] == ["summary", "user"]
    assert "hunter2" not in str(words)


def test_a_conversation_says_when_where_and_by_whom(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    captured(cortex, session(project), tmp_path)

    (one,) = cortex.sessions.archive.list()
    text = cortex.sessions.archive.read(one.session[:8])
    command, reply = text.messages[2], text.messages[1]

    assert (one.title, one.branch, one.folder) == (
        "Why does the tunnel die?",
        "trunk",
        str(project),
    )
    assert (one.turns, one.messages, one.commits) == (2, 11, 1)
    assert one.started is not None
    assert one.started < (one.ended or 0)
    assert command.succeeded is False
    assert reply.uuid
    assert reply.offset > 0
    assert reply.model == one.model != ""


def test_the_words_that_waited_in_the_queue_are_kept_once(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    sample = Sample("queue", cwd=str(project)).human("Start.")
    waiting = {"type": "queue-operation", "operation": "enqueue", "sessionId": sample.session}
    sample.raw({**waiting, "content": "Use tabs.", "timestamp": "2026-11-02T09:01:00.000Z"})
    sample.human("Use tabs.").human("Start.")

    captured(cortex, sample, tmp_path)

    cortex.sessions.replay(sample.session)
    assert [text for _, text in said(cortex, "queue")] == ["Start.", "Use tabs.", "Start."]


def test_in_parts_it_is_as_in_one_go(cortex: Cortex, project: Path, tmp_path: Path) -> None:
    sample = session(project)
    path = tmp_path / f"{sample.session}.jsonl"
    lines = sample.lines()
    for number in range(1, len(lines) + 1):
        path.write_bytes(b"".join(lines[:number]))
        cortex.sessions.capture(path, event="Stop", final=number == len(lines))
    in_parts = said(cortex, "kept")
    whole = session(project, "whole", day=3)

    captured(cortex, whole, tmp_path)

    assert in_parts == said(cortex, "whole")
    failed = [m.succeeded for m in cortex.sessions.archive.read(sample.session).messages]
    assert failed == [m.succeeded for m in cortex.sessions.archive.read(whole.session).messages]


def test_forks_and_second_readings_add_nothing(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    first = session(project)
    path = captured(cortex, first, tmp_path)
    fork = Sample("fork", cwd=str(project))
    for record in first.records:
        fork.raw({**record, "sessionId": fork.session})
    fork.human("Now something else.")

    captured(cortex, fork, tmp_path)
    cortex.sessions.replay(first.session)

    assert len(said(cortex, "kept")) == 11
    assert said(cortex, "fork") == [("user", "Now something else.")]
    assert cortex.sessions.archive.recorder.read_transcript(path) == 0


def test_a_capture_that_is_killed_at_any_write_loses_and_doubles_nothing(
    project: Path, tmp_path: Path
) -> None:
    sample = session(project)
    path = tmp_path / f"{sample.session}.jsonl"
    sample.write(path)

    def capture() -> None:
        with Cortex.open(project) as cortex:
            cortex.sessions.capture(path, event="Stop", final=True)

    calls = (killing.Call(Archive, "execute"), *killing.COMMITS)
    with Cortex.open(project) as cortex:
        cortex.remember("There is a store by now.")
        cortex.sessions.archive.recorder.catch_up()
    step = 1
    while killing.killed_at(step, capture, calls):
        step += 6
    assert step > 10

    with Cortex.open(project) as cortex:
        assert len(said(cortex, "kept")) == 11
        memories = [memory.content for memory in cortex.list(history=True)]
        assert len(memories) == len(set(memories))


def test_what_was_captured_before_there_was_an_archive_is_read_later(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    cortex.settings.set("archive.keep", "off")
    captured(cortex, session(project), tmp_path)
    assert cortex.sessions.archive.list() == []
    cortex.settings.set("archive.keep", "forever")

    added = cortex.sessions.archive.recorder.catch_up()

    assert added == 11
    assert cortex.sessions.archive.recorder.catch_up() == 0
    assert len(cortex.list(history=True)) > 0


def test_ignored_folders_are_not_kept(cortex: Cortex, project: Path, tmp_path: Path) -> None:
    cortex.settings.set("capture.ignore", [str(project / "clients")])
    sample = Sample("client", cwd=str(project / "clients")).human("The client's name is a secret.")

    captured(cortex, sample, tmp_path)

    with pytest.raises(NotFound):
        said(cortex, "client")


def test_lists_are_filtered(cortex: Cortex, project: Path, tmp_path: Path) -> None:
    captured(cortex, session(project), tmp_path)
    captured(cortex, Sample("later", cwd=str(project), pause=9e5).human("Hello again."), tmp_path)
    archive = cortex.sessions.archive

    def titles(**wanted: str) -> list[str]:
        return [each.title for each in archive.list(**wanted)]  # type: ignore[arg-type]

    assert titles() == ["Hello again.", "Why does the tunnel die?"]
    for wanted in (
        {"branch": "trunk"},
        {"file": "tunnel.py"},
        {"file": "src/*.py"},
        {"file": f"{project}/src/tunnel.py"},
        {"file": "./src/tunnel.py"},
        {"commit": "1A2B3"},
        {"commit": "1a2b3c4d5e6f7"},
        {"until": "2026-11-03"},
    ):
        assert titles(**wanted) == ["Why does the tunnel die?"], wanted
    assert titles(since="2026-11-10") == ["Hello again."]
    for wanted in (
        {"file": "unnel.p"},
        {"commit": "1a2b3c5d5e6f7"},
        {"commit": "%"},
        {"file": "src/_unnel.py"},
        {"branch": "\ud800"},
        {"file": "\ud800"},
    ):
        assert titles(**wanted) == [], wanted


def test_a_session_is_named_by_the_beginning_of_its_id(cortex: Cortex, project: Path) -> None:
    for name in ("no-such-session", "half a \ud800"):
        with pytest.raises(NotFound, match="cortex sessions"):
            cortex.sessions.archive.read(name)


def test_no_name_from_outside_has_a_secret_or_moves_the_cursor(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    key = "ghp_" + "x7Kp2mQ9vR4tL8wZ" * 2 + "aB3d"
    sample = Sample("names", cwd=str(project), branch="red\x1b[2J\u202e")
    sample.human("Hello.", uuid=key).assistant("Hi.", uuid=f"{key}2")
    sample.tool(
        "AskUserQuestion", {**ASKED, f"{key}3": 1}, "", outcome={"answers": {"Which?": key}}
    )
    captured(cortex, sample, tmp_path)

    (one,) = cortex.sessions.archive.list(branch="red")
    words = cortex.sessions.archive.read(one.session)
    assert len(words.messages) == 4 and "[redacted" in words.messages[0].uuid
    for path in (project / ".memory").glob("archive.db*"):
        assert key[4:].encode() not in path.read_bytes()


def test_what_was_learned_from_a_message_is_named_with_it(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    sample = Sample("rule", cwd=str(project)).human(
        "Remember: from now on always use pnpm, never npm."
    )
    captured(cortex, sample, tmp_path)

    text = cortex.sessions.archive.read(sample.session)

    prompt: Message = text.messages[0]
    (memory,) = text.learned[prompt.uuid]
    assert "pnpm" in cortex.show(memory).content
    assert text.conversation.memories >= 1


def test_a_damaged_archive_costs_no_memory(
    cortex: Cortex, project: Path, tmp_path: Path, clock: Clock
) -> None:
    cortex.remember("There is a store by now.")
    (project / ".memory" / "archive.db").write_bytes(b"no database at all" * 100)

    captured(
        cortex,
        Sample("x", cwd=str(project)).human("Remember: always use pnpm, never npm, here."),
        tmp_path,
    )

    assert any("pnpm" in memory.content for memory in cortex.list())
    assert "archive" in (project / ".memory" / "cortex.log").read_text()


def test_the_file_is_private(cortex: Cortex, project: Path, tmp_path: Path) -> None:
    captured(cortex, session(project), tmp_path)
    file = project / ".memory" / "archive.db"

    assert file.stat().st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(file)) as found:
        assert found.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_days_are_a_number_or_a_word(cortex: Cortex) -> None:
    for value in ("90", "forever", "off"):
        cortex.settings.set("archive.keep", value)
    for wrong in ("0", "soon", "99999999"):
        with pytest.raises(UsageError, match=r"archive\.keep"):
            cortex.settings.set("archive.keep", wrong)


def test_the_ledger_has_the_titles_of_sessions(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    captured(cortex, session(project), tmp_path)
    (entry,) = cortex.sessions.ledger()

    assert entry.title == "Why does the tunnel die?"


def test_a_damaged_archive_stops_no_import(cortex: Cortex, project: Path, tmp_path: Path) -> None:
    path = captured(cortex, session(project), tmp_path)
    cortex.close()
    for tail in ("", "-wal", "-shm"):
        file = project / ".memory" / f"archive.db{tail}"
        file.write_bytes(b"no database at all" * 100) if file.exists() else None
    other = Sample("other", cwd=str(project), pause=4.0).human(
        "Remember: always use pnpm, never npm, here."
    )

    with Cortex.open(project) as again:
        paths = [path, other.write(tmp_path / "other.jsonl")]
        done = again.exchange.import_transcripts(paths)
        assert any("pnpm" in memory.content for memory in again.list())
        assert done.refused["conversation not kept"] == 1


def test_no_archive_is_made_beside_a_store_that_replaced_the_open_one(project: Path) -> None:
    with Cortex.open(project) as before:
        before.remember("Deploys go out on Tuesday")
        shutil.rmtree(project / ".memory")
        with Cortex.open(project) as after:
            after.remember("Deploys go out on Friday")
            with pytest.raises(StoreUnusable, match="was replaced"):
                before.sessions.archive.files.archive("project")
            assert after.sessions.archive.count() == 0
