"""Memories named by words: what one memory alone has is meant; a guess is never acted upon."""

from __future__ import annotations

import pytest

from cortex_core import Cortex
from tests.cli.conftest import Cli


@pytest.mark.parametrize(
    "words",
    [
        ("pin", "two tabs"),
        ("tag", "two tabs", "+x"),
        ("give", "two tabs", "never"),
        ("edit", "two tabs", "--priority", "8"),
        ("reinforce", "two tabs"),
        ("move", "two tabs", "--to", "global"),
        ("forget", "two", "tabs"),
        ("trigger", "set", "two tabs", "Bash(redis-cli)"),
        ("trigger", "off", "two tabs"),
        ("trigger", "guard", "two tabs", "remind"),
        ("trigger", "list", "two tabs"),
    ],
    ids=" ".join,
)
def test_words_that_one_memory_has_name_it(filled: Cli, words: tuple[str, ...]) -> None:
    (changed,) = filled.json(*words)
    assert changed["title"].startswith("Token refresh races")


def test_what_was_put_away_is_named_by_words_too(filled: Cli) -> None:
    filled.ok("forget", "two tabs")
    (back,) = filled.json("restore", "two tabs")
    assert back["status"] == "active"


@pytest.mark.parametrize(
    "words",
    [
        ("log", "--memory", "two tabs"),
        ("episode", "add", "Looked at it", "-m", "two tabs"),
    ],
    ids=" ".join,
)
def test_every_other_argument_that_is_an_id_takes_words(
    filled: Cli, words: tuple[str, ...]
) -> None:
    assert len(filled.json(*words)) == 1


def test_two_are_linked_by_words(filled: Cli) -> None:
    assert filled.json("link", "pnpm", "two tabs")[0]["type"] == "relates_to"
    assert filled.json("unlink", "pnpm", "two tabs")[0] == {"removed": 1}


@pytest.mark.parametrize("command", ["pin", "forget"])
def test_a_change_is_not_made_on_a_guess(filled: Cli, command: str) -> None:
    done = filled.run(command, "tkn rfrsh", "--json")
    assert done.exit_code == 2
    assert "may mean 1 memory" in done.stderr
    assert '"title": "Token refresh races' in done.stdout
    assert not any(memory["pinned"] for memory in filled.json("list"))
    assert len(filled.json("list")) == 3


def test_looking_shows_the_one_that_fits(filled: Cli) -> None:
    done = filled.run("show", "tkn rfrsh", "--json")
    assert done.exit_code == 0
    assert '"title": "Token refresh races' in done.stdout
    assert "is read as" in done.stderr


def test_several_are_listed(filled: Cli) -> None:
    filled.remember("Tokens are refreshed by the token service")
    done = filled.run("show", "token", "--json")
    assert done.exit_code == 2
    assert len(done.stdout.splitlines()) == 2


def test_other_words_list_what_is_similar_in_meaning(filled: Cli) -> None:
    with Cortex.open(filled.project) as cortex:
        cortex.models.embed_pending()
    done = filled.run("forget", "which database engine", "--json")
    assert done.exit_code == 2
    assert "SQLite" in done.stdout
    assert len(filled.json("list")) == 3


@pytest.mark.parametrize("name", ["1f3a9c21", "deadbee1", "1f3a-9c21"])
def test_what_looks_like_an_id_is_not_guessed(filled: Cli, name: str) -> None:
    filled.remember(f"The build {name}ab9 is broken")
    filled.fails(3, "show", f"{name}b9")
