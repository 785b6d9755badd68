"""The pane in which the thing under the cursor is read in full."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from cortex_tui import keymap


class Reader(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Some lines to read, wrapped and scrolled."""

    BINDINGS = [*keymap.bindings("reader")]

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, lines: Sequence[Content]) -> None:
        """Show `lines` from their beginning."""
        self.query_one(Static).update(Content("\n").join(lines))
        self.scroll_home(animate=False)

    def action_lines(self, step: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)

    def action_pages(self, step: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + step * max(1, self.size.height - 1), animate=False)

    def action_leave(self) -> None:
        self.screen.focus_previous()
