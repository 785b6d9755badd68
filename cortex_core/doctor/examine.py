"""The doctor at work: every check in turn, and what `--fix` mends, after a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.claude import hook_entries
from cortex_core.doctor import (
    capture,
    client,
    client_settings,
    folders,
    hooks,
    indexes,
    machine,
    meaning,
    stores,
    transcripts,
    upkeep,
)
from cortex_core.doctor.case import Case, Check, Finding, failed
from cortex_core.errors import CortexError
from cortex_core.reports.care import CheckResult
from cortex_core.storage import snapshots

if TYPE_CHECKING:
    from cortex_core.cortex import Cortex

CHECKS: tuple[Check, ...] = (
    *machine.CHECKS,
    *folders.CHECKS,
    *stores.CHECKS,
    *indexes.CHECKS,
    *meaning.CHECKS,
    *transcripts.CHECKS,
    *capture.CHECKS,
    *upkeep.CHECKS,
    *client_settings.CHECKS,
    *client.CHECKS,
    *hooks.CHECKS,
)
"""Every check, in the order they are told."""

Progress = Callable[[int, int, str], None]
"""Called with the checks done, the checks in all, and the name of the one at work."""


def examine(
    cortex: Cortex,
    *,
    fix: bool = False,
    config_problem: str = "",
    progress: Progress | None = None,
    checks: Sequence[Check] = CHECKS,
) -> tuple[CheckResult, ...]:
    """Run every check; with `fix` mend what can safely be mended.

    Args:
        config_problem: why the configuration cannot be read, where that is so.
    """
    case = Case(cortex, config_problem, hook_entries.interpreter())
    mender = _Mender(case) if fix else None
    results = []
    for place, check in enumerate(checks):
        if progress:
            progress(place, len(checks), check.name)
        found = look(check, case)
        if mender and found.fixable and check.fix:
            results.append(mender.mend(check, found))
        else:
            results.append(_result(check, found))
    if progress:
        progress(len(checks), len(checks), "")
    return tuple(results)


def look(check: Check, case: Case) -> Finding:
    """What `check` finds; a check that breaks is a finding too."""
    try:
        return check.run(case)
    except Exception as error:
        return failed(
            f"This could not be checked: {type(error).__name__}: {error}",
            "See the checks above; if those are well, please report this.",
        )


class _Mender:
    """Mends, after one snapshot of every store that can be read."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._copied = False

    def mend(self, check: Check, found: Finding) -> CheckResult:
        """Run the check's fix and look again."""
        assert check.fix is not None
        try:
            kept = self._copy()
            done = check.fix(self._case)
        except (CortexError, OSError, ValueError) as error:
            return _result(check, found._replace(next_step=f"It could not be mended: {error}"))
        except Exception as error:
            told = f"It could not be mended ({type(error).__name__}: {error})."
            return _result(check, found._replace(next_step=told))
        return _result(check, look(check, self._case), f"{kept}{done}")

    def _copy(self) -> str:
        if self._copied:
            return ""
        with self._case.opened() as opened:
            paths = [Path(store.file) for store in opened]
        for path in paths:
            snapshots.take(path, "doctor")
        self._copied = True
        return "Took a snapshot first. " if paths else ""


def _result(check: Check, found: Finding, fixed: str = "") -> CheckResult:
    return CheckResult(
        name=check.name, group=check.group, state=found.state, sentence=found.sentence,
        next_step=found.next_step, fixable=found.fixable and check.fix is not None, fixed=fixed,
    )  # fmt: skip
