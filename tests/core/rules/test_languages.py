"""What a user states in eight languages: sentence by sentence, and in whole sessions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex_core.base.text import units
from cortex_core.extract.grammar import fold, grammar_of
from cortex_core.extract.instructions import read
from cortex_core.language.detect import (
    LANGUAGES,
    SECTIONS,
    is_english,
    language,
    main_language,
    section_titles,
)
from cortex_core.language.sentences import split
from tests.core.rules.session import Session, statements

OTHERS = tuple(code for code in LANGUAGES if code != "en")


def sentences() -> list[tuple[str, str, str]]:
    """Language, rule and sentence of every line in `said/`; `-` for a sentence not to keep."""
    lines = []
    for code in OTHERS:
        text = Path(__file__).with_name("said").joinpath(f"{code}.txt").read_text("utf-8")
        lines += [(code, *line.split("|", 1)) for line in text.splitlines() if line.strip()]
    return [(code, rule, sentence) for code, rule, sentence in lines]


@pytest.mark.parametrize(("code", "rule", "sentence"), sentences())
def test_what_a_sentence_states(code: str, rule: str, sentence: str) -> None:
    grammar = grammar_of(code)
    assert grammar is not None
    found = read(sentence, grammar)
    assert (found.rule if found else "-") == rule
    assert found is None or found.text in sentence


def test_every_language_has_enough_sentences_of_both_kinds() -> None:
    for code in OTHERS:
        rules = [rule for own, rule, _ in sentences() if own == code]
        assert len(rules) >= 40 and rules.count("-") >= 14, code


RUSSIAN = (
    Session()
    .human("привет, глянь почему падает импорт заказов")
    .says("Смотрю логи.")
    .runs("pytest -q", "2 failed", failed=True)
    .human("нет, тесты гоняем через make test, а не pytest напрямую")
    .says("Вы правы, запускаю через make.")
    .runs("make test", "ok")
    .human("запомни: стейджинг на postgres 14, а прод на 16. и ответы на русском пожалуйста")
    .human("всегда пиши тесты на багфиксы. теперь поправь парсер и запусти тесты")
    .human("не трогай vendor/ и коммить только после зеленых тестов")
    .human("у нас конфиги лежат в deploy/values, в репе их не ищи")
    .asks(
        "Где хранить очередь задач?",
        "Postgres",
        "Очередь",
        ("Redis", "Postgres"),
    )
    .asks("Запустить тесты сейчас?", "Да", "Тесты", ("Да", "Нет"))
    .human("redis больше не используем, выпилили в мае")
    .human("давай использовать uv вместо pip")
    .human("я предпочитаю маленькие функции, можешь разбить handle_order?")
    .human("сделай так чтобы кнопка экспорта была справа")
    .human("ок, закоммить и запушь")
    .commits("Отклонять заказы без валюты\n\nПарсер молча ставил рубли, и отчёты расходились.")
)


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        (
            "нет, это не очередь, это обычная таблица. называется outbox",
            "`outbox`: это не очередь, это обычная таблица.",
        ),
        (
            "nein, das ist keine Queue, das ist eine normale Tabelle. die heißt outbox",
            "`outbox`: das ist keine Queue, das ist eine normale Tabelle.",
        ),
        (
            "no, eso no es una cola, es una tabla normal. se llama outbox",
            "`outbox`: eso no es una cola, es una tabla normal.",
        ),
        ("不对，这不是队列，是普通的表。叫 outbox", "`outbox`: 这不是队列，是普通的表。"),
    ],
)
def test_a_correction_is_headed_with_the_name_that_follows_it(prompt: str, told: str) -> None:
    (found,) = Session().human(prompt).found()
    assert (found.rule, found.kind, found.content) == ("prompt-correction", "fact", told)


def test_a_name_alone_corrects_nothing() -> None:
    assert (
        Session().human("это обычная таблица. называется outbox").found("prompt-correction") == []
    )


def test_an_address_is_a_fact_of_the_environment() -> None:
    (found,) = Session().human("у нас прод крутится на 10.0.4.17, логи в /var/log/shop").found()
    assert (found.tier, found.kind, found.tags) == ("kept", "fact", ("environment",))


def test_a_russian_session() -> None:
    found = {one.content: one.rule for one in RUSSIAN.found() if one.rule != "session-end"}
    said = {text: rule for text, rule in found.items() if rule.startswith("prompt-")}
    assert said == {
        "Тесты гоняем через make test, а не pytest напрямую.": "prompt-correction",
        "Стейджинг на postgres 14, а прод на 16.": "prompt-remember",
        "Ответы на русском пожалуйста.": "prompt-policy",
        "Всегда пиши тесты на багфиксы.": "prompt-policy",
        "Не трогай vendor/ и коммить только после зеленых тестов.": "prompt-policy",
        "У нас конфиги лежат в deploy/values, в репе их не ищи.": "prompt-constraint",
        "redis больше не используем, выпилили в мае.": "prompt-constraint",
        "Давай использовать uv вместо pip.": "prompt-decision",
        "Я предпочитаю маленькие функции.": "prompt-preference",
    }
    answers = [text for text, rule in found.items() if rule == "answer"]
    assert len(answers) == 1 and "Postgres" in answers[0]
    assert any("Парсер молча ставил рубли" in text for text in found)


SESSIONS = {
    "es": (
        "siempre ejecuta los tests antes de hacer commit. ahora corrige el login",
        "Siempre ejecuta los tests antes de hacer commit.",
    ),
    "de": (
        "Merk dir: Staging läuft auf Postgres 14. Behebe jetzt bitte den Login-Fehler.",
        "Staging läuft auf Postgres 14.",
    ),
    "fr": (
        "Ne touche jamais aux fichiers générés. Lance les tests et dis-moi ce qui échoue.",
        "Ne touche jamais aux fichiers générés.",
    ),
    "pt": (
        "A partir de agora escreva os commits em inglês. Corrija o bug do login.",
        "A partir de agora escreva os commits em inglês.",
    ),
    "zh": ("以后提交之前都要先跑测试。现在修一下登录的问题。", "以后提交之前都要先跑测试。"),
    "ja": (
        "今後はコミットメッセージを英語で書いてください。ログインのバグを直してください。",
        "今後はコミットメッセージを英語で書いてください。",
    ),
    "ko": (
        "앞으로는 커밋 메시지를 영어로 작성해 주세요. 로그인 버그를 고쳐 주세요.",
        "앞으로는 커밋 메시지를 영어로 작성해 주세요.",
    ),
}


@pytest.mark.parametrize("code", SESSIONS)
def test_a_session_in_other_languages(code: str) -> None:
    prompt, kept = SESSIONS[code]
    (found,) = statements(prompt)
    assert (found.content, found.tier) == (kept, "kept")
    assert found.title == kept.rstrip(".。")


def test_an_objection_alone_and_what_follows_are_one_correction() -> None:
    (found,) = statements("нет. таймаут в миллисекундах, а не в секундах")
    assert found.content == "Таймаут в миллисекундах, а не в секундах."


def test_what_is_to_be_remembered_may_be_the_sentence_before() -> None:
    (found,) = statements("Крон на проде работает в UTC. Запомни это.")
    assert (found.rule, found.content) == ("prompt-remember", "Крон на проде работает в UTC.")


def test_a_reason_stays_with_its_rule() -> None:
    (found,) = statements("Никогда не пушь в main. Иначе деплой уедет сам.")
    assert found.content == "Никогда не пушь в main. Иначе деплой уедет сам."


def test_a_language_without_a_table_is_read_by_structure_alone() -> None:
    session = Session().human(
        "Usa sempre pnpm e non usare mai npm nel progetto, questo è importante"
    )
    session.asks("Quale database usiamo per la coda?", "Postgres", "Coda", ("Redis", "Postgres"))
    assert [one.rule for one in session.found() if one.rule != "session-end"] == ["answer"]


SPOKEN = {
    "прогони lint и test:e2e на staging перед merge": "ru",
    "the button says «Сохранить», rename it to save": "en",
    "завжди використовуй pnpm, ніколи npm": "",
    "用 pnpm 不要用 npm": "zh",
    "mdファイルを最新にして": "ja",
    "pnpm을 사용하세요": "ko",
    "não mexa na pasta vendor": "pt",
    "no toques la carpeta vendor": "es",
    "ne touche pas à vendor": "fr",
    "tests immer ausführen": "de",
    "docker compose up -d": "en",
    "": "en",
}


@pytest.mark.parametrize("text", SPOKEN)
def test_the_language_of_a_text_is_that_of_its_prose(text: str) -> None:
    assert language(text) == SPOKEN[text]
    assert is_english(text) == (SPOKEN[text] == "en")


def test_most_memories_decide_the_language_of_the_note() -> None:
    assert main_language(["Деплоим только из release.", "Use uv.", "Очередь в Postgres."]) == "ru"
    assert main_language(["Use uv.", "Очередь в Postgres."]) == "ru"
    assert main_language(["The queue is in Postgres.", "Очередь в Postgres."]) == "en"
    assert main_language([]) == "en"


def test_every_language_names_every_section() -> None:
    titles = [section_titles(code) for code in LANGUAGES]
    assert all(tuple(one) == SECTIONS and all(one.values()) for one in titles)
    assert len({tuple(one.values()) for one in titles}) == len(LANGUAGES)
    assert section_titles("") == section_titles("en")


def test_units_of_scripts_without_spaces_are_pairs() -> None:
    assert units("提交前先跑测试") == ["提交", "交前", "前先", "先跑", "跑测", "测试"]
    assert units("pnpm을 사용하세요") == ["pnpm", "사용하세요"]
    assert units("用pnpm吧") == ["用", "pnpm", "吧"]
    assert units("Use the worker.py file") == ["use", "worker.py", "file"]


SPLITS = [
    ("使用pnpm。不要用npm！为什么？", ["使用pnpm。", "不要用npm！", "为什么？"]),
    ("他说「好。」然后走了", ["他说「好。」", "然后走了"]),
    ("看 https://example.org/b。改好它。", ["看 https://example.org/b。", "改好它。"]),
    (
        "Пиши тесты, т.е. pytest и т.д. Потом коммить.",
        ["Пиши тесты, т.е. pytest и т.д.", "Потом коммить."],
    ),
    ("Смотри п. 3 и стр. 5. Готово.", ["Смотри п. 3 и стр. 5.", "Готово."]),
    ("Nutze z.B. Biome, d.h. kein ESLint. Gut.", ["Nutze z.B. Biome, d.h. kein ESLint.", "Gut."]),
    ("¿Es así? ¡Sí! Usa pnpm.", ["¿Es así?", "¡Sí!", "Usa pnpm."]),
]


@pytest.mark.parametrize(("line", "parts"), SPLITS)
def test_sentences_end_where_the_language_ends_them(line: str, parts: list[str]) -> None:
    assert split(line) == parts


@given(st.text(max_size=200))
def test_folding_keeps_every_index(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text(max_size=120), st.sampled_from(LANGUAGES))
def test_any_text_is_read_without_error(text: str, code: str) -> None:
    grammar = grammar_of(code)
    assert grammar is not None
    read(text, grammar)
    grammar.decides_nothing(text)
    assert language(text) in (*LANGUAGES, "")


def test_long_prompts_take_no_time() -> None:
    texts = ("всегда не надо ", "siempre no la ", "immer nicht die ", "总是不要", "필요 없는 ")
    started = time.process_time()
    for text in texts:
        for code in OTHERS:
            grammar = grammar_of(code)
            assert grammar is not None
            read((text * 200)[:1300], grammar)
    assert time.process_time() - started < 4.0
