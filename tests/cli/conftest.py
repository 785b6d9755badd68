"""The command line as these tests run it: in this process, on a real project of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cortex_core import Cortex
from cortex_core.cli.main import cli


class Cli:
    """Runs `cortex` for one project."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self._runner = CliRunner()

    def run(self, *words: str, input: str | bytes | None = None) -> Result:
        """`cortex --project PROJECT WORDS…`, whatever comes of it; a fault of Cortex fails."""
        done = self._runner.invoke(cli, ["--project", str(self.project), *words], input=input)
        assert "Internal error" not in done.stderr, done.stderr
        return done

    def ok(self, *words: str, input: str | bytes | None = None) -> str:
        """What it prints; the exit code has to be 0."""
        done = self.run(*words, input=input)
        assert done.exit_code == 0, (words, done.exit_code, done.stderr)
        return done.stdout

    def fails(self, code: int, *words: str, input: str | bytes | None = None) -> str:
        """What it says on stderr; the exit code has to be `code`."""
        done = self.run(*words, input=input)
        assert done.exit_code == code, (words, done.exit_code, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stderr

    def json(self, *words: str, input: str | bytes | None = None) -> list[dict[str, Any]]:
        """The objects that `--json` prints, one a line."""
        return lines(self.ok(*words, "--json", input=input))

    def remember(self, content: str, *options: str) -> str:
        """The id of a new memory."""
        return str(self.json("remember", content, *options)[0]["id"])


def lines(printed: str) -> list[dict[str, Any]]:
    """Each line of `printed` as the object it has to be."""
    found = [json.loads(line) for line in printed.splitlines()]
    assert all(isinstance(each, dict) for each in found)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that Cortex takes for a repository on branch `main`; no git has to run for it."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return root


@pytest.fixture
def cortex(project: Path) -> Cli:
    """The command line on an empty project."""
    return Cli(project)


@pytest.fixture
def filled(cortex: Cli) -> Cli:
    """The command line on a project with three memories."""
    with Cortex.open(cortex.project) as store:
        store.remember("Use pnpm, never npm", kind="preference", tags=("tools",))
        store.remember("We chose SQLite because nothing has to be installed", kind="decision")
        store.remember(
            "Token refresh races when two tabs wake together",
            kind="gotcha",
            files=("src/auth/*.ts",),
        )
    return cortex


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """`write(name, text)`: a file with this text; its path."""

    def make(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return str(path)

    return make
