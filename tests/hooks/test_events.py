"""Every payload that the client was seen to send: exit code, output, time, what is on disk."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.hooks.conftest import PAYLOADS, Hooks, worker_pids

SPOOLED = {"Stop", "SubagentStop", "PreCompact", "SessionEnd"}
GIVING = {"SessionStart", "UserPromptSubmit", "PreToolUse"}


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
def test_every_captured_payload(path: Path, hooks: Hooks, cortex: Cortex) -> None:
    cortex.remember("Deploys go through the blue pipeline", kind="policy")
    payload = json.loads(path.read_text())["payload"]
    event = payload["hook_event_name"]
    payload["cwd"] = str(hooks.project)
    fired = hooks.send(json.dumps(payload).encode())
    assert fired.code == 0
    if fired.out:
        assert event in GIVING
        assert set(fired.envelope) == {"hookSpecificOutput"}
        inner = fired.envelope["hookSpecificOutput"]
        assert set(inner) == {"hookEventName", "additionalContext"}
        assert inner["hookEventName"] == event
        assert fired.out.count(b"\n") == 1 and fired.out.endswith(b"}\n")
    compaction = event == "SubagentStop" and payload["agent_type"] == ""
    expected = 1 if event in SPOOLED and not compaction else 0
    assert len(hooks.records()) == expected
    assert not (hooks.project / ".memory" / "cortex.log").exists()


@pytest.mark.parametrize(
    ("source", "given"),
    [("startup", True), ("clear", True), ("compact", True), ("resume", True), ("fork", False)],
)
def test_session_start_gives_by_its_source(
    hooks: Hooks, cortex: Cortex, source: str, given: bool
) -> None:
    memory = cortex.remember("Deploys go through the blue pipeline", kind="policy")
    fired = hooks("SessionStart", source=source)
    assert ("blue pipeline" in fired.given) is given
    assert (memory.id[:8] in fired.given) is given


@pytest.mark.usefixtures("no_worker")
def test_a_record_holds_no_conversation(hooks: Hooks) -> None:
    secret = "the words of the last message"
    fired = hooks("Stop", last_assistant_message=secret, stop_hook_active=False, prompt_id="p")
    assert (fired.code, fired.out) == (0, b"")
    (record,) = hooks.records()
    assert record["event"] == "Stop" and record["session"] == "session-1"
    on_disk = b"".join(path.read_bytes() for path in hooks.project.rglob("*") if path.is_file())
    assert secret.encode() not in on_disk


@pytest.mark.usefixtures("no_worker")
def test_a_subagent_is_recorded_with_its_own_transcript(hooks: Hooks) -> None:
    hooks("SubagentStop", agent_type="Explore", agent_id="a1", agent_transcript_path="/t/a1.jsonl")
    hooks("SubagentStop", agent_type="", agent_id="a2", agent_transcript_path="/t/a2.jsonl")
    assert [(one["agent"], one["transcript"]) for one in hooks.records()] == [("a1", "/t/a1.jsonl")]


def test_what_is_written_is_private(hooks: Hooks, cortex: Cortex) -> None:
    cortex.remember("Deploys go through the blue pipeline", kind="policy")
    cortex.sessions.pause()
    hooks("SessionStart", source="startup")
    hooks("Stop")
    for path in (hooks.project / ".memory").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_paused_capture_records_nothing_but_still_gives(hooks: Hooks, cortex: Cortex) -> None:
    cortex.remember("Deploys go through the blue pipeline", kind="policy")
    cortex.sessions.pause()
    assert hooks("SessionStart", source="startup").given
    hooks("Stop", last_assistant_message="done")
    assert hooks.records() == []
    assert worker_pids(hooks.project) == []


def test_a_stop_leads_to_a_capture_and_leaves_nothing_running(hooks: Hooks) -> None:
    fired = hooks("Stop", last_assistant_message="done")
    assert fired.code == 0 and fired.out == b""
    patience = time.monotonic() + 120
    while time.monotonic() < patience and (hooks.records() or worker_pids(hooks.project)):
        time.sleep(0.1)
    assert hooks.records() == []
    assert worker_pids(hooks.project) == []
    with Cortex.open(project=hooks.project) as cortex:
        assert [entry.event for entry in cortex.sessions.ledger()] == ["Stop"]


def test_the_recursion_mark_is_seen_first(hooks: Hooks, cortex: Cortex) -> None:
    cortex.remember("Deploys go through the blue pipeline", kind="policy")
    for event in ("SessionStart", "Stop"):
        fired = hooks(event, source="startup", env={"CORTEX_CHILD": "1"})
        assert fired.code == 0 and fired.out == b""
    assert hooks.records() == []


def test_without_a_project_the_global_side_is_used(hooks: Hooks, scratch_home: Path) -> None:
    with Cortex.open(cwd=scratch_home) as cortex:
        cortex.remember("Always answer in English", kind="preference", scope="global")
        cortex.sessions.pause()
    fired = hooks("SessionStart", source="startup", cwd=str(scratch_home))
    assert "answer in English" in fired.given
    assert not (scratch_home / ".memory").exists() and not (scratch_home / ".claude").exists()
    assert not (hooks.project / ".memory").exists()


def test_the_command_word_has_to_agree(hooks: Hooks, cortex: Cortex) -> None:
    cortex.remember("Deploys go through the blue pipeline", kind="policy")
    data = json.dumps(hooks.payload("SessionStart", source="startup")).encode()
    assert hooks.send(data, arguments=("session-start",)).given
    wrong = hooks.send(data, arguments=("stop",))
    assert wrong.code == 0 and wrong.out == b""
    assert "called for Stop" in (hooks.project / ".memory" / "cortex.log").read_text()
