"""Conversations from the command line: listed, searched and read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from tests.transcript_samples import Sample

from .conftest import Cli

LEASE = Sample("lease").session


def tunnel(project: Path) -> Sample:
    """A session in which a tunnel lost its lease."""
    start = datetime(2026, 11, 2, 9, tzinfo=UTC)
    return (
        Sample("lease", cwd=str(project), branch="trunk", start=start)
        .human("Why does the [bold]tunnel[/bold] die?\x1b[31m It used to live for days.")
        .assistant("It loses its lease after an hour,\n09:00  you  #1\nbecause nobody renews it.")
        .tool("Bash", {"command": "make tunnel"}, "no lease", failed=True)
        .tool("Edit", {"file_path": f"{project}/src/tunnel.py", "new_string": "x"}, "ok")
        .tool("Bash", {"command": "git commit -am Renew"}, "[trunk 1a2b3c4] Renew the lease")
        .human("Remember: always renew the lease before you dig.")
    )


@pytest.fixture
def kept(cortex: Cli, tmp_path: Path) -> Cli:
    """The command line on a project with two conversations."""
    lamp = Sample("lamp", cwd=str(cortex.project), start=datetime(2026, 11, 3, 9, tzinfo=UTC))
    lamp.human("Paint the lighthouse green.").assistant("Painted.")
    with Cortex.open(cortex.project) as opened:
        for sample in (tunnel(cortex.project), lamp):
            path = tmp_path / f"{sample.session}.jsonl"
            sample.write(path)
            opened.sessions.capture(path, event="SessionEnd", final=True)
    return cortex


def test_the_list(kept: Cli) -> None:
    assert [one["title"][:9] for one in kept.json("sessions")] == ["Paint the", "Why does "]
    printed = kept.ok("sessions", "--branch", "trunk")
    assert printed.startswith(f"{LEASE[:8]}  Why does the [bold]tunnel[/bold] die?")
    assert "2026-11-02" in printed and "trunk · 2 turns" in printed and "1 commit" in printed
    assert "\x1b" not in printed and "lighthouse" not in printed
    assert len(kept.json("sessions", "list", "--limit", "1")) == 1
    assert "There are more" in kept.run("sessions", "--limit", "1").stderr
    for words in (("--file", "tunnel.py"), ("--commit", "1a2b3c4"), ("--until", "2026-11-03")):
        assert [one["session"] for one in kept.json("sessions", *words)] == [LEASE]
    assert "No session matches" in kept.fails(3, "sessions", "--file", "nothing.py")
    assert "“soonish”" in kept.fails(2, "sessions", "--since", "soonish")


def test_a_search_shows_the_message_that_fits(kept: Cli) -> None:
    (found,) = kept.json("sessions", "who", "renews", "the", "lease?")
    number = found["message"]["number"]
    assert found["session"] == LEASE and "renew" in found["message"]["text"]
    printed = kept.ok("sessions", "who renews the lease?")
    assert f"#{number} " in printed and printed.startswith(LEASE[:8])
    assert "No session matches" in kept.fails(3, "sessions", "zebra")
    part = kept.json("session", LEASE[:8], "--message", str(number), "--around", "0")[0]
    assert [one["number"] for one in part["messages"]] == [number]


def test_an_empty_archive_says_how_it_fills(cortex: Cli) -> None:
    assert "cortex import transcripts" in cortex.fails(3, "sessions")
    assert "cortex import transcripts" in cortex.fails(3, "sessions", "lease")
    cortex.ok("config", "set", "archive.keep", "off")
    assert "config set archive.keep forever" in cortex.fails(3, "sessions")


def test_reading(kept: Cli) -> None:
    printed = kept.ok("session", LEASE[:8])
    lines = printed.splitlines()
    assert lines[0] == "Why does the [bold]tunnel[/bold] die? It used to live for days."
    assert lines[1] == f"session {LEASE}"
    assert "\n2026-11-02\n" in printed
    assert "  09:00  you  #1" in lines, "what was said cannot look like our lines"
    assert [line for line in lines if line.startswith(("✓", "✗", "changed", "commit"))] == [
        "✗ make tunnel",
        "changed src/tunnel.py",
        "✓ git commit -am Renew",
        "commit 1a2b3c4 Renew the lease",
    ]
    (text,) = kept.json("session", "show", LEASE)
    learned = [id for message in text["messages"] for id in message["memories"]]
    assert text["conversation"]["memories"] == len(set(learned)) > 0
    assert f"→ learned: {learned[0][:8]}" in printed


def test_words_name_the_best_hit(kept: Cli) -> None:
    done = kept.run("session", "lighthouse", "green")
    assert done.stdout.startswith("Paint the lighthouse green.")
    assert "is read as" in done.stderr and "(Paint the lighthouse green.)" in done.stderr
    assert "no conversation" in kept.fails(3, "session", "0ddba11")
    assert "no message “999”" in kept.fails(3, "session", LEASE[:8], "--message", "999")


def test_recall_says_that_they_have_it(kept: Cli) -> None:
    assert "mention" not in kept.run("recall", "always renew the lease").stderr
    weak = kept.run("recall", "lease painted green lighthouse", "--mode", "keyword")
    assert "lease" in weak.stdout and "1 conversation mentions it" in weak.stderr
    for memory in kept.json("list"):
        kept.ok("forget", memory["id"])
    hint = kept.fails(3, "recall", "who's painting the lighthouse?")
    assert hint.startswith("Nothing found. 1 conversation mentions it: cortex sessions 'who")
    assert "mentions" not in kept.fails(3, "recall", "the zebra crossing of the lighthouse")


def test_forgetting_and_its_ways_back(kept: Cli) -> None:
    said = kept.ok("session", "forget", LEASE[:8], "--memories")
    assert said.startswith(f"Forgot session {LEASE[:8]} and 2 memories: Why does the")
    assert [one["title"] for one in kept.json("sessions")] == ["Paint the lighthouse green."]
    kept.ok("undo")
    assert len(kept.json("sessions")) == 2 and "renew the lease" in kept.ok("list")
    kept.ok("session", "forget", LEASE)
    assert "shown again" in kept.ok("session", "restore", LEASE)
    assert "is not forgotten" in kept.fails(3, "session", "restore", LEASE)
    assert "needs --for-good" in kept.fails(2, "session", "forget", LEASE, "--remove-snapshots")
    done = kept.json("session", "forget", LEASE, "--for-good", "--memories", "--yes")
    assert (done[0]["memories"], done[0]["left"]) == (2, [])
    assert "cortex sessions" in kept.fails(3, "session", LEASE)


def test_emptying_the_trash_counts_conversations(kept: Cli) -> None:
    kept.ok("session", "forget", LEASE)
    assert "0 memories and 1 conversation" in kept.ok("trash", "empty", "--yes")
    assert kept.json("trash", "empty", "--yes")[0]["conversations"] == 0
