"""The line under the search: the filters as chips that can be clicked away, and the marks."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from cortex_tui.glyphs import Glyphs
from cortex_tui.queries import Chip

LONGEST = 32
"""Characters of a chip that are shown."""


def counted(marked: int, hidden: int, *, ranging: bool = False) -> str:
    """`3 marked, 1 not shown`; "" where nothing is."""
    if not marked and not ranging:
        return ""
    told = "marking a range" if ranging else f"{marked:,} marked"
    return f"{told}, {hidden:,} not shown" if hidden else told


def line(chips: Sequence[Chip], marks: str, glyphs: Glyphs, width: int) -> Content:
    """The line in `width` cells; chips that do not fit are counted."""
    room = width - (cell_len(marks) + 3 if marks else 0)
    pieces: list[Content] = []
    for place, chip in enumerate(chips):
        piece = _chip(chip, place, glyphs)
        rest = len(chips) - place - 1
        if room < piece.cell_length + 1 + (9 if rest else 0):
            pieces.append(Content.assemble((f"+{rest + 1} more", "$muted")))
            break
        pieces.append(piece)
        room -= piece.cell_length + 1
    left = Content(" ").join(pieces)
    gap = " " * max(1, width - left.cell_length - cell_len(marks))
    click = Style.from_meta({"@click": "screen.mark_none"})
    return left + gap + Content.assemble((marks, "bold $text-accent")).stylize(click)


def _chip(chip: Chip, place: int, glyphs: Glyphs) -> Content:
    told = glyphs.line(str(chip))
    if len(told) > LONGEST:
        told = told[: LONGEST - 1] + glyphs.signs.ellipsis
    click = Style.from_meta({"@click": f"screen.drop_filter({place})"})
    words = Content.assemble(
        (f" {told} ", "$text-accent on $panel"), (f"{glyphs.signs.cross} ", "$muted on $panel")
    )
    return words.stylize(click)


class FilterLine(Widget):
    """The filters in force."""

    chips: reactive[tuple[Chip, ...]] = reactive(())
    marks: reactive[str] = reactive("")
    auto_links = False

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def render(self) -> Content:
        return line(self.chips, self.marks, self.glyphs, self.size.width)
