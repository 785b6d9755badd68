"""The guard that is there from the start: an agent that changes what is Cortex's own is asked
about, and a guard that was switched off or changed past the journal is said."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.doctor import examine
from cortex_core.hook_events import answering
from cortex_core.surface import guard_faults
from cortex_core.triggers import syntax
from tests.conftest import made

ASKED = (
    "cortex trigger off --all",
    "cortex --project . trigger guard 1f3a remind",
    "cortex trigger set 1f3a 'Bash(x)'",
    "cd /tmp && cortex pause",
    "cortex trust",
    "cortex config set triggers.on false",
    "cortex config set triggers.on false --global",
    "sqlite3 .memory/cortex.db 'UPDATE memory SET guard = 1'",
    "python3 -c 'import sqlite3; sqlite3.connect(\".memory/cortex.db\")'",
    "python3 - <<'E'\nimport sqlite3\nsqlite3.connect('.memory/cortex.db')\nE",
    'node -e \'new (require("better-sqlite3"))(".memory/cortex.db")\'',
    "echo '[triggers]' > .memory/config.toml",
    "sed -i s/true/false/ .memory/config.toml",
    "rm -rf .memory",
    "touch .memory/paused",
    "cp x {home}/config.toml",
)
FREE = (
    "cortex list",
    "cortex remember 'Use pnpm'",
    "cortex trigger list",
    "cortex config get triggers.on",
    "cat .memory/config.toml",
    "ls .memory",
    "git log --grep cortex",
    "python3 cortex.py",
    "npm test",
)


def hook(project: Path, event: str, **fields: object) -> dict[str, object]:
    payload = {"hook_event_name": event, "session_id": "s", "cwd": str(project), **fields}
    answer = answering.answer("", json.dumps(payload).encode())
    return dict(json.loads(answer)) if answer else {}


def decision(project: Path, tool: str, **given: object) -> object:
    told = hook(project, "PreToolUse", tool_name=tool, tool_input=given)
    inner = told.get("hookSpecificOutput")
    return inner.get("permissionDecision") if isinstance(inner, dict) else None


def warned(project: Path) -> str:
    return str(hook(project, "SessionStart", source="startup").get("systemMessage", ""))


@pytest.mark.parametrize(("commands", "wanted"), [(ASKED, "ask"), (FREE, None)])
def test_commands(project: Path, commands: tuple[str, ...], wanted: str | None) -> None:
    home = os.environ["CORTEX_HOME"]
    for command in commands:
        found = decision(project, "Bash", command=command.replace("{home}", home))
        assert found == wanted, command


@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_files(project: Path, tool: str) -> None:
    home = Path(os.environ["CORTEX_HOME"])
    for path in (project / ".memory" / "config.toml", home / "config.toml", home / "trust" / "x"):
        assert decision(project, tool, file_path=str(path), content="x") == "ask", path
    for path in (project / "docs" / "memory.md", project / ".claude" / "settings.json"):
        assert decision(project, tool, file_path=str(path), content="cortex") is None, path


def test_no_setting_of_a_project_switches_it_off(project: Path) -> None:
    (made(project) / "config.toml").write_text("[triggers]\non = false\n")
    assert decision(project, "Bash", command="cortex pause") == "ask"


@pytest.fixture
def guarding(project: Path) -> str:
    """The id of a memory that refuses `rm -rf`."""
    with Cortex.open(project) as cortex:
        memory = cortex.remember("Never run rm -rf unasked", kind="policy", scope="global")
        cortex.memories.triggers.set(memory.id, ["!Bash(rm -rf)"])
        cortex.memories.triggers.guard(memory.id, "deny")
    assert "guard" not in warned(project)
    return memory.id


def tampered(sql: str) -> None:
    store = Path(os.environ["CORTEX_HOME"], "cortex-global.db")
    with closing(sqlite3.connect(store)) as database:
        database.execute(sql)
        database.commit()


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("UPDATE memory SET guard = 'remind'", "its guard is not what Cortex wrote"),
        ("UPDATE memory SET triggers = '[]'", "its triggers is not what Cortex wrote"),
        ("UPDATE memory SET status = 'archived'", "its status is not what Cortex wrote"),
        ("DELETE FROM memory", "was removed, not by Cortex"),
    ],
)
def test_a_guard_that_was_changed_past_the_journal_is_said(
    project: Path, guarding: str, sql: str, words: str
) -> None:
    tampered(sql)
    assert words in warned(project) and words in warned(project)
    (check,) = (one for one in examine.CHECKS if one.name == "guards")
    (result,) = examine.run(project, checks=[check])
    assert (result.state, words in result.sentence) == ("failed", True)


def test_a_guard_that_is_off_is_said_and_one_that_acts_is_not(project: Path, guarding: str) -> None:
    with Cortex.open(project) as cortex:
        cortex.memories.triggers.switch(on=False)
        assert "All guards are off" in warned(project)
        cortex.memories.triggers.switch(on=True)
        assert warned(project) == ""
        cortex.memories.triggers.set(guarding, ())
        assert "it has no trigger" in warned(project)
        cortex.undo()
        assert warned(project) == ""
        cortex.forget(guarding)
        assert warned(project) == ""


def test_a_guard_is_not_off_where_an_agent_named_calls_at_which_it_reminds(
    project: Path, guarding: str
) -> None:
    with Cortex.open(project) as cortex:
        triggers = cortex.memories.triggers
        triggers.guard(guarding, "remind")
        (found,) = triggers.find(guarding)
        triggers.propose(found, ["!Bash(make vendor)"], "")
        triggers.guard(guarding, "deny")
        assert len(cortex.show(guarding).triggers) == 2
    assert "guard" not in warned(project)


def test_a_guard_that_no_hook_would_find_is_off(project: Path, guarding: str) -> None:
    with Cortex.open(project) as cortex:
        cortex.give(guarding, "never")
    assert decision(project, "Bash", command="rm -rf build") is None
    assert "it did not stop a call that it must stop" in warned(project)


@pytest.mark.parametrize(
    "line",
    [
        "!Bash(rm -rf)",
        "!Bash(npm run:*)",
        "!Edit(src/**/*.sql)",
        "!Read(docs/**)",
        "Text(Co-Authored-By)",
        "mcp__github__merge_*",
    ],
)
def test_a_call_is_made_up_for_each_form(line: str) -> None:
    assert guard_faults.example(syntax.parse(line)), line


def test_settings_of_a_file_that_git_tracks_protect_no_less(project: Path, guarding: str) -> None:
    (made(project) / "config.toml").write_text("[triggers]\non = false\n[surface]\ntokens = 321\n")
    (project / ".git" / "index").write_bytes(b"DIRC\0\0\0\2" + b".memory/config.toml\0\0")
    assert decision(project, "Bash", command="rm -rf build") == "deny"
    assert "triggers.on, which is not used" in warned(project)
    with Cortex.open(project) as cortex:
        assert cortex.config.get("surface.tokens") == 321
