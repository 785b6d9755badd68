"""How the server starts: signals and Claude Code's first question, before anything large is loaded.

The SDK takes 1.5 s of a processor to load, on a busy machine longer than a client waits for the
answer to its probe for a newer protocol; so that one is answered from here, in the negative, and
Claude Code goes on with the usual greeting, for which it waits long enough.

Of the SDK's slow import: https://github.com/modelcontextprotocol/python-sdk/issues/1617
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence

PROBE = "server/discover"
NO_SUCH_METHOD = -32601
LONGEST = 1 << 20
"""Bytes that Claude Code's first message may have to be looked at here."""


def main(arguments: Sequence[str]) -> int:
    """Serve until Claude Code goes away.

    Args:
        arguments: `--project DIR`, or nothing.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    words = list(arguments)
    project = words[words.index("--project") + 1] if "--project" in words[:-1] else None
    heard = first_words()
    if not heard:
        return 0
    from cortex_core.mcp_server import server

    return server.serve(project, heard)


def first_words() -> bytes:
    """What Claude Code has said so far, its probe answered and left out; nothing at its end."""
    heard = b""
    while b"\n" not in heard and len(heard) < LONGEST:
        part = os.read(0, 1 << 16)
        if not part:
            return heard
        heard += part
    line, _, rest = heard.partition(b"\n")
    number = _asked_by_probe(line)
    if number is None:
        return heard
    refusal = {"code": NO_SUCH_METHOD, "message": f"{PROBE}: no such method"}
    answer = json.dumps({"jsonrpc": "2.0", "id": number, "error": refusal})
    os.write(1, answer.encode() + b"\n")
    return rest or b"\n"


def _asked_by_probe(line: bytes) -> int | str | None:
    """The id of the request in `line`, if it is the probe."""
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict) or told.get("method") != PROBE:
        return None
    number = told.get("id")
    return number if isinstance(number, int | str) else None
