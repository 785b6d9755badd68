"""The tools of coding agents that Cortex looks at, by names of its own.

An agent's reader and its hooks map the agent's names to these, and the arguments to `file_path`,
`command`, `old_string`, `new_string`, `content`, `edits`, `plan`, `questions`, `todos`. A tool that
is not listed here keeps the agent's name; one of an MCP server is called `mcp__SERVER__TOOL`. It
imports nothing else: the hooks load this module.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHELL = "shell"
POWERSHELL = "powershell"
READ = "read"
EDIT = "edit"
WRITE = "write"
"""Writes a whole file, where `EDIT` changes a part of one."""
QUESTION = "question"
"""Asks the user, with choices; its result has the `answers`."""
PLAN = "plan"
"""Has a plan approved; its result says whether it was `approved`."""
TODO = "todo"
"""Writes the agent's whole list of things to do."""
TASK = "task"
"""Adds one thing to do, which its result numbers as `task`, or changes that `task`."""
WEB = "web"
SUBAGENT = "subagent"
"""Has another agent do a part of the work, which its result or a later prompt reports."""

SHELLS = (SHELL, POWERSHELL)
"""Tools that run a `command`."""

CHANGING = (EDIT, WRITE)
"""Tools that change the file `file_path`."""

ON_FILES = (READ, *CHANGING)


def objects(listed: Any) -> list[dict[str, Any]]:
    """The objects in a list of a tool's arguments, such as the options of a question."""
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def path_of(tool: Any, tool_input: Any) -> str:
    """The file that a tool call reads or changes; empty for none."""
    path = tool_input.get("file_path") if tool in ON_FILES and tool_input else None
    return path if isinstance(path, str) else ""
