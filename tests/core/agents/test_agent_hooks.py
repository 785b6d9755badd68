"""Hooks of Copilot CLI, Gemini CLI and OpenCode: what they ask, what they are given, and that what
is installed runs and leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex, agents
from cortex_core.agents import hook_install
from cortex_core.agents.claude.checks import CHECKS
from cortex_core.agents.hook_call import HookAnswer, HookCall
from cortex_core.agents.protocol import Check
from cortex_core.base import hook_words, tools
from cortex_core.base.errors import UsageError
from cortex_core.base.project import find
from cortex_core.doctor.case import Case
from cortex_core.doctor.examine import run_check
from cortex_core.records.upkeep import CheckResult

RULE = "Deploys go through the blue pipeline"
QUESTION = "how do deploys go, through which pipeline?"
NAMES = ("copilot", "gemini", "opencode")


def called(agent: str, word: str, **payload: Any) -> HookCall:
    found = agents.of(agent).hooks.call(word, payload, {})
    assert found is not None
    return found


def gemini(event: str, **fields: Any) -> dict[str, Any]:
    own = {"hook_event_name": event, "session_id": "s", "cwd": "/p", "transcript_path": "/t.jsonl"}
    return {**own, "timestamp": "2026-11-25T19:07:11Z", **fields}


START: dict[str, tuple[str, dict[str, Any]]] = {
    "copilot": ("sessionStart", {"sessionId": "s", "cwd": "/p", "source": "new"}),
    "gemini": ("SessionStart", gemini("SessionStart", source="startup")),
    "opencode": ("start", {"session": "ses_1", "folder": "/p", "id": "ses_1"}),
}
PROMPT: dict[str, tuple[str, dict[str, Any]]] = {
    "copilot": ("userPromptSubmitted", {"sessionId": "s", "cwd": "/p", "prompt": QUESTION}),
    "gemini": (
        "BeforeAgent",
        gemini("BeforeAgent", prompt=f"<hook_context>Ours.</hook_context>\n\n{QUESTION}"),
    ),
    "opencode": ("prompt", {"session": "ses_1", "folder": "/p", "id": "m", "prompt": QUESTION}),
}
TOOL: dict[str, tuple[str, dict[str, Any]]] = {
    "copilot": (
        "preToolUse",
        {"sessionId": "s", "cwd": "/p", "toolName": "edit", "toolArgs": {"path": "a.py"}},
    ),
    "gemini": (
        "BeforeTool",
        gemini("BeforeTool", tool_name="replace", tool_input={"file_path": "a.py"}),
    ),
    "opencode": (
        "tool",
        {"session": "s", "folder": "/p", "tool": "edit", "arguments": {"filePath": "a.py"}},
    ),
}


@pytest.mark.parametrize("agent", NAMES)
def test_each_event_is_asked_in_our_words(agent: str) -> None:
    word, payload = START[agent]
    start = called(agent, word, **payload)
    assert (start.event, start.source, start.folder) == (hook_words.START, "startup", "/p")
    word, payload = PROMPT[agent]
    assert called(agent, word, **payload).prompt == QUESTION
    word, payload = TOOL[agent]
    call = called(agent, word, **payload)
    assert (call.tool, call.tool_input["file_path"]) == (tools.EDIT, "a.py")
    assert call.takes_text is (agent != "gemini")


@pytest.mark.parametrize("agent", NAMES)
def test_a_session_that_is_resumed_is_given_the_notes_again(agent: str) -> None:
    """None of the three keeps what a hook gave at the start."""
    word, payload = START[agent]
    assert called(agent, word, **{**payload, "source": "resume"}).source == "startup"


def test_the_plugin_of_claude_code_runs_in_copilot_too(
    scratch_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copilot = agents.of("copilot").hooks
    payload = {"hook_event_name": "SessionStart", "session_id": "s", "source": "resume"}
    of_claude = {**payload, "transcript_path": "/home/dev/.claude/projects/a/01a2.jsonl"}
    stopped = {**payload, "transcript_path": "/home/dev/.copilot/session-state/s/events.jsonl"}
    assert agents.sender("claude", payload) == "claude"
    monkeypatch.setenv("COPILOT_CLI", "1")
    assert agents.sender("claude", payload) == agents.sender("claude", stopped) == "copilot"
    assert agents.sender("claude", of_claude) == "claude"  # started from a shell of Copilot CLI
    resumed = called("copilot", "session-start", **payload)
    assert resumed.source == "startup"
    assert resumed.transcript.endswith("session-state/s/events.jsonl")
    assert json.loads(copilot.answer(resumed, HookAnswer("a"))) == {"additionalContext": "a"}
    assert copilot.call("", {**payload, "hook_event_name": "SubagentStart"}, {}) is None
    assert copilot.has_tools(find(cwd="/"), {"CLAUDE_PLUGIN_ROOT": "/p"})
    assert not copilot.has_tools(find(cwd="/"), {})


def test_the_doctor_knows_the_plugin_in_copilot(scratch_home: Path, project: Path) -> None:
    copilot, here = agents.of("copilot"), find(cwd=str(project))
    (own,) = copilot.checks.CHECKS
    (claudes,) = (each for each in CHECKS if each.name == "claude")
    settings = scratch_home / ".copilot" / "settings.json"
    settings.parent.mkdir()

    def found(check: Check[Any] = own) -> CheckResult:
        with Cortex.open(project=project) as cortex:
            return run_check(check, Case(cortex, "", lambda _case: []))

    for switch, states in ((True, ("ok", "skipped")), (False, ("skipped", "warning"))):
        settings.write_text(json.dumps({"enabledPlugins": {"cortex@cortex": switch, "a@b": True}}))
        assert (found().state, found(claudes).state) == states
        assert ("hooks in plugin cortex@cortex" in found().sentence) is switch
        left = copilot.installer.remains(here)
        assert left.endswith("copilot plugin uninstall cortex@cortex" if switch else "")
        assert bool(left) is switch


@pytest.mark.parametrize(
    ("agent", "word", "payload"),
    [
        ("copilot", "notification", {"sessionId": "s"}),
        ("copilot", "agentStop", {}),
        ("copilot", "agentStop", {"sessionId": "../../etc"}),
        ("gemini", "PreCompress", gemini("PreCompress")),
        ("opencode", "stop", {"session": "a/b"}),
        ("opencode", "unknown", {"session": "ses_1"}),
    ],
)
def test_other_events_are_not_answered(agent: str, word: str, payload: dict[str, Any]) -> None:
    assert agents.of(agent).hooks.call(word, payload, {}) is None


@pytest.mark.parametrize(
    ("agent", "event", "given", "answer"),
    [
        ("copilot", START, HookAnswer("a"), {"additionalContext": "a"}),
        (
            "copilot",
            TOOL,
            HookAnswer("a", decision="ask", reason="r"),
            {
                "additionalContext": "a",
                "permissionDecision": "ask",
                "permissionDecisionReason": "r",
            },
        ),
        (
            "gemini",
            PROMPT,
            HookAnswer("a", message="m"),
            {"systemMessage": "m", "hookSpecificOutput": {"additionalContext": "a"}},
        ),
        (
            "gemini",
            TOOL,
            HookAnswer(decision="ask", reason="r"),
            {"decision": "deny", "reason": "r"},
        ),
        ("opencode", PROMPT, HookAnswer("a"), {"text": "a"}),
        ("opencode", TOOL, HookAnswer("", decision="deny", reason="r"), {"refused": "r"}),
    ],
)
def test_an_answer_has_the_form_that_the_agent_reads(
    agent: str,
    event: dict[str, tuple[str, dict[str, Any]]],
    given: HookAnswer,
    answer: dict[str, Any],
) -> None:
    word, payload = event[agent]
    hooks = agents.of(agent).hooks
    assert json.loads(hooks.answer(called(agent, word, **payload), given)) == answer
    assert hooks.answer(called(agent, word, **payload), HookAnswer()) == b""


# ---- what is installed


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder with what it contains."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def users(scratch_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with files of the user's own where the agents look for theirs."""
    for name in ("COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in (
        ".copilot/hooks/own.json",
        ".copilot/mcp-config.json",
        ".gemini/settings.json",
        ".gemini/extensions/other/gemini-extension.json",
        ".config/opencode/opencode.json",
        ".config/opencode/plugin/own.js",
    ):
        path = scratch_home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"hooks":  {}, // mine\n}', encoding="utf-8")
    return scratch_home


