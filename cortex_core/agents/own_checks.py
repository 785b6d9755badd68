"""The doctor's check of an agent: what was read of its sessions, and whether its hooks fire."""

from cortex_core import agents
from cortex_core.agents import hook_install
from cortex_core.agents.own_installation import OwnInstaller
from cortex_core.agents.protocol import AgentCase, Check
from cortex_core.base.agent_names import LABELS
from cortex_core.base.project import Project
from cortex_core.base.text import counted
from cortex_core.records.findings import failed, ok, skipped
from cortex_core.records.upkeep import CheckResult

GROUP = "agents"
"""The group of these checks, which the doctor shows also where they pass."""

RECENT = 5
"""Sessions that are looked at."""


def heard(case: AgentCase, agent: str, turns: str = "") -> str:
    """What was read of an agent's sessions here, in words.

    Args:
        turns: how many turns they have, with a comma before it, where the agent counts them.
    """
    sessions = [one for one in case.sessions if one.agent == agent]
    unread = sum(one.agent == agent for one in case.unread)
    rest = f" ({unread:,} not read to the end)" if unread else ""
    prompts = counted(case.prompts(agent), "prompt")
    strange = len(agents.of(agent).sessions.strangers(case.project))
    more = f"; {counted(strange, 'file')} of a form that is not known" if strange else ""
    return f"{counted(len(sessions), 'session')}{rest}{turns}, {prompts} read{more}"


def fired(case: AgentCase, agent: str, since: float = 0.0) -> tuple[int, str]:
    """In how many of an agent's last sessions here its hooks fired; the same in words, empty if
    there was no session since that moment (Unix seconds)."""
    own = [one for one in case.sessions if one.agent == agent and one.changed > since][-RECENT:]
    count = sum(one.id in case.fired for one in own)
    return count, f"fired in {count} of the last {counted(len(own), 'session')}" if own else ""


class OwnChecks:
    """What the doctor asks an agent whose hooks are in files of Cortex's own, and run in sessions
    alone."""

    def __init__(self, agent: str, installer: OwnInstaller) -> None:
        """The check of one agent, by its name and its installer."""
        self._agent = agent
        self._installer = installer
        self.CHECKS = (Check(agent, GROUP, self._installed, self._connect),)

    def is_installed(self, project: Project) -> bool:
        """Whether the files are there, or a plugin that does the same."""
        return bool(self._installer.removals(project)[0] or self._installer.plugin())

    def _connect(self, case: AgentCase) -> str:
        return hook_install.connect(self._installer.plan(case.project))

    def _installed(self, case: AgentCase) -> CheckResult:
        """Whether the files are there as they would be written now, and whether hooks fired."""
        label, connect = LABELS[self._agent], f"cortex install --agent {self._agent}"
        if not self.is_installed(case.project):
            return skipped(
                f"Not connected; {heard(case, self._agent)}. To connect it, run: {connect}"
                if self._installer.is_present()
                else f"{label} is not on this machine."
            )
        own, plugin = self._installer.own(case.project), self._installer.plugin()
        if own.preview.diff and (own.diff or not plugin):
            sentence = f"The hooks of {label} run another version of Cortex, or another Python."
            return failed(sentence, f"Run: {connect}", fixable=True)
        said = fired(case, self._agent)[1] or "no session here yet"
        where = "hooks installed" if own.diff else f"hooks in plugin {plugin}"
        return ok(f"{heard(case, self._agent)}; {where}; {said}.")
