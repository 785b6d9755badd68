"""Whatever a person types is a valid search, and slips of the pen are read as meant."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st

from cortex_core.search import keyword


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')")
    connection.execute("INSERT INTO words VALUES ('deploying to the staging cluster')")
    yield connection
    connection.close()


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_valid_query(index: sqlite3.Connection, text: str) -> None:
    match = keyword.match(keyword.terms(text))
    if match:
        index.execute("SELECT * FROM words WHERE words MATCH ?", (match,)).fetchall()


@pytest.mark.parametrize(
    "text",
    ['"', "NEAR(a b)", "a AND OR NOT", "-x", "col:val*", "(((", "a\0b", "🙂🙂", "^start", "a'b;--"],
)
def test_operators_are_words(index: sqlite3.Connection, text: str) -> None:
    match = keyword.match(keyword.terms(text))
    if match:
        index.execute("SELECT * FROM words WHERE words MATCH ?", (match,)).fetchall()


def test_stop_words_are_dropped_unless_there_is_nothing_else() -> None:
    assert keyword.terms("What is the port of the database?") == ["port", "database"]
    assert keyword.terms("what is it") == ["what", "is", "it"]


def test_a_code_word_stands_for_itself_and_its_parts() -> None:
    found = keyword.terms("where is require_user in auth/session.py")
    assert {"require_user", "require", "user", "auth/session.py", "session", "py"} <= set(found)


def test_ten_thousand_words_are_bounded() -> None:
    found = keyword.terms(" ".join(f"word{number}" for number in range(10_000)))
    assert len(found) == keyword.MOST_WORDS


def test_a_slip_is_read_as_the_nearest_word() -> None:
    known = [("database", 3), ("databases", 1), ("date", 9)]
    assert keyword.correct(["databse"], lambda word: False, lambda word: known) == {
        "databse": "database"
    }


def test_swapped_letters_are_one_slip() -> None:
    assert keyword.correct(["prot"], lambda word: False, lambda word: [("port", 1)]) == {
        "prot": "port"
    }


def test_known_short_and_code_words_are_left_alone() -> None:
    known = [("port", 1), ("v12", 1)]
    asked = ["ports", "prt", "v1.2", "x86_64"]
    assert keyword.correct(asked, lambda word: word == "ports", lambda word: known) == {}


def test_two_slips_are_forgiven_in_long_words_only() -> None:
    near = [("timeout", 1), ("tempo", 1)]
    assert keyword.correct(["tiemoutt"], lambda word: False, lambda word: near) == {
        "tiemoutt": "timeout"
    }
    assert keyword.correct(["tmepp"], lambda word: False, lambda word: near) == {}


def test_of_equally_near_words_the_commoner_is_taken() -> None:
    near = [("cart", 1), ("card", 5)]
    assert keyword.correct(["carx"], lambda word: False, lambda word: near) == {"carx": "card"}
