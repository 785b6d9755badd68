"""The marks of Claude Code and of models: found however disguised, and made harmless."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings, strategies as st

from cortex_core.base import markup, text
from cortex_core.base.markup import neutral
from cortex_core.surface import wording

MARKS = (
    "<system-reminder>",
    "</system-reminder>",
    "</cortex-memory>",
    "<<SYS>>",
    "<</SYS>>",
    "[INST]",
    "[/INST]",
    "<|im_start|>",
    "<|system|>",
    "<system>",
    "</s>",
    "<!-- cortex:end -->",
    "[SYSTEM]",
    "<tool_result>",
    "<function_results>",
    "<invoke>",
    "[System message: done]",
    "<user-prompt-submit-hook>",
    "<local-command-stdout>",
    "<assistant>",
    "<start_of_turn>",
)
HIDDEN = ("", "\u200b", "\u00ad", "\u2060", "\ufe0f", "\U000e0041", "\u0301")
LETTERS = str.maketrans("aeoscx<>[]", "аеоѕсх＜＞［］")


def is_marked(words: str) -> bool:
    """Whether a reader who overlooks disguises still finds a mark in `words`."""
    plain = unicodedata.normalize("NFKD", words).translate(str.maketrans("аеоѕсх‹", "aeoscx<"))
    seen = "".join(
        each
        for each in plain
        if unicodedata.category(each) not in ("Cf", "Mn", "Cn") and not each.isspace()
    ).lower()
    return any(mark.replace(" ", "").lower() in seen for mark in MARKS)


@st.composite
def disguised(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(MARKS))
    if draw(st.booleans()):
        mark = mark.upper()
    if draw(st.booleans()):
        mark = mark.translate(LETTERS)
    if draw(st.booleans()):
        mark = mark.replace("<", "< ").replace("/", "/ ").replace(">", " >")
    return "".join(letter + draw(st.sampled_from(HIDDEN)) for letter in mark)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40), disguised(), st.text(max_size=40))
def test_no_disguised_mark_is_left(before: str, mark: str, after: str) -> None:
    words = f"{before} {mark} {after}"
    assert is_marked(words)
    for made in (neutral(words), wording.quoted(words), wording.fenced(f"- {words}")):
        inner = made.removeprefix(wording.OPENING).removesuffix(wording.CLOSING)
        assert not is_marked(inner)
    assert neutral(neutral(words)) == neutral(words)


@settings(max_examples=60, deadline=None)
@given(
    st.text("[/ \n\u00a0x", max_size=12),
    st.sampled_from(["assistant", "human", "system", "sys", "request interrupted", "id"]),
    st.text("[]/ :", max_size=4),
)
def test_a_mark_in_brackets_is_searched_for(before: str, role: str, after: str) -> None:
    words = f"{before}[{role}{after}] [{role}"
    if re.search(markup._MARK, words):
        assert markup._may_be_role(words)
        assert neutral(words) != words


def test_the_bracket_of_an_id_costs_no_search() -> None:
    assert not markup._may_be_role("- ein Fakt über Öfen [a1b2c3d4]\n- another [de40ffa1]")
    assert markup._may_be_role("- another [ѕystem]")


def test_whatever_is_printable_is_clean() -> None:
    printable = "".join(filter(str.isprintable, map(chr, range(0x110000))))
    for pattern in (text._ESCAPES, text._OVERRIDDEN, text._CONTROLS):
        assert not re.search(pattern, printable)
    assert text.clean("a\x1b[31m\u200bb\u202ecba\u202c\r\n\tc\x07") == "ab\n\tc"


@pytest.mark.parametrize(
    "words",
    [
        "List<User>",
        "a < b",
        "<div>",
        "Map<K, Tool>",
        "[id]",
        "[docs](docs/a.md)",
        "x[0]",
        "if a<b: c>d",
        "[system tests](tests/system)",
        "нет <тегов>",
        "数组[0]",
    ],
)
def test_other_text_is_left_as_it_is(words: str) -> None:
    assert neutral(words) == words
