"""How every screen over the stores changes something: one job after the other, told when done."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock

from textual import on, work

from cortex_core.memory import Key
from cortex_tui import keymap
from cortex_tui.messages import Changed, Failed
from cortex_tui.queries import Done, Verb
from cortex_tui.screens.base import StoreScreen
from cortex_tui.session import StoreSession

SOON = 0.5
"""Seconds after which a job that is not done is told to be under way."""


class ChangingScreen(StoreScreen):
    """Undo, redo, and what became of a change."""

    BINDINGS = [*keymap.bindings("store")]

    def __init__(self) -> None:
        super().__init__()
        self._acting = Lock()
        self._jobs: SimpleQueue[Callable[[StoreSession], Done]] = SimpleQueue()

    def act(self, verb: Verb, *keys: Key) -> None:
        """Carry out `verb` after what was asked for before it."""
        self.do(lambda stores: stores.act(verb, *keys))

    def do(self, task: Callable[[StoreSession], Done]) -> None:
        """Change something, after what was asked for before it."""
        if self.stores is not None:
            self._jobs.put(task)
            self._do(self.stores)
            self.set_timer(SOON, self._say_under_way)

    @work(thread=True, exit_on_error=False, group="act", description="Changing something")
    def _do(self, stores: StoreSession) -> None:
        with self._acting:
            task = self._jobs.get()
            self._report(lambda: Changed(task(stores)))

    def _say_under_way(self) -> None:
        if any(job.group == "act" and not job.is_finished for job in self.workers):
            self.say("Working. You can look around meanwhile.")

    def say(self, sentence: str, *, warns: bool = False) -> None:
        """Tell the user, for a moment."""
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
