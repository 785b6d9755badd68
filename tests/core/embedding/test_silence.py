"""Loading a model tells nobody and leaves nothing in the home folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SHIPPED = "from cortex_core.embeddings.local import shipped; shipped().query('hello')"
OTHERS = "from cortex_core.embeddings import local; local._library()"


def left_by(program: str, home: Path, env: dict[str, str]) -> list[str]:
    home.mkdir()
    env = {**env, "HOME": str(home)}
    for name in ("XDG_CACHE_HOME", "ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED", "CI"):
        env.pop(name, None)
    subprocess.run([sys.executable, "-c", program], env=env, check=True, timeout=60)
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


@pytest.mark.parametrize("program", [SHIPPED, OTHERS])
def test_no_identifier_and_no_report_is_left(
    program: str, tmp_path: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    assert left_by(program, tmp_path / "home", clean_env()) == []
