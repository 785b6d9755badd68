"""A page on which memories are looked through for what says the same, in a worker with progress."""

from __future__ import annotations

from dataclasses import dataclass

from textual import getters, on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.worker import get_current_worker

from cortex_core.errors import CortexError
from cortex_tui.library import Library
from cortex_tui.messages import Failed
from cortex_tui.screens.page import Page
from cortex_tui.widgets.job_line import JobLine
from cortex_tui.widgets.key_hints import KeyHints


@dataclass
class Compared(Message):
    """A consolidation is over."""

    found: int | None
    """New proposals; None when it failed."""


class Stopped(Exception):
    """The person left while memories were being compared."""


class ConsolidatingPage(Page):
    """The page; leaving it stops the work, and nothing is proposed then."""

    job = getters.query_one(JobLine)
    _comparing = False

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if isinstance(widget, KeyHints):
                yield JobLine(self.look)
            yield widget

    def action_consolidate(self) -> None:
        if self._comparing:
            self.say("Memories are being compared already.", warns=True)
        elif self.library is not None:
            self._comparing = True
            self.job.begin("Looking for memories that say the same")
            self._compare(self.library)

    @work(thread=True, exit_on_error=False, group="consolidate", description="Consolidating")
    def _compare(self, library: Library) -> None:
        worker = get_current_worker()

        def progress(done: int, total: int) -> None:
            if worker.is_cancelled:
                raise Stopped
            self.job.tell(done, total)

        found = None
        try:
            library.check()
            found = len(library.cortex.consolidate(progress=progress).proposed)
        except CortexError as error:
            self.post_message(Failed(str(error)))
        except Stopped:
            return
        self.post_message(Compared(found))

    @on(Compared)
    def _compared(self, event: Compared) -> None:
        self._comparing = False
        self.job.end()
        if (count := event.found) is not None:
            self.say(f"Found {count or 'no'} new {'proposal' if count == 1 else 'proposals'}.")
            self.load()
            self.pulse()
