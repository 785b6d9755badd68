"""`cortex index-code`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def file(cortex: Cli) -> Path:
    path = cortex.project / "tide.py"
    path.write_text('"""When the harbour is deep enough."""\n', encoding="utf-8")
    return path


def test_a_file(cortex: Cli, file: Path) -> None:
    assert "Indexed 1 file in 1 description." in cortex.ok("index-code", str(file))
    assert "1 unchanged." in cortex.ok("index-code", str(file))
    told = cortex.ok("recall", "harbour", "--mode", "keyword")
    assert "code: tide.py:1-1" in told


def test_json(cortex: Cli, file: Path) -> None:
    (made,) = cortex.json("index-code", str(file))
    assert made["files"] == ["tide.py"]
    (hit,) = cortex.json("recall", "harbour", "--mode", "keyword")
    assert hit["code"]["details"]["path"] == "tide.py"
    assert hit["code"]["files"] == ["tide.py"]


def test_prose_from_stdin(cortex: Cli, file: Path) -> None:
    cortex.ok("index-code", str(file), "--prose", "-", input="Says when a ship may enter.")
    assert "ship may enter" in cortex.ok("list", "--kind", "code_description")


def test_stale(cortex: Cli, file: Path) -> None:
    cortex.fails(3, "index-code", "--stale")
    cortex.ok("index-code", str(file))
    file.write_text('"""Deeper."""\n', encoding="utf-8")
    assert "code changed since" in cortex.ok("index-code", "--stale")
    assert "code changed since" in cortex.ok("list")
    cortex.ok("index-code", "--changed")
    cortex.fails(3, "index-code", "--stale")


def test_wrong_usage(cortex: Cli, file: Path) -> None:
    assert "Name a file" in cortex.fails(2, "index-code")
    assert "one file" in cortex.fails(2, "index-code", str(cortex.project), "--prose", "x")
    other = cortex.project / "a.rb"
    other.write_text("puts 1\n", encoding="utf-8")
    assert "--prose" in cortex.fails(2, "index-code", str(other))
