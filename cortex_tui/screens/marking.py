"""Marks: one action for many memories, never for any that are out of sight without saying so."""

from __future__ import annotations

from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.screens.memory_screen import Aimed, MemoryScreen
from cortex_tui.widgets.search_bar import FilterLine, counted


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
        marks.end(self._list.cursor)
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
            if (found := self.screen.aim_at_one(action)) is not None:
                then([found[0]], [found[1]])
        elif answer is not None:
            self._aim_at_marked(then, with_hidden=answer == "all")

    # --- marking

    def show(self) -> None:
        """Say how many are marked, and how many of them are out of sight."""
        marks = self._list.marks
        self.screen.query_one(FilterLine).marks = counted(
            len(marks), len(marks.hidden()), ranging=marks.anchor is not None
        )

    def range(self) -> None:
        """Begin to mark a range, or mark the one that was begun."""
        marks = self._list.marks
        if marks.anchor is not None:
            marks.end(self._list.cursor)
        elif self._list.key is not None:
            marks.begin(self._list.cursor)
        else:
            self.screen.say("There is no memory to mark.", warns=True)
        self._list.show_marks()

    def all(self) -> None:
        """Mark every row that is shown."""
        self._list.marks.all()
        self._list.show_marks()

    def none(self) -> None:
        """Take every mark away."""
        marks = self._list.marks
        if not len(marks) and marks.anchor is None:
            self.screen.say("Nothing is marked.", warns=True)
        marks.none()
        self._list.show_marks()
