"""Commits made in a session: found in every form of the call, folded, told in the past tense."""

from __future__ import annotations

import pytest

from cortex_core.extract.messages import parse
from cortex_core.language.shell import calls
from tests.core.rules.session import Session

SUBJECT = "fix(auth): refresh the session before it expires"
BODY = "The cookie was renewed only on navigation, so long uploads were logged out halfway."
MESSAGE = f"{SUBJECT}\n\n{BODY}"
MADE = f"[main 1a2b3c4] {SUBJECT}\n 1 file changed, 3 insertions(+)"

FORMS = {
    "heredoc in -m": f"git commit -m \"$(cat <<'EOF'\n{MESSAGE}\nEOF\n)\"",
    "two -m": f'git commit -m "{SUBJECT}" -m "{BODY}"',
    "-am": f'git commit -am "{MESSAGE}"',
    "--message=": f'git commit --message="{MESSAGE}"',
    "here-document": f"git commit -F - <<'END'\n{MESSAGE}\nEND\n",
    "here-string": f'git commit -F- <<< "{MESSAGE}"',
    "process substitution": f"git commit -F <(cat <<EOF\n{MESSAGE}\nEOF\n)",
    "other folder, settings": f"git -C sub -c user.name=x commit -m '{MESSAGE}'",
    "environment before it": f"HUSKY=0 git commit -m '{MESSAGE}'",
    "ANSI-C quotes": "git commit -m $'" + MESSAGE.replace("\n", "\\n") + "'",
    "PowerShell here-string": f"git commit -m @'\n{MESSAGE}\n'@",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_message_is_read_from_every_form(form: str) -> None:
    (found,) = Session().human("uploads log me out").runs(FORMS[form], MADE).found("commit")
    assert found.content == f"Refresh the session before it expires.\n{BODY}"
    assert (found.tier, found.kind, found.details) == (
        "kept",
        "episode",
        {"event": "commit:1a2b3c4"},
    )
    assert (found.commit, found.branch, found.tags) == ("1a2b3c4", "main", ("auth",))
    assert found.title == "Refresh the session before it expires"
    assert found.excerpt == "uploads log me out"


def test_the_message_may_stand_in_a_file_written_before() -> None:
    session = Session().uses("Write", {"file_path": "/tmp/msg", "content": MESSAGE}, "ok")
    assert len(session.runs("git commit -F /tmp/msg", MADE).found("commit")) == 1


def test_a_commit_made_through_a_tool() -> None:
    session = Session().uses("mcp__git__git_commit", {"message": MESSAGE}, MADE)
    assert len(session.found("commit")) == 1


@pytest.mark.parametrize(
    "result",
    [
        "On branch main\nnothing to commit, working tree clean",
        "husky - pre-commit hook exited with code 1 (error)\nlint failed",
        "fatal: not a git repository",
        "",
    ],
)
def test_a_commit_that_was_not_made_is_none(result: str) -> None:
    assert Session().runs(f"git commit -m '{MESSAGE}'", result).found() == []
    assert Session().runs(f"git commit -m '{MESSAGE}'", MADE[:0], failed=True).found() == []


@pytest.mark.parametrize("result", [" 1 file changed, 3 insertions(+)", f"1a2b3c4 {SUBJECT}"])
def test_success_behind_a_wrapper_is_seen(result: str) -> None:
    session = Session().runs(f"git commit -m '{MESSAGE}' | tail -1", result)
    assert len(session.found("commit")) == 1


def test_a_quiet_commit_is_taken_and_a_hidden_one_is_not() -> None:
    assert len(Session().runs(f"git commit -q -m '{MESSAGE}'").found("commit")) == 1
    assert Session().runs(f"git commit -m '{MESSAGE}' | grep -c x", "0").found() == []


@pytest.mark.parametrize(
    "result",
    [
        "error: pathspec 'src/gone.py' did not match any file(s) known to git",
        "husky - pre-commit hook failed",
        "fatal: unable to write new index file",
        "nothing added to commit but untracked files present",
    ],
)
def test_a_quiet_commit_that_git_refused_is_none(result: str) -> None:
    assert Session().runs(f"git commit -q -m '{MESSAGE}'", result).found() == []


def test_words_about_a_change_are_no_count_of_files() -> None:
    result = "lint: the settings have changed, commit them first"
    assert Session().runs(f"git commit -m '{MESSAGE}'", result).found() == []


def test_the_last_success_of_a_subject_wins() -> None:
    session = Session().commits(MESSAGE, "aaaaaaa").runs("git reset --soft HEAD~1")
    session.commits(f"{SUBJECT}\n\n{BODY} Uploads renew it now, once a minute.", "bbbbbbb")
    (found,) = session.found("commit")
    assert found.commit == "bbbbbbb" and "once a minute" in found.content
    assert [one.commit for one in session.found("fix")] == ["bbbbbbb"]


def test_an_amend_is_folded_into_its_commit() -> None:
    session = Session().runs("git add src/a.py").commits(MESSAGE, "aaaaaaa")
    session.runs(
        "git add src/b.py && git commit --amend --no-edit", f"[main bbbbbbb] {SUBJECT}\n 2 files"
    )
    (found,) = session.found("commit")
    assert found.commit == "bbbbbbb" and found.files == ("src/a.py", "src/b.py")
    assert found.details == {"event": "commit:bbbbbbb"}
    session.runs(
        f"git commit --amend -m 'fix(auth): renew the session during uploads\n\n{BODY}'",
        "[main ccccccc] fix(auth): renew the session during uploads",
    )
    (found,) = session.found("commit")
    assert found.commit == "ccccccc" and found.title == "Renew the session during uploads"
    assert [one.commit for one in session.found("fix")] == ["ccccccc"]


def test_the_files_are_those_staged_else_those_edited() -> None:
    staged = Session().edits("src/x.py").runs("git add src/a.py tests/").commits(MESSAGE)
    assert staged.found("commit")[0].files == ("src/a.py",)
    edited = Session().edits("src/x.py").edits("src/x.py").commits(MESSAGE)
    assert edited.found("commit")[0].files == ("src/x.py",)


SAYING_NOTHING = [
    "wip",
    "wip: more",
    "Merge branch 'main' into dev",
    "bump version to 1.2.3",
    "release 2.0",
    "fixup! feat: x",
    "initial commit",
    "update",
]


@pytest.mark.parametrize("message", SAYING_NOTHING)
def test_messages_that_say_nothing_are_no_history(message: str) -> None:
    session = Session().commits(message)
    assert session.found() == [] and sum(session.extracted().refused.values()) == 1


@pytest.mark.parametrize(
    "message",
    [
        "chore: fix typo in readme",
        "style: run prettier on the whole tree",
        "add login page",
        "docs: describe the flags of the importer\n\nLists every flag in a table.",
        "feat(api): page through orders by cursor, not by offset",
    ],
)
def test_every_other_commit_is_history_and_nothing_more(message: str) -> None:
    (found,) = Session().commits(message).found()
    assert (found.rule, found.kind, found.tier) == ("commit", "episode", "kept")


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("feat(ui)!: drop the sidebar (#123)", "Drop the sidebar (#123)"),
        ("ABC-123: drop the sidebar", "ABC-123: drop the sidebar"),
        ("useSession: drop the cache", "useSession: drop the cache"),
    ],
)
def test_a_subject_stays_as_written_but_for_its_prefix(subject: str, said: str) -> None:
    message = parse(subject)
    assert message is not None and message.subject == said


