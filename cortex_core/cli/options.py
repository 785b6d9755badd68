"""Options that several commands take, and how their words are read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from cortex_core.cli import output
from cortex_core.errors import CortexError, UsageError
from cortex_core.kinds import BUILT_IN
from cortex_core.memory import SCOPES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Function = TypeVar("Function", bound=Callable[..., None])

ALL_STATUSES = ("active", "superseded", "archived")
"""What `--include-archived` searches; suggested and quarantined memories have their own lists."""

COUNT = click.IntRange(1, 1_000_000)
"""A number of things."""

DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would happen; change nothing.")
YES = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


def at_terminal() -> bool:
    """Whether a person sees what is printed and can answer."""
    return output.watched() and sys.stdin.isatty()


def confirm(question: str, yes: bool) -> None:
    """Ask a person before what cannot be taken back; scripts are not asked.

    Raises:
        CortexError: the answer was no.
    """
    if at_terminal() and not yes and not click.confirm(question, err=True):
        raise CortexError("Nothing was changed.")


def _complete_kind(
    _context: click.Context, _option: click.Parameter, incomplete: str
) -> list[CompletionItem | str]:
    return [kind.name for kind in BUILT_IN if kind.name.startswith(incomplete)]


def kind_option(help: str, *, many: bool = False) -> Callable[[Function], Function]:
    """`--kind`, also written `--type` and `-k`; the store knows which kinds there are."""
    return click.option(
        "-k",
        "--kind",
        "--type",
        "kinds" if many else "kind",
        multiple=many,
        metavar="KIND",
        shell_complete=_complete_kind,
        help=help,
    )


def limit_option(most: int | None) -> Callable[[Function], Function]:
    """`--limit`, also written `-n`: how many rows at most."""
    return click.option(
        "-n",
        "--limit",
        type=COUNT,
        metavar="N",
        default=most,
        show_default=most is not None,
        help="How many at most.",
    )


def filters(function: Function) -> Function:
    """The options that narrow what is looked at, handed over by `filters_of`."""
    for option in reversed(
        (
            kind_option("Only this kind of memory; may be repeated.", many=True),
            click.option("--scope", type=click.Choice([*SCOPES, "all"]), default="all",
                         show_default=True, help="Which store to look in."),
            click.option("-t", "--tag", "tags", multiple=True, metavar="TAG",
                         help="Only with this tag; may be repeated."),
            click.option("-f", "--file", metavar="PATH", help="Only what applies to this file."),
            click.option("--branch", metavar="NAME", help="Only what was learned on this branch."),
            click.option("--since", metavar="WHEN", help="Not before: 2026-11-05, 3d, yesterday."),
            click.option("--until", metavar="WHEN", help="Not after; the same forms."),
            click.option("--include-archived", is_flag=True,
                         help="Archived and superseded memories as well."),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def filters_of(options: dict[str, Any]) -> dict[str, Any]:
    """The filters among a command's `options`, as the verbs of `Cortex` name them."""
    named = {
        name: options[name]
        for name in ("kinds", "scope", "tags", "file", "branch", "since", "until")
    }
    if options["include_archived"]:
        named["statuses"] = ALL_STATUSES
    return named


def text_of(words: Sequence[str], *, what: str) -> str:
    """The text given as `words`, or as stdin for a single `-`.

    Raises:
        UsageError: it is empty; `what` names it in the message.
    """
    text = " ".join(words)
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        raise UsageError(f"No {what} was given, so nothing was changed. Give it, or - for stdin.")
    return text


@contextmanager
def lines_of(path: str) -> Iterator[Iterator[str]]:
    """The lines of the file at `path`, or of stdin for `-`, without their line ends.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with click.open_file(path, "rb") as stream:
            yield _decoded(stream)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"“{path}” cannot be read: {reason}. Nothing was done.") from error


def _decoded(stream: IO[bytes]) -> Iterator[str]:
    for number, line in enumerate(stream):
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        yield text if number else text.removeprefix("\ufeff")
