"""The installer as these tests run it: on a settings file of their own, with a client that is a
few lines of shell and notes what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver.utilities.func_metadata import func_metadata

from tests.cli.conftest import Cli


@pytest.fixture(scope="session", autouse=True)
def tools_are_read_once() -> Iterator[None]:
    """The servers of the tests share what was read from the signatures of their tools: pydantic
    builds a model of each, which takes longer than what most tests ask of a server."""
    known: dict[str, Any] = {}

    def metadata(function: Callable[..., Any], **options: Any) -> Any:
        key = f"{function.__module__}.{function.__qualname__} {options}"
        if key not in known:
            known[key] = func_metadata(function, **options)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mcp.server.mcpserver.tools.base.func_metadata", metadata)
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that Cortex takes for a repository."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return root


@pytest.fixture
def settings(scratch_home: Path) -> Path:
    """Where the client's settings lie; there is no file yet."""
    (scratch_home / ".claude").mkdir()
    return scratch_home / ".claude" / "settings.json"


@pytest.fixture
def no_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH on which there is no client."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


class Client:
    """A double of the client's command: it notes its words and keeps the state it would."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.notes = folder / "asked.txt"
        self.state = home / ".claude" / ".claude.json"
        program = folder / "claude"
        program.write_text(f'#!/bin/sh\necho "$CORTEX_CHILD $@" >> {self.notes}\n')
        program.chmod(0o755)

    @property
    def asked(self) -> list[str]:
        """Each call's words, after the mark that keeps hooks from running."""
        return self.notes.read_text().splitlines() if self.notes.exists() else []

    def knows(self, **server: object) -> None:
        """Let the client know an MCP server called cortex."""
        self.state.write_text(json.dumps({"mcpServers": {"cortex": server}}))


@pytest.fixture
def client(
    tmp_path: Path, scratch_home: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> Client:
    """A client on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return Client(folder, scratch_home)


@pytest.fixture
def cortex(project: Path, settings: Path) -> Cli:
    """The command line in the project."""
    return Cli(project)
