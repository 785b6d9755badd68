"""Cortex over a project, for the tests of the core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.conftest import Clock


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Iterator[Cortex]:
    """Cortex in a fresh repository."""
    with Cortex.open(project, clock=clock) as made:
        yield made
