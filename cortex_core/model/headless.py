"""Claude Code's own client without a terminal (`claude -p`), shut off from hooks and transcripts.

It uses the person's subscription or key. It reads no settings, has no tools, saves no session, and
bears the mark under which no hook of ours does anything.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cortex_core import CHILD
from cortex_core.errors import ModelFailed
from cortex_core.model.protocol import Reply, Request, Stop, Usage
from cortex_core.text import one_line

COMMAND = "claude"

ISOLATED = (
    "--setting-sources", "", "--strict-mcp-config", "--tools", "", "--no-session-persistence",
)  # fmt: skip
"""No settings and so no hooks, no servers, no tools, no transcript."""

FOLDER = "headless"
"""An empty folder on the global side to run in: no project's instructions are read there."""

GRACE = 2.0
"""Seconds between asking it to stop and stopping it."""

LONGEST_REASON = 200
"""Characters of what it says about an error."""

_SET = {
    CHILD: "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_EFFORT_LEVEL": "low",
    "CLAUDE_CODE_MAX_RETRIES": "1",
    "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
    "DISABLE_AUTOUPDATER": "1",
}
_SESSION = (
    "AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_CODE_SESSION_ID", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE",
    "CLAUDE_PID", "CLAUDE_PROJECT_DIR",
)  # fmt: skip
"""What says that a process belongs to a session; the worker has it from the hook it came from."""

_PLUGIN = "CLAUDE_PLUGIN_"
_LOGGED_OUT = ("/login", "api key", "authenticat", "credit balance", "oauth")


def is_there() -> bool:
    """Whether the client is on PATH."""
    return shutil.which(COMMAND) is not None


class Headless:
    """A model behind `claude -p`."""

    name = "claude"
    overhead = 4_000

    def __init__(self, model: str, home: str) -> None:
        """`home`: the global side's folder."""
        self.model = model
        self._folder = Path(home, FOLDER)

    def send(self, request: Request, timeout: float) -> Reply:
        """Run the client once and wait at most `timeout` seconds; nothing of it is left running.

        Raises:
            ModelFailed: it says why.
        """
        command = shutil.which(COMMAND)
        if command is None:
            raise ModelFailed(
                f"there is no {COMMAND} command on PATH", cause="not asked", is_free=True
            )
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            process = subprocess.Popen(
                arguments(command, self.model, request), cwd=self._folder,
                env=environment(request.most_output), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ModelFailed(
                f"{command} cannot be run ({error.strerror})", cause="not asked", is_free=True
            ) from error
        try:
            out, complaints = process.communicate(request.text.encode(), timeout)
        except subprocess.TimeoutExpired:
            raise ModelFailed(f"no complete answer within {timeout:.0f} s") from None
        finally:
            _end(process)
        return read(out, complaints, process.returncode)


def arguments(command: str, model: str, request: Request) -> list[str]:
    """The whole command line; the text itself goes over standard input."""
    return [
        command, "-p", "--model", model, "--output-format", "json", *ISOLATED,
        "--system-prompt", request.system, "--json-schema", json.dumps(dict(request.schema)),
    ]  # fmt: skip


def environment(most_output: int) -> dict[str, str]:
    """What the client is started with: ours, without the session that ours may belong to."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _SESSION and not name.startswith(_PLUGIN)
    }
    return {**kept, **_SET, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(most_output)}


def read(out: bytes, complaints: bytes, code: int) -> Reply:
    """What the client printed, as a reply.

    Raises:
        ModelFailed: it reports an error, or prints something else.
    """
    result = _result(out)
    if result is None:
        told = one_line((complaints or out).decode("utf-8", "replace"))[:LONGEST_REASON]
        raise ModelFailed(f"{COMMAND} exited with {code} and no answer ({told})")
    used = result.get("usage")
    usage = _usage(used if isinstance(used, Mapping) else {})
    cost = result.get("total_cost_usd")
    text = _text(result)
    if result.get("is_error") or code != 0 or text is None:
        raise _failed(result)
    stop: Stop = {"refusal": "refused", "max_tokens": "truncated"}.get(  # type: ignore[assignment]
        str(result.get("stop_reason")), "end"
    )
    return Reply(
        text=text, stop=stop, usage=usage, cost=float(cost) if isinstance(cost, float) else None
    )


def _result(out: bytes) -> Mapping[str, Any] | None:
    try:
        printed = json.loads(out)
    except (ValueError, RecursionError):
        return None
    for one in reversed(printed if isinstance(printed, list) else [printed]):
        if isinstance(one, dict) and one.get("type") == "result":
            return one
    return None


def _text(result: Mapping[str, Any]) -> str | None:
    if isinstance(result.get("structured_output"), dict):
        return json.dumps(result["structured_output"])
    text = result.get("result")
    return text if isinstance(text, str) else None


def _failed(result: Mapping[str, Any]) -> ModelFailed:
    told = one_line(str(result.get("result") or result.get("errors") or result.get("subtype")))
    spent = result.get("total_cost_usd")
    status = result.get("api_error_status")
    is_ours = status in (400, 413, 422) or "structured_output" in str(result.get("subtype"))
    return ModelFailed(
        f"{COMMAND} reports: {told[:LONGEST_REASON]}",
        cause="unusable" if is_ours else "unavailable",
        too_long=status == 413,
        is_free=spent == 0 or any(word in told.lower() for word in _LOGGED_OUT),
    )


def _usage(used: Mapping[str, Any]) -> Usage:
    def count(name: str) -> int:
        value = used.get(name)
        return value if isinstance(value, int) else 0

    return Usage(
        input=count("input_tokens"), output=count("output_tokens"),
        cache_written=count("cache_creation_input_tokens"),
        cache_read=count("cache_read_input_tokens"),
    )  # fmt: skip


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop the client and whatever it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        if process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
