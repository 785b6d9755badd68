"""Which model is in force, and models that are not there."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from cortex_core.base.config import Config
from cortex_core.base.errors import ModelUnavailable
from cortex_core.embeddings import models as embeddings_models
from cortex_core.embeddings.local import SHIPPED_FOLDER, FastembedModel
from cortex_core.embeddings.names import MULTILINGUAL, REMOTE_PROVIDERS, SHIPPED, SHIPPED_TAG


def test_the_shipped_model_is_the_default_and_loaded_once() -> None:
    names = Config().get("embedding.model")
    first, why = embeddings_models.in_force(names, "", 0.0)
    assert (first.name, why) == (SHIPPED_TAG, "")
    assert embeddings_models.in_force(names, "", 0.0)[0] is first
    assert embeddings_models.tag(SHIPPED) == SHIPPED_TAG
    assert embeddings_models.tag("BAAI/bge-small-en-v1.5") == "BAAI/bge-small-en-v1.5"


def test_a_model_that_was_not_fetched_is_an_error_at_once(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(ModelUnavailable, match="cortex models use BAAI"):
        embeddings_models.named("BAAI/bge-small-en-v1.5", str(tmp_path))
    assert time.monotonic() - start < 60


def test_an_unknown_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="no-such-model"):
        embeddings_models.named("no-such-model", str(tmp_path))
    model, why = embeddings_models.in_force("no-such-model", str(tmp_path), 0.0)
    assert model.name == SHIPPED_TAG
    assert why.startswith("The embedding model no-such-model cannot be used")


def test_the_shipped_model_and_the_one_for_other_languages_are_offered_first() -> None:
    names = [name for name, _, _ in embeddings_models.OFFERED]
    assert names[:2] == [SHIPPED, MULTILINGUAL]
    assert {name.partition(":")[0] for name in names[2:]} == set(REMOTE_PROVIDERS)


def test_another_model_gives_sentence_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped files stand in for a fetched model: nothing here may use the network."""
    from fastembed import TextEmbedding

    def local(name: str, **options: object) -> TextEmbedding:
        return TextEmbedding(SHIPPED, specific_model_path=str(SHIPPED_FOLDER))

    monkeypatch.setattr("cortex_core.embeddings.local._library", lambda: local)
    model = FastembedModel("another", tmp_path)
    assert (model.name, model.dimension) == ("another", 384)
    stored, query = model.encode("a cat"), model.query("a cat")
    assert float(stored.vector @ query.vector) == pytest.approx(1, abs=1e-3)
    assert (stored.bits, stored.pieces, len(query.tokens)) == (b"", (), 0)
