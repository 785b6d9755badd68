"""Runs the checks of the doctor, and with `--fix` repairs what it can, after a snapshot.

The trial sends every event through the real hook processes in a temporary project. It does not
touch the user's memories and sessions: it has its own folders, and holds their worker lock so that
no worker starts.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cortex_core import agents
from cortex_core.agents.protocol import Check, Route
from cortex_core.api import Cortex
from cortex_core.base import hook_words
from cortex_core.base.config import Config
from cortex_core.base.errors import ConfigError, CortexError
from cortex_core.capture import spool
from cortex_core.doctor import (
    capture_checks,
    connection_checks,
    machine_checks,
    sharing_checks,
    stores_checks,
)
from cortex_core.doctor.case import Case, EventResult, Trial
from cortex_core.records.captures import Progress, unwatched
from cortex_core.records.findings import failed
from cortex_core.records.upkeep import CheckResult
from cortex_core.store import leftovers, snapshots

trial = agents.of("claude").trial

SECONDS = 20
"""Timeout for a hook, in seconds."""

MEMORY = "Releases of the lighthouse go out through make ship, which tags the commit first."
PROMPT = "How do releases of the lighthouse go out, and what does make ship tag?"
FILE = "beacon.py"
PROJECT, HOME, AGENT = "lighthouse", "cortex", "claude"
"""Folders of a trial: its project, its global side, and the agent's own files."""


def of_every_route(case: Case) -> list[Trial]:
    """A trial of each installed route, or of the one that install would write."""
    return [_try(one, True) for one in trial.routes(case.project)] or [
        _try(trial.planned_route(), False)
    ]


