"""The base classes of all commands: `--project` and `--json` everywhere, examples in the help,
and groups that load a command only when it runs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from cortex_core.api import Cortex


class Run:
    """The shared options of one run of the command line."""

    def __init__(self) -> None:
        self.project: str | None = None
        """The folder given by `--project`; None: find it from the working directory."""
        self.json = False
        """Whether to print JSON, one object or one object per line."""

    @contextmanager
    def cortex(self) -> Iterator[Cortex]:
        """The stores of the chosen project, open until the block ends."""
        from cortex_core.api import Cortex

        with Cortex.open(project=self.project) as cortex:
            yield cortex


pass_run = click.make_pass_decorator(Run, ensure=True)


def _keep_project(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.find_root().ensure_object(Run).project = value


def _keep_json(context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        context.find_root().ensure_object(Run).json = True


def shared_options() -> list[click.Parameter]:
    """The options of every command, accepted before and after its name."""
    return [
        click.Option(
            ["--project"],
            type=click.Path(exists=True, file_okay=False),
            metavar="DIR",
            expose_value=False,
            callback=_keep_project,
            help="The project folder; by default it is found from the current folder.",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_keep_json,
            help="Print JSON: one object, or one object per line.",
        ),
    ]


class Command(click.Command):
    """A command with the shared options and with examples in its help."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.examples = tuple(examples)
        """Whole command lines, ready to copy."""
        self.params.extend(shared_options())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples after the options."""
        write_examples(formatter, self.examples)
        super().format_epilog(ctx, formatter)


class Group(click.Group):
    """A command of several words, such as `trash list`."""

    command_class = Command

    def __init__(self, *args: Any, examples: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.examples = tuple(examples)
        self.params.extend(shared_options())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples after the list of commands."""
        write_examples(formatter, self.examples)
        super().format_epilog(ctx, formatter)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write `examples` one per line, never wrapped, so that they can be copied."""
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"{' ' * formatter.current_indent}{example}\n")


class Entry(NamedTuple):
    """The module of a command, and its line in the list of commands."""

    target: str
    """`module:function` within `cortex_core.cli`."""
    summary: str
    """The first sentence of the command's help, so that listing commands imports nothing."""


class LazyGroup(Group):
    """A group that imports the module of a command only to run it."""

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, Entry]], **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.sections = sections
        """The commands under each heading."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name, in the order of the help."""
        return [name for section in self.sections.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called `cmd_name`, its module imported now."""
        for section in self.sections.values():
            if entry := section.get(cmd_name):
                module, _, function = entry.target.partition(":")
                found = getattr(importlib.import_module(f"cortex_core.cli.{module}"), function)
                return found if isinstance(found, click.Command) else None
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing them."""
        for heading, section in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name, entry.summary) for name, entry in section.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named by the first word; the error for an unknown one suggests others.

        Raises:
            click.UsageError: the command does not exist.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(self._unknown(ctx, args[0]), ctx)
        return super().resolve_command(ctx, args)

    def _unknown(self, ctx: click.Context, name: str) -> str:
        from difflib import get_close_matches

        near = get_close_matches(name, self.list_commands(ctx), n=3)
        meant = f" Did you mean: {', '.join(near)}?" if near else " See: cortex --help"
        return f"Unknown command “{name}”.{meant}"


Decorator = Callable[[Callable[..., None]], Command]


def command(name: str, *, examples: Sequence[str], **attributes: Any) -> Decorator:
    """Make a function the command called `name`; its docstring is the help."""

    def decorate(function: Callable[..., None]) -> Command:
        return click.command(name, cls=Command, examples=examples, **attributes)(function)

    return decorate


def group(name: str, *, examples: Sequence[str]) -> Callable[[Callable[..., None]], Group]:
    """Make a function the group called `name`; its docstring is the help."""

    def decorate(function: Callable[..., None]) -> Group:
        return click.group(name, cls=Group, examples=examples)(function)

    return decorate
