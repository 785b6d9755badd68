"""What the list of memories shows: how its rows are found, and the filters and order they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Lock
from time import sleep

from textual.actions import SkipAction
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input
from textual.worker import get_current_worker

from cortex_core.types import SORTS, Key
from cortex_tui.actions import memories as actions
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.messages import MeaningFound, RowsFound, StoresOpened
from cortex_tui.queries import (
    EVERYTHING,
    FIELDS,
    Chip,
    ListQuery,
    ListResult,
    MeaningHits,
    read_search,
)
from cortex_tui.screens import wording
from cortex_tui.screens.base import StoreScreen
from cortex_tui.session import StoreSession
from cortex_tui.widgets.search_bar import SearchBar

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
        self._finding = Lock()
        self._nearing = Lock()
        self._timer: Timer | None = None

    def open_stores(self, query: ListQuery) -> None:
        """Open the stores, or open them again, and find the first query; posts `StoresOpened`."""
        screen = self.screen
        opened = partial(screen.context.open_stores, query)
        self._work(
            lambda: screen.report(lambda: StoresOpened(opened()), reading=True),
            "open", "Opening the stores",
        )  # fmt: skip

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

    def forget(self) -> None:
        """Drop what is still being searched for."""
        self.generation += 1

    def plan_meaning(self, result: ListResult) -> None:
        """Find what is near `result` by meaning: roughly now, well when typing has rested."""
        if self._timer is not None:
            self._timer.stop()
        stores, generation = self.screen.stores, self.generation
        long = len(result.query.words.strip()) >= MEANING_FROM
        if long and stores is not None and not result.joined_meaning and not result.partial:
            self._near(partial(stores.nearly, result), generation)
            self._timer = self.screen.set_timer(
                MEANING_REST, lambda: self._near(partial(stores.near, result), generation)
            )

    # --- inside

    def _work(self, task: Callable[[], object], group: str, what: str) -> None:
        self.screen.run_worker(
            task, group=group, description=what, thread=True, exclusive=True, exit_on_error=False
        )

    def _find(
        self, stores: StoreSession, query: ListQuery, kept: dict[Key, Key | None],
        generation: int, *, meaning: bool,
    ) -> None:  # fmt: skip
        def first() -> Message:
            return found(stores.first(query))

        def whole() -> Message:
            result = stores.find(query, kept)
            return found(result.joined(stores.near(result)) if meaning else result)

        def found(result: ListResult) -> RowsFound:
            return RowsFound(result, generation, frozenset(kept), stores.first_page(result))

        if not kept and not meaning:
            message = self._report(first, generation)
            if not isinstance(message, RowsFound) or not message.result.partial:
                return
            sleep(REST)
        self._report(whole, generation)

    def _report(self, task: Callable[[], Message], generation: int) -> Message | None:
        """Post and give what `task` finds, unless a newer search came meanwhile."""
        with self._finding:
            if generation == self.generation and not get_current_worker().is_cancelled:
                return self.screen.report(task, reading=True)
        return None

    def _near(self, search: Callable[[], MeaningHits], generation: int) -> None:
        def task() -> None:
            with self._nearing:
                if generation == self.generation and not get_current_worker().is_cancelled:
                    self.screen.report(lambda: MeaningFound(search(), generation))

        self._work(task, "meaning", "Searching by meaning")


@dataclass
class FiltersRead(Message):
    """What can be filtered by is known."""

    options: Sequence[tuple[str, str]]


class ListFilters:
    """The query of the list, changed by keys, by mouse and by typing."""

    def __init__(self, screen: StoreScreen, ask: Callable[[ListQuery], None]) -> None:
        """Change the query of `screen`.

        Args:
            ask: finds the rows of another query, and sets `query` to it.
        """
        self.screen = screen
        self._ask = ask
        self.query = ListQuery()

    @property
    def _search(self) -> SearchBar:
        return self.screen.query_one(SearchBar)

    # --- typed

    def type(self) -> None:
        """Begin to type a search."""
        if isinstance(self.screen.focused, Input):
            raise SkipAction  # The key is a letter of what is being typed.
        self._search.type()

    def take(self, typed: str, *, done: bool) -> None:
        """Search for the words of `typed`; a qualifier in it that is complete becomes a chip."""
        screen = self.screen
        kinds = screen.query_one(MemoryList).kinds
        found = read_search(typed, kinds, screen.context.now, done=done)
        if found.problem:
            screen.say(found.problem, warns=True)
        query = self.query._replace(words=found.words)
        for chip in found.chips:
            query = query.with_chip(chip)
        if found.chips:
            self._search.put(found.left)
        if query != self.query:
            self._ask(query)

    # --- chips

    def drop_last(self) -> None:
        """Take the last filter away."""
        if self.query.chips:
            self._drop(self.query.chips[-1])
        else:
            self.screen.say("There is no filter to take away.", warns=True)

    def drop_all(self) -> None:
        """Take every filter away."""
        if self.query.chips:
            self._ask(self.query._replace(chips=()))

    def drop(self, index: int) -> None:
        """Take the chip at `index` away."""
        if index < len(self.query.chips):
            self._drop(self.query.chips[index])

    def _drop(self, chip: Chip) -> None:
        self._ask(self.query.without(chip))
        self.screen.say(f"No longer filtered by {chip}.")

    def switch_statuses(self) -> None:
        """Show every status, or only the active memories again."""
        query = self.query
        self._ask(query.without(EVERYTHING) if query.everything else query.with_chip(EVERYTHING))

    def read(self) -> None:
        """Read what can be filtered by; posts `FiltersRead`, for `choose`."""
        stores = self.screen.stores
        if stores is not None:
            query, branch = self.query, stores.cortex.project.branch
            self.screen.fetch(
                lambda stores: FiltersRead(actions.filters(stores.facets(query), query, branch)),
                group="facets", what="Reading the filters",
            )  # fmt: skip

    def choose(self, options: Sequence[tuple[str, str]]) -> None:
        """Let the user choose a filter, to be added or taken away."""
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
            field = next(field for field in FIELDS if field == name)
            self._ask(self.query.with_chip(Chip(field, value)))

    # --- order

    def sort_next(self) -> None:
        """Show the rows in the next order."""
        self._order_by(SORTS[(SORTS.index(self.query.sort) + 1) % len(SORTS)])

    def choose_order(self) -> None:
        """Let the user choose an order."""
        self.screen.converse(self._choose_order(), "Sorting")

    async def _choose_order(self) -> None:
        from cortex_tui.screens.dialogs import Choose

        options = [(name, wording.ORDERS[name]) for name in SORTS]
        answer = await self.screen.app.push_screen_wait(Choose("Order", options, self.query.sort))
        if answer is not None:
            self._order_by(answer)

    def _order_by(self, name: str) -> None:
        sort = next(sort for sort in SORTS if sort == name)
        if self.query.words.strip():
            self.screen.say("Search results are sorted by how well they match.", warns=True)
            return
        self._ask(self.query._replace(sort=sort))
        self.screen.say(f"Order: {wording.ORDERS[sort]}.")
