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
from cortex_tui.glyphs import Glyphs
from cortex_tui.keys import TABLE
from cortex_tui.messages import Beat, Changed, Failed, Found, Near, StoresOpened
from cortex_tui.queries import ListQuery, ListResult
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

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._result: ListResult | None = None
        self._kept: dict[Key, Key | None] = {}
        self._meaning_timer: Timer | None = None
        self._preview_timer: Timer | None = None
        self._first_worth: Mapping[str, float] = {}
        """The standing of what is shown before the stores are open, by id."""

    def compose(self) -> ComposeResult:
        # Textual sets these classes too, but only after a first layout without them.
        self.set_class(self.app.size.width >= WIDE, "-wide")
        self.set_class(self.app.size.height >= TALL, "-tall")
        yield CaptureStrip(self.glyphs)
        yield SearchBar()
        yield FilterLine(self.glyphs)
        with Container(id="body"):
            yield MemoryList(self.glyphs, self._read, self._worth)
            yield Notice(self.glyphs)
            yield Preview(self.glyphs)
        yield KeyHints(self.glyphs, self.PLACE)

    def on_resize(self, event: Resize) -> None:
        self.rows.names_kinds = event.size.width >= WIDE

    def on_mount(self) -> None:
        self.hints.keymap = self.app.keymap
        if (first := self.app.first_answer(self.list_query)) is not None:
            self._first_worth = first.worth
            self.rows.kinds = self.app.config.kinds
            self._show(first.result, first.rows)
            self.open_stores(self.list_query)
        elif (opened := self.app.opened_already(self.list_query)) is not None:
            self._opened(StoresOpened(opened))
        else:
            self.open_stores(self.list_query)
        self.set_interval(PULSE, self._beat)

    def _read(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        return {} if self.stores is None else self.stores.rows(keys)

    def _worth(self, memory: Memory) -> float | None:
        if self.stores is None:
            return self._first_worth.get(memory.id)
        return self.stores.worth(memory)

    def current(self) -> tuple[Key | None, Memory | None]:
        return (self.rows.key, self.rows.memory) if self._result else (None, None)

    def say(self, sentence: str, *, warns: bool = False) -> None:
        self.hints.say(sentence, warns=warns)

    # --- questions and answers

    def ask(self, query: ListQuery, *, again: bool = False) -> None:
        """Ask for the rows of `query`; forgotten rows stay while it is the same question."""
        same = query == self.list_query
        if again or not same:
            self._kept.clear()
        self.list_query = query
        self.filters.chips = query.chips
        self.generation += 1
        if self.stores is not None:
            meaning = same and self._result is not None and self._result.joined_meaning
            self.find(self.stores, query, dict(self._kept), self.generation, meaning=meaning)

    @on(StoresOpened)
    def _opened(self, event: StoresOpened) -> None:
        opened = event.opened
        self.app.stores = opened.stores
        self.app.stores_came(opened=True)
        self.rows.kinds = opened.stores.cortex.config.kinds
        self._result = self.told = None
        self._show(opened.result, opened.rows)
        self.pulse()
        if opened.result.query != self.list_query:
            self.ask(self.list_query)

    @on(Found)
    def _found(self, event: Found) -> None:
        if event.generation != self.generation:
            return
        if self._kept.keys() - event.kept:
            self.ask(self.list_query)
        elif self._result is not None and event.result.completes(self._result):
            self._extend(event.result)
            self._plan_meaning(event.result)
        else:
            self._show(event.result, event.rows)

    @on(Near)
    def _near(self, event: Near) -> None:
        if event.generation == self.generation and self._result is not None:
            self._extend(self._result.joined(event.near))

    def _extend(self, result: ListResult) -> None:
        """Show `result`, which begins as the one that is shown."""
        self._result = result
        self.rows.extend(result.order, result.meaning)
        self._tell(result)

    def _show(self, result: ListResult, read: Mapping[Key, Memory]) -> None:
        old, self._result = self._result, result
        same = old is not None and old.query == result.query
        stays = same or not result.query.words.strip()
        self._kept = {key: self._kept.get(key) for key in result.kept}
        self.revision = result.revision
        rows = self.rows
        rows.forgotten = set(result.kept)
        rows.sort, rows.now = result.query.sort, self.app.now
        rows.show(
            result.order, words=wording.marked(result), by_meaning=result.meaning,
            keep=rows.key if stays else None, read=read,
            fresh=old is None or old.revision != result.revision,
        )  # fmt: skip
        self.show_marks()
        self._tell(result)
        self._plan_meaning(result)

    def _tell(self, result: ListResult) -> None:
        self.search.show(wording.found(result, self.glyphs))
        empty = not result.order
        self.set_class(empty, "-notice")
        if empty:
            self.notice.tell(*wording.nothing(result.query, self.strip.status, self.app.keymap))

    def _plan_meaning(self, result: ListResult) -> None:
        if self._meaning_timer is not None:
            self._meaning_timer.stop()
        stores, generation = self.stores, self.generation
        long = len(result.query.words.strip()) >= MEANING_FROM
        if long and stores is not None and not result.joined_meaning and not result.partial:
            self.find_near(stores, result, generation, roughly=True)
            self._meaning_timer = self.set_timer(
                MEANING_REST, lambda: self.find_near(stores, result, generation)
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
            self.ask(self.list_query)
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
            if self.list_query.passes(memory):
                rows.forgotten.discard(key)
                self._kept.pop(key, None)
            elif place is not None:
                rows.forgotten.add(key)
                self._kept[key] = order[place - 1] if place else None
        rows.update_rows(changed)

    # --- what others wrote, and what went wrong

    def _beat(self) -> None:
        if self._result is not None:
            self.pulse()

    @on(Beat)
    def _beat_came(self, event: Beat) -> None:
        self.strip.now = self.app.now // 60 * 60
        if int(self.app.now // 60) != int(self.rows.now // 60):
            self.rows.tick(self.app.now)
        if event.pulse.status is not None:
            self.strip.status, self.told = event.pulse.status, event.pulse.revision
        if self._result is None:
            return
        if event.pulse.status is not None and not self._result.order:
            self._tell(self._result)
        if event.pulse.revision != self.revision:
            self.ask(self.list_query)

    def show_failure(self, failed: Failed) -> None:
        if not failed.unusable:
            super().show_failure(failed)
            return
        self._result = None
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
        if self.preview.display and self._result and self._result.order:
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
        if self._result is not None and self._result.partial:
            self.say("Not every row is found yet. Press it again in a moment.", warns=True)
        else:
            super().action_mark_all()

    def action_new(self) -> None:
        self.write_new()

    def action_refresh(self) -> None:
        if self._result is None:
            self.open_stores(self.list_query)
        else:
            self.ask(self.list_query, again=True)
            self.say("Read again.")
