"""Made-up transcripts in the form of Claude Code.

`Sample` writes them as version 2.1.329 does, for the demo and the tests. Its ids are functions of
the session's name and the position, so that a sample is always the same.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

STARTED_AGO = timedelta(minutes=5)
"""How long ago the session began."""

VERSION = "2.1.329"
MODEL = "claude-sonnet-5-5"


class Sample:
    """Builds one session record by record; methods that add a record return the sample.

    >>> Sample("demo").human("Use pnpm, never npm.").assistant("Noted.").write(path)
    """

    def __init__(
        self,
        session: str = "sample",
        cwd: str = "/home/dev/project",
        branch: str = "main",
        start: datetime = datetime(2026, 11, 2, 9, 0, tzinfo=UTC),
        pause: float = 20.0,
    ) -> None:
        """`session`: a name, from which the id is made; `pause`: seconds between records."""
        self._space = uuid.uuid5(uuid.NAMESPACE_URL, f"cortex:{session}")
        self.session = str(self._space)
        self.cwd = cwd
        self.branch = branch
        self.records: list[dict[str, Any]] = []
        """The records, in order; tests may change them."""
        self._now = start
        self._pause = timedelta(seconds=pause)
        self._turn = 0

    def human(self, text: str, **fields: Any) -> Self:
        """A prompt that the user typed."""
        self._turn += 1
        return self.add(
            "user",
            promptId=self._id("prompt"),
            message={"role": "user", "content": text},
            permissionMode="default",
            origin={"kind": "human"},
            promptSource="typed",
            turnOrigin="human",
            turnPosition={"promptIndex": self._turn, "turnIndex": self._turn},
            **fields,
        )

    def assistant(self, text: str, **fields: Any) -> Self:
        """Prose of a reply."""
        return self._reply({"type": "text", "text": text}, "end_turn", fields)

    def tool(
        self,
        name: str,
        given: Mapping[str, Any],
        result: str | list[Any] = "",
        failed: bool = False,
        outcome: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Self:
        """A tool call and its result; `outcome` is Claude Code's own record of it."""
        use = "toolu_" + self._id("use").replace("-", "")[:24]
        block: dict[str, Any] = {"type": "tool_use", "id": use, "name": name, "input": dict(given)}
        self._reply(block, "tool_use", {})
        block = {"tool_use_id": use, "type": "tool_result", "content": result, "is_error": failed}
        return self.add(
            "user",
            promptId=self._id("prompt"),
            message={"role": "user", "content": [block]},
            toolUseResult={"stdout": result} if outcome is None else dict(outcome),
            sourceToolAssistantUUID=self.records[-1]["uuid"],
            **fields,
        )

    def compaction(self, summary: str) -> Self:
        """Claude Code's summary of the conversation so far, with its boundary."""
        self.system("compact_boundary", content="Conversation compacted", parentUuid=None)
        lead = (
            "This session is being continued from a previous conversation that ran out of context."
            " The summary below covers the earlier portion of the conversation.\n\nSummary:\n"
        )
        return self.add(
            "user",
            message={"role": "user", "content": lead + summary},
            isVisibleInTranscriptOnly=True,
            isCompactSummary=True,
        )

    def system(self, subtype: str, **fields: Any) -> Self:
        """A note by Claude Code, such as `turn_duration`."""
        return self.add("system", subtype=subtype, **{"level": "info", "isMeta": False, **fields})

    def attachment(self, kind: str, **fields: Any) -> Self:
        """What Claude Code adds to the context, such as `hook_additional_context`."""
        return self.add("attachment", attachment={"type": kind, **fields})

    def add(self, kind: str, **fields: Any) -> Self:
        """A record of any type, with the fields that all records of a conversation have."""
        self._now += self._pause
        record = {
            "parentUuid": next((r["uuid"] for r in reversed(self.records) if "uuid" in r), None),
            "isSidechain": False,
            **({} if kind in ("assistant", "attachment") else {"type": kind}),
            **fields,
            "type": kind,
            "uuid": self._id("record"),
            "timestamp": self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": self.branch,
        }
        return self.raw({**record, **fields})

    def raw(self, record: dict[str, Any]) -> Self:
        """A record exactly as passed."""
        self.records.append(record)
        return self

    def lines(self) -> list[bytes]:
        """The line of each record, newline included, as compact as Claude Code writes it."""
        return [
            json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for record in self.records
        ]

    def __bytes__(self) -> bytes:
        return b"".join(self.lines())

    def write(self, path: Path) -> Path:
        """Write the transcript to `path`, or as `SESSION.jsonl` into it if it is a folder."""
        path = path / f"{self.session}.jsonl" if path.is_dir() else path
        path.write_bytes(bytes(self))
        return path

    def _reply(self, block: dict[str, Any], stop: str, fields: Mapping[str, Any]) -> Self:
        message = {
            "id": "msg_" + self._id("message").replace("-", "")[:24],
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "output_tokens": 20},
        }
        return self.add("assistant", **{"message": message, "requestId": "req_sample", **fields})

    def _id(self, of: str) -> str:
        return str(uuid.uuid5(self._space, f"{of}:{len(self.records)}"))


def sample(project: Path) -> Sample:
    """The session that is captured: a developer and the agent work on a made-up service."""
    # The turns are such that capture finds something of several kinds in them.
    return (
        Sample("demo", cwd=str(project), branch="main", start=datetime.now(UTC) - STARTED_AGO)
        .human("Always use pnpm, never npm, in this repository.")
        .assistant("Understood: pnpm it is.")
        .human(
            "Remember that releases go out through `make ship`: it tags the commit first and "
            "uploads the packages after that."
        )
        .assistant("Noted.")
        .human("The login endpoint gets hammered at night. Can you put a rate limit on it?")
        .tool(
            "AskUserQuestion",
            {
                "questions": [
                    {
                        "question": "Where should the counters live?",
                        "header": "Counters",
                        "options": [{"label": "Redis"}, {"label": "In memory"}],
                    }
                ]
            },
            'User has answered your questions: "Where should the counters live?"="Redis, because '
            'we run three instances behind the balancer".',
        )
        .tool("Edit", {"file_path": str(project / "limiter.py"), "new_string": "..."}, "Updated.")
        .tool(
            "Bash",
            {
                "command": "git commit -m \"$(cat <<'EOT'\nfix(auth): "
                "limit logins to five a minute "
                "per address\n\nThe sliding window counts in Redis, since three instances "
                "share the load; a fixed window let bursts through at each full minute.\n"
                'EOT\n)"'
            },
            "[main 4f2c9a1] fix(auth): limit logins to five a minute per address\n"
            " 2 files changed, 64 insertions(+)",
        )
        .assistant("The rate limiter is in, the release script tags first. Both are committed.")
    )


def lines_of(messages: Sequence[Mapping[str, Any]], folder: str) -> str:
    """The lines of a transcript with these messages; the same messages give the same lines.

    Args:
        messages: each with a `role`, user or assistant, and a `content`.
        folder: where the session ran.
    """
    # Named by what they say, so that the same messages are known when they are sent again.
    session = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:32]
    lines = []
    for index, message in enumerate(messages):
        role, said = message["role"], message["content"]
        is_reply = role == "assistant"
        record = {
            "type": role,
            "uuid": f"{session}-{index}",
            "sessionId": session,
            "cwd": folder,
            "isSidechain": False,
            "message": {
                "role": role,
                "content": [{"type": "text", "text": said}] if is_reply else said,
            }
            | ({"id": f"{session}-{index}"} if is_reply else {}),
        }
        lines.append(json.dumps(record))
    return "\n".join(lines) + "\n"
