"""The calls since the last prompt, which the next one may correct."""

from __future__ import annotations

from cortex_core.base.tools import SHELLS
from cortex_core.extract.state import SessionState
from cortex_core.records.events import Event

LONGEST = 300
"""Characters of a call that are kept until the next prompt."""


def on_tool_use(event: Event, state: SessionState) -> None:
    """Note a command, or a call of an MCP tool, that the next prompt may correct."""
    line = event.input.get("command") if event.tool in SHELLS else None
    call = line if isinstance(line, str) else event.tool
    if not event.sidechain and (isinstance(line, str) or call.startswith("mcp__")):
        state.acted.append({"id": event.tool_id, "call": call[:LONGEST], "refused": False})


def on_tool_result(event: Event, state: SessionState) -> None:
    """Note that the user refused a call."""
    if event.interrupted:
        for one in state.acted:
            one["refused"] = one["refused"] or one["id"] == event.tool_id
