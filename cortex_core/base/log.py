"""The log of hooks and the worker: one line for each problem, of bounded size."""

import time
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.project import Project
from cortex_core.base.text import one_line

FILE = "cortex.log"

LIMIT = 1 << 20
"""Bytes after which the log is renamed to `.log.1` and restarted."""


def path(project: Project) -> Path:
    """The file of the project's log."""
    return Path(project.data, FILE)


def write(project: Project, message: str) -> None:
    """Add a line. A log that cannot be written raises no error."""
    file = path(project)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        if file.exists() and file.stat().st_size > LIMIT:
            file.replace(file.with_suffix(".log.1"))
        hook_io.append(str(file), f"{stamp} {one_line(message)[:2000]}\n")
    except OSError:
        return
