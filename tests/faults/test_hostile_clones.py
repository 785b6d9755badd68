"""What a repository may bring under `.memory`, `.claude` and `.git`: none of it is opened, followed
or written, the user's guard holds, and the session is told.

`python -m benchmarks.faults clone` prints the same as a table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import hostile_clones
from tests.conftest import made


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> hostile_clones.Repository:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CORTEX_HOME", str(home / "memory"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / ".claude"))
    return hostile_clones.prepared(tmp_path)


@pytest.mark.parametrize("name", list(hostile_clones.KINDS))
def test_it_gets_nowhere(one: hostile_clones.Repository, name: str) -> None:
    came = hostile_clones.attack(name, one)
    assert (came.opened, came.changed, came.wrong) == ([], [], [])


def test_what_is_opened_is_seen(
    one: hostile_clones.Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same settings in a folder that is this user's own are read."""
    put = hostile_clones.KINDS["settings that switch guards off"]

    def trusted(repository: hostile_clones.Repository) -> None:
        put(repository)
        made(repository.root, repository.home)

    monkeypatch.setitem(hostile_clones.KINDS, "trusted", trusted)
    assert any("config.toml" in path for path in hostile_clones.attack("trusted", one).opened)