def _try(route: Route, installed: bool) -> Trial:
    with _scratch() as folder:
        return Trial(
            route.name, installed, tuple(_send(route, event, folder) for event in hook_words.ALL)
        )


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder with a `PROJECT` that has one memory for every event, its worker lock held, and with
    its global side, `HOME`."""
    with leftovers.scratch() as folder:
        (folder / PROJECT / ".memory").mkdir(parents=True)
        (folder / PROJECT / FILE).write_text("pass\n", encoding="utf-8")
        with Cortex.open(folder / PROJECT, folder / HOME) as cortex:
            cortex.remember(MEMORY, kind="policy", pinned=True, files=(f"*{FILE}",))
            with spool.WorkerLock(cortex.project):
                yield folder


def _send(route: Route, event: str, folder: Path) -> EventResult:
    command = route.commands.get(event)
    if command is None:
        return EventResult(event, "is not installed", 0.0)
    project = folder / PROJECT
    waiting = project / ".memory" / spool.FOLDER
    before = set(waiting.glob("*.json"))
    none = trial.transcript(folder / AGENT, project, "none")
    fields = trial.example(event, PROMPT, project / FILE)
    session = f"d0c70001-0000-4000-8000-{sum(event.encode()):012d}"
    payload = trial.payload(event, session, none, project, **fields)
    started = time.perf_counter()
    done = _run(command, payload, route.environment, folder)
    seconds = time.perf_counter() - started
    return EventResult(
        event, _problem(event, done, bool(set(waiting.glob("*.json")) - before)), seconds
    )


def _problem(event: str, done: subprocess.CompletedProcess[str] | str, has_record: bool) -> str:
    """What is wrong with what a hook did; empty if nothing."""
    if isinstance(done, str):
        return done
    if done.returncode:
        return f"exited with {done.returncode}"
    if event == hook_words.SUBAGENT_START:  # answered where Claude has the tools
        return ""
    if event in hook_words.ANSWERED:
        return _answer_problem(event, done.stdout)
    silent = "" if has_record else "wrote no record"
    return "printed something, which may block Claude Code" if done.stdout else silent


def _run(
    command: list[str], payload: Mapping[str, Any], extra: Mapping[str, str], folder: Path
) -> subprocess.CompletedProcess[str] | str:
    """Run a hook; if that fails, return the reason."""
    # The hook must not see this process's own Claude Code or Cortex, or it would answer for another
    # project.
    try:
        return subprocess.run(
            command,
            input=json.dumps(payload),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            env={**trial.environment(folder / AGENT, folder / HOME), **extra},
            cwd=folder / PROJECT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"did not answer within {SECONDS} seconds"
    except OSError as error:
        return f"cannot be started: {error.strerror}"


def _answer_problem(event: str, printed: str) -> str:
    """What is wrong with an answer; empty if nothing."""
    if not printed.strip():
        return "injected nothing, although a memory fits"
    text = trial.text_of(event, printed)
    if text is None:
        return trial.FORM
    return "" if "make ship" in text else "injected something other than the memory that fits"


CHECKS: tuple[Check[Case], ...] = (
    *machine_checks.MACHINE_CHECKS,
    *stores_checks.STORES_CHECKS,
    *machine_checks.MODEL_CHECKS,
    *capture_checks.CAPTURE_CHECKS,
    *sharing_checks.SHARING_CHECKS,
    *connection_checks.CONNECTION_CHECKS,
)
"""Every check, in the order of the report."""


def run(
    project: str | Path | None = None,
    home: str | Path | None = None,
    *,
    cwd: str | Path | None = None,
    clock: Callable[[], float] = time.time,
    fix: bool = False,
    progress: Progress = unwatched,
    checks: Sequence[Check[Case]] = CHECKS,
) -> tuple[CheckResult, ...]:
    """Run every check on a project; it takes some seconds.

    Every event is sent through the hooks in a temporary project. If the configuration has a
    mistake, the defaults apply. Nothing is changed without `fix`.

    Args:
        project: the project's folder; None finds it from `cwd`.
        home: the global side; None is the user's.
        fix: whether to repair what can be repaired safely, after a snapshot of the stores.
        progress: called with the number of finished checks, of all checks, and the current name.
    """
    # A broken configuration is one of the findings; the other checks need stores that open without
    # it.
    problem = ""
    try:
        cortex = Cortex.open(project, home, cwd=cwd, clock=clock)
    except ConfigError as error:
        problem = str(error)
        cortex = Cortex.open(project, home, cwd=cwd, clock=clock, config=Config())
    with cortex:
        return _examine(Case(cortex, problem, of_every_route), checks, fix, progress)


def _examine(
    case: Case, checks: Sequence[Check[Case]], fix: bool, progress: Progress
) -> tuple[CheckResult, ...]:
    results = []
    copied: list[str] = []
    for index, check in enumerate(checks):
        progress(index, len(checks), check.name)
        finding = run_check(check, case)
        if fix and finding.fixable and check.fix:
            results.append(_repaired(case, check, check.fix, finding, copied))
        else:
            results.append(_result(check, finding))
    progress(len(checks), len(checks), "")
    return tuple(results)


def run_check(check: Check[Case], case: Case) -> CheckResult:
    """What `check` finds; an exception in a check is a failed check."""
    try:
        return check.run(case)
    except Exception as error:
        return failed(
            f"This check failed with an error: {type(error).__name__}: {error}",
            "Look at the checks above. If they passed, please report this.",
        )


def _repaired(
    case: Case,
    check: Check[Case],
    repair: Callable[[Case], str],
    finding: CheckResult,
    copied: list[str],
) -> CheckResult:
    """The check again after its repair.

    Args:
        copied: what the first repair says of the snapshot that it took of every readable store.
    """
    try:
        kept = "" if copied else _copied(case)
        copied.append(kept)
        done = repair(case)
    except Exception as error:
        is_said = isinstance(error, CortexError | OSError | ValueError)
        why = f": {error}" if is_said else f" ({type(error).__name__}: {error})."
        # What was only a warning is a failure once its repair has failed.
        worse = replace(finding, state="failed", next_step=f"The repair failed{why}")
        return _result(check, worse)
    return _result(check, run_check(check, case), f"{kept}{done}")


def _copied(case: Case) -> str:
    """Take a snapshot of every readable store; what is said of that."""
    with case.readers() as stores:
        paths = [Path(store.file) for store in stores]
    for path in paths:
        snapshots.take(path, "doctor")
    return "Took a snapshot first. " if paths else ""


def _result(check: Check[Case], finding: CheckResult, fixed: str = "") -> CheckResult:
    return replace(
        finding,
        name=check.name,
        group=check.group,
        fixable=finding.fixable and check.fix is not None,
        fixed=fixed,
    )
