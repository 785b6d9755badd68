"""The first page from a process of its own: the same answer, no process left, failures told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")

PROGRAM = """
import json, os, sys, time
from cortex_tui.opening import Opening

opening = Opening(sys.argv[1], None, time.time, ahead=True)
first = opening.first(20.0)
told = {"first": None, "error": ""}
if first is not None:
    told["first"] = [[list(key) for key in first.result.order], first.result.total]
    told["rows"] = sorted(memory.title for memory in first.rows.values())
    told["worth"] = all(first.worth[memory.id] > 0 for memory in first.rows.values())
    opening.shown.set()
try:
    opened = opening.result()
    told["full"] = [[list(key) for key in opened.result.order], opened.result.total]
    told["same"] = first is not None and first.result.revision == opened.result.revision
except Exception as error:
    told["error"] = str(error)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    told["alone"] = True
print(json.dumps(told))
"""


def run(project: Path, env: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(project)], env=env, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_child_answers_as_the_stores_do(
    project: Path, fill: Callable[..., None], clean_env: Callable[..., dict[str, str]]
) -> None:
    fill()
    told = run(project, clean_env())
    assert told["first"] == told["full"] and told["first"][1] == 9
    assert "Use pnpm, never npm" in told["rows"]
    assert told["worth"] and told["same"] and told["alone"]


def test_what_the_child_could_not_read_is_told_by_the_parent(
    project: Path, fill: Callable[..., None], clean_env: Callable[..., dict[str, str]]
) -> None:
    fill()
    (project / ".memory" / "cortex.db").write_bytes(b"no database" * 1000)
    told = run(project, clean_env())
    assert told["first"] is None and told["alone"]
    assert "cortex.db" in told["error"]
