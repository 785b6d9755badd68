"""Connecting Cortex with Claude Code: what would change, and the change itself.

`cortex install`, the app and `cortex doctor --fix` do it by these functions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from cortex_core.agents.claude import hook_entries, install, registration
from cortex_core.agents.claude.install import InstallPlan, InstallScope
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
    def server_command(self) -> str:
        """Claude Code's command that registers the MCP server, as it is typed."""
        return registration.typed(registration.add_command(self.plan.scope, self.python))

    @property
    def preview(self) -> ConnectionPreview:
        """What connecting would change."""
        return ConnectionPreview(
            settings=str(self.plan.path), diff=self.plan.diff, server=self.server_command
        )


def prepare(project: Project, scope: InstallScope = "user", *, force: bool = False) -> Connection:
    """Find out what connecting would do; nothing is changed.

    Args:
        force: connect even if the plugin is enabled.

    Raises:
        CortexError: the plugin does the same already, the interpreter cannot run hooks, or the
            settings file cannot be edited.
    """
    python = hook_entries.interpreter()
    install.check_interpreter(python)
    name = registration.plugin(project)
    if name and not force:
        raise CortexError(
            f"The plugin {name} is enabled and does the same. Nothing was changed. Keep it, or "
            f"remove it with: claude plugin uninstall {name}. With --force, both are installed, "
            "and each event is still answered once."
        )
    return Connection(project, install.plan(scope, project, python), python)


def add_hooks(connection: Connection) -> Connected:
    """Add the hooks to the settings file, after a copy of it.

    Raises:
        CortexError: the file cannot be written; nothing was changed.
    """
    plan = connection.plan
    done = install.install(plan, connection.project.home)
    copies = done.backups if done is not None and plan.changes else ()
    return Connected(
        settings=str(plan.path),
        changed=plan.changes,
        backup=copies[-1] if copies else None,
        caution=install.warning(plan),
    )


def connect(project: Project) -> Connected:
    """Add the hooks for all projects of the user, and register the MCP server.

    Raises:
        CortexError: nothing was changed; the message says why.
    """
    connection = prepare(project)
    done = add_hooks(connection)
    state = registration.register(connection.plan.scope, project, connection.python)
    return replace(done, by_hand=connection.server_command if state == "by hand" else "")


def told(done: Connected) -> str:
    """What connecting did, and how it is undone."""
    if not done.changed:
        return f"The hooks are already in {done.settings}."
    copy = f" A copy of the file is {done.backup}." if done.backup else ""
    server = f" To register the MCP server, run: {done.by_hand}." if done.by_hand else ""
    caution = f" {done.caution}" if done.caution else ""
    return f"Added the hooks to {done.settings}.{copy} To undo: cortex uninstall.{server}{caution}"
