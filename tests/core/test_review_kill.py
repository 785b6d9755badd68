"""A merge killed at any step happened whole or not at all, and undo brings every byte back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.conftest import made
from tests.core.killing import STATEMENTS, killed_at, spread, steps_of

ONE = "Access tokens live 15 minutes because the mobile client can refresh them"
OTHER = "Access tokens live 15 minutes, since the mobile client can refresh them in the background"

TABLES = ("memory", "source", "edge", "proposal", "verdict", "trash")
VECTORS = "number, model, dimension, text_hash, vector, bits, pieces"


def everything(root: Path) -> dict[str, object]:
    """Rows, vectors and full-text index, to the byte; the index is checked against the rows."""
    with Cortex.open(root) as cortex:
        (store,) = (one for one in cortex.workspace.stores if one.scope == "project")
        found: dict[str, object] = {
            table: sorted(map(tuple, store.rows(f"SELECT * FROM {table}")), key=repr)
            for table in TABLES
        }
        vectors = store.rows(f"SELECT {VECTORS} FROM embedding ORDER BY number")
        found["embedding"] = list(map(tuple, vectors))
        for words in ("stem", "word"):
            counted = store.rows(f"SELECT term, doc, cnt FROM {words} ORDER BY term")
            found[words] = list(map(tuple, counted))
        assert store.value("PRAGMA integrity_check") == "ok"
        return found


@pytest.fixture
def store(project: Path) -> Path:
    """A project with one proposal on two linked memories that have vectors."""
    with Cortex.open(project) as cortex:
        first = cortex.remember(ONE, kind="decision", tags=["auth"], pinned=True)
        second = cortex.remember(OTHER, kind="decision", tags=["mobile"], priority=8)
        third = cortex.remember("The login page is rendered on the server", kind="architecture")
        cortex.graph.link(third.id, second.id, "REQUIRES")
        cortex.graph.link(first.id, third.id, "relates_to")
        cortex.graph.link(third.id, first.id, "REQUIRES")
        cortex.consolidate()
        assert len(cortex.review.proposals()) == 1
    return project


class Verdict:
    """A verdict on the one proposal of a store that is opened first."""

    def __init__(self, root: Path, verb: str) -> None:
        self.root, self.verb = root, verb

    def open(self) -> None:
        self.cortex = Cortex.open(self.root)
        self.number = self.cortex.review.proposals()[0][1].number

    def give(self) -> None:
        getattr(self.cortex.review, self.verb)(self.number)


@pytest.mark.parametrize("verb", ["approve", "keep_left", "supersede"])
def test_killed_at_any_step_a_verdict_is_whole_or_not_there(
    store: Path, tmp_path: Path, verb: str
) -> None:
    before = everything(store)
    whole = Verdict(shutil.copytree(store, tmp_path / "whole"), verb)
    made(whole.root)
    merged = 0
    for at in spread(steps_of(whole.give, STATEMENTS, ready=whole.open), 4):
        root = shutil.copytree(store, tmp_path / f"{verb}-{at}")
        made(root)
        verdict = Verdict(root, verb)
        assert killed_at(at, verdict.give, STATEMENTS, ready=verdict.open), at
        with Cortex.open(root) as cortex:
            if not cortex.review.proposals():
                merged += 1
                assert len(cortex.list(kinds=["decision"])) == 1
                cortex.undo()
                # Tags are embedded too: a member that took some needs its vector anew.
                assert cortex.models.embed_pending() == (verb == "keep_left")
        assert everything(root) == before, at
        shutil.rmtree(root)
    assert merged >= 1


def test_undo_after_the_survivor_got_its_vector(store: Path) -> None:
    before = everything(store)
    with Cortex.open(store) as cortex:
        cortex.review.approve(cortex.review.proposals()[0][1].number)
        assert cortex.models.embed_pending() == 1
        cortex.undo()
    after = everything(store)
    assert {name: after[name] for name in after if name != "edge"} == {
        name: before[name] for name in before if name != "edge"
    }
