"""The frame of every screen but the memories: strip, body, a notice in its place, key hints.

A page reads what it shows when it comes to the front, and again whenever a store has changed.
"""

from __future__ import annotations

from typing import ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.messages import Beat, Changed, Failed
from cortex_tui.screens import wording
from cortex_tui.screens.acting import ChangingScreen
from cortex_tui.screens.base import PULSE
from cortex_tui.session import StoreSession
from cortex_tui.widgets.capture_strip import CaptureStrip
from cortex_tui.widgets.key_hints import KeyHints
from cortex_tui.widgets.notice import Notice

WIDE = 100
"""Columns from which there is room for a second column."""
TALL = 30
"""Lines from which there is room for more than the essentials."""


class Reopened(Message):
    """The stores were opened afresh."""


def _reopened(stores: StoreSession) -> Reopened:
    stores.reopen()
    return Reopened()


class Page(ChangingScreen):
    """A screen over the memories. Subclasses give `PLACE`, `body` and `load`."""

    NAME: ClassVar[str]
    """What `go` calls it; empty where it takes a memory."""
    BINDINGS = [*keymap.bindings("page")]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]

    strip = getters.query_one(CaptureStrip)
    notice = getters.query_one(Notice)
    hints = getters.query_one(KeyHints)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._unusable = False

    def compose(self) -> ComposeResult:
        # Textual sets these classes too, but only after a first layout without them.
        self.set_class(self.app.size.width >= WIDE, "-wide")
        self.set_class(self.app.size.height >= TALL, "-tall")
        yield CaptureStrip(self.glyphs)
        with Container(id="page"):
            yield from self.body()
        yield Notice(self.glyphs)
        yield KeyHints(self.glyphs, self.PLACE)

    def body(self) -> ComposeResult:
        """The widgets between strip and hints."""
        raise NotImplementedError

    def load(self) -> None:
        """Ask for what is shown, by `fetch`; whoever takes the answer sets `revision`."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.hints.keymap = self.app.keymap
        self.load()
        self.pulse()
        self.set_interval(PULSE, self._beat)

    def on_screen_resume(self) -> None:
        if self.revision is not None:
            self.load()

    def say(self, sentence: str, *, warns: bool = False) -> None:
        self.hints.say(sentence, warns=warns)

    def show_notice(self, shown: bool) -> None:
        """Show the notice in place of the body, or the body again."""
        self.set_class(shown, "-notice")

    def show_failure(self, failed: Failed) -> None:
        if failed.unusable:
            self._unusable = True
            self.show_notice(True)
            self.notice.warn(*wording.unusable(failed.reason, self.app.keymap))
        else:
            super().show_failure(failed)

    def _beat(self) -> None:
        if self.is_current:
            self.pulse()

    @on(Beat)
    def _beat_came(self, event: Beat) -> None:
        self.strip.now = self.app.now // 60 * 60
        if event.pulse.status is not None:
            self.strip.status, self.told = event.pulse.status, event.pulse.revision
        if self.revision is not None and event.pulse.revision != self.revision:
            self.load()

    @on(Changed)
    def _changed(self, event: Changed) -> None:
        self.load()
        self.pulse()

    def action_refresh(self) -> None:
        """Read again; stores that could not be read are opened afresh first."""
        if self._unusable:
            self._unusable = False
            self.fetch(_reopened, group="reopen", what="Opening the stores")
        else:
            self.load()
            self.say("Read again.")

    @on(Reopened)
    def _stores_reopened(self) -> None:
        self.load()
        self.say("Opened again.")

    def action_back(self) -> None:
        self.app.pop_screen()
