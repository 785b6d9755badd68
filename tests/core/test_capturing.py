"""Learning from sessions: imports, suggestions, quarantine, rules that follow verdicts, replay."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.base.errors import NotFound, TranscriptError, UsageError
from cortex_core.capture import rule_tiers
from tests.conftest import Clock
from tests.core.test_worker import COMMIT, DONE, REMEMBERED, session
from tests.transcript_samples import Sample


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    """Cortex in a fresh repository."""
    with Cortex.open(project) as made:
        yield made


@pytest.fixture
def transcripts(tmp_path: Path, project: Path) -> Path:
    """A folder with three sessions, the third a fork of the first."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    first = session(project)
    first.write(folder / "one.jsonl")
    second = Sample("two", cwd=str(project)).human(
        "Remember: from now on write tests before the code."
    )
    second.assistant("I will.").write(folder / "two.jsonl")
    fork = Sample("fork", cwd=str(project))
    for record in first.records:
        fork.raw({**record, "sessionId": fork.session})
    fork.human("Remember: never push to main without a green build.").write(folder / "three.jsonl")
    return folder


def kept(cortex: Cortex) -> list[str]:
    """What was learned, where the sessions stopped aside."""
    ends = "rule:session-end"
    found = cortex.list(history=True)
    return sorted(memory.content for memory in found if memory.source.rule != ends)


