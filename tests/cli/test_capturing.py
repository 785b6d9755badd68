"""import, export, pause, resume, replay, suggestions, quarantine, rules, inspect."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cortex_core.base.errors import StoreError
from cortex_core.capture import repeats
from cortex_core.capture.sessions import Sessions
from cortex_core.records.as_json import to_json
from cortex_core.records.captures import ImportReport, LedgerEntry
from tests.cli.conftest import Cli, lines
from tests.cli.test_json import MEMORY
from tests.transcript_samples import Sample

REPORT = set(to_json(ImportReport()))


@pytest.fixture
def transcript(cortex: Cli, tmp_path: Path) -> str:
    """A session's transcript, from which there is something to learn."""
    sample = (
        Sample("cli", cwd=str(cortex.project))
        .human("Remember: always use pnpm, never npm, in this repository.")
        .assistant("Understood: pnpm it is.")
        .human("Remember that the staging database is reset every Sunday at 03:00.")
        .assistant("Noted.")
    )
    path = tmp_path / "sessions" / f"{sample.session}.jsonl"
    path.parent.mkdir()
    sample.write(path)
    return str(path)


def test_import_transcripts_twice_adds_nothing(cortex: Cli, transcript: str) -> None:
    (rehearsed,) = cortex.json("import", "transcripts", transcript, "--dry-run")
    assert rehearsed["dry_run"] is True
    assert cortex.run("list").exit_code == 3
    (report,) = cortex.json("import", "transcripts", transcript)
    assert set(report) == REPORT
    assert report["stored"] == rehearsed["stored"] == len(cortex.json("list")) > 0
    assert cortex.json("import", "transcripts", transcript)[0]["stored"] == 0
    assert "Kept 0 memories" in cortex.ok("import", "transcripts", str(Path(transcript).parent))
    assert cortex.json("status")[0]["pending_embeddings"] == 0
    cortex.ok("undo")
    cortex.fails(3, "list")


def test_where_no_session_was_found_it_says_what_can_be_read(cortex: Cli, transcript: str) -> None:
    assert "cortex import transcripts PATH" in cortex.run("import", "transcripts").stderr
    assert not cortex.run("import", "transcripts", transcript, "--dry-run").stderr


def test_the_history_is_counted_apart_and_named_where_nothing_else_is_kept(
    cortex: Cli, tmp_path: Path
) -> None:
    sample = Sample("s1", cwd=str(cortex.project)).human("Raise the limit of uploads.")
    sample.tool("Write", {"file_path": str(cortex.project / "limit.py"), "content": "LIMIT = 9\n"})
    sample.assistant("The limit of uploads is raised.").write(tmp_path / "s1.jsonl")
    path = str(tmp_path / "s1.jsonl")
    said = cortex.ok("import", "transcripts", path, "--dry-run")
    assert "Would keep 1 memory or entry of the history." in said
    said = cortex.ok("import", "transcripts", path)
    assert "Kept 0 memories and 1 entry of the history." in said
    assert "only 1 entry of the history. To list those: cortex" in cortex.run("list").output
    assert "No memories match." in cortex.run("list", "--kind", "policy").output


