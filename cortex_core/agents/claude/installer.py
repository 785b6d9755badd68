"""Connecting Cortex with Claude Code, and taking it out again: what would change, and the change.

`cortex install`, `cortex uninstall`, the app and `cortex doctor --fix` do it by these functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from cortex_core.agents import hook_command, hook_install
from cortex_core.agents.claude import install, registration
from cortex_core.agents.claude.install import removals as removals
from cortex_core.agents.hook_install import InstallPlan
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import project as projects
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.records.upkeep import Connected, ConnectionPreview


class Connection(NamedTuple):
    """A connection that can be made."""

    project: Project
    plan: InstallPlan
    """The change of Claude Code's settings file."""
    python: tuple[str, ...]
    """The interpreter of the hooks, with its flags."""

    @property
    def preview(self) -> ConnectionPreview:
        """What connecting would change."""
        command = registration.typed(registration.add_command(self.plan.scope, self.python))
        return ConnectionPreview(settings=str(self.plan.path), diff=self.plan.diff, server=command)

    @property
    def skills(self) -> list[str]:
        """The names of the skills that can be copied.

        Raises:
            CortexError: there are none; the installation is incomplete.
        """
        return [file.parent.name for file in install.skill_files()]

    def add_hooks(self) -> Connected:
        """Add the hooks to the settings file, after a copy of it.

        Raises:
            CortexError: the file cannot be written; nothing was changed.
        """
        done = hook_install.install(self.plan, self.project.home)
        copies = done.backups if done is not None and self.plan.changes else ()
        return Connected(
            settings=str(self.plan.path),
            changed=self.plan.changes,
            backup=copies[-1] if copies else None,
            caution=install.warning(self.plan),
        )

    def copy_skills(self) -> tuple[list[str], list[str]]:
        """Copy the skills, so that they run without the plugin; those that are ours, and the files
        that were left alone because they are not.

        Raises:
            CortexError: a file cannot be written.
        """
        known = hook_install.load_installation(self.project.home, str(self.plan.path))
        ours, others = install.copy_skills(self.python, known.skills if known else {})
        if known:
            hook_install.save_installation(self.project.home, replace(known, skills=ours))
        return list(ours), others

    def register(self) -> str:
        """Register the MCP server; what came of it, as `registration.register` says it."""
        return registration.register(self.plan.scope, self.project, self.python)


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
    return Connection(project, install.plan(scope, project, python), python)


def connect(project: Project) -> str:
    """Add the hooks for all projects of the user, and register the MCP server.

    Returns:
        What was done, and how it is undone.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    connection = plan(project)
    done = connection.add_hooks()
    by_hand = connection.preview.server if connection.register() == "by hand" else ""
    if not done.changed:
        return f"The hooks are already in {done.settings}."
    copy = f" A copy of the file is {done.backup}." if done.backup else ""
    server = f" To register the MCP server, run: {by_hand}." if by_hand else ""
    caution = f" {done.caution}" if done.caution else ""
    return f"Added the hooks to {done.settings}.{copy} To undo: cortex uninstall.{server}{caution}"


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
