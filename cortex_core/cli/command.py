"""What all commands share: base classes, options, reading of arguments, exit codes and errors.

Every command takes `--project` and `--json` and has examples in its help; a group loads a command
only when it runs. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found, 130 interrupted.
"""

from __future__ import annotations

import errno
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cortex_core.base import errors
from cortex_core.base.agent_names import LABELS
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.kinds import BUILT_IN
from cortex_core.base.project import OF_OTHERS, Project, find
from cortex_core.cli import output
from cortex_core.records.as_json import to_json
from cortex_core.records.memory import NEWS, SCOPES

if TYPE_CHECKING:
    from cortex_core.api import Cortex

APP = "cortex_tui.app"
"""The module of the terminal app, imported by name: the core does not depend on it."""

FAILED = 1
NOTHING_FOUND = 3
INTERRUPTED = 130

DEEPEST = 12
"""Number of calls of a traceback that are logged, from the innermost."""


def exit_code(work: Callable[[], object], project: Callable[[], str | None]) -> int:
    """Do `work` and return the exit code; print errors to stderr.

    `project` names the folder whose log gets the traceback of an unexpected error.
    """
    try:
        result = work()
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left in the buffer goes nowhere, so that closing stdout does not fail again.
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        return FAILED
    except (click.Abort, KeyboardInterrupt) as stop:
        # Click raises an Abort from the interrupt, which says what has been done by then.
        notes = getattr(stop.__cause__ or stop, "__notes__", ())
        output.warn(" ".join(("Interrupted.", *notes)))
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except CortexError as error:
        output.warn(str(error))
        return error.exit_code
    except Exception as error:
        from cortex_core.store.opening import database_errors

        if isinstance(error, database_errors()):
            # A store is damaged or out of reach, which is said in a sentence.
            output.warn(
                f"A store cannot be used ({error}). To see which one and why: cortex doctor"
            )
        elif isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            output.warn(
                f"“{str(error.filename)[:60]}…” is longer than a name on this disk may be. Nothing "
                "was read from it or written there. Use a shorter name."
            )
        else:
            _report(error, project())
        return FAILED
    return result if isinstance(result, int) else 0


def _report(error: Exception, project: str | None) -> None:
    """Tell the user where the traceback of an unexpected `error` is."""
    message = f"{type(error).__name__}: {error}"
    details = f"{message} at {_trace(error)}"
    log = _log(details, project)
    where = f"Traceback: {log}" if log else f"It happened at {_trace(error)}"
    output.warn(f"Internal error ({message[:200]}). {where}")


def _trace(error: Exception) -> str:
    """The calls that led to `error`, the innermost first: `undo (history.py:31)`."""
    from traceback import extract_tb

    frames = extract_tb(error.__traceback__)[:-DEEPEST:-1]
    return ", ".join(f"{call.name} ({Path(call.filename).name}:{call.lineno})" for call in frames)


def _log(details: str, project: str | None) -> str:
    """Add `details`, without secrets, to the project's log; return its path, "" if that fails."""
    with suppress(Exception):
        from cortex_core.base import log
        from cortex_core.redaction.secrets import redact

        here = find(explicit=project)
        log.write(here, redact(details).text)
        path = log.path(here)
        return str(path) if path.exists() else ""
    return ""


Value = TypeVar("Value")


class Run:
    """The shared options of one run of the command line."""

    def __init__(self) -> None:
        self.project: str | None = None
        """The folder given by `--project`; None: find it from the working directory."""
        self.json = False
        """Whether to print JSON, one object or one object per line."""
        self.lists_all = False
        """Whether the help lists every command."""

    @cached_property
    def cortex(self) -> Cortex:
        """The stores of the chosen project, open until the command ends."""
        from cortex_core.api import Cortex

        context = click.get_current_context()
        cortex = context.with_resource(Cortex.open(project=self.project))
        if cortex.project.doubt and context.info_name not in ("trust", "status"):
            context.call_on_close(partial(_note, f"{cortex.project.doubt}. {OF_OTHERS}"))
        return cortex

    def show(self, record: Value, describe: Callable[[Value], object]) -> None:
        """Print a record: as JSON where that is asked for, else as `describe` writes it."""
        if self.json:
            output.emit(to_json(record))
        else:
            describe(record)

    def say(self, shape: Mapping[str, Any], sentence: str, note: str = "") -> None:
        """Print what was done: as JSON where that is asked for, else in a sentence, and a note."""
        if self.json:
            output.emit(shape)
            return
        output.say(sentence)
        if note:
            output.note(note)

    def rows(self, view: output.View[Value], items: Iterable[Value], empty: str) -> None:
        """Print a list; where it is empty say so, and exit with 3."""
        if not output.show(view, items, as_json=self.json, empty=empty):
            raise click.exceptions.Exit(NOTHING_FOUND)


