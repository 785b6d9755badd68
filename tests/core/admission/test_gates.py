"""What becomes of a memory, by what is known of it: values alone, no store."""

from __future__ import annotations

from dataclasses import replace

from cortex_core.admission import gates
from cortex_core.admission.lookup import Known, SimilarMemory
from cortex_core.duplicates import similarity
from cortex_core.records.memory import Memory, Source

NOW = 1_000_000.0


def made(content: str, *, id: str = "new", status: str = "active") -> Memory:
    return Memory(
        id=id,
        content=content,
        title=content,
        kind="fact",
        scope="project",
        status=status,  # type: ignore[arg-type]
        source=Source(rule="rule:order", message="m", time=NOW),
        created=NOW,
        updated=NOW,
        reinforced=NOW,
    )


MEMORY = made("Releases are tagged on main")


def test_what_nobody_knows_is_inserted_with_proposals() -> None:
    other = SimilarMemory("old", "Tag releases", similarity.compare("Tag releases", "On main"))
    decision = gates.decide(MEMORY, Known(NOW, similar=(other,)))
    assert (decision.action, decision.merge, decision.columns) == ("insert", (other,), {})


def test_what_the_team_has_is_refused() -> None:
    decision = gates.decide(MEMORY, Known(NOW, in_team="theirs"))
    assert (decision.action, decision.gate) == ("refuse", "known to the team")
    assert decision.reason


def test_what_says_the_same_is_reinforced_once_for_each_source() -> None:
    old = replace(made(MEMORY.content, id="old"), reinforced=NOW - 5)
    decision = gates.decide(MEMORY, Known(NOW, same=old))
    assert (decision.action, decision.known) == ("reinforce", "old")
    assert decision.columns["old"]["reinforced"] == NOW
    again = gates.decide(MEMORY, Known(NOW, same=old, has_source=True))
    assert (again.action, again.gate) == ("refuse", "known already")


def test_what_waits_is_quarantined_and_what_is_only_heard_suggested() -> None:
    waiting = gates.decide(MEMORY, Known(NOW), "It gives an order.")
    assert (waiting.action, waiting.reason) == ("quarantine", "It gives an order.")
    assert gates.decide(made("x y", status="suggested"), Known(NOW)).action == "suggest"


def test_what_the_user_put_away_stays_archived() -> None:
    old = made(MEMORY.content, id="old", status="archived")
    by_user = gates.decide(MEMORY, Known(NOW, same=old, put_away=True))
    assert "status" not in by_user.columns["old"]
    assert gates.decide(MEMORY, Known(NOW, same=old)).columns["old"]["status"] == "active"
