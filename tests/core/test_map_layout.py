"""Where memories are on the map: always the same, within bounds, what is alike close together."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.search.map_layout import of_words, placed

ROWS = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4), min_size=1, max_size=30
)


@given(ROWS)
def test_places_are_within_bounds_and_the_same_each_time(rows: list[list[float]]) -> None:
    found = placed(np.array(rows, np.float32))
    assert found == placed(np.array(rows, np.float32))
    assert len(found) == len(rows)
    assert all(0 <= value <= 1 for place in found for value in place)


def test_what_is_alike_is_close() -> None:
    rows = [of_words(f"retry queue {n}") for n in range(6)]
    rows += [of_words(f"colour theme {n}") for n in range(6)]
    found = placed(np.array(rows, np.float32))
    left, right = ([x for x, _ in found[:6]], [x for x, _ in found[6:]])
    assert max(left) < min(right) or max(right) < min(left)


def test_without_vectors_words_decide_and_edges_come_along(cortex: Cortex) -> None:
    one, other = cortex.remember("The queue retries."), cortex.remember("Themes have colours.")
    cortex.graph.link(one.id, other.id, "refines")
    keys = cortex.memories.keys_of([one.id, other.id])
    outlines, places, edges = cortex.graph.map([keys[one.id], keys[other.id]])
    assert [title for _, _, title, *_ in outlines] == [one.title, other.title]
    assert len(set(places)) == 2
    assert [(edge.source, edge.target) for edge in edges] == [(one.id, other.id)]
    assert cortex.graph.map([])[1] == []


def test_an_outline_says_what_the_whole_memory_does(cortex: Cortex) -> None:
    made = [cortex.remember(f"The queue retries {n} times.", priority=9) for n in range(3)]
    cortex.pin(made[0].id)
    keys = list(cortex.memories.keys_of([memory.id for memory in made]).values())[::-1]
    found, places, _ = cortex.graph.map([*keys, ("project", 99), ("team", 1)])
    whole = zip(keys, cortex.memories.rows(keys), strict=True)
    assert found == [(key, one.id, one.title, one.kind, one.band) for key, one in whole]
    assert len(places) == len(keys)
