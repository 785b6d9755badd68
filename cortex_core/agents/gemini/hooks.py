"""The hooks of Gemini CLI: its payload as a `HookCall`, and a `HookAnswer` in the form it reads.

Every event loads this module, so it imports little.
"""

from __future__ import annotations

import os

from cortex_core.agents.hook_defaults import (
    answered,
    asked,
    has_tools as has_tools,
    is_attended as is_attended,
    is_worth_asking as is_worth_asking,
    was_written,
)
from cortex_core.base import hook_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.agents.hook_call import HookAnswer, HookCall

EVENTS = {
    "SessionStart": hook_words.START,
    "BeforeAgent": hook_words.PROMPT,
    "BeforeTool": hook_words.TOOL,
    "AfterAgent": hook_words.STOP,
    "SessionEnd": hook_words.END,
}
"""Gemini CLI's names of events. Its PreCompress fires before every request, so it says nothing."""

_NAMES = {
    "session": "session_id",
    "folder": "cwd",
    "transcript": "transcript_path",
    "prompt": "prompt",
    "reason": "reason",
    "tool": "tool_name",
    "arguments": "tool_input",
    "firing": "timestamp",
}

_CONTEXT = "</hook_context>"


def home() -> str:
    """The folder of Gemini CLI's settings and sessions."""
    return os.path.join(os.environ.get("GEMINI_CLI_HOME") or os.path.expanduser("~"), ".gemini")


def call(word: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> HookCall | None:
    """What a payload asks; None for an event that Cortex does not answer or record."""
    name = str(payload.get("hook_event_name"))
    call = asked("gemini", EVENTS.get(name), payload, _NAMES)
    if call:
        # What a hook gave at the start comes before the prompt, where nobody watches.
        call.prompt = call.prompt.rpartition(_CONTEXT)[2].strip()
        call.takes_text = call.event != hook_words.TOOL
        if word not in ("", name):
            call.problem = f"called for {word}, but the payload is for {name}"
    return call


def answer(call: HookCall, given: HookAnswer) -> bytes:
    """The JSON that Gemini CLI reads; empty where there is nothing to say.

    It knows no question: what the user would be asked about does not run.
    """
    if call.event == hook_words.TOOL:
        return answered({"decision": given.decision and "deny", "reason": given.reason})
    output = {"additionalContext": given.text} if given.text else None
    return answered({"systemMessage": given.message, "hookSpecificOutput": output})


def may_be_unread(call: HookCall, since: float) -> bool:
    """Whether a session of the same project was written after `since` (Unix seconds)."""
    return was_written(os.path.dirname(call.transcript), since)
