"""What several projects of one person have learned, each for itself.

Other projects' stores are only read, and only those that this user's Cortex trusts.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import project as projects
from cortex_core import similarity
from cortex_core.memory import Memory
from cortex_core.project import Project
from cortex_core.storage import queries, surface_reader
from cortex_core.storage.queries import Wording
from cortex_core.storage.store import Store
from cortex_core.storage.surface_reader import SurfaceReader
from cortex_core.surface import trust

if TYPE_CHECKING:
    from cortex_core.storage.reader import Reader

KINDS = ("policy", "preference", "pattern", "gotcha", "solution", "procedure", "insight")
"""Kinds that may hold elsewhere as well; a decision or a fact is about its own project."""

MOST = 2_000
"""Memories of each project that are compared, the newest first."""

NEAR = 0.72
"""Cosine under which no two wordings are compared."""

ENOUGH = 0.8
"""Similarity from which two wordings, with no flag against them, say the same thing."""

MOST_PROJECTS = 50


@contextmanager
def others(project: Project) -> Iterator[list[tuple[str, SurfaceReader]]]:
    """Name and open store of the other projects that are there and trusted."""
    found: list[tuple[str, SurfaceReader]] = []
    try:
        for root in trust.roots(project.home)[:MOST_PROJECTS]:
            if root != project.root and (store := _opened(root, project.home)):
                found.append((Path(root).name, store))
        yield found
    finally:
        for _, store in found:
            store.close()


def _opened(root: str, home: str) -> SurfaceReader | None:
    try:
        other = projects.find(explicit=root, home=home)
        store = (
            surface_reader.open_store(other.project_db, "project") if Path(root).is_dir() else None
        )
    except (OSError, sqlite3.Error, ValueError):
        return None
    if store is not None and not trust.trusted(other, store.identity):
        store.close()
        return None
    return store


def tag_counts(store: Reader) -> Counter[str]:
    """How many active memories of a project have each tag."""
    counts: Counter[str] = Counter()
    for tags in queries.tags(store):
        counts.update(tags)
    return counts


def wordings(store: Reader, model: str) -> list[Wording]:
    """The memories of a project that may recur, with their vectors by `model`."""
    return queries.wordings(store, model, KINDS, MOST)


def recurrences(
    store: Store, elsewhere: Sequence[tuple[str, SurfaceReader]], model: str
) -> list[tuple[Memory, tuple[str, ...]]]:
    """This project's memories that other projects hold too, and which: the most spread first."""
    own = wordings(store, model)
    found: dict[str, list[str]] = {}
    for name, other in elsewhere:
        for id in _alike(own, wordings(other, model)):
            found.setdefault(id, []).append(name)
    listed = [(memory, tuple(found[memory.id])) for memory in store.memories(list(found))]
    return sorted(listed, key=lambda pair: (-len(pair[1]), -pair[0].priority, pair[0].id))


def _alike(own: Sequence[Wording], theirs: Sequence[Wording]) -> set[str]:
    """The ids of `own` that say what one of `theirs` says."""
    hashes = {one.content_hash for one in theirs}
    found = {one.id for one in own if one.content_hash in hashes}
    for one, other, cosine in _near(own, theirs):
        if one.id not in found:
            alike = similarity.compare(one.content, other.content, cosine=cosine)
            if alike.same or (alike.similarity >= ENOUGH and not alike.conflicts):
                found.add(one.id)
    return found


def _near(
    own: Sequence[Wording], theirs: Sequence[Wording]
) -> Iterator[tuple[Wording, Wording, float]]:
    """Pairs whose vectors are near, of `own` and of `theirs`."""
    import numpy as np

    first = [one for one in own if one.vector]
    second = [one for one in theirs if one.vector]
    if not first or not second or len(first[0].vector) != len(second[0].vector):
        return
    left = np.frombuffer(b"".join(one.vector for one in first), np.float32)
    right = np.frombuffer(b"".join(one.vector for one in second), np.float32)
    cosines = left.reshape(len(first), -1) @ right.reshape(len(second), -1).T
    for row, column in np.argwhere(cosines >= NEAR):
        yield first[row], second[column], float(cosines[row, column])
