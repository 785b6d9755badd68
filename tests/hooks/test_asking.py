"""When Claude is asked to write down what it learned, and when not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude import tail
from cortex_core.base import config, project
from cortex_core.base.text import tokens
from cortex_core.hook_events import asking
from cortex_core.hook_events.asking import PARAGRAPH
from tests.hooks.conftest import Hooks
from tests.transcript_samples import Sample

PLUGIN = {"CLAUDE_PLUGIN_ROOT": "/plugin"}
"""The environment of a hook of the plugin, which brings its own MCP server."""

SERVER = {"command": "/usr/bin/python3", "args": ["-I", "-m", "cortex_core.mcp_server"]}


def state_file(hooks: Hooks) -> Path:
    """Claude Code's own state."""
    settings = Path(hooks.environment.get("CLAUDE_CONFIG_DIR", hooks.environment["HOME"]))
    settings.mkdir(parents=True, exist_ok=True)
    return settings / ".claude.json"


def asked(hooks: Hooks) -> bool:
    return PARAGRAPH in hooks("SessionStart", source="startup").given


@pytest.fixture
def stocked(hooks: Hooks) -> Hooks:
    """Hooks of a project in which something is remembered and capture runs."""
    with Cortex.open(project=hooks.project) as cortex:
        cortex.remember("Deploys go through the blue pipeline", kind="policy")
    return hooks


def test_the_paragraph_is_short() -> None:
    assert tokens(PARAGRAPH) <= 90


@pytest.mark.parametrize(
    ("source", "is_asked"),
    [("startup", True), ("clear", True), ("compact", True), ("resume", False), ("fork", False)],
)
def test_a_session_is_asked_when_its_context_is_new(
    stocked: Hooks, source: str, is_asked: bool
) -> None:
    fired = stocked("SessionStart", source=source, env=PLUGIN)
    assert (PARAGRAPH in fired.given) is is_asked
    file = stocked.project / ".claude" / "cortex-memory.local.md"
    assert not file.exists() or PARAGRAPH not in file.read_text()


def test_only_where_the_tools_are_there(stocked: Hooks) -> None:
    here = str(stocked.project)
    assert not asked(stocked)
    for state, is_asked in (
        ({"mcpServers": {"cortex": SERVER}}, True),
        ({"mcpServers": {"cortex": {"command": "/bin/cortex", "args": ["mcp"]}}}, True),
        ({"mcpServers": {"cortex": {"command": "npx", "args": ["cortex"]}}}, False),
        ({"mcpServers": {"other": SERVER}}, False),
        ({"projects": {here: {"mcpServers": {"cortex": SERVER}}}}, True),
        ({"projects": {"/elsewhere": {"mcpServers": {"cortex": SERVER}}}}, False),
        ({"mcpServers": ["cortex"]}, False),
    ):
        state_file(stocked).write_text(json.dumps(state))
        assert asked(stocked) is is_asked, state
    state_file(stocked).write_text('{"mcpServers": {"cortex')
    assert not asked(stocked)


@pytest.mark.parametrize("event", ["SessionStart", "SubagentStart"])
def test_nobody_is_asked_where_nobody_sees_it(stocked: Hooks, event: str) -> None:
    fields = {"source": "startup", "agent_id": "a1", "agent_type": "general-purpose"}
    assert PARAGRAPH in stocked(event, env=PLUGIN, **fields).given
    for headless in ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}):
        assert PARAGRAPH not in stocked(event, env={**PLUGIN, **headless}, **fields).given


def test_who_switched_it_off_paused_or_does_not_trust_is_not_asked(
    stocked: Hooks, cortex: Cortex
) -> None:
    def given() -> str:
        return stocked("SessionStart", source="startup", env=PLUGIN).given

    for value in ("off", "ask", "insist"):
        config.set(cortex.workspace.project, "capture.agent", value)
        assert (PARAGRAPH in given()) is (value != "off")
    cortex.sessions.pause()
    assert PARAGRAPH not in given()
    cortex.sessions.resume()
    cortex.trust.revoke()
    assert PARAGRAPH not in given()


