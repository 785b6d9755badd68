"""How much a memory matters by itself, apart from any query."""

from __future__ import annotations

from math import log

CONFIDENCE = 0.50
PRIORITY = 0.20
CENTRALITY = 0.15
ACCESS = 0.15
BRANCH = 0.10
MOST = {
    "confidence": CONFIDENCE, "priority": PRIORITY, "centrality": CENTRALITY, "access": ACCESS,
    "branch": BRANCH,
}  # fmt: skip
"""The most that each part can be."""


def parts(
    confidence: float,
    priority: int,
    centrality: float,
    access_count: int,
    max_log: float,
    *,
    same_branch: bool = False,
) -> dict[str, float]:
    """The named shares of a memory's standing; their sum is 0 to 1.1.

    Args:
        confidence: decayed to now, 0 to 1.
        priority: 1 to 10.
        centrality: in-degree as a share of the store's highest, 0 to 1.
        max_log: `log(access_count + 1)` of the store's most read active memory.
        same_branch: whether it was learned on the branch that is checked out.
    """
    read = log(access_count + 1) / max_log if max_log > 0 else 0.0
    return {
        "confidence": confidence * CONFIDENCE,
        "priority": priority / 10 * PRIORITY,
        "centrality": centrality * CENTRALITY,
        "access": min(1.0, read) * ACCESS,
        "branch": BRANCH if same_branch else 0.0,
    }


def standing(
    confidence: float,
    priority: int,
    centrality: float,
    access_count: int,
    max_log: float,
    *,
    same_branch: bool = False,
) -> float:
    """The sum of `parts`, 0 to 1.1."""
    shares = parts(confidence, priority, centrality, access_count, max_log, same_branch=same_branch)
    return sum(shares.values())
