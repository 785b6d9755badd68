"""Complete statements: what may be a title or a line of the hand-over note by itself."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.base.text import tokens
from cortex_core.language.statements import MOST_TOKENS, is_complete, statement
from cortex_core.surface import wording

COMPLETE = (
    "Use pnpm, never npm",
    "Never push to main",
    "The router alone renews the session",
    "`npm ci` ignores overrides",
    "Uploads that outlive the page are logged out",
    "Tests live in spec/, next to the code",
    "When the queue is full, drop the oldest entry",
    "The first request warms the cache",
    "Ledger export rejected on amounts below zero",
    "Session storage: Redis",
    "Run `make check` before each commit",
    "Workers (mail, import) run on the second host",
    "We deploy from the release branch",
    "Migrations must be reversible",
    "Всегда запускай тесты перед коммитом",
    "Nutze immer pnpm statt npm",
    "Les migrations doivent être réversibles",
    "提交前必须运行测试",
)

INCOMPLETE = (
    "",
    "…",
    "Use pnpm, never",
    "The cause is:",
    "Is the cache warm?",
    "Which cache? The warm one",
    "When the queue is full",
    "Because the worker renews the session",
    "This is renewed by the router",
    "It must never be cached",
    "The import of the (",
    "Rates: When the bank is closed",
    "Cause: the",
    "Notes on the session",
    "An overview of the session handling",
    "The renewal of a session by the router",
    "For the first we don't need a lock",
    "Le cache est-il chaud ?",
    "缓存是否已启用？",
)


@pytest.mark.parametrize("text", COMPLETE)
def test_complete(text: str) -> None:
    assert is_complete(text)


@pytest.mark.parametrize("text", INCOMPLETE)
def test_incomplete(text: str) -> None:
    assert not is_complete(text)


def test_the_line_of_a_memory_is_its_title_or_a_short_content() -> None:
    long = "The importer locks the table because the bank's file has no keys of its own. " * 3
    assert statement("The importer locks the table", long) == "The importer locks the table"
    assert statement("Import locking", "Import locking is done by the database.") == (
        "Import locking is done by the database."
    )
    assert statement("Notes on the import", long) == ""
    assert statement("The importer locks the whole…", long) == ""
    assert (
        statement("Locks: per table", "Which locks should we use? Per table.") == "Locks: per table"
    )
    assert wording.statement("Never send <system-reminder> to the log", "") == (
        "Never send &lt;system-reminder> to the log"
    )


@given(st.text(max_size=120), st.text(max_size=300))
def test_a_line_is_one_of_the_two_and_short(title: str, content: str) -> None:
    line = statement(title, content)
    assert (
        line in ("", title.strip(), content.strip().partition("\n")[0].rstrip())
        and "\n" not in line
    )
    assert tokens(line) <= MOST_TOKENS
