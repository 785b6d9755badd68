"""The demo is apart from the user's own agents and memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core.demo import Demo


def test_its_programs_know_nothing_of_the_users_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = str(tmp_path / "own")
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "CORTEX_HOME", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, own)
    made = Demo(tmp_path / "demo", ()).environment()
    assert own not in made.values()
    for name in ("HOME", "CLAUDE_CONFIG_DIR", "CORTEX_HOME"):
        assert made[name].startswith(str(tmp_path / "demo"))
