"""What a person can do with the memory under the cursor, on every screen that has one."""

from __future__ import annotations

from textual import on, work

from cortex_core import text
from cortex_core.memory import Memory
from cortex_tui import clipboard
from cortex_tui.answers import Key, Verb
from cortex_tui.messages import Changed, Failed
from cortex_tui.screens import wording
from cortex_tui.screens.base import StoreScreen


class ActingScreen(StoreScreen):
    """Pin, forget, restore, undo, redo, copy. A key that does nothing says why."""

    def current(self) -> tuple[Key | None, Memory | None]:
        """The memory that the person means."""
        raise NotImplementedError

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

    def _change(self, action: str, verb: Verb) -> None:
        key, memory = self.current()
        if why := wording.refusal(action, memory):
            self.say(why, warns=True)
        else:
            self.act(verb, key)

    def action_pin(self) -> None:
        self._change("memory.pin", "pin")

    def action_forget(self) -> None:
        self._change("memory.forget", "forget")

    def action_restore(self) -> None:
        self._change("memory.restore", "restore")

    def action_undo(self) -> None:
        self.act("undo")

    def action_redo(self) -> None:
        self.act("redo")

    def action_copy(self) -> None:
        _, memory = self.current()
        if why := wording.refusal("memory.copy", memory):
            self.say(why, warns=True)
        elif memory is not None:
            self._copy(text.clean(memory.content), "the text")

    def action_copy_id(self) -> None:
        _, memory = self.current()
        if why := wording.refusal("memory.copy_id", memory):
            self.say(why, warns=True)
        elif memory is not None:
            self._copy(memory.id, "the id")

    def _copy(self, value: str, name: str) -> None:
        problem = clipboard.by_terminal(self.app, value)
        self.say(problem or f"Copied {name}: {len(value):,} characters.", warns=bool(problem))
        self._copy_by_machine(value, name, problem)

    @work(thread=True, exclusive=True, exit_on_error=False, group="copy", description="Copying")
    def _copy_by_machine(self, value: str, name: str, problem: str) -> None:
        if clipboard.by_machine(value):
            if problem:
                self.app.call_from_thread(self.say, f"Copied {name}: {len(value):,} characters.")
        elif problem:
            self.app.call_from_thread(self.say, f"{problem} Nothing was copied.", warns=True)
