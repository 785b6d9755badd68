"""One memory takes the place of another: a link of the type `supersedes`, and undo."""

from __future__ import annotations

import pytest

from cortex_core import Cortex
from cortex_core.admission import apply
from cortex_core.base.errors import UsageError
from cortex_core.records.memory import Actor, Memory
from tests.conftest import Clock

OLD = "The API listens on port 8080"
NEW = "The API listens on port 9090 since the move to Caddy"


@pytest.fixture
def old(cortex: Cortex, clock: Clock) -> Memory:
    made = cortex.remember(
        OLD, kind="decision", priority=9, tags=["api"], files=["src/api/**"], pinned=True
    )
    clock.advance(days=3)
    return made


def statuses(cortex: Cortex, *ids: str) -> list[str]:
    return [cortex.show(id).status for id in ids]


def test_an_old_one_is_retired_once(cortex: Cortex, old: Memory) -> None:
    for words in (NEW, "The API listens on port 7070"):
        cortex.graph.link(cortex.remember(words).id, old.id, "supersedes")
    assert cortex.show(old.id).status == "superseded"


def test_a_link_of_the_user_retires_the_old_one(cortex: Cortex, old: Memory) -> None:
    new = cortex.remember(NEW)
    cortex.graph.link(new.id, old.id, "supersedes")
    assert statuses(cortex, old.id, new.id) == ["superseded", "active"]
    assert not cortex.review.queue()
    cortex.undo()
    assert statuses(cortex, old.id, new.id) == ["active", "active"]


def test_a_link_of_an_agent_only_contradicts(cortex: Cortex, old: Memory) -> None:
    new = cortex.remember(NEW)
    edge = cortex.graph.link(new.id, old.id, "supersedes", actor="agent")
    assert (edge.type, statuses(cortex, old.id)) == ("contradicts", ["active"])


def test_what_is_not_active_replaces_nothing(cortex: Cortex, old: Memory) -> None:
    other = cortex.remember(NEW)
    cortex.forget(other.id)
    with pytest.raises(UsageError, match="Only an active memory can replace"):
        cortex.graph.link(other.id, old.id, "supersedes")
    assert not cortex.memories.details(old.id).edges


def test_what_waits_for_a_verdict_is_not_replaced(cortex: Cortex, clock: Clock) -> None:
    store = cortex.workspace.store()
    with store.change("capture", "capture", "worker") as change:
        apply.insert(
            change,
            Memory(
                id="s1",
                content=OLD,
                title=OLD,
                kind="fact",
                scope="project",
                status="suggested",
                created=clock(),
                updated=clock(),
                reinforced=clock(),
            ),
        )
    new = cortex.remember(NEW)
    with pytest.raises(UsageError, match="only suggested"):
        cortex.graph.link(new.id, "s1", "supersedes")


@pytest.mark.parametrize("actor", ["person", "agent"])
@pytest.mark.parametrize(
    ("kind", "priority"),
    [
        ("policy", 8),
        ("constraint", 8),
        ("workflow", 7),
        ("pitfall", 7),
        ("architecture", 7),
        ("decision", 6),
        ("preference", 6),
        ("fact", 5),
        ("progress", 5),
    ],
)
def test_priority_is_that_of_the_kind(
    cortex: Cortex, kind: str, priority: int, actor: Actor
) -> None:
    assert cortex.remember("Never commit secrets", kind=kind, actor=actor).priority == priority
    given = cortex.remember("Deploy on Tuesday", kind=kind, priority=2, actor=actor)
    assert given.priority == 2


def test_the_new_one_takes_over_the_links_and_undo_gives_them_back(
    cortex: Cortex, old: Memory
) -> None:
    other = cortex.remember("Caddy terminates TLS for every service")
    first = cortex.remember("The API listened on port 80 at first")
    cortex.graph.link(other.id, old.id, "refines")
    cortex.graph.link(old.id, first.id, "supersedes")
    before = ends(cortex, old)
    new = cortex.remember(NEW)
    cortex.graph.link(new.id, old.id, "supersedes")
    assert ends(cortex, new) == {
        (other.id, new.id, "refines"),
        (new.id, old.id, "supersedes"),
    }
    assert (old.id, first.id, "supersedes") in ends(cortex, old)
    cortex.undo()
    assert ends(cortex, old) == before


def ends(cortex: Cortex, memory: Memory) -> set[tuple[str, str, str]]:
    return {(e.source, e.target, e.type) for e in cortex.memories.details(memory.id).edges}