def test_a_plugin_of_claude_code_is_silent_in_copilot_once_that_has_its_own_hooks(
    users: Path, project: Path
) -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(project)}
    copilot, here = agents.of("copilot"), find(cwd=str(project))
    assert copilot.hooks.call("", payload, {})
    copilot.installer.plan(here).add_hooks()
    assert copilot.hooks.call("", payload, {}) is None
    assert agents.of("claude").hooks.call("", payload, {})


@pytest.mark.parametrize("agent", NAMES)
def test_installing_twice_and_uninstalling_leaves_what_was_there(
    agent: str, users: Path, project: Path
) -> None:
    before, here = contents(users), find(cwd=str(project))
    installer = agents.of(agent).installer
    assert installer.removals(here) == ([], [])
    assert agent in installer.plan(here).preview.diff
    assert installer.plan(here).preview.diff
    installer.plan(here).add_hooks()
    assert not installer.plan(here).preview.diff
    assert installer.plan(here).preview.diff == ""
    ((removal,), problems) = installer.removals(here)
    assert removal.diff
    assert not problems
    removal.take_out(here.home)
    assert contents(users) == before


@pytest.mark.parametrize(
    ("agent", "own", "missing"),
    [
        ("copilot", ".copilot", ".copilot/hooks"),
        ("gemini", ".gemini", ".gemini/extensions"),
        ("opencode", ".config/opencode", ".config/opencode/plugin"),
    ],
)
@pytest.mark.parametrize("is_there", [False, True])
def test_folders_that_were_made_go_and_an_empty_one_of_the_users_stays(
    agent: str, own: str, missing: str, is_there: bool, scratch_home: Path, project: Path
) -> None:
    (scratch_home / own).mkdir(parents=True)
    if is_there:
        (scratch_home / missing).mkdir()
    (scratch_home / missing if is_there else scratch_home / own).chmod(0o755)
    before, here = contents(scratch_home), find(cwd=str(project))
    installer = agents.of(agent).installer
    installer.plan(here).add_hooks()
    assert contents(scratch_home) != before
    installer.removals(here)[0][0].take_out(here.home)
    assert contents(scratch_home) == before


