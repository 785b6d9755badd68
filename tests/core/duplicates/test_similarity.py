"""Similarity: what is the same, what may be merged, what is shown to a person, and why not."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from benchmarks.duplicate_data import edits, msrp, sts, updates
from benchmarks.duplicate_texts import RESTATEMENTS, SENTENCES, TRAPS
from cortex_core.duplicates import gates
from cortex_core.duplicates.alignment import TokenVectors, from_stored
from cortex_core.duplicates.features import features
from cortex_core.duplicates.similarity import (
    Comparison,
    compare,
    containment,
    is_part,
)
from cortex_core.embeddings.local import shipped
from cortex_core.language.stemming import stem


@cache
def encoded(text: str) -> tuple[Any, TokenVectors | None]:
    made = shipped().encode(text)
    return made.vector, from_stored(made.pieces, made.bits)


def full(first: str, second: str) -> Comparison:
    """The comparison with everything that is known of stored memories."""
    (vector, tokens), (other, others) = encoded(first), encoded(second)
    both = (tokens, others) if tokens and others else None
    return compare(first, second, cosine=float(vector @ other), tokens=both)


def raised(first: str, second: str) -> set[str]:
    return set(gates.raised(features(first), features(second)))


@pytest.mark.parametrize(
    ("gate", "first", "second"),
    [
        ("numbers", "The port is 5432.", "The port is 5433."),
        ("numbers", "Retry 3 times, wait 3 s.", "Retry 3 times, wait a while."),
        ("numbers", "It holds two locks.", "It holds 3 locks."),
        ("units", "Wait 10 ms.", "Wait 10 s."),
        ("units", "Wait 10 seconds.", "Wait 10 minutes."),
        ("units", "Gained 2 percent, or 5 points.", "Gained 5 percent, or 2 points."),
        ("operators", "Fails when x < 3.", "Fails when x > 3."),
        ("operators", "x >= 3 is required", "x > 3 is required"),
        ("operators", "Ignore src/* in builds.", "Ignore src/** in builds."),
        ("names", "Ask Clara about it.", "Ask Bruno about it."),
        ("names", "Call require_user here.", "Call require_admin here."),
        ("names", "Set --force there.", "Set --fast there."),
        ("calendar", "We ship on Tuesday.", "We ship on Friday."),
        ("calendar", "It starts in March.", "It starts in April."),
        ("negation", "It is cached.", "It is not cached."),
        ("negation", "The problem isn't who pays.", "The problem is who doesn't pay."),
        ("antonyms", "Enable the cache.", "Disable the cache."),
        ("antonyms", "The field is mutable.", "The field is immutable."),
        ("antonyms", "It runs on staging.", "It runs on production."),
        ("scopes", "Test before merging.", "Test after merging."),
        ("scopes", "Only admins see it.", "Admins see it."),
        ("scopes", "You must ask.", "You should ask."),
        ("persons", "I prefer tabs.", "You prefer tabs."),
        ("questions", "Is the cache enabled?", "The cache is enabled."),
        ("directions", "Copy it from staging.", "Copy it to staging."),
        ("directions", "Move it into core.", "Move it out of core."),
        ("order", "The client calls the server.", "The server calls the client."),
        ("unmatched", "Cache the rows.", "Cache the columns."),
        ("replaced", "Cache users and cache rows", "Cache users and users rows"),
    ],
)
def test_each_gate_sees_its_difference(gate: str, first: str, second: str) -> None:
    assert gate in raised(first, second)
    assert gate in raised(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The timeout is 30 seconds.", "Timeout: 30 s"),
        ("We hold 1,000 rows.", "We hold 1000 rows."),
        ("On staging, migrations run.", "Migrations run on staging."),
        ("Don't edit it.", "Do not edit it."),
        ("It can't run.", "It cannot run."),
        ("Normalised vectors are stored.", "Normalized vectors are stored"),
        ("It ran in Feb 2031.", "It runs in February 2031."),
        ("Use `pnpm` here", "use pnpm here!"),
    ],
)
def test_gates_stay_quiet_about_spelling(first: str, second: str) -> None:
    assert raised(first, second) - {"order"} == set()


def test_every_conflict_is_a_sentence_that_shows_what_differs() -> None:
    comparison = compare("The API listens on port 5432.", "The API listens on port 5433.")
    assert comparison.conflicts[0] == "Numbers differ: 5432 against 5433."
    assert all(sentence.endswith(".") for sentence in comparison.conflicts)


def test_equal_but_for_case_and_spacing_is_the_same() -> None:
    comparison = compare("Use pnpm, never npm.", "use  PNPM, never npm")
    assert comparison.same and comparison.propose and comparison.similarity == 1.0
    assert comparison.conflicts == () and not comparison.may_merge


def test_the_same_words_are_the_same_and_one_word_more_is_not() -> None:
    assert compare("Always run the linter.", "Always run linters").same
    assert not compare("Always run the linter.", "Always run the fast linter.").same


def test_nothing_is_merged_unasked_without_vectors() -> None:
    for first, second in RESTATEMENTS:
        assert not compare(first, second).may_merge
        assert not compare(first, second, cosine=0.99).may_merge


def test_restatements_are_proposed_and_some_merged() -> None:
    seen = [full(first, second) for first, second in RESTATEMENTS]
    assert sum(comparison.may_merge for comparison in seen) >= 0.5 * len(seen)
    assert sum(comparison.propose for comparison in seen) >= 0.75 * len(seen)


def test_no_trap_is_merged_or_taken_for_a_repetition() -> None:
    for first, second in TRAPS:
        comparison = full(first, second)
        assert not comparison.may_merge and not comparison.same, (first, second)
        assert not compare(first, second).same, (first, second)
    assert sum(full(*trap).propose for trap in TRAPS) <= 1


def test_edits_of_numbers_names_and_negations_are_never_merged() -> None:
    for edit in edits(SENTENCES, seed=3, most=40):
        comparison = full(edit.first, edit.second)
        assert not comparison.may_merge and not comparison.same, edit


def test_what_differs_is_shown_the_worst_first() -> None:
    comparison = full(
        "Requests from Berlin are routed to the Frankfurt cluster.",
        "Requests from Madrid are routed to the Frankfurt clusters.",
    )
    assert comparison.unmatched_a == ("Berlin",) and comparison.unmatched_b == ("Madrid",)
    assert any("Berlin against Madrid" in sentence for sentence in comparison.conflicts)


def test_what_has_nothing_in_common_is_not_proposed() -> None:
    comparison = full("Use pnpm in the web workspace.", "Alice reviews all migrations on Monday.")
    assert not comparison.propose and comparison.similarity < 0.3 and comparison.conflicts == ()


def test_reasons_say_what_is_known() -> None:
    first, second = "Sessions are stored in Redis.", "The sessions are stored in Redis"
    assert compare(first, second).reasons == (
        "Every word that carries a subject is on both sides.",
    )
    said = " ".join(full(first, second).reasons)
    assert "cosine 0.9" in said and "cover each other to 100%" in said


def test_a_part_is_made_of_whole_sentences() -> None:
    whole = "Uploads go to S3. They may have 20 MB.\n- Old ones are deleted"
    assert is_part("They may have 20 MB.", whole) and is_part("old ones are deleted", whole)
    assert is_part("Uploads go to S3. Old ones are deleted.", whole)
    assert not is_part("Uploads go to S3. They may have 30 MB.", whole)
    assert not is_part("Uploads go", whole)


def test_containment_counts_stems() -> None:
    assert containment("session stores", "sessions are stored in redis") == 1.0
    assert containment("a b", "redis cache") == 0.0
    assert containment("", "") == 1.0
    assert containment("the", "of") == 0.0


def test_irregular_and_british_forms_share_a_stem() -> None:
    assert stem("chose") == stem("chosen") == stem("choose")
    assert stem("normalised") == stem("normalized")


def test_wordpieces_become_words() -> None:
    pieces = [shipped().encode(word).pieces for word in ("pnpm", "cache")]
    assert [len(each) > 1 for each in pieces] == [True, False]
    made = from_stored([*pieces[0], *pieces[1]], b"\xff" * 48 * (len(pieces[0]) + 1))
    assert made is not None and made.words == ("pnpm", "cache")
    assert made.vectors.shape == (2, 384)
    with pytest.raises(ValueError, match="reshape"):
        from_stored([*pieces[0]], bytes(47))


def test_vectors_raise_coverage_over_stems() -> None:
    first, second = "Use spaces for indentation.", "Indent with spaces, not with tabulators."
    assert full(first, second).similarity > compare(first, second).similarity


def test_from_stored_takes_what_the_store_holds() -> None:
    made = shipped().encode("Redis holds the sessions.")
    given = from_stored(made.pieces, made.bits)
    stored = from_stored(array("H", made.pieces).tobytes(), made.bits)
    assert given and stored and given.words == stored.words == ("redis", "holds", "sessions")
    assert from_stored((), b"") is None and from_stored(b"", b"") is None


_PLAIN = """
    the a not never use cache redis 5432 5433 10ms $5 Tuesday March Alice Bob require_user before
    after only until I you we from to into out enable disable < > >= == . , ! don't n't one two and
    """
_ODD = ["\n", "’s", "ß", "日本", "--x", "a/b.py", "v1.2", "😀", "\x00"]
_WORDS = st.sampled_from([*_PLAIN.split(), *_ODD])
_TEXTS = st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=12).map(" ".join))


@settings(deadline=None, max_examples=80)
@given(_TEXTS, _TEXTS, st.one_of(st.none(), st.floats(-1, 1)))
def test_symmetry(first: str, second: str, cosine: float | None) -> None:
    one, other = compare(first, second, cosine=cosine), compare(second, first, cosine=cosine)
    assert one.similarity == pytest.approx(other.similarity)
    assert (one.same, one.propose, one.may_merge) == (other.same, other.propose, other.may_merge)
    assert raised(first, second) == raised(second, first)
    assert len(one.conflicts) == len(other.conflicts)
    assert (one.unmatched_a, one.unmatched_b) == (other.unmatched_b, other.unmatched_a)
    assert containment(first, second) == containment(second, first)


@settings(deadline=None, max_examples=80)
@given(_TEXTS)
def test_a_text_is_the_same_as_itself_and_raises_no_gate(text: str) -> None:
    comparison = compare(text, text)
    assert comparison.same and comparison.similarity == 1.0 and comparison.conflicts == ()
    assert raised(text, text) == set()


@settings(deadline=None, max_examples=100)
@given(_TEXTS, _TEXTS)
def test_the_same_implies_that_no_gate_is_raised(first: str, second: str) -> None:
    comparison = compare(first, second)
    if comparison.same and first.casefold() != second.casefold():
        assert comparison.conflicts == ()


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, cortex_core.duplicates.similarity as s; s.compare('use pnpm', 'use npm');"
        "print([m for m in ('numpy', 'onnxruntime', 'fastembed', 'rapidfuzz') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.skipif("CORTEX_DATA" not in os.environ, reason="needs the development data")
def test_rules_on_a_sample_of_the_development_sets() -> None:
    data = Path(os.environ["CORTEX_DATA"])
    for pair in updates(data):
        assert not full(pair.first[:1500], pair.second[:1500]).may_merge
    for pairs in (msrp(data, "test")[:60], sts(data, "test")[:120]):
        merged = [pair for pair in pairs if full(pair.first, pair.second).may_merge]
        assert sum(pair.same for pair in merged) >= 0.97 * len(merged)
