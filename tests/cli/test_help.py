"""Every command explains itself, and the table of commands tells the truth."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.metadata import version

import click
import pytest
from click.testing import CliRunner

from cortex_core.cli.command import Command, CommandGroup
from cortex_core.cli.main import ALIASES, COMMANDS, SHOWN, cli
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
        parse(cli, words[1:] if words[0] == "cortex" else words)


def parse(group: click.Group, words: list[str]) -> None:
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
        parse(command, rest)
    else:
        rest = [word for word in rest if word not in ("--project", "~/work/shop")]
        command.make_context(command.name, rest, parent=context)


@pytest.mark.parametrize("name", SUMMARIES)
def test_summary_is_the_first_sentence(name: str) -> None:
    first = (ALL[name].help or "").split("\n\n")[0]
    assert SUMMARIES[name] == " ".join(first.split())


def test_options_have_help() -> None:
    for name, command in ALL.items():
        for option in command.params:
            assert not isinstance(option, click.Option) or option.help, (name, option.name)


def test_the_help_fits_on_a_screen_and_help_all_lists_the_rest() -> None:
    short, whole = (CliRunner().invoke(cli, words) for words in (["--help"], ["help", "all"]))
    assert (short.exit_code, whole.exit_code) == (0, 0)
    everyday = [name for section in list(COMMANDS.values())[:SHOWN] for name in section]
    assert len(everyday) <= 25 and next(iter(COMMANDS)) == "Every day"
    for text, names in ((short.stdout, everyday), (whole.stdout, list(SUMMARIES))):
        listed = [
            line.split()[0] for line in text.splitlines() if line[:2] == "  " and line[2:3] > " "
        ]
        assert [name for name in listed if name in SUMMARIES] == names
    said = " ".join(short.stdout.split())
    assert "3 nothing found" in said and "_CORTEX_COMPLETE=bash_source cortex" in said
    assert CliRunner().invoke(cli, ["help"]).stdout == short.stdout


def test_there_are_at_most_a_hundred_commands() -> None:
    leaves = [name for name, command in ALL.items() if not isinstance(command, CommandGroup)]
    assert len(leaves) <= 100


@pytest.mark.parametrize("name", ALIASES)
def test_an_alias_is_silent_and_stands_for_a_command(name: str) -> None:
    command, options = ALIASES[name].split(" --")[0], ALIASES[name].partition(" --")[2]
    assert name not in ALL and command in ALL
    if not isinstance(ALL[command], CommandGroup):
        opts = {opt for param in ALL[command].params for opt in param.opts}
        assert not options or f"--{options.split()[0]}" in opts
    shown, asked = (CliRunner().invoke(cli, ["help", *words.split()]) for words in (command, name))
    assert shown.stdout == asked.stdout


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    done = CliRunner().invoke(cli, [option])
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
