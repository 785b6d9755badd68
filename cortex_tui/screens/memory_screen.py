"""The base of every screen with a memory at hand: pin, forget, copy, edit, tag, move and the like.

A key that does nothing for the memory says why. Copying uses the terminal (OSC 52) and the
machine's clipboard, whichever works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from cortex_core.records.memory import Key, Memory
from cortex_tui import keymap
from cortex_tui.actions import memories_actions as actions
from cortex_tui.keymap import TABLE
from cortex_tui.queries import Verb
from cortex_tui.screens.base import StoreScreen
from cortex_tui.session import refusal

if TYPE_CHECKING:
    from cortex_tui.screens.editing import MemoryEditing

Aimed = Callable[[Sequence[Key], Sequence[Memory]], object]
"""What is done with the memories that a key is for; those known already come with their keys."""


class MemoryScreen(StoreScreen):
    """A screen on which the user means a memory, `current`; several where `aim` says so."""

    BINDINGS = [*keymap.bindings("memory")]

    def __init__(self) -> None:
        super().__init__()
        self.copying = Copying(self)

    @cached_property
    def editing(self) -> MemoryEditing:
        """Edits the memories; loaded when it is first used, with the dialogs and the editor."""
        from cortex_tui.screens.editing import MemoryEditing

        return MemoryEditing(self)

    def current(self) -> tuple[Key | None, Memory | None]:
        """The memory that the user means."""
        raise NotImplementedError

    def aim(self, action: str, then: Aimed) -> None:
        """Call `then` with the memories that `action` is for, or say why there are none."""
        if (target := self.aim_at_one(action)) is not None:
            then([target[0]], [target[1]])

    def aim_at_one(self, action: str) -> tuple[Key, Memory] | None:
        """The one memory that `action` is for, None after having said why there is none."""
        key, memory = self.current()
        if why := refusal(action, memory, team=self.has_team):
            self.say(why, warns=True)
        return None if why or key is None or memory is None else (key, memory)

    @property
    def has_team(self) -> bool:
        """Whether the project follows a team."""
        return self.stores is not None and self.stores.has_team

    def show_refused(self, memory: Memory | None, others: Iterable[str] = ()) -> None:
        """Grey out the keys that do nothing for `memory`, and `others`; leave out those that need
        one where there is none."""
        if memory is None:
            others = (*others, "move.open")
        refused = {key.id for key in TABLE if refusal(key.id, memory, team=self.has_team)}
        self.hints.disabled_keys = frozenset(refused.union(others))

    # --- keys

    def action_pin(self) -> None:
        self._act("memory.pin", "pin")

    def action_forget(self) -> None:
        self._act("memory.forget", "forget")

    def action_restore(self) -> None:
        self._act("memory.restore", "restore")

    def _act(self, action: str, verb: Verb) -> None:
        self.aim(action, lambda keys, _: self.changes.act(verb, *keys))

    def action_detail(self) -> None:
        self._go_to("memory.detail", "detail")

    def action_map(self) -> None:
        self._go_to("memory.map", "map")

    def action_source(self) -> None:
        """Show the turn in which it was said."""
        if (target := self.aim_at_one("memory.source")) is not None:
            self.context.go("turn", target[1])

    def _go_to(self, action: str, screen: str) -> None:
        if (target := self.aim_at_one(action)) is not None:
            self.context.go(screen, target[0])

    def action_copy(self) -> None:
        self.aim("memory.copy", partial(self.copying.memories, "text"))

    def action_copy_id(self) -> None:
        self.aim("memory.copy_id", partial(self.copying.memories, "id"))

    def action_edit(self) -> None:
        if (target := self.aim_at_one("memory.edit")) is not None:
            self.converse(self.editing.edit(*target), "Editing", exclusive=False)

    def action_file(self) -> None:
        """Open the file that the memory is about in the user's editor."""
        if (target := self.aim_at_one("memory.file")) is not None:
            self.converse(self.editing.open_file(target[1]), "Opening the file")

    def action_set(self, what: str = "") -> None:
        """Set a property of the memory, or of several; without `what` the user chooses which."""
        if not what:
            self.aim("memory.set", self.editing.choose_property)
        elif what in actions.ALONE and (target := self.aim_at_one(f"memory.{what}")) is not None:
            self.editing.set(what, [target[0]], [target[1]])
        elif what not in actions.ALONE:
            self.aim(f"memory.{what}", partial(self.editing.set, what))


class Copying:
    """Copies for a screen: by the terminal and by the machine, whichever works."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen

    def memories(self, what: str, keys: Sequence[Key], _known: Sequence[Memory]) -> None:
        """Read what there is to copy of memories, `text` or `id`, and copy it."""
        read = actions.texts if what == "text" else actions.ids
        name = f"the {what}" if len(keys) == 1 else f"{len(keys):,} {what}s"
        show = partial(self.copy, name=name)
        self.screen.fetch(partial(read, keys=keys), show, group="copied", what="Copying")

    def copy(self, value: str, name: str) -> None:
        """Copy `value`, which a sentence calls `name`, and say so."""
        fits = len(value.encode("utf-8", "replace")) <= TERMINAL_LIMIT
        if fits:
            self.screen.app.copy_to_clipboard(value)
        copied = f"Copied {name}: {len(value):,} characters."
        self.screen.fetch(
            lambda stores: copy_by_machine(value) or fits,
            lambda done: self.screen.say(copied if done else TOO_LONG, warns=not done),
            group="copy",
            what="Copying",
        )


TERMINAL_LIMIT = 74_000
"""Characters; many terminals refuse an OSC 52 of more than 100,000 bytes of base64."""
TOO_LONG = "It is too long for the terminal's clipboard. Nothing was copied."


def copy_by_machine(text: str) -> bool:
    """Hand `text` to the machine's clipboard; False where there is none. Starts a program: slow."""
    import pyperclip

    try:
        pyperclip.copy(text)
    except (pyperclip.PyperclipException, OSError, UnicodeError):
        return False
    return True
