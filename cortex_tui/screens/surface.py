"""The surface workbench: exactly what Claude is given next, why, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, getters, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from cortex_core.base.text import one_line
from cortex_core.types import InjectionPolicy, Key, Memory, SurfaceLine
from cortex_tui import keymap
from cortex_tui.actions import surface as actions
from cortex_tui.actions.surface import GivenSurface
from cortex_tui.lists.line_list import LineList
from cortex_tui.screens import surface_lines
from cortex_tui.screens.memory_screen import MemoryScreen
from cortex_tui.themes import STYLES

REST = 0.15
"""Seconds without typing before it is looked up what a prompt adds."""
LONGEST = 20_000
"""Characters of a prompt that are looked at."""


@dataclass
class GivenCame(Message):
    """What is given is known."""

    given: GivenSurface
    typed: str
    """What stood in the prompt when it was asked."""


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
    """The line where a prompt or a file is typed, and what it would add to what is given."""

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


class SurfaceScreen(MemoryScreen):
    """The surface workbench."""

    NAME = "surface"
    PLACE = "surface"
    BINDINGS = [
        *keymap.bindings("page"), *keymap.bindings("surface"), *keymap.bindings("given")
    ]  # fmt: skip
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "surface.tcss"]
    AUTO_FOCUS = ""

    lines = getters.query_one(LineList)
    prompt = getters.query_one(PromptLine)
    exact = getters.query_one("#exact", VerticalScroll)

    def __init__(self) -> None:
        super().__init__()
        self.given: GivenSurface | None = None
        self._typing: Timer | None = None

    def body(self) -> ComposeResult:
        yield Static(id="meter", markup=False)
        yield PromptLine(surface_lines.PLACEHOLDER)
        yield LineList(self.glyphs)
        with VerticalScroll(id="exact", can_focus=False):
            yield Static(markup=False)
        yield Static(id="why", markup=False)

    # --- what is given

    def load(self) -> None:
        typed = self.prompt.words
        occasion = actions.occasion(typed)
        self.fetch(
            lambda stores: GivenCame(actions.given(stores, occasion), typed),
            group="given", what="Composing the surface",
        )  # fmt: skip

    @on(PromptLine.Typed)
    def _typed(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(REST, self.load)

    @on(GivenCame)
    def _given_came(self, event: GivenCame) -> None:
        if event.typed != self.prompt.words:
            return
        given, before = event.given, self.lines.key
        same = self.given is not None and self.given.occasion == given.occasion
        self.given, self.revision = given, given.revision
        empty = given.occasion.is_start and not (given.surface.lines or given.surface.missed)
        self.show_notice(empty)
        if empty:
            self.notice.tell(*surface_lines.nothing(given, self.context.keymap))
        stores = self.stores
        if stores is not None:
            kinds = stores.cortex.config.kinds
            self.lines.show(
                list(surface_lines.lines(given, kinds, self.glyphs)), before if same else None
            )
        if not same:
            self.lines.move(-len(self.lines.lines))
        self.prompt.show(surface_lines.added(given))
        words = given.surface.text or "Nothing is injected."
        self.exact.query_one(Static).update(Content(self.glyphs.block(words)))
        self._show_meter()

    def _show_meter(self) -> None:
        if self.given is not None:
            meter = self.query_one("#meter", Static)
            meter.update(surface_lines.head(self.given, self.glyphs, max(1, self.size.width - 2)))

    def on_resize(self) -> None:
        self._show_meter()
        self._show_why()

    # --- the line at hand

    def line_at_hand(self) -> SurfaceLine | None:
        """The line under the cursor."""
        if self.given is None:
            return None
        surface, key = self.given.surface, self.lines.key
        every = (*surface.lines, *self.given.repeated, *surface.missed)
        return next((one for one in every if one.id == key), None)

    def current(self) -> tuple[Key | None, Memory | None]:
        line = self.line_at_hand()
        if line is None or self.given is None:
            return None, None
        return self.given.rows.get(line.id, (None, None))

    @on(LineList.Highlighted)
    def _show_why(self) -> None:
        line, (_, memory) = self.line_at_hand(), self.current()
        width = max(1, self.size.width - 2)
        shown = surface_lines.explained(line, memory, self.glyphs, width) if line else Content()
        self.query_one("#why", Static).update(shown)
        self.show_refused(memory)

    @on(LineList.Picked)
    def _opened(self) -> None:
        self.action_detail()

    def action_give(self, wanted: InjectionPolicy) -> None:
        """Give the memory at hand as `wanted`, or as normal where it is so already."""
        _, memory = self.current()
        if memory is None:
            self.say("There is no memory under the cursor.", warns=True)
            return
        chosen: InjectionPolicy = "normal" if memory.inject == wanted else wanted
        self.changes.do(lambda stores: actions.give(stores, memory, chosen))

    # --- the exact text

    def action_text(self) -> None:
        self.toggle_class("-text")

    def focus_next(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The panes are the lines and the exact text; leaving the prompt comes first."""
        if isinstance(self.focused, PromptInput):
            self.set_focus(None)
        else:
            self.action_text()
        return None

    def focus_previous(self, selector: str | type[Widget] = "*") -> Widget | None:
        return self.focus_next(selector)

    def action_copy(self) -> None:
        """Copy all that is given."""
        if self.given is None or not self.given.surface.text:
            self.say("Nothing is injected, so there is nothing to copy.", warns=True)
        else:
            self.copying.copy(self.given.surface.text, "the injected text")

    # --- prompt and moving

    def action_prompt(self) -> None:
        if isinstance(self.focused, Input):
            raise SkipAction  # The key is a letter of what is being typed.
        self.prompt.type()

    @on(PromptLine.Left)
    def _left(self) -> None:
        self.set_focus(None)

    @on(PromptLine.Moved)
    def _moved(self, event: PromptLine.Moved) -> None:
        self.lines.move(event.step)

    def action_back(self) -> None:
        """Leave the prompt, clear it, leave the exact text, and only then the screen."""
        if self.focused is not None:
            self.set_focus(None)
        elif self.prompt.words:
            self.prompt.clear()
        elif self.has_class("-text"):
            self.remove_class("-text")
        else:
            super().action_back()

    def action_move(self, step: int) -> None:
        if self.has_class("-text"):
            self.exact.scroll_to(y=self.exact.scroll_offset.y + step, animate=False)
        else:
            self.lines.move(step)

    def action_scroll(self, share: float) -> None:
        if self.has_class("-text"):
            height = max(1, self.exact.size.height - 1)
            self.action_move(int(share * height))
        else:
            self.lines.page(share)
