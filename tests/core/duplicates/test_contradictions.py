"""Contradictions: what speaks against merging two texts, and what one merely adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.duplicates.similarity import compare
from tests.conftest import Clock
from tests.core.duplicates.test_similarity import full


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "Uploads above 20 MB are refused by the gateway, so they are sent in parts of 8 MB",
            "Uploads above 20 MB are refused by the gateway",
        ),
        (
            "`load_rates()` caches rates for an hour, because the bank limits calls to 60 a day",
            "Rates are cached by `load_rates()`: the bank limits calls to 60 a day",
        ),
        (
            "Storage: Redis (sessions survive a restart)\nAsked: Where do sessions go?",
            "Storage is Redis, so that sessions survive a restart",
        ),
        ("Run the linter before you push.", "Always run the linter before you push."),
        ("Old links were removed by the importer.", "The importer removed old links."),
    ],
)
def test_what_one_adds_is_no_conflict(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        compared = full(one, other)
        assert compared.propose, compared
        assert compared.conflicts == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "Claimed job `shop-12.1` with `queue take`.",
            "Claimed job `shop-12.2` with `queue take`.",
        ),
        ("Task 4 of the export is done: streaming.", "Task 5 of the export is done: streaming."),
        ("Ask Clara before you change the ledger.", "Ask Bruno before you change the ledger."),
        ("The ledger is locked during imports.", "The ledger is not locked during imports."),
        ("Is the ledger locked during imports?", "The ledger is locked during imports."),
        ("Tests run with `make unit fast`.", "The tests are run with `make e2e slow`."),
        ("Only owners may close a ledger.", "Owners may close a ledger."),
        ("Retry unless the ledger is locked.", "Retry if the ledger is locked."),
    ],
)
def test_what_both_say_differently_is_a_conflict(first: str, second: str) -> None:
    for one, other in ((first, second), (second, first)):
        compared = full(one, other)
        assert not compared.propose, compared
        assert compared.conflicts


def test_the_conflicts_do_not_depend_on_the_order() -> None:
    first = "The nightly job copies orders from the shop into the ledger and mails the report"
    second = "The nightly job copies refunds from the shop into the ledger and prints the report"
    assert len(full(first, second).conflicts) == len(full(second, first).conflicts) > 0


def test_a_clause_without_spaces_may_say_more_but_not_deny() -> None:
    first = "账本在导入时锁定，其他请求会等待。"
    assert full(first, "账本在导入时必须锁定，其他请求会等待。").conflicts == ()
    assert not full(first, "账本在导入时不锁定，其他请求会等待。").propose


def test_the_fuller_text_is_named() -> None:
    short = "Uploads above 20 MB are refused by the gateway"
    long = short + ", so the app sends them in parts and joins them on the server"

    assert full(short, long).fuller == "b"
    assert full(long, short).fuller == "a"
    assert full(short, short + ".").fuller == ""


RUSSIAN = "Всегда запускай линтер перед коммитом."


def test_words_that_the_model_does_not_know_are_compared_by_their_spelling() -> None:
    assert full(RUSSIAN, "Перед коммитом всегда надо запускать линтер.").propose
    assert not full(RUSSIAN, "Коммиты нужно писать на русском языке.").propose
    assert full(RUSSIAN, "Коммиты нужно писать на русском языке.").similarity < 0.6
    paid, cancelled = (
        f"Список показывает только {kind} заказы." for kind in ("оплаченные", "отменённые")
    )
    assert full(paid, cancelled).conflicts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RUSSIAN, "Никогда не запускай линтер перед коммитом."),
        ("Тесты можно гонять на проде", "Тесты нельзя гонять на проде"),
        ("Die Tests laufen auf dem Server.", "Die Tests laufen nicht auf dem Server."),
        ("Las pruebas usan la red.", "Las pruebas no usan la red."),
        ("テストは毎回サーバーで実行する", "テストは毎回サーバーで実行しない"),
    ],
)
def test_negations_of_other_languages_count(first: str, second: str) -> None:
    assert not full(first, second).propose


def test_the_opposite_choice_is_a_conflict() -> None:
    assert compare("Use npm, never pnpm.", "Use pnpm instead of npm.", cosine=0.98).conflicts


def test_conflicts_name_words_as_they_are_written() -> None:
    turned = compare(
        "Run the database migrations before the tests.",
        "Run the tests before the database migrations.",
        cosine=0.98,
    )
    assert turned.conflicts == ("Words swapped places: “database” and “tests”.",)


def test_clear_cases_are_advised(project: Path, clock: Clock) -> None:
    with Cortex.open(project, clock=clock) as cortex:
        for words in (
            "The API listens on port 8080.",
            "Run the linter before you push.",
            "The API listens on port 9090 since the move to Caddy.",
            "Always run the linter before you push.",
        ):
            cortex.remember(words)
            clock.advance(days=1)
        cortex.consolidate()
        newer, merge = cortex.review.list()
        assert (merge.advice, merge.text) == ("left", "Always run the linter before you push.")
        assert newer.advice == "supersede"
        assert newer.proposal.reasons[0].startswith("It was “The API listens on port 8080” (")
