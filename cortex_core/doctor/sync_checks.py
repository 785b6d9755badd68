"""Checks of the exchange with the user's other machines, as far as this machine knows: nothing is
sent and no remote is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from cortex_core.agents.protocol import Check
from cortex_core.base.decay import DAY
from cortex_core.base.errors import StoreError
from cortex_core.base.text import counted
from cortex_core.doctor.case import Case
from cortex_core.records.findings import skipped, together, warning
from cortex_core.records.machines import SyncStatus
from cortex_core.records.upkeep import CheckResult

SILENT = 30
"""Days after which a machine that sent nothing is worth a look."""

NO_REMOTE = "No remote was added, so nothing is exchanged with other machines."


Look = Callable[[SyncStatus, float], Iterable[CheckResult]]
"""What is wrong by what is known of the exchange, at a moment in Unix seconds."""


def _over_status(look: Look, fine: str) -> Callable[[Case], CheckResult]:
    """The `run` of a check that looks at the exchange; skipped where there is none."""

    def run(case: Case) -> CheckResult:
        try:
            status = case.cortex.sync.status()
        except StoreError:
            return skipped("The stores cannot be read (see stores-open).")
        return together(look(status, case.now), fine) if status.remotes else skipped(NO_REMOTE)

    return run


def _failures(status: SyncStatus, _now: float) -> Iterator[CheckResult]:
    for remote in status.remotes:
        if remote.error:
            yield warning(
                f"The last exchange with {remote.name} failed: {remote.error}",
                f"When it is in reach again, run: cortex sync {remote.name}",
            )
        elif remote.here and remote.succeeded is None:
            yield warning(
                f"Nothing was exchanged with {remote.name} yet.", f"Run: cortex sync {remote.name}"
            )


def _unheard(status: SyncStatus, now: float) -> Iterator[CheckResult]:
    """Clocks that are ahead, newer versions, files that are damaged or missing, and silence."""
    for machine in status.machines:
        if machine.problem:
            yield warning(machine.problem, "Then run: cortex sync")
    for machine in status.machines:
        days = int((now - machine.heard) / DAY)
        if machine.heard and days > SILENT:
            yield warning(
                f"{machine.name} has sent nothing for {counted(days, 'day')}.",
                "If it is still in use, run there: cortex sync",
            )


SYNC_CHECKS = (
    Check(
        "sync-remotes",
        "machines",
        _over_status(_failures, "The last exchange with each remote succeeded."),
    ),
    Check("sync-machines", "machines", _over_status(_unheard, "Every other machine is heard of.")),
)
