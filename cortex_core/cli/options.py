"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.kinds import BUILT_IN
from cortex_core.cli import output
from cortex_core.types import SCOPES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Function = TypeVar("Function", bound=Callable[..., None])

ALL_STATUSES = ("active", "superseded", "archived")
"""The statuses for `--include-archived`; suggested and quarantined memories have own lists."""

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


def _complete_kind(
    _context: click.Context, _option: click.Parameter, incomplete: str
) -> list[CompletionItem | str]:
    return [kind.name for kind in BUILT_IN if kind.name.startswith(incomplete)]


def kind_option(help: str, *, many: bool = False) -> Callable[[Function], Function]:
    """`--kind`, also `--type` and `-k`; the store checks that the kind exists."""
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
    for option in reversed(
        (
            kind_option("Only memories of this kind; repeatable.", many=True),
            click.option("--scope", type=click.Choice([*SCOPES, "all"]), default="all",
                         show_default=True, help="Which store to search."),
            click.option("-t", "--tag", "tags", multiple=True, metavar="TAG",
                         help="Only memories with this tag; repeatable."),
            click.option("-f", "--file", metavar="PATH",
                         help="Only memories that apply to this file."),
            click.option("--branch", metavar="NAME", help="Only memories learned on this branch."),
            click.option("--since", metavar="WHEN",
                         help="Only after this time: 2026-11-05, 3d, yesterday."),
            click.option("--until", metavar="WHEN",
                         help="Only before this time; same formats as --since."),
            click.option("--include-archived", is_flag=True,
                         help="Include archived and superseded memories."),
        )
    ):  # fmt: skip
        function = option(function)
    return function


def filters_of(options: dict[str, Any]) -> dict[str, Any]:
    """The filters among a command's `options`, with the argument names of `Cortex`."""
    named = {
        name: options[name]
        for name in ("kinds", "scope", "tags", "file", "branch", "since", "until")
    }
    if options["include_archived"]:
        named["statuses"] = ALL_STATUSES
    return named


def text_of(words: Sequence[str], *, what: str) -> str:
    """The text in `words`, or from stdin for a single `-`.

    Raises:
        UsageError: the text is empty; `what` names it in the message.
    """
    text = " ".join(words)
    if text == "-":
        text = sys.stdin.buffer.read().decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        raise UsageError(f"The {what} is missing. Nothing was changed. Add it, or use - for stdin.")
    return text


@contextmanager
def lines_of(path: str) -> Iterator[Iterator[str]]:
    """The lines of the file at `path`, or of stdin for `-`, without line ends.

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
