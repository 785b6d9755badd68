"""Whether a store is what its journal says: after any history, and after any foreign hand."""

from __future__ import annotations

import io
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import CortexError
from cortex_core.records.memory import SCOPES
from tests.conftest import Clock
from tests.journals import unexplained

VERSIONS = Path(__file__).with_name("storage")


@pytest.fixture
def filled(cortex: Cortex) -> Cortex:
    """Three linked memories with vectors, one of them edited, one in the trash."""
    first = cortex.remember("Deploys go out on Tuesday", tags=["deploys"])
    second = cortex.remember("Invoices are rounded to whole cents", kind="policy")
    third = cortex.remember("The import is half done", kind="progress")
    cortex.graph.link(first.id, second.id, "refines")
    cortex.edit(second.id, content="Invoices are rounded to cents")
    cortex.forget(third.id)
    cortex.models.embed_pending()
    return cortex


def path(cortex: Cortex) -> Path:
    return Path(cortex.project.project_db or "")


def tamper(cortex: Cortex, *statements: str) -> None:
    """What another program does to the file."""
    with closing(sqlite3.connect(path(cortex))) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


# --- sound stores


class RandomHistory:
    """Verbs in any order on whatever is there."""

    def __init__(self, cortex: Cortex, clock: Clock, seed: int) -> None:
        self.cortex, self.clock, self.random = cortex, clock, random.Random(seed)
        self.steps: list[Callable[[], object]] = [
            *[self.remember] * 6,
            self.edit,
            self.forget,
            self.pin,
            self.tag,
            self.move,
            self.link,
            self.undo,
            self.undo,
            self.redo,
            self.reinforce,
            self.archive,
            self.restore,
            self.snapshot,
            self.snapshot_back,
            self.empty,
            self.consolidate,
            self.again,
            self.look,
        ]

    def run(self, count: int) -> None:
        for _ in range(count):
            self.clock.advance(hours=1)
            try:
                self.random.choice(self.steps)()
            except CortexError:
                continue  # there is nothing to undo, the pair is linked, and so on

    def any(self) -> str:
        memories = self.cortex.list(statuses=("active", "archived", "superseded"))
        return self.random.choice(memories).id if memories else "none"

    def remember(self) -> None:
        words = self.random.sample("red green blue seven eight north south late early".split(), 4)
        scope = self.random.choice(SCOPES)
        self.cortex.remember(f"Use {' '.join(words)} here", scope=scope, tags=words[:1])

    def edit(self) -> None:
        self.cortex.edit(self.any(), content=f"It is {self.random.random()} now")

    def forget(self) -> None:
        self.cortex.forget(self.any())

    def pin(self) -> None:
        self.cortex.pin(self.any())

    def tag(self) -> None:
        self.cortex.tag(self.any(), add=[self.random.choice("abcdef")])

    def move(self) -> None:
        self.cortex.move(self.any(), self.random.choice(SCOPES))

    def link(self) -> None:
        self.cortex.graph.link(self.any(), self.any(), "refines")

    def undo(self) -> None:
        self.cortex.undo(self.random.randint(1, 3))

    def redo(self) -> None:
        self.cortex.redo()

    def reinforce(self) -> None:
        self.cortex.lifecycle.reinforce(self.any())

    def archive(self) -> None:
        self.clock.advance(days=40)
        self.cortex.lifecycle.run()

    def restore(self) -> None:
        trash = self.cortex.trash.list()
        self.cortex.restore(self.random.choice(trash).id if trash else self.any())

    def snapshot(self) -> None:
        self.cortex.snapshots.take()

    def snapshot_back(self) -> None:
        if self.random.random() < 0.1:
            self.cortex.snapshots.restore(1)

    def empty(self) -> None:
        if self.random.random() < 0.3:
            self.cortex.trash.empty()

    def consolidate(self) -> None:
        self.cortex.consolidate()
        for review in self.cortex.review.list()[:1]:
            self.cortex.review.approve(review.proposal.number)

    def again(self) -> None:
        lines = io.StringIO()
        self.cortex.exchange.export_jsonl(lines)
        self.cortex.exchange.import_jsonl(io.StringIO(lines.getvalue()))

    def look(self) -> None:
        self.cortex.recall("red green")


