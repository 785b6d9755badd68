"""The hooks of Codex: Claude Code's payloads and answers, with Codex's tools, and no questions.

Every event loads this module, so it imports little.
"""

from __future__ import annotations

import os

from cortex_core.agents.claude import hooks as claude
from cortex_core.agents.hook_defaults import (
    is_attended as is_attended,
    is_worth_asking as is_worth_asking,
)
from cortex_core.base import hook_io, hook_words, tools
from cortex_core.base.project import user_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.agents.hook_call import HookAnswer, HookCall
    from cortex_core.base.project import Project

may_be_unread = claude.may_be_unread

LONGEST = 8_800
"""Characters of injected text. Of 8,900 Codex 0.169 gave the model all; of more, head and tail, and
it wrote the whole to a temporary file."""

NOT_ASKED = (
    " Codex cannot ask the user about a single call, so it was refused. Ask the user; if they want "
    "it, they can run it themselves, or end the guard with cortex trigger guard ID remind."
)


def folder() -> str:
    """The folder of Codex's own files."""
    return os.environ.get("CODEX_HOME") or os.path.join(user_home(), ".codex")


def call(word: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> HookCall | None:
    """What a payload asks; None for an event that Cortex does not answer or record.

    Args:
        word: the event's name as the command line gave it; empty for none.
    """
    asked = claude.call(word, payload, environment)
    # The plugin hears of sub-agents, too, and an agent's words to them are reported as a prompt.
    if (
        asked is None
        or asked.event in (hook_words.SUBAGENT_START, hook_words.SUBAGENT_STOP)
        or (asked.event == hook_words.PROMPT and asked.agent)
    ):
        return None
    given = payload.get("tool_input")
    if payload.get("tool_name") == "apply_patch" and isinstance(given, dict):
        from cortex_core.agents import patch_text

        changes = patch_text.changes(str(given.get("command")))
        asked.tool, asked.tool_input = changes[0] if changes else (tools.EDIT, {})
        asked.also = changes[1:]
    return asked


def answer(call: HookCall, given: HookAnswer) -> bytes:
    """The JSON that Codex reads; empty where there is nothing to say."""
    if given.decision == "ask":
        given.decision, given.reason = "deny", given.reason + NOT_ASKED
    if len(given.text) > LONGEST:
        given.text = f"{given.text[:LONGEST].rpartition(chr(10))[0]}\n</cortex-memory>"
    return claude.answer(call, given)


def has_tools(project: Project, environment: Mapping[str, str]) -> bool:
    """Whether sessions have our MCP tools: the plugin brings its own server."""
    return "CLAUDE_PLUGIN_ROOT" in environment or "[mcp_servers.cortex]" in hook_io.read(
        os.path.join(folder(), "config.toml")
    )
