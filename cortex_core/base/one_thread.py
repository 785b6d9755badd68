"""Loading numpy so that it calculates on one thread, and onnxruntime without telemetry.

The matrices here are small. Threads that wait for each other spin: with two, a recall took twice
the processor time, and longer by the clock wherever something else was running.
"""

import os
import sys

_NAMES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

_SILENT = ("ORT_DISABLE_TELEMETRY", "ORT_TELEMETRY_DISABLED")
"""Variables that onnxruntime reads when it is loaded. Without them, its Linux and macOS packages
write an identifier of the machine into the home folder and report to their vendor."""


def load_onnxruntime() -> None:
    """Import onnxruntime without its telemetry: nothing is written and nothing is sent."""
    os.environ.update(dict.fromkeys(_SILENT, "1"))
    load_numpy()
    import onnxruntime  # noqa: F401


def load_numpy() -> None:
    """Import numpy with one thread, unless it is loaded already or the user set the threads.

    The libraries read these variables once, as they are loaded; afterwards they are put back, so
    that no child process inherits them.
    """
    if "numpy" in sys.modules:
        return
    added = [name for name in _NAMES if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        import numpy  # noqa: F401
    finally:
        for name in added:
            os.environ.pop(name, None)
