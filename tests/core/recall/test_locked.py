"""No answer waits for the counting of looks, nor for vectors, while another process writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from cortex_core import Cortex
from cortex_core.agent_access import Access
from cortex_core.cli.main import cli
from cortex_core.http_server import endpoints
from cortex_core.mcp_server.memory_tools import ReadingTools
from cortex_core.store import opening
from tests.locking import held

Ask = Callable[[str, str], str]


def library(project: str, id: str) -> str:
    with Cortex.open(project) as cortex:
        return str([cortex.recall("pnpm or npm").hits, cortex.show(id)])


def command(project: str, id: str) -> str:
    asked = (["recall", "pnpm or npm"], ["show", id])
    return "".join(CliRunner().invoke(cli, ["--project", project, *one]).output for one in asked)


def mcp(project: str, id: str) -> str:
    tools = ReadingTools(Access(project))
    answers = [tools.recall("pnpm or npm"), tools.about("pnpm"), tools.show(id)]
    tools.access.cortex.close()
    return str(answers)


def http(project: str, id: str) -> str:
    access = Access(project)
    answer = endpoints.search(access, {"q": ["pnpm or npm"]}, {})
    access.cortex.close()
    return str(answer)


@pytest.mark.parametrize("ask", [library, command, mcp, http])
def test_an_answer_comes_while_another_process_holds_the_lock(
    project: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask
) -> None:
    with Cortex.open(project) as cortex:
        memory = cortex.remember("Use pnpm, never npm", kind="preference")  # has no vector yet
        monkeypatch.setattr(opening, "BUSY_MS", 600_000)
        monkeypatch.setitem(opening._PRAGMAS, "busy_timeout", 600_000)
        with held(project / ".memory" / "cortex.db") as is_held:
            assert "Use pnpm" in ask(str(project), memory.id)
            assert is_held()
        assert cortex.show(memory.id).looks == 0
        assert cortex.recall("pnpm or npm").hits
        assert cortex.show(memory.id).looks == 1
