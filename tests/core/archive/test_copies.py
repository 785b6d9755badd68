"""Conversations from elsewhere: copies of transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import TranscriptError, UsageError
from tests.core.archive.test_keeping_conversations import captured, session


def test_copies_are_read_once_and_nothing_is_learned(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "backup" / "-somewhere"
    folder.mkdir(parents=True)
    for one in (session(Path("/elsewhere")), session(project, "second", day=3)):
        one.human("Remember: always use pnpm, never npm, in this repository.").write(folder)

    rehearsed = cortex.sessions.archive.recorder.import_copies([folder.parent], dry_run=True)
    assert cortex.sessions.archive.list() == []
    report = cortex.sessions.archive.recorder.import_copies([folder.parent])
    again = cortex.sessions.archive.recorder.import_copies([folder.parent, folder])

    assert (report.files, report.conversations, report.problems) == (2, 2, ())
    assert (rehearsed.messages, rehearsed.dry_run) == (report.messages, True)
    assert report.messages > 20
    assert (again.skipped, again.messages, again.conversations) == (2, 0, 0)
    assert cortex.list() == cortex.suggestions.list() == []


def test_copies_bring_back_what_was_removed_for_good_only_when_asked(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    path = captured(cortex, session(project), tmp_path)
    cortex.sessions.archive.erase(path.stem)

    assert cortex.sessions.archive.recorder.import_copies([path]).messages == 0
    assert cortex.sessions.archive.recorder.import_copies([path], again=True).conversations == 1


def test_copies_that_cannot_be_read_are_refused(cortex: Cortex, tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="There is no transcript"):
        cortex.sessions.archive.recorder.import_copies([tmp_path / "none.jsonl"])
    cortex.settings.set("archive.keep", "off")
    with pytest.raises(UsageError, match=r"archive\.keep"):
        cortex.sessions.archive.recorder.import_copies([tmp_path])
