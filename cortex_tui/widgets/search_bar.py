"""The line where words are typed, and the one under it: filters that can be clicked away, marks."""

from collections.abc import Sequence
from typing import Any, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static
from textual.widgets.input import Selection

from cortex_core.base.text import clean, one_line
from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.queries import Chip

PLACEHOLDER = "search by words or by meaning"
LONGEST = 200
"""Characters of a search; a longer paste is cut."""
FOUND_SHARE = 60
"""Percent of the line that what came of the words may take, as in memories.tcss."""
LONGEST_CHIP = 32
"""Characters of a chip that are shown."""


class LastWord(Suggester):
    """Completes the last word of a line, with or without a sign before it."""

    def __init__(self, known: Sequence[str], fewest: int = 1) -> None:
        """Complete by `known` words, from so many letters on."""
        super().__init__(use_cache=False, case_sensitive=True)
        self._known, self._fewest = known, fewest

    async def get_suggestion(self, value: str) -> str | None:
        begun = value.split(" ")[-1].lstrip("+-#").casefold()
        if len(begun) < self._fewest:
            return None
        ends = (one[len(begun) :] for one in self._known if one.startswith(begun) and one != begun)
        return next((value + end for end in ends), None)


class SearchInput(Input):
    """One line of words; cleans and cuts whatever is pasted."""

    BINDINGS = [*keymap.bindings("search")]
    virtual_size: reactive[Size] = reactive(Size(0, 0))
    """Lays nothing out again: the line keeps its cells, and each letter would move the screen."""

    TYPES = "search"
    longest = LONGEST
    """Characters that it takes; a longer paste is cut."""

    def replace(self, text: str, start: int, end: int) -> None:
        low, high = sorted((max(0, start), min(len(self.value), end)))
        room = self.longest - (len(self.value) - (high - low))
        cleaned = clean(text[: 4 * self.longest]).replace("\n", " ").replace("\t", " ")
        super().replace(cleaned[: max(0, room)], start, end)

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        start, end = self.selection
        self.replace(one_line(event.text[: 4 * self.longest]), start, end)

    def action_unfilter(self) -> None:
        if self.value:
            self.action_delete_left()
        else:
            self.post_message(SearchBar.Emptied())

    def action_back(self) -> None:
        self.post_message(SearchBar.SearchEnded())

    async def action_pick(self) -> None:
        await self.action_submit()

    def action_move(self, step: int) -> None:
        """Move in the list of the screen while typing."""
        cast("Any", self.screen.query_one("CursorList")).move(step)


class SearchBar(Horizontal):
    """Prompt, words, and what came of them."""

    class SearchTyped(Message):
        """What is typed changed."""

        def __init__(self, words: str, *, done: bool = False) -> None:
            """`done`: whether the user is done typing."""
            super().__init__()
            self.words, self.done = words, done

    class Emptied(Message):
        """The user presses backspace in an empty search."""

    class SearchEnded(Message):
        """The user is done typing."""

    def __init__(self, placeholder: str = PLACEHOLDER, longest: int = LONGEST) -> None:
        super().__init__()
        self._placeholder, self._longest = placeholder, longest
        self._found = Content()

    def compose(self) -> ComposeResult:
        yield Static("/", id="prompt")
        typed = SearchInput(placeholder=self._placeholder, compact=True, select_on_focus=False)
        typed.longest = self._longest
        yield typed
        yield Static(id="found")

    @property
    def words(self) -> str:
        """What is typed."""
        return self.query_one(SearchInput).value

    def type(self, begins: str = "") -> None:
        """Begin to type; what is there is replaced unless it `begins` so: at once, or by the first
        letter."""
        field = self.query_one(SearchInput)
        if not field.value.startswith(begins):
            field.value, field.cursor_position = begins, len(begins)
        elif not begins:
            field.selection = Selection(0, len(field.value))
        self.screen.set_focus(field)

    def complete(self, qualifiers: Sequence[str]) -> None:
        """Let the key to the right complete `qualifiers` of which two letters are typed."""
        self.query_one(SearchInput).suggester = LastWord(qualifiers, fewest=2)

    def clear(self) -> None:
        """Forget the words."""
        self.query_one(SearchInput).value = ""

    def put(self, words: str) -> None:
        """Set the text to `words` without posting a message."""
        line = self.query_one(SearchInput)
        with line.prevent(Input.Changed):
            line.value = words
        line.cursor_position = len(words)

    @property
    def room(self) -> int:
        """How many cells what came of the words may take."""
        return self.size.width * FOUND_SHARE // 100 - 2

    def show(self, found: Content) -> None:
        """Say what came of the words."""
        if not found.is_same(self._found):
            self._found = found
            self.query_one("#found", Static).update(found)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.SearchTyped(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.SearchTyped(event.value, done=True))
        self.post_message(self.SearchEnded())


# --- the filters in effect


def counted(marked: int, hidden: int) -> str:
    """`3 marked, 1 not shown`; "" where nothing is."""
    words = f"{marked:,} marked" if marked else ""
    return f"{words}, {hidden:,} not shown" if hidden else words


def filter_line(chips: Sequence[Chip], glyphs: Glyphs, room: int) -> Content:
    """The line in `room` cells; chips that do not fit are counted."""
    pieces: list[Content] = []
    for index, chip in enumerate(chips):
        piece = _chip(chip, index, glyphs)
        rest = len(chips) - index - 1
        if room < piece.cell_length + 1 + (9 if rest else 0):
            pieces.append(Content.assemble((f"+{rest + 1} more", "$muted")))
            break
        pieces.append(piece)
        room -= piece.cell_length + 1
    return Content(" ").join(pieces)


def _chip(chip: Chip, index: int, glyphs: Glyphs) -> Content:
    label = glyphs.line(str(chip))
    if len(label) > LONGEST_CHIP:
        label = label[: LONGEST_CHIP - 1] + glyphs.signs.ellipsis
    click = Style.from_meta({"@click": f"screen.drop_filter({index})"})
    words = Content.assemble(
        (f" {label} ", "$text-accent on $panel"), (f"{glyphs.signs.cross} ", "$muted on $panel")
    )
    return words.stylize(click)


class FilterLine(Widget):
    """The filters in effect; not there where there is none."""

    chips: reactive[tuple[Chip, ...]] = reactive(())
    auto_links = False

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def watch_chips(self) -> None:
        self.display = bool(self.chips)

    def render(self) -> Content:
        return filter_line(self.chips, self.glyphs, self.size.width)
