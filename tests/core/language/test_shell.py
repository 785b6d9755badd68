"""The simple commands of a shell line, and what ends each."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.language.programs import PLUMBING
from cortex_core.language.shell import Simple, simple_commands, unwrapped
from cortex_core.language.shell_results import does_something


def parsed(line: str) -> list[tuple[str, str]]:
    return [(" ".join(one.words), one.operator) for one in simple_commands(line)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("make fmt && ./lint.sh; ./run", [("make fmt", "&&"), ("./lint.sh", ";"), ("./run", "")]),
        ("go test ./... 2>&1 | tail -5", [("go test ./...", "|"), ("tail -5", "")]),
        ("(cd api && npm test) || true", [("cd api", "&&"), ("npm test", "||"), ("true", "")]),
        ("PORT=1 bun dev > log.txt 2> /dev/null &", [("PORT=1 bun dev", "&")]),
        ("bun dev &> log.txt\nsleep 2", [("bun dev", ";"), ("sleep 2", "")]),
        ("just check # quick, isn't it\njust lint", [("just check", ";"), ("just lint", "")]),
        (
            "psql <<SQL && just lint\nselect 1; 'x\nSQL\njust fmt",
            [("psql", "&&"), ("just lint", ";"), ("just fmt", "")],
        ),
        ("sort <<< 'a && b' && just lint", [("sort", "&&"), ("just lint", "")]),
        ("name=$(gh api -q '.a(\"b\")') && just lint", [("name=", "&&"), ("just lint", "")]),
        ("git commit -m 'a; b' && git push", [("git commit -m a; b", "&&"), ("git push", "")]),
        ("cargo \\\n test", [("cargo test", "")]),
        ("just lint 'never closed && just fmt", [("just lint", "")]),
        ("&& ((", []),
    ],
)
def test_simple_commands(line: str, found: list[tuple[str, str]]) -> None:
    assert parsed(line) == found


def test_what_the_shell_changes_is_not_literal() -> None:
    (one,) = simple_commands("""mix test "a" b$C *.exs 'd' ~/e plain --opt=1""")
    assert one == Simple(
        ("mix", "test", "a", "b$C", "*.exs", "d", "~/e", "plain", "--opt=1"),
        (True, True, False, False, False, False, False, True, True),
        "",
    )


@pytest.mark.parametrize(
    ("line", "program"),
    [
        ("CI=1 sudo timeout 30s make test", "make"),
        ("then npm test", "npm"),
        ("npm test", "npm"),
    ],
)
def test_words_before_the_program(line: str, program: str) -> None:
    words = line.split()
    assert words[unwrapped(words)] == program
    assert program not in PLUMBING


@given(st.text(alphabet="a b'\"$()<>&|;\n\\#`~12", max_size=60))
def test_any_text_is_read(line: str) -> None:
    for one in simple_commands(line):
        assert one.words and len(one.words) == len(one.literal)
        assert one.operator in ("&&", "||", "|", ";", "&", "")


def test_commands_that_only_show_something() -> None:
    assert not any(map(does_something, simple_commands("git ls-tree -r HEAD | wc -l")))
    assert any(map(does_something, simple_commands("git merge main")))
