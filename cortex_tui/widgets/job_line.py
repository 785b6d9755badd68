"""The line that shows how far something that takes its time has come."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.row import BAR_WIDTH, bar

Progress = Callable[..., None]
"""Told how much is done, how much there is, and maybe what is at work."""


class JobLine(Static):
    """Hidden while nothing is going on."""

    class Told(Message):
        """It has come further."""

        def __init__(self, done: int, total: int, name: str) -> None:
            super().__init__()
            self.done, self.total, self.name = done, total, name

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, JobLine.Told)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(markup=False)
        self.glyphs = glyphs
        self._what = self._hint = ""

    def begin(self, what: str, hint: str = "") -> None:
        """Show that `what` is going on, and what the user can do about it."""
        self._what, self._hint = what, hint
        self.display = True
        self.update(
            Content.assemble(
                (f"{what} {self.glyphs.signs.ellipsis}  ", "$text-accent"), (hint, "$muted")
            )
        )

    def end(self) -> None:
        """Show nothing."""
        self.display = False

    def tell(self, done: int, total: int, name: str = "") -> None:
        """Say how far it has come; from any thread."""
        self.post_message(self.Told(done, total, name))

    def on_job_line_told(self, event: Told) -> None:
        share = event.done / event.total if event.total else 0.0
        name = self.glyphs.line(event.name)[-30:]
        self.update(
            Content.assemble(
                (f"{self._what}  ", "$text-accent"),
                (f"{bar(share, self.glyphs):<{BAR_WIDTH}} {share:>4.0%}  ", "$foreground"),
                (f"{name}  {self._hint}" if name else self._hint, "$muted"),
            )
        )
