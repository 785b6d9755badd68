"""Conversations are found by words that were said in them, best first, with the fitting message."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.conversations import ConversationHit
from cortex_core.demo import Sample


def said(name: str, *prompts: str, day: int = 2, cwd: str = "", branch: str = "trunk") -> Sample:
    """A session in which the user says this."""
    start = datetime(2026, 11, day, 9, tzinfo=UTC)
    sample = Sample(name, cwd=cwd or "/somewhere", branch=branch, start=start)
    for prompt in prompts:
        sample.human(prompt)
    return sample


@pytest.fixture
def kept(cortex: Cortex, tmp_path: Path) -> Cortex:
    """A project with a few conversations."""
    for sample in (
        said("tunnel", "Why does the tunnel die after a reboot?").assistant(
            "The tunnel loses its lease, because the lease file is on a temporary disk."
        ),
        said("deploy", "Deploy the site.", "The site has a lease on its address.", day=3).tool(
            "Edit", {"file_path": "/somewhere/tunnel.py", "new_string": "x"}, "ok"
        ),
        said("tokyo", "配置文件应该使用pnpm管理", day=4, branch="other"),
        said("taxes", "What does the configuration of the database cost?", day=5),
    ):
        path = tmp_path / f"{sample.session}.jsonl"
        sample.write(path)
        cortex.sessions.archive.read_transcript(path)
    return cortex


def names(hits: list[ConversationHit]) -> list[str]:
    """The sessions that were found, by the names that the samples have."""
    every = {Sample(name).session: name for name in ("tunnel", "deploy", "tokyo", "taxes")}
    return [every[hit.conversation.session] for hit in hits]


def test_the_best_conversation_leads_with_the_message_that_fits(kept: Cortex) -> None:
    hits = kept.sessions.archive.search("when did the tunnel lose its lease")

    assert names(hits) == ["tunnel", "deploy"]
    assert hits[0].message.text.startswith("The tunnel loses its lease")
    assert hits[0].score > hits[1].score > 0


def test_a_line_of_what_was_done_finds_its_conversation(kept: Cortex) -> None:
    (hit,) = kept.sessions.archive.search("tunnel.py", limit=1)

    assert (names([hit]), hit.message.kind) == (["deploy"], "edit")


@pytest.mark.parametrize(
    ("query", "found"),
    [("tunels", "tunnel"), ("confguration", "taxes"), ("databse", "taxes"), ("使用pnpm", "tokyo")],
)
def test_misspelt_words_and_other_scripts_are_found(kept: Cortex, query: str, found: str) -> None:
    assert names(kept.sessions.archive.search(query))[:1] == [found]


@pytest.mark.parametrize("query", ["configur", "configuratio", "what does the dat"])
def test_a_word_that_is_being_typed_is_found_by_its_beginning(kept: Cortex, query: str) -> None:
    assert names(kept.sessions.archive.search(query, unfinished=True)) == ["taxes"]


def test_only_conversations_that_pass_the_filters_are_found(kept: Cortex) -> None:
    search = kept.sessions.archive.search

    assert names(search("lease", since="2026-11-03")) == ["deploy"]
    assert names(search("lease", file="tunnel.py")) == ["deploy"]
    assert search("lease", branch="other") == []


@pytest.mark.parametrize("query", ["", "  ", '"', "?!", "no such words in it", "NEAR("])
def test_what_nothing_answers_finds_nothing(kept: Cortex, query: str) -> None:
    assert kept.sessions.archive.search(query) == []


def test_without_an_archive_nothing_is_found(cortex: Cortex) -> None:
    assert cortex.sessions.archive.search("tunnel") == []
