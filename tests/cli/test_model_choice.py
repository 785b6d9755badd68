"""Choosing a language model from the command line: told what it means, and asked once."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.base.project import find
from cortex_core.cli import settings_commands
from cortex_core.cli.main import cli


def run(project: Path, *words: str) -> str:
    done = CliRunner().invoke(cli, [*words, "--project", str(project)])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_choosing_says_what_is_sent_to_whom_and_what_it_costs(project: Path) -> None:
    told = run(project, "config", "set", "extractor", "api")
    for words in ("extractor is api", "Anthropic API", "without secrets", "$0.15 a day"):
        assert words in told
    assert "No model reads" in run(project, "config", "set", "extractor", "rules")


def test_status_shows_what_today_has_cost_of_the_cap(project: Path) -> None:
    assert "spent today" not in run(project, "status")
    run(project, "config", "set", "extractor", "claude")
    told = run(project, "status")
    assert "extractor claude, $0.0000 of $0.15 spent today" in told


def test_without_a_person_nothing_is_chosen(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings_commands.offer(find(explicit=str(project)))
    assert "cortex config set extractor auto" in " ".join(capsys.readouterr().out.split())
    with Cortex.open(project) as cortex:
        assert "extractor" not in cortex.config.changed


def test_a_person_is_asked_once_for_all_projects(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(settings_commands, "at_terminal", lambda: True)

    def prompt(words: str, default: str, **options: object) -> str:
        asked.append(words)
        return default

    monkeypatch.setattr(click, "prompt", prompt)
    for _ in range(2):
        settings_commands.offer(find(explicit=str(project)))
    assert len(asked) == 1
    assert "about $0.01 on a day of 10 sessions, at most $0.15 a day" in " ".join(
        capsys.readouterr().out.split()
    )
    with Cortex.open(project) as cortex:
        assert cortex.config.get("extractor") == "rules"
        assert "extractor" in cortex.config.changed
