"""The turn of a session that a memory came from, with those around it, without secrets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from cortex_core.memory import Memory
from cortex_core.reports.detail import Said, Turn
from cortex_tui import keymap
from cortex_tui.actions import detail as actions
from cortex_tui.glyphs import Glyphs
from cortex_tui.messages import Failed
from cortex_tui.queries import Revision
from cortex_tui.screens.page import Page
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets.lines import BLANK, Line, short_path, when, wrapped
from cortex_tui.widgets.section import Section
from cortex_tui.widgets.sections import Sections

WHO = {
    "person": "you", "assistant": "Claude", "tool": "tool", "result": "result",
    "summary": "summary of what went before", "note": "note of Claude Code",
}  # fmt: skip
QUIET = frozenset({"tool", "result", "note"})
"""Whose words stand back."""


@dataclass
class TurnRead(Message):
    """The turn is read."""

    turn: Turn
    revision: Revision


def lines(turn: Turn, width: int, glyphs: Glyphs) -> Iterator[Line]:
    """The turns, each block with who said it; the one that is meant has a mark and a word."""
    told = "It lies elsewhere than when it was read: " if turn.moved else ""
    yield from wrapped(glyphs.line(told + short_path(turn.transcript)), width, "muted")
    if turn.differs:
        warning = (
            "The transcript holds something else at this place than what the memory came from; "
            "the turns that stand there now are shown."
        )
        yield from wrapped(f"{glyphs.signs.status['quarantined']} {warning}", width, "warning")
    for said in turn.said:
        yield BLANK
        yield _who(said, glyphs)
        mark = f"{glyphs.signs.wall} " if said.here else "  "
        part = "muted" if said.by in QUIET else "text"
        for words in glyphs.block(said.text).expandtabs(4).split("\n"):
            for piece in wrapped(words, width - 2, part):
                yield Line(((mark, "accent"), *piece.pieces), target=0 if said.here else None)


def _who(said: Said, glyphs: Glyphs) -> Line:
    time = f"  {when(said.time)}" if said.time else ""
    here = f"   {glyphs.signs.back} the memory came from here" if said.here else ""
    return Line(((WHO[said.by], "title"), (time, "muted"), (here, "accent")))


class TurnScreen(Page):
    """Where a memory came from."""

    PLACE = "turn"
    NAME = ""
    BINDINGS = [*keymap.bindings("turn")]
    CSS_PATH = STYLES / "sections.tcss"
    AUTO_FOCUS = "#transcript"

    def __init__(self, glyphs: Glyphs, memory: Memory, place: int = 0) -> None:
        super().__init__(glyphs)
        self.memory = memory
        self.place = place
        """Which of the memory's sources, counted from 0."""
        self._seen = False

    def body(self) -> ComposeResult:
        with Sections():
            section = Section(self.glyphs, "Transcript", id="transcript")
            section.jumps = False
            yield section

    def load(self) -> None:
        self.fetch(
            partial(self._asked, self.memory.id, self.place),
            group="turn", what="Reading the transcript",
        )  # fmt: skip

    @staticmethod
    def _asked(name: str, place: int, stores: StoreSession) -> Message:
        return TurnRead(actions.turn(stores, name, place), stores.cortex.workspace.revision())

    @on(TurnRead)
    def _read(self, event: TurnRead) -> None:
        self.revision = event.revision
        self.show_notice(False)
        section = self.query_one(Section)
        section.fill(lambda width: list(lines(event.turn, width, self.glyphs)),
                     self.glyphs.line(self.memory.title))  # fmt: skip
        if not self._seen:
            self._seen = True
            self.call_after_refresh(lambda: self.call_after_refresh(self._go_there))

    def _go_there(self) -> None:
        """Let what was meant stand near the top."""
        section, sections = self.query_one(Section), self.query_one(Sections)
        if section.targets:
            top = section.virtual_region.y + section.cursor_region().y
            sections.scroll_to(y=max(0, top - 4), animate=False)

    def show_failure(self, failed: Failed) -> None:
        if self.revision is not None or failed.unusable:
            super().show_failure(failed)
            return
        self.show_notice(True)
        steps = [(self.app.keymap.first("page.back"), "go back")]
        self.notice.warn("There is no turn to show", failed.reason, steps)
