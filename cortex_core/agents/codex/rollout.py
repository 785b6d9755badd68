"""Turns the records of one of Codex's transcripts, a rollout, into events.

There are two forms. Until about 0.149 a prompt is the event `user_message`, since then the item
`UserMessage`; what the user typed is taken from these alone, because the messages to the model that
have the role `user` also hold rules, the environment and what hooks injected.
"""

import hashlib
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlparse

from cortex_core.agents import injected, patch_text
from cortex_core.agents.injected import string
from cortex_core.base import tools
from cortex_core.base.json_objects import json_object, mapping
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import LIMITS, Event, Limits, Role

SUBAGENT_TOOLS = ("spawn_agent", "wait_agent", "send_input")
TOOLS = {
    "exec_command": tools.SHELL,
    "shell_command": tools.SHELL,
    "shell": tools.SHELL,
    "local_shell": tools.SHELL,
    "update_plan": tools.TODO,
    "request_user_input": tools.QUESTION,
    "web_search": tools.WEB,
    **dict.fromkeys(SUBAGENT_TOOLS, tools.SUBAGENT),
}
"""Cortex's names of Codex's tools."""

PATCH = "apply_patch"
CONTINUED = "write_stdin"
"""Reads on from a command that had not ended, or writes to it."""
CODE = "exec"
"""Runs JavaScript that calls tools; the commands in it are reported by themselves."""

REQUEST = "## My request for Codex:"
"""What the desktop app puts between what it adds to a prompt and the user's words."""
PLANNED: injected.Spans = (("<proposed_plan>", "</proposed_plan>", True),)
"""A plan within an answer, which an item of its own repeats."""
BUTTON = "Implement the plan."
"""What a button of the app says in the user's place."""
DIRECTIVE = "::git-"
"""How a line begins that the desktop app draws as a button, such as `::git-push{cwd="…"}`."""
REFUSED = ("rejected by user", "denied by the user", "PreToolUse hook")
ABORTED = "aborted by user"
CALL_FAILED = ("exec_command failed", "apply_patch verification failed", "Command blocked by")
TIMED_OUT = "command timed out after"

_LINK = Pattern(
    "link to a file of this machine, which the desktop app opens",
    r"\[([^\]\n]+)\]\((?:file://)?/[^()\s]*\)",
    finds="see [main.go](/home/dev/main.go#L45)",
    spares="see [the manual](https://example.test/manual)",
    flags=0,
)


