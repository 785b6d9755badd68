"""How the processor time of a function grows with its input, whatever the speed of the machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

_ROUNDS = 7
_STEP = 4


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as fast as its input the time of `work` grows, from a quarter of `size` on.

    1.0 is linear, 4.0 quadratic, and less than 1.0 a cost that does not depend on the input. A
    round does the same amount of linear work twice, in four small pieces and in one large one, one
    after the other: what slows the machine down slows both. The lowest round counts, and rounds end
    once one says that the time is linear. The garbage collector rests, as in `timeit`: the time it
    takes grows with what the tests before have left.
    """
    work(1)
    collects = gc.isenabled()
    gc.disable()
    try:
        lowest = float("inf")
        for _ in range(_ROUNDS):
            small = sum(_seconds(work, size // _STEP) for _ in range(_STEP))
            lowest = min(lowest, _seconds(work, size) / small)
            if lowest < 1.5:
                break
        return lowest
    finally:
        if collects:
            gc.enable()


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
