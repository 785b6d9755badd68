"""How the processor time of a function grows with its input, whatever the speed of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable

_ROUNDS = 7
_STEP = 4


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as fast as its input the time of `work` grows, from a quarter of `size` on.

    1.0 is linear, 4.0 quadratic, and less than 1.0 a cost that does not depend on the input. Each
    size counts with its fastest round, and rounds end once they say that the time is linear.
    """
    work(1)
    small = large = float("inf")
    for _ in range(_ROUNDS):
        small = min(small, _seconds(work, size // _STEP))
        large = min(large, _seconds(work, size))
        if large < 1.5 * _STEP * small:
            break
    return large / small / _STEP


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
