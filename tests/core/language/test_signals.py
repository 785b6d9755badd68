"""The tables of what the user's words signal: every row finds its sentence and leaves the other."""

from __future__ import annotations

import string
from datetime import datetime

import pytest

from cortex_core.language import dates, signals
from cortex_core.language.detect import LANGUAGES
from cortex_core.language.signals import SignalRow

ROWS = [
    (code, name, row)
    for code in LANGUAGES
    for name, rows in signals.table(code).rows.items()
    for row in rows
]


@pytest.mark.parametrize(
    ("code", "name", "row"), ROWS, ids=[f"{c}-{n}-{row.pattern.name}" for c, n, row in ROWS]
)
def test_a_row_finds_its_sentence_and_leaves_the_other(
    code: str, name: str, row: SignalRow
) -> None:
    find = row.pattern.regex.search
    for text in row.pattern.finds:
        assert find(signals.plain(text)), text
    for text in row.pattern.spares:
        assert not find(signals.plain(text)), text


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_hears_every_signal_and_has_every_phrase(code: str) -> None:
    table, english = signals.table(code), signals.table("en")
    assert {"remember", "correction", "decision", "wish"} <= table.rows.keys()
    assert {"question", "goes_on", "lead", "complaint"} <= table.rows.keys()
    assert table.phrases.keys() == english.phrases.keys()
    for key, phrase in table.phrases.items():
        fields = {name for _, name, _, _ in string.Formatter().parse(phrase) if name}
        expected = string.Formatter().parse(english.phrases[key])
        assert fields == {name for _, name, _, _ in expected if name}, key


def test_a_missing_phrase_fails_by_its_name() -> None:
    with pytest.raises(KeyError, match="no_such_phrase"):
        signals.said("no_such_phrase", "de")


@pytest.mark.parametrize(
    ("code", "said", "dated"),
    [
        ("en", "The freeze lasts until Friday.", "The freeze lasts until Friday (2026-11-27)."),
        ("en", "We release tomorrow.", "We release tomorrow (2026-11-26)."),
        ("de", "Der Freeze beginnt morgen.", "Der Freeze beginnt morgen (2026-11-26)."),
        ("fr", "Le gel dure jusqu'à vendredi.", "Le gel dure jusqu'à vendredi (2026-11-27)."),
        ("es", "Dura hasta el viernes.", "Dura hasta el viernes (2026-11-27)."),
        ("pt", "Dura até sexta-feira.", "Dura até sexta-feira (2026-11-27)."),
        ("ru", "Заморозка до пятницы.", "Заморозка до пятницы (2026-11-27)."),
        ("zh", "冻结到周五", "冻结到周五 (2026-11-27)"),
        ("ja", "金曜日まで凍結", "金曜日 (2026-11-27)まで凍結"),
        ("ko", "금요일까지 동결", "금요일 (2026-11-27)까지 동결"),
        ("en", "Always use uv.", "Always use uv."),
    ],
)
def test_relative_days_get_their_date(code: str, said: str, dated: str) -> None:
    wednesday = datetime(2026, 11, 25, 12).timestamp()
    assert dates.dated(said, code, wednesday) == dated
    assert dates.dated(said, code, None) == said


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("Pas de déploiement jusqu'à vendredi", "2026-09-18"),
        ("Keine Deploys bis Freitag", "2026-09-18"),
        ("During this session don't run the e2e tests", "session"),
        ("Durante esta tarea no ejecutes los tests", "session"),
        ("Auf diesem Branch die Migrationen nicht anfassen", "branch"),
        ("Never deploy on Friday", ""),
    ],
)
def test_how_long_a_statement_holds(said: str, until: str) -> None:
    wednesday = datetime(2026, 9, 16, 12).timestamp()
    assert dates.term(said, "en", wednesday) == until
