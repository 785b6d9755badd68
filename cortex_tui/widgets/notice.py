"""What stands in the list's place: nothing there yet, nothing found, an error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from cortex_tui.glyphs import Glyphs

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z“/~])")


class Notice(Static):
    """A heading and a few sentences."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def tell(self, heading: str, steps: Sequence[tuple[str, str]] = ()) -> None:
        """Show `heading`, and under it what to do (a command or key, and what it is good for)."""
        width = max((len(command) for command, _ in steps), default=0)
        lines = [Content.assemble((heading, "bold")), Content("")]
        lines += [
            Content.assemble((f"{command:<{width}}", "$text-accent"), (f"   {use}", "$muted"))
            for command, use in steps
        ]
        self.update(Content("\n").join(lines))

    def warn(self, heading: str, reason: str, steps: Sequence[tuple[str, str]]) -> None:
        """Show what went wrong: `reason` a sentence a line, then the steps."""
        sentences = _SENTENCE.split(self.glyphs.line(reason))
        said = Content("\n").join(
            [
                Content.assemble((f"{self.glyphs.signs.status['quarantined']} {heading}",
                                  "$text-error bold")),
                Content(""),
                *(Content(sentence) for sentence in sentences),
                Content(""),
                *(
                    Content.assemble((f"{key:<4}", "$text-accent"), (use, "$muted"))
                    for key, use in steps
                ),
            ]
        )  # fmt: skip
        self.update(said)
