"""The memories: search, list, preview.

The screen decides what a message means and what its widgets show. `ListSearch` finds the
rows, `ListFilters` holds the query, `ListMarking` the marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.timer import Timer

from cortex_core.base import text
from cortex_core.base.errors import CortexError
from cortex_core.records.memory import Key, Memory
from cortex_tui import keymap
from cortex_tui.actions.memories_actions import Draft
from cortex_tui.context import Failed, MeaningFound, RowsFound
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.queries import Done, ListQuery, ListResult, Pulse
from cortex_tui.screens import list_query
from cortex_tui.screens.base import TALL, WIDE
from cortex_tui.screens.list_query import FilteredScreen, ListFilters, ListMarking, ListSearch
from cortex_tui.screens.memory_screen import Aimed, MemoryScreen
from cortex_tui.screens.panes import OriginPane
from cortex_tui.widgets.frame import Notice
from cortex_tui.widgets.preview import Preview
from cortex_tui.widgets.search_bar import FilterLine, SearchBar

MEDIUM = 16
"""Lines from which there is room for a preview below the list."""
PREVIEW_REST = 0.03
"""Seconds from a move of the cursor to the preview."""
BACK = frozenset({"undo", "redo"})
"""Verbs that leave the marks as they are."""
REREAD = BACK | {"remember"}
"""Verbs after which other rows may be there."""


class MemoriesScreen(FilteredScreen, MemoryScreen):
    """The list of both stores."""

    PLACE = NAME = "memories"
    BINDINGS = [*keymap.bindings("memories"), *keymap.bindings("sideways")]
    AUTO_FOCUS = "MemoryList"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (MEDIUM, "-medium"), (TALL, "-tall")]

    search = getters.query_one(SearchBar)
    filter_line = getters.query_one(FilterLine)
    rows = getters.query_one(MemoryList)
    preview = getters.query_one(Preview)

    def __init__(self) -> None:
        super().__init__()
        self.finding = ListSearch(self)
        self.filters = ListFilters(self, self.ask)
        self.marking = ListMarking(self)
        self._result: ListResult | None = None
        self._kept: dict[Key, Key | None] = {}
        """Rows that no longer pass the query, because of what was done here, and the row each one
        follows."""
        self._goes_to: Key | None = None
        """The new memory that the cursor goes to once its row is there."""
        self._preview_timer: Timer | None = None

    def main(self) -> ComposeResult:
        yield SearchBar()
        yield FilterLine(self.glyphs)
        with Container(id="body"):
            yield MemoryList(
                self.glyphs,
                self._read,
                lambda memory: self.stores.importance(memory) if self.stores else None,
                lambda memory: self.stores.given(memory) if self.stores else (),
            )
            yield Notice(self.glyphs)
            yield Preview(self.glyphs)
            yield OriginPane()

    def on_resize(self) -> None:
        self.rows.names_kinds = self.size.width >= WIDE
        self.call_after_refresh(self._show_summary)

    def start(self) -> None:
        if self.stores is not None:
            self.stores_came()

    def resumed(self) -> None:
        """The list keeps itself up to date while another screen is in front, but colours of a theme
        that was chosen there come only now."""
        for widget in (self.rows, self.preview):
            self.call_after_refresh(widget.notify_style_update)

    def forget_project(self) -> None:
        super().forget_project()
        self._result = None
        self.filters.query = ListQuery()
        self.filter_line.chips = ()
        self.marking.none()
        self.search.put("")
        self.finding.forget()

    def stores_came(self) -> None:
        self.rows.kinds = self.context.config.kinds
        super().stores_came()
        self.pulse()

    def beats(self) -> bool:
        return self._result is not None

    def _read(self, keys: Sequence[Key]) -> dict[Key, Memory]:
        return {} if self.stores is None else self.stores.rows(keys)

    def current(self) -> tuple[Key | None, Memory | None]:
        return (self.rows.key, self.rows.memory) if self._result else (None, None)

    def aim(self, action: str, then: Aimed) -> None:
        if not self.marking.aim(action, then):
            super().aim(action, then)

    # --- queries and results

    def ask(self, query: ListQuery, *, again: bool = False) -> None:
        """Find the rows of `query`; forgotten rows stay while it is the same one."""
        same = query == self.filters.query
        if again or not same:
            self._kept.clear()
        self.filters.query = query
        self.filter_line.chips = query.chips
        meaning = same and self._result is not None and self._result.joined_meaning
        self.finding.find(query, self._kept, meaning=meaning)

    def load(self) -> None:
        self.ask(self.filters.query)

    @on(RowsFound)
    def _rows_found(self, event: RowsFound) -> None:
        if event.generation != self.finding.generation:
            return
        if self._kept.keys() - event.kept:
            self.load()
        elif self._result is not None and event.result.completes(self._result):
            self._extend(event.result)
            self.finding.plan_meaning(event.result)
        else:
            self._show(event.result, event.rows)

    @on(MeaningFound)
    def _meaning_found(self, event: MeaningFound) -> None:
        if event.generation == self.finding.generation and self._result is not None:
            self._extend(self._result.joined(event.hits))

    def _extend(self, result: ListResult) -> None:
        """Show `result`, which begins as the one that is shown."""
        self._result = result
        self.rows.extend(result.order, result.meaning)
        self._show_summary()

    def _show(self, result: ListResult, read: Mapping[Key, Memory]) -> None:
        old, self._result = self._result, result
        same = old is not None and old.query == result.query
        searched = bool(result.query.words.strip())
        # The cursor stays while the same list grows or changes, and goes to the best row of a new
        # search, and to the first of what a session, an import or the team brought.
        brought = any(chip.field in ("session", "import", "new") for chip in result.query.chips)
        stays = (same and self.rows.cursor > 0) or not (searched or brought)
        self._kept = {key: self._kept.get(key) for key in result.kept}
        self.revision = result.revision
        rows = self.rows
        keep = rows.key if stays else None
        if self._goes_to is not None and self._goes_to in result.order:
            keep, self._goes_to = self._goes_to, None
        rows.forgotten = set(result.kept)
        rows.sort, rows.now = result.query.sort, self.context.now
        rows.show(
            result.order,
            words=list_query.words_to_mark(result),
            by_meaning=result.meaning,
            similar=result.similar,
            typed=result.query.words,
            keep=keep,
            read=read,
            fresh=old is None or old.revision != result.revision,
        )
        self.marking.show()
        self._show_summary()
        self.finding.plan_meaning(result)

    def _show_summary(self) -> None:
        if (result := self._result) is None:
            return
        status, room = self.strip.status, self.search.room
        history = 0 if status is None or result.query.chips else status.history
        # A search reads the history too, which the tab does not count.
        total = f"{result.total - history:,} + {history:,} of the history" if history else ""
        self.search.show(list_query.result_summary(result, self.glyphs, room, total))
        self.rows.border_title = text.counted(len(result.order), "memory", "memories")
        empty = not result.order
        self.show_notice(empty)
        if empty:
            self.notice.inform(
                *list_query.why_empty(result.query, self.strip.status, self.context.keymap)
            )

    def changed(self, done: Done) -> None:
        if done.before == self.revision:
            self.revision = done.after
        if done.verb == "remember":  # whose row the cursor goes to
            self._goes_to = next(iter(done.rows), None)
        if done.moved:  # Rows of memories that changed their store keep their position.
            self.rows.rows.replace([done.moved.get(key, key) for key in self.rows.rows.order])
        self._mark(done.rows)
        if done.verb not in BACK:
            self.rows.marks.drop([*done.rows, *done.moved])
        self.marking.show()
        if done.moved or done.verb in REREAD or not done.rows:
            self.load()
        self.pulse()

    def _mark(self, changed: Mapping[Key, Memory]) -> None:
        """Show the new state of rows in their position."""
        rows = self.rows
        order = rows.rows.order
        indexes = {key: index for index, key in enumerate(order) if key in changed}
        for key, memory in changed.items():
            index = indexes.get(key)
            if self.filters.query.passes(memory):
                rows.forgotten.discard(key)
                self._kept.pop(key, None)
            elif index is not None:
                rows.forgotten.add(key)
                self._kept[key] = order[index - 1] if index else None
        rows.update_rows(changed)

    # --- what others wrote, and what went wrong

    def beat(self, pulse: Pulse) -> None:
        now = self.context.now
        if int(now // 60) != int(self.rows.now // 60):
            self.rows.tick(now)
        if self._result is None:
            return
        if pulse.status is not None and not self._result.order:
            self._show_summary()
        if pulse.revision != self.revision:
            self.load()

    def failed(self, failed: Failed) -> None:
        super().failed(failed)
        if failed.unusable:
            self._result = None
            self.finding.forget()
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
        self.preview.show(memory, self.context.now, self.rows.words)
        self.show_refused(memory)
        self.rows.look_around()
        self.query_one(OriginPane).follow(memory)

    # --- typing and moving

    @on(SearchBar.SearchEnded)
    def _typed_to_the_end(self) -> None:
        self.rows.focus()
        self.filters.take(self.search.words, done=True)

    @on(MemoryList.Picked)
    def _picked(self) -> None:
        self.action_detail()

    @on(MemoryList.Marked)
    def _marked(self) -> None:
        self.marking.show()

    def action_back(self) -> None:
        """One step back: out of the preview, to the sessions from what one taught, to all
        memories, to no marks."""
        if self.focused is self.preview:
            self.rows.focus()
        elif not self.jobs.stop():
            query = self.filters.query
            self.filters.clear()
            if {"session", "status"} <= {chip.field for chip in query.chips}:  # what one taught
                self.context.action_go("sessions")
            elif not (query.chips or query.words):
                self.marking.none()

    def action_side(self, step: int) -> None:
        """Into the preview, or back to the list."""
        if step < 0:
            self.rows.focus()
        elif self.preview.display and self._result and self._result.order:
            self.preview.focus()

    def _filters_read(self, options: Sequence[tuple[str, str]]) -> None:
        status = self.strip.status
        if options:
            self.filters.choose(options)
        elif status is not None and not status.connected:
            self.action_connect()
        else:
            self.say("There is no memory to filter yet.", warns=True)

    def show_part(self, typed: str) -> None:
        """Show the memories that the qualifiers in `typed` ask for, or begin a search for “/”; at
        once, or as soon as the page is there, for which the next keys wait."""
        self.context.hold_keys(not self.is_mounted)
        if not self.is_mounted:
            self.call_later(self.show_part, typed)
        elif typed == "/":
            self.action_search()
        else:
            self.filters.only(typed)
            self.rows.focus()

    # --- keys: search, filters, order

    def action_search(self) -> None:
        self.filters.type()
        self.finding.prepare(self.filters.query)

    def action_filter(self) -> None:
        self.filters.read(self._filters_read)

    def action_map(self) -> None:
        """Show the memories of the list on the map."""
        if (target := self.aim_at_one("memory.map")) is not None:
            self.context.go("map", target[0], self.filters.query)

    def action_statuses(self) -> None:
        self.filters.switch_statuses()

    def action_order(self) -> None:
        self.converse(self.filters.choose_order(), "Sorting")

    # --- keys: marks, and the list itself

    def action_mark(self) -> None:
        self.rows.mark()

    def action_mark_range(self) -> None:
        if self.rows.key is not None:
            self.rows.marks.range(self.rows.key)
            self.rows.show_marks()

    def action_mark_all(self) -> None:
        if self._result is not None and self._result.partial:
            self.say("The search is still running. Press it again in a moment.", warns=True)
        elif len(self.rows.marks) >= self.rows.count():
            self.marking.none()
        else:
            self.marking.all()

    def action_mark_none(self) -> None:
        self.marking.none()

    def action_new(self) -> None:
        writing = self.editing.write(("memory.new", None), Draft())
        self.converse(writing, "Writing", exclusive=False)

    def action_refresh(self) -> None:
        if self._result is None:
            super().action_refresh()
        else:
            self.ask(self.filters.query, again=True)
            self.say("Read again.")
