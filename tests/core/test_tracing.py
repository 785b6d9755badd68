"""Following one memory: its turn, its values over time, its links and how they change."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import NotFound
from cortex_core.records.memory import Memory
from tests.conftest import Clock
from tests.transcript_samples import Sample

DAY = 86_400.0
# Looks like a key, opens nothing.
SECRET = "sk-ant-api03-" + "Z9y8X7w6" * 11 + "AA"


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Cortex:
    return Cortex.open(project, clock=clock)


PNPM = "Remember: always use pnpm, never npm, in this repository."


def learned(cortex: Cortex, clock: Clock, project: Path) -> tuple[Path, Memory]:
    """A memory from the second of four turns, and the transcript."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "p")
    folder.mkdir(parents=True)
    sample = Sample("s", cwd=str(project), start=datetime.fromtimestamp(clock.now - DAY, UTC))
    sample.human("First things first.").assistant(f"The key is {SECRET}.")
    sample.human(PNPM).assistant("Noted.")
    sample.human("<private>my own affair</private> Go on.").tool(
        "Bash", {"command": f"deploy --key {SECRET}"}, f"used {SECRET}\n" + "line\n" * 3000
    )
    sample.human("And the last one.").assistant("Done.")
    path = sample.write(folder)
    cortex.exchange.import_transcripts([path])
    (memory,) = [one for one in cortex.list() if "pnpm" in one.content]
    return path, cortex.show(memory.id)


# --- the turn


def test_the_turn_with_those_around_it(cortex: Cortex, clock: Clock, project: Path) -> None:
    path, memory = learned(cortex, clock, project)
    found = cortex.memories.turn_of(memory.id)
    assert found.transcript == str(path)
    (here,) = [said for said in found.said if said.here]
    assert (here.by, here.text) == ("person", PNPM)
    assert [said.text for said in found.said if said.by == "person"] == [
        "First things first.",
        here.text,
        "Go on.",
    ]
    only = cortex.memories.turn_of(memory.id, around=0)
    assert [said.text for said in only.said] == [here.text, "Noted."]


def test_no_secret_and_nothing_private_is_shown(
    cortex: Cortex, clock: Clock, project: Path
) -> None:
    _, memory = learned(cortex, clock, project)
    whole = "\n".join(said.text for said in cortex.memories.turn_of(memory.id, around=5).said)
    assert "deploy --key [redacted" in whole
    assert SECRET[:20] not in whole
    assert "my own affair" not in whole


def test_a_turn_that_cannot_be_shown_says_why(cortex: Cortex, clock: Clock, project: Path) -> None:
    cortex.settings.set("archive.keep", "off")
    _, memory = learned(cortex, clock, project)
    with pytest.raises(NotFound, match="archive does not have session"):
        cortex.memories.turn_of(memory.id)
    with pytest.raises(NotFound, match="1 source"):
        cortex.memories.turn_of(memory.id, index=1)
    mine = cortex.remember("I wrote this by hand.")
    with pytest.raises(NotFound, match="does not come from a session"):
        cortex.memories.turn_of(mine.id)


def test_the_turn_stays_when_the_transcript_is_gone(
    cortex: Cortex, clock: Clock, project: Path
) -> None:
    path, memory = learned(cortex, clock, project)
    before = cortex.memories.turn_of(memory.id)
    path.unlink()
    assert cortex.memories.turn_of(memory.id) == before == cortex.sessions.turn(memory.source)


# --- values over time


def test_each_change_with_its_values(cortex: Cortex) -> None:
    first = cortex.remember("Use pnpm.", tags=("tools",))
    second = cortex.remember("The build runs at night.")
    cortex.edit(first.id, priority=9, tags=("tools", "js"))
    cortex.graph.link(first.id, second.id, "CAUSES")
    cortex.pin(first.id)
    cortex.forget(first.id)
    cortex.undo()
    told = [
        (made.change.verb, {one.name: (one.before, one.after) for one in made.fields})
        for made in cortex.memories.revisions(first.id)
    ]
    edge = f"{first.id} CAUSES {second.id}"
    assert told == [
        ("undo", {"status": ("archived", "active")}),
        ("forget", {"status": ("active", "archived")}),
        ("pin", {"pinned": (False, True)}),
        ("link", {"link": (None, edge)}),
        ("edit", {"priority": (8, 9), "tags": (["tools"], ["tools", "js"])}),
        ("remember", {}),
    ]
    cortex.graph.unlink(first.id, second.id)
    (gone, *_, linked) = [
        made for made in cortex.memories.revisions(first.id) if "link" in made.change.verb
    ]
    assert [(one.before, one.after) for one in gone.fields] == [(edge, None)]
    assert [(one.before, one.after) for one in linked.fields] == [(None, edge)]


# --- links


def linked(cortex: Cortex) -> tuple[str, str]:
    first, second = cortex.remember("Use pnpm."), cortex.remember("The build runs at night.")
    cortex.graph.link(first.id, second.id, "relates_to", strength=0.5, context="seen in May")
    return first.id, second.id


def test_every_edge_is_listed_even_between_the_same_two(cortex: Cortex) -> None:
    first, second = linked(cortex)
    cortex.graph.link(second, first, "CAUSES")
    found = [(near.edge.type, near.outgoing, near.memory.id) for near in cortex.graph.links(first)]
    assert found == [("CAUSES", False, second), ("relates_to", True, second)]
    assert len(cortex.graph.neighbours(first)) == 1


def test_unlinking_one_direction_alone(cortex: Cortex) -> None:
    first, second = linked(cortex)
    cortex.graph.link(second, first, "relates_to")
    assert cortex.graph.unlink(first, second, "relates_to", directed=True) == 1
    (edge,) = cortex.memories.details(first).edges
    assert (edge.source, edge.target) == (second, first)
