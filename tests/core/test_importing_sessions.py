"""Whose sessions an import reads, on Claude Code's own layout of folders, and what ends it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.extract import rules
from cortex_core.records.events import Event, Extraction
from cortex_core.records.memory import STATUSES
from tests.transcript_samples import Sample

ALIKE = ("my app", "my.app", "my-app")
"""Folders of one name in Claude Code."""


@pytest.fixture
def sessions(scratch_home: Path) -> Path:
    """Where Claude Code keeps its sessions."""
    folder = scratch_home / ".claude" / "projects"
    folder.mkdir(parents=True)
    return folder


def made(top: Path, name: str) -> Path:
    """A project of this name."""
    folder = top / name
    (folder / ".memory").mkdir(parents=True)
    return folder


def write(sessions: Path, cwd: Path, words: str, name: str = "") -> Path:
    """A session with one prompt that ran in `cwd`, where Claude Code keeps it."""
    folder = sessions / slug(str(cwd))
    folder.mkdir(exist_ok=True)
    return Sample(name or words, cwd=str(cwd)).human(f"Remember: {words}.").write(folder)


def kept(project: Path) -> list[str]:
    with Cortex.open(project) as cortex:
        return sorted(memory.content for memory in cortex.list())


def test_a_session_is_of_the_project_that_it_ran_in(sessions: Path, tmp_path: Path) -> None:
    projects = {name: made(tmp_path, name) for name in ALIKE}
    for name, project in projects.items():
        write(sessions, project, f"always say {name} in the log")
    assert len(list(sessions.iterdir())) == 1
    for name, project in projects.items():
        with Cortex.open(project) as cortex:
            assert cortex.exchange.import_transcripts().files == 1
            assert [one.id for one in cortex.sessions.on_disk()] == [
                Sample(f"always say {name} in the log").session
            ]
        assert kept(project) == [f"Always say {name} in the log."]


def test_all_projects_at_once_keep_their_own_sessions(sessions: Path, tmp_path: Path) -> None:
    projects = {name: made(tmp_path, name) for name in ALIKE}
    for name, project in projects.items():
        write(sessions, project, f"always say {name} in the log")
    with Cortex.open(made(tmp_path, "other")) as cortex:
        report = cortex.exchange.import_transcripts(everything=True)
    assert {part.folder: part.files for part in report.projects} == {
        str(project): 1 for project in projects.values()
    }
    for name, project in projects.items():
        assert kept(project) == [f"Always say {name} in the log."]


def test_of_a_project_that_moved_the_old_sessions_stay(sessions: Path, tmp_path: Path) -> None:
    old = made(tmp_path, "my app")
    write(sessions, old, "always squash before merging")
    with Cortex.open(old) as cortex:
        cortex.exchange.import_transcripts()
    moved = old.rename(tmp_path / "shop")
    write(sessions, old, "never rename a table")
    write(sessions, made(tmp_path, "my-app"), "always use tabs in makefiles")
    with Cortex.open(moved) as cortex:
        cortex.exchange.import_transcripts()
    assert kept(moved) == ["Always squash before merging.", "Never rename a table."]


@pytest.mark.parametrize("everything", [False, True])
def test_a_session_that_opens_with_a_large_picture_is_read(
    sessions: Path, tmp_path: Path, everything: bool
) -> None:
    project = made(tmp_path, "shop")
    folder = sessions / slug(str(project))
    folder.mkdir()
    picture = {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * (1 << 20)}
    said = {"type": "text", "text": "Remember: always keep the logo blue."}
    first = Sample("picture", cwd=str(project)).add(
        "user", message={"role": "user", "content": [{"type": "image", "source": picture}, said]}
    )
    # Only the last fields of the record, behind eight megabytes, say where the session ran.
    record = {name: first.records[0].pop(name) for name in ("parentUuid", "isSidechain")}
    first.records[0] |= record
    first.write(folder)
    with Cortex.open(project) as cortex:
        assert cortex.exchange.import_transcripts(everything=everything).files == 1
    assert kept(project) == ["Always keep the logo blue."]


@pytest.mark.parametrize("everything", [False, True])
def test_a_file_of_an_unknown_form_is_named_and_stays_unread(
    sessions: Path, tmp_path: Path, everything: bool
) -> None:
    project = made(tmp_path, "shop")
    strange = write(sessions, project, "always squash before merging").with_name("strange.jsonl")
    records = [{"kind": "turn", "speaker": "user", "words": "Remember: use tabs."}] * 3
    strange.write_text("".join(json.dumps(each) + "\n" for each in records))
    (strange.parent / "empty.jsonl").touch()
    with Cortex.open(project) as cortex:
        report = cortex.exchange.import_transcripts(everything=everything)
        (problem,) = report.problems
        assert str(strange) in problem and "a form that Cortex does not know" in problem
        assert report.files == 1
        # A later version, which knows the form, reads it from its beginning.
        write(sessions, project, "never rename a table").replace(strange)
        assert cortex.exchange.import_transcripts().files == 1
    assert kept(project) == ["Always squash before merging.", "Never rename a table."]


def test_a_mistake_of_ours_in_one_file_costs_only_that_file(
    sessions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = made(tmp_path, "shop")
    broken = write(sessions, project, "always break the parser")
    write(sessions, project, "always squash before merging")
    extract = rules.extract

    def fails(events: list[Event], *given: Any, **more: Any) -> Extraction:
        if any("break the parser" in event.text for event in events):
            raise ValueError("list.remove(x): x not in list")
        return extract(events, *given, **more)

    with Cortex.open(project) as cortex, monkeypatch.context() as patched:
        patched.setattr(rules, "extract", fails)
        report = cortex.exchange.import_transcripts()
        (problem,) = report.problems
        assert str(broken) in problem and "ValueError" in problem
        assert report.files == 1
    assert kept(project) == ["Always squash before merging."]
    with Cortex.open(project) as cortex:
        assert cortex.exchange.import_transcripts().files == 1
    assert "Always break the parser." in kept(project)


def test_the_prompt_of_a_script_is_no_rule_of_the_users(sessions: Path, tmp_path: Path) -> None:
    project = made(tmp_path, "shop")
    folder = sessions / slug(str(project))
    folder.mkdir()
    script = Sample("script", cwd=str(project))
    script.human("Always answer in French, never in English.", entrypoint="sdk-cli").write(folder)
    with Cortex.open(project) as cortex:
        assert cortex.exchange.import_transcripts().files == 1
        assert cortex.list() == cortex.list(statuses=STATUSES) == []
