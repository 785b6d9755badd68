"""Choosing a language model from the command line: told what it means, and asked once."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.base import config as configuration
from cortex_core.base.project import find
from cortex_core.cli import settings_commands
from cortex_core.cli.command import Run
from cortex_core.cli.main import cli
from tests.transcript_samples import Sample


def run(project: Path, *words: str) -> str:
    done = CliRunner().invoke(cli, [*words, "--project", str(project)])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_choosing_says_what_is_sent_to_whom_and_what_it_costs(project: Path) -> None:
    told = run(project, "config", "set", "extractor", "api")
    for words in (
        "extractor is api",
        "Anthropic API",
        "without secrets",
        "limit of a day",
    ):
        assert words in told
    assert "No model reads" in run(project, "config", "set", "extractor", "rules")


def test_status_shows_what_today_has_cost_of_the_cap(project: Path) -> None:
    assert "spent today" not in run(project, "status")
    run(project, "config", "set", "extractor", "claude")
    told = run(project, "status")
    assert "extractor claude, $0.0000 of $0.15 spent today" in told
    run(project, "config", "set", "extractor", "codex")
    told = run(project, "status")
    assert "extractor codex, 0 tokens of Codex today, 0% of the daily limit" in told


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The questions that a user at a terminal was asked with their defaults, which they take."""
    asked: list[tuple[str, bool]] = []
    monkeypatch.setattr(settings_commands, "at_terminal", lambda: True)
    monkeypatch.delenv("CI", raising=False)

    def confirm(words: str, default: bool) -> bool:
        asked.append((words, default))
        return default

    monkeypatch.setattr(click, "confirm", confirm)
    return asked


def offered(project: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, object]:
    """What the question said, and the user's choice afterwards; None if there is none."""
    run = Run()
    with Cortex.open(project) as run.cortex:
        settings_commands.offer(run)
    config = configuration.load(find(explicit=str(project)))
    chosen = config.get("extractor") if "extractor" in config.changed else None
    return " ".join(capsys.readouterr().out.split()), chosen


def test_in_a_pipe_and_in_continuous_integration_nobody_is_asked(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = (
        "Only rules on this machine read your sessions. To choose who reads your sessions: cortex"
    )
    assert offered(project, capsys) == (f"{told} config set extractor auto --global", None)
    monkeypatch.setattr(settings_commands, "at_terminal", lambda: True)
    monkeypatch.setenv("CI", "true")
    assert offered(project, capsys) == (f"{told} config set extractor auto --global", None)


@pytest.mark.parametrize(("command", "chosen"), [("codex", "auto"), ("", "rules")])
def test_a_user_is_asked_once_and_yes_is_proposed_where_a_client_is(
    command: str,
    chosen: str,
    project: Path,
    asked: list[tuple[str, bool]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    if command:
        (folder / command).write_text("#!/bin/sh\n")
        (folder / command).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), "/usr/bin", "/bin")))
    told, answer = offered(project, capsys)
    assert answer == chosen and offered(project, capsys) == ("", chosen)
    assert asked == [("May a model read your sessions?", bool(command))]
    for words in (
        "without secrets",
        "Anthropic API",
        "codex command to OpenAI",
        "limit of a day",
    ):
        assert words in told
    assert "Your last" not in told


def test_it_says_what_the_users_own_last_sessions_would_have_cost(
    project: Path, scratch_home: Path
) -> None:
    for place in ("one", "other"):
        folder = scratch_home / ".claude" / "projects" / place
        folder.mkdir(parents=True)
        for number in range(8):
            sample = Sample(f"{place}-{number}", cwd=str(project))
            sample.human("Where should it run? " * 400).write(folder)
    (folder / "broken.jsonl").write_bytes(b"\0" * 100)
    with Cortex.open(project) as cortex:
        told = cortex.llm.offer()
    assert "Your last 10 sessions would have taken about" in told
    tokens = int(told.split("taken about ")[1].split(" ")[0].replace(",", ""))
    assert 70_000 < tokens < 90_000
    assert "$0.01 with claude-haiku-5-5" in told


def test_who_does_not_answer_has_not_chosen(
    project: Path,
    asked: list[tuple[str, bool]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def abort(words: str, default: bool) -> bool:
        raise click.Abort

    monkeypatch.setattr(click, "confirm", abort)
    told, chosen = offered(project, capsys)
    assert chosen is None and "Nothing was chosen. To choose" in told
