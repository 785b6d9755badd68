"""A page on which things are done that take their time: one at a time, their progress in a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import TypeVar

from textual import getters, on
from textual.message import Message
from textual.worker import get_current_worker

from cortex_core.errors import CortexError
from cortex_tui.glyphs import Glyphs
from cortex_tui.messages import Failed
from cortex_tui.screens.page import Page
from cortex_tui.session import StoreSession
from cortex_tui.widgets.job_line import JobLine, Progress

Value = TypeVar("Value")


@dataclass
class JobEnded(Message):
    """Something that took its time is over."""

    then: Callable[[], None] | None
    """What to do now; None: it failed, which is told by a message of its own."""


class Stopped(Exception):
    """The user stopped a job, or left."""


class WorkingPage(Page):
    """A page with a `JobLine`. Leaving it stops what can be stopped."""

    job_line = getters.query_one(JobLine)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.at_work = ""
        """What is being done; empty where nothing is."""
        self._stop = Event()
        self._stoppable = False

    def job(
        self, what: str, task: Callable[[StoreSession, Progress], Value],
        then: Callable[[Value], None], *, stopped: str = "",
    ) -> None:  # fmt: skip
        """Carry out `task` off the screen, its progress shown, and `then` act on what it gave.

        Args:
            what: what is being done: “Reading sessions”.
            task: tells its progress, which raises `Stopped` to end it early.
            stopped: what is told when the user stopped it; empty where that cannot be.
        """
        if self.at_work:
            self.say(f"{self.at_work} is still going on.", warns=True)
        elif self.stores is not None:
            self.at_work, self._stoppable = what, bool(stopped)
            self._stop.clear()
            leave = self.app.keymap.first("page.back") if stopped else ""
            self.job_line.begin(what, f"{leave} stops it" if leave else "")
            work = partial(self._carry_out, partial(task, self.stores), then, stopped)
            self.run_worker(
                work, group="job", description=what, thread=True, exit_on_error=False
            )  # fmt: skip

    def _carry_out(
        self, task: Callable[[Progress], Value], then: Callable[[Value], None], stopped: str
    ) -> None:
        following: Callable[[], None] | None = None
        worker = get_current_worker()

        def progress(done: int, total: int, name: str = "") -> None:
            if stopped and (worker.is_cancelled or self._stop.is_set()):
                raise Stopped
            self.job_line.tell(done, total, name)

        try:
            following = partial(then, task(progress))
        except CortexError as error:
            self._post(Failed(str(error)))
        except Stopped:
            following = partial(self._stopped, stopped)
        finally:
            self._post(JobEnded(following))

    def _stopped(self, sentence: str) -> None:
        self.say(sentence)
        self.load()
        self.pulse()

    def _post(self, message: Message) -> None:
        if not get_current_worker().is_cancelled:
            self.post_message(message)

    @on(JobEnded)
    def _job_ended(self, event: JobEnded) -> None:
        self.at_work = ""
        self.job_line.end()
        if event.then is not None:
            event.then()

    def action_back(self) -> None:
        """Stop what is going on, if that can be; else leave."""
        if self.at_work and self._stoppable and not self._stop.is_set():
            self._stop.set()
        else:
            super().action_back()
