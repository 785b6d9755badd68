"""Conversations are forgotten with undo, or removed so that no byte of them is left."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.archive.archive import ARCHIVED, Archive
from cortex_core.base.errors import NotFound, StoreUnusable
from tests.conftest import Clock
from tests.core import killing
from tests.journals import unexplained
from tests.transcript_samples import Sample

RULE = "Remember: from now on always deploy with zebrafish, never with walrusfish."


OTHERS: dict[str, dict[str, str]] = {
    "message": {
        "kind": "a word of ours",
        "index_words": "made of the text, and again whenever that changes",
    },
    "position": {"head": "a hash"},
    "conversation_vectors": {
        "model": "a name of ours",
        "numbers": "numbers of messages",
        "signs": "vectors, removed whenever a text changes",
    },
    "message_tokens": {
        "pieces": "wordpieces of a text without secrets, removed whenever it changes",
        "bits": "vectors, removed whenever the text changes",
    },
}
"""By table, the other columns of text, and why no secret is looked for in them."""


def sample(project: Path, name: str = "said") -> Sample:
    """A session from which a rule is learned."""
    return Sample(name, cwd=str(project)).human(RULE).assistant("I will use zebrafish.")


@pytest.fixture
def session(cortex: Cortex, project: Path, tmp_path: Path) -> str:
    """A captured session."""
    said = sample(project)
    path = tmp_path / f"{said.session}.jsonl"
    said.write(path)
    cortex.sessions.capture(path, event="Stop", final=True)
    return said.session


def kept(cortex: Cortex) -> tuple[list[str], list[str]]:
    """The sessions and the rules that are shown."""
    archive = cortex.sessions.archive
    listed = [each.session for each in archive.list()]
    assert [hit.conversation.session for hit in archive.search("zebrafish")] == listed
    return listed, [memory.content for memory in cortex.list() if "zebrafish" in memory.content]


@pytest.mark.parametrize("memories", [False, True])
def test_forgetting_hides_and_undo_brings_back(
    cortex: Cortex, session: str, memories: bool
) -> None:
    before = kept(cortex)
    assert before[1]

    count = cortex.sessions.archive.forget(session[:8], memories=memories)

    assert kept(cortex) == ([], [] if memories else before[1])
    assert count == (len(before[1]) if memories else 0)
    with pytest.raises(NotFound):
        cortex.sessions.archive.read(session)
    assert [each.session for each in cortex.sessions.archive.forgotten()] == [session]
    assert "forget session" in cortex.log(1)[0].label
    cortex.undo()
    assert kept(cortex) == before
    cortex.redo()
    assert kept(cortex)[0] == []
    cortex.sessions.archive.restore(session)
    assert kept(cortex)[0] == before[0]


def test_what_was_learned_elsewhere_too_stays(
    cortex: Cortex, session: str, project: Path, tmp_path: Path
) -> None:
    again = Sample("again", cwd=str(project), pause=5.0).human(RULE)
    again.write(tmp_path / "again.jsonl")
    cortex.sessions.capture(tmp_path / "again.jsonl", event="Stop", final=True)

    cortex.sessions.archive.forget(session, memories=True)

    assert kept(cortex)[1]


def files_with(word: bytes, folder: Path) -> list[str]:
    """The files below a folder that hold a word."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.name for path in files if word in path.read_bytes().lower()]


def test_erased_for_good_no_byte_is_left_and_no_reading_brings_it_back(
    cortex: Cortex, session: str, project: Path, tmp_path: Path
) -> None:
    cortex.sessions.archive.forget(session)
    cortex.snapshots.take()
    assert len(files_with(b"zebrafish", project / ".memory")) > 2

    done = cortex.sessions.archive.erase(session, memories=True, remove_snapshots=True)
    cortex.close()

    assert done.memories == 1
    assert done.removed
    assert files_with(b"zebrafish", project / ".memory") == []
    assert files_with(b"walrusfish", project / ".memory") == []
    assert kept(cortex) == ([], [])
    assert unexplained(cortex) == []
    transcript = tmp_path / f"{session}.jsonl"
    assert cortex.sessions.archive.recorder.read_transcript(transcript) == 0
    cortex.sessions.replay(session)
    assert cortex.sessions.archive.list() == []


def test_time_removes_what_was_forgotten_and_what_is_older_than_is_kept(
    cortex: Cortex, session: str, project: Path, tmp_path: Path, clock: Clock
) -> None:
    cortex.sessions.archive.forget(session)
    assert cortex.sessions.archive.tidy() == 0
    clock.advance(days=31)

    assert cortex.sessions.archive.tidy() == 1
    assert cortex.sessions.archive.forgotten() == []

    later = Sample("later", cwd=str(project), pause=7.0).human("Which zebrafish is it?")
    later.write(tmp_path / "later.jsonl")
    cortex.sessions.capture(tmp_path / "later.jsonl", event="Stop", final=True)
    assert cortex.sessions.archive.tidy() == 0
    cortex.settings.set("archive.keep", "1")
    clock.advance(days=365)
    assert cortex.sessions.archive.tidy() == 1

    later.human("And which one is it today?").write(tmp_path / "later.jsonl")
    cortex.sessions.capture(tmp_path / "later.jsonl", event="Stop", final=True)
    assert [each.title for each in cortex.sessions.archive.list()] == ["And which one is it today?"]


