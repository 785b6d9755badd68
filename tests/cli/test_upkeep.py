"""status, lifecycle, forecast, models, config, worker, hook, tui."""

from __future__ import annotations

import sys
import time
import types
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.settings import SETTINGS
from cortex_core.records.as_json import layout, to_json
from cortex_core.records.captures import ProjectStatus
from cortex_core.records.upkeep import LifecycleReport
from tests.cli.conftest import Cli


def test_status(filled: Cli) -> None:
    (status,) = filled.json("status")
    assert set(status) == {name for name, _ in layout(ProjectStatus)}
    assert status["counts"] == {"active": 3}
    assert status["kinds"] == {"preference": 1, "decision": 1, "gotcha": 1}
    printed = filled.ok("status")
    assert "3 active" in printed
    assert str(filled.project) in printed


def test_status_of_nothing(cortex: Cli) -> None:
    assert "cortex import transcripts" in cortex.ok("status")
    assert not (cortex.project / ".memory").exists()


def aged(cortex: Cli, days: int) -> None:
    """A memory that was written so many days ago."""
    then = time.time() - days * 86_400
    with Cortex.open(cortex.project, clock=lambda: then) as opened:
        opened.remember("The sprint ends on Friday", kind="progress")


def test_a_clock_that_is_years_ahead_archives_nothing_unasked(cortex: Cli) -> None:
    aged(cortex, 3000)
    assert "Cortex last worked here 3,000 days ago" in cortex.fails(2, "lifecycle")
    assert len(cortex.json("list")) == 1
    assert cortex.json("lifecycle", "--dry-run")
    assert "Now archived: 1 memory" in cortex.ok("lifecycle", "--yes")


def test_lifecycle(cortex: Cli) -> None:
    aged(cortex, 60)
    (report,) = cortex.json("lifecycle", "--dry-run")
    assert set(report) == set(to_json(LifecycleReport()))
    assert [memory["title"] for memory in report["archived"]] == ["The sprint ends on Friday"]
    assert len(cortex.json("list")) == 1
    assert "Now archived: 1 memory" in cortex.ok("lifecycle", "--yes")
    cortex.fails(3, "list")
    assert "Nothing to archive or prune" in cortex.ok("lifecycle")


def test_forecast(cortex: Cli) -> None:
    aged(cortex, 5)
    (fading,) = cortex.json("forecast", "--days", "30")
    assert set(fading) == {"memory", "fades", "archives"}
    assert fading["fades"] < fading["archives"]
    assert fading["memory"]["id"][:8] in cortex.ok("forecast", "--days", "30")
    assert cortex.json("forecast", "--days", "1") == []


def test_models(filled: Cli) -> None:
    models = filled.json("models", "list")
    assert [model["active"] for model in models].count(True) == 1
    assert filled.json("models", "reembed", "--dry-run") == [{"embedded": 3, "dry_run": True}]
    assert filled.json("models", "reembed") == [{"embedded": 3, "dry_run": False}]
    assert filled.json("status")[0]["pending_embeddings"] == 0
    assert "in use" in filled.ok("models", "list")


def test_config(cortex: Cli) -> None:
    settings = {setting["name"]: setting for setting in cortex.json("config", "get")}
    assert set(settings) >= {setting.name for setting in SETTINGS}
    assert set(settings["theme"]) == {"name", "value", "default", "allowed", "help"}
    assert cortex.ok("config", "set", "surface.tokens", "400") == "surface.tokens is 400\n"
    assert cortex.json("config", "get", "surface.tokens")[0]["value"] == 400
    cortex.ok("config", "set", "kinds.gotcha.half_life", "90")
    cortex.ok("config", "set", "capture.ignore", "vendor, *.lock")
    assert cortex.ok("config", "get", "capture.ignore") == "vendor, *.lock\n"
    assert "kinds.gotcha.half_life" in cortex.ok("config", "get")
    cortex.ok("config", "set", "surface.tokens", "--default")
    assert cortex.ok("config", "get", "surface.tokens") == "500\n"


def test_config_for_all_projects(cortex: Cli) -> None:
    cortex.ok("config", "set", "surface.tokens", "300", "--global")
    assert cortex.ok("config", "get", "surface.tokens") == "300\n"
    cortex.ok("config", "set", "surface.tokens", "200")
    done = cortex.run("config", "set", "surface.tokens", "350", "--global")
    assert "own file" in done.stderr
    assert Path(cortex.ok("config", "path").strip()).parent == cortex.project / ".memory"
    assert cortex.json("config", "path", "--global")[0]["path"].endswith("config.toml")


def test_worker_with_nothing_to_do(filled: Cli) -> None:
    assert filled.ok("worker") == ""


def test_tui_is_found_by_its_name(cortex: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    app = types.ModuleType("cortex_tui.app")
    asked: list[str | None] = []

    def run(project: str | None) -> int:
        asked.append(project)
        return 1

    app.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cortex_tui.app", app)
    cortex.fails(1, "tui")
    with monkeypatch.context() as terminal:
        terminal.setattr("cortex_core.cli.output.paints", lambda: True)
        cortex.fails(1)
    assert asked == [str(cortex.project)] * 2
