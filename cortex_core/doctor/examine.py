"""Runs the checks of the doctor, and with `--fix` repairs what it can, after a snapshot."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from cortex_core.api import Cortex
from cortex_core.base.config import Config
from cortex_core.base.errors import ConfigError, CortexError
from cortex_core.claude_code import hook_entries
from cortex_core.doctor import capture, claude_code, machine, stores, trial
from cortex_core.doctor.case import Case, Check, Finding, failed
from cortex_core.reports import CheckResult
from cortex_core.store import snapshots

CHECKS: tuple[Check, ...] = (
    *machine.MACHINE_CHECKS,
    *stores.FOLDER_CHECKS,
    *stores.STORE_CHECKS,
    *stores.INDEX_CHECKS,
    *machine.MODEL_CHECKS,
    *capture.TRANSCRIPT_CHECKS,
    *capture.CAPTURE_CHECKS,
    *capture.UPKEEP_CHECKS,
    *claude_code.SETTINGS_CHECKS,
    *claude_code.INSTALLATION_CHECKS,
    *claude_code.HOOK_CHECKS,
)
"""Every check, in the order of the report."""

Progress = Callable[[int, int, str], None]
"""Called with the number of finished checks, of all checks, and the name of the current one."""


def run(
    project: str | Path | None = None,
    home: str | Path | None = None,
    *,
    cwd: str | Path | None = None,
    clock: Callable[[], float] = time.time,
    fix: bool = False,
    progress: Progress | None = None,
    checks: Sequence[Check] = CHECKS,
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
    problem = ""
    try:
        cortex = Cortex.open(project, home, cwd=cwd, clock=clock)
    except ConfigError as error:
        problem = str(error)
        cortex = Cortex.open(project, home, cwd=cwd, clock=clock, config=Config())
    with cortex:
        case = Case(cortex, problem, hook_entries.interpreter(), trial.of_every_route)
        return _examine(case, checks, fix, progress)


def _examine(
    case: Case, checks: Sequence[Check], fix: bool, progress: Progress | None
) -> tuple[CheckResult, ...]:
    repairs = _Repairs(case) if fix else None
    results = []
    for index, check in enumerate(checks):
        if progress:
            progress(index, len(checks), check.name)
        finding = look(check, case)
        if repairs and finding.fixable and check.fix:
            results.append(repairs.repair(check, finding))
        else:
            results.append(_result(check, finding))
    if progress:
        progress(len(checks), len(checks), "")
    return tuple(results)


def look(check: Check, case: Case) -> Finding:
    """What `check` finds; an exception in a check is a failed check."""
    try:
        return check.run(case)
    except Exception as error:
        return failed(
            f"This check failed with an error: {type(error).__name__}: {error}",
            "Look at the checks above. If they passed, please report this.",
        )


class _Repairs:
    """Repairs what checks found, after one snapshot of every readable store."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._copied = False

    def repair(self, check: Check, finding: Finding) -> CheckResult:
        """Run the fix of the check, then the check again."""
        assert check.fix is not None
        try:
            kept = self._copy()
            done = check.fix(self._case)
        except (CortexError, OSError, ValueError) as error:
            return _result(check, finding._replace(next_step=f"The repair failed: {error}"))
        except Exception as error:
            problem = f"The repair failed ({type(error).__name__}: {error})."
            return _result(check, finding._replace(next_step=problem))
        return _result(check, look(check, self._case), f"{kept}{done}")

    def _copy(self) -> str:
        if self._copied:
            return ""
        with self._case.readers() as stores:
            paths = [Path(store.file) for store in stores]
        for path in paths:
            snapshots.take(path, "doctor")
        self._copied = True
        return "Took a snapshot first. " if paths else ""


def _result(check: Check, finding: Finding, fixed: str = "") -> CheckResult:
    return CheckResult(
        name=check.name, group=check.group, state=finding.state, sentence=finding.sentence,
        next_step=finding.next_step, fixable=finding.fixable and check.fix is not None, fixed=fixed,
    )  # fmt: skip
