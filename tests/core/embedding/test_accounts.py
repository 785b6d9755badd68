"""What embeddings from a provider cost, who may choose to send texts there, and what a failure
leaves."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.embeddings import outages
from cortex_core.embeddings.names import SHIPPED_TAG
from cortex_core.llm import protocol
from tests.core.embedding.test_remote import Server, server
from tests.core.model.conftest import calls_of

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


def test_each_request_is_entered_with_what_it_cost(server: Server, chosen: Path) -> None:
    server.answer = ANSWER
    with Cortex.open(chosen) as cortex:
        assert cortex.models.embed_pending() == 1
        calls = calls_of(cortex.project.home)
        assert {(call["purpose"], call["model"]) for call in calls} == {("embed", MODEL)}
        assert cortex.llm.spending().today() == pytest.approx(0.02 * len(calls))


def test_beyond_the_cap_nothing_is_sent_and_the_shipped_model_stands_in(
    server: Server, chosen: Path
) -> None:
    server.answer = ANSWER
    with Cortex.open(chosen) as cortex:
        cortex.settings.set("model.daily_cap_usd", 0.0)
        assert cortex.models.embed_pending() == 1
        assert "daily limit" in cortex.models.fallback()
        assert cortex.models.tag() == SHIPPED_TAG
        assert [hit.memory.title for hit in cortex.recall("pnpm")] == ["Use pnpm, never npm"]
    assert server.asked == []


def test_after_a_failure_on_the_way_the_shipped_model_stands_in(
    server: Server, chosen: Path
) -> None:
    server.status = 500
    with Cortex.open(chosen) as cortex:
        assert cortex.models.embed_pending() == 1
        assert "500" in cortex.models.fallback()
        server.status, server.answer = 200, ANSWER
        outages.forget(cortex.project.home, MODEL)
        assert cortex.models.embed_pending() == 1
        assert (cortex.models.fallback(), cortex.models.tag()) == ("", MODEL)


def test_a_cloned_configuration_sends_nothing(server: Server, chosen: Path) -> None:
    server.answer = ANSWER
    subprocess.run(["git", "add", "-f", ".memory/config.toml"], cwd=chosen, check=True)
    with Cortex.open(chosen) as cortex:
        assert cortex.models.embed_pending() == 1
        assert cortex.models.tag() != MODEL
    assert server.asked == []


def test_the_price_is_the_longest_name_s_and_never_too_low() -> None:
    assert protocol.embedding_cost("voyage:voyage-3.5-lite", 1_000_000) == 0.02
    assert protocol.embedding_cost("voyage:voyage-3.5", 1_000_000) == 0.06
    assert protocol.embedding_cost("somebody:new", 1_000_000) == max(
        protocol.EMBEDDING_PRICES.values()
    )
