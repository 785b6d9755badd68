"""`cortex consolidate` and `cortex review`: what they print, what they change, how they refuse."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

ONE = "Access tokens live 15 minutes because the mobile client can refresh them"
OTHER = "Access tokens live 15 minutes, since the mobile client can refresh them in the background"


@pytest.fixture
def alike(cortex: Cli) -> Cli:
    """A store with two memories that may say the same."""
    cortex.ok("remember", ONE, "--kind", "decision", "--pin")
    cortex.ok("remember", OTHER, "--kind", "decision", "--tag", "mobile")
    cortex.ok("consolidate")
    return cortex


def test_review_list_and_show(alike: Cli) -> None:
    (seen,) = alike.json("review", "list")
    assert {memory["content"] for memory in seen["memories"]} == {ONE, OTHER}
    assert seen["inherits"]["pinned"]
    printed = alike.ok("review", "show", str(seen["number"]))
    assert "15 minutes" in printed
    assert "inherits: pinned" in printed


def test_approve_and_undo(alike: Cli) -> None:
    (seen,) = alike.json("review", "list")
    number = str(seen["number"])
    assert alike.run("review", "approve", number, "--text", "Tokens live shortly").exit_code == 2
    alike.ok("review", "approve", number)
    assert len(alike.json("list")) == 1
    assert "There is nothing to review" in alike.run("review", "list").stderr
    alike.ok("undo")
    assert len(alike.json("list")) == 2


@pytest.mark.parametrize(
    ("verdict", "left"),
    [("keep-left", 1), ("keep-right", 1), ("supersede", 1), ("reject", 2), ("distinct", 2)],
)
def test_other_verdicts(alike: Cli, verdict: str, left: int) -> None:
    (seen,) = alike.json("review", "list")
    alike.ok("review", verdict, str(seen["number"]))
    assert len(alike.json("list")) == left
    assert alike.run("review", "list", "--json").stdout == ""
    assert alike.run("review", "show", "99").exit_code == 3


def test_a_dry_run_proposes_nothing(cortex: Cli) -> None:
    for words in (ONE, OTHER):
        cortex.ok("remember", words, "--kind", "decision")
    cortex.ok("review", "reject", "1")
    (report,) = cortex.json("consolidate", "--dry-run")
    assert (report["dry_run"], report["proposed"]) == (True, [])


def test_all_that_is_clear_is_approved(alike: Cli) -> None:
    alike.ok("remember", "Always run the migrations before the deploy, and update the notes")
    alike.ok("remember", "Run the migrations before each deploy and update the notes")
    alike.ok("consolidate")
    assert alike.run("review", "approve").exit_code == 2
    assert alike.run("review", "approve", "1", "--all").exit_code == 2
    assert alike.run("review", "approve", "--all", "--scope", "global").exit_code == 3
    assert "Merged into" in alike.ok("review", "approve", "--all")
    assert len(alike.json("list")) == 3
    assert alike.run("review", "approve", "--all").exit_code == 3
    alike.ok("undo")
    assert len(alike.json("list")) == 4
