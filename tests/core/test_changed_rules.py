"""What the user says later wins: over what a session taught at once, over what they wrote as a
proposal; the earlier one is injected no more."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from cortex_core import Cortex
from cortex_core.agents.claude.samples import Sample
from tests.conftest import Clock

PORT, NEW_PORT = "Use port 8080 for the API.", "Use port 9090 for the API."


def hear(cortex: Cortex, clock: Clock, folder: Path, *prompts: str) -> None:
    """Let a session pass, an hour later, in which the user types these prompts."""
    moment = datetime.fromtimestamp(clock.advance(hours=1), UTC)
    session = Sample(f"s{clock.now:.0f}", cwd=str(cortex.workspace.project.root), start=moment)
    for prompt in prompts:
        session.human(prompt)
    cortex.exchange.import_transcripts([session.write(folder / f"{clock.now:.0f}.jsonl")])


def in_force(cortex: Cortex) -> list[str]:
    return [memory.content for memory in cortex.list()]


def test_another_value_replaces_what_a_session_taught(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    hear(cortex, clock, tmp_path, f"Remember: {NEW_PORT}")
    assert in_force(cortex) == [NEW_PORT]
    note = cortex.surface().text
    assert "8080" not in note
    assert f"{NEW_PORT} (changed on " in note
    (old,) = cortex.list(statuses=["superseded"])
    (edge,) = cortex.memories.details(old.id).edges
    assert edge.context.startswith("It was “Use port 8080 for the API” (2")
    cortex.restore(old.id)  # one verb: the earlier one holds again, and the later one does not
    assert in_force(cortex) == [PORT]
    cortex.undo()
    assert in_force(cortex) == [NEW_PORT]


def test_several_changes_leave_the_last(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    hear(cortex, clock, tmp_path, *(f"Remember: use port {n} for the API." for n in (1, 2, 3)))
    assert in_force(cortex) == ["Use port 3 for the API."]


def test_what_is_known_is_changed_by_a_plain_sentence(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, "Remember: always squash commits in this repository.")
    hear(cortex, clock, tmp_path, "never squash commits in this repository")
    assert in_force(cortex) == ["Never squash commits in this repository."]


def test_a_withdrawal_leaves_nothing_in_force(cortex: Cortex, clock: Clock, tmp_path: Path) -> None:
    hear(cortex, clock, tmp_path, "Remember: we use Redux for state.")
    hear(cortex, clock, tmp_path, "we no longer use Redux")
    assert in_force(cortex) == []
    hear(cortex, clock, tmp_path, "Remember: we use Redux for state.")
    assert in_force(cortex) == ["We use Redux for state."]


def test_what_the_user_wrote_waits_for_a_verdict_and_is_not_injected(
    cortex: Cortex, clock: Clock
) -> None:
    old = cortex.remember(PORT, kind="policy")
    clock.advance(days=1)
    new = cortex.remember(NEW_PORT, kind="policy")
    (review,) = cortex.review.list()
    assert (review.proposal.type, review.advice) == ("supersede", "supersede")
    assert review.proposal.members == (new.id, old.id)
    note = cortex.surface().text
    assert PORT not in note
    assert "changed on" in note
    cortex.review.supersede(review.proposal.number)
    assert in_force(cortex) == [NEW_PORT]


def test_a_withdrawal_of_what_the_user_wrote_is_no_rule_after_the_verdict(
    cortex: Cortex, clock: Clock
) -> None:
    cortex.remember("We use Redux for state", kind="policy")
    clock.advance(days=1)
    cortex.remember("We no longer use Redux")
    assert "Redux" not in cortex.surface().text
    (review,) = cortex.review.list()
    cortex.review.supersede(review.proposal.number)
    assert in_force(cortex) == []


def test_a_session_that_is_read_late_changes_nothing(
    cortex: Cortex, clock: Clock, tmp_path: Path
) -> None:
    hear(cortex, clock, tmp_path, f"Remember: {NEW_PORT}")
    clock.advance(days=-2)
    hear(cortex, clock, tmp_path, f"Remember: {PORT}")
    assert NEW_PORT in in_force(cortex)
