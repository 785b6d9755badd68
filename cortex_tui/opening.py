"""Stores being opened while the app comes up: the first page before everything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from cortex_core.memory import Key, Memory
from cortex_tui.ahead import First, fork, received
from cortex_tui.queries import WHOLE, ListQuery, ListResult
from cortex_tui.session import StoreSession


class Opened(NamedTuple):
    """Open stores and what they first answered."""

    stores: StoreSession
    result: ListResult
    rows: Mapping[Key, Memory]
    """The memories of the first page."""


SHOWN_WITHIN = 1.0
"""Seconds that the stores are left alone for while a first answer is being shown."""


class Opening:
    """Stores being opened, and a first question answered, in a thread of their own.

    With `ahead`, a child process answers first; the stores are opened here once that is shown.
    """

    def __init__(
        self,
        project: str | Path | None,
        home: str | Path | None,
        clock: Callable[[], float],
        query: ListQuery = WHOLE,
        *,
        ahead: bool = False,
    ) -> None:
        self.query = query
        self.shown = Event()
        """Set as soon as the first answer is shown, or will not be."""
        self._where = (project, home, clock)
        self._child = fork(project, home, clock, query) if ahead else None
        self._first: Future[First | None] = Future()
        self._opened: Future[Opened] = Future()
        Thread(target=self._open, daemon=True, name="opening").start()

    def result(self) -> Opened:
        """What was opened, as soon as it is.

        Raises:
            CortexError: it cannot be; the message says why.
        """
        return self._opened.result()

    def first(self, seconds: float) -> First | None:
        """What a child process answered, if it did within `seconds`."""
        try:
            return self._first.result(seconds)
        except TimeoutError:
            return None

    @property
    def is_done(self) -> bool:
        """Whether it is done, and well."""
        return self._opened.done() and self._opened.exception() is None

    def _open(self) -> None:
        first = received(self._child) if self._child else None
        self._first.set_result(first)
        if first is not None:
            self.shown.wait(SHOWN_WITHIN)
        try:
            stores = StoreSession(*self._where)
            result = stores.find(self.query)
            self._opened.set_result(Opened(stores, result, stores.first_page(result)))
        except BaseException as error:
            self._opened.set_exception(error)
