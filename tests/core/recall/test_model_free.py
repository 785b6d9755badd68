"""Recall without the model: what it may load, and that it finds what is meant."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cortex_core.embeddings.local import DIMENSION, NAME, ShippedModel
from cortex_core.embeddings.pieces import Pieces
from cortex_core.search import keyword
from cortex_core.search.pool import Allowed
from cortex_core.store import vector_search
from cortex_core.store.store import Store
from cortex_core.surface.prompt_recall import ranking
from cortex_core.surface.prompt_recall.ranking import Ranking
from tests.core.recall.conftest import add, number_of

HEAVY = {
    "anthropic",
    "dataclasses",
    "fastembed",
    "numpy",
    "onnxruntime",
    "peewee",
    "pydantic",
    "rich",
    "textual",
    "tokenizers",
    "typing",
    "json",
    "hashlib",
}


def rank(store: Store, text: str, allowed: Allowed | None = None) -> Ranking:
    return ranking.rank(store, text, allowed=allowed)


def loaded_by(module: str, clean_env: Callable[..., dict[str, str]]) -> set[str]:
    """The modules that a fresh process has loaded after importing `module`."""
    root = str(Path(__file__).resolve().parents[3])
    code = f"import sys; sys.path.insert(0, {root!r}); import {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=clean_env(),
    )
    return set(done.stdout.split())


def test_it_loads_little(clean_env: Callable[..., dict[str, str]]) -> None:
    assert not loaded_by("cortex_core.surface.prompt_recall.ranking", clean_env) & (
        HEAVY - {"typing"}
    )


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("the websocket connection is closed", 2),
        ("which database holds the orders", 4),
        ("encoding of the supplier's file", 9),
        ("cookies in Safari", 6),
    ],
)
def test_it_finds_what_is_meant(bakery: Store, asked: str, answer: int) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    assert answer in [score.number for score in rank(bakery, asked).candidates[:3]]


def test_sign_bits_find_what_shares_no_word(bakery: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "browser authentication"
    fresh = [score.number for score in rank(bakery, asked).candidates]
    monkeypatch.setattr(ranking, "FRESH", 0)
    without = [score.number for score in rank(bakery, asked).candidates]
    vector_search.refresh(bakery, NAME, DIMENSION)
    found = [score.number for score in rank(bakery, asked).candidates]
    assert 6 not in without
    assert 6 in found[:3]
    assert fresh == found


def test_generic_prompts_are_known(bakery: Store) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    generic = rank(bakery, "commit all of it and push, please").generic_similarity
    assert generic > rank(bakery, "the oven is preheated by a websocket").generic_similarity + 0.1
    assert rank(bakery, "").generic_similarity == 0.0


def test_the_meaning_of_a_sentence_is_near_its_vector(model: ShippedModel) -> None:
    """What stands in its place points the same way for sentences that it was not learned from."""
    cosines = []
    for text in ("the oven is too hot for rye", "restart the queue after a deploy", "slow search"):
        with Pieces() as table:
            words = [part for word in text.split() for part in table.parts(word)]
            added = table.added(name for name, _ in words)
        pieces = [ranking.contribution(bits, added.get(name, b"")) for name, bits in words]
        signs = np.sign(model.query(text).vector)
        meant = ranking.QueryMeaning(pieces)
        (difference,) = meant.differences(np.packbits(signs > 0).tobytes())
        cosines.append(meant.similarity(difference))
    assert min(cosines) > 0.3


@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
def test_differences_are_the_bits_that_differ(count: int) -> None:
    chance = random.Random(count)
    piece = ranking.contribution(b"", chance.randbytes(DIMENSION))
    values = list(piece)
    strength = sum(map(abs, values)) / DIMENSION
    signs = chance.randbytes(count * DIMENSION // 8)
    bits = np.unpackbits(np.frombuffer(signs, np.uint8)).reshape(count, DIMENSION)
    unequal = bits != (np.array(values) > 0)
    expected = unequal @ np.where(np.abs(values) > strength, 3, 1)
    assert ranking.QueryMeaning([piece]).differences(signs) == expected.tolist()


def test_common_words_are_left_out_where_rarer_ones_find_enough(
    bakery: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword, "MATCHES", 8)
    asked = ("the", "postgres", "oven", "queue", "orders")
    every, fewer = keyword.prepare(bakery, asked), keyword.prepare(bakery, asked, 8)
    assert len(fewer.terms) == keyword.LEAST < len(every.terms)
    assert fewer.terms == every.terms[: keyword.LEAST]
    assert fewer.rarity == every.rarity


def test_without_vectors_words_remain(store: Store) -> None:
    memory = add(store, "Use pnpm, never npm.")
    assert [score.number for score in rank(store, "pnpm").candidates] == [number_of(store, memory)]


def test_without_the_table_words_remain(bakery: Store, tmp_path: Path) -> None:
    for name, content in (("missing", None), ("damaged", b"SQLite format 3\0 no, it is not")):
        table = tmp_path / name
        if content is not None:
            table.write_bytes(content)
        found = ranking.rank(bakery, "oven websockets", table=str(table))
        assert found.candidates[0].number == 2


def test_only_what_is_allowed(bakery: Store) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    found = rank(bakery, "postgres", Allowed("m.number <> ?", (4,)))
    assert 4 not in [score.number for score in found.candidates]


@pytest.mark.parametrize(
    "text", ["", "🙂", "the of and", '"; DROP TABLE memory', pytest.param("x" * 50_000, id="long")]
)
def test_any_prompt_can_be_asked(bakery: Store, text: str) -> None:
    vector_search.refresh(bakery, NAME, DIMENSION)
    rank(bakery, text)