def test_who_only_recalls_with_an_agent_is_not_asked_by_it(stocked: Hooks, cortex: Cortex) -> None:
    for value, is_asked in (("recall", False), ("on", True)):
        config.set(cortex.workspace.project, "agents.claude", value)
        given = stocked("SessionStart", source="startup", env=PLUGIN).given
        assert "blue pipeline" in given
        assert (PARAGRAPH in given) is is_asked


def test_a_sub_agent_that_only_looks_is_not_asked(stocked: Hooks) -> None:
    for name, is_asked in (("Explore", False), ("Plan", False), ("general-purpose", True)):
        fired = stocked("SubagentStart", agent_id=f"a-{name}", agent_type=name, env=PLUGIN)
        assert (PARAGRAPH in fired.given) is is_asked


def test_a_start_that_asks_loads_little(stocked: Hooks) -> None:
    from tests.hooks.test_light_path import HEAVY, loaded

    state = {"mcpServers": {"cortex": SERVER}, "history": ["x" * 1000] * 1000}
    state_file(stocked).write_text(json.dumps(state))
    for path in (stocked.project / ".memory").glob("cortex.db*"):
        os.utime(path, (1e9, 1e9))
    stocked("SessionStart", source="startup")
    modules, out = loaded(stocked, "SessionStart", source="startup", session_id="b")
    assert b"call the Cortex tool" in out
    assert not modules & {*HEAVY, "json", "typing", "sqlite3", "re", "hashlib"}


# --- which session calls learn


@pytest.mark.parametrize("tool", ["mcp__cortex__learn", "mcp__plugin_cortex_cortex__learn"])
def test_the_hook_before_a_call_notes_its_session(
    stocked: Hooks, cortex: Cortex, tool: str
) -> None:
    fired = stocked("PreToolUse", tool_name=tool, tool_use_id="toolu_1", tool_input={})
    stocked("PreToolUse", tool_name="mcp__other__learn", tool_use_id="toolu_2", tool_input={})
    assert fired.out == b""
    project = cortex.workspace.project
    session, transcript = asking.called_from(project, "toolu_1")
    assert session == "session-1" and transcript.endswith("session-1.jsonl")
    for unknown in ("toolu_1", "toolu_2", ""):
        assert asking.called_from(project, unknown) == ("", "")


def test_old_notes_go(stocked: Hooks) -> None:
    call: dict[str, Any] = {"tool_name": "mcp__cortex__learn", "tool_input": {}}
    stocked("PreToolUse", tool_use_id="toolu_1", **call)
    (note,) = (stocked.project / ".memory" / asking.FOLDER).iterdir()
    os.utime(note, (1e9, 1e9))
    stocked("PreToolUse", tool_use_id="toolu_2", **call)
    assert [each.name != note.name for each in note.parent.iterdir()] == [True]


# --- one request after an answer, with insist

COMMIT = {"command": "git add -A && git commit -m 'Retry the upload'"}
DENIED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
LEARN = "mcp__cortex__learn"


def prompts(count: int) -> Sample:
    """A session with so many prompts."""
    said = Sample("asking")
    for number in range(count):
        said.human(f"Go on with part {number}.").assistant("Done, git commit comes later.")
    return said


def insisting(hooks: Hooks, said: Sample, tmp_path: Path) -> dict[str, Any]:
    """The fields of a Stop of that session, in a project where Claude is to be asked."""
    config.set(project.find(str(hooks.project)), "capture.agent", "insist")
    return {
        "stop_hook_active": False,
        "last_assistant_message": "Done.",
        "transcript_path": str(said.write(tmp_path)),
    }


