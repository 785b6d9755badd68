"""What every screen over the stores shares: its workers, and how their failures are told.

A worker runs off the screen's thread, asks the library one thing and posts one message. Nothing it
raises ends the app.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState, get_current_worker

from cortex_core.errors import CortexError, StoreError, StoreLocked
from cortex_core.memory import Key
from cortex_tui.messages import Beat, Failed, Found, Near, StoresOpened
from cortex_tui.queries import ListQuery, ListResult, Revision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_tui.application import CortexApp

PULSE = 1.5
"""Seconds between two looks at what others wrote."""
REST = 0.25
"""Seconds from the first rows of an answer to the search for all of them: time to draw these, and
for the next letter to come."""


class StoreScreen(Screen[None], inherit_bindings=False):
    """A screen that reads and changes memories."""

    app: CortexApp
    PLACE: ClassVar[str] = "store"
    """The place in the table of keys whose keys count here."""

    def __init__(self) -> None:
        super().__init__()
        self.generation = 0
        """The number of the newest question."""
        self.revision: Revision | None = None
        """The stores' revision that is shown, own changes included."""
        self.told: Revision | None = None
        """The revision whose status is shown."""
        self._finding = Lock()
        self._nearing = Lock()
        self._beating = False

    @property
    def stores(self) -> StoreSession | None:
        """The open stores, None until they are."""
        return self.app.stores

    # --- workers

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="open",
        description="Opening the stores",
    )
    def open_stores(self, query: ListQuery) -> None:
        """Open the stores, or open them again, and answer the first question."""
        self._report(lambda: StoresOpened(self.app.open_stores(query)), reading=True)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="find",
        description="Finding memories",
    )
    def find(
        self,
        stores: StoreSession,
        query: ListQuery,
        kept: dict[Key, Key | None],
        generation: int,
        *,
        meaning: bool = False,
    ) -> None:
        """Answer `query` unless a newer one came meanwhile: the first rows at once, then all.

        Args:
            meaning: by meaning too.
        """

        def first() -> Message:
            return told(stores.first(query))

        def whole() -> Message:
            result = stores.find(query, kept)
            return told(result.joined(stores.near(result)) if meaning else result)

        def told(result: ListResult) -> Found:
            return Found(result, generation, frozenset(kept), stores.first_page(result))

        if not kept and not meaning:
            message = self._find(first, generation)
            if not isinstance(message, Found) or not message.result.partial:
                return
            sleep(REST)
        self._find(whole, generation)

    def _find(self, task: Callable[[], Message], generation: int) -> Message | None:
        """Post and give what `task` finds, unless a newer question came meanwhile."""
        with self._finding:
            if generation == self.generation and not get_current_worker().is_cancelled:
                return self._report(task, reading=True)
        return None

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="meaning",
        description="Searching by meaning",
    )
    def find_near(
        self, stores: StoreSession, result: ListResult, generation: int, *, roughly: bool = False
    ) -> None:
        """Find what is near `result` by meaning, unless a newer question was asked.

        Args:
            roughly: at first sight, without the model.
        """
        ask = stores.nearly if roughly else stores.near
        with self._nearing:
            if generation == self.generation and not get_current_worker().is_cancelled:
                self._report(lambda: Near(ask(result), generation))

    def fetch(self, task: Callable[[StoreSession], Message], *, group: str, what: str) -> None:
        """Post what `task` gives, unless a later one of its group was asked for meanwhile.

        Args:
            what: what is being done, for a failure: “Reading the proposals”.
        """
        if self.stores is not None:
            self.run_worker(
                partial(self._fetch, partial(task, self.stores)), group=group, description=what,
                thread=True, exclusive=True, exit_on_error=False,
            )  # fmt: skip

    def _fetch(self, task: Callable[[], Message]) -> None:
        if not get_current_worker().is_cancelled:
            self._report(task, reading=True)

    def pulse(self) -> None:
        """Look whether somebody else wrote, unless a look is on its way."""
        if self.stores is not None and not self._beating:
            self._beating = True
            self._pulse(self.stores, self.told)

    @work(thread=True, exit_on_error=False, group="pulse", description="Looking for changes")
    def _pulse(self, stores: StoreSession, known: Revision | None) -> None:
        try:
            self._report(lambda: Beat(stores.pulse(known)), reading=True)
        finally:
            self._beating = False

    def _report(self, task: Callable[[], Message], *, reading: bool = False) -> Message:
        """Post what `task` gives, or why it gave nothing; what was posted."""
        try:
            message = task()
        except CortexError as error:
            busy = isinstance(error, StoreLocked) and self.stores is not None
            lost = reading and not busy and (isinstance(error, StoreError) or not self.stores)
            message = Failed(str(error), unusable=lost)
        if not get_current_worker().is_cancelled:
            self.post_message(message)
        return message

    @on(Worker.StateChanged)
    def _worker_failed(self, event: Worker.StateChanged) -> None:
        """Tell what no rule of ours foresaw."""
        if event.state is WorkerState.ERROR:
            what = event.worker.description or "Working"
            key = self.app.keymap.first("page.refresh")
            self.post_message(
                Failed(f"{what} failed: {event.worker.error!r}. Read again with {key}.")
            )
