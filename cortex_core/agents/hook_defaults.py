"""What the hooks of an agent answer where the agent says nothing; its `hooks` take over the names.

Hooks load this module: it imports little.
"""

from __future__ import annotations

import importlib
import os
import sys

from cortex_core.agents.hook_call import HookCall
from cortex_core.base import hook_io, hook_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.base.project import Project


def asked(
    agent: str, event: str | None, payload: Mapping[str, Any], names: Mapping[str, str]
) -> HookCall | None:
    """What a payload asks; None for an event that Cortex does not answer, or without a session.

    Args:
        event: one of `base.hook_words`.
        names: the payload's names of what a `HookCall` is made of, of the `tool` and its
            `arguments`, and of what distinguishes one event from the next (`firing`).
    """
    given = {
        own: payload[name]
        for own, name in names.items()
        if own not in ("tool", "arguments") and isinstance(payload.get(name), str)
    }
    session = given.pop("session", "")
    # Paths are made of it.
    if event is None or not session or os.path.basename(session) != session:
        return None
    given["firing"] = f"{event}\0{payload.get(names['firing'])}"
    # What hooks gave at a start is gone when the session is resumed: it begins again.
    call = HookCall(event, session, **given, source="startup", entry=f"installed {sys.executable}")
    call.is_repeated = payload.get("stop_hook_active") is True
    if event == hook_words.TOOL:
        module = importlib.import_module(f"cortex_core.agents.{agent}.tools")
        calls = module.calls_of(str(payload.get(names["tool"])), payload.get(names["arguments"]))
        call.tool, call.tool_input = calls[0] if calls else ("", {})
        call.also = calls[1:]
    return call


def answered(answer: Mapping[str, Any]) -> bytes:
    """The fields of an answer that say something, as one JSON object; nothing without any."""
    said = {name: value for name, value in answer.items() if value}
    return hook_io.dumps(said).encode() if said else b""


def has_tools(project: Project, environment: Mapping[str, str]) -> bool:
    """Yes: what brings the hooks brings the server."""
    return True


def was_written(folder: str, since: float, ending: str | tuple[str, ...] = "") -> bool:
    """Whether something in a folder was written after `since` (Unix seconds).

    Args:
        ending: how the names end that count.
    """
    try:
        with os.scandir(folder) as entries:
            return any(one.name.endswith(ending) and one.stat().st_mtime > since for one in entries)
    except OSError:
        return False


def is_attended(environment: Mapping[str, str]) -> bool:
    """Yes: an agent that does not say is taken to have a user."""
    return True


def is_worth_asking(transcript: str) -> bool:
    """No: only an agent that can be asked to go on after its answer is asked to learn."""
    return False
