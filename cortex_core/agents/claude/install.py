"""Where Claude Code's hooks are installed."""

from pathlib import Path

from cortex_core.agents import hook_install, settings_file
from cortex_core.agents.claude import sessions
from cortex_core.agents.hook_install import INSTALL_SCOPES, InstallPlan
from cortex_core.agents.protocol import InstallScope
from cortex_core.base.errors import UsageError
from cortex_core.base.project import Project


def settings_path(scope: InstallScope, project: Project) -> Path:
    """The settings file of `scope`.

    Raises:
        UsageError: the scope needs a project, and there is none.
    """
    if scope == "user":
        return settings_path_of_user()
    if project.root is None:
        raise UsageError(
            f"{project.cwd} is not a project. Nothing was changed. Go to a project, choose one "
            "with --project, or install for all with --scope user."
        )
    name = "settings.json" if scope == "project" else "settings.local.json"
    return Path(project.root, ".claude", name)


def settings_path_of_user() -> Path:
    """The user's own settings file, which counts in all projects."""
    return sessions.root().parent.absolute() / "settings.json"


def removals(project: Project) -> tuple[list[InstallPlan], list[str]]:
    """What uninstalling would do, file by file, and errors for files that cannot be edited."""
    scopes = INSTALL_SCOPES if project.root is not None else INSTALL_SCOPES[:1]
    files = {settings_path(scope, project): scope for scope in scopes}
    return hook_install.removals("claude", files, project.home)


def warning(plan: InstallPlan) -> str:
    """A warning about the settings file that the hooks were added to; "" without one."""
    values = settings_file.value_of(plan.text)
    if isinstance(values, dict) and values.get("disableAllHooks") is True:
        return (
            f"{plan.path} sets disableAllHooks, so Claude Code runs no hooks. Nothing will be "
            "captured or injected until you remove that line."
        )
    if plan.scope == "project":
        return (
            f"{plan.path} is usually shared with others, but its hooks now name this machine's "
            "Python. To install for yourself only: cortex uninstall, then cortex install --scope "
            "local."
        )
    return ""
