"""The dialogs that every screen shares: a confirmation, a line, a text, a choice.

Each returns a value of its type: `await self.app.push_screen_wait(Confirm(...))` inside a worker.
Whatever they receive is shown as text, never as markup.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from cortex_core.base import fuzzy
from cortex_core.base.errors import CortexError
from cortex_core.base.text import clean, one_line
from cortex_tui import keymap
from cortex_tui.context import ASKS, AppContext, context_of
from cortex_tui.themes import STYLES
from cortex_tui.widgets.lines import with_matches
from cortex_tui.widgets.search_bar import LastWord

Value = TypeVar("Value")


class Dialog(ModalScreen[Value]):
    """A sheet over the screen it was asked from."""

    CSS_PATH = STYLES / "dialogs.tcss"
    BINDINGS = [*keymap.bindings("dialog")]

    def __init__(self, title: str, default: Value, detail: str = "") -> None:
        """Ask `title`.

        Args:
            default: the answer of who leaves it.
            detail: what is said under the title.
        """
        super().__init__()
        self.opens = True
        """Whether it is not there yet, so that what is typed waits for it."""
        self.heading = title
        self._default, self._detail = default, detail

    @property
    def context(self) -> AppContext:
        """The app."""
        return context_of(self.app)

    def compose(self) -> ComposeResult:
        with Vertical(id="sheet"):
            yield Static(Content(self.context.glyphs.line(self.heading)), id="title")
            if self._detail:
                with VerticalScroll(id="detail", can_focus=False):
                    yield Static(Content(self.context.glyphs.block(self._detail)))
            yield from self.fields()

    def fields(self) -> ComposeResult:
        """What is under the title."""
        raise NotImplementedError

    def hint(self, *pairs: tuple[str, str]) -> Static:
        """A line of keys: (id of the keymap or a key's name, what it does)."""
        keys = self.context.keymap
        pieces = [
            Content.assemble((f"{keys.first(key) or key} ", "$text-accent"), (use, "$muted"))
            for key, use in pairs
        ]
        return Static(Content("   ").join(pieces), id="keys")

    def on_screen_resume(self) -> None:
        self.call_after_refresh(self._opened)

    def _opened(self) -> None:
        self.opens = False
        self.context.hold_keys(False)

    def dismiss(self, result: Value | None = None) -> AwaitComplete:
        """Give the answer and close; keys that come when it is gone or covered change nothing."""
        if not self.is_active:
            return AwaitComplete()
        # Whoever asked may open the next dialog.
        asking = (one for one in self.app.workers if one.group == ASKS)
        self.context.hold_keys(any(one.is_running for one in asking))
        return super().dismiss(result)

    def action_back(self) -> None:
        self.dismiss(self._default)

    def leave_first(self) -> None:
        """What quitting the app does while this is open."""
        self.action_back()

    @on(events.Click)
    def _clicked(self, event: events.Click) -> None:
        """A click outside the sheet leaves it."""
        if event.widget is self:
            self.action_back()


class Confirm(Dialog[bool]):
    """A confirmation: yes or no; "no" has the focus, because what can be undone is not asked."""

    BINDINGS = [*keymap.bindings("confirm")]
    AUTO_FOCUS = "#no"

    def __init__(self, question: str, detail: str = "", yes: str = "yes") -> None:
        super().__init__(question, default=False, detail=detail)
        self._yes = yes

    def fields(self) -> ComposeResult:
        with Horizontal(id="answers"):
            yield Button(self._label("answer.yes", self._yes), id="yes", compact=True)
            yield Button(self._label("answer.no", "no"), id="no", compact=True)

    def on_mount(self) -> None:
        # A share of the screen as a style would make the sheet as high as all of the detail.
        for detail in self.query("#detail"):
            detail.styles.max_height = max(3, self.app.size.height - 12)

    def _label(self, key: str, word: str) -> Content:
        shown = self.context.keymap.first(key)
        return Content(
            self.context.glyphs.line(f"{shown} {word}" if shown and shown != word else word)
        )

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer == "yes")

    def action_side(self, step: int) -> None:
        self.focus_next(Button)

    def action_move(self, step: int) -> None:
        for detail in self.query(VerticalScroll):
            detail.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        self.action_move(10 * step)


class Ask(Dialog[str | None]):
    """One line; None when the user leaves."""

    def __init__(
        self,
        title: str,
        value: str = "",
        hint: str = "",
        check: Callable[[str], str] = lambda value: "",
        known: Sequence[str] = (),
    ) -> None:
        """Ask for a line.

        Args:
            value: what is there at first.
            hint: what may be typed, in a few words.
            check: what is wrong with a line, in one sentence; "" when nothing is.
            known: words by which the last one that is typed is completed.
        """
        super().__init__(title, default=None)
        self._known = known
        blank = " " if value.endswith(" ") else ""
        self._value, self._hint, self._check = f"{one_line(value)}{blank}", hint, check

    def fields(self) -> ComposeResult:
        completer = LastWord(self._known) if self._known else None
        yield Input(self._value, compact=True, select_on_focus=False, suggester=completer)
        yield Static(Content(self.context.glyphs.line(self._hint)), id="hint")
        completes = [("right", "complete")] if self._known else []
        yield self.hint(("enter", "done"), *completes, ("move.back", "cancel"))

    @on(Input.Changed)
    def _changed(self) -> None:
        self._say(self._hint, warns=False)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        value = one_line(event.value)
        if problem := self._check(value):
            self._say(problem, warns=True)
        else:
            self.dismiss(value)

    def _say(self, sentence: str, *, warns: bool) -> None:
        hint = self.query_one("#hint", Static)
        hint.set_class(warns, "-warns")
        sign = f"{self.context.glyphs.signs.status['quarantined']} " if warns else ""
        hint.update(Content(sign + self.context.glyphs.line(sentence)))


