"""Claude Code's own memory: taken over from sessions and from the disk, once, and followed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.agents.claude import hooks, places
from cortex_core.agents.claude.own_files import text_after
from cortex_core.capture import agent_memory
from cortex_core.records.events import Event
from cortex_core.surface import note
from tests.conftest import Clock
from tests.transcript_samples import Sample

RULE = (
    "---\nname: commit-scope\ndescription: The breaking mark is for what users configure\n"
    "metadata:\n  type: feedback\n---\n\nOnly changes of what users configure are breaking in this "
    "repository.\n\n**Why:** A refactoring was once released as a major version.\n\n"
    "**How to apply:** Ask what a user has to change before you add the mark.\n"
)
FACTS = (
    "---\nname: cache-tests\ndescription: How the cache is tested\nmetadata:\n  type: project\n"
    "---\n\nFound while the cache was tested:\n\n"
    "- The cache is only written with the hidden flag `--save-cache`\n"
    "- Debug logs appear in the output of the command `debug` alone\n"
)
INDEX = "- [Commit scope](scope.md) — what is breaking\n- [Cache](cache.md) — how it is tested\n"


@pytest.fixture
def cortex(project: Path, clock: Clock) -> Iterator[Cortex]:
    """Cortex in a fresh repository."""
    with Cortex.open(project, clock=clock) as made:
        yield made


def wrote(sample: Sample, name: str, words: str) -> Sample:
    """The sample after one more file of the agent's memory was written, on another machine."""
    path = f"C:\\Users\\ada\\.claude\\projects\\D--service\\memory\\{name}"
    return sample.tool("Write", {"file_path": path, "content": words}, "File created")


def edited(sample: Sample, name: str, old: str, new: str, whole: str | None = None) -> Sample:
    """The same after an edit; `whole`: the text before it, where Claude Code recorded it."""
    path = f"/home/ada/.claude/projects/-work-service/memory/{name}"
    given = {"file_path": path, "old_string": old, "new_string": new}
    outcome = {"filePath": path, "originalFile": whole} if whole else None
    return sample.tool("Edit", given, "File updated", outcome=outcome)


def learned(cortex: Cortex) -> dict[str, str]:
    """The first sentences of what is in force from the agent's memory, with their kinds."""
    found = cortex.list()
    own = [one for one in found if one.source.rule == "import:claude-memory"]
    return {one.content.partition("\n")[0]: one.kind for one in own}


def imported(cortex: Cortex, folder: Path, sample: Sample) -> None:
    sample.write(folder)
    cortex.exchange.import_transcripts([folder])


def on_disk(cortex: Cortex, **files: str) -> Path:
    """The folder of the project's own memory, with these files."""
    folder = Path(places.memory_folder(cortex.project.root or ""))
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in files.items():
        (folder / f"{name}.md").write_text(words)
        os.utime(folder / f"{name}.md", (cortex.workspace.clock(),) * 2)
    return folder


SCOPE = "Only changes of what users configure are breaking in this repository."
FLAG = "The cache is only written with the hidden flag `--save-cache`"
LOGS = "Debug logs appear in the output of the command `debug` alone"


def test_a_session_of_another_machine_is_enough(cortex: Cortex, tmp_path: Path) -> None:
    sample = wrote(Sample("one"), "scope.md", RULE)
    wrote(wrote(sample, "cache.md", FACTS), "MEMORY.md", INDEX)
    imported(cortex, tmp_path, sample)
    assert learned(cortex) == {SCOPE: "preference", FLAG: "fact", LOGS: "fact"}
    rule = next(one for one in cortex.list() if one.kind == "preference")
    assert "**Why:** A refactoring" in rule.content and "**How to apply:** Ask" in rule.content
    assert rule.source.message == "scope.md" and rule.source.session == sample.session
    assert not cortex.exchange.import_transcripts([tmp_path]).stored
    assert len(learned(cortex)) == 3


@pytest.mark.parametrize(
    ("described", "lead", "is_title"),
    [
        (
            "Inputs that make snapshots differ: time zone, width",
            "Found 2026-07-26 while testing.",
            True,
        ),
        ("Inputs that make snapshots differ", "Snapshots depend on the time zone.", False),
        ("How snapshots are compared", "Found 2026-07-26 while testing.", False),
    ],
)
def test_a_description_is_the_title_where_the_text_begins_with_no_statement(
    described: str, lead: str, is_title: bool
) -> None:
    words = f"---\nname: a\ndescription: '{described}'\n---\n\n{lead}\n"
    (stated,) = agent_memory.statements("a.md", words, Event(role="assistant"))
    assert stated.title == (described if is_title else lead.rstrip("."))


