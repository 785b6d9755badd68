"""The dialog that picks a memory: the other end of a link, or of a way on the map."""

from __future__ import annotations

from functools import partial

from textual import getters, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from cortex_core.base.errors import CortexError
from cortex_core.base.kinds import DEFAULT
from cortex_core.records.memory import Key, Memory
from cortex_tui.actions import map_actions as actions
from cortex_tui.context import Fetched
from cortex_tui.screens.dialogs import Dialog
from cortex_tui.session import StoreSession

Candidates = tuple[tuple[Key, Memory], ...]
"""Memories that can be picked."""


class PickMemory(Dialog[Memory | None]):
    """Lets the user pick a memory of the same store; None when the user leaves."""

    AUTO_FOCUS = "Input"

    choices = getters.query_one(OptionList)

    def __init__(self, title: str, of: Memory) -> None:
        """Offer the memories that `of` can be linked with."""
        super().__init__(title, default=None)
        self._of = of
        self._found: Candidates = ()

    def fields(self) -> ComposeResult:
        yield Input(placeholder="type words to search for", compact=True)
        yield OptionList(compact=True, markup=False)
        yield Static("", id="hint")
        yield self.hint(("enter", "choose"), ("move.back", "cancel"))

    def on_mount(self) -> None:
        self.choices.can_focus = False
        self._look("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._look(event.value)

    def _look(self, words: str) -> None:
        if self.context.stores is not None:
            self._search(partial(self._read, self.context.stores, words))

    def _read(self, stores: StoreSession, words: str) -> Fetched:
        try:
            candidates = actions.candidates(stores, words, self._of.scope, self._of.id)
        except CortexError as error:
            return Fetched(partial(self._offer, words, (), str(error)))
        return Fetched(partial(self._offer, words, tuple(candidates)))

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="pick",
        description="Looking for memories",
    )
    def _search(self, task: partial[Fetched]) -> None:
        self.post_message(task())

    @on(Fetched)
    def _fetched(self, event: Fetched) -> None:
        event.show()

    def _offer(self, words: str, found: Candidates, problem: str = "") -> None:
        """Show what holds `words`, unless others were typed meanwhile."""
        if words != self.query_one(Input).value:
            return
        glyphs, stores = self.context.glyphs, self.context.stores
        kinds = DEFAULT if stores is None else stores.cortex.config.kinds
        self._found = found
        signs = (glyphs.kind(kinds.known(memory.kind)) for _, memory in found)
        titles = (glyphs.line(memory.title) for _, memory in found)
        self.choices.set_options(
            Option(Content(" ".join(one))) for one in zip(signs, titles, strict=True)
        )
        self.choices.highlighted = 0 if found else None
        nothing = "" if found else "No other memory of this store has all of these words."
        self.query_one("#hint", Static).update(Content(glyphs.line(problem or nothing)))

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
