"""Which transcripts there are, whose session each holds, and in what order they are read."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core.agents.claude.reader import session_of
from cortex_core.agents.claude.sessions import at
from cortex_core.base.errors import TranscriptError
from tests.transcript_samples import Sample


def sample(name: str, day: int) -> Sample:
    return Sample(name, start=datetime(2026, 11, day, tzinfo=UTC)).human("hello")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two projects, three sessions, sub-agents' files and what else lies about."""
    first, second = tmp_path / "projects" / "-home-a", tmp_path / "projects" / "-home-b"
    young, old, middle = sample("young", 9), sample("old", 2), sample("middle", 5)
    agents = first / young.session / "subagents"
    agents.mkdir(parents=True)
    second.mkdir()
    young.write(first)
    middle.write(first)
    old.write(second)
    young.human("inside", isSidechain=True).write(agents / "agent-a1.jsonl")
    young.write(agents / "agent-acompact-b2.jsonl")
    middle.write(first / "agent-c3.jsonl")
    (first / "notes.jsonl").write_text('{"note": "no transcript"}\n')
    (first / "empty.jsonl").write_bytes(b"")
    (first / "gone.jsonl").symlink_to(first / "nowhere")
    (first / "folder.jsonl").mkdir()
    os.mkfifo(first / "pipe.jsonl")
    (first / "readme.md").write_text("sessionId")
    return tmp_path / "projects"


def test_sessions_come_oldest_first_without_their_agents(folder: Path) -> None:
    names = [one.path.stem for one in at(folder)]
    assert names == [sample(name, 1).session for name in ("old", "middle", "young")]


def test_agents_follow_their_session_when_asked_for(folder: Path) -> None:
    names = [one.path.stem for one in at(str(folder), sidechains=True)]
    old, middle, young = (sample(name, 1).session for name in ("old", "middle", "young"))
    assert names == [old, middle, "agent-c3", young, "agent-a1"]


def test_a_folder_inside_an_agents_folder_is_searched_like_any_other(folder: Path) -> None:
    inside = next(folder.rglob("subagents"))
    assert at(inside.parent) == []
    assert [one.path.stem for one in at(inside, sidechains=True)] == ["agent-a1"]


def test_without_times_the_files_age_decides(tmp_path: Path) -> None:
    for name, age in (("a", 100), ("b", 300), ("c", 200)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text('{"parentUuid":null,"type":"user"}\n')
        os.utime(path, (1e9 - age, 1e9 - age))
    assert [one.path.stem for one in at(tmp_path)] == ["b", "c", "a"]


def test_a_file_is_found_as_it_is_named_and_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(b"")
    assert [one.path for one in at(path)] == [path]
    assert at(tmp_path) == []
    with pytest.raises(TranscriptError, match="no transcript at"):
        at(tmp_path / "gone")


def test_the_session_is_the_files_name_or_what_the_records_say(tmp_path: Path) -> None:
    one = sample("one", 1)
    assert session_of(tmp_path / f"{one.session}.jsonl") == one.session
    assert session_of(one.write(tmp_path / "agent-a1.jsonl")) == one.session
    assert session_of(str(one.write(tmp_path / "transcript.jsonl"))) == one.session
    (tmp_path / "plain.jsonl").write_text("{}\n")
    assert session_of(tmp_path / "plain.jsonl") == "plain"
    assert session_of(tmp_path / "gone.jsonl") == "gone"
