"""Helpers of the memories screen: how rows are found, its filters, its order and its marks.

Each is an object that the screen owns. The functions at the top make the words about a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING

from textual import on
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.worker import get_current_worker

from cortex_core.base import text
from cortex_core.base.kinds import DEFAULT
from cortex_core.records.memory import SORTS, Key
from cortex_tui.actions import memories_actions as actions
from cortex_tui.context import MeaningFound, RowsFound
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.queries import (
    EVERYTHING,
    FIELDS,
    Chip,
    Field,
    ListQuery,
    ListResult,
    MeaningHits,
    TypedSearch,
    read_search,
)
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.memory_screen import Aimed, MemoryScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.frame import Steps
from cortex_tui.widgets.search_bar import SearchBar, counted

if TYPE_CHECKING:
    from cortex_core.records.captures import ProjectStatus

ORDERS = {
    "updated": "newest change first",
    "created": "newest first",
    "priority": "by priority",
    "title": "by title",
    "kind": "by kind",
    "access": "most used first",
    "standing": "by importance",
    "confidence": "by confidence",
}


def words_to_mark(result: ListResult) -> list[str]:
    """The words that are marked in titles: as typed, and as they were read."""
    typed = text.words(result.query.words)
    return [word for word in [*typed, *result.corrected.values()] if word]


def result_summary(result: ListResult, glyphs: Glyphs, room: int, total: str = "") -> Content:
    """`23 of 1,284`, the words that were corrected, and what else is unusual.

    Args:
        total: how many are searched, in words; the number of `result` without it.
        room: the cells there are; what matters least is left out, the count never.
    """
    total = total or f"{result.total:,}"
    parts = [Content.assemble(part) for part in _summary_parts(result, glyphs, total)]
    while len(parts) > 1 and sum(part.cell_length + 3 for part in parts) - 3 > room:
        del parts[-2]
    return Content("   ").join(parts)


def _summary_parts(result: ListResult, glyphs: Glyphs, total: str) -> list[tuple[str, str]]:
    """What there is to say, with its style: what matters most first, the count last."""
    query, signs = result.query, glyphs.signs
    parts: list[tuple[str, str]] = []
    more = signs.ellipsis if result.partial else ""
    for wrong, right in list(result.corrected.items())[:2]:
        parts.append((f"{glyphs.line(wrong)} {signs.arrow} {glyphs.line(right)}", "$text-warning"))
    if result.suggested:
        parts.append((f"{result.suggested:,} suggested: is:suggested", "$text-accent"))
    if result.similar:
        parts.append((f"{signs.similar} {len(result.similar)} by spelling", "$muted"))
    if result.meaning:
        parts.append((f"{signs.meaning} {len(result.meaning)} by meaning", "$muted"))
    if result.degraded:
        parts.append(("words only", "$text-warning"))
    if query.sort != "updated" and not query.words.strip():
        parts.append((ORDERS[query.sort], "$text-accent"))
    if query.words.strip():
        parts.append((f"{len(result.order):,}{more} of {total}", "$muted"))
    elif query.chips:
        parts.append((f"{len(result.order):,}{more} shown", "$muted"))
    return parts


def why_empty(query: ListQuery, status: ProjectStatus | None, keymap: Keymap) -> tuple[str, Steps]:
    """Why the list is empty, and what to do about it."""
    key = keymap.first
    counts: Mapping[str, int] = {} if status is None else status.counts
    others = sum(number for name, number in counts.items() if name != "active")
    # Each step is a key that undoes what hides the memories.
    hidden: list[tuple[str, str]] = []
    if others and not query.everything:
        hidden = [
            (key("list.statuses"), f"show the {others:,} archived, suggested or quarantined too")
        ]
    if query.words.strip():
        steps = [(key("move.back"), "clear the search")]
        if query.chips:
            steps.append((key("list.unfilter"), "remove the last filter"))
        return "No memory has all of these words.", steps + hidden
    if query.chips and query.chips != (EVERYTHING,):
        steps = [
            (key("list.unfilter"), "remove the last filter"),
            (key("move.back"), "remove all filters"),
        ]
        return "No memory passes these filters.", steps + hidden
    if hidden:
        return "No memory is active here.", hidden
    if status is not None and status.history:
        entries = text.counted(status.history, "entry", "entries")
        step = f"{key('list.search')} kind:episode"
        heading = f"No memory is here yet, only {entries} of the history."
        return heading, [(step, "show the history")]
    return "Nothing is remembered here yet.", [
        (key("page.learn"), "learn from this project's past sessions, after a preview"),
        (key("page.connect"), "connect Claude Code, so that each session is read"),
        (key("memory.new"), "write a memory"),
        (key("app.help"), "every key"),
    ]


REST = 0.25
"""Seconds from the first rows of a result to the search for all of them: time to draw these, and
for the next letter to come."""
MEANING_REST = 0.25
"""Seconds without typing before a search by meaning begins."""
MEANING_FROM = 3
"""Characters that a search by meaning takes at least."""


class ListSearch:
    """Finds the rows of a list in workers, which post `Found` and `Near` to its screen.

    Every search has a generation; what an older one than the newest brings is to be dropped.
    """

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen
        self.generation = 0
        """The number of the newest search."""
        self._finding_lock = Lock()
        self._meaning_lock = Lock()
        self._timer: Timer | None = None

    def find(
        self, query: ListQuery, kept: Mapping[Key, Key | None], *, meaning: bool = False
    ) -> None:
        """Find the rows of `query` unless a newer search comes meanwhile: the first, then all.

        Args:
            kept: rows that stay although they no longer pass, and the row each one follows.
            meaning: by meaning too.
        """
        self.generation += 1
        if (stores := self.screen.stores) is not None:
            kept = dict(kept)
            task = partial(self._find, stores, query, kept, self.generation, meaning=meaning)
            self._work(task, "find", "Finding memories")

    def prepare(self, query: ListQuery) -> None:
        """Read what a search with the filters of `query` needs while its first letters are
        typed."""
        if (stores := self.screen.stores) is not None:
            self._work(partial(stores.prepare_search, query), "prepare", "Preparing the search")

    def forget(self) -> None:
        """Drop what is still being searched for."""
        self.generation += 1

    def plan_meaning(self, result: ListResult) -> None:
        """Find what is near `result` by meaning when typing has rested."""
        if self._timer is not None:
            self._timer.stop()
        stores, generation = self.screen.stores, self.generation
        long = len(result.query.words.strip()) >= MEANING_FROM
        if long and stores is not None and not result.joined_meaning and not result.partial:
            self._timer = self.screen.set_timer(
                MEANING_REST,
                lambda: self._search_meaning(partial(stores.by_meaning, result), generation),
            )

    # --- inside

    def _work(self, task: Callable[[], object], group: str, what: str) -> None:
        self.screen.run_worker(
            task, group=group, description=what, thread=True, exclusive=True, exit_on_error=False
        )

    def _find(
        self,
        stores: StoreSession,
        query: ListQuery,
        kept: dict[Key, Key | None],
        generation: int,
        *,
        meaning: bool,
    ) -> None:
        def first() -> Message:
            return found(stores.first(query))

        def whole() -> Message:
            result = stores.find(query, kept)
            return found(result.joined(stores.by_meaning(result)) if meaning else result)

        def found(result: ListResult) -> RowsFound:
            return RowsFound(result, generation, frozenset(kept), stores.first_page(result))

        if not kept and not meaning:
            message = self._report(first, generation)
            if not isinstance(message, RowsFound) or not message.result.partial:
                return
            sleep(REST)
        self._report(whole, generation)

    def _report(self, task: Callable[[], Message], generation: int) -> Message | None:
        """Post and return what `task` finds, unless a newer search came meanwhile."""
        with self._finding_lock:
            if generation == self.generation and not get_current_worker().is_cancelled:
                return self.screen.report(task, reading=True)
        return None

    def _search_meaning(self, search: Callable[[], MeaningHits], generation: int) -> None:
        def task() -> None:
            with self._meaning_lock:
                if generation == self.generation and not get_current_worker().is_cancelled:
                    self.screen.report(lambda: MeaningFound(search(), generation))

        self._work(task, "meaning", "Searching by meaning")


class ListFilters:
    """The query of the list, changed by keys, by mouse and by typing."""

    def __init__(
        self,
        screen: StoreScreen,
        ask: Callable[[ListQuery], None],
        fields: Sequence[Field] = FIELDS,
    ) -> None:
        """Change the query of `screen`.

        Args:
            ask: finds the rows of another query, and sets `query` to it.
            fields: what the rows can be filtered by.
        """
        self.screen = screen
        self._ask = ask
        self._fields = fields
        self.query = ListQuery()

    @property
    def _search(self) -> SearchBar:
        return self.screen.query_one(SearchBar)

    def _read(self, typed: str, *, done: bool) -> TypedSearch:
        """`typed` taken apart."""
        stores = self.screen.stores
        kinds = DEFAULT if stores is None else stores.cortex.config.kinds
        return read_search(typed, kinds, self.screen.context.now, done=done, fields=self._fields)

    # --- typed

    def type(self) -> None:
        """Begin to type a search."""
        self._search.type()
        self._complete(())

    def _complete(self, values: Sequence[tuple[str, str]]) -> None:
        """Complete the names of qualifiers, and the `values` that they can have."""
        names = [f"{field}:" for field in self._fields]
        self._search.complete([*names, *(value for value, _ in values)])

    def take(self, typed: str, *, done: bool) -> None:
        """Search for the words of `typed`; complete qualifiers in it become chips."""
        screen = self.screen
        search = self._read(typed, done=done)
        if typed.endswith(":"):
            self.read(self._complete)
        if search.problem:
            screen.say(search.problem, warns=True)
        query = self.query._replace(words=search.words)
        for chip in search.chips:
            query = query.with_chip(chip)
        if search.chips:
            self._search.put(search.left)
        if query != self.query:
            self._ask(query)

    # --- chips

    def only(self, typed: str) -> None:
        """Show what the qualifiers in `typed` ask for, and nothing else counts."""
        self._search.put("")
        chips = self._read(typed, done=True).chips
        self._ask(ListQuery(chips=chips, sort=self.query.sort))

    def drop_last(self) -> None:
        """Remove the last filter."""
        if self.query.chips:
            self._drop(self.query.chips[-1])
        else:
            self.screen.say("There is no filter to remove.", warns=True)

    def clear(self) -> None:
        """Forget the words that were searched for, and every filter."""
        self._search.put("")
        if self.query.chips or self.query.words:
            self._ask(self.query._replace(words="", chips=()))

    def drop(self, index: int) -> None:
        """Remove the chip at `index`."""
        if index < len(self.query.chips):
            self._drop(self.query.chips[index])

    def _drop(self, chip: Chip) -> None:
        self._ask(self.query.without(chip))
        self.screen.say(f"No longer filtered by {chip}.")

    def switch_statuses(self) -> None:
        """Show every status, or only the active memories again."""
        query = self.query
        self._ask(query.without(EVERYTHING) if query.everything else query.with_chip(EVERYTHING))

    def read(self, show: Callable[[Sequence[tuple[str, str]]], None]) -> None:
        """Read what can be filtered by, and `show` it."""
        stores = self.screen.stores
        if stores is not None:
            query, branch = self.query, stores.cortex.project.branch
            self.screen.fetch(
                lambda stores: actions.filters(stores.facets(query), query, branch),
                show,
                group="facets",
                what="Reading the filters",
            )

    def choose(self, options: Sequence[tuple[str, str]]) -> None:
        """Let the user choose a filter to add or remove."""
        self.screen.converse(self._choose(options), "Filtering")

    async def _choose(self, options: Sequence[tuple[str, str]]) -> None:
        from cortex_tui.screens.dialogs import Choose

        answer = await self.screen.app.push_screen_wait(Choose("Filter", options))
        if answer is None:
            return
        known = next((chip for chip in self.query.chips if str(chip) == answer), None)
        if known is not None:
            self._drop(known)
        else:
            name, _, value = answer.partition(":")
            field = next(field for field in self._fields if field == name)
            self._ask(self.query.with_chip(Chip(field, value)))

    # --- order

    async def choose_order(self) -> None:
        """Let the user choose an order."""
        from cortex_tui.screens.dialogs import Choose

        now = self.query.sort
        options = [(one, ORDERS[one] + (" (now)" if one == now else "")) for one in SORTS]
        answer = await self.screen.app.push_screen_wait(Choose("Order", options, now))
        if answer is not None:
            self._order_by(answer)

    def _order_by(self, name: str) -> None:
        sort = next(sort for sort in SORTS if sort == name)
        if self.query.words.strip():
            self.screen.say("Search results are sorted by how well they match.", warns=True)
            return
        self._ask(self.query._replace(sort=sort))
        self.screen.say(f"Order: {ORDERS[sort]}.")


class FilteredScreen(StoreScreen):
    """A screen whose rows are found by words and filters, typed in a line above them."""

    filters: ListFilters

    @on(SearchBar.SearchTyped)
    def _typed(self, event: SearchBar.SearchTyped) -> None:
        self.filters.take(event.words, done=event.done)

    @on(SearchBar.Emptied)
    def action_unfilter(self) -> None:
        self.filters.drop_last()

    def action_drop_filter(self, index: int) -> None:
        self.filters.drop(index)


class ListMarking:
    """The marks in a screen's list, and which memories an action is for because of them."""

    def __init__(self, screen: MemoryScreen) -> None:
        self.screen = screen

    @property
    def _list(self) -> MemoryList:
        return self.screen.query_one(MemoryList)

    # --- what an action is for

    def aim(self, action: str, then: Aimed) -> bool:
        """Call `then` with the marked memories; False where none is marked.

        Where a filter hides some of them, the user is asked first which are meant.
        """
        marks = self._list.marks
        shown, hidden = marks.shown(), marks.hidden()
        if hidden:
            self.screen.converse(self._ask(len(shown), len(hidden), action, then), "Asking")
        elif shown:
            self._aim_at_marked(then, with_hidden=False)
        return bool(shown or hidden)

    def _aim_at_marked(self, then: Aimed, *, with_hidden: bool) -> None:
        marks, rows = self._list.marks, self._list.rows
        keys = [*marks.shown(), *(marks.hidden() if with_hidden else ())]
        known = [memory for key in keys[:1] if (memory := rows.known(key)) is not None]
        if len(keys) == 1 and not known:
            self.screen.say("This memory is not read yet. Try again.", warns=True)
        elif keys:
            then(keys, known)

    async def _ask(self, shown: int, hidden: int, action: str, then: Aimed) -> None:
        """Ask whether marked memories that a filter hides are meant too."""
        from cortex_tui.screens.dialogs import Choose

        total = shown + hidden
        options = [
            ("shown", f"Only the {shown:,} marked that are shown")
            if shown
            else ("cursor", "Only the one under the cursor"),
            ("all", f"All {total:,} marked, the {hidden:,} not shown among them"),
        ]
        title = f"{counted(total, hidden)}: which are meant?"
        answer = await self.screen.app.push_screen_wait(Choose(title, options))
        if answer == "cursor":
            if (target := self.screen.aim_at_one(action)) is not None:
                then([target[0]], [target[1]])
        elif answer is not None:
            self._aim_at_marked(then, with_hidden=answer == "all")

    # --- marking

    def show(self) -> None:
        """Say how many are marked, and how many of them are out of sight."""
        marks = self._list.marks
        words = counted(len(marks), len(marks.hidden()))
        self._list.border_subtitle = words and f"[@click=screen.mark_none]{words}[/]"

    def all(self) -> None:
        """Mark every row that is shown."""
        self._list.marks.all()
        self._list.show_marks()

    def none(self) -> None:
        """Remove all marks."""
        marks = self._list.marks
        marks.none()
        self._list.show_marks()
