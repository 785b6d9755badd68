"""Memories of what comes back over sessions: how tasks are done, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.capture.recurring import Derived, derived
from cortex_core.extract import dead_ends
from cortex_core.store.observations import Observed
from tests.core.killing import WRITES, killed_at, steps_of
from tests.transcript_samples import Sample

RULES = ("rule:command", "rule:environment", "rule:order")


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    """Cortex in a fresh repository."""
    with Cortex.open(project) as made:
        yield made


@pytest.fixture
def repository_copies(tmp_path: Path) -> Callable[[], Path]:
    """Each call makes a fresh project."""

    def make() -> Path:
        root = tmp_path / f"project-{len(list(tmp_path.iterdir()))}"
        (root / ".git").mkdir(parents=True)
        return root

    return make


def row(
    key: str,
    session: int,
    succeeded: int = 1,
    failed: int = 0,
    text: str | None = None,
    topic: str = "command",
) -> Observed:
    return Observed(
        topic,
        key,
        f"s{session}",
        succeeded,
        failed,
        f"`{key}`" if text is None else text,
        "m",
        0,
        1000.0 * session,
        "main",
    )


def from_rows(*rows: Observed) -> list[Derived]:
    return derived(lambda topic: [one for one in rows if one.topic == topic])


def said(*rows: Observed) -> list[str]:
    return [one.content for one in from_rows(*rows)]


def day(number: int) -> datetime:
    return datetime(2026, 10, number, 9, 0, tzinfo=UTC)


def session(number: int, *lines: str, wrong: Sequence[tuple[str, str]] = ()) -> Sample:
    """A session that ran `lines` with success and `wrong` with these errors."""
    sample = Sample(f"session {number}", start=day(number)).human("Go on with the cart.")
    for line, error in wrong:
        sample.tool("Bash", {"command": line}, f"Exit code 127\n{error}", failed=True)
    for line in lines:
        sample.tool("Bash", {"command": line}, "ok")
    return sample.assistant("Done.")


def learned(cortex: Cortex) -> list[tuple[str, str]]:
    found = cortex.list(statuses=("active", "suggested"))
    return sorted((one.status, one.content) for one in found if one.source.rule in RULES)


def learn(cortex: Cortex, folder: Path, *samples: Sample) -> None:
    """Import the sessions, one after the other."""
    for number, sample in enumerate(samples):
        path = folder / f"{sample.session}-{number}.jsonl"
        sample.write(path)
        cortex.exchange.import_transcripts([path])


# --- what observations add up to


def test_a_task_names_the_way_that_worked_in_most_sessions() -> None:
    rows = [row("just test", 1), row("just test", 2), row("just test", 3), row("just lint", 1)]
    assert said(*rows) == ["Tests are run with `just test`"]
    assert not said(*rows[:2], row("just test", 3, succeeded=0, failed=1))


def test_a_command_that_the_project_does_not_define_is_no_find() -> None:
    for form in ("go test ./...", "pytest", "cargo build", "jq --version"):
        assert not said(*(row(form, number) for number in range(1, 6))), form


def test_arguments_of_the_moment_are_not_named() -> None:
    rows = [row(f"make test CASE={number}", number) for number in (1, 2, 3)]
    assert said(*rows) == ["Tests are run with `make test`"]


def test_a_scoped_package_is_the_same_way_and_a_folder_is_named() -> None:
    rows = [row("pnpm --filter api test", 1), row("pnpm --filter @shop/api test", 2)]
    rows.append(row("pnpm --filter api test", 3))
    assert said(*rows) == ["Tests are run with `pnpm --filter api test`"]
    rows = [row("npm test\tweb", number) for number in (1, 2, 3)]
    assert said(*rows) == ["Tests are run with `npm test` in `web`"]


def test_what_stopped_working_is_replaced() -> None:
    old = [row("npm test", number) for number in range(1, 6)]
    broken = [row("npm test", number, succeeded=0, failed=2) for number in (6, 7, 8)]
    new = [row("bun run test", number) for number in (6, 7, 8)]
    assert said(*old) == ["Tests are run with `npm test`"]
    assert said(*old, *broken, *new) == ["Tests are run with `bun run test`"]
    assert said(*old, *broken[:1]) == []


def test_other_commands_of_the_project_need_three_sessions() -> None:
    rows = [row("mise run seed", number) for number in (1, 2, 3)]
    assert said(*rows) == ["`mise run seed` works in this project"]
    assert not said(*rows[:2])


def test_what_is_missing_twice() -> None:
    def missing(session: int, text: str) -> Observed:
        return row("absent go", session, 0, 1, text, "failure")

    plain = "`go` is not found on this machine"
    assert not said(missing(1, plain))
    assert said(missing(1, plain), missing(2, plain)) == [plain]
    assert not said(missing(1, plain), missing(2, ""))
    assert not said(missing(1, plain), missing(2, plain), row("go vet", 3))


# --- in a store


def test_it_is_kept_current_and_a_second_import_changes_nothing(
    cortex: Cortex, tmp_path: Path
) -> None:
    learn(cortex, tmp_path, session(1, "make test"), session(2, "make test"))
    assert not learned(cortex)
    learn(cortex, tmp_path, session(3, "make test"))
    assert learned(cortex) == [("active", "Tests are run with `make test`")]
    learn(cortex, tmp_path, *(session(number, "just test") for number in (4, 5, 6, 7)))
    found = [("active", "Tests are run with `just test`")]
    assert learned(cortex) == found
    (memory,) = cortex.list()
    assert (memory.kind, memory.tags, memory.priority) == ("fact", ("command",), 7)
    revision = cortex.workspace.store().revision
    cortex.exchange.import_transcripts([tmp_path])
    assert (learned(cortex), cortex.workspace.store().revision) == (found, revision)


def test_memories_are_worded_in_the_language_of_most_prompts() -> None:
    def prompts(code: str, session: int, count: int) -> Observed:
        return row(code, session, count, 0, code, "language")

    rows = [
        row("make test", 1),
        row("make test", 2),
        row("make test", 3),
        *(row("npm run lint\tweb", session) for session in (1, 2, 3)),
    ]
    missing = [
        row(
            "absent go",
            session,
            0,
            1,
            "`go` is not found on this machine",
            "failure",
        )
        for session in (1, 2)
    ]
    russian = said(prompts("ru", 1, 3), prompts("en", 2, 2), *rows, *missing)
    assert russian == [
        "Тесты запускаются командой `make test`",
        "Линтер запускается командой `npm run lint` в `web`",
        "`go` на этой машине не найден",
    ]
    assert said(prompts("de", 1, 1), *missing) == ["`go` ist auf diesem Rechner nicht installiert"]
    for tie in (
        [prompts("ru", 1, 2), prompts("en", 2, 2)],
        [prompts("ru", 1, 1), prompts("de", 1, 1)],
    ):
        assert said(*tie, *missing) == said(*missing)


def test_a_memory_follows_the_language_of_the_project(cortex: Cortex, tmp_path: Path) -> None:
    learn(cortex, tmp_path, *(session(number, "make test") for number in (1, 2, 3)))
    (before,) = cortex.list()
    russian = session(4, "make test")
    for _ in range(6):
        russian.human(f"посмотри, почему падает тест корзины {len(russian.records)}")
    learn(cortex, tmp_path, russian)
    (after,) = cortex.list()
    assert (before.content, after.id) == ("Tests are run with `make test`", before.id)
    assert after.content == after.title == "Тесты запускаются командой `make test`"
    revision = cortex.workspace.store().revision
    cortex.exchange.import_transcripts([tmp_path])
    assert [one.content for one in cortex.list()] == [after.content]
    assert cortex.workspace.store().revision == revision


def test_one_import_finds_what_several_do(cortex: Cortex, tmp_path: Path) -> None:
    failed = [("docker ps", "bash: docker: command not found")]
    for number in (1, 2, 3):
        sample = session(number, "make lint", "PG_HOST=10.1.2.3 make test", wrong=failed)
        sample.write(tmp_path / f"{number}.jsonl")
    cortex.exchange.import_transcripts([tmp_path])
    assert learned(cortex) == [
        ("active", "Tests are run with `make test`"),
        ("active", "The code is linted with `make lint`"),
        ("active", "`docker` is not found on this machine"),
    ]
    # Each names the transcript that shows its session, whichever was read last.
    assert all(cortex.memories.turn_of(one.id).said for one in cortex.list())


@pytest.mark.parametrize("verb", ["edit", "forget", "undo"])
def test_what_the_user_changed_or_put_away_stays_so(
    cortex: Cortex, tmp_path: Path, verb: str
) -> None:
    learn(cortex, tmp_path, *(session(number, "make test") for number in (1, 2, 3)))
    (memory,) = cortex.list()
    if verb == "edit":
        cortex.edit(memory.id, content="Tests run in CI only")
    elif verb == "forget":
        cortex.forget(memory.id)
    else:
        while learned(cortex):
            cortex.undo()
    after = learned(cortex)
    learn(cortex, tmp_path, *(session(number, "just test") for number in (5, 6, 7, 8)))
    assert learned(cortex) == after


def test_a_command_falls_at_its_first_failure(cortex: Cortex, tmp_path: Path) -> None:
    learn(cortex, tmp_path, *(session(number, "make test") for number in (1, 2, 3)))
    failed = [("make test", "make: *** No rule to make target 'test'.")]
    learn(cortex, tmp_path, session(4, wrong=failed))
    assert learned(cortex) == []
    learn(cortex, tmp_path, session(5, "make test"))
    assert learned(cortex) == [("active", "Tests are run with `make test`")]


def test_what_was_missing_is_told_until_it_works(cortex: Cortex, tmp_path: Path) -> None:
    wrong = [("just deps", "bash: just: command not found")]
    learn(cortex, tmp_path, session(1, wrong=wrong), session(2, wrong=wrong))
    assert learned(cortex) == [("active", "`just` is not found on this machine")]
    learn(cortex, tmp_path, session(3, "just deps"))
    assert learned(cortex) == []


def test_a_way_whose_secret_was_taken_out_is_no_dead_end() -> None:
    for failed in ("git push '[redacted: token]", "'", "[redacted: token]"):
        assert dead_ends.trigger_of(failed, "git push -u 'x") == ""


UPSTREAM = "fatal: The current branch topic has no upstream branch."
DEAD_END = (
    "`git push` fails here: fatal: The current branch topic has no upstream branch. "
    "`git push -u origin topic` worked instead"
)


def test_a_way_that_failed_is_kept_with_what_worked_until_it_works(
    cortex: Cortex, tmp_path: Path
) -> None:
    wrong = [("git push", UPSTREAM)]
    learn(cortex, tmp_path, session(1, "git push -u origin topic", wrong=wrong))
    (one,) = cortex.memories.triggers.dead_ends()
    assert (one.content, one.kind, one.inject) == (DEAD_END, "gotcha", "demoted")
    assert one.triggers == ("Bash(git push $) unless Bash(git push -u)",)
    assert DEAD_END[:20] not in cortex.surface().text
    learn(cortex, tmp_path, session(2, "git push -u origin other", wrong=wrong))
    (again,) = cortex.memories.triggers.dead_ends()
    assert again.id == one.id and "origin other" in again.content
    learn(cortex, tmp_path, session(3, "git push"))
    assert cortex.memories.triggers.dead_ends() == []
    assert cortex.show(one.id).status == "archived"


@pytest.mark.parametrize(
    ("failed", "error", "worked", "found"),
    [
        ("git push", UPSTREAM, "git push -u origin topic", "git push $"),
        ("git push && make up", UPSTREAM, "git push -u origin topic && make up", "git push $"),
        (
            "git add a.py static/app.css && git commit -m x",
            "The following paths are ignored by one of your .gitignore files:\nstatic",
            "git add -f static/app.css && git add a.py",
            "git add ~static/app.css",
        ),
        (
            "node assets/build.js",
            '[ERROR] Could not resolve "js/app.js"',
            "cd assets && node build.js",
            "node assets/build.js",
        ),
        ("git add out/a.md", "fatal: out/a.md is beyond a symbolic link", "git add in/a.md", ""),
        ("npm run tests", 'npm error Missing script: "tests"', "npm run test", ""),
        ("make test", "1 failed, 3 passed", "make test -k", ""),
        ("git push", UPSTREAM, "git push", ""),
        ("git push", UPSTREAM, "git pull", ""),
        (
            "git push",
            f"{UPSTREAM}\nTo push it, use\n\n    git push --set-upstream origin topic",
            "git push --set-upstream origin topic",
            "",
        ),
        (
            "tool deploy",
            "unknown option\nusage: tool [--file F]",
            "tool deploy -f",
            "tool deploy $",
        ),
        ("git push", "! [rejected] main -> main (fetch first)", "git push -f", ""),
        ("cat a.txt", "cat: a.txt: Permission denied", "sudo cat a.txt", ""),
        ("gh run list | jq .x", "jq: error: unknown option", "gh run list --limit 3", ""),
    ],
)
def test_what_a_dead_end_is(
    cortex: Cortex, tmp_path: Path, failed: str, error: str, worked: str, found: str
) -> None:
    learn(cortex, tmp_path, session(1, worked, wrong=[(failed, error)]))
    triggers = [line for one in cortex.memories.triggers.dead_ends() for line in one.triggers]
    assert [line.partition("(")[2].partition(")")[0] for line in triggers] == [found][: bool(found)]


def test_a_long_reason_ends_at_a_word(cortex: Cortex, tmp_path: Path) -> None:
    error = f"fatal: {'the current branch ' * 6}has no upstream branch"
    learn(cortex, tmp_path, session(1, "git push -u origin topic", wrong=[("git push", error)]))
    (one,) = cortex.memories.triggers.dead_ends()
    assert "the current …. `git push -u" in one.content


def test_what_the_user_said_already_is_not_said_again(cortex: Cortex, tmp_path: Path) -> None:
    cortex.remember("Tests are run with `make test`")
    learn(cortex, tmp_path, *(session(number, "make test") for number in (1, 2, 3)))
    assert [one.content for one in cortex.list()] == ["Tests are run with `make test`"]


def test_a_rule_that_is_off_makes_nothing(cortex: Cortex, tmp_path: Path) -> None:
    cortex.rules.set("command", "off")
    learn(cortex, tmp_path, *(session(number, "make test") for number in (1, 2, 3)))
    assert not learned(cortex)


def test_replaying_a_session_changes_nothing(cortex: Cortex, tmp_path: Path) -> None:
    learn(cortex, tmp_path, *(session(number, "make test") for number in (1, 2, 3)))
    before = learned(cortex)
    cortex.sessions.replay(session(1).session)
    assert learned(cortex) == before


def test_killed_at_any_write_it_finds_the_same(
    repository_copies: Callable[[], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for number in (1, 2, 3):
        session(number, "make test", "make lint").write(folder / f"{number}.jsonl")

    def read(root: Path) -> None:
        with Cortex.open(root) as cortex:
            cortex.exchange.import_transcripts([folder])

    whole = repository_copies()
    steps = steps_of(lambda: read(whole), WRITES)
    for part in (3, 5, 7, 9):
        root = repository_copies()
        at = part * steps // 10
        assert killed_at(at, lambda root=root: read(root), WRITES), at  # type: ignore[misc]
        read(root)
        with Cortex.open(root) as cortex:
            assert learned(cortex) == [
                ("active", "Tests are run with `make test`"),
                ("active", "The code is linted with `make lint`"),
            ]


def test_what_the_user_says_in_two_sessions_is_kept(cortex: Cortex, tmp_path: Path) -> None:
    def asked(number: int, prompt: str) -> Sample:
        sample = Sample(f"said {number}", start=day(number)).human(prompt)
        return sample.assistant("I see.")

    learn(cortex, tmp_path, asked(1, "From now on use pnpm, never npm."))
    assert cortex.list() == []
    (waiting,) = cortex.suggestions.list()
    learn(cortex, tmp_path, asked(2, "Add a cart to the shop."))
    assert [one.id for one in cortex.suggestions.list()] == [waiting.id]
    learn(cortex, tmp_path, asked(3, "I told you to use pnpm"))
    assert [one.id for one in cortex.list()] == [waiting.id]
    cortex.undo()
    assert [one.id for one in cortex.suggestions.list()] == [waiting.id]


@pytest.mark.parametrize("line", ["gofmt -l .", "go tool pprof -top prompt.test"])
def test_a_bare_tool_and_what_looks_at_results_are_not_how_a_task_is_done(
    cortex: Cortex, tmp_path: Path, line: str
) -> None:
    learn(cortex, tmp_path, *(session(number, line) for number in (1, 2, 3)))
    assert not cortex.list(statuses=("active", "suggested"))
