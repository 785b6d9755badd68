"""Made-up sessions in the form of each agent, for what every reader must pass.

A session is a list of steps; its records depend on the steps before, so a longer list is the same
session later, and the same list under another name a fork of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import agents

FOLDER = "/home/dev/project"
_BEGAN = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


class Step(NamedTuple):
    """One thing that happens in a session."""

    kind: str
    """prompt, reply, shell, edit, own, summary, notice (what the agent or we put next to a prompt),
    future (a record that nobody knows)."""
    text: str = ""
    """What is said, or what a tool printed."""
    given: str = ""
    """The command of a shell, the file of an edit."""
    failed: bool = False


SESSION = (
    Step("prompt", "Use pnpm here, never npm."),
    Step("reply", "I will install with pnpm."),
    Step("shell", "up to date", "pnpm install"),
    Step("shell", "no such file", "cat missing.txt", failed=True),
    Step("edit", "done", "package.json"),
    Step("reply", "package.json asks for pnpm now."),
    Step("prompt", "Thanks. Run the tests before each commit."),
    Step("reply", "I will."),
)
"""A small session with one of everything that is conversation."""


class Form(NamedTuple):
    """How one agent writes its sessions."""

    agent: str
    write: Callable[[Path, Sequence[Step], str, bool], Path]
    """Write the session with these steps and this name into a folder, or write it again with more
    steps; whether a sub-agent's. Returns what the reader takes."""
    lines: Callable[[Sequence[Step], str, bool], list[dict[str, Any]]] | None = None
    """The records of a file that is lines of JSON, in order."""
    sub_agents: bool = True

    @property
    def reader(self) -> Any:
        """The agent's reader."""
        return agents.of(self.agent).reader


def _time(index: int) -> datetime:
    return _BEGAN + timedelta(seconds=20 * index)


def _stamp(index: int) -> str:
    return _time(index).isoformat().replace("+00:00", "Z")


def dumped(records: Sequence[dict[str, Any]]) -> list[bytes]:
    """Records as lines."""
    return [json.dumps(record).encode() + b"\n" for record in records]


def _claude(steps: Sequence[Step], name: str, sub_agent: bool) -> list[dict[str, Any]]:
    records = []
    for index, step in enumerate(steps):
        common: dict[str, Any] = {
            "uuid": f"record-{index}",
            "sessionId": name,
            "timestamp": _stamp(index),
            "cwd": FOLDER,
            "isSidechain": sub_agent,
        }
        call = f"call-{index}"
        if step.kind in ("prompt", "notice", "summary"):
            text = f"<system-reminder>{step.text}</system-reminder>"
            said = text if step.kind == "notice" else step.text
            fields = {"isCompactSummary": True} if step.kind == "summary" else {}
            message: Any = {"role": "user", "content": said}
            records.append({"type": "user", **common, **fields, "message": message})
        elif step.kind == "future":
            records.append({"type": "a-type-of-tomorrow", **common, "data": {"text": step.text}})
        elif step.kind == "reply":
            content = [{"type": "text", "text": step.text}]
            message = {"role": "assistant", "id": f"m-{index}", "content": content}
            records.append({"type": "assistant", **common, "message": message})
        else:
            tool, given = {
                "shell": ("Bash", {"command": step.given}),
                "edit": ("Edit", {"file_path": step.given, "new_string": "x"}),
                "own": ("mcp__cortex__recall", {"query": step.given}),
            }[step.kind]
            use = [{"type": "tool_use", "id": call, "name": tool, "input": given}]
            message = {"role": "assistant", "id": f"m-{index}", "content": use}
            records.append({"type": "assistant", **common, "message": message})
            block: dict[str, Any] = {
                "type": "tool_result",
                "tool_use_id": call,
                "content": step.text,
            }
            block |= {"is_error": True} if step.failed else {}
            message = {"role": "user", "content": [block]}
            result = {"type": "user", **common, "uuid": f"result-{index}", "message": message}
            records.append(result)
    return records


def _write_claude(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
    path = folder / f"{'agent-' if sub_agent else ''}{name}.jsonl"
    path.write_bytes(b"".join(dumped(_claude(steps, name, sub_agent))))
    return path


def _opencode(steps: Sequence[Step], name: str) -> list[tuple[dict[str, Any], list[Any]]]:
    messages: list[tuple[dict[str, Any], list[Any]]] = []
    for index, step in enumerate(steps):
        created = int(_time(index).timestamp() * 1000)
        common = {"id": f"msg_{name}{index:04}", "sessionID": f"ses_{name}"}
        part: dict[str, Any] = {"type": "text", "text": step.text}
        message: dict[str, Any] = {
            "role": "assistant",
            "time": {"created": created, "completed": created + 9},
            "path": {"cwd": FOLDER},
        }
        if step.kind in ("prompt", "notice"):
            message = {"role": "user", "time": {"created": created}}
            part |= {"synthetic": True} if step.kind == "notice" else {}
        elif step.kind == "summary":
            message["summary"] = True
        elif step.kind == "future":
            part = {"type": "part-of-tomorrow", "text": step.text}
        elif step.kind != "reply":
            tool, given = {
                "shell": ("bash", {"command": step.given}),
                "edit": ("edit", {"filePath": step.given, "newString": "x"}),
                "own": ("cortex_recall", {"query": step.given}),
            }[step.kind]
            ended = {"output": step.text, "metadata": {"exit": 1 if step.failed else 0}}
            state = {"status": "completed", "input": given, **ended}
            part = {"type": "tool", "tool": tool, "callID": f"call-{index}", "state": state}
        messages.append(({**common, **message}, [{"id": f"prt_{name}{index:04}", **part}]))
    return messages


def _write_export(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
    began = int(_BEGAN.timestamp() * 1000)
    info = {
        "id": f"ses_{name}",
        "directory": FOLDER,
        "time": {"created": began, "updated": began},
        **({"parentID": "ses_parent"} if sub_agent else {}),
    }
    messages = [{"info": one, "parts": parts} for one, parts in _opencode(steps, name)]
    path = folder / f"ses_{name}.json"
    path.write_text(json.dumps({"info": info, "messages": messages}), encoding="utf-8")
    return path


def _write_rows(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
    file, began = folder / "opencode.db", int(_BEGAN.timestamp() * 1000)
    with closing(sqlite3.connect(file)) as rows, rows:
        rows.execute(
            "CREATE TABLE IF NOT EXISTS session (id PRIMARY KEY, parent_id, directory, "
            "time_created, time_updated)"
        )
        for table, of in (("message", "session_id"), ("part", "message_id, session_id")):
            rows.execute(
                f"CREATE TABLE IF NOT EXISTS {table} (id PRIMARY KEY, {of}, time_created, "
                "time_updated, data)"
            )
        session, parent = f"ses_{name}", "ses_parent" if sub_agent else None
        known = (session, parent, FOLDER, began, began)
        rows.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?)", known)
        for message, parts in _opencode(steps, name):
            created = message["time"]["created"]
            one = (message["id"], session, created, created, json.dumps(message))
            rows.execute("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)", one)
            for part in parts:
                data = (part["id"], message["id"], session, created, created, json.dumps(part))
                rows.execute("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)", data)
    return file / session


FORMS = {
    "claude": Form("claude", _write_claude, _claude),
    "opencode": Form("opencode", _write_rows),
    "opencode-export": Form("opencode", _write_export),
}
"""Each form of each agent, by a name for reports."""
