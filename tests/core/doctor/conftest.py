"""A patient for the doctor: a project with a store, and one check at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.doctor import examine
from cortex_core.records.upkeep import CheckResult

Look = Callable[..., CheckResult]


@pytest.fixture
def store(project: Path) -> Path:
    """The file of a project store that holds two memories."""
    with Cortex.open(project) as cortex:
        cortex.remember("Use pnpm, never npm", kind="preference")
        cortex.remember("The lighthouse API pages by cursor", kind="fact")
    return project / ".memory" / "cortex.db"


@pytest.fixture
def look(project: Path) -> Look:
    """`look("disk")`: what that check says of the project now; `fix=True` mends."""

    def run(name: str, *, fix: bool = False) -> CheckResult:
        (check,) = (one for one in examine.CHECKS if one.name == name)
        (found,) = examine.run(project, fix=fix, checks=[check])
        return found

    return run
