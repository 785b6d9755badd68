"""The plugin's launcher: which interpreter it finds, and that without one nothing is said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents import hook_command
from cortex_core.agents.claude.tools import NAMES
from cortex_core.base.tools import ON_FILES, SHELLS
from tests.hooks.conftest import Hooks

ROOT = Path(__file__).parents[2]
LAUNCHER = ROOT / "hooks" / "launch.sh"


@pytest.fixture
def plugin(hooks: Hooks, tmp_path: Path) -> dict[str, str]:
    """An environment in which the plugin is installed, but no interpreter is known."""
    with Cortex.open(project=hooks.project) as cortex:
        cortex.remember("Deploys go through the blue pipeline", kind="policy")
        cortex.sessions.pause()
    (tmp_path / "plugin").mkdir()
    return {
        **hooks.environment,
        "PATH": "/usr/bin:/bin",
        "CLAUDE_PLUGIN_ROOT": str(tmp_path / "plugin"),
        "CLAUDE_PLUGIN_DATA": str(tmp_path / "data"),
    }


@pytest.mark.parametrize("gone", ["python", "package"])
def test_a_hook_whose_python_is_gone_says_so_once_a_session(tmp_path: Path, gone: str) -> None:
    for word in ("session-start", "stop", "pre-tool-use"):
        command = hook_command.command((sys.executable, "-I"), word)
        missing = {"python": sys.executable, "package": command[4]}[gone]
        command[command.index(missing)] = str(tmp_path / "gone")
        done = subprocess.run(command, input=b"{}", capture_output=True, check=True)
        told = json.loads(done.stdout)["systemMessage"] if done.stdout else ""
        assert ("cortex install" in told) is (word == "session-start") and not done.stderr


def launch(hooks: Hooks, env: dict[str, str]) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        ["sh", str(LAUNCHER), "session-start"],
        input=json.dumps(hooks.payload("SessionStart", source="startup")).encode(),
        env=env,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_nothing_is_said_where_cortex_is_missing(hooks: Hooks, plugin: dict[str, str]) -> None:
    assert launch(hooks, plugin) == (0, b"", b"")


def test_an_interpreter_without_cortex_says_nothing(
    hooks: Hooks, plugin: dict[str, str], tmp_path: Path
) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho no module >&2\nexit 1\n")
    fake.chmod(0o755)
    assert launch(hooks, {**plugin, "CORTEX_PYTHON": str(fake)}) == (0, b"", b"")


@pytest.mark.parametrize("place", ["variable", "data", "checkout", "command", "long command"])
def test_an_interpreter_is_found(
    hooks: Hooks, plugin: dict[str, str], tmp_path: Path, place: str
) -> None:
    env = dict(plugin)
    if place == "variable":
        env["CORTEX_PYTHON"] = sys.executable
    elif place in ("data", "checkout"):
        folder = tmp_path / ("data/venv" if place == "data" else "plugin/.venv")
        folder.parent.mkdir(exist_ok=True)
        folder.symlink_to(sys.prefix)
    else:
        (tmp_path / "bin").mkdir()
        command = tmp_path / "bin" / "cortex"
        command.write_text(
            f"#!{sys.executable}\n"
            if place == "command"
            else f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n"
        )
        command.chmod(0o755)
        env["PATH"] += f":{tmp_path / 'bin'}"
    code, out, _ = launch(hooks, env)
    assert code == 0 and b"blue pipeline" in out


def test_another_command_called_cortex_is_not_run(
    hooks: Hooks, plugin: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "cortex"
    command.write_text("#!/usr/bin/env ruby\nputs 1\n")
    command.chmod(0o755)
    assert launch(hooks, {**plugin, "PATH": f"/usr/bin:/bin:{tmp_path / 'bin'}"}) == (0, b"", b"")


def test_the_plugins_hooks_are_the_eight_and_short() -> None:
    told = json.loads((ROOT / "hooks" / "hooks.json").read_text())
    assert set(told["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "SessionEnd",
    }
    for event, groups in told["hooks"].items():
        ((hook,),) = [group["hooks"] for group in groups]
        assert hook["type"] == "command" and hook["timeout"] <= 10
        word = hook["command"].split()[-1]
        assert word.replace("-", "") == event.lower()
    (tools,) = told["hooks"]["PreToolUse"]
    asked = [name for name, tool in NAMES.items() if tool in (*ON_FILES, *SHELLS)]
    assert tools["matcher"] == f"^({'|'.join((*asked, 'mcp__.*'))})$"
    (sources,) = told["hooks"]["SessionStart"]
    assert set(sources["matcher"].split("|")) == {"startup", "resume", "clear", "compact", "fork"}
