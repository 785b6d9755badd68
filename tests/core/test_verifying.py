"""Whether a store is what its journal says: after any history, and after any foreign hand."""

from __future__ import annotations

import io
import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import CortexError
from cortex_core.records.memory import SCOPES
from cortex_core.store import vector_file, vector_search
from tests.conftest import Clock

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


def found(cortex: Cortex) -> list[str]:
    """Table, column and problem of each difference in the project's store."""
    return [
        f"{one.table} {one.column} {one.problem}"
        for result in cortex.snapshots.verify()
        if result.scope == "project"
        for one in result.differences
    ]


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
    for result in cortex.snapshots.verify():
        assert result.differences == ()
        assert not result.unchecked
        assert result.changes > 10


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
    assert found(cortex) == []
    cortex.restore(second.id)
    assert found(cortex) == []


def test_what_was_compared_is_counted(filled: Cortex) -> None:
    filled.recall("deploys")
    (result,) = filled.snapshots.verify()
    assert result.snapshot == ""
    assert result.compared == {
        "edge": 1,
        "links": 1,
        "memory": 3,
        "memory_fts": 3,
        "memory_words": 3,
        "source": 3,
        "vectors": 3,
    }


def test_nothing_is_written(filled: Cortex) -> None:
    filled.close()
    before = path(filled).read_bytes()
    assert filled.snapshots.verify()[0].differences == ()
    filled.close()
    assert path(filled).read_bytes() == before


def test_no_store_is_no_difference(cortex: Cortex) -> None:
    assert cortex.snapshots.verify() == []


def test_what_was_scrubbed_is_no_difference(cortex: Cortex) -> None:
    cortex.remember("Deploys go out on Tuesday")
    tamper(cortex, "UPDATE memory SET excerpt = 'key AKIAQ3EGRCPMBWIHJT4D'")
    cortex.snapshots.take()
    assert cortex.secrets.scrub().found
    (result,) = cortex.snapshots.verify()
    assert result.differences == ()
    assert result.unchecked == {}


# --- foreign hands

NEW_ROW = (
    "INSERT INTO source (memory, rule, author, session, message, transcript) "
    "SELECT id, 'person', '', '', '', '' FROM memory LIMIT 1"
)

