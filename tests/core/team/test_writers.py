"""Many write at once, some are killed, connections are cut: nothing is lost, nothing twice."""

from __future__ import annotations

from benchmarks import hub_writers
from tests.core.team.postgres import Server


def test_writers_that_are_killed_and_cut_lose_and_double_nothing(
    server: Server, database: str
) -> None:
    run = hub_writers.crowd(server, database, writers=8, requests=3, killed=2)
    assert run.faults == []
    assert run.killed == 2
    assert run.entries == 8 * 3


def test_a_connection_that_is_cut_at_any_message_is_made_again(
    server: Server, database: str
) -> None:
    run = hub_writers.cuts(server, database, most=8)
    assert run.faults == []
    assert run.cut >= 6
