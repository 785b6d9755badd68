"""Titles: what a user would write over a memory."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.extract.wording import LONGEST_TITLE, is_generic, shorten, title
from cortex_core.language.statements import is_complete

TITLES = {
    "Always use pnpm, never npm, in this repository.": (
        "Always use pnpm, never npm, in this repository"
    ),
    "always use pnpm": "Always use pnpm",
    "let's use uv instead of pip": "Let's use uv instead of pip",
    "git push only from CI": "git push only from CI",
    "useSession keeps the token in memory": "useSession keeps the token in memory",
    "`npm ci` ignores overrides. It always did.": "`npm ci` ignores overrides",
    "Perfect! The **worker** renews the session 🎉": "The worker renews the session 🎉",
    "🚀 Deploy with `make ship`, never by hand": "🚀 Deploy with `make ship`, never by hand",
    "❌ never push to main on a \x07Friday\u200f": "❌ never push to main on a Friday",
    "OK so the worker renews the session": "The worker renews the session",
    "✅ **Root cause:** the router alone renews the session": "The router alone renews the session",
    "## Summary\n\nThe worker renews the session once a minute": (
        "The worker renews the session once a minute"
    ),
    "- [x] see [the docs](https://example.org/a) for more": "See the docs for more",
    "Exclude **/node_modules/** and *.lock from the `**/*.ts` check": (
        "Exclude **/node_modules/** and *.lock from the `**/*.ts` check"
    ),
    "The session cookie is renewed by the router only, so uploads that outlive the page are "
    "logged out": (
        "The session cookie is renewed by the router only, so uploads that outlive the page are "
        "logged out"
    ),
    "Renew the session from the upload worker — the router does not live as long as the page, "
    "which the worker does by its own design": (
        "Renew the session from the upload worker — the router does not live as long as the page"
    ),
    "The importer takes an exclusive lock on the whole table because the file has no keys": (
        "The importer takes an exclusive lock on the whole table because the file has no keys"
    ),
    "The importer takes an exclusive lock on the whole of the entries table because the bank's "
    "file has no keys of its own, and rows that arrive twice would be booked twice otherwise": (
        "The importer takes an exclusive lock on the whole of the entries table"
    ),
    "Use a small, immutable value object for every amount of money that passes the ledger": (
        "Use a small, immutable value object for every amount of money that passes the ledger"
    ),
    "The export (see the ledger's own format, version 3) writes dates as days since 1970 (UTC)": (
        "The export (see the ledger's own format, version 3) writes dates as days since 1970 (UTC)"
    ),
    "Only drop the rows of a statement if its bank (the one that the user chose) has sent a newer "
    "file": (
        "Only drop the rows of a statement if its bank (the one that the user chose) has sent a "
        "newer file"
    ),
    "Statement import: `parse_camt()` only reads camt.052, camt.053 and camt.054 of the banks": (
        "Statement import: `parse_camt()` only reads camt.052, camt.053 and camt.054 of the banks"
    ),
    "Statement import: use the bank's own number, never the one of the file, and round": (
        "Statement import: use the bank's own number, never the one of the file, and round"
    ),
    "The importer must check:\n- the number of the statement\n- its date": (
        "The importer must check: the number of the statement"
    ),
    "Курсы валют хранятся с шестью знаками после запятой; отчёты округляют их только при выводе на "
    "экран, а в базу данных попадают целиком": (
        "Курсы валют хранятся с шестью знаками после запятой"
    ),
    "Перед каждым коммитом запускай все тесты, даже если менялась только документация проекта": (
        "Перед каждым коммитом запускай все тесты, даже если менялась только документация проекта"
    ),
    "Der Import, der nachts läuft, sperrt die Tabelle, weil die Datei keine Schlüssel enthält": (
        "Der Import, der nachts läuft, sperrt die Tabelle, weil die Datei keine Schlüssel enthält"
    ),
    "— .env.local overrides the address of the API": ".env.local overrides the address of the API",
    "mypy runs in strict mode over the tests too": "mypy runs in strict mode over the tests too",
    "Release steps: 1. bump the version 2. tag it 3. push the tag.": (
        "Release steps: 1. bump the version 2. tag it 3. push the tag"
    ),
    "Two workers never take the same job because SELECT ... FOR UPDATE SKIP LOCKED is used in the "
    "queue, and the lock is held until the job is done.": (
        "Two workers never take the same job because SELECT ... FOR UPDATE SKIP LOCKED is used in "
        "the queue, and the lock is…"
    ),
    "提交之前必须运行全部测试。不要跳过。": "提交之前必须运行全部测试",
}


@pytest.mark.parametrize("content", TITLES)
def test_titles(content: str) -> None:
    assert title(content) == TITLES[content]


def test_a_generic_heading_takes_the_name_of_its_section() -> None:
    assert (
        title("Fix\n\nUse the worker", about="Session renewal") == "Session renewal: Use the worker"
    )
    assert title("Summary", about="Session renewal") == "Session renewal"
    assert title("Session renewal works", about="Session renewal") == "Session renewal works"
    assert (
        is_generic("**Key changes:**") and is_generic("## Overview") and not is_generic("Uploads")
    )


def test_nothing_to_name_is_untitled() -> None:
    assert title("") == title("\n\n") == "Untitled"
    assert title("🎉") == "🎉"


@given(st.text(max_size=400), st.text(max_size=60))
def test_a_title_is_one_short_line(content: str, about: str) -> None:
    named = title(content, about)
    assert 0 < len(named) <= LONGEST_TITLE and len(named.splitlines()) == 1


@given(st.lists(st.from_regex(r"[a-z]{1,14}[,]?", fullmatch=True), min_size=3, max_size=40))
def test_no_word_is_cut(words: list[str]) -> None:
    named = title(" ".join(["renew", *words])).rstrip("…").casefold()
    whole = " ".join(["renew", *words])
    assert whole.startswith(named) and not whole[len(named) : len(named) + 1].isalpha()


CLAUSES = st.sampled_from(
    """the importer|reads the file|because the bank|sends no key,|which is|only if|`a (b)`|(see
    there)|: |; |— |and|so the ledger|must|never|not|of the|to avoid|Cause: |the worker,|"x"|…|
    , but|rounds|ok so|Fix: |Import: |导入必须|。|и|что,""".split("|")
)


@given(st.lists(CLAUSES, max_size=30).map(lambda parts: " ".join(["the export", *parts])))
def test_a_title_is_its_own_title(content: str) -> None:
    named = title(content)
    assert title(named) == named and len(named) <= LONGEST_TITLE


@given(
    st.lists(CLAUSES, min_size=8, max_size=30).map(lambda parts: " ".join(" ".join(parts).split()))
)
def test_what_was_cut_is_complete_or_says_that_it_was_cut(text: str) -> None:
    short = shorten(text)
    assert 0 < len(short) <= LONGEST_TITLE
    if len(text) > LONGEST_TITLE and not text.rstrip(" .;:,!…。；，").endswith(short):
        assert short.endswith(("…", "。")) or is_complete(short, text)
