"""Connecting Cortex with Copilot CLI: a file of hooks for all projects of the user."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from cortex_core.agents import hook_command
from cortex_core.agents.claude.registration import read_json
from cortex_core.agents.copilot import hooks
from cortex_core.agents.hook_install import enabled_plugin
from cortex_core.agents.own_installation import OwnInstaller
from cortex_core.base.json_objects import mapping

SECONDS = 10
"""How long an event waits for a hook."""


def files(python: Sequence[str]) -> Mapping[Path, str]:
    """The file with the hooks that `python` runs."""
    handlers = {
        event: [
            {
                "type": "command",
                "bash": shlex.join(hook_command.command(python, event, "copilot")),
                "timeoutSec": SECONDS,
            }
        ]
        for event in hooks.EVENTS
    }
    text = json.dumps({"version": 1, "hooks": handlers}, indent=2)
    return {Path(hooks.own_file()): f"{text}\n"}


def plugin() -> str:
    """The name of the enabled plugin that is Cortex; empty without one."""
    settings = Path(hooks.home(), "settings.json")
    return enabled_plugin(mapping(read_json(settings).value.get("enabledPlugins")))


PART = OwnInstaller(
    "copilot", hooks.home, files, lambda: Path(hooks.home(), "mcp-config.json"), plugin
)
