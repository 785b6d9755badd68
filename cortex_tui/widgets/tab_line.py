"""The line that names a page's sections, how much each holds, and which one is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget


class Tab(NamedTuple):
    """One section of a page."""

    name: str
    label: str
    key: str
    """The id of the key that shows it."""


class TabLine(Widget):
    """The sections of a page; a click shows one."""

    shown: reactive[str] = reactive("")
    counts: reactive[Mapping[str, str]] = reactive({})
    """What stands behind a label: how many, or what is wrong."""
    keys: reactive[Mapping[str, str]] = reactive({})
    """The key of each section, as the user reads it."""
    auto_links = False

    def __init__(self, tabs: Sequence[Tab]) -> None:
        super().__init__()
        self.tabs = tabs

    def render(self) -> Content:
        return line(self.tabs, self.shown, self.counts, self.keys, self.size.width)


def line(
    tabs: Sequence[Tab],
    shown: str,
    counts: Mapping[str, str],
    keys: Mapping[str, str],
    width: int,
) -> Content:
    """The sections in `width` cells; where room is short, keys are left out, then counts."""
    for gap, with_keys, with_counts in ((3, True, True), (2, True, True), (2, False, True),
                                        (1, False, False)):  # fmt: skip
        pieces = [
            _piece(tab, tab.name == shown, counts.get(tab.name, "") if with_counts else "",
                   keys.get(tab.name, "") if with_keys else "")
            for tab in tabs
        ]  # fmt: skip
        made = Content(" " * gap).join(pieces)
        if cell_len(made.plain) <= width - 2:
            break
    return Content(" ") + made


def _piece(tab: Tab, is_shown: bool, count: str, key: str) -> Content:
    """One section; its key is its first letter, or stands before it."""
    plain = "bold underline $foreground" if is_shown else "$muted"
    begins = bool(key) and tab.label.startswith(key)
    piece = Content.assemble(
        (f"{key} " if key and not begins else "", "$text-accent"),
        (tab.label[:1], "bold $text-accent" if begins and not is_shown else plain),
        (tab.label[1:], plain),
        (f" {count}" if count else "", "$text-accent" if is_shown else "$muted"),
    )
    return piece.stylize(Style.from_meta({"@click": f"screen.section('{tab.name}')"}))
