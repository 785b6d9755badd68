"""Sections to read about a memory: each a heading, lines and perhaps a choice among them.

They are one under the other, or in two columns where there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.containers import Container
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets import markdown
from cortex_tui.widgets.lines import PARTS, StyledLine, line, lit, width_of

QUICK = 4_000
"""Characters that are laid out without anybody noticing."""

Drawn = Sequence[StyledLine | Strip]
Draw = Callable[[int], Drawn]
"""The lines of a section in a number of cells."""

INDENT = 2
"""Cells left of every line, for the cursor."""
MARGIN = 1
"""Cells right of every line."""


class PageSection(Widget, can_focus=True):
    """A heading and what is under it. Laid out when it is seen, once for each width."""

    COMPONENT_CLASSES = {f"section--{name}" for name in PARTS}
    ALLOW_SELECT = False

    @dataclass
    class Chosen(Message):
        """The user wants to follow one of the choices."""

        section: PageSection
        target: int

    def __init__(self, glyphs: Glyphs, heading: str, id: str) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.heading = heading
        self.note = ""
        """Said next to the heading."""
        self.target = 0
        """The choice that has the cursor."""
        self._draw: Draw = lambda width: ()
        self._lines: list[Strip] = []
        self._targets: list[int | None] = []
        self._laid: int = -1
        self._styles_found: dict[str, Style] | None = None

    # --- what is shown

    def fill(self, draw: Draw, note: str = "") -> None:
        """Show what `draw` returns from now on."""
        self._draw, self.note = draw, note
        self.renew()

    def renew(self) -> None:
        """Lay it out again."""
        self._laid = -1
        # Textual keeps a height by this number, and does not raise it while an earlier request
        # waits: what is filled between the first layout and its end would have no lines.
        self._layout_updates += 1
        self.refresh(layout=True)

    @property
    def targets(self) -> list[int]:
        """The choices there are, in their order."""
        return list(dict.fromkeys(one for one in self._targets if one is not None))

    def paint(self) -> dict[str, Style]:
        """The styles of the parts."""
        if self._styles_found is None:
            self._styles_found = {
                name: self.get_visual_style(f"section--{name}").rich_style for name in PARTS
            }
        return self._styles_found

    def lay_out(self, width: int) -> None:
        """Make the lines for `width` cells, unless they are there."""
        if width == self._laid or width < 1:
            return
        self._laid = width
        drawn = self._draw(max(1, width - INDENT - MARGIN))
        self._lines = [one if isinstance(one, Strip) else self._strip(one) for one in drawn]
        self._targets = [None if isinstance(one, Strip) else one.target for one in drawn]
        there = self.targets
        self.target = self.target if self.target in there else there[0] if there else 0

    def _strip(self, strips: StyledLine) -> Strip:
        paint = self.paint()
        return Strip(
            [Segment(words, paint[part]) for words, part in strips.pieces], width_of(strips)
        )

    # --- drawing

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self.lay_out(width)
        return 1 + len(self._lines)

    def render_line(self, y: int) -> Strip:
        width, paint = self.size.width, self.paint()
        self.lay_out(width)
        if y == 0:
            return self._heading().adjust_cell_length(width, self.rich_style)
        if y > len(self._lines):
            return Strip.blank(width, self.rich_style)
        chosen = self.has_focus and self._targets[y - 1] == self.target is not None
        begins = y == 1 or self._targets[y - 2] != self._targets[y - 1]
        mark = self.glyphs.signs.cursor if chosen and begins else " "
        strip = Strip.join(
            [Strip([Segment(f"{mark} ", paint["accent"])], INDENT), self._lines[y - 1]]
        ).adjust_cell_length(width, self.rich_style)
        return lit(strip, paint["cursor"]) if chosen else strip

    def _heading(self) -> Strip:
        paint, signs = self.paint(), self.glyphs.signs
        mark = signs.cursor if self.has_focus else " "
        style = paint["accent"] if self.has_focus else paint["title"]
        return Strip(
            [
                Segment(f"{mark} ", paint["accent"]),
                Segment(self.heading, style + Style(bold=True)),
                Segment(f"   {self.note}" if self.note else "", paint["muted"]),
            ]
        )

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles_found = None
        self._laid = -1

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    # --- the choice

    def move(self, step: int) -> bool:
        """Move the cursor to the next choice; False where there is none."""
        there = self.targets
        index = there.index(self.target) + step if self.target in there else -1
        if not 0 <= index < len(there):
            return False
        self.target = there[index]
        self.refresh()
        return True

    def cursor_region(self) -> Region:
        """Where the choice is, within this widget."""
        first = self._targets.index(self.target) if self.target in self._targets else 0
        return Region(0, first + 1, self.size.width, self._targets.count(self.target) or 1)

    def choose(self) -> None:
        """Follow what has the cursor."""
        if self.target in self._targets:
            self.post_message(self.Chosen(self, self.target))

    def on_click(self, event: events.Click) -> None:
        if 0 < event.y <= len(self._targets):
            target = self._targets[event.y - 1]
            if target is not None:
                again = target == self.target and event.chain == 2
                self.target = target
                self.refresh()
                if again:
                    self.choose()


class TextSection(PageSection):
    """A memory's text: laid out at once when it is short, else in a thread."""

    _content = ""
    _layout: tuple[object, list[Strip]] | None = None

    def show(self, content: str) -> None:
        """Show `content`."""
        if content != self._content or self._layout is None:
            self._content, self._layout = content, None
            self.fill(self._text)

    def _text(self, width: int) -> Drawn:
        if not self._content:
            return ()
        wanted = (self._content, width)
        if self._layout is not None and self._layout[0] == wanted:
            return self._layout[1]
        task = partial(markdown.markdown, self._content, width, dict(self.paint()), self.glyphs)
        if len(self._content) <= QUICK:
            self._layout = (wanted, task())
            return self._layout[1]
        self._lay_out_later(wanted, task)
        return self._layout[1] if self._layout else (line("laying out the text", "muted"),)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="prose",
        description="Laying out the text",
    )
    def _lay_out_later(self, wanted: object, task: partial[list[Strip]]) -> None:
        strips = task()
        self.app.call_from_thread(self._laid_out, wanted, strips)

    def _laid_out(self, wanted: object, strips: list[Strip]) -> None:
        self._layout = (wanted, strips)
        self.renew()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._layout = None


