"""`python -I -m cortex_core.mcp_server [--project DIR]`: what Claude Code starts.

The SDK takes 1.5 s of processor time to load. On a busy machine that is longer than Claude Code
waits for the answer to its probe for a newer protocol. This module answers that probe (no such
method) before the SDK is loaded, and Claude Code continues with the usual initialization, for which
it waits long enough.

The SDK's slow import: https://github.com/modelcontextprotocol/python-sdk/issues/1617
"""

import json
import os
import signal
import sys
from collections.abc import Sequence

from cortex_core.base.json_objects import json_object

PROBE = "server/discover"
LONGEST = 1 << 20
"""Maximum bytes of a first message that is examined here."""


def main(arguments: Sequence[str]) -> int:
    """Serve until Claude Code closes the connection.

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
    from cortex_core.mcp_server import stdio

    return stdio.serve(project, heard)


def first_words() -> bytes:
    """What was read of the input, without the probe, which is answered; empty at its end."""
    heard = b""
    while b"\n" not in heard and len(heard) < LONGEST:
        part = os.read(0, 1 << 16)
        if not part:
            return heard
        heard += part
    line, _, rest = heard.partition(b"\n")
    number = _probe_id(line)
    if number is None:
        return heard
    # The code of JSON-RPC for a method that there is not.
    refusal = {"code": -32601, "message": f"{PROBE}: no such method"}
    os.write(1, json.dumps({"jsonrpc": "2.0", "id": number, "error": refusal}).encode() + b"\n")
    return rest or b"\n"


def _probe_id(line: bytes) -> int | str | None:
    """The id of the request in `line`, if it is the probe."""
    message = json_object(line)
    number = message.get("id")
    return number if message.get("method") == PROBE and isinstance(number, int | str) else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
