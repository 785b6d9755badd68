"""What words tell about whether a memory fits a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.base.text import identifiers
from cortex_core.surface.prompt_recall import matching
from cortex_core.surface.prompt_recall.matching import _is_enough


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("call require_user first", {"require_user"}),
        ("see src/app/main.py.", {"src/app/main.py"}),
        ("useState and HttpServer", {"usestate", "httpserver"}),
        ("in config.toml", {"config.toml"}),
        ("plain words, nothing else", set()),
    ],
)
def test_identifiers(words: str, names: set[str]) -> None:
    assert identifiers(words) == names


@pytest.mark.parametrize(
    ("one", "other", "akin"),
    [
        ("retry", "retries", True),
        ("wait", "waits", True),
        ("release", "releasing", True),
        ("queue", "queued", True),
        ("parser", "screen", False),
        ("tax", "taxi", False),
        ("authentication", "authenticate", True),
        ("port", "portrait", False),
    ],
)
def test_endings_do_not_matter(one: str, other: str, akin: bool) -> None:
    assert bool(matching.shared_words([one], [other])) is akin
    assert bool(matching.shared_words([other], [one])) is akin


def test_names_from_code_have_no_endings() -> None:
    assert matching.shared_words(["parserow"], ["parse"]) == ["parserow"]
    assert matching.shared_words(["parserow"], ["parse"], exact={"parserow"}) == []
    assert matching.shared_words(["v1.2"], ["v1.20"]) == []


def test_generic_and_common_words_say_little() -> None:
    rarity = {"billing": 4.0, "service": 0.5}
    assert matching.weights(["billing", "service", "fix", "unknown"], rarity, 2.3) == [
        1.0,
        matching.COMMON_WEIGHT,
        matching.COMMON_WEIGHT,
        1.0,
    ]


@pytest.mark.parametrize(
    ("weight", "whole", "kind", "enough"),
    [
        (2.0, 4.0, "fact", True),
        (1.0, 1.0, "fact", True),
        (1.0, 2.0, "fact", False),
        (2.0, 6.0, "fact", False),
        (5.0, 40.0, "fact", True),
        (4.0, 40.0, "fact", False),
        (0.3, 0.3, "fact", False),
        (1.0, 2.0, "procedure", True),
        (1.0, 3.0, "procedure", False),
    ],
)
def test_how_much_is_enough(weight: float, whole: float, kind: str, enough: bool) -> None:
    assert _is_enough(weight, whole, kind) is enough


@given(st.lists(st.text(max_size=8)), st.lists(st.text(max_size=8)))
def test_what_is_shared_was_asked_and_equals_count(asked: list[str], told: list[str]) -> None:
    found = matching.shared_words(asked, told)
    assert set(found) <= set(asked)
    assert set(asked) & set(told) <= set(found)
