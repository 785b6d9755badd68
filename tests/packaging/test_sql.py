"""SQL is written in the packages that know the tables, and nowhere above them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ALLOWED = (
    "cortex_core/store/",
    "cortex_core/search/",
    "cortex_core/archive/",
    "cortex_core/team/hub/",
)
"""Who knows the tables of a store, of an archive, or of the hub."""

OWN_FILES = (
    "cortex_core/agents/opencode/session_file.py",
    "cortex_core/embeddings/pieces.py",
    "cortex_core/llm/protocol.py",
)
"""Who reads or keeps a SQLite file that is no store."""

SQL = re.compile(
    # The word alone in an expression is a word that rules name, and asks no store.
    r"\bSELECT\b(?!\|)|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\S+\s+SET\b|\bDELETE\s+FROM\b"
    r"|\bPRAGMA\b|\bVACUUM\b|\bORDER BY\b|\bCREATE\s+(TEMP\s+)?(TABLE|INDEX|TRIGGER|VIEW|VIRTUAL)\b"
)

MAY_BE_SQL = re.compile(r"SELECT|INSERT|UPDATE|DELETE|PRAGMA|VACUUM|ORDER|CREATE")
"""Words without which a module has no SQL, and need not be parsed."""


def literals(source: str) -> Iterator[str]:
    """The strings of a module; what documents it is left out."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


def modules() -> list[str]:
    found = (
        path.relative_to(ROOT).as_posix()
        for package in ("cortex_core", "cortex_tui")
        for path in (ROOT / package).rglob("*.py")
    )
    return sorted(name for name in found if not name.startswith(ALLOWED) and name not in OWN_FILES)


def test_no_sql_stands_above_the_store() -> None:
    found = [
        f"{name}: {literal[:60]!r}"
        for name in modules()
        if MAY_BE_SQL.search(source := (ROOT / name).read_text(encoding="utf-8"))
        for literal in literals(source)
        if SQL.search(literal)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "INSERT OR IGNORE INTO seen",
        "UPDATE memory SET x = 1",
        "DELETE FROM trash",
        "PRAGMA user_version",
        "ORDER BY number",
    ],
)
def test_a_statement_would_be_noticed(sql: str) -> None:
    source = f'"""Says {sql}."""\nasked = f"{sql} {{1}}"\n'
    assert [literal for literal in literals(source) if SQL.search(literal)]
    assert not list(literals(f'"""Says {sql}."""'))
