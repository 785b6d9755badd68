"""The hooks of OpenCode: what our plugin sends as a `HookCall`, and a `HookAnswer` for it.

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
    "start": hook_words.START,
    "prompt": hook_words.PROMPT,
    "tool": hook_words.TOOL,
    "stop": hook_words.STOP,
    "end": hook_words.END,
}
"""The words of the plugin."""


_NAMES = {
    "session": "session",
    "folder": "folder",
    "prompt": "prompt",
    "tool": "tool",
    "arguments": "arguments",
    "firing": "id",
}


def data_file() -> str:
    """Where OpenCode keeps its sessions."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(data, "opencode", "opencode.db")


def call(word: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> HookCall | None:
    """What the plugin asks; None for an event that Cortex does not answer or record."""
    call = asked("opencode", EVENTS.get(word), payload, _NAMES)
    if call:
        call.transcript = os.path.join(data_file(), call.session)
    return call


def answer(call: HookCall, given: HookAnswer) -> bytes:
    """The JSON that the plugin reads; empty where there is nothing to say."""
    return answered({"text": given.text, "refused": given.decision and given.reason})


def may_be_unread(call: HookCall, since: float) -> bool:
    """Whether a session was written after `since` (Unix seconds)."""
    return was_written(os.path.dirname(data_file()), since, ("opencode.db", "opencode.db-wal"))
