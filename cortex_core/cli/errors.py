"""How a run ends: the exit code, the message on stderr, and the log for unexpected errors.

0 done, 1 failed, 2 wrong usage, 3 nothing found, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import click

from cortex_core.cli import output
from cortex_core.errors import CortexError

FAILED = 1
NOTHING_FOUND = 3
INTERRUPTED = 130

DEEPEST = 12
"""Number of calls of a traceback that are logged, from the innermost."""


def exit_code(work: Callable[[], object], project: Callable[[], str | None]) -> int:
    """Do `work` and return the exit code; print errors to stderr.

    `project` names the folder whose log gets the traceback of an unexpected error.
    """
    try:
        result = work()
        sys.stdout.flush()
    except BrokenPipeError:
        _silence_stdout()
        return FAILED
    except (click.Abort, KeyboardInterrupt):
        output.warn("Interrupted.")
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except CortexError as error:
        output.warn(str(error))
        return error.exit_code
    except Exception as error:
        _report(error, project())
        return FAILED
    return result if isinstance(result, int) else 0


def _silence_stdout() -> None:
    """Redirect stdout to nothing, so that closing it at exit does not fail again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _report(error: Exception, project: str | None) -> None:
    """Tell the user where the traceback of an unexpected `error` is."""
    message = f"{type(error).__name__}: {error}"
    details = f"{message} at {_trace(error)}"
    log = _log(details, project)
    where = f"Traceback: {log}" if log else f"It happened at {_trace(error)}"
    output.warn(f"Internal error ({message[:200]}). {where}")


def _trace(error: Exception) -> str:
    """The calls that led to `error`, the innermost first: `undo (history.py:31)`."""
    from traceback import extract_tb

    frames = extract_tb(error.__traceback__)[:-DEEPEST:-1]
    return ", ".join(f"{call.name} ({Path(call.filename).name}:{call.lineno})" for call in frames)


def _log(details: str, project: str | None) -> str:
    """Add `details`, without secrets, to the project's log; return its path, "" if that fails."""
    with suppress(Exception):
        from cortex_core import logbook
        from cortex_core.capture.secrets import redact
        from cortex_core.project import find

        here = find(explicit=project)
        logbook.write(here, redact(details).text)
        path = logbook.path(here)
        return str(path) if path.exists() else ""
    return ""
