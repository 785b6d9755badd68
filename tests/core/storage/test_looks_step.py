"""A store of schema version 6, in which what a recall found counted as used.

`version-6.db.gz` holds a memory that two sessions used and one recall found, one that three recalls
found and that was opened, and one that nothing happened to.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from cortex_core import Cortex
from cortex_core.store.store import Store
from tests.conftest import Clock
from tests.core.storage.test_migrations import content, is_sound, version

OLD = gzip.decompress(Path(__file__).with_name("version-6.db.gz").read_bytes())


def test_looks_are_no_uses_any_more(project: Path, clock: Clock) -> None:
    path = project / ".memory" / "cortex.db"
    path.parent.mkdir(mode=0o700)
    path.write_bytes(OLD)
    before = content(path)
    assert (version(path), is_sound(path)) == (6, True)
    Store.open(path, "project").close()
    assert (content(path), is_sound(path)) == (before, True)
    with Cortex.open(project, clock=clock) as cortex:
        counts = {
            memory.title: (memory.access_count, memory.looks, memory.last_access)
            for memory in cortex.list()
        }
        (opened,) = [entry for entry in cortex.log() if entry.verb == "open"]
        assert cortex.undo(number=opened.number)[0].label.startswith("open")
    assert counts == {
        "Use pnpm, never npm": (2, 1, 1_790_000_090.0),
        "The staging server listens on port 9100": (0, 3, None),
        "Lunch is at noon": (0, 0, None),
    }
