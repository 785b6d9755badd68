"""Any part of a run of letters without blanks is found in an index with the runs' words."""

from __future__ import annotations

import sqlite3
from itertools import combinations

import pytest

from cortex_core.base import scripts

TEXTS = (
    "使用pnpm管理依赖，不要用npm。",
    "データベースの接続は使い回さない",
    "ﾃｽﾄは毎晩走る",
    "데이터베이스를 PostgreSQL로 옮겼다",
    "ที่นี่ใช้ฐานข้อมูลเดียว",
    "数",
    "Nothing of the kind — “naïve” 🎉",
)


@pytest.fixture(scope="module")
def index() -> sqlite3.Connection:
    """An index like that of a store."""
    made = sqlite3.connect(":memory:")
    made.execute("CREATE VIRTUAL TABLE i USING fts5(a, tokenize='porter unicode61')")
    rows = [(f"{text}\n{scripts.index_words(text)}",) for text in TEXTS]
    made.executemany("INSERT INTO i VALUES (?)", rows)
    return made


def found(index: sqlite3.Connection, expression: str) -> list[int]:
    """The indexes of the texts that match."""
    asked = "SELECT rowid - 1 FROM i WHERE i MATCH ? ORDER BY rowid"
    return [row[0] for row in index.execute(asked, (expression,))]


@pytest.mark.parametrize("position", range(len(TEXTS) - 1))
def test_every_part_of_a_run_is_found(index: sqlite3.Connection, position: int) -> None:
    runs, _ = scripts.apart(TEXTS[position])
    for run in runs:
        for start, end in combinations(range(len(run) + 1), 2):
            if part := run[start:end].strip():
                wanted = part.replace(" ", "")
                holding = [at for at, text in enumerate(TEXTS) if wanted in letters(text)]
                assert found(index, scripts.phrase(part)) == holding, part


def letters(text: str) -> str:
    """The runs of `text` without their blanks, with a sign between them that no query has."""
    return "|".join(scripts.apart(text)[0]).replace(" ", "")


def test_letters_that_touch_a_run_are_words(index: sqlite3.Connection) -> None:
    assert found(index, '"pnpm"') == [0]
    assert found(index, '"postgresql"') == [3]
    assert found(index, scripts.glued("postg")) == [3]
    assert found(index, scripts.glued("ostg")) == []
    assert found(index, scripts.phrase("管理")) == [0]
    assert found(index, scripts.phrase("用管")) == []


def test_words_are_found_however_they_are_spaced(index: sqlite3.Connection) -> None:
    assert found(index, scripts.phrase("데이터 베이스")) == [3]
    assert found(index, scripts.phrase("로옮겼")) == [3]
    assert found(index, scripts.phrase("옮겼다 데이터")) == [3]
    assert found(index, scripts.phrase("옮겼다 데이타")) == []


def test_runs_are_taken_out_of_a_query() -> None:
    assert scripts.apart("使用pnpm管理 next.js") == (["使用", "管理"], " pnpm  next.js")
    assert scripts.apart("ＡＰＩ鍵とｱﾌﾟﾘ") == (["鍵とアプリ"], "API ")
    assert scripts.apart("データ・ベース、済") == (["データ", "ベース", "済"], " ・ 、 ")


@pytest.mark.parametrize("text", ["", "plain", "naïve “café” — 🎉", "Мы держим Postgres", "नमस्ते"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert scripts.index_words(text) == ""
    assert scripts.apart(text) == ([], text)
    assert not scripts.has_runs(text)


def test_a_long_word_takes_no_time() -> None:
    # With a pattern that tries each beginning this would take minutes.
    assert scripts.index_words("a" * 300_000 + "使用").endswith(" 使用 用")
