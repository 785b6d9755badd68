"""`cortex install` and `cortex uninstall`, from the command line to the bytes on disk."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from cortex_core import demo
from cortex_core.agents import hook_command, hook_install, settings_file as claude_code_settings
from cortex_core.agents.claude import hook_entries, installer, registration
from cortex_core.base.errors import CortexError
from cortex_core.base.project import find
from tests.claude.conftest import Client
from tests.cli.conftest import Cli

OURS = hook_command.interpreter()
WANTED = hook_command.commands(
    {"hooks": {name: [one] for name, one in hook_command.groups(hook_entries.EVENTS, OURS).items()}}
)
QUICK = ("install", "--no-trial")
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("no_client")


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    "data",
    [
        b"{}",
        b"",
        b'{\r\n\t"model": "opus"\r\n}',
        b'\xef\xbb\xbf{\n  "a": 12345678901234567890.50\n}\n',
        '{"é": "\\u00e9 😀", "hooks": {"Stop": [{"hooks": []}]}}'.encode(),
    ],
)
def test_uninstall_leaves_every_byte_as_it_was(cortex: Cli, settings: Path, data: bytes) -> None:
    settings.write_bytes(data)
    settings.chmod(0o640)
    before = everything(settings.parent.parent)
    cortex.ok(*QUICK)
    assert settings.read_bytes() != data
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    cortex.ok("uninstall")
    assert everything(settings.parent.parent) == before
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640


def test_a_file_made_for_the_hooks_goes_with_them(cortex: Cli, project: Path) -> None:
    before = everything(project)
    for scope, name in (("project", "settings.json"), ("local", "settings.local.json")):
        cortex.ok(*QUICK, "--scope", scope)
        file = project / ".claude" / name
        assert hook_command.commands(json.loads(file.read_text())) == WANTED
    assert not (project.parent / "home" / ".claude" / "settings.json").exists()
    cortex.ok("uninstall")
    assert everything(project) == before
    assert not (project / ".claude").exists()


def test_again_changes_nothing(cortex: Cli, settings: Path) -> None:
    settings.write_text('{"model": "opus"}')
    cortex.ok(*QUICK)
    before, then = everything(settings.parent.parent), settings.stat().st_mtime_ns
    assert "The hooks are already in" in cortex.ok(*QUICK)
    assert everything(settings.parent.parent) == before
    assert settings.stat().st_mtime_ns == then


def test_a_timeout_that_was_raised_by_hand_stays(cortex: Cli, settings: Path) -> None:
    cortex.ok(*QUICK)
    settings.write_text(settings.read_text().replace('"timeout": 5', '"timeout": 20'))
    cortex.ok(*QUICK)
    assert '"timeout": 20' in settings.read_text()


def test_an_older_interpreter_is_replaced(cortex: Cli, settings: Path) -> None:
    other = hook_command.groups(hook_entries.EVENTS, ("/gone/bin/python", "-I"))
    kept = {"matcher": "Bash", "hooks": [{"type": "command", "command": "audit.sh"}]}
    told = {"hooks": {name: [group] for name, group in other.items()}, "model": "opus"}
    told["hooks"]["PreToolUse"].append(kept)  # type: ignore[index]
    settings.write_text(json.dumps(told, indent=2))
    cortex.ok(*QUICK)
    now = json.loads(settings.read_text())
    assert hook_command.commands(now) == WANTED
    assert kept in now["hooks"]["PreToolUse"]
    assert "/gone" not in settings.read_text()


def test_an_edit_in_between_survives_and_a_copy_is_kept(cortex: Cli, settings: Path) -> None:
    settings.write_text('{\n  "model": "opus"\n}\n')
    cortex.ok(*QUICK)
    settings.write_text(settings.read_text().replace('"opus"', '"haiku",\n  "added": true'))
    edited = settings.read_bytes()
    said = cortex.json("uninstall")[0]
    assert settings.read_text() == '{\n  "model": "haiku",\n  "added": true\n}\n'
    assert [Path(copy).read_bytes() for copy in said["backups"]] == [
        b'{\n  "model": "opus"\n}\n',
        edited,
    ]


def test_a_record_of_an_older_form_is_one(cortex: Cli, settings: Path, project: Path) -> None:
    cortex.ok(*QUICK, "--scope", "project")
    [record] = settings.parent.parent.rglob(f"{hook_install.FOLDER}/*.json")
    fields = json.loads(record.read_text())
    older = {name: fields[name] for name in fields if name not in ("hash", "before")}
    record.write_text(json.dumps(older | {"traces": {"hash": fields["hash"], "spans": []}}))
    cortex.ok("uninstall")
    assert not record.exists()
    assert not (project / ".claude").exists()


def test_a_copy_is_made_first(cortex: Cli, settings: Path) -> None:
    settings.write_text('{"model": "opus"}')
    told = cortex.json(*QUICK)[0]
    copy = Path(told["backup"])
    assert copy.read_text() == '{"model": "opus"}'
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ['{\n  // mine\n  "a": 1\n}', '{"a": 1,}', "[1]", "\ufeff{"])
def test_a_file_that_is_no_settings_is_refused(cortex: Cli, settings: Path, text: str) -> None:
    settings.write_text(text, encoding="utf-8")
    before = everything(settings.parent.parent)
    assert "Nothing was changed" in cortex.fails(1, *QUICK)
    assert "cannot be edited" in cortex.fails(1, "uninstall")
    assert everything(settings.parent.parent) == before


def test_bytes_that_are_no_text_are_refused(cortex: Cli, settings: Path) -> None:
    settings.write_bytes(b'{"a": "\xff\xfe"}')
    assert "not UTF-8" in cortex.fails(1, *QUICK)


def test_a_link_is_followed_and_stays(cortex: Cli, settings: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text('{"model": "opus"}')
    settings.symlink_to(real)
    cortex.ok(*QUICK)
    assert settings.is_symlink()
    assert "cortex_core.hook" in real.read_text()
    cortex.ok("uninstall")
    assert settings.is_symlink()
    assert real.read_text() == '{"model": "opus"}'


def test_a_change_by_another_program_is_not_lost(settings: Path, project: Path) -> None:
    settings.write_text("{}")
    plan = installer.plan(find(str(project))).plan
    settings.write_text('{"model": "opus"}')
    with pytest.raises(CortexError, match="another program"):
        hook_install.install(plan, str(project / "home"))
    assert settings.read_text() == '{"model": "opus"}'


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_is_told(cortex: Cli, settings: Path) -> None:
    settings.write_text("{}")
    settings.parent.chmod(0o500)
    try:
        assert "Nothing was changed" in cortex.fails(1, *QUICK)
    finally:
        settings.parent.chmod(0o700)
    assert settings.read_text() == "{}"


def test_dry_run_shows_the_change_and_makes_none(cortex: Cli, settings: Path) -> None:
    settings.write_text('{\n  "model": "opus"\n}\n')
    before = everything(settings.parent.parent)
    shown = cortex.ok("install", "--dry-run")
    assert '-  "model": "opus"\n' in shown and '+  "model": "opus",\n' in shown
    assert shown.startswith(f"--- {settings}\n+++ {settings}\n@@")
    assert cortex.json("install", "--dry-run")[0]["server"].startswith("claude mcp add -s user")
    assert everything(settings.parent.parent) == before
    cortex.ok(*QUICK)
    before = everything(settings.parent.parent)
    shown = cortex.ok("uninstall", "--dry-run")
    assert '-  "model": "opus",\n' in shown and '+  "model": "opus"\n' in shown
    assert everything(settings.parent.parent) == before


def test_install_says_that_conversations_are_kept(cortex: Cli) -> None:
    assert "config set archive.keep off --global" in cortex.ok(*QUICK)
    cortex.ok("config", "set", "archive.keep", "off", "--global")
    assert "archive" not in cortex.ok(*QUICK)


def test_uninstall_where_nothing_is_changes_nothing(cortex: Cli, settings: Path) -> None:
    settings.write_text('{"hooks": {}}')
    assert "Your memories are still in" in cortex.ok("uninstall")
    assert settings.read_text() == '{"hooks": {}}'


def test_uninstall_finds_what_was_installed_for_another_project(
    cortex: Cli, tmp_path: Path
) -> None:
    cortex.ok(*QUICK, "--scope", "project")
    other = Cli(tmp_path / "other")
    (other.project / ".git").mkdir(parents=True)
    other.ok("uninstall")
    assert not (cortex.project / ".claude").exists()


def test_scope_project_needs_a_project(scratch_home: Path) -> None:
    lost = find(str(scratch_home))
    with pytest.raises(CortexError, match="is not a project"):
        installer.plan(lost, "project")


def test_the_hooks_are_those_of_the_plugin() -> None:
    shipped = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    for event, group in hook_command.groups(hook_entries.EVENTS, OURS).items():
        ((plugin,),) = [listed["hooks"] for listed in shipped[event]]
        (ours,) = group["hooks"]
        assert shipped[event][0].get("matcher") == group.get("matcher")
        assert plugin["timeout"] == ours["timeout"]
        assert plugin["command"].split()[-1] == ours["args"][-1]
    assert set(shipped) == set(hook_command.groups(hook_entries.EVENTS, OURS))


def test_the_interpreter_is_absolute_and_has_the_packages() -> None:
    assert Path(OURS[0]).is_absolute() and OURS[1:] in (("-I",), ("-E", "-P"))
    hook_command.check_interpreter(OURS)
    if sys.prefix != sys.base_prefix:
        assert Path(OURS[0]).is_relative_to(os.path.realpath(sys.prefix))


def test_an_interpreter_without_cortex_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "python"
    empty.write_text("#!/bin/sh\nexit 1\n")
    empty.chmod(0o755)
    with pytest.raises(CortexError, match="not installed for"):
        hook_command.check_interpreter((str(empty), "-I"))
    with pytest.raises(CortexError, match="cannot be run"):
        hook_command.check_interpreter((str(tmp_path / "none"), "-I"))


def test_it_proves_itself(cortex: Cli, settings: Path) -> None:
    before = everything(settings.parent)
    told = cortex.json("install", "--no-server")[0]
    assert told["trial"] == "passed"
    changed = {name for name in everything(settings.parent) if name not in before}
    assert not any("lighthouse" in name for name in changed)


def test_a_trial_that_fails_is_told(tmp_path: Path) -> None:
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\nexit 0\n")
    silent.chmod(0o755)
    assert "the next session got none" in demo.try_hooks((str(silent), "-I"))


# --- the plugin


def enable(settings: Path, name: str, on: bool = True) -> None:
    settings.write_text(json.dumps({"enabledPlugins": {name: on}}))


def test_where_the_plugin_is_enabled_it_stops(cortex: Cli, settings: Path) -> None:
    enable(settings, "cortex@somewhere")
    before = settings.read_text()
    said = cortex.fails(1, *QUICK)
    assert "cortex@somewhere" in said and "claude plugin uninstall" in said
    assert settings.read_text() == before
    cortex.ok(*QUICK, "--force")
    assert "cortex_core.hook" in settings.read_text()
    assert "still enabled" in cortex.ok("uninstall")
    assert settings.read_text() == before


@pytest.mark.parametrize("name", ["cortex-audit@somewhere", "other@cortex"])
def test_other_plugins_are_no_reason_to_stop(cortex: Cli, settings: Path, name: str) -> None:
    enable(settings, name)
    cortex.ok(*QUICK)


def test_a_plugin_that_is_off_or_another_cortex_is_no_reason_to_stop(
    cortex: Cli, settings: Path, tmp_path: Path
) -> None:
    enable(settings, "cortex@somewhere", on=False)
    cortex.ok("install", "--dry-run")
    enable(settings, "cortex@elsewhere")
    registry = settings.parent / "plugins" / "installed_plugins.json"
    registry.parent.mkdir()
    place = {"installPath": str(tmp_path)}
    registry.write_text(json.dumps({"version": 2, "plugins": {"cortex@elsewhere": [place]}}))
    cortex.ok("install", "--dry-run")
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "launch.sh").write_text("python -m cortex_core.hook")
    cortex.fails(1, "install", "--dry-run")


# --- the MCP server


def test_the_server_is_registered_by_the_clients_command(cortex: Cli, client: Client) -> None:
    assert cortex.json(*QUICK)[0]["server"] == "registered"
    serve = " ".join([*OURS, "-m", "cortex_core.mcp_server"])
    assert client.asked == [f"1 mcp add -s user cortex -- {serve}"]
    client.knows(command=OURS[0], args=[*OURS[1:], "-m", "cortex_core.mcp_server"])
    assert cortex.json(*QUICK)[0]["server"] == "unchanged"
    assert cortex.json("uninstall")[0]["server"] == "removed"
    assert client.asked[1:] == ["1 mcp remove -s user cortex"]


def test_an_older_server_is_replaced_and_a_foreign_one_left(cortex: Cli, client: Client) -> None:
    client.knows(command="/gone/python", args=["-I", "-m", "cortex_core.mcp_server"])
    cortex.ok(*QUICK)
    assert [words.split()[2] for words in client.asked] == ["remove", "add"]
    client.knows(command="npx", args=["cortex-mcp-server"])
    assert cortex.json(*QUICK)[0]["server"] == "foreign"
    assert cortex.json("uninstall")[0]["server"] == "unchanged"
    assert len(client.asked) == 2


def test_a_projects_server_is_this_users_alone(project: Path) -> None:
    own = registration.server("project", find(str(project)))
    assert own.add[:5] == ("claude", "mcp", "add", "-s", "local")


def test_without_the_client_the_command_is_told(cortex: Cli) -> None:
    assert "run: claude mcp add -s user cortex -- " in cortex.ok(*QUICK)


def test_settings_are_read_as_they_are(settings: Path) -> None:
    settings.write_bytes(b"\xef\xbb\xbf{}\r\n")
    read = claude_code_settings.read(settings)
    assert (read.mark, read.text) == (claude_code_settings.BYTE_ORDER_MARK, "{}\r\n")


def test_a_server_of_another_project_goes_too(cortex: Cli, client: Client, tmp_path: Path) -> None:
    cortex.ok(*QUICK, "--scope", "local")
    server = {"command": OURS[0], "args": [*OURS[1:], "-m", "cortex_core.mcp_server"]}
    known = {str(cortex.project): {"mcpServers": {"cortex": server}}}
    client.state.write_text(json.dumps({"projects": known}))
    other = Cli(tmp_path / "other")
    (other.project / ".git").mkdir(parents=True)
    assert other.json("uninstall")[0]["server"] == "removed"
    assert client.asked[-1] == "1 mcp remove -s local cortex"


def test_what_was_last_given_is_not_left_lying(cortex: Cli, project: Path) -> None:
    cortex.remember("Use pnpm, never npm", "--pin")
    cortex.ok(*QUICK)
    file = project / ".claude" / "cortex-memory.local.md"
    file.parent.mkdir()
    file.write_text("mine\n<!-- cortex:start -->\nold\n<!-- cortex:end -->\n")
    cortex.ok("uninstall")
    assert file.read_text() == "mine\n"
    assert len(cortex.json("list")) == 1


def test_settings_that_keep_hooks_from_running_are_told(cortex: Cli, settings: Path) -> None:
    settings.write_text('{"disableAllHooks": true}')
    assert "disableAllHooks" in cortex.run(*QUICK).stderr
    assert "--scope local" in cortex.run(*QUICK, "--scope", "project").stderr
    assert "Note" not in cortex.run(*QUICK, "--scope", "local").stderr
