"""The detached worker: it processes the spool, captures sessions, and maintains the stores.

Each project has one worker at a time. It has a deadline and leaves the rest for the next one. If it
is killed, nothing is lost: a record is removed only after its memories are stored. A worker that
cannot use its store or its settings says so in one sentence and leaves the records to the next one,
which the next event starts. What a run does is in `worker_run`, which is loaded once the lock is
taken: of many workers that start at once, all but one end without it.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from cortex_core import CHILD
from cortex_core.base import project as projects
from cortex_core.capture import spool

DEADLINE = 600.0
"""Seconds that a run may take."""


def main(arguments: list[str] | None = None) -> int:
    """Run for `--project DIR` (or `--cwd DIR`); returns 0 also if another worker is running."""
    os.environ[CHILD] = "1"
    given = sys.argv[1:] if arguments is None else arguments
    options = dict(zip(given[::2], given[1::2], strict=False))
    project = projects.find(cwd=options.get("--cwd"), explicit=options.get("--project"))
    if project.doubt or (project.root is not None and not Path(project.root).is_dir()):
        return 0
    try:
        _run_until_done(project)
    except Exception as error:
        _give_up(project, error)
    return 0


def _run_until_done(project: projects.Project) -> None:
    """Run as long as records arrive; at once over where another worker runs."""
    projects.prepare(project)
    until = time.monotonic() + DEADLINE
    again = True
    while again and time.monotonic() < until:
        with spool.WorkerLock(project) as alone:
            if not alone:
                return
            _sweep_leftovers(project)
            _run(project, until)
        again = spool.is_waiting(project)
    spool.forget_problem(project)


def _sweep_leftovers(project: projects.Project) -> None:
    """Finish or remove what killed processes left."""
    from cortex_core.store import leftovers

    for folder in dict.fromkeys((project.data, project.home)):
        leftovers.sweep(Path(folder))
    if project.surface_file is not None:
        file = Path(project.surface_file)
        leftovers.sweep_files(file.parent, of=file.name)
    leftovers.sweep_scratch()


def _run(project: projects.Project, until: float) -> None:
    """One run; who holds a store is waited for there."""
    from cortex_core import worker_run
    from cortex_core.api import Cortex
    from cortex_core.store import opening

    with (
        Cortex.open(cwd=project.cwd, project=project.root, home=project.home) as cortex,
        opening.translated(Path(project.project_db or project.global_db)),
    ):
        worker_run.work(cortex, until)


def _give_up(project: projects.Project, error: Exception) -> None:
    """Say in one sentence why nothing was captured, once for each reason."""
    from cortex_core import worker_run
    from cortex_core.api import Cortex
    from cortex_core.base import config as configuration
    from cortex_core.base.errors import ConfigError, CortexError, StoreLocked
    from cortex_core.records.captures import LedgerEntry
    from cortex_core.records.memory import OWN_SCOPES
    from cortex_core.store import ledger

    is_known = isinstance(error, CortexError)
    sentence = str(error) if is_known else f"{type(error).__name__}: {error}"
    sentence = sentence.replace("Nothing was changed. ", "")  # what was captured before that stays
    about: list[str] = []
    if isinstance(error, ConfigError):
        about = [configuration.path(project, scope) for scope in OWN_SCOPES]
    elif isinstance(error, CortexError) and not isinstance(error, StoreLocked):
        about = [path for _, path in project.store_files()]
    if not spool.note_problem(project, sentence, about):
        return
    worker_run.log(project, f"worker: {sentence}")
    # In the ledger as well, where there is a store that can be written.
    with (
        suppress(CortexError, OSError),
        Cortex.open(
            project.root, project.home, cwd=project.cwd, config=configuration.Config()
        ) as cortex,
    ):
        store = cortex.workspace.existing(cortex.workspace.default_scope())
        if store is not None:
            entry = LedgerEntry(number=0, time=store.clock(), event="Worker", error=sentence)
            with store.without_waiting(), store.write():
                ledger.record(store, entry)


if __name__ == "__main__":
    raise SystemExit(main())
