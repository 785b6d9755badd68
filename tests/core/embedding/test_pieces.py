"""The table of wordpieces: it cuts words as the model does, and knows common English."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cortex_core.embeddings.local import shipped
from cortex_core.embeddings.pieces import TABLE, WIDTH, Pieces


@pytest.mark.parametrize("word", ["database", "websockets", "pnpm", "reinstall", "429", "käse"])
def test_words_are_cut_as_the_model_cuts_them(word: str) -> None:
    model = shipped()
    plain = word.replace("ä", "a")
    texts = {place: text for text, place in model.vocabulary()}
    with Pieces() as table:
        cut = table.parts(plain)
        assert [text for text, _ in cut] == [texts[place] for place in model.query(plain).pieces]
        assert all(len(bits) == WIDTH for _, bits in cut)


def test_what_no_wordpiece_begins_has_none() -> None:
    with Pieces() as table:
        assert [bits for _, bits in table.parts("")] == []
        assert [bits for _, bits in table.parts("🙂")] == []


def test_pieces_of_like_meaning_are_alike() -> None:
    def bits(word: str) -> int:
        with Pieces() as table:
            return int.from_bytes(table.parts(word)[0][1], "big")

    def differ(one: str, other: str) -> int:
        return (bits(one) ^ bits(other)).bit_count()

    assert differ("car", "truck") < differ("car", "poem")
    assert differ("error", "failure") < differ("error", "garden")


@pytest.mark.parametrize("word", ["winter", "crashes", "running", "deeply", "iphones", "routes"])
def test_common_words(word: str) -> None:
    with Pieces() as table:
        assert table.is_word(word)


@pytest.mark.parametrize(
    "word", ["databse", "websokets", "deploymnt", "pipelnie", "pgbouncer", "reddis", "numbrs"]
)
def test_slips_and_names_are_no_common_words(word: str) -> None:
    with Pieces() as table:
        assert not table.is_word(word)


def test_a_table_that_is_gone_or_damaged_gives_nothing(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(Path(TABLE).read_bytes()[:5000])
    for path in (tmp_path / "missing.db", damaged):
        with Pieces(str(path)) as table:
            assert [bits for _, bits in table.parts("database")] == []
            assert not table.is_word("database")


def test_the_table_was_built_with_this_model() -> None:
    """A few wordpieces encoded anew differ in no more bits than rounding explains."""
    model = shipped()
    with Pieces() as table:
        words = ["database", "kitchen", "error", "python", "meeting", "color", "road", "silver"]
        held = np.array(
            [np.unpackbits(np.frombuffer(table.parts(word)[0][1], np.uint8)) for word in words]
        )
    states = np.array([model.piece(model.query(word).pieces[0]) for word in words])
    agreement = np.mean((states > states.mean(axis=0)) == held)
    assert agreement > 0.75
