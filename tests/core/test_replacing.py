"""One memory takes the place of another: `replace`, a link of the type `supersedes`, and undo."""

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


def test_the_new_one_takes_the_place_in_one_step(cortex: Cortex, old: Memory) -> None:
    new = cortex.graph.replace(old.id, NEW)
    taken = ("kind", "priority", "tags", "globs", "pinned", "scope", "inject")
    assert [getattr(new, name) for name in taken] == [getattr(old, name) for name in taken]
    assert (new.content, new.title, new.status) == (NEW, NEW, "active")
    gone = cortex.show(old.id)
    assert gone.status == "superseded"
    (edge,) = cortex.memories.details(new.id).edges
    assert (edge.source, edge.target, edge.type) == (new.id, old.id, "supersedes")
    assert not cortex.review.queue()
    (undone,) = cortex.undo()
    assert undone.label == f"replace “{OLD}”"
    assert [memory.id for memory in cortex.list()] == [old.id]
    cortex.redo()
    assert statuses(cortex, old.id, new.id) == ["superseded", "active"]


def test_what_is_given_differs_from_the_old_one(cortex: Cortex, old: Memory) -> None:
    new = cortex.graph.replace(
        old.id, NEW, title="Port 9090", kind="fact", priority=3, tags=[], files=["Caddyfile"]
    )
    assert (new.title, new.kind, new.priority) == ("Port 9090", "fact", 3)
    assert (new.tags, new.globs) == ((), ("Caddyfile",))


def test_a_part_of_the_old_text_replaces_it_too(cortex: Cortex) -> None:
    long = cortex.remember("Use pnpm, never npm. The lockfile is committed.")
    short = cortex.graph.replace(long.id, "Use pnpm, never npm.")
    assert statuses(cortex, long.id, short.id) == ["superseded", "active"]


def test_what_is_known_already_takes_the_place(cortex: Cortex, old: Memory) -> None:
    known = cortex.remember(NEW)
    assert cortex.graph.replace(old.id, NEW).id == known.id
    assert statuses(cortex, old.id, known.id) == ["superseded", "active"]


def test_the_same_text_and_a_replaced_memory_are_refused(cortex: Cortex, old: Memory) -> None:
    with pytest.raises(UsageError, match="same as the old one"):
        cortex.graph.replace(old.id, OLD)
    cortex.graph.replace(old.id, NEW)
    with pytest.raises(UsageError, match="replaced it already"):
        cortex.graph.replace(old.id, "The API listens on port 7070")


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
    with pytest.raises(UsageError, match="only suggested"):
        cortex.graph.replace("s1", NEW)


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
    new = cortex.graph.replace(old.id, NEW)
    assert ends(cortex, new) == {
        (other.id, new.id, "refines"),
        (new.id, old.id, "supersedes"),
    }
    assert (old.id, first.id, "supersedes") in ends(cortex, old)
    cortex.undo()
    assert ends(cortex, old) == before


def ends(cortex: Cortex, memory: Memory) -> set[tuple[str, str, str]]:
    return {(e.source, e.target, e.type) for e in cortex.memories.details(memory.id).edges}