class RolloutParser:
    """Turns the records of one rollout, in their order, into events.

    It remembers what ties records together: the turn, the folder, the calls that await their
    results, and the commands that run on.
    """

    def __init__(self, meta: Mapping[str, Any], session: str, limits: Limits = LIMITS) -> None:
        """A parser that has read nothing.

        Args:
            meta: what the first record says of the session.
        """
        self._session = session
        self._limits = limits
        self._sidechain = bool(subagent_of(meta))
        self._cwd = string(meta.get("cwd"))
        git = meta.get("git")
        self._branch = string(git.get("branch")) if isinstance(git, dict) else ""
        self._model = self.turn = self._plan = ""
        self._calls: dict[str, tuple[str, str]] = {}
        """By the id of a call that awaits its result, Cortex's and Codex's names of the tool; empty
        ones for Cortex's own."""
        # An answer names its question; without the call nothing says what was asked.
        self._asked: dict[str, Mapping[str, str]] = {}
        """The questions of a form by their names, by the id of the call."""
        self._continued: dict[str, str] = {}
        """The number of the running command that a call reads on from, by the id of the call."""
        self._running: dict[str, str] = {}
        """The id of the call that started a command, by the number of the running command."""
        self._printed: dict[str, list[str]] = {}
        """What such a command has printed so far, by the id of the call."""
        self.prompts = self.answers = 0
        """How many of each were read."""

    def events(self, record: Mapping[str, Any], offset: int) -> Iterator[Event]:
        """The events of one record whose line begins at `offset`."""
        payload = record.get("payload")
        if not isinstance(payload, dict):
            return
        kind = payload.get("type")
        self.turn = string(payload.get("turn_id")) or self.turn
        common: dict[str, Any] = {
            "session": self._session,
            "time": injected.unix_time(record.get("timestamp")),
            "offset": offset,
            "cwd": self._cwd,
            "branch": self._branch,
            "sidechain": self._sidechain,
        }
        if record.get("type") == "turn_context":
            self._cwd = string(payload.get("cwd")) or self._cwd
            self._model = string(payload.get("model"))
        elif record.get("type") == "compacted":
            yield from self._said("compaction", payload.get("message"), "", common)
        elif handler := _HANDLERS.get(str(kind)):
            yield from handler(self, payload, common)

    def _aborted(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        if payload.get("reason") == "interrupted":
            text = "[Interrupted by the user]"
            yield Event(role="synthetic", text=text, interrupted=True, **self._named(text, common))

    # --- prose

    def _prompt(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        images = [*_list(payload.get("images")), *_list(payload.get("local_images"))]
        yield from self._typed([payload.get("message")], bool(images), common)

    def _item(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        item = payload.get("item")
        if not isinstance(item, dict):
            return
        kind = item.get("type")
        if kind == "UserMessage":
            content = tools.objects(item.get("content"))
            pictures = [part for part in content if "image" in str(part.get("type")).lower()]
            yield from self._typed([part.get("text") for part in content], bool(pictures), common)
        elif kind == "CommandExecution":
            yield from self._ended({**item, "call_id": item.get("id")}, common)
        elif kind == "Plan":
            self._plan = f"{self.turn}:plan"
            given = {"plan": injected.cleaned(item.get("text"), self._limits.prose)}
            yield self._of_plan("tool_use", given, common)

    def _of_plan(self, role: Role, given: Mapping[str, Any], common: dict[str, Any]) -> Event:
        named = {**common, "uuid": f"{role}-{self._plan}", "tool_id": self._plan}
        return Event(role=role, tool=tools.PLAN, tool_name="plan", input=given, **named)

    def _typed(
        self, texts: Sequence[object], is_shown: bool, common: dict[str, Any]
    ) -> Iterator[Event]:
        """A prompt; that of a sub-agent is another agent's, and a button's is nobody's."""
        self.prompts += 1
        words = "\n".join(text for text in texts if isinstance(text, str)).strip()
        if words.startswith("# "):
            words = words.rpartition(REQUEST)[2]
        while words.lstrip().startswith("[Image #") and "]" in words:
            words = words.partition("]")[2]
        said = injected.cleaned(words, self._limits.prose)
        is_typed = not (self._sidechain or said.startswith(BUTTON))
        shown = {"picture": True} if is_shown else {}
        if said.startswith(BUTTON) and self._plan:
            yield self._of_plan("tool_result", {"approved": True}, common)
        if said or shown:
            yield Event(
                role="human" if is_typed and said else "synthetic",
                text=said,
                input=shown,
                **self._named(said, common),
            )

    def _message(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """What the agent says, on the way (`phase` commentary) or at the end."""
        metadata = payload.get("metadata")
        is_summary = isinstance(metadata, dict) and metadata.get("compaction_output") is True
        if payload.get("role") == "assistant" and not is_summary:
            self.answers += 1
            text = "".join(
                string(part.get("text")) for part in tools.objects(payload.get("content"))
            )
            text = injected.without_spans(text, PLANNED)
            yield from self._said("assistant", text, string(payload.get("id")), common)

    def _said(self, role: Any, text: object, id: str, common: dict[str, Any]) -> Iterator[Event]:
        lines = _LINK.regex.sub(r"\1", string(text)).split("\n")
        words = "\n".join(line for line in lines if not line.startswith(DIRECTIVE))
        if said := injected.cleaned(words, self._limits.prose):
            named = self._named(said, common)
            named["uuid"] = id or named["uuid"]
            yield Event(role=role, text=said, model=self._model, **named)

    def _named(self, text: str, common: dict[str, Any]) -> dict[str, Any]:
        """With the names of a message. A fork repeats it at another time, in the same turn."""
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        name = f"{self.turn}:{digest}"
        return {**common, "uuid": name, "message": name if self.turn else ""}

    # --- calls

    def _call(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        name, call = string(payload.get("name")), string(payload.get("call_id"))
        if server := string(payload.get("namespace")):
            name = f"{server}__{name}" if server.startswith("mcp__") else name
        given = payload.get("arguments", payload.get("input"))
        arguments = self._arguments(call, name, string(given))
        if name == CONTINUED:
            self._continued[call] = str(arguments.get("session_id"))
        elif name != CODE:
            yield from self._use(call, name, arguments, common)

    def _use(
        self, call: str, name: str, given: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        """The use of a tool; of a patch, one for each file."""
        tool = TOOLS.get(name, name)
        if injected.is_own(name, given):
            self._calls[call] = ("", "")
            return
        called: Sequence[tuple[str, Mapping[str, Any]]] = [(tool, given)]
        if name == PATCH:
            called = patch_text.changes(string(given.get("patch"))) or [(tools.EDIT, {})]
        self._calls[call] = (called[0][0], name)
        for number, (each, arguments) in enumerate(called):
            yield Event(
                role="tool_use",
                tool=each,
                tool_name=name,
                tool_id=f"{call}#{number}" if number else call,
                input=injected.arguments(arguments, self._limits),
                model=self._model,
                **{**common, "uuid": f"{call}-use"},
            )

    def _arguments(self, call: str, name: str, given: str) -> Mapping[str, Any]:
        """The arguments of a call under Cortex's names."""
        if name in (PATCH, CODE):
            return {"patch": given}
        found = json_object(given)
        if TOOLS.get(name) == tools.SHELL:
            return {"command": _line_of(found.get("cmd", found.get("command")))}
        if name == "update_plan":
            steps = tools.objects(found.get("plan"))
            todos = [{"content": one.get("step"), "status": one.get("status")} for one in steps]
            return {"todos": todos}
        if name == "request_user_input":
            asked = tools.objects(found.get("questions"))
            self._asked[call] = {str(one.get("id")): str(one.get("question")) for one in asked}
        return found

    def _output(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """What a call returned; of a command that runs on, once it has ended."""
        call = string(payload.get("call_id"))
        if call in self._continued:
            call = self._running.get(self._continued.pop(call), "")
        if not self._calls.get(call, ("", ""))[1]:
            self._calls.pop(call, None)
            return
        text, code, running = _report(_text_of(payload.get("output")))
        if running:
            self._running[running] = call
            self._printed.setdefault(call, []).append(text)
        else:
            yield from self._result(call, text, code, common)

    def _ended(self, payload: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        """The end of a command as Codex records it; one that code has run is not known before."""
        call, code = string(payload.get("call_id")), payload.get("exit_code")
        if call not in self._calls:
            if not payload.get("command") or payload.get("source") == "user_shell" or code is None:
                return
            line = {"command": _line_of(payload.get("command"))}
            uri = string(payload.get("cwd"))
            folder = unquote(urlparse(uri).path) if uri.startswith("file:") else uri
            yield from self._use(
                call, "exec_command", line, {**common, "cwd": folder or common["cwd"]}
            )
        self._printed.pop(call, None)
        text = string(payload.get("aggregated_output"))
        yield from self._result(call, text, code if isinstance(code, int) else None, common)

    def _result(
        self, call: str, text: str, code: int | None, common: dict[str, Any]
    ) -> Iterator[Event]:
        tool, name = self._calls.pop(call, ("", ""))
        if not name:
            return
        whole = "".join([*self._printed.pop(call, []), text])
        shown = injected.cleaned(whole, self._limits.result)
        is_stopped = whole.startswith(ABORTED)
        did_not_run = whole.startswith(CALL_FAILED)
        yield Event(
            role="tool_result",
            text=shown,
            tool=tool,
            tool_name=name,
            tool_id=call,
            input=injected.arguments(self._outcome(call, name, whole), self._limits),
            failed=code not in (None, 0) or did_not_run or is_stopped,
            denied=did_not_run and any(reason in whole for reason in REFUSED),
            interrupted=is_stopped,
            timed_out=whole.startswith(TIMED_OUT),
            **{**common, "uuid": f"{call}-result"},
        )

    def _outcome(self, call: str, name: str, text: str) -> Mapping[str, Any]:
        """What came of a call, as `Event.input` has it for a result."""
        if name not in ("request_user_input", "wait_agent"):
            return {}
        found = json_object(text)
        if name == "wait_agent":
            ended = mapping(found.get("status")).values()
            reports = [str(one["completed"]) for one in ended if _has(one, "completed")]
            return {"report": "\n\n".join(reports)} if reports else {}
        asked, chosen = self._asked.pop(call, {}), mapping(found.get("answers")).items()
        return {
            "answers": {
                asked.get(name, name): ", ".join(map(str, _list(one["answers"])))
                for name, one in chosen
                if _has(one, "answers")
            }
        }


_HANDLERS: Mapping[
    str, Callable[[RolloutParser, Mapping[str, Any], dict[str, Any]], Iterator[Event]]
] = {
    "turn_aborted": RolloutParser._aborted,
    "user_message": RolloutParser._prompt,
    "item_completed": RolloutParser._item,
    "message": RolloutParser._message,
    "function_call": RolloutParser._call,
    "custom_tool_call": RolloutParser._call,
    "function_call_output": RolloutParser._output,
    "custom_tool_call_output": RolloutParser._output,
    "exec_command_end": RolloutParser._ended,
}


def subagent_of(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of the session of a sub-agent or reviewer, what its first record says of that; else empty."""
    found = mapping(meta.get("source")).get("subagent")
    return {found: {}} if isinstance(found, str) else mapping(found)


def _line_of(command: object) -> str:
    """A command as one line, without the shell that runs it."""
    if isinstance(command, list):
        words = [string(word) for word in command]
        return words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else shlex.join(words)
    return string(command)


def _report(text: str) -> tuple[str, int | None, str]:
    """What a command printed, its exit code, and its number where it runs on."""
    head, _, printed = text.partition("Output:\n")
    code, running = None, ""
    for line in head.splitlines():
        last = line.rpartition(" ")[2]
        if line.startswith(("Process exited with code ", "Exit code: ")):
            code = int(last) if last.removeprefix("-").isdecimal() else None
        elif line.startswith("Process running with session ID "):
            running = last
    return (text if code is None and not running else printed), code, running


def _text_of(output: object) -> str:
    """What a call printed: a text, JSON with it, or parts with texts."""
    if isinstance(output, list):
        return "\n".join(string(part.get("text")) for part in tools.objects(output))
    text = string(output)
    return str(json_object(text).get("output", text)) if text.startswith('{"output"') else text


def _has(value: object, name: str) -> bool:
    return isinstance(value, dict) and name in value


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
