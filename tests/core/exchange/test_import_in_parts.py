"""Large imports: in parts, which stay when it is interrupted, at a cost that does not grow."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreError
from cortex_core.exchange import importer
from cortex_core.store import word_index
from tests.core.killing import killed_at
from tests.journals import unexplained

SUBJECTS = "harbour lighthouse sextant anchor compass rudder mast keel hull galley".split()
LINES = [
    json.dumps(
        {
            "content": f"The {one} is painted every {n + 2} years by {one}-crew-{n}",
            "scope": "global" if n % 3 == 2 else "project",
        }
    )
    for n, one in enumerate(SUBJECTS)
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "PART", 3)


def stop_at(count: int, error: BaseException) -> Callable[[int, int, str], None]:
    """A report of progress that raises `error` when `count` memories are written."""

    def progress(done: int, total: int, what: str) -> None:
        if what == "writing" and done - total // 2 >= count:
            raise error

    return progress


def contents(cortex: Cortex) -> list[str]:
    return sorted(one.content for one in cortex.list(limit=100))


def test_what_an_interrupted_import_wrote_stays_and_is_not_doubled(cortex: Cortex) -> None:
    with pytest.raises(KeyboardInterrupt) as stopped:
        cortex.exchange.import_jsonl(LINES, progress=stop_at(3, KeyboardInterrupt()))
    (said,) = stopped.value.__notes__
    assert said.startswith("3 of 10 memories are imported and stay")
    assert len(contents(cortex)) == 3
    assert cortex.log()[0].label == "import 10 memories, the first 3"
    report = cortex.exchange.import_jsonl(LINES)
    assert (report.stored, report.merged) == (7, 3)
    assert contents(cortex) == sorted(json.loads(line)["content"] for line in LINES)
    assert unexplained(cortex) == []


def test_all_of_it_is_one_undo(cortex: Cortex) -> None:
    cortex.exchange.import_jsonl(LINES)
    assert {entry.label for entry in cortex.log()} == {"import 10 memories"}
    cortex.undo()
    assert contents(cortex) == []
    cortex.redo()
    assert len(contents(cortex)) == 10
    assert unexplained(cortex) == []


def test_a_store_that_cannot_be_written_any_more(cortex: Cortex) -> None:
    store = cortex.workspace.store("project")
    other = sqlite3.connect(store.path, isolation_level=None)

    def lock(done: int, total: int, what: str) -> None:
        if what == "writing":
            store.connection.execute("PRAGMA busy_timeout = 0")
            other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreError, match="3 of 10 memories are imported and stay"):
        cortex.exchange.import_jsonl(LINES, progress=lock)
    other.close()
    assert cortex.exchange.import_jsonl(LINES).stored == 7


def test_a_killed_import_doubles_nothing(tmp_path: Path) -> None:
    def opened(step: int) -> Cortex:
        root = tmp_path / f"{step}"
        (root / ".git").mkdir(parents=True, exist_ok=True)
        return Cortex.open(root, tmp_path / f"home-{step}")

    def in_parts_of_three() -> None:
        setattr(importer, "PART", 3)  # noqa: B010, mypy forbids to assign a constant

    def task(step: int) -> Callable[[], None]:
        def work() -> None:
            with opened(step) as cortex:
                cortex.exchange.import_jsonl(LINES)

        return work

    written = set()
    for step in range(2, 10, 2):
        was_killed = killed_at(step, task(step), ready=in_parts_of_three)
        with opened(step) as cortex:
            before = len(contents(cortex))
            report = cortex.exchange.import_jsonl(LINES)
            assert contents(cortex) == sorted(json.loads(line)["content"] for line in LINES)
            if was_killed and 0 < before < 10:
                assert (report.stored, report.merged) == (10 - before, before)
                written.add(before)
    assert len(written) > 1


STATEMENTS = [
    "Releases are cut from the main branch every second Tuesday by the release captain",
    "The release captain cuts releases from the main branch every second Tuesday",
    "Every second Tuesday releases are cut from the main branch by the captain",
    "Tests run on pushes to the main branch",
    "Invoices are archived for ten years in the cold storage bucket",
    "Invoices are archived for ten years in the cold storage bucket of the vendor",
    "Feature flags live in the config service",
    "Deploys happen from the main branch after the tests",
]


def proposed(cortex: Cortex) -> set[frozenset[str]]:
    said = {one.id: one.content for one in cortex.list(limit=100)}
    return {frozenset(said[name] for name in one.members) for _, one in cortex.review.proposals()}


@pytest.mark.parametrize("most", [0, 2000])
def test_similar_memories_are_found_in_a_batch_as_in_the_store(
    opened: Callable[[str], Cortex], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(word_index, "MOST_HOLDERS", most)
    batch, single = opened("batch"), opened("single")
    batch.exchange.import_jsonl(json.dumps({"content": line}) for line in STATEMENTS)
    for line in STATEMENTS:
        single.exchange.import_jsonl([json.dumps({"content": line})])
    assert proposed(batch) == proposed(single)
    assert len(proposed(batch)) >= 2
