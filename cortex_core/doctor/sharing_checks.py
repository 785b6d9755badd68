"""Checks of what others have: the exchange with the user's other machines, as far as this machine
knows, and a project's team, its replica here and its hub.

Nothing is sent and no remote is asked; without a team, no hub is asked either.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from cortex_core.agents.protocol import Check
from cortex_core.base.decay import DAY
from cortex_core.base.errors import HubUnreachable, StoreError, TeamError
from cortex_core.base.text import counted
from cortex_core.doctor.case import FIX, Case
from cortex_core.records.findings import failed, ok, skipped, together, warning
from cortex_core.records.machines import SyncStatus
from cortex_core.records.upkeep import CheckResult
from cortex_core.store import health
from cortex_core.store.reader import OLDEST_VERSION, SCHEMA_VERSION, Reader
from cortex_core.team import replica

# --- other machines

SILENT = 30
"""Days after which a machine that sent nothing is worth a look."""


def _over_status(
    look: Callable[[SyncStatus, float], Iterable[CheckResult]], fine: str
) -> Callable[[Case], CheckResult]:
    """The `run` of a check that looks at the exchange; skipped where there is none.

    Args:
        look: what is wrong by what is known of the exchange, at a moment in Unix seconds.
    """

    def run(case: Case) -> CheckResult:
        try:
            status = case.cortex.sync.status()
        except StoreError:
            return skipped("The stores cannot be read (see stores-open).")
        if not status.remotes:
            return skipped("No remote was added, so nothing is exchanged with other machines.")
        return together(look(status, case.now), fine)

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
        days = int((now - machine.heard) / DAY)
        if machine.heard and days > SILENT:
            yield warning(
                f"{machine.name} has sent nothing for {counted(days, 'day')}.",
                "If it is still in use, run there: cortex sync",
            )


# --- the team

SECONDS = 5.0
"""How long a hub may take to answer the doctor."""

NONE = "This project has no team."


def team_replica(case: Case) -> CheckResult:
    """Whether the copy of the team's memories is whole; it can be made again from the hub."""
    path = case.files.get("team")
    if path is None:
        return skipped(NONE)
    if fault := _fault(path):
        return failed(f"The copy of the team's memories is damaged: {fault}.", FIX, fixable=True)
    return ok("The copy of the team's memories is whole.")


def _fault(path: Path) -> str:
    """What is wrong with the file; empty if nothing."""
    try:
        version = health.version(path)
        if version < OLDEST_VERSION:
            return "an earlier development version of Cortex wrote it"
        if version != SCHEMA_VERSION:
            return ""  # another version of Cortex wrote it: see stores-open
    except sqlite3.Error as error:
        return "" if "locked" in str(error) else str(error)
    with Reader(str(path), "team") as store:
        try:
            if damage := health.damage(store):
                return damage.splitlines()[-1]
            replica.followed(store)
            return ""
        except TeamError:
            return "it does not say which team it follows"


def rebuild(case: Case) -> str:
    """Make the replica again from what the team has."""
    status = case.cortex.team.rebuild()
    return f"Read {status.memories:,} memories of team {status.team} from its hub again."


def team_hub(case: Case) -> CheckResult:
    """Whether the hub answers and is the one that is followed."""
    if "team" not in case.files:
        return skipped(NONE)
    if "team" not in case.readable:
        return skipped("The copy of the team's memories cannot be read (see team-replica).")
    if find_spec("psycopg") is None:
        return failed(
            "The client of PostgreSQL is missing, so nothing new of the team is read.",
            "Install Cortex again with the extra team (docs/installing.md).",
        )
    try:
        case.cortex.team.members(SECONDS)
    except TeamError as error:
        # The sentences of the hub end with what to do next; the doctor shows that as the step.
        said, _, step = str(error).partition(" Nothing was changed.")
        how = warning if isinstance(error, HubUnreachable) else failed
        return how(said, step.strip() or "What was read before is still there. Try again later.")
    return ok("The hub of the team answers.")


SHARING_CHECKS = (
    Check(
        "sync-remotes",
        "machines",
        _over_status(_failures, "The last exchange with each remote succeeded."),
    ),
    Check("sync-machines", "machines", _over_status(_unheard, "Every other machine is heard of.")),
    Check("team-replica", "team", team_replica, rebuild),
    Check("team-hub", "team", team_hub),
)
