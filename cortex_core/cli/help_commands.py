"""The command `help`: the list of commands, short or whole, and the help of each."""

import click

from cortex_core.cli.command import Run, command, pass_run
from cortex_core.cli.main import cli


@command("help", examples=("cortex help", "cortex help all", "cortex help team propose"))
@click.argument("words", metavar="[all|COMMAND...]", nargs=-1)
@pass_run
def help_(run: Run, words: tuple[str, ...]) -> None:
    """Show this list, all commands, or what one of them does."""
    run.lists_all = words == ("all",)
    rest = [] if run.lists_all else list(words)
    found: click.Command = cli
    context = click.Context(cli, info_name="cortex", obj=run, **cli.context_settings)
    while rest and isinstance(found, click.Group):
        name, below, rest = found.resolve_command(context, rest)
        assert below is not None  # an unknown name has raised an error
        found, context = below, click.Context(below, info_name=name, parent=context)
    click.echo(found.get_help(context))
