"""What the list shows and in which order: typed words and qualifiers, chips, the orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import getters, on, work
from textual.actions import SkipAction
from textual.message import Message
from textual.widgets import Input

from cortex_core.memory import SORTS
from cortex_tui import qualifiers
from cortex_tui.actions import memories as actions
from cortex_tui.queries import EVERYTHING, FIELDS, Chip, ListQuery
from cortex_tui.screens import wording
from cortex_tui.screens.acting import ActingScreen
from cortex_tui.widgets.filter_line import FilterLine
from cortex_tui.widgets.memory_list import MemoryList
from cortex_tui.widgets.search_bar import SearchBar


@dataclass
class Offered(Message):
    """What can be filtered by is known."""

    options: Sequence[tuple[str, str]]


class Filtering(ActingScreen):
    """The question of the list, by keys, by mouse and by typing."""

    search = getters.query_one(SearchBar)
    filters = getters.query_one(FilterLine)
    rows = getters.query_one(MemoryList)
    list_query = ListQuery()

    def ask(self, query: ListQuery, *, again: bool = False) -> None:
        """Ask for the rows of `query`."""
        raise NotImplementedError

    # --- typed

    def action_search(self) -> None:
        if isinstance(self.focused, Input):
            raise SkipAction  # The key is a letter of what is being typed.
        self.search.type()

    @on(SearchBar.Typed)
    def _typed(self, event: SearchBar.Typed) -> None:
        self._take(event.words, done=event.done)

    @on(SearchBar.Left)
    def _typed_to_the_end(self) -> None:
        self._take(self.search.words, done=True)

    def _take(self, typed: str, *, done: bool) -> None:
        found = qualifiers.read(typed, self.rows.kinds, self.app.now, done=done)
        if found.problem:
            self.say(found.problem, warns=True)
        query = self.list_query._replace(words=found.words)
        for chip in found.chips:
            query = query.with_chip(chip)
        if found.chips:
            self.search.put(found.left)
        if query != self.list_query:
            self.ask(query)

    # --- chips

    @on(SearchBar.Emptied)
    def action_unfilter(self) -> None:
        if self.list_query.chips:
            self._drop(self.list_query.chips[-1])
        else:
            self.say("There is no filter to take away.", warns=True)

    def action_unfilter_all(self) -> None:
        if self.list_query.chips:
            self.ask(self.list_query._replace(chips=()))

    def action_drop_filter(self, place: int) -> None:
        """Take the chip at `place` away."""
        if place < len(self.list_query.chips):
            self._drop(self.list_query.chips[place])

    def _drop(self, chip: Chip) -> None:
        self.ask(self.list_query.without(chip))
        self.say(f"No longer filtered by {chip}.")

    def action_statuses(self) -> None:
        query = self.list_query
        self.ask(query.without(EVERYTHING) if query.everything else query.with_chip(EVERYTHING))

    def action_filter(self) -> None:
        if self.stores is not None:
            query, branch = self.list_query, self.stores.cortex.project.branch
            self.fetch(
                lambda stores: Offered(actions.filters(stores.facets(query), query, branch)),
                group="facets", what="Reading the filters",
            )  # fmt: skip

    @on(Offered)
    def _offered(self, event: Offered) -> None:
        self._choose_filter(event.options)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Filtering")
    async def _choose_filter(self, options: Sequence[tuple[str, str]]) -> None:
        from cortex_tui.screens.dialogs import Choose

        answer = await self.app.push_screen_wait(Choose("Filter", options))
        if answer is None:
            return
        known = next((chip for chip in self.list_query.chips if str(chip) == answer), None)
        if known is not None:
            self._drop(known)
        else:
            name, _, value = answer.partition(":")
            field = next(field for field in FIELDS if field == name)
            self.ask(self.list_query.with_chip(Chip(field, value)))

    # --- order

    def action_sort(self) -> None:
        following = SORTS[(SORTS.index(self.list_query.sort) + 1) % len(SORTS)]
        self._order_by(following)

    def action_sort_by(self) -> None:
        self._choose_order()

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Sorting")
    async def _choose_order(self) -> None:
        from cortex_tui.screens.dialogs import Choose

        options = [(name, wording.ORDERS[name]) for name in SORTS]
        answer = await self.app.push_screen_wait(Choose("Order", options, self.list_query.sort))
        if answer is not None:
            self._order_by(answer)

    def _order_by(self, name: str) -> None:
        sort = next(sort for sort in SORTS if sort == name)
        if self.list_query.words.strip():
            self.say("What a search finds stands in the order of how well it fits.", warns=True)
            return
        self.ask(self.list_query._replace(sort=sort))
        self.say(f"Order: {wording.ORDERS[sort]}.")
