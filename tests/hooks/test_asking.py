"""When Claude is asked to write down what it learned, and when not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base import config
from cortex_core.base.text import tokens
from cortex_core.hook_events.asking import PARAGRAPH
from tests.hooks.conftest import Hooks

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
