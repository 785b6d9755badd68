"""Conversations are found by words that were said in them, best first, with the fitting message."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from math import inf
from pathlib import Path

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.embeddings.remote import RemoteModel
from cortex_core.records.conversation import ConversationHit
from tests.transcript_samples import Sample


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
        cortex.sessions.archive.recorder.read_transcript(path)
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


# --- by meaning


@pytest.fixture
def embedded(kept: Cortex) -> Cortex:
    """The same conversations, with vectors."""
    assert kept.sessions.archive.embed() == 4
    return kept


def test_a_conversation_is_found_by_what_was_meant(embedded: Cortex) -> None:
    query = "money that MySQL needs"

    by_words = embedded.sessions.archive.search(query, by_words=True)
    by_meaning = embedded.sessions.archive.search(query)

    assert by_words == []
    assert names(by_meaning) == ["taxes"]  # and what is not as similar does not come with it


def test_what_neither_words_nor_meaning_answer_finds_nothing(embedded: Cortex) -> None:
    assert embedded.sessions.archive.search("purple elephants dancing the polka") == []


def test_filters_hold_for_what_is_found_by_meaning(embedded: Cortex) -> None:
    assert embedded.sessions.archive.search("money that MySQL needs", until="2026-11-04") == []


def test_only_what_is_new_gets_vectors(embedded: Cortex, tmp_path: Path) -> None:
    archive = embedded.sessions.archive
    assert archive.embed() == 0
    path = tmp_path / f"{Sample('taxes').session}.jsonl"
    said(
        "taxes",
        "What does the configuration of the database cost?",
        "Yes.",
        "The accountant wants a receipt for each of the servers.",
        day=5,
    ).write(path)
    archive.recorder.read_transcript(path)

    assert archive.embed() == 1

    assert names(archive.search("proof of payment"))[:1] == ["taxes"]


def test_vectors_that_were_interrupted_are_finished_later(kept: Cortex) -> None:
    asked = iter([True, True, False])

    first = kept.sessions.archive.embed(lambda: next(asked, False))

    assert 0 < first < 4
    assert first + kept.sessions.archive.embed() == 4


def test_a_text_that_changes_loses_its_vectors(embedded: Cortex, project: Path) -> None:
    with closing(sqlite3.connect(project / ".memory" / "archive.db")) as file, file:
        file.execute("UPDATE message SET text = '[gone]' WHERE text LIKE '%temporary disk%'")

    assert embedded.sessions.archive.embed() == 1  # what else was said in that conversation

    with closing(sqlite3.connect(project / ".memory" / "archive.db")) as file:
        assert file.execute("SELECT count(*) FROM message_tokens").fetchone() == (3,)


def test_a_model_that_texts_are_sent_to_gets_no_conversation(
    kept: Cortex, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a conversation was sent")

    monkeypatch.setattr(RemoteModel, "encode", refuse)
    kept.settings.set("embedding.model", "openai:text-embedding-3-small", "global")

    assert kept.sessions.archive.embed() == 4


def test_the_worker_computes_vectors(kept: Cortex) -> None:
    worker_run.work(kept, inf)

    assert kept.sessions.archive.embed() == 0
    assert names(kept.sessions.archive.search("money that MySQL needs"))[:1] == ["taxes"]


def test_vectors_wait_for_what_a_hook_records(kept: Cortex, project: Path) -> None:
    spool = project / ".memory" / "spool"
    spool.mkdir()
    (spool / "1-1-Stop.json").write_text("{}")

    worker_run.embed_conversations(kept, inf)

    assert kept.sessions.archive.embed() == 4


def test_what_says_more_is_shown_rather_than_what_announces_it(
    cortex: Cortex, tmp_path: Path
) -> None:
    answer = (
        "Releases are signed with the key of the build server, because the laptops were stolen "
        "twice, and whoever has a laptop would have the key of every release then."
    )
    sample = said("tunnel").assistant("Why releases are signed:").assistant(answer)
    path = tmp_path / f"{sample.session}.jsonl"
    sample.write(path)
    cortex.sessions.archive.recorder.read_transcript(path)
    cortex.sessions.archive.embed()

    (hit,) = cortex.sessions.archive.search("why are releases signed")

    assert hit.message.text == answer
