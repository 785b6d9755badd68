"""Kinds and priorities of statements, by their words."""

from __future__ import annotations

import time

import pytest

from cortex_core.extract import kinds

KINDS = {
    "Never push to main.": "policy",
    "When the queue is full, drop the oldest entry.": "policy",
    "Agents must not touch the ledger.": "policy",
    "`make lint` is required before every commit.": "policy",
    "Migrations must be reversible.": "policy",
    "Exports: run them from the worker.": "policy",
    "The user prefers short answers.": "preference",
    "I'd rather keep the old layout.": "preference",
    "User preference: tests next to the code.": "preference",
    "Advisory locks rejected (they do not survive the pooler).": "decision",
    "Use the worker instead of the router for uploads.": "decision",
    "Locking deferred to the database.": "decision",
    "We decided to store amounts in cents.": "decision",
    "The driver does not log failed requests.": "gotcha",
    "The hook only fires when a session begins.": "gotcha",
    "Test files outside the root are silently skipped.": "gotcha",
    "Uploads get rejected above ten megabytes when the proxy fails.": "gotcha",
    "The API runs on 10.0.0.7, port 8080.": "fact",
    "One-time codes are in the log of the API.": "fact",
    "The router lives in `web/router.ts`.": "architecture",
    "`Name()` is the registry key, `Type()` is what the store keeps.": "architecture",
    "The ledger consists of entries and their reversals.": "architecture",
    "The export has six columns.": "fact",
    "Никогда не удаляй записи журнала, только сторнируй.": "policy",
    "Я предпочитаю короткие ответы.": "preference",
    "Роутер находится в файле `web/router.ts`.": "fact",
}


@pytest.mark.parametrize("text", KINDS)
def test_kinds(text: str) -> None:
    assert kinds.kind_of(text) == KINDS[text]


def test_a_lasting_rule_outranks_its_source_and_a_task_does_not() -> None:
    assert kinds.priority_of("policy", "Run the linter before every commit.", 5) == 8
    assert kinds.priority_of("policy", "Add a column for the date.", 5) == 5
    assert kinds.priority_of("policy", "It must never be slow, and " * 20, 7) == 5
    assert kinds.priority_of("fact", "The API listens on localhost:8080.", 4) == 6
    assert kinds.priority_of("fact", "The export has six columns.", 4) == 4
    assert kinds.priority_of("decision", "Always the worker.", 6) == 6


@pytest.mark.parametrize("part", ["we ", "a: ", "only ", "(", "1.", "A_", "/a", ", not "])
def test_time_is_linear(part: str) -> None:
    started = time.process_time()
    kinds.kind_of(part * 20_000)
    assert time.process_time() - started < 0.5
