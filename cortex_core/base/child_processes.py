"""Ending a command together with all that it started."""

import os
import signal
import subprocess
import sys
from contextlib import suppress


def end(process: subprocess.Popen[bytes], grace: float = 0.0) -> None:
    """End a command that has a session of its own, and whatever it has started.

    Args:
        grace: seconds that it has to end by itself; on Windows none.
    """
    if sys.platform == "win32":
        # Windows has no groups of processes, but a program that ends a whole tree.
        tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(tree, capture_output=True, check=False)
        return
    for number in (signal.SIGTERM, signal.SIGKILL) if grace else (signal.SIGKILL,):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(grace)