@pytest.mark.parametrize("seed", [1, 2])
def test_any_history_is_what_the_journal_says(cortex: Cortex, clock: Clock, seed: int) -> None:
    RandomHistory(cortex, clock, seed).run(100)
    assert unexplained(cortex) == []
    assert len(cortex.log(20)) > 10


def test_a_link_to_what_was_pruned_since_does_not_come_back(cortex: Cortex, clock: Clock) -> None:
    first = cortex.remember("Deploys go out on Tuesday")
    second = cortex.remember("Invoices are rounded to whole cents")
    cortex.graph.link(first.id, second.id, "refines")
    cortex.graph.unlink(first.id, second.id)
    unlinked = cortex.log(1)[0].number
    cortex.forget(second.id)
    clock.advance(days=60)
    assert cortex.lifecycle.run().pruned
    cortex.undo(number=unlinked)
    assert unexplained(cortex) == []
    cortex.restore(second.id)
    assert unexplained(cortex) == []


def test_nothing_is_written(filled: Cortex) -> None:
    filled.close()
    before = path(filled).read_bytes()
    assert unexplained(filled) == []
    filled.close()
    assert path(filled).read_bytes() == before


def test_no_store_is_no_difference(cortex: Cortex) -> None:
    assert unexplained(cortex) == []


def test_what_was_scrubbed_is_no_difference(cortex: Cortex) -> None:
    cortex.remember("Deploys go out on Tuesday")
    tamper(cortex, "UPDATE memory SET excerpt = 'key AKIAQ3EGRCPMBWIHJT4D'")
    assert cortex.secrets.scrub().found
    assert unexplained(cortex) == []


# --- foreign hands

TAMPERED = {
    "a content": (
        "UPDATE memory SET content = 'Deploys go out on Sunday' WHERE title LIKE 'Dep%'",
        "has another content than the journal says",
    ),
    "a pin": (
        "UPDATE memory SET pinned = 1 WHERE kind = 'policy'",
        "has another pinned than the journal says",
    ),
    "a row that is new": (
        "INSERT INTO source (memory, rule, author, session, message, transcript) "
        "SELECT id, 'person', '', '', '', '' FROM memory LIMIT 1",
        "source 4 was added by no change",
    ),
    "a row that is gone": ("DELETE FROM source WHERE id = 1", "source 1 is missing"),
    "a memory that is gone": ("DELETE FROM memory WHERE kind = 'policy'", "is missing"),
    "a link": (
        "UPDATE edge SET type = 'contradicts'",
        "edge 1 has another type than the journal says",
    ),
    "what a change became": (
        "UPDATE journal_row SET after = replace(after, 'cents', 'euros')",
        "has another content than the journal says",
    ),
    "a row of a change": (
        "DELETE FROM journal_row WHERE entry = 4",
        "edge 1 was added by no change",
    ),
    "a row that cannot be read": (
        "UPDATE journal_row SET after = '{' WHERE entry = 5",
        "cannot be compared: the journal is damaged there",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_every_foreign_hand_is_found(filled: Cortex, name: str) -> None:
    assert unexplained(filled) == []
    statement, expected = TAMPERED[name]
    tamper(filled, statement)
    assert [one for one in unexplained(filled) if one.endswith(expected)]


def test_a_memory_that_came_back_past_the_journal_is_found(filled: Cortex, clock: Clock) -> None:
    filled.close()
    copy = path(filled).read_bytes()
    clock.advance(days=60)
    assert filled.lifecycle.run().pruned
    with closing(sqlite3.connect(path(filled))) as now:
        path(filled).with_name("then.db").write_bytes(copy)
        now.execute("ATTACH ? AS old", (str(path(filled).with_name("then.db")),))
        now.execute("INSERT INTO memory SELECT * FROM old.memory WHERE kind = 'progress'")
        now.commit()
    assert any("is there, although a change" in each for each in unexplained(filled))