TAMPERED = {
    "a content": (
        "UPDATE memory SET content = 'Deploys go out on Sunday' WHERE title LIKE 'Dep%'",
        "memory content is not what change 1 added",
    ),
    "a column that an edit set": (
        "UPDATE memory SET content = 'No' WHERE kind = 'policy'",
        "memory content is not what change 5 set",
    ),
    "a pin": (
        "UPDATE memory SET pinned = 1 WHERE kind = 'policy'",
        "memory pinned is not what change 2 added",
    ),
    "a row that is new": (NEW_ROW, "source  was added by no change"),
    "a row that is gone": (
        "DELETE FROM source WHERE id = 1",
        "source  is missing: change 1 added it, and none removed it",
    ),
    "a memory that is gone": (
        "DELETE FROM memory WHERE kind = 'policy'",
        "edge target names a memory that is not there",
    ),
    "a link": ("UPDATE edge SET type = 'contradicts'", "edge type is not what change 4 added"),
    "a link's end": (
        "UPDATE edge SET target = 'nobody'",
        "edge target names a memory that is not there",
    ),
    "a word of an index": (
        "INSERT INTO memory_fts(memory_fts, rowid, title, content, tags, context, excerpt) SELECT "
        "'delete', number, title, content, tags, context, excerpt FROM memory LIMIT 1",
        "memory_fts  is missing, so words do not find this memory",
    ),
    "other words in an index": (
        "INSERT INTO memory_words(rowid, title, content, tags) VALUES (1, 'evil', 'evil', '')",
        "memory_words  has other words than the memories",
    ),
    "the text of a vector": (
        "UPDATE embedding SET text_hash = 'x' WHERE number = 1",
        "embedding text_hash is of another text than the memory's",
    ),
    "a vector": (
        "UPDATE embedding SET vector = zeroblob(4 * dimension) WHERE number = 1",
        "embedding vector is damaged: its length is not 1",
    ),
    "the length of a vector": (
        "UPDATE embedding SET vector = x'00' WHERE number = 1",
        "embedding vector is not as long as it says",
    ),
    "a dimension": (
        "UPDATE embedding SET dimension = 12 WHERE number = 2",
        "embedding dimension differs from other vectors of its model",
    ),
    "the bits of words": (
        "UPDATE embedding SET bits = x'00' WHERE number = 1",
        "embedding bits are not as many as the words",
    ),
    "a vector of nothing": (
        "UPDATE embedding SET number = 99 WHERE number = 1",
        "embedding number belongs to no memory",
    ),
    "a change": (
        "DELETE FROM journal WHERE number = 2",
        "journal_row  belongs to no change or no table",
    ),
    "what a change was": (
        "UPDATE journal_row SET before = replace(before, 'whole', 'half')",
        "memory content is not what change 2 added",
    ),
    "what a change became": (
        "UPDATE journal_row SET after = replace(after, 'cents', 'euros')",
        "memory content is not what change 5 set",
    ),
    "a row of a change": (
        "DELETE FROM journal_row WHERE entry = 1 AND place = 0",
        "journal_row  lacks some of what the change wrote",
    ),
    "a row that cannot be read": (
        "UPDATE journal_row SET after = '{' WHERE entry = 5",
        "memory  cannot be compared: change 5 is unreadable in the journal",
    ),
    "an undo that was none": (
        "UPDATE journal SET undone_by = 4 WHERE number = 2",
        "journal  names change 4 as its undo or redo, which does not name it",
    ),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_every_foreign_hand_is_found(filled: Cortex, name: str) -> None:
    assert found(filled) == []
    statement, expected = TAMPERED[name]
    tamper(filled, statement)
    assert expected in found(filled)


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
    assert any("is there, although change" in each for each in found(filled))


def test_rows_that_the_journal_does_not_know_are_compared_with_the_snapshot(filled: Cortex) -> None:
    tamper(filled, "UPDATE journal_row SET after = '{}' WHERE before IS NULL")
    (result,) = filled.snapshots.verify()
    assert result.unchecked == {"edge": 1, "memory": 3, "source": 3}
    filled.snapshots.take()
    (result,) = filled.snapshots.verify()
    assert (result.unchecked, result.differences) == ({}, ())
    tamper(
        filled,
        "UPDATE memory SET title = 'Evil' WHERE number = 1",
        "DELETE FROM source WHERE id = 1",
        NEW_ROW,
        "UPDATE journal SET label = 'nothing' WHERE number = 2",
    )
    name = Path(result.snapshot).name
    assert sorted(found(filled)) == [
        f"journal  is not what the snapshot {name} has",
        f"memory title is not what the snapshot {name} has",
        f"source  was added by no change since the snapshot {name}",
        f"source  was removed by no change since the snapshot {name}",
    ]


def test_a_snapshot_of_another_time_line_is_not_compared(filled: Cortex, clock: Clock) -> None:
    filled.snapshots.take()
    filled.remember("Tests need no network")
    filled.snapshots.restore(1)
    clock.advance(hours=1)
    filled.remember("Backups run at night")
    newest, first = filled.snapshots.list()
    first.path.unlink()
    (result,) = filled.snapshots.verify()
    assert (result.snapshot, result.differences) == ("", ())
    assert "before-restore" in str(newest.path)


@pytest.mark.parametrize("part", ["vectors", "signs"])
def test_the_cache_of_vectors_is_compared(filled: Cortex, part: str) -> None:
    store, model = filled.workspace.store("project"), filled.models.embedder()
    assert model is not None
    assert vector_search.refresh(store, model.name, model.dimension)
    (result,) = filled.snapshots.verify()
    assert result.compared["cached vectors"] == 3
    assert result.differences == ()
    cache = vector_search.cache_path(store.path, "project")
    raw = bytearray(cache.read_bytes())
    at = len(raw) - 1 if part == "vectors" else vector_file.NUMBERS_AT + 3 * 8
    raw[at] ^= 0xFF
    cache.write_bytes(raw)
    assert found(filled) == ["vectors-project.bin  differs from the vector in the store"]


def test_values_are_shown_short_escaped_and_without_secrets(filled: Cortex) -> None:
    evil = "\x1b[31m key AKIAQ3EGRCPMBWIHJT4D " + "long " * 40
    tamper(filled, f"UPDATE memory SET content = '{evil}' WHERE kind = 'policy'")
    (shown,) = [one for one in filled.snapshots.verify()[0].differences if one.column == "content"]
    assert shown.expected == "“Invoices are rounded to cents”"
    assert len(shown.found) <= 82
    assert "AKIA" not in shown.found
    assert "\x1b" not in shown.found
    json.dumps(shown.found)
