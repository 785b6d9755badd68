"""Every command explains itself, and the table of commands tells the truth."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

from cortex_core.cli.command import Command, CommandGroup
from cortex_core.cli.main import COMMANDS, cli
from tests.cli.conftest import Cli

SUMMARIES = {
    name: summary for section in COMMANDS.values() for name, (_, summary) in section.items()
}
PASSED_ON = {"hook", "worker"}


def every_command() -> Iterator[tuple[str, Command | CommandGroup]]:
    """Name as typed, and command, of all there are."""
    context = click.Context(cli, info_name="cortex")
    for name in cli.list_commands(context):
        found = cli.get_command(context, name)
        assert isinstance(found, Command | CommandGroup), name
        yield name, found
        if isinstance(found, CommandGroup):
            for inner_name, inner in found.commands.items():
                assert isinstance(inner, Command), (name, inner_name)
                yield f"{name} {inner_name}", inner


ALL = dict(every_command())


@pytest.mark.parametrize("name", ALL)
def test_help_and_examples(name: str) -> None:
    done = CliRunner().invoke(cli, [*name.split(), "--help"])
    assert done.exit_code == 0
    text = " ".join(done.stdout.split())
    assert " ".join((ALL[name].help or "nothing").split("\n\n")[0].split()) in text
    assert "--project DIR" in text
    assert "--json" in text
    assert "Examples: cortex" in text


@pytest.mark.parametrize("name", ALL)
def test_examples_are_valid(name: str) -> None:
    command = ALL[name]
    assert command.examples
    for example in command.examples:
        words = shlex.split(example.rpartition(" | cortex ")[2] or example)
        words = words[: words.index("<")] if "<" in words else words
        words = words[: words.index("|")] if "|" in words else words
        parse(cli, words[1:] if words[0] == "cortex" else words, {name, "tui", "recall", "undo"})


def parse(group: click.Group, words: list[str], names: set[str]) -> None:
    """Read `words` as the command line would, down to the innermost command, running nothing."""
    if not words:
        return
    if group.invoke_without_command and words[0].startswith("-"):
        group.make_context(group.name, words)
        return
    context = click.Context(group)
    _, command, rest = group.resolve_command(context, words)
    assert command is not None
    if isinstance(command, click.Group):
        parse(command, rest, names)
    else:
        rest = [word for word in rest if word not in ("--project", "~/work/shop")]
        command.make_context(command.name, rest, parent=context)


@pytest.mark.parametrize("name", SUMMARIES)
def test_summary_is_the_first_sentence(name: str) -> None:
    if name not in ("context", "inject", "search"):  # the aliases say whose they are
        first = (ALL[name].help or "").split("\n\n")[0]
        assert SUMMARIES[name] == " ".join(first.split())


def test_options_have_help() -> None:
    for name, command in ALL.items():
        for option in command.params:
            assert not isinstance(option, click.Option) or option.help, (name, option.name)


def test_list_of_commands() -> None:
    done = CliRunner().invoke(cli, ["--help"])
    assert done.exit_code == 0
    for name, summary in SUMMARIES.items():
        assert any(
            line.split()[:1] == [name] and summary.split()[0] in line
            for line in done.stdout.splitlines()
        ), name
    for heading in COMMANDS:
        assert f"{heading}:" in done.stdout
    assert "3 nothing found" in done.stdout
    assert "_CORTEX_COMPLETE" in done.stdout


def test_version() -> None:
    done = CliRunner().invoke(cli, ["--version"])
    assert done.stdout == f"cortex {version('agent-cortex')}\n"


def test_unknown_command_names_the_nearest() -> None:
    done = CliRunner().invoke(cli, ["recal", "x"])
    assert done.exit_code == 2
    assert "Did you mean: recall" in done.stderr


def test_without_a_command_and_a_terminal_it_tells_the_status(cortex: Cli) -> None:
    assert cortex.ok() == cortex.ok("status")


def test_project_goes_before_and_after_the_command(cortex: Cli) -> None:
    runner, where = CliRunner(), str(cortex.project)
    runner.invoke(cli, ["remember", "Ship on Fridays", "--project", where])
    for words in (
        ["--project", where, "list"],
        ["list", "--project", where],
        ["trash", "--project", where, "list"],
    ):
        assert runner.invoke(cli, words).exit_code == 0
    assert "Ship on Fridays" in cortex.ok("list")
    assert "Ship on Fridays" not in runner.invoke(cli, ["list"]).stdout


def test_project_has_to_be_a_folder(cortex: Cli) -> None:
    missing = str(cortex.project / "missing")
    assert "does not exist" in cortex.fails(2, "list", "--project", missing)


def test_completion_offers_commands_and_kinds() -> None:
    for words, offered in (("cortex rec", "recall"), ("cortex list --kind de", "decision")):
        done = CliRunner().invoke(
            cli,
            prog_name="cortex",
            env={
                "_CORTEX_COMPLETE": "bash_complete",
                "COMP_WORDS": words,
                "COMP_CWORD": str(len(words.split()) - 1),
            },
        )
        assert f"plain,{offered}" in done.stdout.split()
