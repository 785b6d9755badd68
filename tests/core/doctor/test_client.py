"""Outages on Claude Code's side, made and found."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cortex_core.agents import hook_command
from cortex_core.agents.claude import checks as claude_checks, hook_entries
from cortex_core.doctor import connection_checks, examine
from cortex_core.doctor.examine import CHECKS
from tests.conftest import made
from tests.core.doctor.conftest import Look

PYTHON = (sys.executable, "-P")
Write = Callable[..., Path]


@pytest.fixture
def settings(scratch_home: Path) -> Write:
    """`settings({...})`: the client's settings file with this in it."""

    def write(value: Any, path: Path | None = None) -> Path:
        path = path or scratch_home / ".claude" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        told = value if isinstance(value, str) else json.dumps(value)
        path.write_text(told, encoding="utf-8")
        return path

    return write


def hooks(python: tuple[str, ...] = PYTHON) -> dict[str, Any]:
    return {
        event: [group] for event, group in hook_command.groups(hook_entries.EVENTS, python).items()
    }


@pytest.mark.parametrize("name", ["claude", "hook-interpreter", "hooks-enabled", "settings-files"])
def test_a_sound_installation_is_well(name: str, settings: Write, look: Look) -> None:
    settings({"hooks": hooks(hook_command.interpreter())})
    assert look(name).state == "ok", look(name)


