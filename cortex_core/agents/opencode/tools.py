"""The tools of OpenCode by Cortex's names, and their arguments.

Hooks load this module: it imports names alone.
"""

from __future__ import annotations

from cortex_core.base import tools
from cortex_core.base.json_objects import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
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

_ARGUMENTS = {"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}

_OWN = "cortex_"
"""How the names of our MCP server's tools begin here: the server's, then the tool's."""


def calls_of(tool: str, given: Any) -> list[tuple[str, dict[str, Any]]]:
    """A call by Cortex's names and arguments; a patch is one call for each file.

    A tool that Cortex does not look at keeps its name.
    """
    given = mapping(given)
    if isinstance(patch := given.get("patchText"), str):
        from cortex_core.agents import patch_text  # few calls are patches

        return patch_text.changes(patch)
    name = f"mcp__cortex__{tool[len(_OWN) :]}" if tool.startswith(_OWN) else NAMES.get(tool, tool)
    return [(name, {_ARGUMENTS.get(key, key): value for key, value in given.items()})]