@pytest.mark.usefixtures("no_worker")
@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        (prompts(5), False),
        (prompts(6), True),
        (prompts(1).tool("Bash", COMMIT, "[main 1a2b3c4] Retry the upload"), True),
        (prompts(1).tool("Bash", {"command": "git -C ../api commit -qam x"}, "[main 1a2b]"), True),
        (prompts(1).tool("Bash", {"command": "git log --grep commit"}, "1a2b3c4 x"), False),
        (prompts(1).tool("Bash", {"command": "grep -r x"}, "run git commit -m x first"), False),
        (prompts(1).tool("Edit", {"file_path": "a.py"}, DENIED, failed=True), True),
        (prompts(1).tool("Bash", {"command": "cat log"}, DENIED), False),
        (prompts(6).tool(LEARN, {"memories": []}, "{}").human("And the next."), False),
        (prompts(1).tool(LEARN, {"memories": []}, "{}").tool("Bash", COMMIT, "[main 1]"), True),
        (prompts(1).raw({"type": "api-request-blob", "message": {"content": COMMIT}}), False),
    ],
)
def test_a_reason_to_ask(stocked: Hooks, tmp_path: Path, said: Sample, is_asked: bool) -> None:
    fields = insisting(stocked, said, tmp_path)
    fired = stocked("Stop", env=PLUGIN, **fields)
    assert fired.given == (asking.REQUEST if is_asked else "")
    assert len(stocked.records()) == 1


@pytest.mark.usefixtures("no_worker")
def test_a_session_is_asked_once(stocked: Hooks, tmp_path: Path) -> None:
    fields = insisting(stocked, prompts(8), tmp_path)
    unasked: dict[str, Any]
    for unasked in (
        {"env": {**PLUGIN, "CLAUDE_CODE_SESSION_ATTENDED": "0"}},
        {"env": PLUGIN, "stop_hook_active": True},
        {"env": {}},
    ):
        assert stocked("Stop", **{**fields, **unasked}).out == b""
    assert stocked("Stop", env=PLUGIN, **fields).given == asking.REQUEST
    assert stocked("Stop", env=PLUGIN, **fields, prompt_id="2").out == b""
    other = {**fields, "session_id": "session-2"}
    assert stocked("Stop", env=PLUGIN, **other).given == asking.REQUEST
    assert stocked("SubagentStop", env=PLUGIN, **fields, agent_type="Plan").out == b""
    config.set(project.find(str(stocked.project)), "capture.agent", "ask")
    assert stocked("Stop", env=PLUGIN, **{**fields, "session_id": "session-3"}).out == b""


@pytest.mark.usefixtures("no_worker")
def test_only_the_end_of_a_long_session_is_read(stocked: Hooks, tmp_path: Path) -> None:
    said = prompts(1).tool("Bash", COMMIT, "[main 1a2b3c4] Retry the upload")
    path = said.raw({"type": "api-request-blob", "blob": "x" * tail.TAIL}).human("Go on.")
    fields = insisting(stocked, path, tmp_path)
    assert stocked("Stop", env=PLUGIN, **fields).out == b""
    missing = {**fields, "transcript_path": str(tmp_path / "gone.jsonl")}
    assert stocked("Stop", env=PLUGIN, **missing).out == b""


# --- which calls a new rule means


def test_a_session_is_asked_which_calls_a_new_rule_means_until_one_has_named_them(
    stocked: Hooks, cortex: Cortex
) -> None:
    (rule,) = cortex.list()
    fact = cortex.remember("The staging database is copied every Sunday")
    asks = asking.NAMING.format(f"[{rule.id[:8]}]")

    def given(source: str = "startup") -> str:
        return stocked("SessionStart", source=source, env=PLUGIN).given

    assert given().endswith(PARAGRAPH + asks)
    assert fact.id[:8] not in given().partition(PARAGRAPH)[2]
    assert asks not in given("resume")
    again = cortex.remember(rule.content, kind="policy", actor="agent")
    assert again.id == rule.id
    cortex.memories.triggers.propose(again, ["!Bash(deploy --green)"], "")
    assert given().endswith(PARAGRAPH)


def test_old_rules_are_not_asked_about(hooks: Hooks, cortex: Cortex) -> None:
    row = {"content": "Deploys go through the blue pipeline", "kind": "policy", "created": 1.0e9}
    cortex.exchange.import_jsonl([json.dumps(row)])
    given = hooks("SessionStart", source="startup", env=PLUGIN).given
    assert given.endswith(PARAGRAPH) and "blue pipeline" in given
