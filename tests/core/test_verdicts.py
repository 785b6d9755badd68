"""Keeping in other words, letting begin afresh, and what the settings and the status tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.admission.checks import LONGEST_LINE
from cortex_core.base.errors import UsageError
from cortex_core.base.settings import SETTINGS
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.memory import LONGEST, Memory
from cortex_core.store import ledger
from tests.conftest import Clock
from tests.transcript_samples import Sample


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Cortex:
    return Cortex.open(project, clock=clock)


def waiting(cortex: Cortex, status: str, *contents: str) -> list[Memory]:
    """Memories of that status."""
    made = [cortex.remember(content) for content in contents]
    with cortex.workspace.store("project").change("arrange", "arrange", "worker") as change:
        for memory in made:
            change.update("memory", memory.id, {"status": status})
    return made


def let_in(cortex: Cortex, verb: str) -> Callable[..., Any]:
    """The verb that lets a memory in, or changes it."""
    verbs: dict[str, Callable[..., Any]] = {
        "keep": cortex.suggestions.keep,
        "release": cortex.quarantine.release,
        "edit": cortex.edit,
    }
    return verbs[verb]


@pytest.mark.parametrize(("verb", "status"), [("keep", "suggested"), ("release", "quarantined")])
def test_letting_in_with_other_words_is_one_step(cortex: Cortex, verb: str, status: str) -> None:
    (memory,) = waiting(cortex, status, "Perhaps the queue wants a limit.")
    (kept,) = let_in(cortex, verb)(memory.id, content="The queue holds 500 jobs at most.")
    assert (kept.status, kept.content) == ("active", "The queue holds 500 jobs at most.")
    assert kept.title == "The queue holds 500 jobs at most"
    assert cortex.memories.search_ids("queue jobs").keys
    cortex.undo()
    back = cortex.workspace.get(memory.id)
    assert (back.status, back.content, back.title) == (status, memory.content, memory.title)


@pytest.mark.parametrize(
    "words",
    [
        "From now on run `pnpm lint` before every commit",
        "Commit messages in English, imperative, max 60 characters.",
        "no emojis in commit messages, ever",
    ],
)
def test_what_the_user_said_and_keeps_is_in_the_next_note(
    cortex: Cortex, tmp_path: Path, words: str
) -> None:
    session = Sample("s", cwd=str(cortex.project.root)).human(words).assistant("Yes.")
    cortex.exchange.import_transcripts([session.write(tmp_path / "s.jsonl")])
    (waiting,) = cortex.suggestions.list()
    cortex.suggestions.keep(waiting.id)
    assert f"- {waiting.content} [" in cortex.surface().text
    cortex.undo()
    assert cortex.workspace.get(waiting.id).source.rule == waiting.source.rule


def test_a_secret_in_the_new_words_is_redacted(cortex: Cortex) -> None:
    (memory,) = waiting(cortex, "suggested", "The mail service wants a key.")
    (kept,) = cortex.suggestions.keep(
        memory.id, content="The mail key is AKIA" + "Z7Q2M4X9P1L8K3J6."
    )
    assert "Z7Q2M4X9" not in kept.content


def test_other_words_for_several_or_none_are_refused(cortex: Cortex) -> None:
    one, other = waiting(cortex, "suggested", "The queue is full.", "The cache is cold.")
    with pytest.raises(UsageError, match="A new text needs exactly one memory"):
        cortex.suggestions.keep([one.id, other.id], content="Both.")
    with pytest.raises(UsageError, match="empty or private"):
        cortex.suggestions.keep(one.id, content="  ")
    assert len(cortex.suggestions.list()) == 2


def test_other_words_are_checked_as_an_edit_checks_them(cortex: Cortex) -> None:
    (memory,) = waiting(cortex, "suggested", "The queue is full.")
    endless = "word " * (LONGEST // 5 + 1) + "end"
    for change in (cortex.suggestions.keep, cortex.edit):
        with pytest.raises(UsageError, match=f"there can be {LONGEST:,}"):
            change(memory.id, content=endless)
    assert [one.content for one in cortex.suggestions.list()] == ["The queue is full."]


def test_a_title_and_tags_without_end_are_refused(cortex: Cortex) -> None:
    memory = cortex.remember("The queue is full.", title="Queue", tags=["queue"])
    many = [f"tag-{number}" for number in range(LONGEST_LINE)]
    for title, tags in (("word " * LONGEST_LINE, None), (None, many), (None, ["t" * 5000])):
        with pytest.raises(UsageError, match=f"there can be {LONGEST_LINE:,}. Nothing was changed"):
            cortex.edit(memory.id, title=title, tags=tags)
    with pytest.raises(UsageError, match="Keep the few"):
        cortex.tag(memory.id, add=many)
    (kept,) = cortex.list()
    assert (kept.title, kept.tags) == ("Queue", ("queue",))


@pytest.mark.parametrize("verb", ["release", "edit"])
def test_a_procedure_in_other_words_has_their_steps(cortex: Cortex, verb: str) -> None:
    memory = cortex.procedures.add("Ship a version", ["Run the tests", "Set the tag"])
    if verb == "release":
        with cortex.workspace.store("project").change("arrange", "arrange", "worker") as change:
            change.update("memory", memory.id, {"status": "quarantined"})
    let_in(cortex, verb)(memory.id, content="Ship a version\n1. Set the tag\n2. Push it")
    assert cortex.workspace.get(memory.id).details["steps"] == ["Set the tag", "Push it"]


def test_reinforcing_begins_afresh(cortex: Cortex, clock: Clock) -> None:
    memory = cortex.remember("Token rotation merged in 4f2c9a1.", kind="progress")
    clock.advance(days=9)
    faded = cortex.workspace.get(memory.id).confidence
    (fresh,) = cortex.lifecycle.reinforce([memory.id])
    assert fresh.confidence == memory.confidence > faded
    assert fresh.updated == memory.updated
    cortex.undo()
    assert cortex.workspace.get(memory.id).confidence == faded


def test_every_setting_tells_where_it_comes_from(cortex: Cortex) -> None:
    cortex.settings.set("theme", "nord", "global")
    cortex.settings.set("surface.tokens", 300, "global")
    cortex.settings.set("surface.tokens", 200, "project")
    cortex.settings.set("keys.memory.pin", "P", "project")
    found = {one.name: one for one in cortex.settings.list()}
    assert list(found)[: len(SETTINGS)] == [one.name for one in SETTINGS]
    assert (found["theme"].origin, found["theme"].value) == ("global", "nord")
    assert found["surface.tokens"].origin == "project"
    assert found["surface.tokens"].written == {"project": 200, "global": 300}
    assert found["surface.receipt"].origin == "default"
    assert found["keys.memory.pin"].value == "P"


def test_the_status_counts_sessions(cortex: Cortex, clock: Clock) -> None:
    store = cortex.workspace.store("project")
    for days, session, extractor, error in (
        (40, "old", "rules", ""),
        (3, "a", "", ""),
        (2, "a", "rules", ""),
        (1, "b", "", ""),
        (0, "c", "rules", "torn"),
    ):
        ledger.record(
            store,
            LedgerEntry(
                number=0,
                time=clock.now - days * 86_400,
                event="Stop",
                session=session,
                extractor=extractor,
                error=error,
                cost=0.02,
            ),
        )
    status = cortex.status()
    assert (status.sessions, status.captured) == (3, 1)
    assert status.spent == pytest.approx(0.02)