def test_trailers_come_off_and_lines_are_unwrapped() -> None:
    message = parse(
        "Renew the session\n\nThe cookie was renewed only on navigation,\nso uploads were logged "
        "out halfway through.\n\n- renew once\n  a minute\n- tell the worker\n\n"
        "🤖 Generated with [Claude Code](https://claude.com)\n\n"
        "Co-Authored-By: Claude <noreply@anthropic.com>\nCloses #12"
    )
    assert message is not None
    assert message.body == (
        "The cookie was renewed only on navigation, so uploads were logged out halfway through."
        "\n\n- renew once a minute\n- tell the worker"
    )


def test_the_cause_is_found_in_another_language_too() -> None:
    message = "fix: Sitzung rechtzeitig erneuern\n\nDas Cookie wurde nur beim Seitenwechsel "
    message += "erneuert, lange Uploads wurden deshalb mittendrin abgemeldet."
    (found,) = Session().commits(message).found("fix")
    assert "Cookie" in found.content


def test_words_that_only_look_like_a_commit_are_none() -> None:
    for command in ("echo git commit -m x", "git commit-tree abc", "git commit --dry-run -m 'x y'"):
        assert Session().runs(command, MADE).found() == []


def test_the_words_of_a_call() -> None:
    (call,) = calls(
        'cd x && gh pr create --title \'a b\' --body "say \\"hi\\""', "gh", "pr", "create"
    )
    assert call.words[-4:] == ("--title", "a b", "--body", 'say "hi"')
    (call,) = calls("git commit -m 'never closed", "git", "commit")
    assert call.words[-1] == "never closed"


def test_a_fix_is_known_by_its_cause_however_long_and_not_by_the_order_in_its_subject() -> None:
    body = (
        "The import dialog looked for the elements that end in overlay and content, but the shared"
        " component names them backdrop and container, so each test ran into its limit of time."
    )
    message = f"fix(12.3): correct the selector of the dialog\n\n{body}"
    made = "[main 1a2b3c4] fix(12.3): correct the selector of the dialog\n 1 file changed"
    (found,) = Session().runs(f'git commit -m "{message}"', made).found("fix")
    assert found.title.startswith("The import dialog looked for the elements")
    assert found.content.endswith("\nFix: Correct the selector of the dialog.")
    assert found.tags == ()
