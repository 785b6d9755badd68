"""How long a statement holds by its own words: until which day, in nine languages."""

from __future__ import annotations

from datetime import datetime

import pytest

from cortex_core.language import dates
from cortex_core.language.detect import language

SATURDAY = datetime(2026, 11, 28, 12).timestamp()

UNTIL = (
    ("Until 1 December don't touch the billing module", "2026-12-01"),
    ("Don't merge anything until December 5th", "2026-12-05"),
    ("Don't merge anything until 5 December 2027", "2027-12-05"),
    ("The freeze lasts until March 2027", "2027-03-31"),
    ("Die alte API bleibt bis Dezember 2027", "2027-12-31"),
    ("2027年12月5日まで英語で答えて", "2027-12-05"),
    ("Only fix bugs until the end of the week", "2026-11-29"),
    ("For the next two weeks use the mock gateway", "2026-12-12"),
    ("For today leave the types out", "2026-11-28"),
    ("Bis zum 24. Dezember keine Deployments", "2026-12-24"),
    ("Für heute reicht mir ein Entwurf ohne Typen", "2026-11-28"),
    ("Jusqu'au 3 mars, ne touche pas au module de paie", "2027-03-03"),
    ("Hasta el 15 de enero no cambies el esquema", "2027-01-15"),
    ("Nas próximas duas semanas use o mock", "2026-12-12"),
    ("До 5 декабря не меняй схему", "2026-12-05"),
    ("接下来两周都用模拟网关", "2026-12-12"),
    ("12月1日まではスキーマを変更しないで", "2026-12-01"),
    ("12월 1일까지 스키마를 바꾸지 마세요", "2026-12-01"),
)
FOR_GOOD = (
    "Until the release don't touch the API",
    "We have used this since 1 December",
    "The report for the last two weeks is wrong",
    "Pour la production, utilise toujours le cache",
    "Por la noche corre el backup",
    "Bis die Tests laufen, wird nicht gemergt",
)


@pytest.mark.parametrize(("said", "day"), UNTIL)
def test_a_statement_ends_on_the_day_that_it_names(said: str, day: str) -> None:
    assert dates.term(said, language(said), SATURDAY) == day


@pytest.mark.parametrize("said", FOR_GOOD)
def test_what_names_no_last_day_holds_for_good(said: str) -> None:
    assert dates.term(said, language(said), SATURDAY) == ""
