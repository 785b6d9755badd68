"""Codex as a way to ask a model: how `codex exec` is called, and what it prints.

It runs without the user's settings, hooks, servers, tools and transcript. Of the user's own files
it reads the login, and the rules in its `AGENTS.md`, which no option leaves out.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cortex_core import CHILD
from cortex_core.base.errors import ModelFailed
from cortex_core.base.json_objects import json_object, mapping
from cortex_core.base.text import one_line
from cortex_core.records.model_replies import Reply, Usage

COMMAND = "codex"
PROVIDER = "OpenAI"
OVERHEAD = 4_000
"""Tokens: 12,700 characters of tools in a request of codex 0.169, rounded up."""

ISOLATED = (
    "--ephemeral",
    "--ignore-user-config",
    "--ignore-rules",
    "--skip-git-repo-check",
    "--sandbox",
    "read-only",
)
"""Options for no transcript, no settings (and so no servers), no rules for commands, no writing."""

_OFF = (
    "apps",
    "goals",
    "hooks",
    "image_generation",
    "memories",
    "multi_agent",
    "multi_agent_v2",
    "plugins",
    "shell_tool",
    "skill_search",
    "tool_suggest",
    "unbounded_connection_retries",
    "unified_exec",
    "view_image",
)
"""Features that are switched off: hooks, tools, and waiting for a network."""

_SETTINGS: Mapping[str, str | int | bool] = {
    "agents.enabled": False,
    "approval_policy": "never",
    "include_apps_instructions": False,
    "include_collaboration_mode_instructions": False,
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "model_reasoning_effort": "low",
    "project_doc_max_bytes": 0,
    "skills.include_instructions": False,
    "web_search": "disabled",
    **{f"features.{name}": False for name in _OFF},
}
"""What else belongs to a session: with it a request is five times as long. A version that does not
know one of them ignores it."""

LONGEST_REASON = 200
"""Most characters of an error message."""

_UNPAID = ("last status", "unexpected status", "login", "log in", "logged in", "api key")
"""Words of its errors that mean that the service took no request, so that nothing was paid."""


def model(wanted: str) -> str:
    """`wanted`, or Codex's own default, named as the command, where that is another client's."""
    return COMMAND if wanted.startswith("claude") else wanted


def command_line(
    command: str, model: str, system: str, schema: Mapping[str, Any], scratch: Path
) -> list[str]:
    """The command line; the text of the request goes through standard input."""
    instructions, form = scratch / "instructions.md", scratch / "schema.json"
    instructions.write_text(system, "utf-8")
    form.write_text(json.dumps(dict(schema)), "utf-8")
    settings = {**_SETTINGS, "model_instructions_file": str(instructions)}
    # The values are TOML, in which such texts and numbers are written as in JSON.
    given = (("-c", f"{name}={json.dumps(value)}") for name, value in settings.items())
    named = () if model == COMMAND else ("--model", model)
    return [
        command,
        "exec",
        *named,
        *ISOLATED,
        *(word for pair in given for word in pair),
        "--output-schema",
        str(form),
        "--json",
        "-",
    ]


def environment(most_output: int) -> dict[str, str]:
    """The environment of Codex: ours, with the mark by which our hooks do nothing below it."""
    return {**os.environ, CHILD: "1"}


def reply(out: bytes, errors: bytes, code: int) -> Reply:
    """The reply in the events that Codex printed.

    Raises:
        ModelFailed: they report an error, or it printed something else.
    """
    text, used, problem = None, None, ""
    for event in map(json_object, out.splitlines()):
        item = mapping(event.get("item"))
        if event.get("type") == "turn.completed":
            used = mapping(event.get("usage"))
        elif item.get("type") == "agent_message":
            text = str(item.get("text"))
        elif event.get("type") in ("error", "turn.failed"):
            problem = str(mapping(event.get("error")).get("message") or event.get("message"))
    if text is not None and used is not None:
        return Reply(text=text, stop="end", usage=_usage(used))
    if problem:
        raise _failure(problem)
    # What a program says last is why it ended; before it there are warnings.
    printed = one_line((errors or out).decode("utf-8", "replace"))[-LONGEST_REASON:]
    raise ModelFailed(f"{COMMAND} exited with {code} and no answer ({printed})")


def _usage(used: Mapping[str, Any]) -> Usage:
    """The tokens of a turn; Codex counts what came from a cache as part of the prompt."""
    counts = {name: count for name, count in used.items() if isinstance(count, int)}
    read = counts.get("cached_input_tokens", 0)
    written = counts.get("cache_write_input_tokens", 0)
    return Usage(
        input=max(0, counts.get("input_tokens", 0) - read - written),
        output=counts.get("output_tokens", 0),
        cache_written=written,
        cache_read=read,
    )


def _failure(problem: str) -> ModelFailed:
    """The failure that Codex reports; of a request that is refused as it is, the service's JSON."""
    refused = mapping(json_object(problem).get("error")).get("message")
    message = one_line(str(refused or problem))[:LONGEST_REASON]
    return ModelFailed(
        f"{COMMAND} reports: {message}",
        cause="unavailable" if refused is None else "unusable",
        is_free=refused is not None or any(word in message.lower() for word in _UNPAID),
    )
