"""Who may choose to send texts to a provider of embeddings, and what a failure leaves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.embeddings import outages
from tests.core.embedding.test_remote import Server, server

__all__ = ["server"]

MODEL = "openai:text-embedding-3-small"
ANSWER = {"data": [{"embedding": [3.0, 4.0]}], "usage": {"total_tokens": 1_000_000}}


@pytest.fixture
def chosen(project: Path) -> Path:
    """A project whose person has chosen a provider's model."""
    with Cortex.open(project) as cortex:
        cortex.remember("Use pnpm, never npm.")
        cortex.settings.set("embedding.model", MODEL)
    return project


def test_after_a_failure_on_the_way_the_shipped_model_stands_in(
    server: Server, chosen: Path
) -> None:
    server.status = 500
    with Cortex.open(chosen) as cortex:
        assert cortex.models.embed_pending() == 1
        assert "500" in cortex.models.fallback
        server.status, server.answer = 200, ANSWER
        outages.forget(cortex.project.home, MODEL)
        assert cortex.models.embed_pending() == 1
        assert (cortex.models.fallback, cortex.models.tag()) == ("", MODEL)


def test_a_cloned_configuration_sends_nothing(server: Server, chosen: Path) -> None:
    server.answer = ANSWER
    subprocess.run(["git", "add", "-f", ".memory/config.toml"], cwd=chosen, check=True)
    with Cortex.open(chosen) as cortex:
        assert cortex.models.embed_pending() == 1
        assert cortex.models.tag() != MODEL
    assert server.asked == []
