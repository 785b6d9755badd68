"""The line where a prompt or a file is typed, and what it would add to what is given."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from cortex_core.text import one_line
from cortex_tui import keymap

LONGEST = 20_000
"""Characters of a prompt that are looked at."""


class PromptInput(Input):
    """One line; what is pasted becomes one."""

    BINDINGS = [*keymap.bindings("prompt")]

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        self.replace(one_line(event.text[:LONGEST]), *self.selection)

    def action_line(self, step: int) -> None:
        self.post_message(PromptLine.Moved(step))


class PromptLine(Horizontal):
    """Prompt and answer."""

    @dataclass
    class Typed(Message):
        """The words changed."""

        words: str

    class Left(Message):
        """The user is done typing."""

    @dataclass
    class Moved(Message):
        """The user moves in the list while typing."""

        step: int

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield Static("/", id="sign", markup=False)
        yield PromptInput(placeholder=self._placeholder, compact=True, select_on_focus=False)
        yield Static(id="added", markup=False)

    @property
    def words(self) -> str:
        """What is typed."""
        return self.query_one(PromptInput).value

    def type(self) -> None:
        """Begin to type."""
        self.screen.set_focus(self.query_one(PromptInput))

    def clear(self) -> None:
        """Forget the words."""
        self.query_one(PromptInput).value = ""

    def show(self, added: str) -> None:
        """Say what the words add."""
        self.query_one("#added", Static).update(Content.styled(added, "$muted"))

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value[:LONGEST]))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Left())
