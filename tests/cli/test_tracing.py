"""turn, why, unlink --one-way, log --values."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from tests.cli.conftest import Cli
from tests.transcript_samples import Sample


def test_the_turn_a_memory_came_from(cortex: Cli, tmp_path: Path) -> None:
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "p")
    folder.mkdir(parents=True)
    start = datetime(2026, 9, 15, 9, 0, tzinfo=UTC)
    sample = Sample("s", cwd=str(cortex.project), start=start)
    sample.human("Remember: always use pnpm, never npm, in this repository.").assistant("Noted.")
    sample.tool("Task", {"description": "Look", "prompt": "Look around"}, "The lock file is old.")
    path = sample.write(folder)
    cortex.ok("import", "transcripts", str(path))
    (memory,) = [one for one in cortex.json("list") if "pnpm" in one["content"]]
    told = cortex.ok("turn", memory["id"])
    assert "<- the memory came from here" in told
    assert "Noted." in told
    assert "The lock file is old." in told
    (shape,) = cortex.json("turn", memory["id"], "--around", "0")
    assert [said["here"] for said in shape["said"]] == [True, False, False]
    path.unlink()
    (kept,) = cortex.json("turn", memory["id"], "--around", "0")
    assert kept["said"][0]["text"] == shape["said"][0]["text"]
    cortex.ok("session", "forget", sample.session)
    assert "archive does not have session" in cortex.fails(3, "turn", memory["id"])


def test_a_link_is_taken_away_in_one_direction(filled: Cli) -> None:
    first, second, _ = (memory["id"] for memory in filled.json("list"))
    filled.ok("link", first, second)
    (edge,) = filled.json("show", first)[0]["edges"]
    assert (edge["source"], edge["type"]) == (first, "relates_to")
    filled.fails(3, "unlink", second, first, "--one-way")
    assert filled.json("unlink", first, second, "--one-way") == [{"removed": 1}]


def test_the_log_with_values(filled: Cli) -> None:
    first = filled.json("list")[0]["id"]
    filled.ok("edit", first, "--priority", "9")
    (newest, *_) = filled.json("log", "--memory", first, "--values")
    assert newest["fields"] == [{"name": "priority", "before": 7, "after": 9}]
    assert "priority: 7 -> 9" in filled.ok("log", "--memory", first, "--values")
    filled.fails(2, "log", "--values")


def test_why_a_memory_is_as_it_is_and_what_would_become_of_a_text(filled: Cli) -> None:
    memory = filled.json("list")[0]
    (answer,) = filled.json("why", memory["id"])
    assert (answer["known"], answer["decision"]) == (memory["id"], "active")
    assert answer["reasons"][-1].startswith("Injected at the next start: yes, line ")
    for words, asked in (("with this prompt", "--prompt"), ("when this file is opened", "--file")):
        assert f"Injected {words}: no: " in filled.ok("why", memory["id"], asked, "soup")
    (same,) = filled.json("why", memory["content"])
    assert (same["known"], same["decision"]) == (memory["id"], "reinforce")
    (new,) = filled.json("why", "The cafeteria serves soup on Thursdays")
    assert (new["decision"], new["known"]) == ("insert", "")
    assert "insert: " in filled.ok("why", "The cafeteria serves soup on Thursdays")
    assert len(filled.json("list")) == 3
