"""Whether a transcript has caught up with a hook."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from cortex_core.agents.claude.reader import holds_reply
from tests.transcript_samples import Sample


@pytest.fixture
def talk() -> Sample:
    sample = Sample()
    for number in range(9):
        sample.human(f"question {number}").tool("Bash", {"command": "ls"}, f"output {number}")
        sample.assistant(f"answer {number}")
    return sample


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
