"""The tools of Gemini CLI by Cortex's names, and their arguments.

Hooks load this module: it imports names alone.
"""

from __future__ import annotations

from cortex_core.base import tools
from cortex_core.base.json_objects import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = {
    "read_file": tools.READ,
    "replace": tools.EDIT,
    "write_file": tools.WRITE,
    "run_shell_command": tools.SHELL,
    "ask_user": tools.QUESTION,
    "exit_plan_mode": tools.PLAN,
    "write_todos": tools.TODO,
    "web_fetch": tools.WEB,
    "google_web_search": tools.WEB,
}

_OWN = "mcp_cortex_"
"""How the names of our MCP server's tools begin here."""


def calls_of(tool: str, given: Any) -> list[tuple[str, dict[str, Any]]]:
    """A call by Cortex's names; a tool that Cortex does not look at keeps its name."""
    name = f"mcp__cortex__{tool[len(_OWN) :]}" if tool.startswith(_OWN) else NAMES.get(tool, tool)
    return [(name, mapping(given))]
