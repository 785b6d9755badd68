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


def _copilot(steps: Sequence[Step], name: str, sub_agent: bool) -> list[dict[str, Any]]:
    context = {"cwd": FOLDER, "branch": "main"}
    start = {"sessionId": name, "producer": "copilot-agent", "context": context}
    found: list[tuple[int, str, dict[str, Any]]] = [(0, "session.start", start)]
    of = {"parentToolCallId": "call"} if sub_agent else {}
    for index, step in enumerate(steps):
        called = {"toolCallId": f"call-{index}", **of}
        if step.kind in ("prompt", "notice"):
            source = {"source": "skill-tabs"} if step.kind == "notice" else {}
            found.append((index, "user.message", {"content": step.text, **source, **of}))
        elif step.kind == "reply":
            found.append((index, "assistant.turn_start", {"turnId": str(index)}))
            found.append((index, "assistant.message", {"content": step.text, **of}))
        elif step.kind == "summary":
            found.append((index, "session.compaction_complete", {"summaryContent": step.text}))
        elif step.kind == "future":
            found.append((index, "record.of_tomorrow", {"content": step.text}))
        else:
            tool, given = {
                "shell": ("bash", {"command": step.given}),
                "edit": ("edit", {"path": step.given, "new_str": "x"}),
                "own": ("cortex-recall", {"query": step.given}),
            }[step.kind]
            use = {**called, "toolName": tool, "arguments": given}
            found.append((index, "tool.execution_start", use))
            ended = {"shellExecution": {"exitCode": int(step.failed)}, "success": True}
            done = {**called, **ended, "result": {"content": step.text}}
            found.append((index, "tool.execution_complete", done))
    return [
        {"type": kind, "data": data, "id": f"{index}-{kind}", "timestamp": _stamp(index)}
        for index, kind, data in found
    ]


def _write_copilot(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
    path = folder / name / "events.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(dumped(_copilot(steps, name, sub_agent))))
    return path


def _gemini(steps: Sequence[Step], name: str, sub_agent: bool) -> list[dict[str, Any]]:
    kind = "subagent" if sub_agent else "main"
    records: list[dict[str, Any]] = [
        {"sessionId": name, "projectHash": "f7", "startTime": _stamp(0), "kind": kind}
    ]
    for index, step in enumerate(steps):
        said: dict[str, Any] = {"id": f"message-{index}", "timestamp": _stamp(index)}
        text: Any = [{"text": step.text}]
        if step.kind == "notice":
            text = [{"text": f"<hook_context>{step.text}</hook_context>"}]
        elif step.kind == "summary":
            text = [{"text": f"<state_snapshot>{step.text}</state_snapshot>"}]
        if step.kind in ("prompt", "notice", "summary"):
            records.append({**said, "type": "user", "content": text})
        elif step.kind == "reply":
            records.append({**said, "type": "gemini", "content": step.text})
        elif step.kind == "future":
            records.append({**said, "type": "type-of-tomorrow", "content": step.text})
        else:
            tool, given = {
                "shell": ("run_shell_command", {"command": step.given}),
                "edit": ("replace", {"file_path": step.given, "new_string": "x"}),
                "own": ("mcp_cortex_recall", {"query": step.given}),
            }[step.kind]
            code = "\nExit Code: 1" if step.failed else ""
            result = [{"functionResponse": {"response": {"output": f"Output: {step.text}{code}"}}}]
            call = {"id": f"call-{index}", "name": tool, "args": given}
            done = {**call, "result": result, "status": "success"}
            # The reply is written when it asks for the tool, and again when the tool is done.
            records.append({**said, "type": "gemini", "content": "", "toolCalls": [call]})
            records.append({**said, "type": "gemini", "content": "", "toolCalls": [done]})
    return records


def _in_project(folder: Path) -> Path:
    """The folder of a project's sessions."""
    chats = folder / "project" / "chats"
    chats.mkdir(parents=True, exist_ok=True)
    (chats.parent / ".project_root").write_text(FOLDER, encoding="utf-8")
    return chats


def _write_gemini(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
    path = _in_project(folder) / f"session-2026-11-02T09-00-{name[:8]}.jsonl"
    path.write_bytes(b"".join(dumped(_gemini(steps, name, sub_agent))))
    return path


def _write_document(folder: Path, steps: Sequence[Step], name: str, sub_agent: bool) -> Path:
    header, *records = _gemini(steps, name, sub_agent)
    messages = list({record["id"]: record for record in records}.values())
    path = _in_project(folder) / f"session-{name}.json"
    path.write_text(json.dumps({**header, "messages": messages}), encoding="utf-8")
    return path


FORMS = {
    "claude": Form("claude", _write_claude, _claude),
    "codex": _codex_form(is_paginated=False),
    "codex-paginated": _codex_form(is_paginated=True),
    "copilot": Form("copilot", _write_copilot, _copilot),
    "opencode": Form("opencode", _write_rows),
    "opencode-export": Form("opencode", _write_export),
    "gemini": Form("gemini", _write_gemini, _gemini),
    "gemini-document": Form("gemini", _write_document),
}
"""Each form of each agent, by a name for reports."""
