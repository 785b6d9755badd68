"""Choosing a memory by looking for it: words, and what is found as they are typed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import getters, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from cortex_core.errors import CortexError
from cortex_core.kinds import DEFAULT
from cortex_core.memory import Key, Memory
from cortex_tui import keymap
from cortex_tui.actions import neighbours as actions
from cortex_tui.screens.dialogs import Dialog
from cortex_tui.session import StoreSession
from cortex_tui.widgets.neighbour_lines import title_of

Found = tuple[tuple[Key, Memory], ...]


class PickMemory(Dialog[Memory | None]):
    """One memory of the store that another lies in; None when the user leaves."""

    BINDINGS = [*keymap.bindings("pick")]
    AUTO_FOCUS = "Input"

    choices = getters.query_one(OptionList)

    @dataclass
    class Offered(Message):
        """What holds the words is known."""

        words: str
        found: Found
        problem: str = ""

    def __init__(self, title: str, of: Memory) -> None:
        """Offer the memories that `of` can be linked with."""
        super().__init__(title, default=None)
        self._of = of
        self._found: Found = ()

    def fields(self) -> ComposeResult:
        yield Input(placeholder="type words to search for", compact=True)
        yield OptionList(compact=True, markup=False)
        yield Static("", id="hint")
        yield self.hint(("enter", "choose"), ("dialog.leave", "cancel"))

    def on_mount(self) -> None:
        self.choices.can_focus = False
        self._look("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._look(event.value)

    def _look(self, words: str) -> None:
        if self.app.stores is not None:
            self._search(partial(self._asked, self.app.stores, words))

    def _asked(self, stores: StoreSession, words: str) -> Offered:
        try:
            found = actions.candidates(stores, words, self._of.scope, self._of.id)
        except CortexError as error:
            return self.Offered(words, (), str(error))
        return self.Offered(words, tuple(found))

    @work(thread=True, exclusive=True, exit_on_error=False, group="pick",
          description="Looking for memories")  # fmt: skip
    def _search(self, task: partial[Offered]) -> None:
        self.post_message(task())

    @on(Offered)
    def _offer(self, event: Offered) -> None:
        if event.words != self.query_one(Input).value:
            return
        glyphs, stores = self.app.glyphs, self.app.stores
        kinds = DEFAULT if stores is None else stores.cortex.config.kinds
        self._found = event.found
        self.choices.set_options(
            Option(Content(title_of(memory, kinds, glyphs))) for _, memory in event.found
        )
        self.choices.highlighted = 0 if event.found else None
        nothing = "" if event.found else "No other memory of this store holds all of these words."
        self.query_one("#hint", Static).update(Content(glyphs.line(event.problem or nothing)))

    def action_move(self, step: int) -> None:
        if self._found:
            at = self.choices.highlighted or 0
            self.choices.highlighted = max(0, min(at + step, len(self._found) - 1))

    @on(Input.Submitted)
    def _entered(self) -> None:
        if self._found:
            self.dismiss(self._found[self.choices.highlighted or 0][1])

    @on(OptionList.OptionSelected)
    def _clicked_one(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._found[event.option_index][1])