@pytest.mark.parametrize("agent", NAMES)
def test_the_doctor_knows_whether_the_hooks_are_those_of_this_cortex(
    agent: str, users: Path, project: Path
) -> None:
    here, one = find(cwd=str(project)), agents.of(agent)

    (own,) = one.checks.CHECKS
    (claudes,) = (each for each in CHECKS if each.name == "claude")

    def state(check: Check[Any] = own) -> str:
        with Cortex.open(project=project) as cortex:
            return run_check(check, Case(cortex, "", lambda _case: [])).state

    assert (state(), state(claudes)) == ("skipped", "warning")
    assert not one.checks.is_installed(here)
    one.installer.plan(here).add_hooks()
    assert one.checks.is_installed(here)
    assert (state(), state(claudes)) == ("ok", "skipped")
    (removal,) = one.installer.removals(here)[0]
    with Path(removal.settings).open("a", encoding="utf-8") as file:
        file.write(" ")
    assert state() == "failed"


def test_these_agents_have_no_hooks_for_one_project(project: Path) -> None:
    with pytest.raises(UsageError, match="without --scope"):
        agents.of("gemini").installer.plan(find(cwd=str(project)), "project")


COPILOT = """\
import json, pathlib, sys
file = pathlib.Path.home() / ".copilot" / "mcp-config.json"
servers = json.loads(file.read_text())["mcpServers"] if file.exists() else {}
_, _, verb, name, *command = sys.argv
if verb == "add":
    servers[name] = {"type": "local", "command": command[1], "args": command[2:]}
else:
    servers.pop(name)
file.write_text(json.dumps({"mcpServers": servers}, indent=2))
"""
"""Its command changes the layout of what it did not write."""


