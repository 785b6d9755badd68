"""What a memory's standing is made of."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, strategies as st

from cortex_core.search.importance import parts, score

share = st.floats(0, 1)


@given(share, st.integers(1, 10), share, st.integers(0, 10_000), st.booleans())
def test_it_is_the_formula(
    confidence: float, priority: int, centrality: float, accesses: int, same: bool
) -> None:
    most = log(10_001)
    expected = (
        confidence * 0.50
        + priority / 10 * 0.20
        + centrality * 0.15
        + log(accesses + 1) / most * 0.15
        + (0.1 if same else 0)
    )
    found = score(confidence, priority, centrality, accesses, most, same_branch=same)
    assert found == pytest.approx(expected)
    assert 0 <= found <= 1.1 + 1e-9


def test_the_parts_sum_to_it() -> None:
    told = parts(0.8, 7, 0.5, 3, log(11), same_branch=True)
    assert sum(told.values()) == pytest.approx(score(0.8, 7, 0.5, 3, log(11), same_branch=True))
    assert set(told) == {"confidence", "priority", "centrality", "access", "branch"}


def test_nothing_read_yet_counts_nothing() -> None:
    assert parts(0.5, 5, 0.0, 0, 0.0)["access"] == 0.0
