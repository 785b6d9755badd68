"""The repository as a plugin: manifests, the launcher, and skills that do what they say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from cortex_core import Cortex, __version__
from cortex_core.base.text import tokens
from cortex_core.cli.main import cli

ROOT = Path(__file__).parents[2]
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
LAUNCHER = ROOT / "bin" / "cortex"
CALLED = '"${CLAUDE_PLUGIN_ROOT}/bin/cortex"'
"""How the skills call the command line."""


@pytest.fixture
def environment(clean_env: Callable[..., dict[str, str]]) -> dict[str, str]:
    """A session with the plugin, and no `cortex` on PATH."""
    return clean_env(
        CLAUDE_PLUGIN_ROOT=str(ROOT), CORTEX_PYTHON=sys.executable, PATH="/usr/bin:/bin"
    )


def test_manifests_agree_with_the_package() -> None:
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    assert plugin["name"] == "cortex"
    assert plugin["version"] == __version__
    (listed,) = market["plugins"]
    assert (listed["name"], listed["source"]) == ("cortex", "./")
    assert market["name"] and market["owner"]["name"]


def test_the_server_is_started_by_the_launcher(project: Path, environment: dict[str, str]) -> None:
    (server,) = json.loads((ROOT / ".mcp.json").read_text())["mcpServers"].values()
    words = [word.replace("${CLAUDE_PLUGIN_ROOT}", str(ROOT)) for word in server["args"]]
    asked = {"jsonrpc": "2.0", "id": 3, "method": "server/discover"}
    done = subprocess.run(
        [server["command"], *words],
        input=json.dumps(asked) + "\n",
        env=environment,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["error"]["code"] == -32601


def launched(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(LAUNCHER), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_launcher_runs_the_command_line(environment: dict[str, str]) -> None:
    assert launched(environment, "--version").stdout == f"cortex {__version__}\n"


def test_the_launcher_finds_the_command_behind_itself(
    environment: dict[str, str], tmp_path: Path
) -> None:
    copy = tmp_path / "plugin"
    for name in ("bin/cortex", "hooks/python.sh"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    foreign, real = tmp_path / "foreign", tmp_path / "real"
    for folder, first in ((foreign, "#!/usr/bin/env ruby"), (real, f"#!{sys.executable}")):
        folder.mkdir()
        (folder / "cortex").write_text(first + "\n")
        (folder / "cortex").chmod(0o755)
    path = f"{copy / 'bin'}:{foreign}:{real}:/usr/bin:/bin"
    env = {**environment, "PATH": path, "CLAUDE_PLUGIN_ROOT": str(copy)}
    del env["CORTEX_PYTHON"]
    done = subprocess.run(
        ["cortex", "--version"], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == f"cortex {__version__}\n", done.stderr
    shutil.rmtree(real)
    missing = subprocess.run(
        ["cortex", "--version"], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "pipx install" in missing.stderr


# --- skills


def front(skill: Path) -> dict[str, str]:
    """The fields of a skill's frontmatter."""
    head = skill.read_text(encoding="utf-8").split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines())


MODEL_MAY_CALL = ("recall", "remember", "inspect", "onboarding")


def test_there_are_the_skills_that_are_promised() -> None:
    names = {skill.parent.name for skill in SKILLS}
    assert {
        "recall",
        "remember",
        "learn",
        "forget",
        "consolidate",
        "inspect",
        "onboarding",
        "index-code",
    } <= names


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.parent.name)
def test_a_skill_says_when_to_use_it(skill: Path) -> None:
    fields = front(skill)
    asked_only = fields.get("disable-model-invocation") == "true"
    assert fields["name"] == skill.parent.name
    assert 60 < len(fields["description"]) <= 1024
    assert ": " not in fields["description"]
    assert asked_only == (skill.parent.name not in MODEL_MAY_CALL)
    assert asked_only or "Use " in fields["description"]
    assert fields["allowed-tools"] == f"Bash({CALLED} *)"
    assert tokens(skill.read_text(encoding="utf-8")) < 700


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.parent.name)
def test_every_command_of_a_skill_exists(skill: Path) -> None:
    text = skill.read_text(encoding="utf-8")
    called = re.findall(re.escape(CALLED) + r" ([a-z][^`\n]*)", text)
    called += re.findall(r"`cortex ([a-z][^`]*)`", text)
    assert called
    for call in called:
        command: click.Command | None = cli
        for word in call.split():
            if isinstance(command, click.Group) and word.islower():
                command = command.get_command(click.Context(command), word)
                assert command is not None, call
        assert command is not None
        known = {name for option in command.params for name in option.opts}
        assert {word for word in call.split() if word.startswith("--")} <= known, call


def blocks(text: str) -> Iterator[str]:
    """The commands that the client runs when a skill is called."""
    yield from re.findall(r"```!\n(.*?)\n```", text, re.DOTALL)


def called(text: str, arguments: str, environment: dict[str, str], project: Path) -> str:
    """What a skill's commands print, its arguments put in as the client does."""
    said = ""
    for block in blocks(text):
        done = subprocess.run(
            ["bash", "-c", block.replace("$ARGUMENTS", arguments)],
            env=environment,
            cwd=project,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said += done.stdout + done.stderr
    return said


def test_remember_and_recall_reach_the_store(
    project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    text = {skill.parent.name: skill.read_text(encoding="utf-8") for skill in SKILLS}
    trap = f'it\'s "quoted" `touch {tmp_path}/a` $(touch {tmp_path}/b) and ; more'
    said = called(text["remember"], f"Releases leave on Fridays: {trap}", environment, project)
    with Cortex.open(project) as cortex:
        (memory,) = cortex.list()
    assert memory.content == f"Releases leave on Fridays: {trap}"
    assert memory.id[:8] in said
    assert not (tmp_path / "a").exists() and not (tmp_path / "b").exists()
    assert memory.id[:8] in called(text["recall"], "when do releases leave", environment, project)
    assert memory.id[:8] in called(text["forget"], "Fridays", environment, project)
    given = '--type decision --priority 10 --pin "We use Caddy"'
    assert "We use Caddy" in called(text["remember"], given, environment, project)
    with Cortex.open(project) as cortex:
        (pinned,) = cortex.list(kinds=["decision"])
    assert (pinned.content, pinned.priority, pinned.pinned) == ("We use Caddy", 10, True)
    said = called(text["recall"], "--keyword --type decision caddy Fridays", environment, project)
    assert pinned.id[:8] in said and memory.id[:8] not in said
    for name in ("consolidate", "inspect", "onboarding"):
        assert called(text[name], "", environment, project), name
    assert "Nothing was changed" in called(text["remember"], "", environment, project)
