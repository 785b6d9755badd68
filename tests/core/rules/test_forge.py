"""Pull requests: the history of what was opened, and what they are worth remembering for."""

from __future__ import annotations

import pytest

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
    (found,) = opened().found("pull-request")
    assert (found.tier, found.kind, found.details) == ("kept", "episode", {"event": "pr:7"})
    assert found.title == "Opened pull request 7: Renew sessions" and found.tags == ("auth",)
    assert found.content == (
        "Opened pull request 7: Renew sessions.\n"
        "- Renew the session during uploads, so that long ones are not logged out\n"
        "- Keep the worker's clock in step with the server's"
    )


def test_one_that_was_not_opened_is_none() -> None:
    assert opened("pull request create failed: No commits between main and dev").found() == []
    assert opened("", failed=True).found() == []


@pytest.mark.parametrize("tool", ["mcp__github__create_pull_request", "mcp__forge__create_pr"])
def test_through_a_tool(tool: str) -> None:
    arguments = {"title": "Renew sessions", "body": BODY, "owner": "dev", "repo": "shop"}
    session = Session().uses(tool, arguments, '{"number": 12}')
    assert session.found("pull-request")[0].details == {"event": "pr:12"}


def test_one_without_a_title_is_none() -> None:
    assert Session().runs("gh pr create --fill", URL).found() == []


def test_why_something_was_done_its_commits_say() -> None:
    body = "The cookie was renewed only on navigation, so long uploads were logged out halfway."
    command = f"gh pr create --title 'fix: renew sessions' --body '{body}'"
    assert Session().runs(command, URL).found("fix", "commit-decision") == []
    session = Session().commits(f"fix(auth): renew sessions\n\n{body}")
    assert len(session.runs(command, URL).found("fix")) == 1
