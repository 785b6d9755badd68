"""Where Claude Code's hooks are installed, and the copies of the skills."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import cortex_core
from cortex_core.agents import hook_command, hook_install, settings_file
from cortex_core.agents.claude import hook_entries, sessions
from cortex_core.agents.hook_install import INSTALL_SCOPES, InstallPlan
from cortex_core.agents.protocol import InstallScope
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError, UsageError
from cortex_core.base.project import Project

LAUNCHER = '"${CLAUDE_PLUGIN_ROOT}/bin/cortex"'
"""How the plugin's skills call the command line."""


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


def plan(scope: InstallScope, project: Project, python: Sequence[str]) -> InstallPlan:
    """What installing would do; hooks of another interpreter or an older form are replaced.

    Raises:
        CortexError: the settings file cannot be edited.
    """
    groups = hook_command.groups(hook_entries.EVENTS, python)
    return hook_install.plan("claude", settings_path(scope, project), scope, groups, project.home)


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


# --- skills


def skill_files() -> list[Path]:
    """The plugin's skills: in the installed package, or in the checkout.

    Raises:
        CortexError: there are none; the installation is incomplete.
    """
    package = Path(cortex_core.__file__).parent
    for folder in (package / "skills", package.parent / "skills"):
        if (folder / "recall" / "SKILL.md").is_file():
            return sorted(folder.glob("*/SKILL.md"))
    raise CortexError(
        f"The skills of {package} are missing. No skill was copied. Install Cortex again."
    )


def copy_skills(
    python: Sequence[str], known: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Copy every skill to the user's folder of skills, so that it runs `python` without the plugin.

    Args:
        known: the files copied before and their SHA-256; they are replaced unless edited.

    Returns:
        Our files as in `known`, and the paths of files that were left alone because they are not
        ours.

    Raises:
        CortexError: a file cannot be written.
    """
    ours, others = dict(known), []
    command = shlex.join([*python, "-m", "cortex_core.cli"])
    for file in skill_files():
        text = file.read_text(encoding="utf-8").replace(LAUNCHER, command)
        target = sessions.root().parent.absolute() / "skills" / file.parent.name / file.name
        current = hook_install.hash_of(target)
        # What the user edited, or wrote under the same name, is theirs.
        if current not in (None, known.get(str(target)), settings_file.digest(text)):
            others.append(str(target))
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            hook_io.replace(str(target), text, 0o644)
        except OSError as error:
            raise CortexError(
                f"{target} cannot be written: {error.strerror}. The skill was not copied."
            ) from error
        ours[str(target)] = settings_file.digest(text)
    return ours, others
