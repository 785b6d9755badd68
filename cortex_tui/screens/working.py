"""A page on which things are done that take their time: one at a time, their progress in a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from textual import getters, on
from textual.message import Message
from textual.worker import get_current_worker

from cortex_core.errors import CortexError
from cortex_tui.glyphs import Look
from cortex_tui.library import Library
from cortex_tui.messages import Failed
from cortex_tui.screens.page import Page
from cortex_tui.widgets.job_line import JobLine, Progress

Value = TypeVar("Value")


@dataclass
class JobEnded(Message):
    """Something that took its time is over."""

    then: Callable[[], None] | None
    """What to do now; None: it failed, which is told by a message of its own."""


class WorkingPage(Page):
    """A page with a `JobLine` in its body."""

    job_line = getters.query_one(JobLine)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.at_work = ""
        """What is being done; empty where nothing is."""

    def job(
        self, what: str, task: Callable[[Library, Progress], Value], then: Callable[[Value], None]
    ) -> None:
        """Carry out `task` off the screen, its progress shown, and `then` act on what it gave.

        Args:
            what: what is being done: “Reading sessions”.
        """
        if self.at_work:
            self.say(f"{self.at_work} is still going on.", warns=True)
        elif self.library is not None:
            self.at_work = what
            self.job_line.begin(what)
            work = partial(self._carry_out, partial(task, self.library, self.job_line.tell), then)
            self.run_worker(
                work, group="job", description=what, thread=True, exit_on_error=False
            )  # fmt: skip

    def _carry_out(self, task: Callable[[], Value], then: Callable[[Value], None]) -> None:
        following: Callable[[], None] | None = None
        try:
            following = partial(then, task())
        except CortexError as error:
            self._post(Failed(str(error)))
        finally:
            self._post(JobEnded(following))

    def _post(self, message: Message) -> None:
        if not get_current_worker().is_cancelled:
            self.post_message(message)

    @on(JobEnded)
    def _job_ended(self, event: JobEnded) -> None:
        self.at_work = ""
        self.job_line.end()
        if event.then is not None:
            event.then()
