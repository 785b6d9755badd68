"""What a run loads, and how it ends as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

PROGRAM = """
import json, sys
from cortex_core.cli.main import main
try:
    main()
finally:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""

SCREEN = {"textual"}
MODEL = {"fastembed", "onnxruntime", "tokenizers", "anthropic", "mcp", "pydantic"}


@pytest.fixture
def loaded(filled: Cli, clean_env: Callable[..., dict[str, str]]) -> Callable[..., set[str]]:
    """`loaded("recall", "x")`: the top-level packages that this run has loaded at its end."""

    def run(*words: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "--project", str(filled.project), *words],
            env=clean_env(PYTHONPATH=str(Path(__file__).parents[2])),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return set(json.loads(done.stderr.splitlines()[-1]))

    return run


def test_recall_by_words_needs_no_model(loaded: Callable[..., set[str]]) -> None:
    names = loaded("recall", "pnpm", "--mode", "keyword")
    assert not names & (SCREEN | MODEL | {"rich"})
    assert "cortex_tui" not in names


def test_recall_by_meaning_needs_no_screen(loaded: Callable[..., set[str]]) -> None:
    assert not loaded("recall", "pnpm", "--json") & {*SCREEN, "anthropic", "mcp", "rich", "yaml"}


@pytest.mark.parametrize("words", [("list",), ("show", "--help"), ("status",), ("log", "--json")])
def test_reading_needs_neither(words: tuple[str, ...], loaded: Callable[..., set[str]]) -> None:
    assert not loaded(*words) & (SCREEN | MODEL)


def test_help_opens_nothing(loaded: Callable[..., set[str]]) -> None:
    assert not loaded("--help") & (SCREEN | MODEL | {"rich", "peewee", "numpy", "sqlite3"})


@pytest.fixture
def process(
    project: Path, clean_env: Callable[..., dict[str, str]]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`process("list", input="")`: `python -m cortex_core.cli` run in the project."""

    def run(*words: str, input: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cortex_core.cli", *words],
            cwd=project,
            capture_output=True,
            env=clean_env(PYTHONPATH=str(Path(__file__).parents[2])),
            text=True,
            check=False,
            input=input,
        )

    return run


def test_python_m(process: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = process("list")
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.parametrize("payload", ["", "no json", "[]", '{"hook_event_name": "Nonsense"}'])
def test_hook_leaves_with_0_whatever_comes(
    payload: str, process: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = process("hook", "session-start", "--what", input=payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_hook_answers_its_event(
    process: Callable[..., subprocess.CompletedProcess[str]], project: Path
) -> None:
    assert process("remember", "Use pnpm, never npm", "-k", "policy").returncode == 0
    payload = {
        "hook_event_name": "SessionStart",
        "session_id": "s-1",
        "source": "startup",
        "cwd": str(project),
        "transcript_path": str(project / "none.jsonl"),
    }
    done = process("hook", "session-start", input=json.dumps(payload))
    assert done.returncode == 0
    assert "pnpm" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