class TestImport:
    """Past sessions, once."""

    def test_it_learns_and_a_second_run_adds_nothing(
        self, cortex: Cortex, transcripts: Path
    ) -> None:
        seen: list[tuple[int, int, str]] = []
        report = cortex.exchange.import_transcripts(
            [transcripts], progress=lambda *step: seen.append(step)
        )
        found = kept(cortex)
        assert report.files == 3
        assert report.stored == len(cortex.list(history=True))
        for words in ("make ship", "five a minute", "tests before", "green build"):
            assert sum(words in content for content in found) == 1, words
        assert seen[-1][0] == seen[-1][1] == report.bytes_read
        again = cortex.exchange.import_transcripts([transcripts])
        assert (again.skipped, again.files, kept(cortex)) == (3, 0, found)
        cortex.undo()
        assert kept(cortex) == []
        cortex.redo()
        assert kept(cortex) == found

    def test_a_grown_file_is_read_on(self, cortex: Cortex, transcripts: Path) -> None:
        cortex.exchange.import_transcripts([transcripts / "two.jsonl"])
        with (transcripts / "two.jsonl").open("ab") as file:
            more = Sample("more").human("Remember: always run the linter before a commit.")
            file.write(bytes(more))
        report = cortex.exchange.import_transcripts([transcripts / "two.jsonl"])
        assert report.bytes_read == len(bytes(more))
        assert any("linter" in content for content in kept(cortex))

    def test_a_dry_run_changes_nothing(self, cortex: Cortex, transcripts: Path) -> None:
        report = cortex.exchange.import_transcripts([transcripts], dry_run=True)
        assert report.dry_run
        assert report.stored > 0
        assert kept(cortex) == []
        assert cortex.exchange.import_transcripts([transcripts]).stored == report.stored

    def test_own_sessions_and_everything(
        self, cortex: Cortex, scratch_home: Path, project: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other"
        (other / ".memory").mkdir(parents=True)
        for name, cwd, words in (
            ("a", project, "Remember: always squash before merging."),
            ("b", other, "Remember: always use tabs in makefiles."),
            ("c", tmp_path / "gone", "Remember: never deploy on a Friday."),
        ):
            folder = scratch_home / ".claude" / "projects" / slug(str(cwd))
            folder.mkdir(parents=True)
            Sample(name, cwd=str(cwd)).human(words).write(folder)
        assert cortex.exchange.import_transcripts().files == 1
        assert kept(cortex) == ["Always squash before merging."]
        report = cortex.exchange.import_transcripts(everything=True)
        assert (report.files, report.skipped) == (1, 1)
        assert report.elsewhere == (str(tmp_path / "gone"),)
        (part,) = report.projects
        assert (part.folder, part.files, part.stored) == (str(other), 1, 1)
        with Cortex.open(other) as there:
            assert kept(there) == ["Always use tabs in makefiles."]
            assert len(there.list(imported=part.id)) == 1

    def test_a_place_whose_name_the_client_cuts(self, scratch_home: Path, tmp_path: Path) -> None:
        place = tmp_path / "deep".ljust(120, "p") / "deeper".ljust(120, "r")
        (place / ".memory").mkdir(parents=True)
        folder = slug(str(place)) + "-k3x9z1"
        for name, cwd in (("mine", place), ("other", tmp_path)):
            at = scratch_home / ".claude" / "projects" / f"{folder}{name}"
            at.mkdir(parents=True)
            Sample(name, cwd=str(cwd)).human(f"Remember: always say {name} in the log.").write(at)
        with Cortex.open(place) as there:
            there.exchange.import_transcripts()
            assert kept(there) == ["Always say mine in the log."]

    def test_since(self, cortex: Cortex, transcripts: Path) -> None:
        os.utime(transcripts / "one.jsonl", (0, 0))
        assert cortex.exchange.import_transcripts([transcripts], since="1d").files == 2
        with pytest.raises(UsageError):
            cortex.exchange.import_transcripts([transcripts], since="soon")

    def test_what_cannot_be_read_is_told_and_the_rest_is_read(
        self, cortex: Cortex, transcripts: Path, tmp_path: Path
    ) -> None:
        (transcripts / "empty.jsonl").touch()
        (transcripts / "binary.jsonl").write_bytes(os.urandom(5000))
        (transcripts / "folder.jsonl").mkdir()
        report = cortex.exchange.import_transcripts([transcripts])
        assert report.stored >= 4
        with pytest.raises(TranscriptError):
            cortex.exchange.import_transcripts([tmp_path / "nowhere"])

    def test_ignored_folders(self, cortex: Cortex, transcripts: Path, project: Path) -> None:
        cortex.settings.set("capture.ignore", [str(project)])
        report = cortex.exchange.import_transcripts([transcripts])
        assert kept(cortex) == []
        assert report.refused["ignored folder"] > 0

    def test_secrets_and_private_words_are_gone_before_they_are_written(
        self, cortex: Cortex, tmp_path: Path, project: Path
    ) -> None:
        key = "sk-ant-api03-" + "Zk3Qw9Lx7Vb2Nm5Pt8Rs4Yd6" * 3
        made = Sample("s", cwd=str(project)).human(
            f"Remember that the staging key is {key} and rotates monthly. "
            "<private>Remember that my dog is called Rex.</private>"
        )
        cortex.exchange.import_transcripts([made.write(tmp_path / "s.jsonl")])
        cortex.close()
        raw = b"".join(path.read_bytes() for path in (project / ".memory").glob("cortex.db*"))
        assert b"rotates monthly" in raw
        assert b"Zk3Qw9Lx7Vb2Nm5Pt8" not in raw
        assert b"Rex" not in raw

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
    def test_a_large_transcript_in_bounded_memory(
        self, tmp_path: Path, project: Path, clean_env: Callable[..., dict[str, str]]
    ) -> None:
        path = tmp_path / "large.jsonl"
        noise = "x" * 24_000
        with path.open("wb") as file:
            for n in range(500):
                turn = Sample(f"big{n}", cwd=str(project)).human(f"Look at part {n}.")
                file.write(bytes(turn.tool("Bash", {"command": "cat log"}, noise)))
        program = (
            "import sys; from cortex_core import Cortex\n"
            "with Cortex.open(sys.argv[1]) as c: c.exchange.import_transcripts([sys.argv[2]])\n"
            "print(next(line for line in open('/proc/self/status') if 'VmHWM' in line).split()[1])"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(project), str(path)],
            env=clean_env(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(done.stdout) * 1024 < 400 * 2**20


class TestVerdicts:
    """Suggestions wait for a person; rules follow what the person says."""

    @pytest.fixture
    def suggested(self, cortex: Cortex, tmp_path: Path, project: Path) -> list[str]:
        for name in ("prompt-remember", "prompt-order", "commit"):
            cortex.rules.set(name, "suggested")
        made = (
            Sample("s", cwd=str(project))
            .human(REMEMBERED)
            .tool("Bash", {"command": COMMIT}, DONE)
            .human("Remember: always use pnpm, never npm, in this repository.")
        )
        cortex.exchange.import_transcripts([made.write(tmp_path / "s.jsonl")])
        return [memory.id for memory in cortex.suggestions.list()]

    def test_suggestions_are_not_given_and_found_unasked_where_nothing_kept_answers(
        self, cortex: Cortex, suggested: list[str]
    ) -> None:
        assert len(suggested) == 3
        assert kept(cortex) == []
        found = cortex.recall("make ship").hits
        assert found and all(hit.memory.status == "suggested" for hit in found)
        kept_one = cortex.remember("Ship with `make ship` from main alone")
        assert [hit.memory.id for hit in cortex.recall("make ship").hits] == [kept_one.id]
        assert cortex.recall("make ship", statuses=("suggested",)).hits

    def test_keep_and_discard_can_be_undone(self, cortex: Cortex, suggested: list[str]) -> None:
        cortex.suggestions.keep(suggested[0])
        cortex.suggestions.discard(suggested[1:])
        assert len(kept(cortex)) == 1
        records = {record.name: record for record in cortex.rules.list()}
        assert sum(record.kept for record in records.values()) == 1
        assert sum(record.discarded for record in records.values()) == 2
        cortex.undo(2)
        assert len(cortex.suggestions.list()) == 3
        assert all(record.kept + record.discarded == 0 for record in cortex.rules.list())
        with pytest.raises(UsageError):
            cortex.quarantine.release(suggested[0])

    def test_old_suggestions_go(self, project: Path, cortex: Cortex, suggested: list[str]) -> None:
        later = Clock(cortex.workspace.clock() + 31 * 86_400)
        with Cortex.open(project, clock=later) as then:
            assert len(then.lifecycle.run().expired) == 3
            assert then.suggestions.list() == []

    def test_rules_are_listed_and_set(self, cortex: Cortex) -> None:
        assert cortex.rules.set("commit", "off").tier == "off"
        assert cortex.rules.set("commit", "auto").tier == "kept"
        with pytest.raises(NotFound):
            cortex.rules.set("luck", "off")
        with pytest.raises(UsageError):
            cortex.rules.set("commit", "often")  # type: ignore[arg-type]

    @given(st.integers(0, 200), st.integers(0, 200))
    def test_bounds_hold_the_share(self, kept: int, discarded: int) -> None:
        lower, upper = rule_tiers.bounds(kept, discarded)
        assert 0 <= lower <= upper <= 1
        if kept + discarded:
            share = kept / (kept + discarded)
            assert lower - 1e-9 <= share <= upper + 1e-9

    def test_verdicts_move_a_rule(self) -> None:
        assert rule_tiers.tier("suggested", "auto", 3, 0) == "suggested"
        assert rule_tiers.tier("suggested", "auto", 12, 0) == "kept"
        assert rule_tiers.tier("kept", "auto", 0, 12) == "off"
        assert rule_tiers.tier("kept", "auto", 5, 5) == "kept"
        assert rule_tiers.tier("kept", "off", 99, 0) == "off"


def test_replay_stores_nothing_twice(cortex: Cortex, scratch_home: Path, project: Path) -> None:
    folder = scratch_home / ".claude" / "projects" / slug(str(project))
    folder.mkdir(parents=True)
    path = session(project).write(folder)
    cortex.exchange.import_transcripts()
    before = kept(cortex)
    entry = cortex.sessions.replay(path.stem[:8])
    assert entry.bytes_read == path.stat().st_size
    assert kept(cortex) == before
    for name in ("abc", "00000000"):
        with pytest.raises((NotFound, UsageError)):
            cortex.sessions.replay(name)


def test_what_was_forgotten_by_hand_does_not_come_back(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    words = "Remember: always use pnpm, never npm, in this repository."
    first = Sample("a", cwd=str(project)).human(words).write(tmp_path / "a.jsonl")
    second = Sample("b", cwd=str(project), pause=60.0).human(words).write(tmp_path / "b.jsonl")
    cortex.exchange.import_transcripts([first])
    cortex.forget([memory.id for memory in cortex.list()])
    report = cortex.exchange.import_transcripts([second])
    assert (report.stored, report.merged) == (0, 1)
    assert kept(cortex) == []


def test_what_an_old_session_taught_may_be_seen_before_it_fades(
    cortex: Cortex, tmp_path: Path, project: Path
) -> None:
    long_ago = datetime.now(UTC) - timedelta(days=400)
    made = Sample("old", cwd=str(project), start=long_ago).tool("Bash", {"command": COMMIT}, DONE)
    cortex.exchange.import_transcripts([made.write(tmp_path / "old.jsonl")])
    cortex.lifecycle.run()
    (memory,) = cortex.list(history=True)
    assert memory.created == pytest.approx(long_ago.timestamp(), abs=60)
    assert memory.confidence == pytest.approx(memory.initial_confidence / 2, rel=0.01)


def test_a_request_to_remember_that_says_nothing_by_itself_is_told(
    cortex: Cortex, project: Path, tmp_path: Path
) -> None:
    said = Sample("empty", cwd=str(project)).human("Remember: because of that")
    report = cortex.exchange.import_transcripts([said.assistant("Noted.").write(tmp_path)])
    assert kept(cortex) == []
    assert dict(report.refused) == {"“Remember” not kept: nothing left": 1}
