"""Claude Code as a way to ask a model: how `claude -p` is called, and what it prints.

It runs without settings, hooks, tools and transcript, so that Cortex does not capture its own
questions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from cortex_core import CHILD

COMMAND = "claude"

ISOLATED = (
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "--tools",
    "",
    "--no-session-persistence",
)
"""Options for no settings (and so no hooks), no servers, no tools, no transcript."""

_ENVIRONMENT = {
    CHILD: "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_EFFORT_LEVEL": "low",
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
    "DISABLE_AUTOUPDATER": "1",
}
_SESSION_VARIABLES = (
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_EFFORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
)
"""Variables of a session; the worker inherits them from the hook that started it."""

_PLUGIN_PREFIX = "CLAUDE_PLUGIN_"
LOGGED_OUT: Sequence[str] = ("/login", "api key", "authenticat", "credit balance", "oauth")
"""Words of its errors that mean that nobody is logged in, so that nothing was paid."""


def command_line(command: str, model: str, system: str, schema: Mapping[str, Any]) -> list[str]:
    """The command line; the text of the request goes through standard input."""
    return [
        command,
        "-p",
        "--model",
        model,
        "--output-format",
        "json",
        *ISOLATED,
        "--system-prompt",
        system,
        "--json-schema",
        json.dumps(dict(schema)),
    ]


def environment(most_output: int) -> dict[str, str]:
    """The environment of Claude Code: ours without the session that ours may belong to."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _SESSION_VARIABLES and not name.startswith(_PLUGIN_PREFIX)
    }
    return {**kept, **_ENVIRONMENT, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(most_output)}


def result_of(out: bytes) -> Mapping[str, Any] | None:
    """The result among what it printed; None if there is none."""
    try:
        printed = json.loads(out)
    except (ValueError, RecursionError):
        return None
    for message in reversed(printed if isinstance(printed, list) else [printed]):
        if isinstance(message, dict) and message.get("type") == "result":
            return message
    return None


def text_of(result: Mapping[str, Any]) -> str | None:
    """The answer of a result; None if it has none."""
    if isinstance(result.get("structured_output"), dict):
        return json.dumps(result["structured_output"])
    text = result.get("result")
    return text if isinstance(text, str) else None
