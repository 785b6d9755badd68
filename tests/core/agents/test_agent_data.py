"""Real sessions of other agents, where they are at hand: the prompts in a file are what is read."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cortex_core import agents
from cortex_core.agents import transcripts

DATA = Path(os.environ.get("CORTEX_DATA", "/nonexistent"), "agents")
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="CORTEX_DATA holds no other agents")


def records(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text("utf-8").splitlines() if line)


def copilot(path: Path) -> int:
    """Prompts by the records alone, as in the functions below."""
    found = [each["data"] for each in records(path) if each["type"] == "user.message"]
    return len([each for each in found if not each.get("source", "").startswith("skill-")])


def typed(message: dict[str, Any]) -> bool:
    if message["type"] != "user":
        return False
    words = [part.get("text", "") for part in message["content"]]
    return any(words) and "<session_context>" not in words[0]


def gemini(path: Path) -> int:
    if path.suffix == ".json":
        return len([one for one in json.loads(path.read_text("utf-8"))["messages"] if typed(one)])
    found = {one["id"]: one for one in records(path) if "id" in one}
    return len([one for one in found.values() if typed(one)])


def opencode(path: Path) -> int:
    if path.suffix == ".json":
        session = json.loads(path.read_text("utf-8"))
        users = [one["parts"] for one in session["messages"] if one["info"]["role"] == "user"]
        parts = [part for each in users for part in each if part["type"] == "text"]
        own = 0 if session["info"].get("parentID") else 1
        return own * len([part for part in parts if not part.get("synthetic")])
    with closing(sqlite3.connect(f"file:{path.parent}?mode=ro", uri=True)) as rows:
        found = rows.execute(
            "SELECT part.data FROM part JOIN message ON message.id = message_id "
            "WHERE json_extract(message.data, '$.role') = 'user' AND part.session_id = ?",
            (path.name,),
        ).fetchall()
    parts = [json.loads(data) for (data,) in found]
    return len([one for one in parts if one["type"] == "text" and not one.get("synthetic")])


COUNTS = {"copilot": copilot, "gemini": gemini, "opencode": opencode}


@pytest.mark.parametrize("agent", COUNTS)
def test_prompts_read_are_the_prompts_in_the_file(agent: str) -> None:
    refs = transcripts.transcripts_at(DATA / agent)
    assert refs
    for ref in refs:
        with transcripts.reader_of(ref.path).read(ref.path) as reader:
            events = list(reader)
        prompts = [event.text for event in events if event.role == "human"]
        assert len(prompts) == COUNTS[agent](ref.path), ref.path
        assert not reader.problems
        assert reader.position.offset == ref.size
        assert ref.agent == agent
        harness = ("<system_reminder>", "<hook_context>", "<skill-context", "<session_context>")
        assert not [text for text in prompts if text.startswith(harness)]
        assert all(event.session == ref.id for event in events)


def test_all_prompts_of_codex_are_read_in_both_forms() -> None:
    refs = agents.of("codex").sessions.at(DATA / "codex", sidechains=True)
    count, words = (
        0,
        ("# AGENTS.md", "<environment_context>", "<hook_context>", "# Files mentioned"),
    )
    for ref in refs:
        with agents.of("codex").reader.read(ref.key) as reader:
            events = list(reader)
        prompts = [one for one in events if one.role in ("human", "synthetic")]
        count += len([one for one in prompts if not one.interrupted])
        assert not [one for one in prompts if one.text.startswith(words)]
    assert count == 334  # 322 in sessions before 0.149, 12 since
