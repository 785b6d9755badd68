"""The log: what went wrong where nobody was looking, one line each, of bounded size."""

from __future__ import annotations

import time
from pathlib import Path

from cortex_core.base import hook_io
from cortex_core.base.project import Project
from cortex_core.base.text import one_line

FILE = "cortex.log"

LIMIT = 1 << 20
"""Bytes after which the log is put aside and restarted."""


def path(project: Project) -> Path:
    """Where the project's log lies."""
    return Path(project.data, FILE)


def write(project: Project, message: str) -> None:
    """Add a line; a log that cannot be written costs nothing else."""
    file = path(project)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        if file.exists() and file.stat().st_size > LIMIT:
            file.replace(file.with_suffix(".log.1"))
        hook_io.append(str(file), f"{stamp} {one_line(message)[:2000]}\n")
    except OSError:
        return
