"""Checks of the exchange with the user's other machines, as far as this machine knows: nothing is
sent and no remote is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from cortex_core import __version__
from cortex_core.base.decay import DAY
from cortex_core.base.errors import StoreError
from cortex_core.base.text import counted
from cortex_core.doctor.case import Case, Check, Finding, skipped, together, warning
from cortex_core.reports import SyncStatus

SILENT = 30
"""Days after which a machine that sent nothing is worth a look."""

NO_REMOTE = "No remote was added, so nothing is exchanged with other machines."


def _status(case: Case) -> SyncStatus | Finding:
    """What is known of the exchange; a finding where there is nothing to look at."""
    try:
        status = case.cortex.sync.status()
    except StoreError:
        return skipped("The stores cannot be read (see stores-open).")
    return status if status.remotes else skipped(NO_REMOTE)


def remotes(case: Case) -> Finding:
    """Whether the last exchange with each remote succeeded."""
    status = _status(case)
    if isinstance(status, Finding):
        return status
    return together(_failures(status), "The last exchange with each remote succeeded.")


def _failures(status: SyncStatus) -> Iterator[Finding]:
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


def machines(case: Case) -> Finding:
    """Whether each other machine is heard of, and its changes can be read."""
    status = _status(case)
    if isinstance(status, Finding):
        return status
    return together(
        [*_waiting(status), *_silent(status, case.now)], "Every other machine is heard of."
    )


def _waiting(status: SyncStatus) -> Iterator[Finding]:
    """Clocks that are ahead, newer versions, files that are damaged or missing."""
    for machine in status.machines:
        if machine.problem:
            yield warning(machine.problem, "Then run: cortex sync")


def _silent(status: SyncStatus, now: float) -> Iterator[Finding]:
    for machine in status.machines:
        days = int((now - machine.heard) / DAY)
        if machine.heard and days > SILENT:
            yield warning(
                f"{machine.name} has sent nothing for {counted(days, 'day')}.",
                "If it is still in use, run there: cortex sync",
            )


def versions(case: Case) -> Finding:
    """Whether the machines have one version of Cortex."""
    status = _status(case)
    if isinstance(status, Finding):
        return status
    others = {machine.name: machine.version for machine in status.machines if machine.version}
    found = [
        warning(
            f"{name} has Cortex {version}, this machine {__version__}.",
            "Upgrade the older one: what a newer version writes may wait on it.",
        )
        for name, version in others.items()
        if version != __version__
    ]
    return together(found, f"Every machine has Cortex {__version__}.")


def identity(case: Case) -> Finding:
    """Whether another writer has the name of this machine."""
    status = _status(case)
    if isinstance(status, Finding):
        return status
    if status.machine in {machine.name for machine in status.machines}:
        return warning(
            f"Another writer is called {status.machine} as well: a machine with the same name, a "
            "copy of this one, or a store that was restored from a backup. Their changes are told "
            "apart all the same.",
            "To name this machine: cortex sync machine NAME",
        )
    return (
        skipped("No other writer is known.")
        if not status.machines
        else together([], "Every machine has a name of its own.")
    )


SYNC_CHECKS = (
    Check("sync-remotes", "machines", remotes),
    Check("sync-machines", "machines", machines),
    Check("sync-versions", "machines", versions),
    Check("sync-names", "machines", identity),
)
