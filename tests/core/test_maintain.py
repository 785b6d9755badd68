"""What follows a capture, whatever is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.base.errors import ModelUnavailable, UsageError
from cortex_core.embeddings import models
from cortex_core.maintenance.lifecycle import Lifecycle
from cortex_core.records.upkeep import LifecycleReport
from cortex_core.store import vector_search
from tests.conftest import Clock


def test_without_a_model_the_vector_cache_stays(
    project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise ModelUnavailable("The model is gone.")

    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Deploys go out on Tuesday")
        worker_run.maintain(cortex)
        store = cortex.workspace.store("project")
        cache = vector_search.cache_path(store.path, store.scope)
        held = cache.read_bytes()
        monkeypatch.setattr(models, "in_force", gone)
        cortex.remember("Invoices are rounded to whole cents")
        worker_run.maintain(cortex)
        assert cache.read_bytes() == held


def test_an_archive_that_cannot_be_read_holds_up_nothing_else(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Deploys go out on Tuesday")
        store = cortex.workspace.store("project")
        store.path.with_name("archive.db").mkdir()
        worker_run.maintain(cortex)
        assert vector_search.cache_path(store.path, store.scope).exists()
        assert store.meta("lifecycle")
    assert "archive.db is a folder" in (project / ".memory" / "cortex.log").read_text()


def test_the_lifecycle_runs_once_a_day_for_both_stores(
    project: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[object] = []
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Deploys go out on Tuesday")
        cortex.remember("Prefer small pull requests", scope="global")
        lifecycle = Lifecycle.run

        def counted(self: Lifecycle, **how: Any) -> LifecycleReport:
            runs.append(how)
            return lifecycle(self, **how)

        monkeypatch.setattr(Lifecycle, "run", counted)
        worker_run.maintain(cortex)
        worker_run.maintain(cortex)
        assert len(runs) == 1
        clock.advance(days=1)
        worker_run.maintain(cortex)
        assert len(runs) == 2


def test_a_command_asks_about_a_clock_that_leapt_before_a_capture(
    project: Path, clock: Clock
) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Deploys go out on Tuesday")
        worker_run.maintain(cortex)
        clock.advance(days=3650)
        cortex.remember("Captured with the clock ahead")
        with pytest.raises(UsageError, match="last worked here 3,650 days ago"):
            cortex.lifecycle.check_clock()
        clock.advance(days=-3700)
        cortex.lifecycle.check_clock()


def test_a_clock_that_leaps_archives_nothing_by_itself(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        fading = cortex.remember("Deploys go out on Tuesday", kind="fact")
        worker_run.maintain(cortex)
        clock.advance(days=3650)
        worker_run.maintain(cortex)
        assert cortex.show(fading.id).status == "active"
        clock.advance(days=-3650)
        worker_run.maintain(cortex)
        assert cortex.show(fading.id).status == "active"
        clock.advance(days=3650)
        worker_run.maintain(cortex)
        clock.advance(days=1)
        worker_run.maintain(cortex)
        assert cortex.show(fading.id).status == "archived"
