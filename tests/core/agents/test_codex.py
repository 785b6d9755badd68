"""Codex's rollouts: prompts, calls that end later, forks, sub-agents, files that move."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cortex_core.agents import transcripts
from cortex_core.agents.codex import checks, installer, reader
from cortex_core.agents.codex.reader import RolloutReader
from cortex_core.agents.codex.sessions import PART as sessions
from cortex_core.api import Cortex
from cortex_core.base import tools
from cortex_core.base.errors import TranscriptError
from cortex_core.doctor.case import Case
from cortex_core.records.as_json import to_json
from cortex_core.records.events import START, Event, uuid_key
from cortex_core.records.memory import Status
from cortex_core.records.surfaces import Receipt
from cortex_core.redaction.secrets import redact
from cortex_core.store import cursors, receipt_rows
from cortex_core.store.cursors import Cursor

THREAD = "019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603"
OTHER = "019d7e48-96e2-77a0-b4ce-607c7aba4b96"

Record = tuple[str, dict[str, Any]]


def meta(thread: str = THREAD, **fields: Any) -> Record:
    return "session_meta", {"id": thread, "cwd": "/home/dev/project", "source": "cli", **fields}


def began(turn: str) -> Record:
    return "event_msg", {"type": "task_started", "turn_id": turn}


def typed(text: str, **fields: Any) -> Record:
    return "event_msg", {"type": "user_message", "message": text, **fields}


def said(text: str, role: str = "assistant", **fields: Any) -> Record:
    content = [{"type": "output_text", "text": text}]
    return "response_item", {"type": "message", "role": role, "content": content, **fields}


def called(call: str, name: str, given: Any) -> Record:
    is_text = isinstance(given, str)
    kind = "custom_tool_call" if is_text else "function_call"
    field = {"input": given} if is_text else {"arguments": json.dumps(given)}
    return "response_item", {"type": kind, "call_id": call, "name": name, **field}


def returned(call: str, output: Any) -> Record:
    return "response_item", {"type": "function_call_output", "call_id": call, "output": output}


def write(path: Path, records: Sequence[Record], minute: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {"timestamp": f"2026-11-02T09:{minute:02}:{second:02}Z", "type": kind, "payload": payload}
        for second, (kind, payload) in enumerate(records)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def events(tmp_path: Path, *records: Record) -> list[Event]:
    with reader.read(write(tmp_path / "rollout.jsonl", (meta(), began("t"), *records))) as found:
        return list(found)


def rollout(home: Path, thread: str = THREAD, folder: str = "sessions/2026/11/02") -> Path:
    return home / folder / f"rollout-2026-11-02T10-00-00-{thread}.jsonl"


@pytest.mark.parametrize(
    ("record", "role", "text"),
    [
        (typed("Use pnpm."), "human", "Use pnpm."),
        (
            typed(
                "\n# Files mentioned by the user:\n\n## a.png: /a.png\n\n"
                "## My request for Codex:\nAdd it."
            ),
            "human",
            "Add it.",
        ),
        (typed("[Image #1] [Image #2] Align it."), "human", "Align it."),
        (typed("# Rules\nUse tabs."), "human", "# Rules\nUse tabs."),
        (typed("Implement the plan."), "synthetic", "Implement the plan."),
    ],
)
def test_prompts_are_the_users_words(tmp_path: Path, record: Record, role: str, text: str) -> None:
    (event,) = events(tmp_path, record)
    assert (event.role, event.text) == (role, text)


def test_what_the_harness_says_is_nobodys(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        said("# AGENTS.md instructions for /home/dev\nUse yarn.", "user"),
        said("<environment_context></environment_context>", "user"),
        said("Never use tabs.", "developer"),
        ("world_state", {"state": {"agents_md": {"text": "Use yarn."}}}),
        typed("Go on."),
    )
    assert [event.text for event in found] == ["Go on."]


def test_the_desktop_apps_links_and_buttons_are_taken_out(tmp_path: Path) -> None:
    answer = 'See [main.go](/home/dev/main.go#L45).\n::git-push{cwd="/home/dev"}'
    found = events(tmp_path, typed("Push."), said(answer))
    assert found[-1].text == "See main.go."


def test_a_plan_is_approved_by_its_button(tmp_path: Path) -> None:
    item = {"type": "Plan", "id": "p", "text": "# Plan\n\nUse SQLite."}
    found = events(
        tmp_path,
        typed("Plan it."),
        ("event_msg", {"type": "item_completed", "item": item}),
        said("<proposed_plan>\n# Plan\n\nUse SQLite.\n</proposed_plan>"),
        typed("Implement the plan."),
    )
    assert [(one.role, one.tool) for one in found[1:3]] == [
        ("tool_use", tools.PLAN),
        ("tool_result", tools.PLAN),
    ]
    assert found[1].input == {"plan": "# Plan\n\nUse SQLite."}
    assert found[2].input == {"approved": True}
    assert [one.role for one in found[3:]] == ["synthetic"]


def test_a_command_that_runs_on_has_one_result_when_it_ends(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        typed("Test it."),
        called("c1", "exec_command", {"cmd": "make test"}),
        returned("c1", "Process running with session ID 7\nOutput:\none\n"),
        called("c2", "write_stdin", {"session_id": 7, "chars": ""}),
        returned("c2", "Process exited with code 2\nOutput:\ntwo\n"),
    )
    use, result = found[1:]
    assert (use.tool, use.input["command"]) == (tools.SHELL, "make test")
    assert (result.tool_id, result.text, result.failed) == ("c1", "one\ntwo", True)


def test_what_code_runs_is_a_command_of_its_own(tmp_path: Path) -> None:
    item = {
        "type": "CommandExecution",
        "id": "c2",
        "command": ["/bin/bash", "-lc", "ls"],
        "cwd": "file:///home/dev/my%20app",
        "exit_code": 0,
        "aggregated_output": "a\n",
    }
    found = events(
        tmp_path,
        typed("List it."),
        called("c1", "exec", 'await tools.exec_command({cmd: "ls"})'),
        ("event_msg", {"type": "item_completed", "item": item}),
        returned("c1", "done"),
    )
    assert [(one.role, one.text or one.input.get("command"), one.cwd) for one in found[1:]] == [
        ("tool_use", "ls", "/home/dev/my app"),
        ("tool_result", "a", "/home/dev/project"),
    ]


def test_calls_have_cortexs_names(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n-y\n+z\n*** End Patch"
    asked = {"questions": [{"id": "where", "question": "Where?"}]}
    found = events(
        tmp_path,
        typed("Build it."),
        called("c1", "apply_patch", patch),
        returned("c1", '{"output":"Success."}'),
        called("c2", "update_plan", {"plan": [{"step": "look", "status": "completed"}]}),
        called("c3", "request_user_input", asked),
        returned("c3", '{"answers":{"where":{"answers":["Left"]}}}'),
        called("c4", "wait_agent", {"targets": ["a"]}),
        returned("c4", '{"status":{"a":{"completed":"Two findings."}}}'),
        called("c5", "mcp__cortex__recall", {"query": "x"}),
        returned("c5", "Use tabs."),
        called("c6", "exec_command", {"cmd": "rm -rf x"}),
        returned("c6", "Command blocked by PreToolUse hook: no. Command: rm -rf x"),
    )
    uses = [(one.tool, one.input.get("file_path")) for one in found if one.role == "tool_use"]
    assert uses[:3] == [(tools.WRITE, "a.py"), (tools.EDIT, "b.py"), (tools.TODO, None)]
    results = {one.tool_id: one for one in found if one.role == "tool_result"}
    assert results["c1"].text == "Success."
    assert results["c3"].input == {"answers": {"Where?": "Left"}}
    assert results["c4"].input == {"report": "Two findings."}
    assert "c5" not in results
    assert results["c6"].denied


def test_the_names_of_events_are_not_taken_for_secrets(tmp_path: Path) -> None:
    call = "call_uH2MIrloAtyGI8ynqPY2xXra"
    found = events(
        tmp_path,
        typed("Run it."),
        called(call, "exec_command", {"cmd": "make"}),
        returned(call, "Process exited with code 0\nOutput:\nok"),
    )
    assert len(found) == 3
    assert all(redact(event.uuid).text == event.uuid for event in found)


def test_a_fork_repeats_nothing_although_its_times_are_its_own(tmp_path: Path) -> None:
    records = [began("t1"), typed("Use pnpm."), said("I will.")]
    first = write(tmp_path / "a.jsonl", [meta(), *records])
    more = [began("t2"), typed("Now the tests.")]
    fork = write(tmp_path / "b.jsonl", [meta(OTHER), meta(), *records, *more], minute=30)
    with reader.read(first) as found:
        assert len(list(found)) == 2
        keys = found.keys
    with reader.read(fork, START, lambda mark: uuid_key(mark) in keys) as found:
        assert [event.text for event in found] == ["Now the tests."]
        assert found.session == OTHER


def test_copies_of_one_day_are_read_once_each(tmp_path: Path) -> None:
    threads = [f"{number:08x}-8cf7-7fe3-adc9-8c3e4d9d{number:04x}" for number in range(20)]
    for thread in threads:
        records = [meta(thread), began(thread), typed(f"Use {thread}."), said("I will.")]
        write(rollout(tmp_path / "old", thread), records)
    (tmp_path / "project" / ".memory").mkdir(parents=True)
    with Cortex.open(tmp_path / "project") as cortex:
        first, again = (cortex.exchange.import_transcripts([tmp_path / "old"]) for _ in range(2))
        assert (first.files, again.files, again.skipped) == (20, 0, 20)


def test_a_newer_reader_reads_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.jsonl", [meta(), began("t1"), typed("Use pnpm.")])
    with reader.read(path) as found:
        assert len(list(found)) == 1
        position, keys = found.position, found.keys
    monkeypatch.setattr(RolloutReader, "READER", "codex/99")
    with reader.read(path, position, lambda mark: uuid_key(mark) in keys) as again:
        assert [event.text for event in again] == ["Use pnpm."]


def test_sub_agents_and_reviews_are_no_sessions_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": THREAD}}}
    write(rollout(tmp_path), [meta(), typed("Use pnpm.")])
    write(rollout(tmp_path, OTHER), [meta(OTHER, source=spawned), typed("Look.")])
    third = OTHER.replace("b96", "b97")
    write(rollout(tmp_path, third), [meta(third, source={"subagent": "review"}), typed("Review.")])
    assert [one.id for one in sessions.all()] == [THREAD]
    listed = sessions.at(tmp_path, sidechains=True)
    assert {(one.kind, one.parent) for one in listed} == {
        ("main", ""),
        ("subagent", THREAD),
        ("review", ""),
    }
    assert transcripts.key_of(rollout(tmp_path)) == f"codex:{THREAD}"


def test_an_archived_session_is_known(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = tmp_path / "codex", cortex.project.root
    monkeypatch.setenv("CODEX_HOME", str(home))
    rule = "Always run the tests with make check before you commit, never by hand."
    path = write(rollout(home), [meta(cwd=here), began("t"), typed(rule), said("I will.")])
    (one,) = cortex.sessions.on_disk()
    assert (one.agent, one.key) == ("codex", f"codex:{THREAD}")
    first = cortex.exchange.import_transcripts()
    assert (first.files, first.stored + first.suggested) == (1, 1)
    archived = rollout(home, folder="archived_sessions")
    archived.parent.mkdir()
    path.rename(archived)
    again = cortex.exchange.import_transcripts()
    assert (again.files, again.skipped, again.stored + again.suggested) == (0, 1, 0)
    (memory,) = cortex.list(statuses=("active", "suggested"))
    assert (memory.source.transcript, memory.source.agent) == (one.key, "codex")
    both: tuple[Status, ...] = ("active", "suggested")
    assert [each.id for each in cortex.list(agent="codex", statuses=both)] == [memory.id]
    assert cortex.list(agent="claude", statuses=both) == []
    (kept,) = cortex.sessions.archive.list(agent="codex")
    assert to_json(kept)["agent"] == "codex"
    assert cortex.sessions.archive.list(agent="claude") == []
    assert {entry.agent for entry in cortex.sessions.ledger(agent="codex")} == {"codex"}
    assert cortex.sessions.ledger(agent="claude") == []
    assert cortex.sessions.turn(memory.source).said[0].text == rule


@pytest.mark.parametrize(("value", "count"), [("off", 0), ("recall", 0), ("on", 1)])
def test_each_agent_is_switched_by_itself(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, count: int
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    write(rollout(tmp_path / "codex"), [meta(cwd=cortex.project.root), typed("Use pnpm.")])
    cortex.settings.set("agents.codex", value)
    assert len(cortex.sessions.on_disk()) == count
    assert cortex.exchange.import_transcripts().files == count


def compressed(path: Path) -> Path:
    """The file as Codex compresses it, in one frame whose block is as it was."""
    words = path.read_bytes()
    assert len(words) < 1 << 17
    block = (len(words) << 3 | 1).to_bytes(3, "little")
    target = path.with_suffix(".jsonl.zst")
    target.write_bytes(b"\x28\xb5\x2f\xfd\x00\x58" + block + words)
    path.unlink()
    return target


@pytest.mark.skipif(shutil.which("zstd") is None, reason="nothing here decompresses")
def test_a_session_that_codex_has_compressed_is_read_on(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    rule = "Always run the tests with make check before you commit, never by hand."
    records = [meta(cwd=cortex.project.root), began("t"), typed(rule), said("I will.")]
    path = compressed(write(rollout(tmp_path), records))
    (one,) = sessions.of_project(cortex.project)
    assert (one.key, one.path) == (f"codex:{THREAD}", path)
    assert cortex.exchange.import_transcripts().suggested == 1
    # Unpacked by Codex to be written on: what was read is known.
    write(rollout(tmp_path), [*records, began("u"), typed("Name the branches after the issue.")])
    (one,) = sessions.of_project(cortex.project)
    assert one.path == rollout(tmp_path)
    cortex.exchange.import_transcripts()
    (kept,) = cortex.sessions.archive.list(agent="codex")
    assert kept.turns == 2


def test_a_compressed_session_is_named_where_nothing_decompresses_it(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    path = compressed(write(rollout(tmp_path), [meta(cwd=cortex.project.root), typed("Go on.")]))
    monkeypatch.setenv("PATH", "")
    (problem,) = cortex.exchange.import_transcripts().problems
    assert str(path) in problem and "Install the program zstd" in problem
    assert cortex.exchange.import_transcripts([tmp_path]).problems == (problem,)
    found = checks.installed(Case(cortex, "", lambda _case: []))
    assert "1 file of a form that is not known" in found.sentence
    with pytest.raises(TranscriptError, match="stays unread"):
        reader.read(f"codex:{THREAD}")


def test_what_is_no_rollout_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    for name, words in ((".jsonl", b"{}\n"), (".jsonl.zst", b"\x28\xb5\x2f\xfd\n")):
        path = rollout(tmp_path).with_suffix(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(words)
        (one,) = sessions.strangers()
        assert one.path == path
        assert sessions.all() == []
        with pytest.raises(TranscriptError, match="stays unread"):
            transcripts.reader_of(path)
        path.unlink()


def test_an_unknown_file_of_a_folder_is_named_and_the_others_are_read(
    cortex: Cortex, tmp_path: Path
) -> None:
    folder = tmp_path / "copies"
    rule = "Always run the tests with make check before you commit, never by hand."
    write(folder / "a.jsonl", [meta(), began("t"), typed(rule), said("I will.")])
    (folder / "b.jsonl").write_text('{"kind": "turn", "said": "Use tabs."}\n')
    done = cortex.exchange.import_transcripts([folder])
    assert (done.files, done.suggested) == (1, 1)
    (problem,) = done.problems
    assert "b.jsonl" in problem and "form that Cortex does not know" in problem
    (memory,) = cortex.list(agent="codex", statuses=("suggested",))
    assert cortex.sessions.turn(memory.source).said[0].text == rule
    again = cortex.exchange.import_transcripts([folder])
    assert (again.files, again.skipped, again.suggested) == (0, 1, 0)


def test_the_doctor_says_what_was_read_of_each_agent(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "codex"
    monkeypatch.setenv("CODEX_HOME", str(home))
    records = [began("t"), typed("Use pnpm."), began("u"), typed("And vitest."), said("I will.")]
    write(rollout(home), [meta(cwd=cortex.project.root), *records])
    os.utime(rollout(home), (2e9, 2e9))
    case = Case(cortex, "", lambda _case: [])
    said_before = checks.installed(case).sentence
    assert "1 session (1 not read to the end), 0 turns, 0 prompts read" in said_before
    cortex.exchange.import_transcripts()
    case = Case(cortex, "", lambda _case: [])
    assert "1 session, 2 turns, 2 prompts read" in checks.installed(case).sentence
    # A form in which prompts are not found: the turns are there, the prompts are not.
    case.fired = {THREAD}
    installer.plan(cortex.project).add_hooks()
    monkeypatch.setattr(checks, "_trust", lambda _project: iter(["trusted"]))
    found = checks.installed(case)
    assert found.state == "ok"
    assert found.sentence.endswith("hooks trusted; fired in 1 of the last 1 session.")
    monkeypatch.setattr(Case, "prompts", lambda _case, _agent: 0)
    assert checks.installed(case).state == "warning"


def test_what_one_agent_taught_and_another_was_given_says_so(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    rule = "Always run the tests with make check before you commit, never by hand."
    records = [meta(cwd=cortex.project.root), began("t"), typed(rule), said("I will.")]
    write(rollout(tmp_path), records)
    cortex.exchange.import_transcripts()
    (memory,) = cortex.list(agent="codex", statuses=("active", "suggested"))
    store = cortex.workspace.store()
    given = [(THREAD, 1.0), ("c1", 2.0), ("c1", 3.0), ("unread", 4.0)]
    with store.write():
        first = Receipt(session="", event="SessionStart", memory=memory.id, time=0.0, tokens=9)
        receipt_rows.add(store, (replace(first, session=name, time=at) for name, at in given))
        cursors.save(store, "/home/dev/.claude/projects/p/c1.jsonl", "c1", Cursor())
    found = cortex.memories.details(memory.id)
    assert [one.agent for one in found.receipts] == ["", "claude", "claude", "codex"]
    assert found.crossed == "learned from Codex, given to Claude Code 2 times"
    assert to_json(found)["receipts"][1]["agent"] == "claude"
