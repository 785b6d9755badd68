"""Connecting Cortex with Gemini CLI: an extension with the hooks and the MCP server."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import cortex_core
from cortex_core.agents import hook_command
from cortex_core.agents.gemini import hooks
from cortex_core.agents.own_installation import OwnInstaller
from cortex_core.base import agent_names

MILLISECONDS = 10_000
"""How long an event waits for a hook."""

_MATCHERS = {"BeforeTool": "run_shell_command|write_file|replace|mcp_.*"}


def files(python: Sequence[str]) -> Mapping[Path, str]:
    """The files of the extension, whose hooks and server `python` runs."""
    folder = Path(hooks.home(), "extensions", "cortex")
    command, *arguments = [*python, "-m", agent_names.SERVER_MODULE]
    extension = {
        "name": "cortex",
        "version": cortex_core.__version__,
        "description": "Memory for coding agents",
        "mcpServers": {"cortex": {"command": command, "args": arguments}},
    }
    handlers = {}
    for event in hooks.EVENTS:
        handler = {
            "name": "cortex",
            "type": "command",
            "timeout": MILLISECONDS,
            "command": shlex.join(hook_command.command(python, event, "gemini")),
        }
        matched = {"matcher": _MATCHERS[event]} if event in _MATCHERS else {}
        handlers[event] = [{**matched, "hooks": [handler]}]
    return {
        folder / "gemini-extension.json": json.dumps(extension, indent=2) + "\n",
        folder / "hooks" / "hooks.json": json.dumps({"hooks": handlers}, indent=2) + "\n",
    }


PART = OwnInstaller("gemini", hooks.home, files)
