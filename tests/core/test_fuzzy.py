"""Typed words and the texts that they fit: letters left out, swapped, joined, inner parts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from cortex_core.base import fuzzy

TITLES = (
    "Use zustand for client state, not redux",
    "The payment processor retries three times",
    "Caddy terminates TLS, not nginx",
    "LedgerWriter flushes in ledger.write every minute",
    "Redis keeps the session cache",
    "Card numbers are never logged",
    "Release cut happens on Fridays",
    "Invoices are kept ten years",
    "Tokens live 15 minutes",
    "ゲートウェイは連接池を使う",
    "Überweisungen laufen nachts",
    "我们使用pnpm管理依赖",
)
WANTED = (
    ("zus", 0),
    ("cad ngi", 2),
    ("pay proc", 1),
    ("proc pay", 1),
    ("ledger.wr", 3),
    ("zustnad", 0),
    ("invoces ten", 7),
    ("tokn livs", 8),
    ("zstnd", 0),
    ("prcssr", 1),
    ("pymnt", 1),
    ("rls cut", 6),
    ("cdy", 2),
    ("usezus", 0),
    ("ustand", 0),
    ("gerwrite", 3),
    ("reddis", 4),
    ("numbrs", 5),
    ("yrs invoices", 7),
    ("連接池", 9),
    ("uberweis", 10),
    ("pnp 管理", 11),
    ("pnmp", 11),
    ("使用pnpm", 11),
)


def rank(typed: str, texts: Sequence[str]) -> list[fuzzy.Ranked]:
    return fuzzy.rank_named(typed, [(text, "") for text in texts])


def first(typed: str) -> int | None:
    """The index of the title that fits best."""
    return next((position for position, _ in rank(typed, TITLES)), None)


def lit(typed: str, text: str) -> str:
    """The letters of `text` that are marked."""
    found = fuzzy.match(typed, text)
    assert found is not None
    return "|".join(text[start:end] for start, end in found.spans)


@pytest.mark.parametrize(("typed", "index"), WANTED)
def test_the_title_is_the_first(typed: str, index: int) -> None:
    assert first(typed) == index


@pytest.mark.parametrize("typed", ["xyzzy", "plugh quux", "zustand kubernetes", "qq"])
def test_nonsense_fits_nothing(typed: str) -> None:
    assert first(typed) is None


@pytest.mark.parametrize(
    ("typed", "letters"),
    [
        ("pymnt", "p|ym|nt"),
        ("usezus", "Use|zus"),
        ("gerwrite", "gerWrite"),
        ("tokn", "Tok|n"),
        ("proc pay", "pay|proc"),
        ("uber", "Über"),
        ("pnp 依赖", "pnp|依赖"),
    ],
)
def test_the_matched_letters_are_known(typed: str, letters: str) -> None:
    index = first(typed)
    assert index is not None
    assert lit(typed, TITLES[index]) == letters


def test_every_word_fits_by_letters_left_out_of_it() -> None:
    """Any word is found by its first letter and any others of it, at least half and three."""
    chance = random.Random(3)
    for title in TITLES[:9]:
        for word in filter(lambda word: len(word) > 4, fuzzy.words(title)):
            kept = sorted(chance.sample(range(1, len(word)), max(2, len(word) // 2)))
            typed = word[0] + "".join(word[at] for at in kept)
            found = fuzzy.match(typed, title)
            assert found is not None, (typed, title)
            assert found.score > fuzzy.LEAST


def test_neighbouring_words_fit_joined_and_with_one_pair_of_letters_swapped() -> None:
    chance = random.Random(4)
    for title in TITLES[:9]:
        words = fuzzy.words(title)
        for left, right in pairwise(words):
            joined = left + right
            assert fuzzy.match(joined, title) is not None
            at = chance.randrange(1, len(right) - 1) if len(right) > 3 else 0
            swapped = right[:at] + right[at + 1 : at + 2] + right[at : at + 1] + right[at + 2 :]
            if at:
                assert fuzzy.match(swapped, title) is not None, (swapped, title)


@pytest.mark.parametrize(
    ("better", "worse"),
    [("token", "tokens"), ("tokens", "betoken"), ("betoken", "broken")],
)
def test_what_is_nearer_to_the_typed_word_scores_more(better: str, worse: str) -> None:
    assert fuzzy.similarity("token", better) > fuzzy.similarity("token", worse)


def test_a_text_that_holds_the_words_in_order_comes_first() -> None:
    texts = ["write in the ledger", "ledger in which we write", "the ledger write"]
    assert rank("ledger write", texts)[0][0] == 2


def test_signs_are_looked_for_as_they_are() -> None:
    assert [position for position, _ in rank("?", ["help ?", "quit q"])] == [0]
    assert len(rank("", ["help ?", "quit q"])) == 2
    assert rank("causes<", ["causes >", "causes <", "CAUSES<"])[0][0] == 2


def test_folding_keeps_every_position() -> None:
    for text in (*TITLES, "ﬁne İstanbul ß Ǆ 한국어 ﷺ é"):
        assert len(fuzzy.fold(text)) == len(text)


def test_a_name_counts_before_what_is_said_about_it() -> None:
    named = [("read again", "Read what was forgotten."), ("forget", "Archive the memory.")]
    assert fuzzy.rank_named("frgt", named)[0][0] == 1