def test_the_last_state_counts(cortex: Cortex, tmp_path: Path) -> None:
    """Edits follow each other, with or without the text before them; a failed call changes none."""
    sample = wrote(Sample("one"), "cache.md", FACTS)
    edited(sample, "cache.md", "`--save-cache`", "`--keep`")
    sample.tool(
        "MultiEdit",
        {
            "file_path": "/home/ada/.claude/projects/-work-service/memory/cache.md",
            "edits": [{"old_string": "`debug` alone", "new_string": "`debug` and `trace`"}],
        },
        "Applied 1 edit",
    )
    path = "/home/ada/.claude/projects/-work-service/memory/cache.md"
    sample.tool("Write", {"file_path": path, "content": "Gone"}, "No", failed=True)
    sample.tool("Write", {"file_path": "/home/ada/projects/app/memory/a.md", "content": RULE}, "ok")
    edited(sample, "seen.md", "nine", "ten", whole="Each worker keeps nine connections open.\n")
    edited(sample, "unseen.md", "nine", "ten")
    imported(cortex, tmp_path, sample)
    assert set(learned(cortex)) == {
        FLAG.replace("--save-cache", "--keep"),
        LOGS.replace("alone", "and `trace`"),
        "Each worker keeps ten connections open.",
    }


def test_a_later_session_changes_and_an_older_one_does_not(cortex: Cortex, tmp_path: Path) -> None:
    imported(cortex, tmp_path, wrote(Sample("new", pause=9e4), "cache.md", FACTS))
    before = {one.content: one.id for one in cortex.list()}
    old = wrote(Sample("old", pause=1), "cache.md", "The cache was written at every start.\n")
    imported(cortex, tmp_path, old)
    assert set(learned(cortex)) == {FLAG, LOGS}
    newer = wrote(Sample("newer", pause=2e5), "cache.md", FACTS.replace("--save-cache", "--keep"))
    imported(cortex, tmp_path, newer)
    after = {one.content: one.id for one in cortex.list()}
    assert after[FLAG.replace("--save-cache", "--keep")] == before[FLAG]
    assert after[LOGS] == before[LOGS] and len(after) == 2


def test_the_disk_and_the_session_have_one_memory(cortex: Cortex, tmp_path: Path) -> None:
    imported(cortex, tmp_path, wrote(Sample("one", pause=1), "scope.md", RULE))
    folder = on_disk(cortex, scope=RULE, cache=FACTS)
    cortex.exchange.keep_up_with_claude_memory()
    assert set(learned(cortex)) == {SCOPE, FLAG, LOGS}
    done = cortex.exchange.import_claude_memory()
    assert (done.stored, done.updated, done.merged) == (0, 0, 3)
    (folder / "cache.md").unlink()
    cortex.exchange.keep_up_with_claude_memory()
    assert set(learned(cortex)) == {SCOPE}
    assert {one.content for one in cortex.list(statuses=["archived"])} == {FLAG, LOGS}
    on_disk(cortex, cache=FACTS)
    cortex.exchange.keep_up_with_claude_memory()
    assert set(learned(cortex)) == {SCOPE, FLAG, LOGS} and not cortex.list(statuses=["archived"])
    cortex.undo()
    cortex.exchange.keep_up_with_claude_memory()
    assert set(learned(cortex)) == {SCOPE}  # what was undone does not come back by itself


def test_a_folder_whose_name_looks_like_a_key_is_followed_too(
    cortex: Cortex, scratch_home: Path, tmp_path: Path
) -> None:
    chosen = tmp_path / "Xk29fhQz81LmPw7Rt4Vb"
    assert cortex.workspace.store().clean(f'"{chosen}"') != f'"{chosen}"', "it is redacted"
    settings = scratch_home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"autoMemoryDirectory": str(chosen)}), "utf-8")
    folder = on_disk(cortex, scope=RULE, cache=FACTS)
    cortex.exchange.keep_up_with_claude_memory()
    (folder / "cache.md").unlink()
    cortex.exchange.keep_up_with_claude_memory()
    assert folder == chosen and set(learned(cortex)) == {SCOPE}