class PressKey(Dialog[str | None]):
    """The next key that is pressed; None when the user leaves."""

    def __init__(self, action: str, meaning: str, check: Callable[[str], str]) -> None:
        """Ask for the key of an action.

        Args:
            action: its id; `meaning` says in a sentence what it does.
            check: why it cannot be a key, in a sentence; "" when it can.
        """
        super().__init__(f"Press the new key of {action}", default=None)
        self._meaning, self._check = meaning, check

    def fields(self) -> ComposeResult:
        yield Static(Content(self.context.glyphs.line(self._meaning)))
        yield Static(id="hint")
        yield self.hint(("move.back", "cancel"))

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key in self.context.keymap.keys["move.back"]:
            self.dismiss(None)
        elif problem := self._check(event.key):
            hint = self.query_one("#hint", Static)
            hint.add_class("-warns")
            hint.update(Content(self.context.glyphs.line(problem)))
        else:
            self.dismiss(event.key)


class CleanText(TextArea):
    """Several lines; what is pasted loses its control characters."""

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)


class Write(Dialog[str | None]):
    """Several lines; None when the user leaves. What was typed then is kept as a draft where that
    is possible, else leaving is asked about."""

    BINDINGS = [*keymap.bindings("write")]

    area = getters.query_one(CleanText)

    def __init__(self, title: str, value: str, keep: Callable[[str], None] | None = None) -> None:
        """Args:
        keep: keeps what was typed when the user leaves without saving.
        """
        super().__init__(title, default=None)
        self._value, self._keep = clean(value), keep
        self.add_class("-large")

    def fields(self) -> ComposeResult:
        yield CleanText(self._value, soft_wrap=True, compact=True)
        yield self.hint(("write.save", "save"), ("move.back", "cancel"))

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)

    def action_save(self) -> None:
        self.dismiss(clean(self.area.text))

    def action_back(self) -> None:
        self._leave()

    @work
    async def _leave(self) -> None:
        if self.area.text != self._value:
            if self._keep is not None:
                self._keep(clean(self.area.text))
            elif not await self.app.push_screen_wait(
                Confirm("Leave without saving?", "What you have written here is lost.", yes="leave")
            ):
                return
        self.dismiss(None)


Options = Sequence[tuple[str, str]]
"""The value and the label of each thing that can be chosen."""


class Choose(Dialog[str | None]):
    """One of several; typing filters; None when the user leaves."""

    AUTO_FOCUS = "Input"

    choices = getters.query_one(OptionList)

    def __init__(
        self,
        title: str,
        options: Options,
        current: str = "",
        detail: str = "",
        look: Callable[[str], Options] | None = None,
    ) -> None:
        """Offer `options`.

        Args:
            options: (value, label) of each.
            current: the value that the cursor is on at first.
            detail: what is said above them.
            look: finds the options for what is typed, which does not filter then; slow.
        """
        super().__init__(title, default=None, detail=detail)
        self._look = look
        self._options, self._current = options, current
        self._shown: list[str] = []

    def fields(self) -> ComposeResult:
        yield Input(placeholder="type to filter", compact=True)
        yield OptionList(compact=True, markup=False)
        yield self.hint(("enter", "choose"), ("move.back", "cancel"))

    def on_mount(self) -> None:
        self.choices.can_focus = False
        room = max(1, 2 * self.app.size.height // 5)
        # A label may need several lines; what is filtered out makes the sheet no smaller.
        self.choices.styles.max_height = room
        self.choices.styles.min_height = room if self._look else min(len(self._options), room)
        self._typed()

    @on(Input.Changed)
    def _typed(self) -> None:
        words = self.query_one(Input).value
        if self._look is None:
            self._fill(words)
        else:
            self._search(words, self._look)

    @work(thread=True, exclusive=True, group="look", description="Looking for it")
    def _search(self, words: str, look: Callable[[str], Options]) -> None:
        try:
            found = look(words)
        except CortexError as error:
            found = [("", str(error))]
        self.app.call_from_thread(self._offer, words, found)

    def _offer(self, words: str, found: Options) -> None:
        """Offer what was found, unless others were typed meanwhile."""
        # The dialog may have been left meanwhile.
        if any(field.value == words for field in self.query(Input)):
            self._options = found
            self._fill("")

    def _fill(self, words: str) -> None:
        glyphs = self.context.glyphs
        labels = [
            glyphs.block(label).replace("\n", " ").expandtabs(1) for _, label in self._options
        ]
        values = [value for value, _ in self._options]
        found = fuzzy.rank_named(words, list(zip(labels, values, strict=True)))
        typed = words.strip().casefold()
        found.sort(key=lambda one: not values[one[0]].casefold().startswith(typed))
        self._shown = [values[position] for position, _ in found]
        self.choices.set_options(
            Option(with_matches(labels[position], match.spans)) for position, match in found
        )
        if not found:
            self.choices.add_option(Option("nothing matches", disabled=True))
        elif self._current in self._shown:
            self.choices.highlighted = self._shown.index(self._current)
        else:
            self.choices.highlighted = 0

    def action_move(self, step: int) -> None:
        if self._shown:
            at = self.choices.highlighted or 0
            self.choices.highlighted = max(0, min(at + step, len(self._shown) - 1))

    def action_page(self, step: int) -> None:
        self.action_move(10 * step)

    @on(Input.Submitted)
    def _entered(self) -> None:
        if self._shown:
            self.dismiss(self._shown[self.choices.highlighted or 0])

    @on(OptionList.OptionSelected)
    def _clicked_one(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index])
