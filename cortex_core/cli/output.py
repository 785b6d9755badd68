"""The one place that writes to the terminal: JSON lines, tables, text and notes.

In a terminal, rich draws tables; in a pipe they are plain, complete and without colour. All text
is cleaned of escapes and control characters and is never read as markup. stdout gets answers only;
notes about them go to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TextIO, TypeVar

from cortex_core.base.text import clean, one_line
from cortex_core.records.as_json import to_json

if TYPE_CHECKING:
    from rich.console import Console


Item = TypeVar("Item")

_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""Characters that JSON allows in a string, but at which line readers may split."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    style: str = ""
    """A rich style; it only repeats what the text says."""
    right: bool = False
    fills: bool = False
    """Whether it takes the remaining width and is the column to cut."""


INDENT = 2
"""Columns by which a quoted text is indented."""

MARKED = "underline yellow"
"""The style of words that were searched for."""

WIDEST_LABEL = 30
"""Characters after which a label wraps on a screen."""


@dataclass(frozen=True, slots=True)
class View(Generic[Item]):
    """How one type of row is shown: as JSON and as a line of a table."""

    columns: tuple[Column, ...]
    row: Callable[[Item], Sequence[str]]
    """As many cells as there are columns; a column that is empty in every row is left out."""
    shape: Callable[[Item], Mapping[str, Any]] = to_json
    stacked: bool = False
    """Whether, on a screen, the last cell is a paragraph below the others."""
    headed: bool = False
    """Whether the names of the columns are written in a pipe too: the cells are mostly numbers."""


def prepare() -> None:
    """Make the streams replace characters that their encoding lacks, instead of raising."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def watched(stream: TextIO | None = None) -> bool:
    """Whether `stream` (by default stdout) is a terminal, and not a pipe or a file."""
    with suppress(ValueError):  # the stream is closed
        return (sys.stdout if stream is None else stream).isatty()
    return False


def emit(shape: Mapping[str, Any]) -> None:
    """Write one JSON object on its own line."""
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    line = json.dumps(shape, ensure_ascii=plain, default=str)
    if not plain:
        line = line.translate(_LINE_ENDS).encode("utf-8", "replace").decode("utf-8")
    sys.stdout.write(line + "\n")


def show(view: View[Item], items: Iterable[Item], *, as_json: bool, empty: str = "") -> int:
    """Write `items` as JSON lines or as one table, and return their number.

    `empty` is the note on stderr if there are none.
    """
    if as_json:
        shapes = [view.shape(item) for item in items]
        for shape in shapes:
            emit(shape)
        return len(shapes)
    rows = [tuple(one_line(cell) for cell in view.row(item)) for item in items]
    if rows and view.stacked and watched():
        width = min(WIDEST_LABEL, max(len(row[0]) for row in rows))
        for label, *middle, last in rows:
            heading = "  ".join(cell for cell in middle if cell)
            item(label, *((heading, "bold"),) * bool(heading), (last, "dim"), width=width)
    elif rows:
        _table(view.columns, rows, headed=view.headed)
    elif empty:
        note(empty)
    return len(rows)


def say(text: str = "", style: str = "", indent: int = 0) -> None:
    """Write a paragraph of an answer; wrap and style it only in a terminal.

    Args:
        indent: columns by which it is to the right, so that no line of a quotation looks like ours.
    """
    text = clean(text)
    if watched():
        from rich.padding import Padding
        from rich.text import Text

        _console().print(Padding(Text(text, style=style), (0, 0, 0, indent)))
        return
    for line in text.split("\n"):
        sys.stdout.write(f"{' ' * indent}{line}".rstrip() + "\n")


def verbatim(text: str) -> None:
    """Write `text` unchanged to a program, and cleaned to a terminal."""
    if watched():
        say(text.removesuffix("\n"))
    else:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")


