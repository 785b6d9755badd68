"""The tools of OpenCode by Cortex's names, and their arguments.

Hooks load this module: it imports names alone.
"""

from __future__ import annotations

from cortex_core.base import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAMES = {
    "read": tools.READ,
    "edit": tools.EDIT,
    "multiedit": tools.EDIT,
    "write": tools.WRITE,
    "bash": tools.SHELL,
    "question": tools.QUESTION,
    "todowrite": tools.TODO,
    "webfetch": tools.WEB,
    "websearch": tools.WEB,
    "task": tools.SUBAGENT,
}

PATCH = "apply_patch"
"""Changes several files: `patch_text` has one change for each."""

_ARGUMENTS = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}

_OWN = "cortex_"
"""How the names of our MCP server's tools begin here: the server's, then the tool's."""


def name_of(tool: str) -> str:
    """Cortex's name of a tool; a tool that Cortex does not look at keeps its own."""
    if tool.startswith(_OWN):
        return f"mcp__cortex__{tool[len(_OWN) :]}"
    return NAMES.get(tool, tool)


def arguments_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tool of OpenCode, under Cortex's names."""
    return {_ARGUMENTS.get(name, name): value for name, value in given.items()}
