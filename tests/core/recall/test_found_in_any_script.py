"""Memories in Chinese, Japanese, Korean and Thai: found by any part, in recall, list and prompt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.store import health
from cortex_core.surface import prompt

PNPM = "我们使用pnpm管理依赖，不要使用npm。"
MIGRATION = "数据库迁移必须先在预发布环境运行，再上生产。"
POOL = "データベースの接続プールは最大20本まで。"
BACKUP = "배포는 금요일에 하지 않는다. 데이터베이스를 먼저 백업한다."
THAI = "ฐานข้อมูลต้องสำรองก่อนย้ายเสมอ"
RUSSIAN = "Перед выкладкой всегда делаем резервную копию базы."
ENGLISH = "The queue worker retries three times, then gives up."
ALL = (PNPM, MIGRATION, POOL, BACKUP, THAI, RUSSIAN, ENGLISH)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose memories have their vectors."""
    root = tmp_path_factory.mktemp("scripts") / "project"
    (root / ".memory").mkdir(parents=True)
    with Cortex.open(root, root.parent / "home") as cortex:
        for number, content in enumerate(ALL):
            cortex.remember(content, title=f"Note {number}", kind="fact")
        cortex.models.embed_pending()
    return root


@pytest.fixture(scope="module")
def cortex(folder: Path) -> Iterator[Cortex]:
    """That project, only read."""
    with Cortex.open(folder, folder.parent / "home") as opened:
        yield opened


FOUND = (
    ("依赖", PNPM),
    ("pnpm", PNPM),
    ("用什么管理依赖？", PNPM),
    ("迁移", MIGRATION),
    ("先在预", MIGRATION),
    ("接続", POOL),
    ("ﾌﾟｰﾙ", POOL),
    ("백업", BACKUP),
    ("데이터 베이스 백업", BACKUP),
    ("요일에 하지", BACKUP),
    ("สำรอง", THAI),
    ("ย้าย", THAI),
    ("резервную копию", RUSSIAN),
)


@pytest.mark.parametrize(("words", "wanted"), FOUND)
def test_recall_finds_a_part_of_a_sentence(cortex: Cortex, words: str, wanted: str) -> None:
    hits = cortex.recall(words).hits
    assert hits[0].memory.content == wanted
    assert hits[0].why.startswith("words: ")


@pytest.mark.parametrize("words", ["宇宙飛行", "우주 비행", "космический полёт", "จักรวาล"])
def test_nothing_is_found_by_a_meaning_that_the_model_cannot_read(
    cortex: Cortex, words: str
) -> None:
    assert cortex.recall(words).hits == ()
    assert list(cortex.memories.similar_ids(words)) == []
    assert "English alone" in cortex.recall(words, mode="semantic").degraded


def test_the_parts_that_were_found_are_named_once(cortex: Cortex) -> None:
    assert cortex.recall("管理依赖").hits[0].why == "words: 管理依赖"
    assert cortex.recall("接続の設定").hits[0].why == "words: 接続"


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("赖", PNPM),
        ("pnp 依赖", PNPM),
        ("pn", PNPM),
        ("生产 迁移", MIGRATION),
        ("プール 20", POOL),
        ("백업 금요일", BACKUP),
        ("ย้ายเส", THAI),
        ("резер", RUSSIAN),
        ("retr", ENGLISH),
    ],
)
def test_the_list_finds_what_is_typed(cortex: Cortex, typed: str, wanted: str) -> None:
    keys = cortex.memories.search_ids(typed).keys
    assert [memory.content for memory in cortex.memories.rows(keys)] == [wanted]


def given(cortex: Cortex, words: str) -> list[str]:
    """What the prompt `words` is given."""
    made = prompt.composed(cortex.project, words, time.time())
    return [line.candidate.row.content for line in made.lines]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("给项目加一个新的依赖，用什么管理？", PNPM),
        ("写一个数据库迁移，添加用户表", MIGRATION),
        ("接続プールの上限を増やしてください", POOL),
        ("데이터베이스 백업 스크립트를 고쳐줘", BACKUP),
        ("ช่วยย้ายฐานข้อมูลไปเครื่องใหม่", THAI),
    ],
)
def test_a_prompt_is_given_what_shares_its_words(cortex: Cortex, words: str, wanted: str) -> None:
    assert given(cortex, words) == [wanted]


@pytest.mark.parametrize(
    "words",
    [
        "帮我看看这个函数为什么报错",
        "请继续，然后运行测试并提交",
        "テストを追加してください",
        "코드를 수정하고 테스트를 실행해줘",
        "ช่วยดูโค้ดนี้หน่อย",
    ],
)
def test_a_generic_prompt_is_given_nothing(cortex: Cortex, words: str) -> None:
    assert given(cortex, words) == []


def test_the_journal_keeps_no_words_of_the_index(folder: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / ".memory").mkdir(parents=True)
    with Cortex.open(root, tmp_path / "home") as cortex:
        made = cortex.remember(PNPM)
        cortex.edit(made.id, content=POOL)
        assert [hit.memory.id for hit in cortex.recall("接続", mode="keyword").hits] == [made.id]
        assert not cortex.recall("依赖", mode="keyword").hits
        cortex.undo()
        assert [hit.memory.id for hit in cortex.recall("理依", mode="keyword").hits] == [made.id]
        assert not cortex.recall("接続", mode="keyword").hits
        path = Path(cortex.project.project_db or "")
        assert all(health.index_fits(path, index) for index in health.INDEXES)
        kept = cortex.workspace.store().rows("SELECT before, after FROM journal_row")
        assert not any("理依 " in f"{row['before']}{row['after']}" for row in kept)
