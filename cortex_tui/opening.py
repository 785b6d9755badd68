"""Stores being opened while the app comes up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from cortex_core.types import Key, Memory
from cortex_tui.queries import WHOLE, ListQuery, ListResult
from cortex_tui.session import StoreSession


class Opened(NamedTuple):
    """Open stores and what they first answered."""

    stores: StoreSession
    result: ListResult
    rows: Mapping[Key, Memory]
    """The memories of the first page."""


class Opening:
    """Stores being opened, and a first question answered, in a thread of their own."""

    def __init__(
        self,
        project: str | Path | None,
        home: str | Path | None,
        clock: Callable[[], float],
        query: ListQuery = WHOLE,
    ) -> None:
        self.query = query
        self._where = (project, home, clock)
        self._opened: Future[Opened] = Future()
        Thread(target=self._open, daemon=True, name="opening").start()

    def result(self) -> Opened:
        """What was opened, as soon as it is.

        Raises:
            CortexError: it cannot be; the message says why.
        """
        return self._opened.result()

    @property
    def is_done(self) -> bool:
        """Whether it is done, and well."""
        return self._opened.done() and self._opened.exception() is None

    def _open(self) -> None:
        try:
            stores = StoreSession(*self._where)
            result = stores.find(self.query)
            self._opened.set_result(Opened(stores, result, stores.first_page(result)))
        except BaseException as error:
            self._opened.set_exception(error)
