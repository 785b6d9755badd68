"""Whose turn it is to write to a store: those who found it locked queue, and begin in order.

SQLite lets those who wait ask again and again, ever more seldom, so that who came last gets the
lock first and among many writers some never do. The queue is a lock of the operating system on a
file next to the database; it ends with its owner in any case.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from cortex_core.base import hook_io

QUEUE = "-queue"
"""What the name of the file ends with that writers queue at."""


@contextmanager
def turn(database: str, seconds: float) -> Iterator[None]:
    """Wait for one's turn, at most `seconds`, and hold it in the block, where a transaction is
    begun. Where nobody can queue, or the first does not move on, SQLite decides."""
    is_there, is_over = Event(), Event()
    # In a thread, because the operating system knows no limit to the wait.
    Thread(target=_queue, args=(database, is_there, is_over), daemon=True).start()
    is_there.wait(seconds)
    try:
        yield
    finally:
        is_over.set()


def _queue(database: str, is_there: Event, is_over: Event) -> None:
    """Queue, say when it is one's turn, and hold it until it is over."""
    with suppress(OSError):
        descriptor = hook_io.opened(database + QUEUE, os.O_RDWR | os.O_CREAT)
        with os.fdopen(descriptor):
            hook_io.lock(descriptor, wait=True)
            is_there.set()
            is_over.wait()
    is_there.set()
