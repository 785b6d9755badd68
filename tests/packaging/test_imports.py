"""What importing a part loads: a hook or a script pays for nothing it does not use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

HEAVY = {
    "anthropic", "fastembed", "mcp", "numpy", "onnxruntime", "peewee", "pydantic", "rich",
    "textual", "tokenizers",
}  # fmt: skip

ALONE = """
import os, pathlib, sys
import click, numpy, peewee, rich.console, textual.app, textual.widgets

def names(root):
    for package in ("cortex_core", "cortex_tui"):
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "hooks" not in parts and parts[-1] != "__main__":
                yield ".".join(part for part in parts if part != "__init__")

for name in names(pathlib.Path(sys.argv[1])):
    child = os.fork()
    if child == 0:
        try:
            __import__(name)
        except BaseException as error:
            print(name, type(error).__name__, error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
"""Imports every module in a process of its own, which has what is heavy from its parent."""

HOOK_PATH = ("cortex_core.hook", "cortex_core.project", "cortex_core.config", "cortex_core.text")


@pytest.fixture
def loaded(clean_env: Callable[..., dict[str, str]]) -> Callable[[str], set[str]]:
    """`loaded(statement)`: top-level names a fresh interpreter has loaded after it."""

    def run(statement: str) -> set[str]:
        code = f"{statement}\nimport sys, json; print(json.dumps(list(sys.modules)))"
        done = subprocess.run(
            [sys.executable, "-c", code], env=clean_env(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return {name.partition(".")[0] for name in json.loads(done.stdout)}

    return run


def test_core_is_light(loaded: Callable[[str], set[str]]) -> None:
    assert not loaded("import cortex_core") & HEAVY


def test_facade_needs_no_model_and_no_screen(loaded: Callable[[str], set[str]]) -> None:
    names = loaded("from cortex_core import Cortex")
    assert not names & (HEAVY - {"peewee", "numpy"})


@pytest.mark.parametrize("module", HOOK_PATH)
def test_hook_path_is_the_standard_library(module: str, loaded: Callable[[str], set[str]]) -> None:
    names = loaded(f"import {module}")
    assert not names & (HEAVY | {"click"})
    assert not names & ({"logging", "tomllib", "subprocess"} - loaded("pass"))


def test_command_line_starts_without_screen_and_model(loaded: Callable[[str], set[str]]) -> None:
    names = loaded("import cortex_core.cli.main")
    assert not names & (HEAVY - {"rich", "peewee"})


def test_every_module_can_be_the_first_that_is_imported(
    clean_env: Callable[..., dict[str, str]],
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(ROOT)], env=clean_env(), capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