@pytest.mark.skipif(sys.platform == "win32", reason="the command is a script")
@pytest.mark.parametrize("before", [None, '{"mcpServers":   {"mine": {"command": "true"}}}'])
@pytest.mark.parametrize("is_edited", [False, True])
def test_the_list_of_servers_is_as_it_was_unless_the_user_changed_it(
    before: str | None,
    is_edited: bool,
    scratch_home: Path,
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = tmp_path / "bin" / "copilot"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n{COPILOT}", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    file, here = scratch_home / ".copilot" / "mcp-config.json", find(cwd=str(project))
    file.parent.mkdir()
    if before:
        file.write_text(before, encoding="utf-8")
    installer = agents.of("copilot").installer
    assert installer.is_present()
    connection = installer.plan(here)
    connection.add_hooks()
    assert [connection.register(), installer.plan(here).register()] == ["registered", "unchanged"]
    assert "cortex_core.mcp_server" in file.read_text("utf-8")
    if is_edited:
        known = json.loads(file.read_text("utf-8"))
        file.write_text(json.dumps({"mcpServers": {**known["mcpServers"], "new": {}}}))
    ((state, _),) = installer.unregister(here, [])
    assert state == "removed"
    assert installer.unregister(here, [])[0][0] == "unchanged"
    if is_edited:
        assert "new" in json.loads(file.read_text("utf-8"))["mcpServers"]
    else:
        assert (file.read_text("utf-8") if file.exists() else None) == before


def command(agent: str, word: str, users: Path) -> list[str]:
    """How the agent runs the hook of an event, by the files that were written."""
    if agent == "copilot":
        file = json.loads((users / ".copilot/hooks/cortex.json").read_text("utf-8"))
        return shlex.split(file["hooks"][word][0]["bash"])
    if agent == "gemini":
        file = json.loads((users / ".gemini/extensions/cortex/hooks/hooks.json").read_text("utf-8"))
        return shlex.split(file["hooks"][word][0]["hooks"][0]["command"])
    plugin = (users / ".config/opencode/plugin/cortex.js").read_text("utf-8")
    found = re.search(r"^const HOOK = (\[.*\])$", plugin, re.MULTILINE)
    assert found
    return [*json.loads(found[1]), word]


@pytest.fixture
def stocked(project: Path) -> Iterator[Path]:
    with Cortex.open(project=project) as cortex:
        cortex.remember(RULE, kind="policy")
        cortex.sessions.pause()  # no worker may outlive the test
    yield project


@pytest.mark.skipif(sys.platform == "win32", reason="the agents run a shell")
@pytest.mark.parametrize("agent", NAMES)
def test_the_hooks_that_are_installed_give_memories(
    agent: str, users: Path, stocked: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    hook_install.connect(agents.of(agent).installer.plan(find(cwd=str(stocked))))
    for word, payload in (START[agent], PROMPT[agent]):
        # The second event is another session's: what one was given it is not given again.
        sent = {**payload, "cwd": str(stocked), "folder": str(stocked)}
        sent |= {
            name: f"{word}{sent[name]}" for name in ("sessionId", "session_id") if name in sent
        }
        sent |= {"session": f"ses_{word}"} if "session" in sent else {}
        done = subprocess.run(
            command(agent, word, users),
            input=json.dumps(sent).encode(),
            capture_output=True,
            env=clean_env(),
            cwd=os.sep,
            check=True,
        )
        assert RULE in done.stdout.decode(), (word, done.stderr)
        assert json.loads(done.stdout)
