"""The hooks that Cortex adds to Claude Code's settings."""

from cortex_core.agents.claude.tools import NAMES
from cortex_core.agents.hook_command import HookEvent
from cortex_core.base.tools import ON_FILES, SHELLS

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
