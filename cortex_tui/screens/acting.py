"""What the user can do with the memory at hand, or with several that are marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import on, work
from textual.message import Message
from textual.screen import Screen

from cortex_core import text
from cortex_core.memory import Key, Memory
from cortex_tui import clipboard, keymap
from cortex_tui.actions import memories as actions
from cortex_tui.glyphs import Glyphs
from cortex_tui.queries import Verb
from cortex_tui.screens import wording
from cortex_tui.screens.changing import ChangingScreen
from cortex_tui.screens.editing import Aimed, EditingScreen

__all__ = ["ActingScreen", "ChangingScreen"]


@dataclass
class Copied(Message):
    """What is to be copied has been read."""

    text: str
    name: str


class ActingScreen(EditingScreen):
    """Pin, forget, restore, copy: a memory is at hand. A key that does nothing says why."""

    BINDINGS = [*keymap.bindings("memory")]

    def aim(self, action: str, then: Aimed) -> None:
        if (found := self.aim_at_one(action)) is not None:
            then([found[0]], [found[1]])

    def aim_at_one(self, action: str) -> tuple[Key, Memory] | None:
        key, memory = self.current()
        if why := wording.refusal(action, memory):
            self.say(why, warns=True)
        return None if why or key is None or memory is None else (key, memory)

    def _change(self, action: str, verb: Verb) -> None:
        self.aim(action, lambda keys, _: self.act(verb, *keys))

    def action_pin(self) -> None:
        self._change("memory.pin", "pin")

    def action_forget(self) -> None:
        self._change("memory.forget", "forget")

    def action_restore(self) -> None:
        self._change("memory.restore", "restore")

    def action_detail(self) -> None:
        from cortex_tui.screens.detail import DetailScreen

        self._open("memory.detail", DetailScreen)

    def action_neighbours(self) -> None:
        from cortex_tui.screens.neighbours import NeighboursScreen

        self._open("memory.neighbours", NeighboursScreen)

    def _open(self, action: str, screen: Callable[[Glyphs, Key], Screen[None]]) -> None:
        if (found := self.aim_at_one(action)) is not None:
            self.app.push_screen(screen(self.app.glyphs, found[0]))

    def action_copy(self) -> None:
        self.aim("memory.copy", lambda keys, known: self._copy_of(keys, known, "text"))

    def action_copy_id(self) -> None:
        self.aim("memory.copy_id", lambda keys, known: self._copy_of(keys, known, "id"))

    def _copy_of(self, keys: Sequence[Key], known: Sequence[Memory], what: str) -> None:
        """Copy the texts or the ids of the memories behind `keys`."""
        if len(keys) == 1:
            value = text.clean(known[0].content) if what == "text" else known[0].id
            self._copy(value, f"the {what}")
        else:
            take = actions.texts if what == "text" else actions.ids
            name = f"{len(keys):,} {what}s"
            self.fetch(lambda stores: Copied(take(stores, keys), name), group="copied",
                       what="Copying")  # fmt: skip

    @on(Copied)
    def _copied(self, event: Copied) -> None:
        self._copy(event.text, event.name)

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
