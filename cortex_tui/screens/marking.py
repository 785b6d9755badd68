"""Marks: one action for many memories, never for any that are out of sight without saying so."""

from __future__ import annotations

from textual import getters, on, work

from cortex_tui.screens.acting import ActingScreen
from cortex_tui.screens.editing import Aimed
from cortex_tui.widgets.filter_line import FilterLine, counted
from cortex_tui.widgets.memory_list import MemoryList


class Marking(ActingScreen):
    """A list in which several memories can be marked."""

    filters = getters.query_one(FilterLine)
    rows = getters.query_one(MemoryList)

    def aim(self, action: str, then: Aimed) -> None:
        marks = self.rows.marks
        marks.end(self.rows.cursor)
        shown, hidden = marks.shown(), marks.hidden()
        if not shown and not hidden:
            super().aim(action, then)
        elif hidden:
            self._ask_about_hidden(len(shown), len(hidden), action, then)
        else:
            self._aim_at_marked(then, with_hidden=False)

    def _aim_at_marked(self, then: Aimed, *, with_hidden: bool) -> None:
        marks, rows = self.rows.marks, self.rows.rows
        keys = [*marks.shown(), *(marks.hidden() if with_hidden else ())]
        known = [memory for key in keys[:1] if (memory := rows.known(key)) is not None]
        if len(keys) == 1 and not known:
            self.say("This memory is not read yet. Try again.", warns=True)
        elif keys:
            then(keys, known)

    @work(exclusive=True, exit_on_error=False, group="dialog", description="Asking")
    async def _ask_about_hidden(self, shown: int, hidden: int, action: str, then: Aimed) -> None:
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
        answer = await self.app.push_screen_wait(Choose(title, options))
        if answer == "cursor":
            super().aim(action, then)
        elif answer is not None:
            self._aim_at_marked(then, with_hidden=answer == "all")

    @on(MemoryList.Marked)
    def show_marks(self) -> None:
        """Say how many are marked, and how many of them are out of sight."""
        marks = self.rows.marks
        self.filters.marks = counted(
            len(marks), len(marks.hidden()), ranging=marks.anchor is not None
        )

    def action_mark(self) -> None:
        self.rows.action_mark()

    def action_mark_range(self) -> None:
        marks = self.rows.marks
        if marks.anchor is not None:
            marks.end(self.rows.cursor)
        elif self.rows.key is not None:
            marks.begin(self.rows.cursor)
        else:
            self.say("There is no memory to mark.", warns=True)
        self.rows.show_marks()

    def action_mark_all(self) -> None:
        self.rows.marks.all()
        self.rows.show_marks()

    def action_mark_none(self) -> None:
        if not len(self.rows.marks) and self.rows.marks.anchor is None:
            self.say("Nothing is marked.", warns=True)
        self.rows.marks.none()
        self.rows.show_marks()
