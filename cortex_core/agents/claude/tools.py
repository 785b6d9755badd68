"""The tools of Claude Code by Cortex's names, and their arguments.

Hooks load this module: it imports names alone.
"""

from __future__ import annotations

from cortex_core.base import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAMES = {
    "Read": tools.READ,
    "Edit": tools.EDIT,
    "MultiEdit": tools.EDIT,
    "Write": tools.WRITE,
    "NotebookEdit": tools.EDIT,
    "Bash": tools.SHELL,
    "PowerShell": tools.POWERSHELL,
    "AskUserQuestion": tools.QUESTION,
    "ExitPlanMode": tools.PLAN,
    "TodoWrite": tools.TODO,
    "TaskCreate": tools.TASK,
    "TaskUpdate": tools.TASK,
    "WebFetch": tools.WEB,
    "WebSearch": tools.WEB,
    "Agent": tools.SUBAGENT,
    "Task": tools.SUBAGENT,
}

LEARN = ("mcp__cortex__learn", "mcp__plugin_cortex_cortex__learn")
"""Our tool `learn`, of the server that is installed and of the plugin's."""

_ARGUMENTS = {
    "NotebookEdit": {"notebook_path": "file_path", "new_source": "new_string"},
    "TaskUpdate": {"taskId": "task"},
}
"""Arguments that have another name in Cortex, by tool."""


def name_of(tool: str) -> str:
    """Cortex's name of a tool; a tool that Cortex does not look at keeps its own."""
    return NAMES.get(tool, tool)


def arguments_of(tool: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a tool of Claude Code, under Cortex's names."""
    names = _ARGUMENTS.get(tool, {})
    return {names.get(name, name): value for name, value in given.items()}
