"""Where memories are on the map: always the same, within bounds, what is alike close together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
    listed = [(keys[memory.id], memory.title) for memory in (one, other)]
    places, edges = cortex.graph.map(listed)
    assert len(set(places)) == 2
    assert [(edge.source, edge.target) for edge in edges] == [(one.id, other.id)]
    assert cortex.graph.map([])[0] == []
