"""The doctor's check of an agent whose hooks are in files of Cortex's own."""

from __future__ import annotations

from collections.abc import Sequence

from cortex_core.agents.own_installation import OwnInstaller
from cortex_core.agents.protocol import AgentCase, Check, Route
from cortex_core.base.agent_names import LABELS
from cortex_core.base.project import Project
from cortex_core.base.text import counted
from cortex_core.records.findings import failed, ok, skipped
from cortex_core.records.upkeep import CheckResult

RECENT = 5
"""Sessions that are looked at."""


class OwnChecks:
    """What the doctor asks such an agent; its hooks are tried in sessions alone."""

    def __init__(self, agent: str, installer: OwnInstaller) -> None:
        """The check of one agent, by its name and its installer."""
        self._agent = agent
        self._installer = installer
        self.CHECKS = (Check(f"{agent}-hooks", "client", self._installed, self._connect),)

    def routes(self, project: Project) -> Sequence[Route]:
        """No way to run the hooks apart from the agent."""
        return ()

    def is_installed(self, project: Project) -> bool:
        """Whether the files are there."""
        return bool(self._installer.removals(project)[0])

    def _connect(self, case: AgentCase) -> str:
        return self._installer.connect(case.project)

    def _installed(self, case: AgentCase) -> CheckResult:
        """Whether the files are there as they would be written now, and whether hooks fired."""
        label, connect = LABELS[self._agent], f"cortex install --agent {self._agent}"
        if not self.is_installed(case.project):
            is_there = self._installer.is_present()
            apart = f"Cortex is not connected with {label}. To connect it, run: {connect}"
            return skipped(apart if is_there else f"{label} is not on this machine.")
        if self._installer.own(case.project).preview.diff:
            sentence = f"The hooks of {label} run another version of Cortex, or another Python."
            return failed(sentence, f"Run: {connect}", fixable=True)
        sessions = [one for one in case.sessions if one.agent == self._agent][-RECENT:]
        fired = sum(one.id in case.fired for one in sessions)
        return ok(
            f"The hooks of {label} are installed; they fired in {fired} of the last "
            f"{counted(len(sessions), 'session')} here."
        )
