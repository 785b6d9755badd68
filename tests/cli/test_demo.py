"""The demo is apart from the user's own agents and memories, and shows what Cortex is for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core import demo as demos, prove
from cortex_core.cli import installing_commands, output
from cortex_core.cli.main import cli
from cortex_core.demo import Demo
from cortex_core.store import leftovers

ROOT = Path(__file__).parents[2]


def test_its_programs_know_nothing_of_the_users_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = str(tmp_path / "own")
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "CORTEX_HOME", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, own)
    made = Demo(tmp_path / "demo", ()).environment()
    assert own not in made.values()
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "CORTEX_HOME"):
        assert made[name].startswith(str(tmp_path / "demo"))


def test_its_app_has_all_else_of_the_users_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    before, inside = dict(os.environ), dict[str, str]()

    def run(_say: object, show: Callable[[Demo], None]) -> int:
        show(Demo(Path("demo"), ()))
        return 0

    monkeypatch.setattr(demos, "run", run)
    monkeypatch.setattr(installing_commands, "at_terminal", lambda: True)
    monkeypatch.setattr(output, "watched", lambda _: True)
    monkeypatch.setattr(installing_commands, "_open_app", lambda **_: inside.update(os.environ))
    assert CliRunner().invoke(cli, ["demo"]).exit_code == 0
    assert inside["PATH"] == before["PATH"] and inside["HOME"] != before["HOME"]
    assert dict(os.environ) == before


HELD = """
import sys
from cortex_core import demo
with demo.scratch() as made:
    made.project.mkdir()
    print(made.project.parent, flush=True)
    sys.stdin.read()
"""
"""A demo that goes on until it is killed."""


def test_what_a_killed_demo_left_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean_env: Callable[..., dict[str, str]]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", HELD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=clean_env(TMPDIR=str(tmp_path), PYTHONPATH=str(ROOT)),
    ) as demo:
        assert demo.stdout is not None
        folder = Path(demo.stdout.readline().strip())
        assert folder.parent == tmp_path
        leftovers.sweep_scratch()
        assert (folder / "lighthouse").is_dir(), "it is at work"
        demo.kill()
        demo.wait()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes").touch()
    link = tmp_path / f"cortex-{demo.pid}-link"
    link.symlink_to(mine)
    leftovers.sweep_scratch()
    assert not folder.exists()
    assert link.is_symlink() and (mine / "notes").exists()


def test_its_question_is_answered_first_and_its_past_proves_something(tmp_path: Path) -> None:
    made = Demo(tmp_path)
    made.remember_the_past()
    with made.open() as cortex:
        cortex.remember(
            "Releases go out through `make ship`: it tags the commit first and uploads the "
            "packages after that."
        )
        assert "make ship" in cortex.recall(demos.QUESTION).hits[0].memory.title
        assert [one.type for one in cortex.review.queue()] == ["supersede", "supersede", "merge"]
        proof = prove.prove(cortex, [made.home])
    assert [one.line for one in proof.spared] == ["Never push to main; open a pull request."]
    assert not any(one.shuffled for one in proof.benefits)
