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
    launched_in as launched_in,
)
from cortex_core.base import hook_words

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


def call(word: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> HookCall | None:
    """What a payload asks; None for an event that Cortex does not answer or record."""
    call = asked("copilot", EVENTS.get(word), payload, _NAMES)
    if call:
        # Only the end of a turn names the transcript.
        call.transcript = os.path.join(home(), "session-state", call.session, "events.jsonl")
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
    try:
        with os.scandir(os.path.join(home(), "session-state")) as entries:
            return any(entry.stat().st_mtime > since for entry in entries)
    except OSError:
        return False


def has_tools(project: Project, environment: Mapping[str, str]) -> bool:
    """Whether sessions have our MCP tools."""
    try:
        with open(os.path.join(home(), "mcp-config.json"), encoding="utf-8") as file:
            return "cortex_core" in file.read()
    except (OSError, ValueError):
        return False
