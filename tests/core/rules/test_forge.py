"""Pull requests and bug tickets."""

from __future__ import annotations

from tests.core.rules.session import Session

BODY = """## Summary

- **Renew** the session during uploads, so that long ones are not logged out
- Keep the worker's clock in step with the server's

### Why the worker
It outlives the page, the router does not.

## Test plan
- [x] unit tests pass
- [ ] try a two hour upload

🤖 Generated with [Claude Code](https://claude.com/claude-code)
"""
URL = "https://github.com/dev/shop/pull/7"


def opened(result: str = URL, failed: bool = False) -> Session:
    command = (
        f'gh pr create --title "fix(auth): renew sessions" --body "$(cat <<\'EOF\'\n{BODY}EOF\n)"'
    )
    return Session().human("open a pr").runs(command, result, failed)


def test_a_pull_request_is_its_title_and_what_it_changes() -> None:
    (found,) = opened().found()
    assert (found.rule, found.tier, found.kind) == ("pull-request", "kept", "solution")
    assert found.title == "Renew sessions" and found.tags == ("auth",)
    assert found.content == (
        "Renew sessions.\n"
        "- Renew the session during uploads, so that long ones are not logged out\n"
        "- Keep the worker's clock in step with the server's\n"
        "Why the worker:\nIt outlives the page, the router does not."
    )


def test_one_that_was_not_opened_is_none() -> None:
    assert opened("pull request create failed: No commits between main and dev").found() == []
    assert opened("", failed=True).found() == []


def test_through_a_tool_and_from_a_file() -> None:
    arguments = {"title": "Renew sessions", "body": BODY, "owner": "dev", "repo": "shop"}
    assert Session().uses("mcp__github__create_pull_request", arguments, "{}").found()
    command = (
        f"cat > b.md <<'EOF'\n{BODY}EOF\ngh pr create --title 'Renew sessions' --body-file b.md"
    )
    assert Session().runs(command, URL).found()


def test_one_without_a_body_says_nothing() -> None:
    assert Session().runs("gh pr create --fill", URL).found() == []
    assert (
        Session().runs("gh pr create --title 'Renew sessions' --body 'see title'", URL).found()
        == []
    )


def test_a_bug_filed_is_suggested_with_its_first_paragraph() -> None:
    command = (
        'bd create --title="the importer drops rows with a byte order mark" --type=bug '
        '--description="Rows that open with a BOM are taken for headers.\n\nDone when:\n- x"'
    )
    (found,) = Session().runs(command, "Created issue: shop-12").found()
    assert (found.rule, found.tier, found.kind) == ("ticket", "suggested", "gotcha")
    assert found.content == (
        "the importer drops rows with a byte order mark. Rows that open with a BOM are taken for "
        "headers."
    )


def test_a_task_filed_is_passed_over() -> None:
    command = (
        "bd create --title='write the docs of the importer' --type=task --description='All of it.'"
    )
    assert Session().runs(command, "Created issue: shop-12").found() == []


def test_a_commit_said_again_in_the_pull_request_is_one_memory() -> None:
    session = Session().commits(
        "Renew sessions\n\n"
        "- Renew the session during uploads, so that long ones are not logged out\n"
        "- Keep the worker's clock in step with the server's\n"
        "- It outlives the page, the router not"
    )
    session.events += opened().events
    (found,) = session.found()
    assert found.rule == "commit"
