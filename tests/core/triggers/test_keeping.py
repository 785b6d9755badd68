"""The record of keeping: which calls are occasions of a rule, and what came of them."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.base.errors import NotFound
from cortex_core.triggers import judging
from cortex_core.triggers.right_ways import right_ways
from cortex_core.triggers.syntax import parse
from tests.conftest import NOON, Clock
from tests.core.rules.session import Session
from tests.transcript_samples import Sample

DAY = 86_400.0


def verdicts(session: Session, content: str, *lines: str) -> list[bool]:
    """What each call of a session made of a rule."""
    rule = judging.rule("r", content, lines)
    assert rule is not None
    watch = judging.Watch([rule], "/home/dev/shop")
    return [found.kept for event in session.events for found in watch.see(event)]


@pytest.mark.parametrize(
    ("content", "trigger", "expected"),
    [
        ("Use pnpm, never npm", "!Bash(npm)", ("pnpm",)),
        ("Use pnpm, never npm", "!Bash(npm:*)", ("pnpm",)),
        ("Use deno, never npm", "!Bash(npm)", ("deno",)),
        ("Use deno instead of npm", "!Bash(npm)", ("deno",)),
        ("Use cargo nextest, never cargo test", "!Bash(cargo test)", ("cargo nextest",)),
        ("Don't use npm", "!Bash(npm)", ("pnpm", "yarn", "bun")),
        ("Never force-push", "!Bash(git push --force)", ("git push",)),
        ("Never use `git add -A`", "!Bash(git add -A)", ("git add",)),
        ("Never run `pytest` directly, use `make test`", "!Bash(pytest)", ("make test",)),
        ("Use uv", "!Bash(pip install)", ("uv add", "uv install", "uv sync", "uv pip")),
        ("Do not rm -rf", "!Bash(rm -rf)", ("rm",)),
        ("No Co-Authored-By in commit messages", "!Text(Co-Authored-By)", ("git commit",)),
        ("Run `mix format` first, never `git commit -n`", "!Bash(git commit -n)", ("git commit",)),
        ("Never run npm publish", "!Bash(npm publish)", ()),
        ("Never `git stash`", "!Bash(git stash)", ()),
        ("Never `npm run deploy`", "!Bash(npm run deploy)", ()),
        ("Run `git status` before, never curl", "!Bash(curl)", ()),
        ("Commit with make ci", "Bash(git commit) after Bash(make ci)", ()),
    ],
)
def test_what_counts_as_the_right_way(
    content: str, trigger: str, expected: tuple[str, ...]
) -> None:
    assert right_ways(content, parse(trigger)) == expected


def test_a_forbidden_call_breaks_and_the_same_job_done_otherwise_keeps() -> None:
    session = (
        Session()
        .runs("npm install", "added 3 packages")
        .runs("cd web && pnpm add left-pad", "ok")
        .runs("ls node_modules", "left-pad")
        .runs("pnpm test && npm publish", "ok")
        .runs("echo 'npm install'", "npm install")
    )
    for line in ("!Bash(npm)", "!Bash(npm:*)"):
        assert verdicts(session, "Use pnpm, never npm", line) == [False, True, False]


def test_a_program_that_is_ruled_out_may_be_asked_about() -> None:
    session = (
        Session().runs("npm -v", "10.1").runs("npm --version", "10.1").runs("deno add x", "ok")
    )
    assert verdicts(session, "Use deno, never npm", "!Bash(npm)") == [True]


def test_what_may_not_have_run_is_not_counted() -> None:
    session = (
        Session()
        .runs("make test && npm publish", "Exit code 2", failed=True)
        .runs("cd nowhere && npm ci", "Exit code 1\ncd: no such file or directory", failed=True)
        .runs("pnpm ci || npm ci", "ok")
        .runs("cd web && npm ci", "Exit code 1\nnpm ERR!", failed=True)
    )
    assert verdicts(session, "Use pnpm, never npm", "!Bash(npm)") == [True, False]


def test_a_command_has_to_have_succeeded_since_the_last_change() -> None:
    session = (
        Session()
        .edits("a.py")
        .runs("git commit -m one", "[main 1] one")
        .runs("make test", "Exit code 2\n1 failed", failed=True)
        .runs("git commit -m two", "[main 2] two")
        .runs("make test", "12 passed")
        .runs("git commit -m three", "[main 3] three")
        .runs("git commit -m four", "[main 4] four")
        .runs("echo x > notes.md", "")
        .runs("git commit -m five", "[main 5] five")
        .runs("make test && git commit -am six", "[main 6] six")
        .runs("sed -i s/a/b/ a.py", "")
        .runs("make test 2>&1 | tail -3; git commit -am seven", "[main 7] seven")
    )
    rule = ("Run make test before each commit", "Bash(git commit) after Bash(make test)")
    assert verdicts(session, *rule) == [False, False, True, True, False, True]


def test_files_outside_of_the_project_need_no_new_test() -> None:
    session = (
        Session()
        .edits("a.py")
        .runs("make test", "ok")
        .uses("Write", {"file_path": "/tmp/message.txt", "content": "x"}, "written")
        .runs("git commit -F /tmp/message.txt", "[main 1] x")
    )
    rule = ("Run make test before each commit", "Bash(git commit) after Bash(make test)")
    assert verdicts(session, *rule) == [True]


def test_a_session_that_goes_elsewhere_stays_one_of_the_project() -> None:
    session = Session().runs("make test", "ok")
    session.cwd = "/tmp/elsewhere"
    session.edits("notes.md")
    session.cwd = "/home/dev/shop"
    session.runs("git commit -m x", "[main 1] x")
    rule = ("Run make test before each commit", "Bash(git commit) after Bash(make test)")
    assert verdicts(session, *rule) == [True]


def test_a_text_is_written_by_what_records_it_and_not_by_what_looks_for_it() -> None:
    message = "git commit -m \"$(cat <<'EOF'\nAdd it\n\nCo-Authored-By: Claude\nEOF\n)\""
    session = (
        Session()
        .runs(f"git add a.py && {message}", "[main 1] Add it")
        .runs("git log --grep Co-Authored-By", "")
        .runs("grep -r Co-Authored-By docs", "")
        .runs("git commit -m 'Fix it'", "[main 2] Fix it")
        .uses(
            "Edit",
            {
                "file_path": "/home/dev/shop/a.md",
                "old_string": "Co-Authored-By: x",
                "new_string": "Co-Authored-By: y",
            },
            "updated",
        )
    )
    rule = ("No Co-Authored-By in commit messages", "!Text(Co-Authored-By)")
    assert verdicts(session, *rule) == [False, True]


def test_code_that_is_run_at_once_is_written_nowhere() -> None:
    session = (
        Session()
        .runs("node -e \"console.log(require('./package.json').version)\"", "1.2.0")
        .runs("node - <<'EOF'\nconsole.log(1)\nEOF", "1")
        .runs("cat > src/a.js <<'EOF'\nconsole.log(1)\nEOF", "")
    )
    assert verdicts(session, "No console.log in the code", "!Text(console.log)") == [False]


def test_other_tools() -> None:
    session = (
        Session()
        .edits("src/generated/a.py")
        .edits("src/a.py")
        .runs("mkdir -p src/generated", "")
        .runs("cat .env", "SECRET")
        .uses("mcp__github__merge_pr", {"number": 1}, "merged")
        .uses("Edit", {"file_path": "/home/dev/shop/src/generated/b.py"}, "no match", failed=True)
    )
    lines = ("!Edit(src/generated/**)", "!Read(.env)", "!mcp__github__merge_*")
    assert verdicts(session, "Leave these alone", *lines) == [False, False, False]


def test_what_comes_to_the_same_keeps_no_rule() -> None:
    session = Session().runs("git add -A", "").runs("git push --force-with-lease", "")
    assert verdicts(session, "Never `git add .`", "!Bash(git add .)") == []
    assert verdicts(session, "Never force-push", "!Bash(git push --force)") == []


def test_an_occasion_alone_cannot_be_checked() -> None:
    assert judging.rule("r", "Write commits in English", ("Bash(git commit)",)) is None
    rule = judging.rule("r", "Never write IO.inspect", ("!Text(IO.inspect)",))
    assert rule is not None
    assert not rule.is_countable


# --- the record


def talk(project: Path, name: str, days: float) -> Sample:
    """A session that began so many days after now."""
    start = datetime.fromtimestamp(NOON + days * DAY, UTC)
    return Sample(name, cwd=str(project), start=start).human("Please install it.")


def counts(cortex: Cortex, name: str) -> tuple[int, int, int, int]:
    """Kept and broken since it is a rule, and before."""
    found = cortex.memories.triggers.keeping.get(name)
    return found.kept, found.broken, found.kept_before, found.broken_before


def npm(sample: Sample, command: str = "npm install") -> Sample:
    return sample.tool("Bash", {"command": command}, "added")


@pytest.fixture
def rule(cortex: Cortex) -> str:
    """The id of a rule, stored now."""
    return cortex.remember("Use pnpm, never npm.", kind="preference").id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sessions"
    made.mkdir()
    return made


@pytest.fixture
def read(cortex: Cortex, project: Path, folder: Path, rule: str) -> list[Path]:
    """Two sessions, one before the rule was one and one after, that capture has read."""
    before = npm(npm(talk(project, "before", -2)), "pnpm install").write(folder)
    after = npm(talk(project, "after", 2), "pnpm install").human("And the rest.")
    npm(npm(after, "npm ci"), "yarn add --token ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    after.tool("Bash", {"command": "npm ci"}, "The user doesn't want to proceed", failed=True)
    after.tool("Bash", {"command": "npm ci"}, "Not allowed: use pnpm.", failed=True)
    paths = [before, after.write(folder)]
    cortex.exchange.import_transcripts(paths)
    return paths


def test_what_was_before_the_rule_is_counted_apart(
    cortex: Cortex, rule: str, read: list[Path]
) -> None:
    assert cortex.memories.triggers.keeping.get(rule).state == "not counted yet"
    assert cortex.memories.triggers.keeping.record().read == 2
    assert counts(cortex, rule) == (1, 2, 1, 1)
    found = cortex.memories.triggers.keeping.get(rule)
    assert (found.words, found.before) == ("kept 1 of 3", "broken 1 of 2")
    breaches = cortex.memories.triggers.keeping.breaches(rule)
    assert [(one.number, one.turn, one.before) for one in breaches] == [
        (1, 2, False),
        (2, 2, False),
        (3, 1, True),
    ]
    assert breaches[0].call == "yarn add --token [redacted: github-token]"


def test_reading_again_changes_nothing(
    cortex: Cortex, rule: str, read: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = cortex.workspace.store("project")
    cortex.memories.triggers.keeping.record(should_continue=iter([True, False]).__next__)
    assert sum(counts(cortex, rule)) in (2, 3)
    cortex.memories.triggers.keeping.record()
    every = ('SELECT * FROM occasion WHERE memory = ? ORDER BY time, "use"', (rule,))
    whole = list(map(tuple, recorded.rows(*every)))
    assert cortex.memories.triggers.keeping.record().read == 0
    monkeypatch.setattr("cortex_core.triggers.record.VERSION", 0)
    assert cortex.memories.triggers.keeping.record().read == 2
    assert list(map(tuple, recorded.rows(*every))) == whole


def test_a_session_that_went_on_is_read_further_and_a_fork_counts_once(
    cortex: Cortex, project: Path, folder: Path, rule: str
) -> None:
    sample = npm(talk(project, "grows", 1))
    cortex.exchange.import_transcripts([sample.write(folder)])
    cortex.memories.triggers.keeping.record()
    fork = Sample("fork", cwd=str(project))
    for record in sample.records:
        fork.raw({**record, "sessionId": fork.session})
    cortex.exchange.import_transcripts([npm(sample).write(folder), fork.write(folder)])
    cortex.memories.triggers.keeping.record()
    assert counts(cortex, rule) == (0, 2, 0, 0)


def test_sub_agents_count_and_their_changes_too(
    cortex: Cortex, project: Path, folder: Path
) -> None:
    rule = cortex.remember("Run `make test` before each commit.", kind="policy").id
    main = talk(project, "main", 1).tool("Bash", {"command": "make test"}, "ok")
    main.tool("Task", {"prompt": "Fix it."}, "done").human("Good.")
    main.tool("Bash", {"command": "git commit -m x"}, "[main 1] x")
    path = main.write(folder)
    agents = path.with_suffix("") / "subagents"
    agents.mkdir(parents=True)
    start = datetime.fromtimestamp(NOON + DAY + 60, UTC)
    agent = Sample("agent", cwd=str(project), start=start, pause=5)
    agent.session = main.session
    agent.tool("Write", {"file_path": str(project / "a.py"), "content": "x"}, "ok")
    agent.tool("Bash", {"command": "git commit -m inner"}, "[main 2] inner")
    (agents / "agent-1.jsonl").write_bytes(bytes(agent))
    cortex.exchange.import_transcripts([path])
    cortex.memories.triggers.keeping.record()
    assert counts(cortex, rule) == (0, 2, 0, 0)
    assert [one.turn for one in cortex.memories.triggers.keeping.breaches(rule)] == [2, 1]


def test_what_is_archived_is_not_counted_until_it_comes_back(
    cortex: Cortex, rule: str, read: list[Path]
) -> None:
    cortex.memories.triggers.keeping.record()
    cortex.forget(rule)
    assert cortex.memories.triggers.keeping.list() == []
    cortex.memories.triggers.keeping.record()
    cortex.undo()
    assert counts(cortex, rule) == (1, 2, 1, 1)
    cortex.memories.triggers.set(rule, ["!Bash(yarn)"])
    cortex.memories.triggers.keeping.record()
    assert counts(cortex, rule) == (1, 1, 1, 0)
    cortex.undo()
    cortex.memories.triggers.keeping.record()
    assert counts(cortex, rule) == (1, 2, 1, 1)


def test_a_rule_that_says_something_else_begins_again(
    cortex: Cortex, clock: Clock, rule: str, read: list[Path]
) -> None:
    clock.advance(days=4)
    cortex.edit(rule, content="Use pnpm, never npm. We ship on Fridays.")
    cortex.memories.triggers.keeping.record()
    assert counts(cortex, rule) == (1, 2, 1, 1)
    cortex.edit(rule, content="Use yarn, never npm.")
    cortex.memories.triggers.keeping.record()
    assert counts(cortex, rule)[:2] == (0, 0)


def test_transcripts_that_are_gone_are_named_and_what_they_showed_stays(
    cortex: Cortex, rule: str, read: list[Path]
) -> None:
    cortex.memories.triggers.keeping.record()
    read[1].unlink()
    assert cortex.memories.triggers.keeping.record().unread == ()
    other = cortex.remember("Never force-push.", kind="policy")
    done = cortex.memories.triggers.keeping.record()
    assert (done.read, done.unread) == (1, (str(read[1]),))
    assert counts(cortex, rule) == (1, 2, 1, 1)
    assert counts(cortex, other.id) == (0, 0, 0, 0)
    assert cortex.memories.turn_of(rule, breach=1).said


def test_the_worker_reads_a_running_session_again_when_it_has_grown(
    cortex: Cortex, project: Path, folder: Path, rule: str
) -> None:
    sample = npm(talk(project, "runs", 1))
    for number in range(8):
        sample.assistant(f"Step {number} is done.")

    def goes_on(times: int) -> tuple[int, int, int, int]:
        for _ in range(times):
            npm(sample)
        cortex.sessions.capture(sample.write(folder), event="Stop", final=False)
        worker_run.record_keeping(cortex, time.monotonic() + 60)
        return counts(cortex, rule)

    assert goes_on(0) == (0, 1, 0, 0)
    assert goes_on(1) == (0, 1, 0, 0)
    assert goes_on(4) == (0, 6, 0, 0)


def test_nothing_is_read_while_capture_is_paused(
    cortex: Cortex, rule: str, read: list[Path]
) -> None:
    cortex.sessions.pause()
    assert cortex.memories.triggers.keeping.record().read == 0
    assert cortex.memories.triggers.keeping.get(rule).state == "not counted yet"
    cortex.sessions.resume()
    assert cortex.memories.triggers.keeping.record().read == 2


def test_the_turn_of_a_breach(cortex: Cortex, rule: str, read: list[Path]) -> None:
    cortex.memories.triggers.keeping.record()
    turn = cortex.memories.turn_of(rule, breach=2)
    assert [said.text for said in turn.said if said.here] == ["npm ci"]
    with pytest.raises(NotFound, match="no breach 9"):
        cortex.memories.turn_of(rule, breach=9)
