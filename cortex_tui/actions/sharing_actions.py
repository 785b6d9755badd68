"""What the settings ask of the user's other machines and of the project's team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortex_core.base.errors import CortexError, TeamError

if TYPE_CHECKING:
    from cortex_core.records.captures import Progress
    from cortex_core.records.machines import SyncReport, SyncStatus
    from cortex_core.records.teams import PullReport, TeamStatus
    from cortex_tui.session import StoreSession

SECONDS = 5.0
"""How long the hub may take to say what waits there."""


@dataclass(frozen=True, slots=True)
class Machines:
    """The exchange with the user's other machines; None where it cannot be read."""

    status: SyncStatus | None
    problem: str = ""
    """Why it cannot be."""


@dataclass(frozen=True, slots=True)
class FollowedTeam:
    """The project's team; None where it has none."""

    status: TeamStatus | None
    problem: str = ""
    """Why its hub did not answer, in sentences; empty where it did, or was not asked."""


Sharing = Machines | FollowedTeam


def is_used(thing: Sharing) -> bool:
    """Whether memories of this project are exchanged with machines, or with a team."""
    if isinstance(thing, Machines):
        return thing.status is not None and thing.status.is_used
    return thing.status is not None


def sharing(stores: StoreSession) -> tuple[list[Sharing], list[Sharing]]:
    """With whom the memories of this project are shared, and with whom not, or why that is not
    known. The hub is asked, for a few seconds."""
    things: list[Sharing] = [machines(stores), team(stores)]
    return [one for one in things if is_used(one)], [one for one in things if not is_used(one)]


def machines(stores: StoreSession) -> Machines:
    """How far the exchange with the user's other machines has come, by what is known here."""
    try:
        return Machines(stores.cortex.sync.status())
    except CortexError as error:
        return Machines(None, str(error))


def team(stores: StoreSession) -> FollowedTeam:
    """The project's team; its hub is asked, for a few seconds."""
    if not stores.has_team:
        return FollowedTeam(None)
    service = stores.cortex.team
    try:
        return FollowedTeam(service.status(ask=True, within=SECONDS))
    except TeamError as error:
        return FollowedTeam(service.status(), str(error))
    except CortexError as error:
        return FollowedTeam(None, str(error))


def exchange(stores: StoreSession, progress: Progress) -> SyncReport:
    """Exchange with the user's other machines now.

    Raises:
        NotFound: nothing here takes part in a remote.
        SyncError: another process is exchanging.
    """
    stores.check()
    return stores.cortex.sync.run(progress=progress)


def pull(stores: StoreSession) -> PullReport:
    """Read what the team approved since.

    Raises:
        UsageError: the project has no team.
        TeamError: the hub refuses, or cannot be reached.
    """
    stores.check()
    return stores.cortex.team.pull()
