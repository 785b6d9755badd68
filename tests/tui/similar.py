"""Memories that may say the same, for the merge review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.records.memory import Memory
from tests.conftest import Clock
from tests.tui.conftest import Once

PAIRS: tuple[tuple[float, str, dict[str, Any]], ...] = (
    (
        40,
        "Access tokens live 15 minutes because the mobile client can refresh in the background.",
        {"kind": "decision", "tags": ("auth",), "pinned": True},
    ),
    (
        30,
        "Always run the migrations before the deploy, and update the release notes.",
        {"kind": "procedure"},
    ),
    (21, "The login page is rendered on the server.", {"kind": "architecture"}),
    (
        5,
        "Run the migrations before each deploy and update the release notes.",
        {"kind": "procedure", "tags": ("ops",)},
    ),
    (
        3,
        "Access tokens live 30 minutes because the mobile client can refresh in the background.",
        {"kind": "decision", "tags": ("mobile",), "priority": 8},
    ),
)
"""Days ago, content, the other arguments of `remember`."""

DEPLOY, TOKENS = "migrations before", "Access tokens live"


def remember(project: Path, clock: Clock, samples: Any = PAIRS) -> list[Memory]:
    """Remember `samples`, each on its day; proposals are made as they arrive."""
    now, made = clock.now, []
    with Cortex.open(project, clock=clock) as cortex:
        for days, content, values in samples:
            clock.now = now - days * 86_400
            made.append(cortex.remember(content, **{"kind": "fact", **values}))
        clock.now = now
        cortex.consolidate()
    return made


@pytest.fixture
def alike(project: Path, clock: Clock, once: Once) -> list[Memory]:
    """Two proposals: one clear, one whose numbers differ."""

    def make() -> list[Memory]:
        made = remember(project, clock)
        with Cortex.open(project, clock=clock) as cortex:
            cortex.graph.link(made[2].id, made[4].id, "REQUIRES")
            assert len(cortex.review.list()) == 2
        return made

    return list(once("alike", make))


def word_by_model(cortex: Cortex, number: int, words: str) -> None:
    """Give the merge of a proposal words, as a language model does."""
    store = cortex.workspace.store()
    with store.change("edit-merge", "word a merge", "worker") as change:
        change.update("proposal", number, {"text": words})
