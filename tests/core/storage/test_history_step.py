"""The step to version 3: `version-2.db.gz` was written by Cortex at schema version 2.

It holds memories of commits and pull requests as the rules made them then: with a cause, with a
reason, with neither, as suggestions; some were edited, pinned or kept by the user, one is linked,
one is in an open proposal with a memory that the user wrote.
"""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.project import find
from cortex_core.store import trust
from cortex_core.store.reader import SCHEMA_VERSION
from cortex_core.store.store import Store
from tests.conftest import Clock
from tests.core.storage.test_migrations import content, is_sound, version

OLD = gzip.decompress(Path(__file__).with_name("version-2.db.gz").read_bytes())

MOVED = {
    "Added a page that lists invoices",
    "Page through orders by cursor, not by offset",
    "Added a dark theme",
    "Sent reminders once",
}
STAYING = {
    "Refresh the session before it expires": "solution",  # gives its cause
    "Keep jobs in SQLite instead of Redis": "progress",  # gives its reason
    "Invoices are exported as CSV, because the bank rejects XLSX": "progress",  # edited by the user
    "Send a reminder for each overdue invoice": "progress",  # pinned
    "Look orders up by customer name and city": "progress",  # kept by the user
    "Prices are integers of cents, never floats": "policy",
}


@pytest.fixture
def path(project: Path) -> Path:
    """A project's store, as version 2 left it."""
    made = project / ".memory" / "cortex.db"
    made.parent.mkdir(mode=0o700, exist_ok=True)
    made.write_bytes(OLD)
    return made


@pytest.fixture
def cortex(path: Path, project: Path, clock: Clock) -> Cortex:
    """Cortex on that store."""
    clock.advance(days=1)
    with closing(sqlite3.connect(path)) as connection:
        identity = connection.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()[0]
    trust.grant(find(str(project)), identity)
    return Cortex.open(project=project, clock=clock)


def kinds(cortex: Cortex) -> dict[str, str]:
    listed = cortex.list(history=True, statuses=("active", "suggested"))
    return {memory.title: memory.kind for memory in listed}


def test_what_only_says_what_was_done_becomes_history(cortex: Cortex) -> None:
    found = kinds(cortex)
    assert {title for title, kind in found.items() if kind == "episode"} == MOVED
    assert STAYING.items() <= found.items()
    assert {memory.title for memory in cortex.episodes.list()} == MOVED
    assert "dark theme" in cortex.recall("dark theme of the shop").hits[0].memory.content


def test_an_entry_names_its_commit_so_that_it_is_not_made_twice(cortex: Cortex) -> None:
    (page,) = [one for one in cortex.episodes.list() if "lists invoices" in one.title]
    assert page.details == {"event": "commit:2b3c4d5"}
    assert page.context.files == ("src/invoices.py",)
    assert len(cortex.graph.links(page.id)) == 1


def test_episodes_are_in_no_open_proposal(cortex: Cortex) -> None:
    assert cortex.review.list() == []


def test_it_is_undone_and_stays_undone(cortex: Cortex, path: Path, project: Path) -> None:
    assert len(cortex.list()) == len(STAYING) + 3
    (undone,) = cortex.undo()
    assert undone.label == "move 4 commits and pull requests to the history"
    assert "episode" not in kinds(cortex).values()
    assert "Page through orders by cursor, not by offset" in {
        memory.title for memory in cortex.list(statuses=("suggested",))
    }
    assert len(cortex.review.list()) == 1
    cortex.close()
    with Cortex.open(project=project) as again:
        assert "episode" not in kinds(again).values()
        again.redo()
        assert kinds(again).keys() >= MOVED


def test_nothing_else_is_changed(path: Path) -> None:
    before = content(path)
    Store.open(path, "project").close()
    after = content(path)
    assert (version(path), is_sound(path)) == (SCHEMA_VERSION, True)
    for table in ("source", "edge", "verdict", "trash", "receipt", "ledger", "cursor", "seen"):
        assert after[table] == before[table], table
    said = [row["content"] for row in before["memory"]]  # type: ignore[attr-defined]
    assert sorted(said) == sorted(row["content"] for row in after["memory"])  # type: ignore[attr-defined]
