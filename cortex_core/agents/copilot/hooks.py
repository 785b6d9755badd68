"""The hooks of Copilot CLI: its payload as a `HookCall`, and a `HookAnswer` in the form it reads.

Every event loads this module, so it imports little.
"""

from __future__ import annotations

import os

from cortex_core.agents.hook_defaults import (
    answered,
    asked,
    is_attended as is_attended,
    is_worth_asking as is_worth_asking,
    was_written,
)
from cortex_core.base import hook_io, hook_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.agents.hook_call import HookAnswer, HookCall
    from cortex_core.base.project import Project

EVENTS = {
    "sessionStart": hook_words.START,
    "userPromptSubmitted": hook_words.PROMPT,
    "preToolUse": hook_words.TOOL,
    "agentStop": hook_words.STOP,
    "preCompact": hook_words.COMPACTION,
    "sessionEnd": hook_words.END,
}
"""Copilot CLI's names of events; a payload does not say which it is for, the command line does."""


_NAMES = {
    "session": "sessionId",
    "folder": "cwd",
    "prompt": "prompt",
    "reason": "reason",
    "tool": "toolName",
    "arguments": "toolArgs",
    "firing": "timestamp",
}


def home() -> str:
    """The folder of Copilot CLI's settings and sessions."""
    return os.environ.get("COPILOT_HOME") or os.path.expanduser("~/.copilot")


def own_file() -> str:
    """The file of the hooks that are Copilot CLI's own."""
    return os.path.join(home(), "hooks", "cortex.json")


def call(word: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> HookCall | None:
    """What a payload asks; None for an event that Cortex does not answer or record."""
    if "hook_event_name" not in payload:
        call = asked("copilot", EVENTS.get(word), payload, _NAMES)
    elif os.path.exists(own_file()):
        return None  # Claude Code's plugin is silent next to hooks that are Copilot CLI's own
    else:
        from cortex_core.agents.claude import hooks as claude

        call = claude.call(word, payload, environment)
    if call is None or call.event not in EVENTS.values():
        return None
    call.source = "startup"  # as `hook_defaults.asked` says
    # Only the end of a turn names the transcript.
    call.transcript = os.path.join(
        home(), "session-state", os.path.basename(call.session), "events.jsonl"
    )
    return call


def answer(call: HookCall, given: HookAnswer) -> bytes:
    """The JSON that Copilot CLI reads; empty where there is nothing to say."""
    return answered(
        {
            "additionalContext": given.text,
            "permissionDecision": given.decision if call.event == hook_words.TOOL else "",
            "permissionDecisionReason": given.reason if call.event == hook_words.TOOL else "",
        }
    )


def may_be_unread(call: HookCall, since: float) -> bool:
    """Whether a session was written after `since` (Unix seconds)."""
    return was_written(os.path.join(home(), "session-state"), since)


def has_tools(project: Project, environment: Mapping[str, str]) -> bool:
    """Whether sessions have our MCP tools: the plugin brings its own server."""
    return "CLAUDE_PLUGIN_ROOT" in environment or "cortex_core" in hook_io.read(
        os.path.join(home(), "mcp-config.json"), follow=True
    )
