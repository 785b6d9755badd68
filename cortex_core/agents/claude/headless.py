"""Claude Code as a way to ask a model: how `claude -p` is called, and what it prints.

It runs without settings, hooks, tools and transcript, so that Cortex does not capture its own
questions.
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
from cortex_core.records.model_replies import Reply, Stop, Usage

COMMAND = "claude"
PROVIDER = "its provider"
OVERHEAD = 4_000
LONGEST_REASON = 200
"""Most characters of an error message."""

ISOLATED = (
    "--setting-sources",
    "",
    "--strict-mcp-config",
    "--tools",
    "",
    "--no-session-persistence",
)
"""Options for no settings (and so no hooks), no servers, no tools, no transcript."""

STREAMED = ("--output-format", "stream-json", "--verbose", "--include-partial-messages")
"""Options to print the answer as it comes: what is whole of one that breaks off can be read."""

_ENVIRONMENT = {
    CHILD: "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_EFFORT_LEVEL": "low",
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
    "DISABLE_AUTOUPDATER": "1",
    # An answer that breaks off would break off, and be paid for, five times.
    "MAX_STRUCTURED_OUTPUT_RETRIES": "1",
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
_LOGGED_OUT = ("/login", "api key", "authenticat", "credit balance", "oauth")
"""Words of its errors that mean that nobody is logged in, so that nothing was paid."""


_STOPS: Mapping[str, Stop] = {"refusal": "refused", "max_tokens": "truncated"}


def model(wanted: str) -> str:
    """The model that it asks where the user's setting names `wanted`."""
    return wanted


def command_line(
    command: str, model: str, system: str, schema: Mapping[str, Any], scratch: Path
) -> list[str]:
    """The command line; the text of the request goes through standard input."""
    return [
        command,
        "-p",
        "--model",
        model,
        *STREAMED,
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


def reply(out: bytes, errors: bytes, code: int) -> Reply:
    """The reply in what Claude Code printed.

    Raises:
        ModelFailed: it reports an error, or printed something else.
    """
    result, answer = _result(out)
    if not result:
        # What a program says last is why it ended; before it there are warnings.
        printed = one_line((errors or out).decode("utf-8", "replace"))[-LONGEST_REASON:]
        raise ModelFailed(f"{COMMAND} exited with {code} and no answer ({printed})")
    # A later version may count otherwise: what is no number counts as none.
    listed = mapping(result.get("usage")).items()
    counts = {name: count for name, count in listed if isinstance(count, int)}
    cost, text = result.get("total_cost_usd"), result.get("result")
    is_unfit = "structured_output" in str(result.get("subtype"))
    if isinstance(result.get("structured_output"), dict):
        text = json.dumps(result["structured_output"])
    if is_unfit and answer:
        text = answer
    elif result.get("is_error") or code != 0 or not isinstance(text, str):
        raise _failure(result)
    return Reply(
        text=text,
        stop="truncated" if is_unfit else _STOPS.get(str(result.get("stop_reason")), "end"),
        usage=Usage(
            input=counts.get("input_tokens", 0),
            output=counts.get("output_tokens", 0),
            cache_written=counts.get("cache_creation_input_tokens", 0),
            cache_read=counts.get("cache_read_input_tokens", 0),
        ),
        cost=float(cost) if isinstance(cost, float) else None,
    )


def _result(out: bytes) -> tuple[Mapping[str, Any], str]:
    """The result among what it printed, and the last answer as far as it came."""
    result: Mapping[str, Any] = {}
    answer, is_next = "", False
    for message in map(json_object, out.splitlines()):
        event = mapping(message.get("event"))
        if message.get("type") == "result":
            result = message
        elif event.get("type") == "content_block_start":
            is_next = True
        elif part := str(mapping(event.get("delta")).get("partial_json") or ""):
            answer, is_next = part if is_next else answer + part, False
    return result, answer


def _failure(result: Mapping[str, Any]) -> ModelFailed:
    message = one_line(str(result.get("result") or result.get("errors") or result.get("subtype")))
    status, paid = result.get("api_error_status"), result.get("total_cost_usd")
    is_ours = status in (400, 413, 422) or "structured_output" in str(result.get("subtype"))
    # What was paid for was an answer that it could not use: a refusal, or one that broke off.
    return ModelFailed(
        f"{COMMAND} reports: {message[:LONGEST_REASON]}",
        cause="unusable" if is_ours or paid else "unavailable",
        is_free=paid == 0 or any(word in message.lower() for word in _LOGGED_OUT),
    )
