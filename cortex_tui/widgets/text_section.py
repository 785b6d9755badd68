"""The section that holds a memory's text: laid out at once when it is short, else in a thread."""

from __future__ import annotations

from functools import partial

from textual import work
from textual.strip import Strip

from cortex_tui.widgets import prose
from cortex_tui.widgets.lines import line
from cortex_tui.widgets.section import Drawn, Section

QUICK = 4_000
"""Characters that are laid out without anybody noticing."""


class TextSection(Section):
    """Markdown in lines."""

    _content = ""
    _made: tuple[object, list[Strip]] | None = None

    def show(self, content: str) -> None:
        """Show `content`."""
        if content != self._content or self._made is None:
            self._content, self._made = content, None
            self.fill(self._text)

    def _text(self, width: int) -> Drawn:
        if not self._content:
            return ()
        asked = (self._content, width)
        if self._made is not None and self._made[0] == asked:
            return self._made[1]
        task = partial(prose.markdown, self._content, width, dict(self.paint()), self.glyphs)
        if len(self._content) <= QUICK:
            self._made = (asked, task())
            return self._made[1]
        self._lay_out_later(asked, task)
        return self._made[1] if self._made else (line("laying out the text", "muted"),)

    @work(thread=True, exclusive=True, exit_on_error=False, group="prose",
          description="Laying out the text")  # fmt: skip
    def _lay_out_later(self, asked: object, task: partial[list[Strip]]) -> None:
        made = task()
        self.app.call_from_thread(self._laid_out, asked, made)

    def _laid_out(self, asked: object, made: list[Strip]) -> None:
        self._made = (asked, made)
        self.renew()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._made = None
