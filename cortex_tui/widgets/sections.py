"""Sections to read one under the other, or in two columns where there is room."""

from __future__ import annotations

from textual.containers import Container
from textual.geometry import Region
from textual.widget import Widget

from cortex_tui import keymap
from cortex_tui.widgets.section import Section


class Sections(Container, inherit_bindings=False):
    """Moves through the section that has the focus: its choices first, then its lines."""

    BINDINGS = [*keymap.bindings("sheet")]

    @property
    def section(self) -> Section | None:
        """The section that has the focus."""
        found = self.screen.focused
        return found if isinstance(found, Section) else None

    def jump(self, name: str) -> bool:
        """Go to the section called `name`; False where it has nothing to show."""
        section = self.query_one(f"#{name}", Section)
        if not section.display:
            return False
        section.focus(scroll_visible=False)
        scroller = self._scroller(section)
        scroller.scroll_to_widget(section, top=True, animate=False)
        return True

    def reset(self) -> None:
        """Go to the beginning of the first section."""
        first = self.query(Section).first()
        first.focus(scroll_visible=False)
        for section in self.query(Section):
            self._scroller(section).scroll_home(animate=False)

    def action_down(self) -> None:
        self._step(1)

    def action_up(self) -> None:
        self._step(-1)

    def action_page_down(self) -> None:
        self._page(1)

    def action_page_up(self) -> None:
        self._page(-1)

    def action_top(self) -> None:
        self._scroller(self.section).scroll_home(animate=False)

    def action_bottom(self) -> None:
        self._scroller(self.section).scroll_end(animate=False)

    def _step(self, step: int) -> None:
        section = self.section
        scroller = self._scroller(section)
        if section is not None and section.move(step):
            region = section.cursor_region()
            inside = region.translate(section.virtual_region.offset)
            scroller.scroll_to_region(_in(scroller, section, inside), animate=False)
        else:
            scroller.scroll_relative(y=step, animate=False)

    def _page(self, step: int) -> None:
        scroller = self._scroller(self.section)
        scroller.scroll_relative(y=step * max(1, scroller.size.height - 1), animate=False)

    def _scroller(self, section: Section | None) -> Widget:
        """What scrolls when `section` is read."""
        around = section.ancestors if section is not None else ()
        for widget in around:
            if isinstance(widget, Widget) and widget.styles.overflow_y == "auto":
                return widget
            if widget is self:
                break
        return self


def _in(scroller: Widget, section: Section, region: Region) -> Region:
    """`region`, which counts from the section's parent, as it counts in what scrolls."""
    for widget in section.ancestors:
        if widget is scroller:
            break
        if isinstance(widget, Widget):
            region = region.translate(widget.virtual_region.offset)
    return region
