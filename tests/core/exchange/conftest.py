"""Two projects of one person, each with stores of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex

Opener = Callable[[str], Cortex]


@pytest.fixture
def opened(tmp_path: Path, clock: Callable[[], float]) -> Opener:
    """`opened(name)`: the memory of the project called so, with a global side of its own."""

    def make(name: str) -> Cortex:
        root = tmp_path / name
        (root / ".git").mkdir(parents=True, exist_ok=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        return Cortex.open(root, tmp_path / f"{name}-home", clock=clock)

    return make


@pytest.fixture
def cortex(opened: Opener) -> Cortex:
    """The memory of a project."""
    return opened("one")
