"""What a person can do on every screen over the stores: undo, redo, and what became of a change."""

from __future__ import annotations

from textual import on

from cortex_tui import keymap
from cortex_tui.messages import Changed, Failed
from cortex_tui.screens.base import StoreScreen


class ChangingScreen(StoreScreen):
    """Undo, redo, and what became of a change."""

    BINDINGS = [*keymap.bindings("store")]

    def say(self, sentence: str, *, warns: bool = False) -> None:
        """Tell the person, for a moment."""
        raise NotImplementedError

    @on(Changed)
    def _say_change(self, event: Changed) -> None:
        undo = self.app.keymap.first("change.undo")
        takes_back = f" ({undo} takes it back)" if undo and event.done.verb != "undo" else ""
        self.say(event.done.sentence + takes_back)

    @on(Failed)
    def _failed(self, event: Failed) -> None:
        self.show_failure(event)

    def show_failure(self, failed: Failed) -> None:
        """Say what was not done."""
        self.say(failed.reason, warns=True)

    def action_undo(self) -> None:
        self.act("undo")

    def action_redo(self) -> None:
        self.act("redo")
