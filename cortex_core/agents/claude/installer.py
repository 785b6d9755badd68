"""Connecting Cortex with Claude Code, and taking it out again: what would change, and the change.

`cortex install`, `cortex uninstall`, the app and `cortex doctor --fix` do it by these functions.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from cortex_core.agents import hook_command, hook_install
from cortex_core.agents.claude import install, registration, sessions
from cortex_core.agents.claude.install import removals as removals
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import project as projects
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project


class Connection(hook_install.HookConnection):
    """A connection with Claude Code, which can have the skills as well."""

    @property
    def skills(self) -> list[str]:
        """The names of the skills that can be copied.

        Raises:
            CortexError: there are none; the installation is incomplete.
        """
        return [file.parent.name for file in install.skill_files()]

    def copy_skills(self) -> tuple[list[str], list[str]]:
        """Copy the skills, so that they run without the plugin; those that are ours, and the files
        that were left alone because they are not.

        Raises:
            CortexError: a file cannot be written.
        """
        known = hook_install.load_installation(self.home, self.plan.settings)
        ours, others = install.copy_skills(
            hook_command.interpreter(), known.skills if known else {}
        )
        if known:
            hook_install.save_installation(self.home, replace(known, skills=ours))
        return list(ours), others


def is_present() -> bool:
    """Whether Claude Code is on this machine."""
    return sessions.root().parent.is_dir() or shutil.which("claude") is not None


def plan(project: Project, scope: InstallScope = "user", *, force: bool = False) -> Connection:
    """Find out what connecting would do; nothing is changed.

    Args:
        force: connect even if the plugin is enabled.

    Raises:
        CortexError: the plugin does the same already, the interpreter cannot run hooks, or the
            settings file cannot be edited.
    """
    python = hook_command.interpreter()
    hook_command.check_interpreter(python)
    name = registration.plugin(project)
    if name and not force:
        raise CortexError(
            f"The plugin {name} is enabled and does the same. Nothing was changed. Keep it, or "
            f"remove it with: claude plugin uninstall {name}. With --force, both are installed, "
            "and each event is still answered once."
        )
    made = install.plan(scope, project, python)
    return Connection(
        plan=made,
        home=project.home,
        server=tuple(registration.add_command(scope, python)),
        enrol=partial(registration.register, scope, project, python),
        caution=install.warning(made),
    )


def connect(project: Project) -> str:
    """Add the hooks for all projects of the user, and register the MCP server.

    Returns:
        What was done, and how it is undone.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    return hook_install.connect(plan(project))


def unregister(project: Project, roots: Iterable[str]) -> list[tuple[str, str]]:
    """Remove the MCP server: the user's, and that of the projects with these roots.

    Returns:
        What came of each, as `registration.unregister` says it, and the command that does it.
    """
    places: list[tuple[InstallScope, Project]] = [("user", project)]
    places += [("local", projects.find(explicit=root)) for root in sorted(set(roots)) if root]
    return [
        (
            registration.unregister(scope, there),
            registration.typed(registration.remove_command(scope)),
        )
        for scope, there in places
    ]


def remains(project: Project) -> str:
    """What still runs the hooks, and the command that ends it; empty where nothing does."""
    name = registration.plugin(project)
    return (
        f"The plugin is still enabled; to remove it: claude plugin uninstall {name}" if name else ""
    )
