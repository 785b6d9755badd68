"""Claude Code's tools that Cortex looks at, and which of their arguments names a file.

It imports nothing else: the hooks load this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

READING = {"Read": "file_path"}
"""Tools that read a file, and the argument that names it."""

CHANGING = {
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "Write": "file_path",
    "NotebookEdit": "notebook_path",
}
"""Tools that change a file, and the argument that names it."""

ON_FILES = READING | CHANGING

SHELLS = ("Bash", "PowerShell")
"""Tools that run a command."""


def path_of(tool: Any, tool_input: Any) -> str:
    """The file that a tool call reads or changes; empty for none."""
    name = ON_FILES.get(tool) if isinstance(tool, str) else None
    path = tool_input.get(name) if name and isinstance(tool_input, dict) else None
    return path if isinstance(path, str) else ""
