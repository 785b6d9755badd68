"""Conversations from elsewhere: copies of transcripts, and Claude Code's history of prompts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.agents.injected import unix_time
from cortex_core.base.errors import TranscriptError, UsageError
from tests.conftest import Clock
from tests.core.archive.test_keeping_conversations import captured, said, session

GONE = "aaaaaaaa-0000-4000-8000-000000000001"
DAY = 86_400.0


def history(*lines: dict[str, Any] | str) -> None:
    """Write Claude Code's history; a line of text is written as it is."""
    file = Path(os.environ["CLAUDE_CONFIG_DIR"], "history.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    written = (each if isinstance(each, str) else json.dumps(each) for each in lines)
    file.write_text("\n".join(written) + "\n", encoding="utf-8")


def prompt(
    words: str, folder: Path, moment: float, name: str = GONE, **more: Any
) -> dict[str, Any]:
    """A line of the history."""
    line = {"display": words, "project": str(folder), "timestamp": round(moment * 1000), **more}
    return {**line, "sessionId": name} if name else line


def prompts(cortex: Cortex, name: str = GONE) -> list[str]:
    return [message.text for message in cortex.sessions.archive.read(name).messages]


def test_prompts_of_sessions_that_are_gone_come_back_once(
    cortex: Cortex, project: Path, clock: Clock
) -> None:
    pasted = {"1": {"id": 1, "type": "text", "content": "one\ntwo"}}
    (project / "below").mkdir()
    history(
        prompt("Why does the lease end?", project, clock.now),
        '{"display": "torn',
        "[1, 2]",
        '{"display": 3}',
        "\0\0",
        prompt("/clear", project, clock.now + 1),
        prompt("!ls", project, clock.now + 2),
        prompt(
            "Look: [Pasted text #1 +2 lines]",
            project / "below",
            clock.now + 3,
            pastedContents=pasted,
        ),
        prompt(
            "The password is hunter2-Xk29vLq8Zt <private>my own</private>", project, clock.now + 4
        ),
        prompt("Of an older version.", project, clock.now - DAY, name=""),
        prompt("Of another project.", project.parent, clock.now),
        prompt("Of a folder that is gone.", project / "tree", clock.now + 5),
    )

    rehearsed = cortex.exchange.import_transcripts(dry_run=True)
    assert cortex.sessions.archive.list() == []
    report = cortex.exchange.import_transcripts()

    assert rehearsed.prompts == report.prompts == 5
    first, second, third, last = prompts(cortex)
    assert (first, second, last) == (
        "Why does the lease end?",
        "Look: one\ntwo",
        "Of a folder that is gone.",
    )
    assert "hunter2" not in third
    assert "own" not in third
    assert {(one.title, one.turns, one.transcript) for one in cortex.sessions.archive.list()} == {
        ("Why does the lease end?", 4, ""),
        ("Of an older version.", 1, ""),
    }
    assert cortex.exchange.import_transcripts().prompts == 0
    assert cortex.list() == [], "nothing is learned from prompts alone"


def test_prompts_that_a_transcript_has_are_not_doubled(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    sample = session(project)
    captured(cortex, sample, tmp_path)
    before = said(cortex, "kept")
    moment = cortex.sessions.archive.read(sample.session).messages[0].time or 0.0
    asked = "Why does the tunnel die?"
    history(
        prompt(asked, project, moment - 60, sample.session),
        prompt(asked, project, moment - 60, name=""),
        prompt(f"{asked} (in other words)", project, moment - 0.5, name=""),
        prompt("Of a running session.", project, moment, "running"),
    )
    cortex.sessions.archive.recorder.recover_prompts(lambda _: True, {"running"})

    assert said(cortex, "kept") == before
    assert len(cortex.sessions.archive.list()) == 1


def test_a_transcript_that_turns_up_takes_the_place_of_its_prompts(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    sample = session(project)
    moment = unix_time(sample.records[0]["timestamp"]) or 0.0
    history(prompt("Why does the tunnel die?", project, moment - 2, sample.session))
    cortex.exchange.import_transcripts()
    assert prompts(cortex, sample.session) == ["Why does the tunnel die?"]

    cortex.sessions.archive.recorder.import_copies([sample.write(tmp_path)])

    kinds = [kind for kind, _ in said(cortex, "kept")]
    assert kinds.count("user") == 2
    assert cortex.sessions.archive.list()[0].turns == 2


def test_ignored_folders_and_later_times_hold_for_the_history(
    cortex: Cortex, project: Path, clock: Clock
) -> None:
    cortex.settings.set("capture.ignore", [f"{project}/secret*"])
    history(
        prompt("Of an ignored folder.", project / "secret", clock.now),
        prompt("Long ago.", project, clock.now - 40 * DAY, "bbbbbbbb"),
        prompt("Now.", project, clock.now, "cccccccc"),
    )

    assert cortex.exchange.import_transcripts(since="30d").prompts == 1
    assert [one.title for one in cortex.sessions.archive.list()] == ["Now."]
    cortex.settings.set("archive.keep", "off")
    assert cortex.exchange.import_transcripts().prompts == 0


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
