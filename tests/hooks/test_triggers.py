"""Rules at the moment of acting: what a tool call is given, and what keeps it from running."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.base import hook_io
from cortex_core.triggers import guard
from tests.hooks.conftest import Fired, Hooks


@pytest.fixture
def rules(hooks: Hooks) -> Iterator[Cortex]:
    with Cortex.open(project=hooks.project) as cortex:
        cortex.remember("Use pnpm, never npm.", kind="policy")
        cortex.remember("Run `make fmt` before each commit", kind="policy")
        cortex.remember("Never edit files under `src/generated/`", kind="policy")
        cortex.remember("Never use mcp__github__merge_pull_request", kind="policy")
        cortex.sessions.pause()
        yield cortex


def call(hooks: Hooks, tool: str, session: str = "session-1", **given: Any) -> Fired:
    call.number += 1  # type: ignore[attr-defined]
    return hooks(
        "PreToolUse",
        tool_name=tool,
        tool_input=given,
        session_id=session,
        tool_use_id=f"t{call.number}",  # type: ignore[attr-defined]
    )


call.number = 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        ("Bash", {"command": "cd app && n'p'm install x"}, "Use pnpm"),
        ("Bash", {"command": "git add -A && git commit -m x"}, "make fmt"),
        ("Edit", {"file_path": "src/generated/a.py", "new_string": "x"}, "src/generated"),
        ("Bash", {"command": "cd src/generated; rm a.py"}, "src/generated"),
        ("mcp__github__merge_pull_request", {"number": 3}, "merge_pull_request"),
    ],
)
def test_a_call_is_given_the_rule_itself(
    hooks: Hooks, rules: Cortex, tool: str, given: dict[str, Any], rule: str
) -> None:
    fired = call(hooks, tool, **given)
    assert rule in fired.given and fired.given.count("\n- ") == 1
    assert "permissionDecision" not in fired.out.decode()


def test_other_calls_are_given_nothing(hooks: Hooks, rules: Cortex) -> None:
    for command in ("ls", "echo npm", "pnpm install", "git log --grep commit", ""):
        assert call(hooks, "Bash", command=command).out == b""
    assert call(hooks, "mcp__github__list", number=3).out == b""
    assert call(hooks, "Write", file_path="src/own.py", content="npm install").out == b""


def test_an_occasion_is_recalled_once_and_a_breach_each_time(hooks: Hooks, rules: Cortex) -> None:
    assert call(hooks, "Bash", command="git commit -m a").given
    assert call(hooks, "Bash", command="git commit -m b").out == b""
    assert call(hooks, "Bash", session="other", command="git commit -m b").given
    assert call(hooks, "Bash", command="npm ci").given
    assert call(hooks, "Bash", command="npm ci").given


def test_an_occasion_is_recalled_again_when_the_context_is_empty(
    hooks: Hooks, rules: Cortex
) -> None:
    assert call(hooks, "Bash", command="git commit -m a").given
    hooks("SessionStart", source="clear", session_id="session-1")
    assert call(hooks, "Bash", command="git commit -m b").given


def test_only_two_rules_are_recalled_with_a_call(hooks: Hooks, rules: Cortex) -> None:
    command = "npm ci; git commit -m x; rm src/generated/a"
    assert call(hooks, "Bash", command=command).given.count("\n- ") == guard.MOST_LINES


@pytest.mark.parametrize("guard", ["ask", "deny"])
def test_a_guard_asks_or_denies_and_says_why(hooks: Hooks, rules: Cortex, guard: str) -> None:
    (rule,) = [one for one in rules.list() if "pnpm" in one.content]
    rules.memories.triggers.guard(rule.id, guard)  # type: ignore[arg-type]
    for _ in range(2):
        output = call(hooks, "Bash", command="npm ci").envelope["hookSpecificOutput"]
        assert output["permissionDecision"] == guard
        assert "Use pnpm, never npm" in output["permissionDecisionReason"]
    rules.memories.triggers.guard(rule.id, "remind")
    assert "permissionDecision" not in call(hooks, "Bash", command="npm ci").out.decode()


def test_what_an_agent_named_reminds_where_the_user_denies(hooks: Hooks, rules: Cortex) -> None:
    (rule,) = [one for one in rules.list() if "pnpm" in one.content]
    triggers = rules.memories.triggers
    triggers.propose(rule, ["!Bash(make vendor)"], "")
    triggers.guard(rule.id, "deny")
    assert '"deny"' in call(hooks, "Bash", command="npm ci").out.decode()
    named = call(hooks, "Bash", command="make vendor")
    assert "Use pnpm" in named.given and "permissionDecision" not in named.out.decode()
    both = call(hooks, "Bash", command="npm ci; make vendor")
    assert both.given.count("\n- ") == 1 and '"deny"' in both.out.decode()
    # Lines that the user sets are the user's, whoever named them first.
    triggers.set(rule.id, rules.show(rule.id).triggers)
    assert '"deny"' in call(hooks, "Bash", command="make vendor").out.decode()


def test_triggers_can_be_switched_off(hooks: Hooks, rules: Cortex) -> None:
    (rule,) = [one for one in rules.list() if "pnpm" in one.content]
    rules.memories.triggers.guard(rule.id, "deny")
    rules.settings.set("triggers.on", False)
    assert call(hooks, "Bash", command="npm ci").out == b""


@pytest.mark.parametrize("damage", [b"", b"{", b'{"states":[]}', b"\0" * 4000])
def test_a_damaged_table_or_store_blocks_no_call(
    hooks: Hooks, rules: Cortex, damage: bytes
) -> None:
    (rule,) = [one for one in rules.list() if "pnpm" in one.content]
    rules.memories.triggers.guard(rule.id, "deny")
    table = hooks.project / ".memory" / "cache" / "calls"
    table.parent.mkdir(exist_ok=True)
    table.write_bytes(damage)
    assert "deny" in call(hooks, "Bash", command="npm ci").out.decode()
    rules.close()
    for file in (hooks.project / ".memory").glob("cortex.db*"):
        file.write_bytes(damage)
    fired = call(hooks, "Bash", command="npm ci")
    assert (fired.code, fired.out) == (0, b"")


def test_a_table_with_wrong_contents_blocks_no_call(hooks: Hooks, rules: Cortex) -> None:
    for path in (hooks.project / ".memory").glob("cortex.db*"):
        os.utime(path, (1e9, 1e9))
    call(hooks, "Bash", command="ls")
    table = hooks.project / ".memory" / "cache" / "calls"
    cached = json.loads(table.read_text())
    for wrong in ([["id"]], [3], {"a": 1}, [["id", 3, None, ["!Bash("]]]):
        table.write_text(hook_io.dumps(cached | {"rules": {"project": wrong}}))
        fired = call(hooks, "Bash", command="npm ci")
        assert (fired.code, fired.out) == (0, b"")


def test_a_push_is_stopped_by_the_branch_that_it_goes_to(hooks: Hooks, rules: Cortex) -> None:
    rule = rules.remember("Never push to main", kind="policy")
    rules.memories.triggers.guard(rule.id, "deny")
    git = hooks.project / ".git"
    for branch, command, is_denied in (
        ("topic", "git push -u --force origin main", True),
        ("topic", "git push origin HEAD:main", True),
        ("topic", "git push -u origin topic", False),
        ("topic", "git push", False),
        ("main", "git push", True),
        ("main", "git push origin topic", False),
    ):
        (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        said = call(hooks, "Bash", command=command).out.decode()
        assert ('"permissionDecision":"deny"' in said) is is_denied, (branch, command)