def test_the_hooks_answer(settings: Write, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    # How busy this machine is says nothing of the hooks.
    monkeypatch.setattr(connection_checks, "SLOW", 60.0)
    monkeypatch.setattr(connection_checks, "END", 60.0)
    settings({"hooks": hooks()})
    for name in ("hooks-answer", "hook-speed"):
        assert look(name).state == "ok", look(name)


def test_a_session_is_captured(settings: Write, look: Look) -> None:
    settings({"hooks": hooks()})
    assert look("capture-trial").state == "ok"


def test_no_hooks(look: Look) -> None:
    assert look("claude").next_step == "Run: cortex install"


def test_the_repair_connects(project: Path, scratch_home: Path) -> None:
    checks = [one for one in CHECKS if one.name == "claude"]
    (result,) = examine.run(project, fix=True, checks=checks)
    assert (result.state, "cortex uninstall" in result.fixed) == ("ok", True)
    assert "cortex_core.hook" in (scratch_home / ".claude" / "settings.json").read_text()


def test_a_hook_is_missing(settings: Write, look: Look) -> None:
    listed = hooks()
    del listed["SessionEnd"]
    settings({"hooks": listed})
    found = look("claude")
    assert (found.state, "SessionEnd" in found.sentence) == ("failed", True)


def test_hooks_twice_in_one_file(settings: Write, look: Look) -> None:
    settings({"hooks": {event: groups * 2 for event, groups in hooks().items()}})
    assert look("claude").state == "warning"


def test_hooks_in_two_files(settings: Write, project: Path, look: Look) -> None:
    settings({"hooks": hooks()})
    settings({"hooks": hooks()}, project / ".claude" / "settings.json")
    assert "twice" in look("claude").sentence


def test_hooks_and_the_plugin(settings: Write, look: Look) -> None:
    settings({"hooks": hooks(), "enabledPlugins": {"cortex@cortex": True}})
    found = look("claude")
    assert (found.state, "plugin cortex@cortex" in found.sentence) == ("warning", True)


def test_the_plugin_alone_is_exercised(settings: Write, scratch_home: Path, look: Look) -> None:
    settings({"enabledPlugins": {"cortex@cortex": True}})
    checkout = Path(__file__).resolve().parents[3]
    settings(
        {"plugins": {"cortex@cortex": [{"installPath": str(checkout)}]}},
        scratch_home / ".claude" / "plugins" / "installed_plugins.json",
    )
    assert look("claude").state == "ok"
    found = look("hooks-answer")
    assert found.state == "ok", found


@pytest.mark.parametrize("listed", [["cortex@cortex"], {"cortex@cortex": [3]}, None])
def test_a_list_of_plugins_that_says_nothing_of_ours(
    listed: Any, settings: Write, scratch_home: Path, look: Look
) -> None:
    settings({"enabledPlugins": {"cortex@cortex": True}})
    settings({"plugins": listed}, scratch_home / ".claude" / "plugins" / "installed_plugins.json")
    assert look("claude").state == "ok"
    assert look("hook-interpreter").state == "skipped"


def test_a_python_that_is_gone(settings: Write, look: Look, tmp_path: Path) -> None:
    settings({"hooks": hooks((str(tmp_path / "gone" / "python"), "-I"))})
    found = look("hook-interpreter")
    assert (found.state, "cannot be run" in found.sentence) == ("failed", True)
    assert look("hooks-answer").state == "failed"


def test_a_python_without_cortex(settings: Write, look: Look) -> None:
    settings({"hooks": hooks((sys.executable, "-S"))})
    found = look("hook-interpreter")
    assert (found.state, "is not installed for" in found.sentence) == ("failed", True)
    assert "gave nothing" in look("hooks-answer").sentence or look("hooks-answer").state == "failed"


def test_hooks_turned_off(settings: Write, look: Look) -> None:
    settings({"disableAllHooks": True})
    assert look("hooks-enabled").state == "failed"


def test_hooks_forbidden(
    settings: Write, look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed = settings({"allowManagedHooksOnly": True}, tmp_path / "managed.json")
    monkeypatch.setattr(claude_checks, "MANAGED", (managed,))
    assert look("hooks-enabled").state == "failed"


def test_settings_that_are_no_json(settings: Write, look: Look) -> None:
    settings('{"hooks": {},}')
    assert look("settings-files").state == "failed"


def test_a_mistake_in_the_configuration(project: Path, look: Look) -> None:
    made(project)
    (project / ".memory" / "config.toml").write_text("surface.tokens = 'many'", encoding="utf-8")
    found = look("configuration")
    assert (found.state, "surface.tokens" in found.sentence) == ("failed", True)


def _command(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "cortex").write_text(text, encoding="utf-8")
    (folder / "cortex").chmod(0o755)


def test_another_program_called_cortex(
    look: Look, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _command(tmp_path / "theirs", "#!/bin/sh\necho not a memory\n")
    _command(tmp_path / "ours", f"#!{sys.executable}\nfrom cortex_core.cli.main import main\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'theirs'}{os.pathsep}{tmp_path / 'ours'}")
    assert look("path").state == "warning"
    monkeypatch.setenv("PATH", f"{tmp_path / 'ours'}{os.pathsep}{tmp_path / 'theirs'}")
    found = look("path")
    assert (found.state, "another program" in found.sentence) == ("ok", True)


@pytest.mark.parametrize(
    ("server", "state"),
    [
        ({"command": "node", "args": ["x.js"]}, "warning"),
        ({"command": "/gone/python", "args": ["-m", "cortex_core.mcp_server"]}, "failed"),
        ({"command": sys.executable, "args": ["-m", "cortex_core.mcp_server"]}, "ok"),
    ],
)
def test_the_mcp_server(
    server: dict[str, Any], state: str, settings: Write, scratch_home: Path, look: Look
) -> None:
    settings({"mcpServers": {"cortex": server}}, scratch_home / ".claude" / ".claude.json")
    assert look("mcp-server").state == state


FAKE = """
import json, os, sys
payload = json.load(sys.stdin)
event = payload["hook_event_name"]
{body}
"""


def _fake(tmp_path: Path, body: str) -> dict[str, Any]:
    """Hooks that run a script in place of ours; its arguments still name our module."""
    script = tmp_path / "hook.py"
    script.write_text(FAKE.format(body=body), encoding="utf-8")
    return hooks((sys.executable, str(script)))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("sys.exit(2)", "exited with 2"),
        ("print(json.dumps({'additionalContext': 'make ship'}))", "does not read"),
        ("print('{\"broken')", "does not read"),
        ("pass", "wrote no record"),
        ("print('hello')", "PreCompact printed something"),
    ],
)
def test_hooks_that_are_there_and_do_not_work(
    body: str, told: str, tmp_path: Path, settings: Write, look: Look
) -> None:
    settings({"hooks": _fake(tmp_path, body)})
    found = look("hooks-answer")
    assert (found.state, told in found.sentence) == ("failed", True), found.sentence


def test_hooks_that_a_repository_brings_are_not_run(
    tmp_path: Path, settings: Write, project: Path, look: Look
) -> None:
    mark = tmp_path / "ran"
    listed = _fake(tmp_path, f"open({str(mark)!r}, 'w').close()")
    for group in (group for groups in listed.values() for group in groups):
        command = group["hooks"][0]
        group["hooks"] = [
            {"type": "command", "command": " ".join([command["command"], *command["args"]])}
        ]
    path = settings({"hooks": listed}, project / ".claude" / "settings.json")
    for name in ("hooks-answer", "hook-interpreter", "capture-trial"):
        look(name)
    assert not mark.exists()
    assert str(path) in look("claude").sentence


def test_hooks_of_a_project_that_we_installed_are_tried(project: Path, look: Look) -> None:
    from cortex_core.agents import hook_install
    from cortex_core.agents.claude import hook_entries, install
    from cortex_core.base.project import find

    there = find(explicit=str(project))
    groups = hook_command.groups(hook_entries.EVENTS, PYTHON)
    file = install.settings_path("local", there)
    hook_install.install(hook_install.plan("claude", file, "local", groups, there.home), there.home)
    found = look("hooks-answer")
    assert (found.state, "not installed" in found.sentence) == ("ok", False)


def test_hooks_that_are_slow(settings: Write, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    settings({"hooks": hooks()})
    monkeypatch.setattr(connection_checks, "SLOW", 0.001)
    assert look("hook-speed").state == "warning"
    monkeypatch.setattr(connection_checks, "END", 0.001)
    assert look("hook-speed").state == "failed"


def test_a_capture_that_learns_nothing(settings: Write, look: Look) -> None:
    settings({"hooks": hooks((sys.executable, "-S"))})
    assert look("capture-trial").state == "failed"


def test_every_check_has_its_words() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "troubleshooting.md"
    told = [
        line[4:] for line in page.read_text(encoding="utf-8").splitlines() if line[:4] == "### "
    ]
    assert told == [check.name for check in CHECKS]
