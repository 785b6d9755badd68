"""Frontmatter: what people write comes back; what says more than it seems does not."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from cortex_core.base.errors import UsageError
from cortex_core.capture import frontmatter

WORDS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=40)
SCALARS = st.one_of(WORDS, st.just("true"), st.just("- x: y"), st.just("# no comment"))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=6,
)


def parsed(text: str) -> dict[str, Any]:
    header, _ = frontmatter.split(f"---\n{text}\n---\n\nBody\n")
    assert header is not None
    return frontmatter.parse(header)


@given(WORDS, st.lists(SCALARS, max_size=4), st.dictionaries(WORDS, JSON, max_size=3))
def test_what_is_written_is_read_back(title: str, tags: list[str], more: dict[str, Any]) -> None:
    fields = {"title": title, "tags": tags, "steps": tags, "details": more}
    page = frontmatter.render(fields, ("steps",)) + "\nBody --- of it\n---\n"
    header, body = frontmatter.split(page)
    found = frontmatter.parse(header or "")
    assert body == "\nBody --- of it\n---\n"
    assert found["title"] == title and found["details"] == more
    assert found["tags"] == tags and (found["steps"] or []) == tags


def test_what_people_write_by_hand() -> None:
    found = parsed(
        """# a comment
title: Fixed: the cache, twice   # why not
tags: [redis, "two, # words", 'it''s', 1.10]  # comment
aliases:
- one
-   two words
relations:
  - target: abc
    type: SOLVES

  - target: def
    context: "with: colon"
metadata:
  type: feedback
summary: >
  folded
  text
wrapped: goes on
  here
empty:
version: 1.10"""
    )
    assert found == {
        "title": "Fixed: the cache, twice",
        "tags": ["redis", "two, # words", "it's", "1.10"],
        "aliases": ["one", "two words"],
        "relations": [
            {"target": "abc", "type": "SOLVES"},
            {"target": "def", "context": "with: colon"},
        ],
        "metadata": {"type": "feedback"},
        "summary": "folded text",
        "wrapped": "goes on here",
        "empty": "",
        "version": "1.10",
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title: Use pnpm: never npm", {"title": "Use pnpm: never npm"}),
        ("title: Use pnpm: never npm # yes\nb: 2", {"title": "Use pnpm: never npm", "b": "2"}),
        ("links:\n  - to: a: b\n    type: c", {"links": [{"to": "a: b", "type": "c"}]}),
        ("c: x:", {"c": "x:"}),
        (
            "text: |\n  hello\n    indented\n\n  more\nx: 1",
            {"text": "hello\n  indented\n\nmore", "x": "1"},
        ),
        ("a:\tb\nb: ~\nc: null\nd: yes", {"a": "b", "b": "~", "c": "null", "d": "yes"}),
        ("a: [x: y, 3]\nb: [1, true]", {"a": [{"x": "y"}, "3"], "b": [1, True]}),
        ('a: "\\ud83d\\ude00"\nb: {"漢": [1.5, null]}', {"a": "😀", "b": {"漢": [1.5, None]}}),
        ('a: "one\u2028--- two"\nb: c\x85\x00d', {"a": "one\u2028--- two", "b": "c  d"}),
        ("a: {b: c}", {"a": {"b": "c"}}),
        ("# nothing", {}),
    ],
)
def test_what_yaml_itself_would_refuse_or_guess_at(
    text: str, told: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parsed(text) == told
    monkeypatch.setattr(frontmatter, "_LOADER", yaml.BaseLoader)
    assert parsed(text) == told, "without libyaml"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("just words", "line 2"),
        ("a:\n  b: 1\n  b: 2", "line 4: b occurs twice"),
        ("a: [x, &anchor y]", "line 2"),
        ("a: b\n--- c\nd: e", "line"),
        ("? {a: b}\n: c", "line 2"),
        ("title: a\ntitle: b", "twice"),
        ("a: &anchor x", "cannot be read"),
        ("a: !!python/object:os.system x", "cannot be read"),
        ("a: *anchor", "cannot be read"),
        ('a: "open', "cannot be read"),
        ("a: 'open", "cannot be read"),
        ("a: [one, two", "line 2"),
        ("a: [one, two] three", "cannot be read"),
        ('a: "one" two', "cannot be read"),
        ("a: 'one' two", "cannot be read"),
        ("a:\n  - x\n nonsense", "line"),
        ("a:\n b:\n  c:\n   d:\n    e: 1", "too deeply"),
        ("a: " + "[" * 100_000, "line 2"),
    ],
)
def test_what_is_not_read_is_told_by_its_line(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parsed(text)


def test_a_file_without_frontmatter_has_none() -> None:
    for text in ("Words\n---\nmore\n", "---\nnever closed\n", "", "--- \n", "----\na: b\n----\n"):
        assert frontmatter.split(text) == (None, text)
    assert frontmatter.split("\ufeff---\r\na: b\r\n---\r\nBody") == ("a: b", "Body")