def item(label: str, *paragraphs: tuple[str, str], width: int, marked: Sequence[str] = ()) -> None:
    """Write a `label` and, in a second column, paragraphs, each with its style.

    Args:
        width: the width of the label column in characters.
        marked: words that a terminal underlines in the paragraphs, see `base/excerpts.py`.
    """
    cleaned = [(one_line(text), style) for text, style in paragraphs]
    label = one_line(label)
    if watched():
        from rich.table import Table
        from rich.text import Text

        from cortex_core.base import excerpts

        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=width, style="cyan", overflow="fold")
        grid.add_column()
        # The label is printed once, before the first paragraph.
        for index, (text, style) in enumerate(cleaned):
            shown = Text(text, style=style)
            for start, end in excerpts.spans(marked, shown.plain):
                shown.stylize(MARKED, start, end)
            grid.add_row("" if index else Text(label), shown)
        _console().print(grid)
        return
    for index, (text, _) in enumerate(cleaned):
        sys.stdout.write(f"{'' if index else label:<{width}}  {text}".rstrip() + "\n")


def note(text: str) -> None:
    """Write a note about an answer to stderr."""
    sys.stderr.write(clean(text) + "\n")


def warn(text: str) -> None:
    """Write an error to stderr."""
    from click import style

    mark = (
        style("Error:", fg="red")
        if paints(sys.stderr) and not os.environ.get("NO_COLOR")
        else "Error:"
    )
    sys.stderr.write(f"{mark} {clean(text)}\n")


class Progress(Protocol):
    """The callback of a long-running verb."""

    def __call__(self, done: int, total: int, name: str = "", /) -> None:
        """`done` of `total` steps are finished; `name` is in progress."""


@contextmanager
def progress(label: str) -> Iterator[Progress]:
    """A bar on stderr while the block runs, only in a terminal; the `label` where that has no
    cursor to draw with."""
    if not paints(sys.stderr):
        if watched(sys.stderr):
            note(f"{label} …")
        yield lambda done, total, name="", /: None
        return
    from rich.progress import BarColumn, Progress as Bar, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[at]}", markup=False),
    )
    with Bar(*columns, console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, at="")

        def advance(done: int, total: int, name: str = "", /) -> None:
            bar.update(task, completed=done, total=total, at=one_line(name)[-30:])

        yield advance


def paints(stream: TextIO | None = None) -> bool:
    """Whether `stream` (by default stdout) is a terminal that knows colours and cursors."""
    return watched(stream) and os.environ.get("TERM") != "dumb"


@lru_cache(maxsize=2)
def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False, stderr=stderr)


def _table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], *, headed: bool = False
) -> None:
    kept = [index for index in range(len(columns)) if any(row[index] for row in rows)]
    columns = [columns[index] for index in kept]
    rows = [[row[index] for index in kept] for row in rows]
    if watched():
        _draw(columns, rows)
    else:
        _write(columns, [[column.name for column in columns], *rows] if headed else rows)


def _draw(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    wanted = [
        max(cell_len(column.name), *(cell_len(row[index]) for row in rows))
        for index, column in enumerate(columns)
    ]
    # Only columns that fill give way where the terminal is narrow; ids and dates are useless when
    # they are cut.
    fixed = sum(
        width + 2 for width, column in zip(wanted, columns, strict=True) if not column.fills
    )
    for column, width in zip(columns, wanted, strict=True):
        room = max(12, _console().width - fixed) if column.fills else width
        table.add_column(
            column.name,
            style=column.style,
            justify="right" if column.right else "left",
            overflow="ellipsis",
            no_wrap=True,
            width=min(width, room),
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    _console().print(table)


def _write(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[index]) for row in rows) for index in range(len(columns))]
    for row in rows:
        cells = [
            cell.rjust(width) if column.right else cell.ljust(width)
            for column, cell, width in zip(columns, row, widths, strict=True)
        ]
        sys.stdout.write("  ".join(cells).rstrip() + "\n")
