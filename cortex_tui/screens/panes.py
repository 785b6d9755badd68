"""Panes next to a list: what is under the cursor in full, and the turn in which it was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from cortex_core.base.errors import CortexError
from cortex_core.records.conversation import Said, Turn
from cortex_tui import keymap
from cortex_tui.context import context_of
from cortex_tui.glyphs import Glyphs
from cortex_tui.session import StoreSession
from cortex_tui.widgets.lines import BLANK, StyledLine, content, hung, short_path, when, wrapped
from cortex_tui.widgets.preview import Read

if TYPE_CHECKING:
    from cortex_tui.actions.detail_actions import Spoken
    from cortex_tui.screens.base import StoreScreen

WHO = {
    "person": "you",
    "assistant": "agent",
    "tool": "tool",
    "result": "result",
    "summary": "summary of what went before",
}
QUIET = frozenset({"tool", "result"})
"""Speakers whose words are shown muted."""
NO_TURN = Turn(transcript="", session="", number=0, said=())
ABOVE = 4
"""Lines that are shown above the message that is meant."""
ORIGIN_REST = 0.1
"""Seconds from a move of the cursor to the turn, which has to be looked up in a transcript."""


class ReadingPane(Read, VerticalScroll, can_focus=True, inherit_bindings=False):
    """Some lines to read, wrapped and scrolled."""

    BINDINGS = [*keymap.bindings("moving"), *keymap.bindings("sideways")]
    BORDER_TITLE = "Details"

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[Content] = ()

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, lines: Sequence[Content]) -> None:
        """Show `lines` from their beginning, or that there is nothing to read about; a value stays
        at the right of its label."""
        self._lines = (
            lines if any(lines) else [Content.styled("Nothing is under the cursor.", "$muted")]
        )
        self._lay_out()
        self.scroll_home(animate=False)

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        shown = [part for one in self._lines for part in hung(one, width)]
        self.query_one(Static).update(Content("\n").join(shown))


class TurnPane(ReadingPane):
    """A turn of a session, which opens at the message that is meant."""

    def __init__(self) -> None:
        super().__init__()
        self._turn, self._what = NO_TURN, ""

    def show_turn(self, turn: Turn, what: str) -> None:
        """Show `turn`; `what` happened in the message that is meant.

        One that is shown already stays where it was scrolled to.
        """
        if turn != self._turn:
            self._turn, self._what = turn, what
            self.draw_turn()

    def draw_turn(self) -> None:
        """Draw it for the width of the pane, its message near the top."""
        width, glyphs = self.scrollable_content_region.width, context_of(self.app).glyphs
        lines = list(turn_lines(self._turn, self._what, width, glyphs))
        self.show([content([one]) for one in lines])
        at = next((index for index, one in enumerate(lines) if one.target is not None), 0)
        # The pane can be scrolled that far when it has grown to hold the lines.
        self.call_after_refresh(self.scroll_to, y=max(0, at - ABOVE), animate=False)

    def on_resize(self) -> None:
        if self._turn is not NO_TURN:
            self.draw_turn()


def turn_lines(turn: Turn, what: str, width: int, glyphs: Glyphs) -> Iterator[StyledLine]:
    """Its messages, each block with who said it; the one that is meant has a mark and a word.

    Args:
        what: what happened there.
    """
    yield from wrapped(glyphs.line(short_path(turn.transcript)), width, "muted")
    for said in turn.said:
        yield BLANK
        yield _who(said, what, glyphs)
        mark = f"{glyphs.signs.wall} " if said.here else "  "
        part = "muted" if said.by in QUIET else "text"
        for words in glyphs.block(said.text).expandtabs(4).split("\n"):
            for piece in wrapped(words, width - 2, part):
                yield StyledLine(((mark, "accent"), *piece.pieces), target=0 if said.here else None)


def _who(said: Said, what: str, glyphs: Glyphs) -> StyledLine:
    time = f"  {when(said.time)}" if said.time else ""
    here = f"   {glyphs.signs.back} {what} here" if said.here else ""
    return StyledLine(((WHO[said.by], "title"), (time, "muted"), (here, "accent")))


class OriginPane(TurnPane):
    """The turn in which what is under the cursor was said, where the screen has room for it."""

    BORDER_TITLE = "The turn it came from"

    def __init__(self) -> None:
        super().__init__()
        self._of: Spoken | None = None
        self._timer: Timer | None = None

    def on_show(self) -> None:
        self.follow(self._of)

    def follow(self, of: Spoken | None) -> None:
        """Show where `of` was said, once the cursor rests on it; nothing for None."""
        self._of = of
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(ORIGIN_REST, self._ask)

    def _ask(self) -> None:
        if self.display:
            cast("StoreScreen", self.screen).fetch(
                partial(self._read, self._of),
                self._found,
                group="origin",
                what="Reading where it came from",
            )

    @staticmethod
    def _read(of: Spoken | None, stores: StoreSession) -> Turn | str:
        """The turn, or why there is none."""
        from cortex_tui.actions import detail_actions  # loaded when the first is shown

        try:
            return "" if of is None else detail_actions.turn(stores, of)
        except CortexError as error:
            return str(error)

    def _found(self, found: Turn | str) -> None:
        if isinstance(found, Turn):
            self.show_turn(found, "it was")
        else:
            self._turn = NO_TURN
            self.show([Content.styled(context_of(self.app).glyphs.block(found), "$muted")])
