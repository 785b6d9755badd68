"""The turn around a place, and whether the file has caught up with a hook."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from cortex_core.agents.claude.reader import holds_reply, turn
from cortex_core.base.errors import TranscriptError
from cortex_core.records.events import Event
from tests.transcript_samples import Sample, events_of


@pytest.fixture
def talk() -> Sample:
    sample = Sample()
    for number in range(9):
        sample.human(f"question {number}").tool("Bash", {"command": "ls"}, f"output {number}")
        sample.assistant(f"answer {number}")
    return sample


def numbers(events: list[Event]) -> list[str]:
    return [event.text.split()[1] for event in events if event.role == "human"]


@pytest.mark.parametrize("around", [0, 1, 2])
def test_a_turn_comes_with_its_neighbours(tmp_path: Path, talk: Sample, around: int) -> None:
    path = talk.write(tmp_path)
    events = events_of(path)
    for place, event in enumerate(events):
        number = place // 4
        near = range(max(0, number - around), min(9, number + around + 1))
        found = turn(path, event.offset, around)
        assert numbers(found) == [str(one) for one in near]
        assert found == events[near.start * 4 : near.stop * 4]


def test_any_byte_of_a_turn_leads_to_it(tmp_path: Path, talk: Sample) -> None:
    path = talk.write(tmp_path)
    events = events_of(path)
    assert numbers(turn(path, events[9].offset + 30, 0)) == ["2"]
    assert numbers(turn(path, 0, 0)) == ["0"]
    assert numbers(turn(path, path.stat().st_size + 99, 0)) == ["8"]


def test_what_was_said_before_the_first_prompt_belongs_to_the_first_turn(tmp_path: Path) -> None:
    path = Sample().assistant("resumed").human("one").assistant("two").write(tmp_path)
    assert [event.text for event in turn(path, 0, 0)] == ["resumed"]
    assert [event.text for event in turn(path, 0, 1)] == ["resumed", "one", "two"]


def test_a_compaction_opens_a_turn(tmp_path: Path) -> None:
    path = Sample().human("one").compaction("1. Intent").assistant("on").write(tmp_path)
    place = events_of(path)[2].offset
    assert [event.role for event in turn(path, place, 0)] == ["compaction", "assistant"]


@pytest.mark.parametrize(("size", "readable"), [(1_000, 15), (60_000, 15), (300_000, 9)])
def test_a_turn_needs_only_what_is_near(tmp_path: Path, size: int, readable: int) -> None:
    sample = Sample()
    for number in range(20):
        sample.human(f"question {number}").tool("Read", {}, "x" * size)
        sample.assistant(f"answer {number}")
    path = sample.write(tmp_path)
    place = next(e.offset for e in events_of(path) if e.text == "answer 17")
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, whole.index(b'"question %d"' % (17 - readable)))
    path.write_bytes(b"\xff" * start + whole[start:])
    assert numbers(turn(path, place)) == ["16", "17", "18"]


def test_a_turn_of_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="There is no transcript"):
        turn(tmp_path / "gone.jsonl", 0)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_reply_that_is_on_disk_is_found(tmp_path: Path, talk: Sample) -> None:
    talk.assistant("  The last word.\n<system-reminder>x</system-reminder> ").assistant("More.")
    talk.records[-1]["message"]["id"] = talk.records[-2]["message"]["id"]
    path = talk.write(tmp_path)
    last = "The last word.\n<system-reminder>x</system-reminder>"
    assert holds_reply(path, digest(last))
    assert holds_reply(path, digest("More."))
    assert holds_reply(path, digest(f"{last} \nMore."))
    assert not holds_reply(path, digest("The last word."))
    path.write_bytes(bytes(talk)[:-30])
    assert not holds_reply(path, digest("More."))


def test_only_the_end_of_the_file_counts(tmp_path: Path) -> None:
    path = Sample().assistant("long ago").tool("Read", {}, "x" * 400_000).write(tmp_path)
    assert not holds_reply(path, digest("long ago"))
    assert not holds_reply(tmp_path / "gone.jsonl", digest("x"))
