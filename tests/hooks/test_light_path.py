"""What a hook loads and costs: nothing heavy, and little of the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.hooks.conftest import Hooks

HEAVY = {
    "textual",
    "rich",
    "numpy",
    "fastembed",
    "onnxruntime",
    "anthropic",
    "pydantic",
    "peewee",
    "click",
    "dataclasses",
    "pathlib",
    "subprocess",
    "tomllib",
    "logging",
    "asyncio",
    "yaml",
}

PROBE = """
import sys
sys.argv = ["hook"]
import cortex_core.hook as hook
before = set(sys.modules)
out = hook.run("", sys.stdin.buffer.read())
sys.stderr.write("\\n".join(sys.modules))
sys.stdout.buffer.write(out)
"""


@pytest.fixture
def stocked(hooks: Hooks) -> Iterator[Hooks]:
    with Cortex.open(project=hooks.project) as cortex:
        cortex.remember("Deploys go through the blue pipeline", kind="policy")
        cortex.sessions.pause()
    for path in (hooks.project / ".memory").glob("cortex.db*"):
        os.utime(path, (1e9, 1e9))
    hooks("SessionStart", source="startup")
    yield hooks


def loaded(hooks: Hooks, event: str, **fields: object) -> tuple[set[str], bytes]:
    """The modules that are loaded after `event`, and its answer."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE],
        input=json.dumps(hooks.payload(event, **fields)).encode(),
        capture_output=True,
        env=hooks.environment,
        check=True,
        timeout=120,
    )
    return set(done.stderr.decode().split("\n")), done.stdout


def test_a_cached_start_loads_next_to_nothing(stocked: Hooks) -> None:
    modules, out = loaded(stocked, "SessionStart", source="startup", session_id="b")
    assert b"blue pipeline" in out
    assert not modules & {*HEAVY, "json", "typing", "sqlite3", "re", "hashlib"}
    own = {name for name in modules if name.startswith("cortex_core.")}
    assert len(own) <= 21, sorted(own)


def test_a_record_loads_next_to_nothing(stocked: Hooks) -> None:
    (stocked.project / ".memory" / "paused").unlink()
    for event in ("Stop", "PreCompact", "SessionEnd", "SubagentStop"):
        modules, out = loaded(stocked, event, agent_type="Explore")
        assert out == b""
        assert not modules & {*HEAVY, "json", "typing", "sqlite3", "re", "hashlib"}


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("SessionStart", {"source": "startup", "cwd": None}),
        ("UserPromptSubmit", {"prompt": "how do deploys go, which pipeline?"}),
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a.py"}}),
    ],
)
def test_no_event_loads_anything_heavy(
    stocked: Hooks, event: str, fields: dict[str, object]
) -> None:
    for path in (stocked.project / ".memory" / "cache").iterdir():
        path.unlink()
    modules, _ = loaded(stocked, event, session_id="b", **{**fields, "cwd": str(stocked.project)})
    assert not modules & (HEAVY - {"pathlib", "dataclasses"})


def test_a_prompt_reads_the_settings_once(stocked: Hooks) -> None:
    """The next prompts know them from the cache, until a file changes."""
    file, asked = (
        stocked.project / ".memory" / "config.toml",
        "which pipeline do deploys go through?",
    )
    with Cortex.open(project=stocked.project) as cortex:
        cortex.remember("Deploys of the pipeline wait for the smoke tests", kind="fact")
    file.write_text("prompt.tokens = 900\nfiles.tokens = 50\n")
    first, _ = loaded(stocked, "UserPromptSubmit", prompt=asked, session_id="b")
    second, out = loaded(stocked, "UserPromptSubmit", prompt=asked, session_id="c")
    assert "tomllib" in first and not second & {"tomllib", "json", "typing", "unicodedata"}
    assert b"smoke tests" in out
    file.write_text("prompt.tokens = 0\n")
    third, out = loaded(stocked, "UserPromptSubmit", prompt=asked, session_id="d")
    assert "tomllib" in third and b"smoke tests" not in out


def test_importing_the_package_loads_nothing(hooks: Hooks) -> None:
    script = "import sys, cortex_core; print(cortex_core.__version__, *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=hooks.environment,
    )
    version, *modules = done.stdout.split()
    assert version.count(".") == 2
    assert not set(modules) & HEAVY
    assert [name for name in modules if name.startswith("cortex_core")] == ["cortex_core"]


def test_the_facade_is_fetched_when_it_is_asked_for() -> None:
    import cortex_core

    assert cortex_core.Cortex is Cortex and "Cortex" in dir(cortex_core)
    with pytest.raises(AttributeError, match="Nothing"):
        cortex_core.Nothing  # type: ignore[attr-defined]  # noqa: B018


def test_hook_files_have_no_hidden_parents() -> None:
    entry = Path(__file__).parents[2] / "cortex_core" / "hook.py"
    head = entry.read_text().split("def main")[0]
    assert [line for line in head.splitlines() if line.startswith(("import", "from"))] == [
        "import gc",
        "import os",
        "import sys",
        "from cortex_core import CHILD",
    ]
