"""A project whose path or branch has bytes that are no UTF-8 works like any other."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pydantic_core
import pytest

from cortex_core import Cortex, worker, worker_run
from cortex_core.agent_access import Access
from cortex_core.agents.claude.places import slug
from cortex_core.hook_events import answering, worker_start
from cortex_core.mcp_server.memory_tools import ReadingTools
from cortex_core.records.as_json import to_json
from tests.cli.conftest import Cli
from tests.core.test_worker import REMEMBERED, session, spool as record_of


@pytest.fixture
def odd(project: Path) -> Path:
    """A project with such a name, on a branch with such a name."""
    root = Path(os.fsdecode(os.fsencode(project.parent) + b"/sh\xffp"))
    shutil.move(project, root)
    (root / ".git" / "HEAD").write_bytes(b"ref: refs/heads/fix/\xfe\n")
    return root


def test_the_command_line_and_mcp(odd: Path) -> None:
    cli = Cli(odd)
    id = cli.remember("Use pnpm, never npm", "--file", "src/*.ts")
    cli.ok("remember", "Commits are small", "--global")
    for words in (
        ("recall", "pnpm"),
        ("status",),
        ("undo",),
        ("redo",),
        ("snapshot", "create"),
        ("export", "markdown", str(odd / "vault")),
        ("surface",),
    ):
        cli.ok(*words)
    access = Access(str(odd))
    tools = ReadingTools(access)
    for answer in (tools.show(id), tools.stats(), tools.recall("pnpm")):
        assert pydantic_core.to_json(answer)
    json.dumps(to_json(access.cortex.status()), ensure_ascii=False).encode()
    access.cortex.close()


def test_hooks_and_the_worker(
    odd: Path, scratch_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_start, "start_worker", lambda _project: True)
    monkeypatch.setattr(worker_run, "SETTLE_INTERVAL", 0.01)
    folder = scratch_home / ".claude" / "projects" / slug(str(odd))
    folder.mkdir(parents=True)
    written = session(odd.with_name("sh\ufffdp"))  # as Claude Code writes the path down
    record_of(odd, written.write(folder), "SessionEnd")
    assert worker.main(["--project", str(odd)]) == 0
    with Cortex.open(odd) as cortex:
        kept = cortex.list()
        assert any(REMEMBERED.removeprefix("Remember that r") in one.content for one in kept)
        assert not cortex.status().problem
    payload = {
        "hook_event_name": "SessionStart",
        "cwd": str(odd),
        "source": "startup",
        "session_id": "a",
    }
    answer = json.loads(answering.answer("", json.dumps(payload).encode()))
    assert "make ship" in answer["hookSpecificOutput"]["additionalContext"]