def _note(sentence: str) -> None:
    """Say `sentence` at the end of a command, unless it ends with an error that says it."""
    if sentence not in str(sys.exception()):
        output.note(sentence)


pass_run = click.make_pass_decorator(Run, ensure=True)


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    """Set the attribute of the run that is called as the option."""
    if value and option.name:
        setattr(context.find_root().ensure_object(Run), option.name, value)


SHARED = (
    click.Option(
        ["--project"],
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        expose_value=False,
        callback=_keep,
        help="The project folder; by default it is found from the current folder.",
    ),
    click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Print JSON: one object, or one object per line.",
    ),
)
"""The options of every command, accepted before and after its name."""


READS = frozenset(
    "recall show list why log surface status report kept members get try search requests anchors"
    " doctor prove".split()
)
"""The names of the commands that read, in whatever group they are."""
WRITES = frozenset("confirm wrong fix add remove maintainer rename agents_md".split())
"""The options with which one of them writes."""


class Documented(click.Command):
    """What commands and groups have in common: the shared options, and examples in their help."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.examples = tuple(examples)
        """Whole command lines, ready to copy."""
        self.params.extend(SHARED)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples one per line, never wrapped, so that they can be copied."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{' ' * formatter.current_indent}{example}\n")
        super().format_epilog(ctx, formatter)


class Command(Documented):
    """A command; with `typed` it has the option by which the skills pass on a line."""

    def __init__(self, *args: Any, typed: bool = False, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.typed = typed
        if typed:
            self.params.insert(-2, TYPED)  # before the shared ones

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, those in a typed line included."""
        if self.typed and TYPED.opts[0] in args[: args.index("--") if "--" in args else None]:
            args = [*args, *typed_arguments(stdin_text(), self.params)]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of one that only reads does not say what was left unchanged."""
        try:
            return super().invoke(ctx)
        except CortexError as error:
            if ctx.params.get("dry_run") or (
                ctx.info_name in READS and not any(map(ctx.params.get, WRITES))
            ):
                error.args = (errors.of_reading(str(error)),)
            raise


TYPED = click.Option(
    ["--typed"],
    is_flag=True,
    expose_value=False,
    help="Read options and text from stdin as one line, as typed after the name of a skill.",
)

_OPTION = re.compile(r"\s*(--[a-z][a-z-]*)(?:=|(?=\s|$))")
_VALUE = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|(\S*))""")
_QUOTED = re.compile(r"""(["'])((?:(?!\1).)*)\1(|\s.*)""", re.DOTALL)


def typed_arguments(line: str, params: Sequence[click.Parameter]) -> list[str]:
    """The arguments in a line that was typed for a command: its options, `--`, and the text.

    Options, by their long names, come before the text, or after it if it is in quotes. Whatever
    else is in the line is text, word for word, with its dashes and apostrophes.
    """
    options = {
        name: option
        for option in params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }
    found, text = _leading_options(line, options)
    if quoted := _QUOTED.fullmatch(text):
        behind, rest = _leading_options(quoted[3], options)
        if not rest:
            found, text = [*found, *behind], quoted[2]
    return [*found, "--", text]


def _leading_options(line: str, options: Mapping[str, click.Option]) -> tuple[list[str], str]:
    """The options that `line` begins with, with their values, and the rest of it."""
    found: list[str] = []
    while (match := _OPTION.match(line)) and (option := options.get(match[1])):
        found.append(match[1])
        line = line[match.end() :]
        if not option.is_flag and (value := _VALUE.match(line)):
            found.append(next((each for each in value.groups() if each is not None), ""))
            line = line[value.end() :]
    return found, line.strip()


class CommandGroup(Documented, click.Group):
    """A command of several words, such as `trash list`."""

    command_class = Command


