"""The first rows of a search are how the whole of it begins."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from cortex_core import Cortex
from cortex_core.search import finder
from cortex_core.store.store import Store

WORDS = "deploy deploys deployed depend depart detail queue quiet quota token tokens total".split()
COUNT = 60


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store that is only read."""
    chance = random.Random(5)
    folder = tmp_path_factory.mktemp("finder")
    (folder / "project" / ".git").mkdir(parents=True)
    with Cortex.open(folder / "project", folder / "home") as cortex:
        for number in range(COUNT):
            said = " ".join(chance.sample(WORDS, 4))
            cortex.remember(f"Note {number} on {said} number {number * 7919}")
        yield cortex.workspace.store("project")


@pytest.mark.parametrize("typed", ["d", "de", "deploy", "dep to", "queue tok", "depliy", "n"])
@pytest.mark.parametrize("ranked", [5, finder.RANKED])
def test_the_first_rows_begin_the_whole(
    store: Store, typed: str, ranked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "RANKED", ranked)
    whole = finder.search([store], typed)
    assert whole.complete and len(whole.keys) > 4
    for most in (1, 4, 5, 6, len(whole.keys) - 1, len(whole.keys), COUNT + 1):
        head = finder.search([store], typed, most)
        assert list(head.keys) == list(whole.keys)[:most]
        assert head.corrected == whole.corrected
        assert not head.complete or len(head.keys) == len(whole.keys)
        assert head.complete or len(head.keys) == most


def test_each_row_comes_once(store: Store) -> None:
    found = finder.search([store], "deploy").keys
    assert len(set(found)) == len(found)
