"""The tools of Copilot CLI by Cortex's names, and their arguments.

Hooks load this module: it imports names alone.
"""

from __future__ import annotations

from cortex_core.base import tools
from cortex_core.base.json_objects import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = {
    "view": tools.READ,
    "edit": tools.EDIT,
    "create": tools.WRITE,
    "bash": tools.SHELL,
    "powershell": tools.POWERSHELL,
    "ask_user": tools.QUESTION,
    "exit_plan_mode": tools.PLAN,
    "web_fetch": tools.WEB,
    "web_search": tools.WEB,
    "task": tools.SUBAGENT,
}

_ARGUMENTS = {
    "path": "file_path",
    "old_str": "old_string",
    "new_str": "new_string",
    "file_text": "content",
    "summary": "plan",
}

_OWN = "cortex-"
"""How the names of our MCP server's tools begin here: the server's, then the tool's."""


def calls_of(tool: str, given: Any) -> list[tuple[str, dict[str, Any]]]:
    """A call by Cortex's names and arguments; a patch is one call for each file.

    A tool that Cortex does not look at keeps its name.
    """
    if isinstance(given, str):
        from cortex_core.agents import patch_text  # few calls are patches

        return patch_text.changes(given)
    named = {_ARGUMENTS.get(name, name): value for name, value in mapping(given).items()}
    if tool == "ask_user":
        named["questions"] = [{"question": named.get("question")}]
    name = f"mcp__cortex__{tool[len(_OWN) :]}" if tool.startswith(_OWN) else NAMES.get(tool, tool)
    return [(name, named)]