class ShortGroup(CommandGroup):
    """A group of which one command needs no name: `cortex sessions WORDS` is `sessions list WORDS`.

    What follows the name of the group and is no command in it, nor a call for help, is for that
    one.
    """

    def __init__(self, *args: Any, unnamed: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.unnamed = unnamed
        """The name of that command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options of the group, after which comes the name of a command."""
        return super().parse_args(ctx, self._named(ctx, args))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first of `args` names, or else the one that needs no name."""
        return super().resolve_command(ctx, self._named(ctx, args))

    def _named(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`args` with the name of a command at the front, or with the call for help as it is."""
        if not args and ctx.resilient_parsing:
            return args  # completion offers the names of the commands
        value = False
        for word in args:
            if value or word == "--json":
                value = False
            elif word == "--project":
                value = True
            elif word in self.commands or word in ctx.help_option_names:
                return args
            else:
                break
        return [self.unnamed, *args]


class LazyGroup(CommandGroup):
    """A group that imports the module of a command only to run it."""

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, tuple[str, str]]],
        aliases: Mapping[str, str],
        shown: int,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.sections = sections
        """Per heading and command: `file:function`, and the summary."""
        self.aliases = aliases
        """Other names, of one word or two, and what each stands for."""
        self.shown = shown
        """How many of the sections the help lists; `cortex help all` lists the others too."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name, in the order of the help."""
        return [name for section in self.sections.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called `cmd_name`, its module imported now."""
        named = [one[cmd_name] for one in self.sections.values() if cmd_name in one]
        if not named:
            return None
        file, _, function = named[0][0].partition(":")
        command = getattr(importlib.import_module(f"cortex_core.cli.{file}_commands"), function)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing them."""
        every = ctx.obj is not None and ctx.obj.lists_all
        for heading, section in [*self.sections.items()][: None if every else self.shown]:
            with formatter.section(heading):
                formatter.write_dl([(name, summary) for name, (_, summary) in section.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named by the first word; the error for an unknown one suggests others.

        Raises:
            click.UsageError: the command does not exist.
        """
        args = self.expanded(args)
        is_unknown = args and not args[0].startswith("-") and not self.get_command(ctx, args[0])
        if is_unknown and not ctx.resilient_parsing:  # completion offers nothing, and is silent
            from difflib import get_close_matches

            similar = ", ".join(get_close_matches(args[0], self.list_commands(ctx), n=3))
            meant = f"Did you mean: {similar}?" if similar else "See: cortex help all"
            raise click.UsageError(f"Unknown command “{args[0]}”. {meant}", ctx)
        return super().resolve_command(ctx, args)

    def expanded(self, words: list[str]) -> list[str]:
        """What was typed, with the name that it begins with in place of an alias."""
        for count in (2, 1):
            if known := self.aliases.get(" ".join(words[:count])):
                return [*known.split(), *words[count:]]
        return words


Decorator = Callable[[Callable[..., None]], Command]


def command(name: str, *, examples: Sequence[str], **attributes: Any) -> Decorator:
    """Make a function the command called `name`; its docstring is the help."""
    return click.command(name, cls=Command, examples=examples, **attributes)


def group(
    name: str, *, examples: Sequence[str], **attributes: Any
) -> Callable[[Callable[..., None]], CommandGroup]:
    """Make a function the group called `name`; its docstring is the help.

    With `unnamed`, the name of one of its commands, that one runs where none is named.
    """
    cls = ShortGroup if "unnamed" in attributes else CommandGroup
    return click.group(name, cls=cls, examples=examples, **attributes)


Function = TypeVar("Function", bound=Callable[..., None])

ALL_STATUSES = ("active", "superseded", "archived")
"""The statuses for `--include-archived`; others are asked for by name."""

COUNT = click.IntRange(1, 1_000_000)
"""A number of things."""

DRY_RUN = click.option(
    "--dry-run", is_flag=True, help="Show what would happen, without changing anything."
)
YES = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")


def at_terminal() -> bool:
    """Whether a user sees the output and can answer."""
    return output.watched() and sys.stdin.isatty()


def confirm(question: str, yes: bool) -> None:
    """Ask the user before a step that cannot be undone; scripts are not asked.

    Raises:
        CortexError: the answer was no.
    """
    if at_terminal() and not yes and not click.confirm(question, err=True):
        raise CortexError("Nothing was changed.")


def kind_option(help: str, *, many: bool = False) -> Callable[[Function], Function]:
    """`--kind`, also `--type` and `-k`; the store checks that the kind exists."""
    return click.option(
        "-k",
        "--kind",
        "--type",
        "kinds" if many else "kind",
        multiple=many,
        metavar="KIND",
        shell_complete=lambda _context, _option, start: [
            kind.name for kind in BUILT_IN if kind.name.startswith(start)
        ],
        help=help,
    )


def limit_option(most: int | None) -> Callable[[Function], Function]:
    """`--limit`, also `-n`: the maximum number of rows."""
    return click.option(
        "-n",
        "--limit",
        type=COUNT,
        metavar="N",
        default=most,
        show_default=most is not None,
        help="Maximum number of results.",
    )


def filters(function: Function) -> Function:
    """The options that filter memories; `filters_of` reads them."""
    # Click lists options in the reverse order of their decorators; this table is in the order of
    # the help.
    for option in reversed(
        (
            kind_option("Only memories of this kind; repeatable.", many=True),
            click.option(
                "--scope",
                type=click.Choice([*SCOPES, "all"]),
                default="all",
                show_default=True,
                help="Which store to search.",
            ),
            click.option(
                "-t",
                "--tag",
                "tags",
                multiple=True,
                metavar="TAG",
                help="Only memories with this tag; repeatable.",
            ),
            click.option(
                "-f", "--file", metavar="PATH", help="Only memories that apply to this file."
            ),
            click.option("--branch", metavar="NAME", help="Only memories learned on this branch."),
            click.option(
                "--session", metavar="ID", help="Only memories of the session whose id begins so."
            ),
            click.option(
                "--agent",
                type=click.Choice(list(LABELS)),
                help="Only what was learned in sessions of this agent.",
            ),
            click.option(
                "--import",
                "imported",
                metavar="ID",
                help="Only what the import whose id begins so brought.",
            ),
            click.option(
                "--new",
                type=click.Choice(NEWS),
                help="Only what came from your team or your other machines, and that "
                "you have not seen.",
            ),
            click.option(
                "--since", metavar="WHEN", help="Only after this time: 2026-11-05, 3d, yesterday."
            ),
            click.option(
                "--until", metavar="WHEN", help="Only before this time; same formats as --since."
            ),
            click.option(
                "--as-of",
                "asof",
                metavar="WHEN",
                help="What was there at this time, also if it was replaced or archived since.",
            ),
            click.option(
                "--include-archived", is_flag=True, help="Include archived and superseded memories."
            ),
            click.option(
                "--status",
                "statuses",
                multiple=True,
                type=click.Choice([*ALL_STATUSES, "suggested", "quarantined"]),
                help="Only memories of this status; default: active; repeatable.",
            ),
        )
    ):
        function = option(function)
    return function


ALL_PROJECTS = click.option("--all-projects", is_flag=True, help="Your other projects as well.")


def filters_of(options: dict[str, Any]) -> dict[str, Any]:
    """What was given for `filters`, with the argument names of `Cortex`."""
    archived = {"statuses": ALL_STATUSES} if options["include_archived"] or options["asof"] else {}
    left_out = {"include_archived", *({"statuses"} if not options["statuses"] else ())}
    return archived | {name: value for name, value in options.items() if name not in left_out}


def start_worker(project: Project) -> None:
    """Have the worker compute vectors and the surface; if it cannot, the next session does."""
    from cortex_core.hook_events import worker_start

    try:
        worker_start.start_worker(project)
    except OSError:
        output.note("To compute vectors and the surface now: cortex worker")


def text_of(words: Sequence[str], *, what: str) -> str:
    """The text in `words`, or from stdin for a single `-`.

    Raises:
        UsageError: the text is empty; `what` names it in the message.
    """
    typed = " ".join(words)
    text = stdin_text() if typed == "-" else typed
    if not text.strip():
        raise UsageError(f"The {what} is missing. Nothing was changed. Add it, or use - for stdin.")
    return text


def stdin_text() -> str:
    """All of stdin, with a mark for each byte that is no UTF-8."""
    return sys.stdin.buffer.read().decode("utf-8", "replace").removeprefix("\ufeff")


@contextmanager
def lines_of(path: str) -> Iterator[Iterator[str]]:
    """The lines of the file at `path`, or of stdin for `-`, without line ends.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with click.open_file(path, "rb") as stream:
            lines = (line.decode("utf-8", "replace").rstrip("\r\n") for line in stream)
            first = (line.removeprefix("\ufeff") for line in islice(lines, 1))
            yield chain(first, lines)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"“{path}” cannot be read: {reason}. Nothing was done.") from error
