"""Long jobs of a screen: one at a time, off its thread, with the progress in a line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from textual.worker import get_current_worker

from cortex_core.base.errors import CortexError
from cortex_tui.context import Failed, Fetched
from cortex_tui.session import StoreSession
from cortex_tui.widgets.frame import JobLine

if TYPE_CHECKING:
    from cortex_tui.screens.base import StoreScreen

Value = TypeVar("Value")
Progress = Callable[..., None]
"""Called with the finished and total amount, and optionally the current name."""


class Stopped(Exception):
    """The user stopped a job, or left."""


class JobRunner:
    """Carries out the jobs of a screen, one at a time.

    Leaving the screen stops the job that is going on, if it can be stopped.
    """

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen
        self.at_work = ""
        """What is being done; empty where nothing is."""
        self._stop = Event()
        self._stoppable = False

    @property
    def line(self) -> JobLine:
        """The line that shows how far it has come."""
        return self.screen.query_one(JobLine)

    def run(
        self,
        what: str,
        task: Callable[[StoreSession, Progress], Value],
        then: Callable[[Value], None],
        *,
        stopped: str = "",
    ) -> None:
        """Carry out `task` in a worker, its progress shown, and call `then` with its result.

        Args:
            what: what is being done: “Reading sessions”.
            task: reports its progress; the call raises `Stopped` to end it early.
            stopped: the message if the user stopped it; empty if that is impossible.
        """
        screen = self.screen
        if self.at_work:
            screen.say(f"{self.at_work} is still going on.", warns=True)
        elif screen.stores is not None:
            self.at_work, self._stoppable = what, bool(stopped)
            self._stop.clear()
            leave = screen.context.keymap.first("move.back") if stopped else ""
            self.line.begin(what, f"{leave} stops it" if leave else "")
            work = partial(self._carry_out, self.line, partial(task, screen.stores), then, stopped)
            screen.run_worker(work, group="job", description=what, thread=True, exit_on_error=False)

    def stop(self) -> bool:
        """Stop the job that is going on; False where there is none that can be stopped."""
        stops = bool(self.at_work) and self._stoppable and not self._stop.is_set()
        if stops:
            self._stop.set()
        return stops

    def _carry_out(
        self,
        line: JobLine,
        task: Callable[[Progress], Value],
        then: Callable[[Value], None],
        stopped: str,
    ) -> None:
        """Do it in a worker; the result is shown on the screen's own thread."""
        following: Callable[[], None] = _nothing
        worker = get_current_worker()

        def progress(done: int, total: int, name: str = "") -> None:
            if stopped and (worker.is_cancelled or self._stop.is_set()):
                raise Stopped
            line.report_progress(done, total, name)

        try:
            following = partial(then, task(progress))
        except CortexError as error:
            if not worker.is_cancelled:
                self.screen.post_message(Failed(str(error)))
        except Stopped:
            following = partial(self._stopped, stopped)
        # Whatever happened, the line must end, or the next job could not begin.
        finally:
            if not worker.is_cancelled:
                line.post_message(Fetched(partial(self._ended, following)))

    def _ended(self, following: Callable[[], None]) -> None:
        self.at_work = ""
        following()

    def _stopped(self, sentence: str) -> None:
        self.screen.say(sentence)
        self.screen.renew()


def _nothing() -> None:
    """What follows a job that failed."""
