"""Exchanging with the user's other machines, and reading what the team approved, off the thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex_core.records.upkeep import CheckResult
from cortex_tui.actions import sharing_actions as actions
from cortex_tui.actions.project_actions import CaptureThing, capture_key
from cortex_tui.actions.sharing_actions import FollowedTeam, Machines, Sharing
from cortex_tui.screens.jobs import Progress
from cortex_tui.screens.tabbed import TabbedScreen
from cortex_tui.widgets import sharing_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from cortex_core.records.machines import SyncReport
    from cortex_core.records.teams import PullReport
    from cortex_tui.session import StoreSession


class SharingJobs:
    """What Capture and health does with the user's machines and the project's team."""

    def __init__(
        self, screen: TabbedScreen[CaptureThing], embed: Callable[[Callable[[int], None]], None]
    ) -> None:
        """Work for `screen`; `embed` computes the vectors of what came, and calls what follows."""
        self.screen = screen
        self._embed = embed

    def exchange(self) -> None:
        """Exchange with the user's other machines now."""
        if not self.screen.refuses("capture.exchange"):
            self.screen.jobs.run(
                "Exchanging",
                actions.exchange,
                self._exchanged,
                stopped="Stopped. The next exchange sends and reads the rest.",
            )

    def _exchanged(self, done: tuple[SyncReport, Machines]) -> None:
        report, machines = done
        problems = any(store.problems for store in report.stores)
        self._show(machines)
        self.screen.say(sharing_lines.exchanged(report), warns=report.failed or problems)
        self._follow(came=bool(report.received))

    def pull(self) -> None:
        """Read what the team approved since."""

        def task(stores: StoreSession, progress: Progress) -> tuple[PullReport, FollowedTeam]:
            return actions.pull(stores)

        if not self.screen.refuses("capture.pull"):
            self.screen.jobs.run("Asking the hub of the team", task, self._pulled)

    def _pulled(self, done: tuple[PullReport, FollowedTeam]) -> None:
        report, team = done
        self._show(team)
        self.screen.say(sharing_lines.pulled(report), warns=bool(report.problems))
        self._follow(came=bool(report.changed))

    def _show(self, thing: Sharing) -> None:
        """Show the row of `thing` as it is now, without what the doctor found of it before."""
        shown = self.screen.things.get("health")
        if shown is None:
            return
        group = "machines" if isinstance(thing, Machines) else "team"
        kept = {
            name: one
            for name, one in shown.items()
            if not isinstance(one, CheckResult) or one.group != group
        }
        self.screen.things["health"] = kept | {capture_key(thing): thing}
        self.screen.fill()

    def _follow(self, *, came: bool) -> None:
        """Show the state in the strip, and make what came findable by meaning."""
        self.screen.status_revision = None
        self.screen.pulse()
        if came:
            self._embed(lambda count: None)
