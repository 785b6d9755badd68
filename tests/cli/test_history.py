"""log, undo, redo, trash, snapshot."""

from __future__ import annotations

from cortex_core.records.as_json import to_json
from tests.cli.conftest import Cli
from tests.cli.test_json import CHANGE


def test_log(filled: Cli) -> None:
    changes = filled.json("log")
    assert [change["verb"] for change in changes] == ["remember"] * 3
    assert all(set(change) == set(to_json(CHANGE)) for change in changes)
    id = filled.json("recent", "1")[0]["id"]
    filled.ok("pin", id)
    assert [change["verb"] for change in filled.json("log", "--memory", id)] == ["pin", "remember"]
    assert len(filled.ok("log", "--limit", "2").splitlines()) == 2


def test_log_of_nothing(cortex: Cli) -> None:
    assert cortex.json("log") == []


def test_undo_and_redo(filled: Cli) -> None:
    ids = [memory["id"] for memory in filled.json("list")]
    filled.ok("pin", *ids)
    assert filled.ok("undo").startswith("Undone: ")
    assert not any(memory["pinned"] for memory in filled.json("list"))
    assert filled.ok("redo").startswith("Redone: ")
    assert all(memory["pinned"] for memory in filled.json("list"))
    assert len(filled.json("undo", "3")) == 3
    assert len(filled.json("list")) == 1


def test_a_setting_that_came_last_is_not_passed_over(filled: Cli) -> None:
    filled.ok("config", "set", "surface.tokens", "400")
    said = filled.fails(1, "undo")
    assert "The last change was of a setting, which cortex config set NAME VALUE changes" in said
    filled.ok(*said.rpartition("cortex ")[2].split())
    assert len(filled.json("list")) == 2
    filled.ok("remember", "The queue is drained first")
    assert filled.ok("undo").startswith("Undone: remember “The queue")


def test_undo_says_that_there_was_less(filled: Cli) -> None:
    assert "There was nothing more to undo: 3 of 9." in filled.run("undo", "9").stderr


def test_redo_does_not_pass_over_what_was_done_since(filled: Cli) -> None:
    filled.ok("forget", "pnpm")
    filled.ok("undo")
    filled.ok("remember", "The queue is drained first")
    said = filled.fails(1, "redo")
    assert "Since the undo, this was done: remember “The queue is drained first”." in said
    filled.ok(*said.rpartition("cortex ")[2].split())
    assert len(filled.json("list")) == 3


def test_undo_one_change_by_its_number(filled: Cli) -> None:
    first = filled.json("log")[-1]
    filled.json("undo", "--change", str(first["number"]))
    assert {memory["kind"] for memory in filled.json("list")} == {"decision", "gotcha"}
    filled.fails(3, "undo", "--change", "999")


def test_trash_is_empty_at_first(filled: Cli) -> None:
    assert filled.json("trash", "list") == []
    assert "cortex list --include-archived" in filled.run("trash", "list").stderr
    nothing = {"deleted": 0, "conversations": 0, "dry_run": True}
    assert filled.json("trash", "empty", "--dry-run") == [nothing]
    assert "Deleted 0 memories" in filled.ok("trash", "empty")


def test_snapshots(filled: Cli) -> None:
    (made,) = filled.json("snapshot", "create")
    assert made["number"] == 1
    filled.ok("forget", "pnpm")
    assert filled.json("snapshot", "list")[0]["path"] == made["path"]
    assert "by-hand" in filled.ok("snapshot", "list")
    assert "What it held until now is snapshot 1" in filled.ok("snapshot", "restore", "1")
    assert len(filled.json("list")) == 3
    assert len(filled.json("snapshot", "list")) == 2


def test_undoing_a_move_prints_one_line(filled: Cli) -> None:
    filled.ok("move", filled.json("recent", "1")[0]["id"], "--to", "global")
    (line,) = filled.ok("undo").splitlines()
    assert line.startswith("Undone: move ")
    assert len(filled.json("redo")) == 2
