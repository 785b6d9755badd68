"""Codex's hooks: payloads, answers, hooks.json to the byte, and whether they are trusted."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cortex_core.agents import sender
from cortex_core.agents.codex import checks, hooks, installer
from cortex_core.agents.hook_call import HookAnswer, HookCall
from cortex_core.api import Cortex
from cortex_core.base import hook_words, tools
from cortex_core.base.project import find
from cortex_core.doctor.case import Case

ROOT = Path(__file__).resolve().parents[3]
ROLLOUT = "/home/dev/.codex/sessions/2026/11/25/rollout-2026-11-25T18-59-59-01a2.jsonl"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "codex"
    folder.mkdir()
    monkeypatch.setenv("CODEX_HOME", str(folder))
    return folder


def call(event: str, **fields: Any) -> HookCall | None:
    payload = {"session_id": "01a2", "cwd": "/home/dev", "transcript_path": ROLLOUT}
    return hooks.call("", {**payload, "hook_event_name": event, **fields}, {})


def test_a_patch_is_an_edit_of_each_file() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n-y\n+z\n*** End Patch"
    asked = call(hook_words.TOOL, tool_name="apply_patch", tool_input={"command": patch})
    assert asked is not None
    assert (asked.tool, asked.tool_input["file_path"]) == (tools.WRITE, "a.py")
    assert [(tool, given["file_path"]) for tool, given in asked.also] == [(tools.EDIT, "b.py")]
    asked = call(hook_words.TOOL, tool_name="Bash", tool_input={"command": "ls"})
    assert asked is not None
    assert (asked.tool, asked.tool_input) == (tools.SHELL, {"command": "ls"})


def test_what_an_agent_has_a_sub_agent_do_is_no_prompt() -> None:
    assert call(hook_words.PROMPT, prompt="Look.") is not None
    assert call(hook_words.PROMPT, prompt="Look.", agent_id="01a3") is None
    assert call("PostCompact") is None
    asked = call(hook_words.STOP, transcript_path=None)
    assert asked is not None
    assert asked.transcript == ""


def test_the_server_is_told_where_the_stores_are(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex starts it with the variables of its own list alone."""
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setenv("CORTEX_HOME", "/data/cortex")
    with Cortex.open(project) as cortex:
        added = installer.plan(cortex.project).server.add
    assert added[:6] == ("codex", "mcp", "add", "cortex", "--env=CORTEX_HOME=/data/cortex", "--")


def test_what_would_be_asked_is_refused_with_the_reason() -> None:
    asked = HookAnswer(decision="ask", reason="It deploys.")
    said = json.loads(hooks.answer(HookCall(hook_words.TOOL), asked))["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"].startswith("It deploys. Codex cannot ask")


def test_text_stays_below_what_codex_gives_whole() -> None:
    given = HookAnswer("<cortex-memory>\n" + "a line\n" * 4_000 + "</cortex-memory>")
    said = json.loads(hooks.answer(HookCall(hook_words.START), given))["hookSpecificOutput"]
    assert len(said["additionalContext"]) < 8_900
    assert said["additionalContext"].endswith("a line\n</cortex-memory>")


def test_the_plugin_of_claude_code_runs_in_codex_too() -> None:
    assert sender("claude", {"transcript_path": ROLLOUT}) == "codex"
    assert sender("claude", {"transcript_path": "/home/dev/.claude/projects/a/01a2.jsonl"}) == (
        "claude"
    )
    assert call("SubagentStart", agent_id="a1", agent_type="default") is None
    here = find(cwd="/")
    assert hooks.has_tools(here, {"CLAUDE_PLUGIN_ROOT": "/plugin"})


def test_the_plugin_is_such_that_codex_says_nothing_of_it() -> None:
    """Codex's patterns know no look-around, and it warns of a longer wait at a session's end."""
    listed = json.loads((ROOT / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    assert [one for groups in listed.values() for one in groups if "(?" in str(one)] == []
    assert listed["SessionEnd"][0]["hooks"][0]["timeout"] <= 3


def test_the_plugins_server_starts_where_nobody_fills_in_its_folder(tmp_path: Path) -> None:
    """Codex hands over `${CLAUDE_PLUGIN_ROOT}` as it is."""
    (server,) = json.loads((ROOT / ".mcp.json").read_text("utf-8"))["mcpServers"].values()
    command = tmp_path / "agent-cortex"
    command.write_text('#!/bin/sh\necho "started $*"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [server["command"], *server["args"]],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.returncode) == ("started mcp\n", 0)


@pytest.mark.parametrize(
    "before",
    [
        None,
        '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]\n'
        "  }\n}\n",
        '{"hooks":{}}',
    ],
)
def test_hooks_are_added_and_taken_out_to_the_byte(
    cortex: Cortex, home: Path, before: str | None
) -> None:
    file = home / "hooks.json"
    if before is not None:
        file.write_text(before)
    connection = installer.plan(cortex.project)
    assert connection.preview.diff and connection.preview.caution == installer.TRUST
    connection.add_hooks()
    groups = json.loads(file.read_text())["hooks"]
    (own,) = groups["SessionEnd"][-1]["hooks"]
    assert own["timeout"] == 3
    assert own["command"].endswith("--agent codex session-end")
    assert not installer.plan(cortex.project).preview.diff
    removals, problems = installer.removals(cortex.project)
    assert not problems
    for one in removals:
        one.take_out(cortex.project.home)
    assert (file.read_text() if file.exists() else None) == before


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, *states: str) -> None:
    """A command named codex that lists its hooks."""
    command = "/bin/sh -c x python -m cortex_core.hook --agent codex stop"
    listed = [{"command": command, "trustStatus": state} for state in states]
    answer = json.dumps({"id": 2, "result": {"data": [{"hooks": listed}]}})
    program = folder / "bin" / "codex"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\nread a\nread b\nread c\ncat <<'E'\n{answer}\nE\nsleep 30\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def examine(cortex: Cortex) -> tuple[str, str]:
    found = checks.installed(Case(cortex, "", lambda _case: []))
    return found.state, found.sentence


def test_the_doctor_fails_until_the_hooks_are_trusted_and_have_fired(
    cortex: Cortex, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examine(cortex)[0] == "skipped"
    installer.plan(cortex.project).add_hooks()
    fake(tmp_path, monkeypatch, "trusted", "untrusted", "modified")
    state, sentence = examine(cortex)
    assert (state, "2 of 3" in sentence) == ("failed", True)
    fake(tmp_path, monkeypatch, "trusted")
    assert examine(cortex)[0] == "warning"
    thread = "019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603"
    path = home / "sessions" / f"rollout-2026-11-02T10-00-00-{thread}.jsonl"
    path.parent.mkdir()
    meta = {"id": thread, "cwd": cortex.project.root, "source": "cli"}
    path.write_text(json.dumps({"type": "session_meta", "payload": meta}) + "\n")
    os.utime(path, (2e9, 2e9))
    assert examine(cortex)[0] == "failed"
    from cortex_core.records.captures import LedgerEntry
    from cortex_core.store import ledger

    entry = LedgerEntry(number=0, time=1.0, event=hook_words.STOP, session=thread)
    ledger.record(cortex.workspace.store(), entry)
    state, sentence = examine(cortex)
    assert (state, "fired in 1 of the last 1 session" in sentence) == ("ok", True)
