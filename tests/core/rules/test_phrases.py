"""What Cortex words itself around what users and the agent said, in the language of the session."""

from __future__ import annotations

import string
from typing import Any

import pytest

from cortex_core.extract.phrases import PHRASES, said
from cortex_core.language.detect import LANGUAGES
from cortex_core.language.statements import is_complete
from tests.core.rules.session import Session

STATEMENTS = (
    "test",
    "lint",
    "format",
    "typecheck",
    "check",
    "build",
    "run",
    "migrate",
    "deploy",
    "generate",
    "install",
    "fails",
    "works",
    "absent",
    "daemon",
    "login",
    "services",
)
"""Phrases that are a memory by themselves."""


def fields(form: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(form) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_phrase_with_the_same_fields(language: str) -> None:
    assert list(PHRASES[language]) == list(PHRASES["en"])
    for name, phrase in PHRASES[language].items():
        wanted = fields(PHRASES["en"][name].split(" | ")[0])
        assert all(fields(form) == wanted for form in phrase.split(" | ")), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_memories_of_phrases_are_complete_statements(language: str) -> None:
    values: dict[str, Any] = {"way": "`make test`", "name": "Docker", "host": "10.1.2.3"}
    for name in STATEMENTS:
        stated = said(name, language, **values)
        assert is_complete(stated), stated


def test_a_title_in_german_quotes_is_complete() -> None:
    assert is_complete(said("stopped at", "de", text="Die Seite erneuert jetzt die Sitzung"))


def test_one_and_several_are_told_apart_and_unknown_languages_are_english() -> None:
    assert said("files", "en", 1) == "1 file" and said("files", "de", 2) == "2 Dateien"
    assert said("files", "ru", 1) == "файлов: 1"
    assert said("open", "it", items="#3") == "Still open: #3."


def test_where_a_session_stopped_is_told_in_its_language() -> None:
    session = Session(branch="feat/upload").human("сессия слетает через час, посмотри почему")
    session.edits("src/upload.ts").human("пусть воркер продлевает сессию сам")
    (found,) = (
        session.edits("src/worker.ts").says("Воркер теперь продлевает сессию.").found("session-end")
    )
    assert found.title == "Остановились на «Воркер теперь продлевает сессию»"
    assert found.content == (
        "Последний запрос: «пусть воркер продлевает сессию сам»\n"
        "Ответ: Воркер теперь продлевает сессию.\n"
        "Изменено и не закоммичено: src/upload.ts; src/worker.ts.\n"
        "Ветка: feat/upload"
    )
    assert "language" not in found.details["stopped"]


def test_an_answer_keeps_its_question_in_its_own_language() -> None:
    session = (
        Session()
        .human("los")
        .asks(
            "Welche Datenbank nehmen wir für die Sitzungen?",
            "Postgres",
            "Datenbank",
            ("Postgres", "Redis"),
        )
    )
    (found,) = session.found("answer")
    assert found.content.endswith("\nFrage: Welche Datenbank nehmen wir für die Sitzungen?")


def test_commands_alone_say_nothing_of_the_language() -> None:
    session = Session().human("pytest -q").human("запусти линтер").human("uv sync --all-extras")
    seen = session.extracted().observations
    assert [one.key for one in seen if one.topic == "language"] == ["ru"]
