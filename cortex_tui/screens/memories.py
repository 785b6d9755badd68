"""The memories: search, list, preview. Where the app opens.

The screen decides what a message means and tells its widgets what to show; `base` and `acting`
hold the workers that do the asking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.events import Resize
from textual.timer import Timer

from cortex_core.errors import CortexError
from cortex_core.memory import Key, Memory
from cortex_tui import keymap
from cortex_tui.answers import Answer, Question
from cortex_tui.glyphs import Look
from cortex_tui.keys import TABLE
from cortex_tui.messages import Beat, Changed, Failed, Found, Near, StoresOpened
from cortex_tui.screens import wording
from cortex_tui.screens.base import PULSE
from cortex_tui.screens.filtering import Filtering
from cortex_tui.screens.marking import Marking
from cortex_tui.widgets.capture_strip import CaptureStrip
from cortex_tui.widgets.filter_line import FilterLine
from cortex_tui.widgets.key_hints import KeyHints
from cortex_tui.widgets.memory_list import MemoryList
from cortex_tui.widgets.notice import Notice
from cortex_tui.widgets.preview import Preview
from cortex_tui.widgets.search_bar import SearchBar, SearchInput

WIDE = 100
"""Columns from which the preview stands at the side and rows name their kind."""
TALL = 16
"""Lines from which there is room for a preview below the list."""
PREVIEW_REST = 0.03
"""Seconds from a move of the cursor to the preview."""
MEANING_REST = 0.25
"""Seconds without typing before a search by meaning begins."""
BACK = frozenset({"undo", "redo"})
"""Verbs that leave the marks as they are."""
REREAD = BACK | {"remember"}
"""Verbs after which other rows may be there."""
MEANING_FROM = 3
"""Characters that a search by meaning takes at least."""


class MemoriesScreen(Filtering, Marking):
    """The list of both stores."""

    PLACE = "memories"
    BINDINGS = [*keymap.bindings("memories")]
    AUTO_FOCUS = "MemoryList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]

    strip = getters.query_one(CaptureStrip)
    preview = getters.query_one(Preview)
    notice = getters.query_one(Notice)
    hints = getters.query_one(KeyHints)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self._answer: Answer | None = None
        self._kept: dict[Key, Key | None] = {}
        self._meaning_timer: Timer | None = None
        self._preview_timer: Timer | None = None
        self._first_worth: Mapping[str, float] = {}
        """The standing of what is shown before the stores are open, by id."""

    def compose(self) -> ComposeResult:
        # Textual sets these classes too, but only after a first layout without them.
        self.set_class(self.app.size.width >= WIDE, "-wide")
        self.set_class(self.app.size.height >= TALL, "-tall")
        yield CaptureStrip(self.look)
        yield SearchBar()
        yield FilterLine(self.look)
        with Container(id="body"):
            yield MemoryList(self.look, self._read, self._worth)
            yield Notice(self.look)
            yield Preview(self.look)
        yield KeyHints(self.look, self.PLACE)

    def on_resize(self, event: Resize) -> None:
        self.rows.names_kinds = event.size.width >= WIDE

    def on_mount(self) -> None:
        self.hints.keymap = self.app.keymap
        if (first := self.app.first_answer(self.question)) is not None:
            self._first_worth = first.worth
            self.rows.kinds = self.app.config.kinds
            self._show(first.answer, first.rows)
            self.open_stores(self.question)
        elif (opened := self.app.opened_already(self.question)) is not None:
            self._opened(StoresOpened(opened))
        else:
            self.open_stores(self.question)
        self.set_interval(PULSE, self._beat)

    def _read(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        return {} if self.library is None else self.library.rows(keys)

    def _worth(self, memory: Memory) -> float | None:
        if self.library is None:
            return self._first_worth.get(memory.id)
        return self.library.worth(memory)

    def current(self) -> tuple[Key | None, Memory | None]:
        return (self.rows.key, self.rows.memory) if self._answer else (None, None)

    def say(self, sentence: str, *, warns: bool = False) -> None:
        self.hints.say(sentence, warns=warns)

    # --- questions and answers

    def ask(self, question: Question, *, again: bool = False) -> None:
        """Ask for the rows of `question`; forgotten rows stay while it is the same question."""
        same = question == self.question
        if again or not same:
            self._kept.clear()
        self.question = question
        self.filters.chips = question.chips
        self.generation += 1
        if self.library is not None:
            meaning = same and self._answer is not None and self._answer.joined_meaning
            self.find(self.library, question, dict(self._kept), self.generation, meaning=meaning)

    @on(StoresOpened)
    def _opened(self, event: StoresOpened) -> None:
        opened = event.opened
        self.app.library = opened.library
        self.app.stores_came(opened=True)
        self.rows.kinds = opened.library.cortex.config.kinds
        self._answer = self.told = None
        self._show(opened.answer, opened.rows)
        self.pulse()
        if opened.answer.question != self.question:
            self.ask(self.question)

    @on(Found)
    def _found(self, event: Found) -> None:
        if event.generation != self.generation:
            return
        if self._kept.keys() - event.kept:
            self.ask(self.question)
        elif self._answer is not None and event.answer.completes(self._answer):
            self._extend(event.answer)
            self._plan_meaning(event.answer)
        else:
            self._show(event.answer, event.rows)

    @on(Near)
    def _near(self, event: Near) -> None:
        if event.generation == self.generation and self._answer is not None:
            self._extend(self._answer.joined(event.near))

    def _extend(self, answer: Answer) -> None:
        """Show `answer`, which begins as the one that is shown."""
        self._answer = answer
        self.rows.extend(answer.order, answer.meaning)
        self._tell(answer)

    def _show(self, answer: Answer, read: Mapping[Key, Memory]) -> None:
        old, self._answer = self._answer, answer
        same = old is not None and old.question == answer.question
        stays = same or not answer.question.words.strip()
        self._kept = {key: self._kept.get(key) for key in answer.kept}
        self.revision = answer.revision
        rows = self.rows
        rows.forgotten = set(answer.kept)
        rows.sort, rows.now = answer.question.sort, self.app.now
        rows.show(
            answer.order, words=wording.marked(answer), by_meaning=answer.meaning,
            keep=rows.key if stays else None, read=read,
            fresh=old is None or old.revision != answer.revision,
        )  # fmt: skip
        self.show_marks()
        self._tell(answer)
        self._plan_meaning(answer)

    def _tell(self, answer: Answer) -> None:
        self.search.show(wording.found(answer, self.look))
        empty = not answer.order
        self.set_class(empty, "-notice")
        if empty:
            self.notice.tell(*wording.nothing(answer.question, self.strip.status, self.app.keymap))

    def _plan_meaning(self, answer: Answer) -> None:
        if self._meaning_timer is not None:
            self._meaning_timer.stop()
        library, generation = self.library, self.generation
        long = len(answer.question.words.strip()) >= MEANING_FROM
        if long and library is not None and not answer.joined_meaning and not answer.partial:
            self.find_near(library, answer, generation, roughly=True)
            self._meaning_timer = self.set_timer(
                MEANING_REST, lambda: self.find_near(library, answer, generation)
            )

    @on(Changed)
    def _changed(self, event: Changed) -> None:
        done = event.done
        if done.before == self.revision:
            self.revision = done.after
        self._rekey(done.moved)
        self._mark(done.rows)
        if done.verb not in BACK:
            self.rows.marks.drop([*done.rows, *done.moved])
        self.show_marks()
        if done.moved or done.verb in REREAD or not done.rows:
            self.ask(self.question)
        self.pulse()

    def _rekey(self, moved: Mapping[Key, Key]) -> None:
        """Let the rows of memories that changed their store stand where they stood."""
        if moved:
            self.rows.rows.replace([moved.get(key, key) for key in self.rows.rows.order])

    def _mark(self, changed: Mapping[Key, Memory]) -> None:
        """Show what became of rows where they stand."""
        rows = self.rows
        order = rows.rows.order
        places = {key: place for place, key in enumerate(order) if key in changed}
        for key, memory in changed.items():
            place = places.get(key)
            if self.question.passes(memory):
                rows.forgotten.discard(key)
                self._kept.pop(key, None)
            elif place is not None:
                rows.forgotten.add(key)
                self._kept[key] = order[place - 1] if place else None
        rows.update_rows(changed)

    # --- what others wrote, and what went wrong

    def _beat(self) -> None:
        if self._answer is not None:
            self.pulse()

    @on(Beat)
    def _beat_came(self, event: Beat) -> None:
        self.strip.now = self.app.now // 60 * 60
        if int(self.app.now // 60) != int(self.rows.now // 60):
            self.rows.tick(self.app.now)
        if event.pulse.status is not None:
            self.strip.status, self.told = event.pulse.status, event.pulse.revision
        if self._answer is None:
            return
        if event.pulse.status is not None and not self._answer.order:
            self._tell(self._answer)
        if event.pulse.revision != self.revision:
            self.ask(self.question)

    def show_failure(self, failed: Failed) -> None:
        if not failed.unusable:
            super().show_failure(failed)
            return
        self._answer = None
        self.app.stores_came(opened=False)
        self.generation += 1
        self.add_class("-notice")
        self.notice.warn(*wording.unusable(failed.reason, self.app.keymap))
        self._highlighted()

    @on(MemoryList.Arrived)
    def _rows_came(self, event: MemoryList.Arrived) -> None:
        if isinstance(event.error, CortexError):
            self.post_message(Failed(str(event.error)))

    # --- cursor, preview, search

    @on(MemoryList.Highlighted)
    def _highlighted(self) -> None:
        if self._preview_timer is None:
            self._preview_timer = self.set_timer(PREVIEW_REST, self._show_preview)

    def _show_preview(self) -> None:
        self._preview_timer = None
        _, memory = self.current()
        self.preview.show(memory, self.app.now)
        self.hints.disabled_keys = frozenset(
            key.id for key in TABLE if wording.refusal(key.id, memory)
        )
        self.rows.look_around()

    def on_descendant_focus(self) -> None:
        self.hints.typing = "search" if isinstance(self.focused, SearchInput) else ""

    @on(MemoryList.Opened)
    def _read_on(self) -> None:
        if self.preview.display and self._answer and self._answer.order:
            self.preview.focus()

    @on(Preview.Left)
    @on(SearchBar.Left)
    def _to_list(self) -> None:
        self.rows.focus()

    @on(SearchBar.Moved)
    def _moved(self, event: SearchBar.Moved) -> None:
        self.rows.cursor += event.step

    @on(MemoryList.Picked)
    def _picked(self) -> None:
        self.action_detail()

    @on(MemoryList.Cleared)
    def _cleared(self) -> None:
        """One step back: out of the range, the search, the filters."""
        if self.rows.marks.anchor is not None:
            self.rows.marks.anchor = None
            self.rows.show_marks()
        elif self.search.words:
            self.search.clear()
        else:
            self.action_unfilter_all()

    def action_mark_all(self) -> None:
        if self._answer is not None and self._answer.partial:
            self.say("Not every row is found yet. Press it again in a moment.", warns=True)
        else:
            super().action_mark_all()

    def action_new(self) -> None:
        self.write_new()

    def action_refresh(self) -> None:
        if self._answer is None:
            self.open_stores(self.question)
        else:
            self.ask(self.question, again=True)
            self.say("Read again.")
