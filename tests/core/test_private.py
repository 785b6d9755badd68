"""Private spans and ignored folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core.redaction.secrets import is_ignored, strip_private


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b</Private> c", "a  c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b", "a "),
        ("a <private>b <private>c</private> d", "a "),
        ("a </private> b", "a  b"),
        ("<private>a</private><private>b</private>c", "c"),
        ("a < private >b</ private > c", "a  c"),
        ("a\n<private>\nb\n</private>\nc", "a\n\nc"),
        ("no tags at all", "no tags at all"),
        ("<privates>kept</privates>", "<privates>kept</privates>"),
    ],
)
def test_private_spans_are_dropped(text: str, kept: str) -> None:
    assert strip_private(text) == kept


@given(st.text(), st.text(alphabet="abc "), st.text())
def test_what_is_private_never_survives(before: str, hidden: str, after: str) -> None:
    secret = f"§{hidden}§"
    text = strip_private(f"{before}<private>{secret}</private>{after}")
    if "§" not in before + after:
        assert "§" not in text


@given(st.lists(st.sampled_from(["<private>", "</private>", "x", " "]), max_size=40))
def test_stripping_again_changes_nothing(pieces: list[str]) -> None:
    once = strip_private("".join(pieces))
    assert strip_private(once) == once
    assert len(once) <= sum(map(len, pieces))


def test_a_folder_covers_all_below_it_and_nothing_beside_it() -> None:
    patterns = ["/srv/clients"]
    assert is_ignored("/srv/clients", patterns)
    assert is_ignored("/srv/clients/acme/app.py", patterns)
    assert is_ignored("/srv/other/../clients/x", patterns)
    assert not is_ignored("/srv/clients-old/app.py", patterns)
    assert not is_ignored("/srv", patterns)


def test_the_home_folder_may_be_written_as_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert is_ignored("/home/ann/notes/a.md", ["~/notes"])
    assert is_ignored("~/notes/a.md", ["/home/ann/notes"])
    assert not is_ignored("/home/bob/notes/a.md", ["~/notes"])


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("~/work/*-nda", "/home/ann/work/acme-nda/src/a.py", True),
        ("~/work/*-nda", "/home/ann/work/a/b-nda", False),
        ("**/legal/**", "/srv/x/legal/contract.md", True),
        ("legal/drafts", "/srv/legal/drafts/a.md", True),
        ("legal/drafts", "/srv/legal/final/a.md", False),
        ("secret-*", "/srv/app/secret-plans/a.py", True),
        ("secret-*", "/srv/app/secrets/a.py", False),
        ("*.key", "/srv/app/tls.key", True),
        ("/srv/**/private", "/srv/a/b/private/x", True),
        ("/srv/app?", "/srv/app1/x", True),
        ("/srv/app?", "/srv/app12/x", False),
        ("/srv/a[b]", "/srv/a[b]/x", True),
        ("", "/srv", False),
        ("/", "/srv", True),
    ],
)
def test_globs(pattern: str, path: str, ignored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert is_ignored(path, [pattern]) is ignored
    assert is_ignored(Path(path), ["/never", pattern]) is ignored


def test_nothing_is_ignored_without_patterns_or_path() -> None:
    assert not is_ignored("/srv", [])
    assert not is_ignored("", ["/"])


@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=4))
def test_never_raises(path: str, patterns: list[str]) -> None:
    assert is_ignored(path, patterns) in (True, False)