@pytest.mark.parametrize("at", [0, 1])
def test_an_import_that_ends_early_says_what_is_stored(
    cortex: Cli, transcript: str, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    other = Path(transcript).with_name("other.jsonl")
    Sample("other", cwd=str(cortex.project)).human("Remember: always use tabs in Makefiles.").write(
        other
    )
    captures = iter(range(2))
    real = Sessions.capture

    def capture(self: Sessions, *given: Any, **named: Any) -> Any:
        if next(captures) == at:
            raise StoreError("The disk is full. Nothing was changed. Free some space.")
        return real(self, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Sessions, "capture", capture)
        said = cortex.fails(1, "import", "transcripts", transcript, str(other))
    assert ("Nothing was changed" in said) is (at == 0)
    assert ("What was imported before that is stored" in said) is (at == 1)
    assert cortex.ok("import", "transcripts", transcript, str(other))
    assert len(cortex.json("list")) > 1


def test_an_import_whose_end_fails_says_what_is_stored(
    cortex: Cli, transcript: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def update(*_: Any, **_named: Any) -> None:
        raise StoreError("The disk is full. Nothing was changed. Free some space.")

    with monkeypatch.context() as patched:
        patched.setattr(repeats, "update", update)
        said = cortex.fails(1, "import", "transcripts", transcript)
    assert "Nothing was changed" not in said and "is stored; run the same command again" in said
    assert cortex.json("list")


def test_import_transcripts_of_nothing(cortex: Cli, transcript: str) -> None:
    assert cortex.json("import", "transcripts")[0]["files"] == 0
    assert cortex.json("import", "transcripts", "--all")[0]["files"] == 0
    assert (
        cortex.json("import", "transcripts", transcript, "--since", "2099-01-01")[0]["files"] == 0
    )
    cortex.fails(2, "import", "transcripts", transcript, "--all")
    assert cortex.fails(1, "import", "transcripts", "missing").strip()


def test_inspect_and_replay(cortex: Cli, transcript: str) -> None:
    assert cortex.ok("inspect") == ""
    cortex.ok("import", "transcripts", transcript)
    (entry,) = cortex.json("inspect")
    assert set(entry) == set(to_json(LedgerEntry(number=1, time=0.0, event="x")))
    assert entry["title"] and not entry["waits"]
    heading, row = cortex.ok("inspect").splitlines()
    assert heading.split()[:3] == ["when", "event", "read"] and "import" in row
    before = len(cortex.json("list"))
    assert cortex.json("replay", entry["session"])[0]["stored"] == 0
    assert "Kept 0 memories" in cortex.ok("replay", entry["session"][:8])
    assert len(cortex.json("list")) == before


def test_an_import_of_sessions_says_what_it_kept(cortex: Cli, transcript: str) -> None:
    said = cortex.ok("import", "transcripts", transcript)
    kept = cortex.json("list")
    assert kept and all(one["title"][:40] in said for one in kept)


def test_what_an_import_brought_is_listed(cortex: Cli, transcript: str) -> None:
    (report,) = cortex.json("import", "transcripts", transcript)
    kept = cortex.json("list")
    cortex.ok("remember", "It is no part of the import")
    assert cortex.json("list", "--import", report["id"][:8]) == kept
    assert cortex.json("import", "transcripts", transcript)[0]["id"] == "", "nothing was read"


def test_stats(cortex: Cli, transcript: str) -> None:
    cortex.ok("import", "transcripts", transcript)
    cortex.ok("remember", "Use pnpm")
    (figures,) = cortex.json("stats", "--since", "6d")
    assert figures["unit"] == "day" and len(figures["periods"]) == 7
    today = figures["periods"][-1]
    assert (today["sessions"], today["captured"]) == (1, 1) and today["learned"] >= 1
    assert cortex.json("stats")[0]["unit"] == "week"
    said = cortex.ok("stats").splitlines()
    assert "sessions" in said[0]
    assert said[-1].split()[1:3] == ["1", "1"]
    cortex.fails(2, "stats", "--since", "whenever")


def test_a_report_says_what_was_said_again(cortex: Cli, transcript: str, tmp_path: Path) -> None:
    assert "Nothing was corrected" in cortex.run("report").stderr
    later = Sample("later", cwd=str(cortex.project), start=datetime.now(UTC) - timedelta(days=1))
    later.human("I told you to use pnpm, not npm").assistant("Sorry.").write(
        tmp_path / "later.jsonl"
    )
    cortex.ok("import", "transcripts", transcript)
    cortex.ok("import", "transcripts", str(tmp_path / "later.jsonl"))
    said = cortex.ok("report", "--since", "2000-01")
    assert "you repeated yourself once" in said and "not learned: learned since" in said
    assert "next: cortex pin" in said and "Always use pnpm" in said
    (report,) = cortex.json("report", "--since", "2000-01")
    assert [case["rule"] for case in report["cases"]] == ["Use pnpm, not npm."]
    assert "you repeated yourself once in the last 30 days" in cortex.ok("status")


def test_import_jsonl(cortex: Cli, write: Callable[[str, str], str]) -> None:
    rows = [
        {"content": "Staging runs Postgres\u2028sixteen"},
        {
            "id": "note-0001",
            "content": "Ship on Fridays",
            "kind": "policy",
            "title": "Fridays",
            "tags": ["release"],
            "created": "2026-05-01T10:00:00Z",
            "scope": "global",
            "priority": 7,
        },
    ]
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\nno json\n"
    file = write("notes.jsonl", text)
    assert cortex.json("import", "jsonl", file, "--dry-run")[0]["dry_run"] is True
    cortex.fails(3, "list")
    (report,) = cortex.json("import", "jsonl", file)
    assert set(report) == REPORT
    assert (report["stored"], len(report["problems"])) == (2, 1)
    (shown,) = cortex.json("show", "note-0001")
    assert (shown["title"], shown["scope"], shown["kind"]) == ("Fridays", "global", "policy")
    assert shown["created"] == "2026-05-01T10:00:00Z"
    again = cortex.run("import", "jsonl", "-", input=text)
    assert again.exit_code == 0
    assert "not valid JSON" in again.stderr
    assert len(cortex.json("list")) == 2


def test_import_jsonl_makes_memories_findable_by_meaning(cortex: Cli) -> None:
    row = json.dumps({"content": "The staging database is wiped every Sunday night"})
    cortex.ok("import", "jsonl", "-", input=row)
    found = cortex.json("recall", "when does test data vanish", "--mode", "semantic")
    assert "Sunday" in found[0]["content"]


def test_export_and_import_again(filled: Cli, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    assert filled.json("export", "jsonl", str(file)) == [{"file": str(file), "memories": 3}]
    assert "exists already" in filled.fails(2, "export", "jsonl", str(file))
    assert "Exported 3 memories" in filled.ok("export", "jsonl", str(file), "--force")
    rows = lines(filled.ok("export", "jsonl", "-"))
    assert {row["content"] for row in rows} == {m["content"] for m in filled.json("list")}
    filled.ok("undo", "3")
    assert filled.json("import", "jsonl", str(file))[0]["stored"] == 3
    assert len(filled.json("list")) == 3


def test_export_with_vectors(filled: Cli) -> None:
    filled.ok("models", "reembed")
    assert all("vector" in row for row in lines(filled.ok("export", "jsonl", "-", "--vectors")))


def test_pause_and_resume(cortex: Cli) -> None:
    assert cortex.json("pause") == [{"paused": True}]
    assert cortex.json("status")[0]["paused"] is True
    assert "on in this project" in cortex.ok("resume")
    assert cortex.json("status")[0]["paused"] is False


@pytest.mark.parametrize(
    ("group", "status", "verb"),
    [("suggestions", "suggested", "keep"), ("quarantine", "quarantined", "release")],
)
def test_verdicts(cortex: Cli, group: str, status: str, verb: str) -> None:
    assert cortex.ok(group, "list") == ""
    rows = [
        {"id": f"wait-000{n}", "content": f"Waiting note number {n}", "status": status}
        for n in range(2)
    ]
    cortex.ok("import", "jsonl", "-", input="\n".join(json.dumps(row) for row in rows))
    waiting = cortex.json(group, "list")
    assert {memory["status"] for memory in waiting} == {status}
    assert all(set(memory) == set(to_json(MEMORY)) for memory in waiting)
    assert cortex.json(group, verb, "wait-0000")[0]["status"] == "active"
    assert cortex.json(group, "discard", "wait-0001")[0]["status"] == "archived"
    assert cortex.json(group, "list") == []
    assert [memory["id"] for memory in cortex.json("list")] == ["wait-0000"]
    cortex.fails(2, group, verb, "wait-0000")


def test_rules(cortex: Cli) -> None:
    rules = cortex.json("rules", "list")
    assert rules
    assert all(rule["help"] for rule in rules)
    name = rules[0]["name"]
    (rule,) = cortex.json("rules", "set", name, "off")
    assert (rule["tier"], rule["setting"]) == ("off", "off")
    assert f"{name}: finds are" in cortex.ok("rules", "set", name, "auto")
    assert name in cortex.ok("rules", "list")