def test_an_index_in_many_parts_is_made_one(
    cortex: Cortex, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cortex_core.archive.archive.MOST_SEGMENTS", 2)
    for name in ("one", "two", "three"):
        sample(project, name).write(tmp_path / f"{name}.jsonl")
        cortex.sessions.capture(tmp_path / f"{name}.jsonl", event="Stop", final=True)
    (archive,) = cortex.sessions.archive.files.existing()
    parts = "SELECT count(DISTINCT segid) FROM message_fts_idx"
    assert archive.value(parts) > 2

    cortex.sessions.archive.tidy()

    assert archive.value(parts) == 1
    assert cortex.sessions.archive.search("walrusfish")


def test_folders_that_are_ignored_later_are_removed(
    cortex: Cortex, session: str, project: Path
) -> None:
    cortex.settings.set("capture.ignore", [str(project)])

    assert cortex.sessions.archive.tidy() == 1
    assert b"use zebrafish" not in (project / ".memory" / "archive.db").read_bytes()


def test_emptying_the_trash_removes_the_forgotten(cortex: Cortex, session: str) -> None:
    cortex.sessions.archive.forget(session)

    cortex.trash.empty()

    assert cortex.sessions.archive.forgotten() == []


def test_secrets_of_a_new_pattern_are_found_and_scrubbed(
    cortex: Cortex, session: str, project: Path
) -> None:
    cortex.settings.set("redact.extra", ["zebra[a-z]+"])

    found = cortex.secrets.scan().found
    assert any("conversation" in find.location for find in found)
    cortex.secrets.scrub(remove_snapshots=True)
    cortex.close()

    assert b"zebrafish" not in (project / ".memory" / "archive.db").read_bytes()
    assert not any("conversation" in find.location for find in cortex.secrets.scan().found)
    assert "[redacted" in cortex.sessions.archive.read(session).messages[0].text


def test_an_archive_that_came_with_a_folder_is_not_shown(
    cortex: Cortex, session: str, project: Path, tmp_path: Path
) -> None:
    cortex.close()
    clone = tmp_path / "clone"
    (clone / ".memory").mkdir(parents=True)
    shutil.copy(project / ".memory" / "archive.db", clone / ".memory")

    with Cortex.open(clone) as other:
        assert "came with its folder" in other.project.doubt
        assert other.sessions.archive.list() == []
    with Cortex.open(clone) as other:
        other.trust.grant()
        other.sessions.archive.files.adopt()
        assert [each.session for each in other.sessions.archive.list()] == [session]


@pytest.mark.parametrize("verb", ["forget", "undo", "erase"])
def test_killed_at_any_write_all_of_it_or_nothing(project: Path, tmp_path: Path, verb: str) -> None:
    said = sample(project)
    path = tmp_path / f"{said.session}.jsonl"
    said.write(path)
    with Cortex.open(project) as cortex:
        cortex.sessions.capture(path, event="Stop", final=True)
        if verb == "undo":
            cortex.sessions.archive.forget(said.session, memories=True)

    def act() -> None:
        with Cortex.open(project) as cortex:
            if verb == "undo":
                cortex.undo()
            elif verb == "forget":
                cortex.sessions.archive.forget(said.session, memories=True)
            else:
                cortex.sessions.archive.erase(said.session, memories=True)

    calls = (killing.Call(Archive, "execute"), *killing.WRITES)
    step = 1
    while killing.killed_at(step, act, calls):
        step += 7
        with Cortex.open(project) as cortex:
            sessions, rules = kept(cortex)
        if verb != "erase":  # the archive is first there, and the same call does the rest
            assert bool(sessions) == bool(rules)
            if bool(sessions) != (verb == "forget"):  # its last write was made
                break
    assert step > 4


def test_every_column_of_text_is_declared(session: str, project: Path) -> None:
    with closing(sqlite3.connect(project / ".memory" / "archive.db")) as found:
        asked = (
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND t.name NOT LIKE 'message_fts%' "
            "AND t.name NOT LIKE 'sqlite%' AND c.type IN ('TEXT', 'BLOB')"
        )
        columns = {(table, column) for table, column in found.execute(asked)}
    declared = {
        (table, name)
        for each in (ARCHIVED, OTHERS)
        for table, names in each.items()
        for name in names
    }
    assert columns == declared


def test_an_erasure_that_ends_early_says_that_a_part_is_done(
    cortex: Cortex, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise StoreUnusable("The disk is full. Nothing was changed. Free some space.")

    with monkeypatch.context() as patched:
        patched.setattr(Archive, "erase", fails)
        with pytest.raises(StoreUnusable, match="A part of it is removed") as raised:
            cortex.sessions.archive.erase(session, memories=True)
    assert "Nothing was changed" not in str(raised.value)

    assert cortex.sessions.archive.erase(session, memories=True).memories == 0
    assert kept(cortex) == ([], [])
