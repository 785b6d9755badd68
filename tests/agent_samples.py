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


def _codex(
    steps: Sequence[Step], name: str, sub_agent: bool, is_paginated: bool
) -> list[dict[str, Any]]:
    """A rollout: before 0.149, or since then, where prompts are items."""
    source: Any = {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}} if sub_agent else "cli"
    meta = {"id": name, "cwd": FOLDER, "source": source, "git": {"branch": "main"}}
    listed: list[tuple[int, str, dict[str, Any]]] = [(0, "session_meta", meta)]

    def message(role: str, text: str) -> dict[str, Any]:
        return {"type": "message", "role": role, "content": [{"type": "x_text", "text": text}]}

    for index, step in enumerate(steps):
        call, turn = f"call-{index}", f"turn-{index}"
        if step.kind == "prompt":
            content = [{"type": "text", "text": step.text}]
            item = {"type": "item_completed", "item": {"type": "UserMessage", "content": content}}
            typed = item if is_paginated else {"type": "user_message", "message": step.text}
            listed += [
                (index, "event_msg", {"type": "task_started", "turn_id": turn}),
                (index, "event_msg", typed),
                (index, "response_item", message("user", step.text)),
            ]
        elif step.kind == "notice":
            listed.append((index, "response_item", message("developer", step.text)))
        elif step.kind == "summary":
            listed.append((index, "compacted", {"message": step.text, "replacement_history": []}))
        elif step.kind == "future":
            listed.append((index, "event_msg", {"type": "of_tomorrow", "message": step.text}))
        elif step.kind == "reply":
            said = {**message("assistant", step.text), "phase": "commentary"}
            mirrored = {"type": "agent_message", "message": step.text}
            listed += [(index, "event_msg", mirrored), (index, "response_item", said)]
        elif step.kind == "edit":
            patch = f"*** Begin Patch\n*** Update File: {step.given}\n@@\n-y\n+x\n*** End Patch"
            used = {"type": "custom_tool_call", "name": "apply_patch", "input": patch}
            returned = {
                "type": "custom_tool_call_output",
                "output": f"Exit code: 0\nOutput:\n{step.text}",
            }
            listed += [
                (index, "response_item", {**each, "call_id": call}) for each in (used, returned)
            ]
        else:
            tool, given = {
                "shell": ("exec_command", {"cmd": step.given}),
                "own": ("mcp__cortex__recall", {"query": step.given}),
            }[step.kind]
            used = {"type": "function_call", "name": tool, "arguments": json.dumps(given)}
            code = 1 if step.failed else 0
            head = f"Wall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n"
            returned = {"type": "function_call_output", "output": f"{head}{step.text}"}
            listed += [
                (index, "response_item", {**each, "call_id": call}) for each in (used, returned)
            ]
    return [
        {"timestamp": _stamp(index), "type": kind, "payload": payload}
        for index, kind, payload in listed
    ]


def _codex_form(is_paginated: bool) -> Form:
    def lines(steps: Sequence[Step], name: str, sub_agent: bool) -> list[dict[str, Any]]:
        return _codex(steps, name, sub_agent, is_paginated)

    def write(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
        path = folder / f"rollout-{name}.jsonl"
        path.write_bytes(b"".join(dumped(lines(steps, name, sub_agent))))
        return path

    return Form("codex", write, lines)


FORMS = {
    "claude": Form("claude", _write_claude, _claude),
    "codex": _codex_form(is_paginated=False),
    "codex-paginated": _codex_form(is_paginated=True),
    "opencode": Form("opencode", _write_rows),
    "opencode-export": Form("opencode", _write_export),
}
"""Each form of each agent, by a name for reports."""
