"""Made-up transcripts in the form of Claude Code: of the demo, and of messages from elsewhere."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

STARTED_AGO = timedelta(minutes=5)
"""How long ago the session of the demo began."""


def made_up(project: Path) -> str:
    """The lines of the session that is captured: a developer and the agent work on a made-up
    service."""
    # The turns are such that capture finds something of several kinds in them.
    where = "Where should the counters live?"
    options = [{"label": "Redis"}, {"label": "In memory"}]
    asked = {"questions": [{"question": where, "header": "Counters", "options": options}]}
    commit = (
        "git commit -m \"$(cat <<'EOT'\nfix(auth): limit logins to five a minute per address\n\n"
        "The sliding window counts in Redis, since three instances share the load; a fixed window "
        'let bursts through at each full minute.\nEOT\n)"'
    )
    said: list[tuple[str, object]] = [
        ("user", "Always use pnpm, never npm, in this repository."),
        ("assistant", "Understood: pnpm it is."),
        (
            "user",
            "Remember that releases go out through `make ship`: it tags the commit first and "
            "uploads the packages after that.",
        ),
        ("assistant", "Noted."),
        ("user", "The login endpoint gets hammered at night. Can you put a rate limit on it?"),
        *_called(
            "AskUserQuestion",
            asked,
            f'User has answered your questions: "{where}"="Redis, because we run three instances '
            'behind the balancer".',
        ),
        *_called("Edit", {"file_path": str(project / "limiter.py"), "new_string": "..."}, "Done."),
        *_called(
            "Bash",
            {"command": commit},
            "[main 4f2c9a1] fix(auth): limit logins to five a minute per address\n"
            " 2 files changed, 64 insertions(+)",
        ),
        (
            "assistant",
            "The rate limiter is in and the release script tags before it publishes. Both are "
            "committed.",
        ),
    ]
    messages = [{"role": role, "content": content} for role, content in said]
    return lines_of(messages, str(project), datetime.now(UTC) - STARTED_AGO)


def _called(tool: str, given: Mapping[str, Any], result: str) -> list[tuple[str, object]]:
    """The messages of a tool call and its result."""
    use = {"type": "tool_use", "id": f"toolu_{tool}", "name": tool, "input": given}
    done = {"type": "tool_result", "tool_use_id": f"toolu_{tool}", "content": result}
    return [("assistant", [use]), ("user", [done])]


def lines_of(
    messages: Sequence[Mapping[str, Any]], folder: str, began: datetime | None = None
) -> str:
    """The lines of a transcript with these messages; the same messages give the same lines.

    Args:
        messages: each with a `role`, user or assistant, and a `content`.
        folder: where the session ran.
        began: when; None for no times. A message comes every twenty seconds.
    """
    # Named by what they say, so that the same messages are known when they are sent again.
    session = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
    lines = []
    for index, message in enumerate(messages):
        role, said = message["role"], message["content"]
        is_reply = role == "assistant"
        if is_reply and isinstance(said, str):
            said = [{"type": "text", "text": said}]
        record = {
            "type": role,
            "uuid": f"{session}-{index}",
            "sessionId": session,
            "cwd": folder,
            "isSidechain": False,
            "message": {"role": role, "content": said}
            | ({"id": f"{session}-{index}"} if is_reply else {}),
        }
        if began:
            record["timestamp"] = (began + timedelta(seconds=20 * index)).isoformat()
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"
