"""What is spent, and the cap that nothing passes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base.errors import ModelFailed
from cortex_core.base.settings import SETTINGS
from cortex_core.llm import client, protocol
from cortex_core.llm.protocol import FILE, Spending
from cortex_core.records.model_replies import Usage
from tests.conftest import Clock
from tests.core.model import stub_api
from tests.core.model.conftest import calls_of, session
from tests.core.model.stub_api import TAKEN, Stub, answer, extraction, memory

HAIKU = "claude-haiku-5-5"


def reserve(spending: Spending, most: float, project: str = "p") -> int:
    return spending.reserve(project, "extract", "api", HAIKU, most)


def test_prices_are_those_of_the_table_with_its_step() -> None:
    assert protocol.cost(HAIKU, Usage(input=100_000, output=10_000)) == pytest.approx(0.015)
    assert protocol.cost(HAIKU, Usage(input=100_001)) == pytest.approx(0.0500005)
    assert protocol.cost(HAIKU, Usage(cache_written=80_000)) == pytest.approx(0.010)
    assert protocol.cost(HAIKU, Usage(cache_read=80_000)) == pytest.approx(0.0008)
    assert protocol.price_of("claude-haiku-5-5-20261007") == protocol.price_of(HAIKU)


@given(st.text(max_size=30), st.integers(0, 10**6), st.integers(0, 10**5))
def test_a_model_that_is_not_known_never_counts_as_cheaper(
    name: str, read: int, written: int
) -> None:
    usage = Usage(input=read, output=written)
    assert protocol.cost(name, usage) >= protocol.cost(
        HAIKU, Usage(input=read, output=written)
    ) or (name.startswith(tuple(protocol.PRICES)))


def test_the_cap_is_a_default_of_fifteen_cents_that_ten_long_sessions_fit() -> None:
    (cap,) = [one.default for one in SETTINGS if one.name == "model.daily_cap_usd"]
    a_session = protocol.cost(HAIKU, Usage(input=24_000, output=1_500))
    assert 10 * a_session < cap == 0.15


def test_what_may_be_spent_is_taken_before_and_settled_after(tmp_path: Path) -> None:
    spending = Spending(tmp_path, 0.01)
    first = reserve(spending, 0.006)
    with pytest.raises(ModelFailed, match="daily limit"):
        reserve(spending, 0.006)
    spending.settle(first, Usage(input=10, output=5), 0.001, 0.5)
    assert spending.today() == pytest.approx(0.001)
    reserve(spending, 0.006)
    assert calls_of(tmp_path)[0]["cost"] == 0.006
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_projects_share_a_cap_and_are_told_apart(tmp_path: Path, clock: Clock) -> None:
    spending = Spending(tmp_path, 1.0, clock)
    reserve(spending, 0.25, "one")
    reserve(spending, 0.5, "two")
    assert (spending.today(), spending.today("one")) == (0.75, 0.25)
    clock.advance(days=1)
    assert spending.today() == 0
    reserve(spending, 1.0, "one")
    assert list(spending.days().values()) == [1.0, 0.75]
    assert list(spending.days("two").values()) == [0.5]


def test_many_at_once_do_not_pass_the_cap(tmp_path: Path) -> None:
    taken: list[int] = []

    def spend() -> None:
        spending = Spending(tmp_path, 0.05)
        for _ in range(10):
            try:
                taken.append(reserve(spending, 0.01))
            except ModelFailed:
                return

    threads = [threading.Thread(target=spend) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 5


def test_where_nothing_can_be_recorded_nothing_is_asked(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this is no database, however long it may be" * 20)
    with pytest.raises(ModelFailed, match="cannot be recorded"):
        reserve(Spending(tmp_path, 1.0), 0.01)
    assert Spending(tmp_path, 1.0).today() == 0


def test_at_the_cap_the_rules_take_over_and_the_next_day_the_model_reads_it(
    asking: Path, sessions: Path, stub: Stub, clock: Clock
) -> None:
    stub.act = answer(extraction(memory()), input_tokens=40_000)
    with Cortex.open(asking, clock=clock) as cortex:
        cortex.settings.set("model.daily_cap_usd", 0.006)
        first = session(asking).write(sessions)
        cortex.sessions.capture(first, event="SessionEnd", final=True)
        second = session(asking, "two").human("Call it export_runs.").write(sessions)
        for _ in range(3):
            cortex.sessions.capture(second, event="SessionEnd", final=True)
        assert len(stub.bodies) == 1
        refused = [one for one in cortex.sessions.ledger() if "daily limit of $0.006" in one.error]
        assert len(refused) == 1
        status = cortex.status()
        assert 0 < status.spent_everywhere <= 0.006 and status.for_model == 1
        assert any("daily limit" in sentence for sentence in status.degraded)
    clock.advance(days=1)
    with Cortex.open(asking, clock=clock) as cortex:
        cortex.sessions.ask_model(second, "again")
        assert len(stub.bodies) == 2
        assert cortex.status().for_model == 0


def test_a_call_whose_end_is_not_known_counts_as_the_most_it_can_have_cost(
    asking: Path, sessions: Path, stub: Stub
) -> None:
    stub.act = stub_api.hang
    with Cortex.open(asking) as cortex:
        cortex.settings.set("model.deadline", 1.0)
        cortex.sessions.capture(session(asking).write(sessions), event="SessionEnd", final=True)
        (call,) = calls_of(cortex.project.home)
        assert call["cost"] > 4_096 * 0.5e-6 and "no complete answer" in call["error"]
        stub.act = stub_api.error(403)
        path = session(asking, "two").human("Call it export_runs.").write(sessions)
    with Cortex.open(asking) as cortex:
        cortex.sessions.capture(path, event="SessionEnd", final=True)
        cost = calls_of(cortex.project.home)[0]["cost"]
        assert cost == 0, "a refusal of the service costs nothing"
        assert TAKEN not in [one.content for one in cortex.list()]


def test_the_terms_name_what_is_sent_where_and_the_cap() -> None:
    for wanted in ("api", "claude", "codex", "auto"):
        terms = client.terms(wanted, 0.15)
        assert "limit of a day is $0.15" in terms and "extractor rules" in terms
    assert "Anthropic API" in client.terms("api", 0.15)
    assert "No model reads your sessions" in client.terms("rules", 0.15)
