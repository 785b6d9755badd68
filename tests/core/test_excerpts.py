"""Which words of a text answer a query, and the part of it that shows them."""

from __future__ import annotations

import pytest

from cortex_core.base.excerpts import asked, excerpt, share, spans

LONG = f"{'x ' * 100}Then we renewed the lease of the tunnel, and it lives.{' y' * 100}"


def marked(query: str, text: str) -> list[str]:
    return [text[start:end] for start, end in spans(asked(query), text)]


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("renewing the leases", "Renew a LEASE; release it", ["Renew", "LEASE"]),
        ("src/tunnel.py", "edit tunnel.py", ["tunnel", "py"]),
        ("café", "CAFE au lait", ["CAFE"]),
        ("the of and", "the best of all", []),
        ("pnpm 安装依赖", "使用pnpm来安装依赖吧", ["pnpm", "安装依赖"]),
        ("データベース", "新しいデータベースを使う", ["データベース"]),
        ("process", "project", []),
    ],
)
def test_forms_of_the_words_are_found(query: str, text: str, found: list[str]) -> None:
    assert marked(query, text) == found


def test_an_excerpt_has_most_of_the_words() -> None:
    part = excerpt(asked("tunnel lease"), LONG, 80)
    assert "renewed the lease of the tunnel" in part
    assert len(part) <= 80 and part[0] == part[-1] == "…"


def test_an_excerpt_of_what_has_none_of_them_is_its_beginning() -> None:
    assert excerpt(asked("zebra"), LONG, 20).startswith("x x x")
    assert excerpt(asked("zebra"), "a\x1b[31m\nb", 20) == "a b"


@pytest.mark.parametrize("longest", range(45, 260, 7))
def test_no_excerpt_is_longer_than_asked_for(longest: int) -> None:
    for query in ("tunnel", "zebra", "lives y"):
        assert len(excerpt(asked(query), LONG, longest)) <= longest


def test_of_a_query_without_end_its_beginning_is_read() -> None:
    assert asked("tidy " * 20_000 + "needle") == ("tidy",)


def test_the_share_counts_different_words() -> None:
    assert share(asked("renew tunnel zebra lamp"), LONG) == 0.5
    assert share((), LONG) == 0
