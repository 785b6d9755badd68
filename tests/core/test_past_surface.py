"""What past sessions were given: by receipts, in the words of then, or rebuilt from the journal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.agents.claude.samples import Sample
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.base.project import find
from cortex_core.records.surfaces import PastSurface
from cortex_core.surface import given, note
from cortex_core.surface.given import Injection
from cortex_core.surface.past_note import SessionBeginning, surface_of
from cortex_core.surface.receipts import ingest
from tests.conftest import Clock
from tests.core.test_verifying import RandomHistory

SESSION = "5f1c2d3e-8a4b-4c1d-9e2f-0a1b2c3d4e5f"
RULE = "Releases are cut on Tuesday, after the nightly build"
DRAINED = "Use the staging queue for each load test"


def start(cortex: Cortex, clock: Clock, name: str = SESSION) -> str:
    """Give a session what its start injects, as the hook does; the text."""
    clock.advance(seconds=1)  # changes at one reading of the clock are noted after each other
    project = find(cortex.project.root)
    injection = note.composed(project, clock.now).injection
    given.record(project, name, "SessionStart", injection, clock.now)
    return injection.text


def prompted(cortex: Cortex, clock: Clock, ids: Sequence[str], name: str = SESSION) -> None:
    """Give a session memories with a prompt, as the hook does."""
    clock.advance(seconds=1)
    given.record(cortex.project, name, "UserPromptSubmit", Injection("…", ids, 9), clock.now)


def fates(past: PastSurface) -> dict[str, str]:
    """By the words of then, what became of each memory."""
    return {one.content: one.since for one in past.handed}


# --- by receipts


def test_each_memory_has_the_words_it_had(cortex: Cortex, clock: Clock) -> None:
    edited = cortex.remember(RULE, kind="policy")
    forgotten = cortex.remember(DRAINED, kind="policy")
    moved = cortex.remember("Commits say why, not what", kind="policy")
    note = start(cortex, clock)
    clock.advance(hours=1)
    cortex.edit(edited.id, content="Releases are cut on Friday")
    prompted(cortex, clock, [edited.id])
    clock.advance(hours=1)
    cortex.edit(edited.id, content="Releases are cut daily")
    cortex.forget(forgotten.id)
    cortex.move(moved.id, "global")
    past = cortex.sessions.surface_of(SESSION[:8])
    assert RULE in note
    assert past.note is not None
    assert (past.basis, past.note.text, past.limits) == ("handed over", note, ())
    assert past.certainty.startswith("Handed over: receipts name the memories of this note")
    assert fates(past) == {
        RULE: "edited",
        "Releases are cut on Friday": "edited",
        DRAINED: "archived",
        "Commits say why, not what": "unchanged",
    }
    assert [one.words for one in past.listed] == ["with a prompt, 1 memory, 9 tokens"]


def test_a_receipt_counts_once_whether_or_not_it_is_in_the_store(
    cortex: Cortex, clock: Clock
) -> None:
    cortex.remember(RULE, kind="policy")
    start(cortex, clock)
    before = cortex.sessions.surface_of(SESSION)
    assert ingest(cortex.project, cortex.workspace.store()) == 1
    assert cortex.sessions.surface_of(SESSION) == before


def test_what_was_pruned_is_known_until_the_trash_is_emptied(cortex: Cortex, clock: Clock) -> None:
    cortex.remember(RULE, kind="policy")
    gone = cortex.remember(DRAINED)
    prompted(cortex, clock, [gone.id])
    clock.advance(hours=1)
    cortex.forget(gone.id)
    clock.advance(days=60)
    assert cortex.lifecycle.run().pruned
    assert fates(cortex.sessions.surface_of(SESSION)) == {DRAINED: "pruned"}
    cortex.trash.empty()
    past = cortex.sessions.surface_of(SESSION)
    assert fates(past) == {"": "destroyed"}
    assert past.handed[0].remark == "deleted for good: its words are kept nowhere"
    assert past.certainty.startswith("Handed over: no receipt is of its start")


def test_a_note_without_what_was_destroyed_says_so(cortex: Cortex, clock: Clock) -> None:
    gone = cortex.remember(DRAINED)
    moment = clock.advance(hours=1)
    cortex.forget(gone.id)
    clock.advance(days=60)
    cortex.lifecycle.run()
    cortex.trash.empty()
    past = surface_of(cortex.workspace, SessionBeginning(session="s", time=moment), [])
    assert past.limits[0].startswith("1 memory of the project store of that time was deleted for")


def test_a_note_that_cannot_be_rebuilt_is_not_claimed(cortex: Cortex, clock: Clock) -> None:
    known = cortex.remember(RULE, kind="policy")
    injection = Injection("…", [known.id, "00000000-0000-4000-8000-000000000000"], 80)
    given.record(cortex.project, SESSION, "SessionStart", injection, clock.now)
    past = cortex.sessions.surface_of(SESSION)
    assert past.note is None
    assert "The note itself is not known" in past.certainty
    assert fates(past) == {RULE: "unchanged", "": "unknown"}
    assert [one.event for one in past.listed] == ["SessionStart"]


# --- rebuilt


@pytest.mark.parametrize("seed", [3, 4])
def test_the_rebuilt_note_is_the_one_that_was_composed_then(
    cortex: Cortex, clock: Clock, seed: int
) -> None:
    history = RandomHistory(cortex, clock, seed)
    history.steps = [each for each in history.steps if each.__name__ not in ("snapshot_back",)]
    noted: dict[float, str] = {}
    for _ in range(8):
        history.run(6)
        clock.advance(seconds=1)
        noted[clock.now] = note.composed(find(cortex.project.root), clock.now).text
    whole = 0
    for moment, words in noted.items():
        began = SessionBeginning(session="s", time=moment, branch="main")
        past = surface_of(cortex.workspace, began, [])
        assert past.note is not None
        if not any("deleted for good" in limit for limit in past.limits):
            assert past.note.text == words, moment
            whole += 1
    assert whole > 3
    assert len(set(noted.values())) > 3


def test_without_a_receipt_it_says_that_it_was_rebuilt(
    cortex: Cortex, clock: Clock, project: Path
) -> None:
    made = cortex.remember(RULE, kind="policy")
    clock.advance(hours=1)
    name = transcript(project, clock)
    clock.advance(hours=1)
    cortex.edit(made.id, content="Releases are cut daily")
    cortex.exchange.import_transcripts()
    past = cortex.sessions.surface_of("counters redis")
    assert (past.session, past.basis, past.branch) == (name, "rebuilt", "main")
    assert clock.now - 3600 <= past.began < clock.now - 3500
    assert past.note is not None
    assert RULE in past.note.text
    assert "daily" not in past.note.text
    assert past.limits[-1].startswith("The note was composed with the settings")


def test_before_the_journal_begins_it_claims_nothing(
    cortex: Cortex, clock: Clock, project: Path
) -> None:
    name = transcript(project, clock)
    clock.advance(days=3)
    cortex.remember(RULE)
    past = cortex.sessions.surface_of(name)
    assert past.note is not None
    assert past.note.text == ""
    (limit,) = past.limits
    assert limit == (
        "The project store held nothing yet: its journal begins on 2026-09-20T12:00:00Z."
    )


def test_what_a_restore_left_out_of_the_journal_is_a_limit(cortex: Cortex, clock: Clock) -> None:
    cortex.remember(RULE)
    cortex.snapshots.take()
    moment = clock.advance(hours=1)
    clock.advance(hours=1)
    cortex.remember(DRAINED)
    cortex.snapshots.restore(1)
    past = surface_of(cortex.workspace, SessionBeginning(session="s", time=moment), [])
    assert any("was put back to a snapshot" in limit for limit in past.limits)


def test_a_store_that_is_not_trusted_is_left_out(cortex: Cortex, clock: Clock) -> None:
    cortex.remember(RULE)
    cortex.trust.revoke()
    past = surface_of(cortex.workspace, SessionBeginning(session="s", time=clock.now), [])
    assert past.note is not None
    assert past.note.text == ""
    assert "is not trusted" in past.limits[0]


# --- which session


def transcript(project: Path, clock: Clock) -> str:
    """A session of this project that begins now, in Claude Code's folder; its id."""
    sample = (
        Sample("counters", cwd=str(project), start=datetime.fromtimestamp(clock.now, UTC))
        .human("I decided to keep the counters in Redis because three instances share the load.")
        .assistant("Noted.")
    )
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", slug(str(project)))
    folder.mkdir(parents=True, exist_ok=True)
    sample.write(folder / f"{sample.session}.jsonl")
    return sample.session


def test_a_name_that_fits_several_sessions_or_none_is_refused(cortex: Cortex, clock: Clock) -> None:
    made = cortex.remember(RULE)
    prompted(cortex, clock, [made.id], "5f1c2d3e-1")
    prompted(cortex, clock, [made.id], "5f1c2d3e-2")
    with pytest.raises(UsageError, match="matches 2 sessions") as several:
        cortex.sessions.surface_of("5f1c2d")
    assert "5f1c2d3e-1\n5f1c2d3e-2" in str(several.value)
    assert cortex.sessions.surface_of("5f1c2d3e-2").session == "5f1c2d3e-2"
    with pytest.raises(NotFound, match="There is no session “9999”"):
        cortex.sessions.surface_of("9999")


def test_a_session_of_unknown_time_is_refused(cortex: Cortex) -> None:
    store = cortex.workspace.store("project")
    store.set_meta("title 7777aaaa", "Repair the pager")
    with pytest.raises(NotFound, match="began is not known"):
        cortex.sessions.surface_of("pager repair")