class Sections(Container, inherit_bindings=False):
    """Moves through the section that has the focus: its choices first, then its lines."""

    BINDINGS = [*keymap.bindings("moving")]
    BORDER_TITLE = "All about it"

    @property
    def section(self) -> PageSection | None:
        """The section that has the focus."""
        focused = self.screen.focused
        return focused if isinstance(focused, PageSection) else None

    def reset(self) -> None:
        """Go to the beginning of the first section."""
        first = next(section for section in self.query(PageSection) if section.display)
        first.focus(scroll_visible=False)
        for section in self.query(PageSection):
            self._scroller(section).scroll_home(animate=False)

    def action_move(self, step: int) -> None:
        section = self.section
        scroller = self._scroller(section)
        if section is not None and section.move(step):
            region = section.cursor_region()
            inside = region.translate(section.virtual_region.offset)
            scroller.scroll_to_region(_in(scroller, section, inside), animate=False)
        else:
            scroller.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        scroller = self._scroller(self.section)
        scroller.scroll_relative(y=step * max(1, scroller.size.height - 1), animate=False)

    def _scroller(self, section: PageSection | None) -> Widget:
        """What scrolls when `section` is read."""
        around = section.ancestors if section is not None else ()
        for widget in around:
            if isinstance(widget, Widget) and widget.styles.overflow_y == "auto":
                return widget
            if widget is self:
                break
        return self


def _in(scroller: Widget, section: PageSection, region: Region) -> Region:
    """`region`, which counts from the section's parent, as it counts in what scrolls."""
    for widget in section.ancestors:
        if widget is scroller:
            break
        if isinstance(widget, Widget):
            region = region.translate(widget.virtual_region.offset)
    return region
