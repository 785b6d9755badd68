"""Another process that holds a store's write lock."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HOLDER = """
import select, sqlite3, sys
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
select.select([sys.stdin], [], [], 30)
"""


@contextmanager
def held(store: Path) -> Iterator[Callable[[], bool]]:
    """The lock is held until the block ends, at most for 30 seconds; gives whether it still is."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        yield lambda: holder.poll() is None
    finally:
        holder.communicate()
