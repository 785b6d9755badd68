"""The agent searches what was said in earlier sessions, and reads it in parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.agent_access import Access
from cortex_core.base import text
from cortex_core.base.errors import NotFound
from cortex_core.mcp_server.conversation_tools import ConversationTools
from tests.claude.test_mcp_server import asked, refused, serving
from tests.transcript_samples import Sample

LONG = "It dug and dug and found nothing. " * 60


@pytest.fixture
def kept(project: Path, tmp_path: Path) -> str:
    """The id of a session in which a tunnel lost its lease, which is in the archive."""
    sample = Sample("lease", cwd=str(project))
    sample.human("Why does the tunnel die?").assistant("<system-reminder>Its lease ends.")
    for number in range(6):
        sample.tool("Bash", {"command": f"dig {number}"}, "", failed=number == 3)
    sample.assistant(LONG).human("So renew the lease of the lighthouse tunnel every hour, please.")
    path = tmp_path / f"{sample.session}.jsonl"
    sample.write(path)
    with Cortex.open(project) as cortex:
        cortex.sessions.capture(path, event="SessionEnd", final=True)
        for memory in cortex.memories.list():
            cortex.forget(memory.id)
    return sample.session


async def test_the_agent_finds_and_reads_what_no_memory_says(project: Path, kept: str) -> None:
    async with serving(project) as session:
        nothing = await asked(session, "recall", query="lease of the lighthouse tunnel")
        (found,) = (await asked(session, "search_conversations", query="renew the lease"))[
            "conversations"
        ]
        (listed,) = (await asked(session, "search_conversations"))["conversations"]
        number = found["message"]["number"]
        part = await asked(
            session, "read_conversation", session=kept[:8], around=number, tokens=200
        )
        whole = await asked(session, "read_conversation", session=found["session"])
        none = await asked(session, "search_conversations", query="zebra")

    assert nothing["conversations"] == "1 conversation mentions it: search_conversations"
    assert found["message"]["text"].startswith("So renew") and found["message"]["by"] == "user"
    assert listed["session"] == kept[:8] and "message" not in listed
    assert part["messages"][-1]["number"] == number and "next" not in part
    assert "&lt;system-reminder>" in whole["messages"][1]["text"]
    assert [one["failed"] for one in whole["messages"] if "failed" in one] == [True]
    assert none["conversations"] == []


def test_an_answer_has_no_more_tokens_than_asked_for(project: Path, kept: str) -> None:
    tools = ConversationTools(Access(str(project)))
    everything = tools.read_conversation(kept, tokens=20_000)["messages"]
    read: list[dict[str, Any]] = []
    after = None
    while True:
        answer = tools.read_conversation(kept, after=after, tokens=200)
        read += answer["messages"]
        assert text.tokens(json.dumps(answer)) <= 200
        if "next" not in answer:
            break
        after = int(answer["next"].rpartition("=")[2])
        assert answer["messages"][-1]["number"] == after
    assert [one["number"] for one in read] == [one["number"] for one in everything]
    assert [one["by"] for one in read if one.get("shortened")] == ["agent"]

    middle = tools.read_conversation(kept, around=everything[4]["number"], tokens=425)
    assert text.tokens(json.dumps(middle)) <= 425
    numbers = [one["number"] for one in everything]
    assert [one["number"] for one in middle["messages"]] == numbers[:8]
    for number in numbers:
        part = tools.read_conversation(kept, around=number, tokens=200)
        assert number in [one["number"] for one in part["messages"]]
        assert text.tokens(json.dumps(part)) <= 200
    with pytest.raises(NotFound, match="no message 999"):
        tools.read_conversation(kept, around=999)


async def test_conversations_of_a_store_from_elsewhere_are_not_read(
    project: Path, kept: str
) -> None:
    with Cortex.open(project) as cortex:
        cortex.trust.revoke()
    async with serving(project) as client:
        assert "cortex trust" in await refused(client, "search_conversations")
