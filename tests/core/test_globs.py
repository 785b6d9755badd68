"""Globs: what they mean, and that pathspec says the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from pathspec import GitIgnoreSpec

from cortex_core.base import globs


@pytest.mark.parametrize(
    ("path", "glob", "meant"),
    [
        ("src/a.py", "src/*.py", True),
        ("src/deep/a.py", "src/*.py", False),
        ("src/deep/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True),
        ("src/a.py", "**/*.py", True),
        ("a.py", "**/*.py", True),
        ("src/a.py", "*.py", True),
        ("src/a.pyc", "*.py", False),
        ("src/a.py", "src", True),
        ("src/a.py", "src/", True),
        ("lib/src/a.py", "src/a.py", False),
        ("lib/src/a.py", "a.py", True),
        ("src/a.py", "./src/a.py", True),
        ("src/a.py", "/src/a.py", True),
        ("src/a.ts", "src/*.{ts,tsx}", True),
        ("src/a.tsx", "src/*.{ts,tsx}", True),
        ("src/a1.py", "src/a[0-9].py", True),
        ("src/ab.py", "src/a[!0-9].py", True),
        ("src/ab.py", "src/a?.py", True),
        ("src/a/b.py", "src/a?b.py", False),
        ("Makefile", "Makefile", True),
        ("src/a+b.py", "src/a+b.py", True),
        ("src/[x].py", "src/[.py", False),
        ("src/[.py", "src/[.py", True),
        ("src/a.py", "", False),
        ("src/b.py", "src/[z-a].py", False),
        ("src/" + "a" * 3000 + ".py", "**a" * 60, False),  # by trying again it would never end
        ("src/" + "a" * 3000, "*" + "?" * 800 + "**a" * 60, True),
        ("a" * 2000, "a" * 2000, False),  # longer than a glob may be
    ],
)
def test_globs(path: str, glob: str, meant: bool) -> None:
    assert globs.matches(path, glob) is meant


@settings(max_examples=100, deadline=None)
@given(st.text("ab/*?[]{}!-.,\\^", max_size=12), st.text("ab/.", max_size=8))
def test_no_glob_is_an_error(glob: str, path: str) -> None:
    globs.matches(path, glob)


_NAME = (
    st.lists(
        st.sampled_from(["a", "b", "ab", ".", "-", "*", "?", "[ab]", "[a-c]", ".py"]),
        min_size=1,
        max_size=4,
    )
    .map("".join)
    .filter(lambda name: "**" not in name and set(name) != {"."})
)
_GLOB = st.builds(
    lambda start, parts: start + "/".join(parts),
    st.sampled_from(["", "/"]),
    st.lists(_NAME | st.just("**"), min_size=1, max_size=4).filter(lambda parts: parts != ["**"]),
)
_PART = st.text("ab.-cpy", min_size=1, max_size=4).filter(lambda part: part not in (".", ".."))
_PATH = st.lists(_PART, min_size=1, max_size=4).map("/".join)


@settings(max_examples=100, deadline=None)
@given(_GLOB, _PATH)
def test_the_dialect_is_that_of_gitignore(glob: str, path: str) -> None:
    assert globs.matches(path, glob) is GitIgnoreSpec.from_lines([glob]).match_file(path)