@pytest.mark.parametrize("deed", ["edit", "pin", "forget"])
def test_the_users_word_stays(cortex: Cortex, clock: Clock, deed: str) -> None:
    folder = on_disk(cortex, scope=RULE)
    cortex.exchange.keep_up_with_claude_memory()
    (own,) = cortex.list()
    clock.advance(minutes=1)
    if deed == "edit":
        cortex.edit(own.id, content="Breaking is what users have to change.")
    else:
        getattr(cortex, deed)(own.id)
    said = cortex.workspace.get(own.id)
    cortex.exchange.import_claude_memory()
    assert cortex.workspace.get(own.id) == said and len(cortex.list()) == (deed != "forget")
    clock.advance(minutes=1)
    if deed != "forget":
        on_disk(cortex, scope=RULE.replace("configure are", "set is"))
        cortex.exchange.keep_up_with_claude_memory()
        assert cortex.workspace.get(own.id).content == said.content
        assert [one.proposal.type for one in cortex.review.list()] == ["supersede"]
    (folder / "scope.md").unlink()
    cortex.exchange.keep_up_with_claude_memory()
    assert cortex.workspace.get(own.id).status == said.status


def test_a_folder_of_the_users_choice_and_none(
    cortex: Cortex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(cortex.project.root or "")
    (root / ".claude").mkdir()
    chosen = tmp_path / "kept"
    shared = root / ".claude" / "settings.json"
    shared.write_text(json.dumps({"autoMemoryDirectory": str(chosen)}))
    assert Path(places.memory_folder(str(root))) != chosen  # a repository does not choose
    local = root / ".claude" / "settings.local.json"
    local.write_text(json.dumps({"autoMemoryDirectory": str(chosen)}))
    assert on_disk(cortex, scope=RULE) == chosen
    cortex.exchange.keep_up_with_claude_memory()
    assert set(learned(cortex)) == {SCOPE}
    assert hooks.memory_file(cortex.project, {}) == str(chosen / "MEMORY.md")
    sample = Sample("one", cwd=str(root))
    sample.tool("Write", {"file_path": str(chosen / "cache.md"), "content": FACTS}, "ok")
    imported(cortex, tmp_path, sample)
    assert set(learned(cortex)) == {SCOPE, FLAG, LOGS}
    local.write_text(json.dumps({"autoMemoryEnabled": False}))
    assert hooks.memory_file(cortex.project, {}) == ""
    assert hooks.memory_file(cortex.project, {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"})


def test_what_the_client_gives_is_not_given_again(cortex: Cortex, clock: Clock) -> None:
    folder = on_disk(cortex, scope=RULE, MEMORY=INDEX)
    cortex.exchange.keep_up_with_claude_memory()
    assert "configure" not in note.current(cortex.project, clock()).text
    (folder / "MEMORY.md").write_text("")
    assert "configure" in note.current(cortex.project, clock()).text


@pytest.mark.parametrize(
    ("call", "outcome", "before", "after"),
    [
        ({"content": "a"}, {}, None, "a"),
        ({"content": "a"}, {"content": "b"}, None, "b"),  # the user changed what was proposed
        ({"old_string": "a", "new_string": "b"}, {"originalFile": "aa"}, "c", "ba"),
        ({"old_string": "a", "new_string": "b", "replace_all": True}, {}, "aa", "bb"),
        ({"old_string": "a", "new_string": "b"}, {}, None, None),
        ({"edits": [{"old_string": "a", "new_string": "b"}] * 2}, {}, "aa", "bb"),
        ({"edits": [{}]}, {}, "aa", None),
    ],
)
def test_the_text_after_a_call(
    call: dict[str, Any], outcome: dict[str, Any], before: str | None, after: str | None
) -> None:
    assert text_after(call, outcome, before) == after


def test_what_cannot_be_read_costs_no_other_file(cortex: Cortex, tmp_path: Path) -> None:
    broken = "---\nname: [a\n---\n\nAnything at all is in this file.\n"
    sample = wrote(wrote(Sample("one"), "broken.md", broken), "scope.md", RULE)
    imported(cortex, tmp_path, sample)
    assert set(learned(cortex)) == {SCOPE}
    on_disk(cortex, broken=broken, cache=FACTS)
    done = cortex.exchange.import_claude_memory()
    assert done.stored == 2 and len(done.problems) == 1 and "broken.md" in done.problems[0]
