"""A bounded look at the end of a transcript, for a hook that may not read all of it."""

from __future__ import annotations

from cortex_core.agents.claude.tools import LEARN
from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TAIL = 2 << 20
"""Bytes that are read: a session of version 2.1.329 that says one line has 0.26 MB, nearly all of
it written once; reading and searching them takes 8 ms."""

PROMPTS = 6
"""Prompts of the user after which there may be something to learn without a commit."""

_STARTED = (b'"name":"Agent"', b'"name":"Task"')
"""How the call is marked that starts a sub-agent."""

_LEARNED = [f'"name":"{name}"'.encode() for name in LEARN]
_PROMPT, _COMMIT = b'"promptSource":"typed"', b" commit -"
"""An agent commits with an option, since no editor opens; others stand between it and git:
`git -C ../api commit -m`."""
_REFUSED = b"want to proceed with this tool use"


def is_worth_asking(transcript: str) -> bool:
    """Whether there was a commit, a refusal or `PROMPTS` prompts since `learn` was called last."""
    prompts = 0
    for line in _newest_first(transcript):
        speaker = _speaker(line)
        if speaker == "assistant" and any(name in line for name in _LEARNED):
            return False
        prompts += speaker == "user" and _PROMPT in line
        is_commit = speaker == "assistant" and b'"type":"tool_use"' in line and _COMMIT in line
        is_refusal = speaker == "user" and b'"is_error":true' in line and _REFUSED in line
        if is_commit or is_refusal or prompts >= PROMPTS:
            return True
    return False


def last_task(transcript: str) -> str:
    """What the sub-agent that was started last is to do; empty where that cannot be found.

    Its own hook does not say so. Of several that are started at once each is taken for the last.
    """
    for line in _newest_first(transcript):
        if not any(mark in line for mark in _STARTED):
            continue
        try:
            record = hook_io.loads(line.decode("utf-8", "replace"))
            calls = [one["input"] for one in record["message"]["content"] if one.get("name")]
            if record["type"] == "assistant" and calls:
                return f"{calls[-1].get('description', '')}\n{calls[-1]['prompt']}"
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
    return ""


def _newest_first(transcript: str) -> Iterator[bytes]:
    """The whole lines of the last `TAIL` bytes."""
    try:
        with open(hook_io.opened(transcript), "rb") as file:
            start = max(0, file.seek(0, 2) - TAIL)
            file.seek(start)
            lines = file.read(TAIL).split(b"\n")
    except OSError:
        return
    yield from reversed(lines[1 if start else 0 :])


def _speaker(line: bytes) -> str:
    """Whose message a record is; empty for all others, and for messages without a mark.

    The client's records of its requests repeat what was said, so a mark alone says nothing.
    """
    if not any(mark in line for mark in (*_LEARNED, _PROMPT, _COMMIT, _REFUSED)):
        return ""
    try:
        record = hook_io.loads(line.decode("utf-8", "replace"))
    except ValueError:
        return ""
    return str(record.get("type", "")) if isinstance(record, dict) else ""
