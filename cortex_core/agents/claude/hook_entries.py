"""The hooks that Cortex adds to Claude Code's settings, and how they are recognised there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cortex_core.agents import hook_command
from cortex_core.agents.claude.tools import NAMES
from cortex_core.base.tools import ON_FILES, SHELLS

_OWN = re.compile(r"(^|[\s\"'])cortex_core\.hook(\s|$)|(^|[/\s\"'])cortex[\"']? hook [a-z-]+\s*$")


class HookEvent(NamedTuple):
    """A hook event of Claude Code that Cortex answers or records."""

    name: str
    timeout: int
    """Seconds."""
    matcher: str = ""

    @property
    def word(self) -> str:
        """The event's name as the hook's argument: `session-start`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", self.name).lower()


_ASKED = [name for name, tool in NAMES.items() if tool in (*ON_FILES, *SHELLS)]
_TOOL_CALLS = f"^({'|'.join((*_ASKED, 'mcp__.*'))})$"

WORKING = "^(?!Explore$|Plan$)"
"""The sub-agents that may end a piece of work: not those of Claude Code that only look."""

EVENTS = (
    HookEvent("SessionStart", 10, "startup|resume|clear|compact|fork"),
    HookEvent("UserPromptSubmit", 5),
    HookEvent("PreToolUse", 5, _TOOL_CALLS),
    HookEvent("Stop", 5),
    HookEvent("SubagentStart", 5, WORKING),
    HookEvent("SubagentStop", 5),
    HookEvent("PreCompact", 5),
    HookEvent("SessionEnd", 5),
)
"""The same as the plugin's hooks/hooks.json."""


def groups(python: Sequence[str]) -> dict[str, dict[str, Any]]:
    """One matcher group for each event, in the form Claude Code runs without a shell."""
    return {event.name: _group(event, python) for event in EVENTS}


def _group(event: HookEvent, python: Sequence[str]) -> dict[str, Any]:
    command, *arguments = hook_command.command(python, event.word)
    handler = {
        "type": "command",
        "command": command,
        "args": arguments,
        "timeout": event.timeout,
    }
    matched = {"matcher": event.matcher} if event.matcher else {}
    return {**matched, "hooks": [handler]}


def is_ours(handler: object) -> bool:
    """Whether a hook of Claude Code's settings runs Cortex, whichever interpreter it names."""
    if not isinstance(handler, Mapping):
        return False
    arguments = handler.get("args")
    words = [handler.get("command"), *(arguments if isinstance(arguments, list) else ())]
    return bool(_OWN.search(" ".join(word for word in words if isinstance(word, str))))


def commands(settings: object) -> dict[str, list[list[str]]]:
    """The commands of Cortex's hooks in `settings`, by event."""
    commands_of: dict[str, list[list[str]]] = {}
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    for event, listed in hooks.items() if isinstance(hooks, Mapping) else ():
        for group in listed if isinstance(listed, list) else ():
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            for handler in handlers if isinstance(handlers, list) else ():
                if is_ours(handler):
                    command = [handler.get("command", ""), *(handler.get("args") or ())]
                    commands_of.setdefault(event, []).append([str(word) for word in command])
    return commands_of


def are_complete(settings: object, python: Sequence[str]) -> bool:
    """Whether `settings` contain each hook of Cortex exactly once, run by `python`."""
    wanted = {event.name: [hook_command.command(python, event.word)] for event in EVENTS}
    return commands(settings) == wanted
