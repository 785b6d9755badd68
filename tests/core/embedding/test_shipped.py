"""The shipped model: vectors as fastembed has them, bits for wordpieces, and damage is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cortex_core.base.errors import ModelUnavailable
from cortex_core.embeddings.local import (
    DIMENSION,
    MOST_PARTS,
    PART,
    SHA256,
    SHIPPED_FOLDER,
    ShippedModel,
    has_content,
    shipped,
    verify,
)

TEXTS = (
    "Use pnpm for everything, never npm.",
    "def take(n): return list(range(n))  # code is text too",
    "Ölöfen müssen vor dem Brand entlüftet werden.",
    "猫はテーブルの上にいます。",
    "🙂 ok",
    "A longer note. " * 25,
)


@pytest.fixture(scope="module")
def model() -> ShippedModel:
    return shipped()


def test_sentence_vectors_equal_fastembeds(model: ShippedModel) -> None:
    from fastembed import TextEmbedding

    other = TextEmbedding(
        "sentence-transformers/all-MiniLM-L6-v2", specific_model_path=str(SHIPPED_FOLDER)
    )
    for text in TEXTS:
        theirs = next(iter(other.embed([text])))
        assert float(model.encode(text).vector @ theirs) > 0.9999


def test_vectors_have_unit_length_and_the_dimension(model: ShippedModel) -> None:
    for text in (*TEXTS, "", " ", "the"):
        for vector in (model.encode(text).vector, model.query(text).vector):
            assert vector.shape == (DIMENSION,)
            assert vector.dtype == np.float32
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_the_same_text_has_the_same_vectors(model: ShippedModel) -> None:
    first, second = model.encode(TEXTS[0]), model.encode(TEXTS[0])
    assert (first.vector == second.vector).all()
    assert first.bits == second.bits


def test_threads_do_not_disturb_each_other(model: ShippedModel) -> None:
    alone = [model.encode(text) for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(model.encode, TEXTS * 3))
    for one, other in zip(alone * 3, together, strict=True):
        assert one.bits == other.bits
        assert (one.vector == other.vector).all()


def test_content_wordpieces_have_bits(model: ShippedModel) -> None:
    found = model.encode("The port of the database!")
    assert len(found.pieces) == 2
    assert len(found.bits) == 2 * DIMENSION // 8


def test_stop_words_are_kept_where_there_is_nothing_else(model: ShippedModel) -> None:
    assert len(model.encode("what is it").pieces) == 3
    assert model.encode("").pieces == ()


def test_a_querys_wordpieces_are_unit_vectors(model: ShippedModel) -> None:
    found = model.query("port of the database")
    assert found.tokens.shape == (2, DIMENSION)
    assert np.linalg.norm(found.tokens, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert model.query("").tokens.shape == (0, DIMENSION)


def test_a_query_meets_its_own_text(model: ShippedModel) -> None:
    query, stored = model.query("reserve stock"), model.encode("reserve stock")
    signs = np.unpackbits(np.frombuffer(stored.bits, np.uint8)).reshape(-1, DIMENSION)
    own = (query.tokens * (2.0 * signs - 1)).sum(axis=1) / np.sqrt(DIMENSION)
    assert (own > 0.7).all()


def test_long_texts_are_read_in_parts(model: ShippedModel) -> None:
    head, tail = "Bread needs salt. " * 130, "The lock file is stale. " * 130
    both, first, last = (model.encode(text) for text in (head + tail, head, tail))
    assert len(both.pieces) > PART
    assert float(both.vector @ first.vector) > 0.5
    assert float(both.vector @ last.vector) > 0.5


def test_endless_texts_are_bounded(model: ShippedModel) -> None:
    assert len(model.encode("word " * 20_000).pieces) == PART * MOST_PARTS


def test_what_was_said_before_colours_but_is_no_part(model: ShippedModel) -> None:
    alone = model.encode("It was lovely.")
    about = model.encode("It was lovely.", "How was the beach in Spain?")
    assert about.pieces == alone.pieces
    assert len(about.bits) == len(alone.bits)
    beach = model.query("a beach in Spain").vector
    assert float(about.vector @ beach) > float(alone.vector @ beach)


@pytest.mark.parametrize(
    ("token", "expected"),
    [("port", True), ("##ing", True), ("429", True), ("the", False), ("!", False), ("é", True)],
)
def test_content(token: str, expected: bool) -> None:
    assert has_content(token) is expected


def test_the_shipped_files_are_whole() -> None:
    assert verify() == []
    assert {path.name for path in SHIPPED_FOLDER.iterdir()} == {*SHA256, "NOTICE"}


def test_damage_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "minilm"
    shutil.copytree(SHIPPED_FOLDER, folder)
    (folder / "config.json").unlink()
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    problems = verify(folder)
    assert len(problems) == 2
    assert "config.json is missing" in problems[0]
    assert "tokenizer.json" in problems[1]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "token-mean.npy"])
@pytest.mark.parametrize("content", [None, b"junk"])
def test_a_model_that_cannot_be_loaded_says_what_to_do(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    for file in SHIPPED_FOLDER.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / name).unlink()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"by words still works.*Reinstall"):
        ShippedModel(tmp_path)


def test_numpy_is_loaded_with_one_thread(clean_env: Callable[..., dict[str, str]]) -> None:
    """And nothing of that is left in the environment for child processes to inherit."""
    root = str(Path(__file__).resolve().parents[3])
    code = (
        f"import os, sys, threading; sys.path.insert(0, {root!r})\n"
        "from cortex_core.base.one_thread import load_numpy\n"
        "load_numpy()\n"
        "import numpy as np\n"
        "many = np.ones((3000, 3000), np.float32)\n"
        "many @ many\n"
        "tasks = os.listdir('/proc/self/task') if os.path.isdir('/proc/self/task') else ['1']\n"
        "print(len(tasks), [name for name in os.environ if name.endswith('_THREADS')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=clean_env()
    )
    assert done.stdout.split(maxsplit=1) == ["1", "[]\n"]
