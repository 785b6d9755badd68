"""The first page, read by a process of its own while this one imports Textual.

Both take a third of a second, and threads would share one interpreter's lock. Where there is no
fork, or it fails, the stores are read here, as they are in the end anyway.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.memory import Key, Memory
from cortex_tui.queries import ListQuery, ListResult

if TYPE_CHECKING:
    pass


class First(NamedTuple):
    """A question's answer and its first page."""

    result: ListResult
    rows: Mapping[Key, Memory]
    worth: Mapping[str, float]
    """The importance of these memories, by id."""


def fork(
    project: str | Path | None, home: str | Path | None, clock: Callable[[], float],
    query: ListQuery,
) -> tuple[int, int] | None:  # fmt: skip
    """Begin to read in a child: its process id, and where its answer will come from.

    Call it before any thread is started. None where it cannot be done.
    """
    if sys.platform != "linux":
        return None
    try:
        here, there = os.pipe()
        child = os.fork()
    except OSError:
        return None
    if child:
        os.close(there)
        return child, here
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        os.close(here)
        _result(there, project, home, clock, query)
    finally:
        os._exit(0)


def _result(
    there: int, project: str | Path | None, home: str | Path | None, clock: Callable[[], float],
    query: ListQuery,
) -> None:  # fmt: skip
    """What the child does; whatever goes wrong, the parent will meet and tell it too."""
    from cortex_tui.session import StoreSession

    stores = StoreSession(project, home, clock)
    result = stores.first(query)
    rows = stores.first_page(result)
    worth = {memory.id: stores.importance(memory) or 0.0 for memory in rows.values()}
    with os.fdopen(there, "wb") as pipe:
        pickle.dump(First(result, rows, worth), pipe, pickle.HIGHEST_PROTOCOL)


def received(begun: tuple[int, int]) -> First | None:
    """What the child answered; waits for it. None where it could not."""
    child, here = begun
    try:
        with os.fdopen(here, "rb") as pipe:
            found = pickle.load(pipe)
    except (EOFError, OSError, pickle.UnpicklingError):
        return None
    finally:
        os.waitpid(child, 0)
    return found if isinstance(found, First) else None
