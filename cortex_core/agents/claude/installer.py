"""Connecting Cortex with Claude Code, and taking it out again: what would change, and the change.

`cortex install`, `cortex uninstall`, the app and `cortex doctor --fix` do it by these functions.
"""

import shutil
from collections.abc import Iterable

from cortex_core.agents import hook_command, hook_install
from cortex_core.agents.claude import hook_entries, install, registration, sessions
from cortex_core.agents.claude.install import removals as removals
from cortex_core.agents.hook_install import HookConnection
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import project as projects
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project


def is_present() -> bool:
    """Whether Claude Code is on this machine."""
    return sessions.root().parent.is_dir() or shutil.which("claude") is not None


def plan(project: Project, scope: InstallScope = "user", *, force: bool = False) -> HookConnection:
    """Find out what connecting would do; nothing is changed.

    Args:
        force: connect even if the plugin is enabled.

    Raises:
        CortexError: the plugin does the same already, the interpreter cannot run hooks, or the
            settings file cannot be edited.
    """
    python = hook_command.interpreter()
    hook_command.check_interpreter(python)
    # Both would be paid for at each event, though only one answers.
    name = registration.plugin(project)
    if name and not force:
        raise CortexError(
            f"The plugin {name} is enabled and does the same. Nothing was changed. Keep it, or "
            f"remove it with: claude plugin uninstall {name}. With --force, both are installed, "
            "and each event is still answered once."
        )
    groups = hook_command.groups(hook_entries.EVENTS, python)
    file = install.settings_path(scope, project)
    made = hook_install.plan("claude", file, scope, groups, project.home)
    return HookConnection(
        plan=made,
        home=project.home,
        server=registration.server(scope, project),
        caution=install.warning(made),
    )


def unregister(project: Project, roots: Iterable[str]) -> list[tuple[str, str]]:
    """Remove the MCP server: the user's, and that of the projects with these roots.

    Returns:
        What came of each, as `McpServer.unregister` says it, and the command that does it.
    """
    places: list[tuple[InstallScope, Project]] = [("user", project)]
    places += [("local", projects.find(explicit=root)) for root in sorted(set(roots)) if root]
    return [registration.server(scope, there).unregister() for scope, there in places]


def remains(project: Project) -> str:
    """What still runs the hooks, and the command that ends it; empty where nothing does."""
    return hook_install.remains(registration.plugin(project), "claude plugin uninstall")
