"""`cortex demo`: a made-up session is sent through the real hooks and worker, then recalled.

`Sample` writes transcripts in the format of Claude Code 2.1.329, for the demo and the tests. Its
ids are functions of the session's name and the position, so that a sample is always the same.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from cortex_core.agents.claude import hook_entries, places, settings_file
from cortex_core.base import project as projects
from cortex_core.base import text
from cortex_core.capture import spool

if TYPE_CHECKING:
    from cortex_core.api import Cortex
    from cortex_core.records.hits import Recall
    from cortex_core.records.memory import Memory

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


NEXT_SESSION = "0c0ffee0-0000-4000-8000-000000000002"

QUESTION = "how do we publish a new version?"
"""Uses other words than the memory that answers it."""

STARTED_AGO = timedelta(minutes=5)
"""How long ago the session began."""

SECONDS = 120
"""Time limit for a hook and for the worker."""

STARTING = 0.5
"""Seconds within which a started worker takes its lock."""


class Demo:
    """A scratch home and project in which a session has been captured by the real hooks.

    Args:
        folder: where everything happens.
        python: the interpreter that runs the hooks, with its flags; this one if empty.
    """

    def __init__(self, folder: Path, python: Sequence[str] = ()) -> None:
        self.python = tuple(python) or (sys.executable, "-P")
        self.home = folder / "home"
        self.project = folder / "lighthouse"
        self.sample = sample(self.project)
        sessions = self.home / ".claude" / "projects" / places.slug(str(self.project))
        self.transcript = sessions / f"{self.sample.session}.jsonl"
        self.given = ""
        """What was injected at the next session's start, as Claude Code would receive it."""

    def play(self) -> None:
        """Run the session's hooks, the worker, and the next session's start."""
        self._make_project()
        self.sample.write(self.transcript)
        session = self.sample.session
        self._hook("SessionStart", session, source="startup")
        self._hook("Stop", session, stop_hook_active=False, last_assistant_message=FAREWELL)
        self._hook("SessionEnd", session, reason="prompt_input_exit")
        self._await_worker()
        output = self._hook("SessionStart", NEXT_SESSION, source="startup")
        if output:
            self.given = json.loads(output)["hookSpecificOutput"]["additionalContext"]

    def open(self) -> Cortex:
        """Open the project's memory."""
        from cortex_core.api import Cortex

        return Cortex.open(self.project, self.home / "cortex")

    def _await_worker(self) -> None:
        """Wait for the worker that the hooks started."""
        project = projects.find(explicit=str(self.project), home=str(self.home / "cortex"))
        until = time.monotonic() + SECONDS
        while spool.is_waiting(project) or spool.is_worker_running(project):
            if time.monotonic() > until:
                return
            time.sleep(0.1)

    def end(self) -> None:
        """Wait for a worker that is still running, so that it leaves no files behind."""
        if self.project.is_dir():
            time.sleep(STARTING)
            self._await_worker()

    def _make_project(self) -> None:
        self.transcript.parent.mkdir(parents=True)
        (self.project / ".memory").mkdir(parents=True)
        (self.project / "README.md").write_text("# Lighthouse\n", encoding="utf-8")
        settings = self.project / ".memory" / "config.toml"  # so that the app does not ask
        settings.write_text('extractor = "rules"\n', encoding="utf-8")

    def _hook(self, event: str, session: str, **fields: object) -> str:
        payload = {
            "session_id": session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.project),
            "hook_event_name": event,
            **fields,
        }
        return self._run("-m", "cortex_core.hook", stdin=json.dumps(payload))

    def _run(self, *arguments: str, stdin: str = "") -> str:
        done = subprocess.run(
            [*self.python, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SECONDS,
            env=self._environment(),
            cwd=self.project,
            check=False,
        )
        return done.stdout

    def _environment(self) -> Mapping[str, str]:
        own = {
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "CORTEX_HOME": str(self.home / "cortex"),
        }
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("CLAUDE", "CORTEX", "ANTHROPIC"))
        }
        return {**kept, **own}


@contextmanager
def scratch(python: Sequence[str] = ()) -> Iterator[Demo]:
    """A demo in a temporary folder that is gone afterwards; `python` runs its hooks."""
    folder = Path(tempfile.mkdtemp(prefix="cortex-demo-"))
    demo = Demo(folder, python)
    try:
        yield demo
    finally:
        demo.end()
        shutil.rmtree(folder, ignore_errors=True)


def try_hooks(path: Path) -> str:
    """Send a made-up session through the hooks that the settings at `path` name.

    It runs in a folder of its own, apart from the user's sessions and memories.

    Returns:
        Why nothing was injected into the next session; empty if all went well.
    """
    named = hook_entries.commands(settings_file.value_of(settings_file.read(path).text))
    command = next(iter(named.get("SessionStart", ())), [])
    if hook_entries.MODULE not in command:
        return f"{path} has no hook for session start"
    try:
        with scratch(command[: command.index(hook_entries.MODULE) - 1]) as trial:
            trial.play()
            with trial.open() as cortex:
                learned = len(cortex.list())
            if trial.given:
                return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"the first session led to {text.memories(learned)}, but the next session got none"


FAREWELL = (
    "The rate limiter is in and the release script tags before it publishes. Both are committed."
)


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
        .assistant(FAREWELL)
    )


def run(say: Callable[[str], None], show: Callable[[Demo], None] | None = None) -> int:
    """Run the demo and print what happened; 0 if every step succeeded.

    Args:
        say: prints one line of plain text.
        show: opens the terminal app on what was captured; None without a terminal.
    """
    with scratch() as demo:
        say("Sending a session of a made-up project through the real hooks and the worker …")
        demo.play()
        with demo.open() as cortex:
            memories = cortex.list(sort="created")
            found = cortex.recall(QUESTION, limit=3, count=False)
        _print_outcome(say, demo, memories, found)
        if show is not None:
            show(demo)
        return 0 if memories and demo.given and found.hits else 1


def _print_outcome(
    say: Callable[[str], None], demo: Demo, memories: list[Memory], found: Recall
) -> None:
    say(f"\nCaptured: {text.memories(len(memories))}")
    for memory in reversed(memories):
        say(f"  {memory.kind:<12} {memory.title}")
    say("\nWhat Claude gets when the next session starts:")
    for line in demo.given.splitlines() or ["(nothing: the hook printed no text)"]:
        say(f"  {line}")
    say(f"\nRecall with other words than those of the memory: “{QUESTION}”")
    for hit in found:
        say(f"  {hit.score:.2f}  {hit.memory.title}")
    if found.degraded:
        say(f"  ({found.degraded})")
    say("\nNext, with your own sessions:  cortex import transcripts   then   cortex")
