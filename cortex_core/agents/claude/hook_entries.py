"""The hooks that Cortex adds to Claude Code's settings."""

from cortex_core.agents.claude.tools import NAMES
from cortex_core.agents.hook_command import HookEvent
from cortex_core.base.tools import ON_FILES, SHELLS

_ASKED = [name for name, tool in NAMES.items() if tool in (*ON_FILES, *SHELLS)]
_TOOL_CALLS = f"^({'|'.join((*_ASKED, 'mcp__.*'))})$"

EVENTS = (
    HookEvent("SessionStart", 10, "startup|resume|clear|compact|fork"),
    HookEvent("UserPromptSubmit", 5),
    HookEvent("PreToolUse", 5, _TOOL_CALLS),
    HookEvent("Stop", 5),
    HookEvent("SubagentStart", 5),
    HookEvent("SubagentStop", 5),
    HookEvent("PreCompact", 5),
    HookEvent("SessionEnd", 3),
)
"""The same as the plugin's hooks/hooks.json. Codex, which runs the plugin too, warns the user of
longer waits at the end of a session, and of look-around in a pattern."""
