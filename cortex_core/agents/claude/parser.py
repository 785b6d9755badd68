"""Turns one record of a transcript into events, one for each block of its message.

What only serves Claude Code (synthetic replies, API errors, bookkeeping) gives no event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cortex_core.agents import injected
from cortex_core.agents.claude import own_files, places, speakers, tools
from cortex_core.agents.injected import string, unix_time
from cortex_core.base.json_objects import mapping
from cortex_core.base.text import one_line
from cortex_core.base.tools import EDIT, QUESTION, WRITE
from cortex_core.records.events import LIMITS, Event, Limits

_OUTCOME_FIELDS = ("answers", "annotations", "gitOperation", "plan")
"""What Claude Code records about a tool's outcome; an event keeps it as the result's `input`."""

TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
"""The records that name the session, by the agent and by the user, and the field of the name."""

_PROMPT_MODES = ("prompt", None)
"""Values of `commandMode` in a queued command that the user typed."""


class RecordParser:
    """Turns the records of one transcript, in their order, into events.

    It remembers what ties records together: which tool a result belongs to, which results are of
    Cortex's own tools, and in which folder and branch the last record was written.
    """

    def __init__(
        self,
        session: str,
        *,
        sidechain: bool = False,
        limits: Limits = LIMITS,
        earlier: Callable[[], RecordParser] | None = None,
    ) -> None:
        """A parser for the records of `session`.

        Args:
            session: the session's id; empty to take it from each record.
            sidechain: whether all records are a sub-agent's.
            earlier: returns a parser that has read what precedes the first record; called once,
                and only when a record belongs to something that is not known.
        """
        self._session = session
        self._sidechain = sidechain
        self._limits = limits
        self._earlier = earlier
        self.tools: dict[str, str] = {}
        """Names of tools that await their results, by the use's id; empty for Cortex's own."""
        self.asked: dict[str, list[str]] = {}
        """The questions that await their answers, by the use's id."""
        self.remembering: dict[str, tuple[str, Mapping[str, Any]]] = {}
        """Writes to Claude Code's own memory that await their results, by the use's id: the name of
        the file and the arguments."""
        self.remembered: dict[str, str] = {}
        """The texts of its files as the session left them."""
        # What the user types ahead has no folder or branch of its own: those before it hold.
        self.place: dict[str, str] = {}
        """Folder (`cwd`) and `branch` of the last record that has them."""

    def events(self, record: Mapping[str, Any], offset: int) -> Iterator[Event]:
        """The events of one record whose line begins at `offset`."""
        common = self._common(record, offset)
        message = record.get("message")
        kind = record.get("type")
        if kind == "queue-operation":
            yield from self._typed_ahead_events(record, common)
            return
        if kind in TITLES:
            title = one_line(injected.cleaned(record.get(TITLES[kind]), self._limits.string))
            if title:
                yield Event(role="title", text=title, **common | self.place)
            return
        self.place = {name: common[name] for name in ("cwd", "branch")}
        if kind == "attachment":
            yield from self._queued_prompt_events(record.get("attachment"), common)
        elif not isinstance(message, dict):
            return
        elif kind == "assistant":
            yield from self._reply_events(record, message, common)
        else:
            yield from self._user_events(record, message, common)

    def _common(self, record: Mapping[str, Any], offset: int) -> dict[str, Any]:
        return {
            "uuid": string(record.get("uuid")),
            "session": self._session or string(record.get("sessionId")),
            "time": unix_time(record.get("timestamp")),
            "offset": offset,
            "cwd": string(record.get("cwd")),
            "branch": one_line(string(record.get("gitBranch"))),
            "sidechain": self._sidechain or record.get("isSidechain") is True,
        }

    def _reply_events(
        self, record: Mapping[str, Any], message: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            return
        common["message"] = string(message.get("id"))
        common["model"] = string(message.get("model"))
        for block in _blocks(message.get("content")):
            kind = block.get("type")
            if kind == "text":
                text = injected.cleaned(block.get("text"), self._limits.prose)
                if text:
                    yield Event(role="assistant", text=text, **common)
            elif kind == "tool_use":
                yield from self._tool_use_event(block, common)

    def _tool_use_event(self, block: Mapping[str, Any], common: dict[str, Any]) -> Iterator[Event]:
        name, use = string(block.get("name")), string(block.get("id"))
        tool_input = mapping(block.get("input"))
        is_own = injected.is_own(name, tool_input)
        self.tools[use] = "" if is_own else name
        if is_own:
            return
        file = places.memory_name(string(tool_input.get("file_path")), common["cwd"])
        if file and tools.name_of(name) in (WRITE, EDIT):
            self.remembering[use] = (file, tool_input)
        given = injected.arguments(tools.arguments_of(name, tool_input), self._limits)
        if tools.name_of(name) == QUESTION:
            self.asked[use] = speakers.questions_of(given)
        yield Event(
            role="tool_use",
            tool=tools.name_of(name),
            tool_name=name,
            tool_id=use,
            input=given,
            **common,
        )

    def _user_events(
        self, record: Mapping[str, Any], message: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        blocks = _typed_blocks(message.get("content"))
        shown = {"picture": True} if any(one.get("type") == "image" for one in blocks) else {}
        for block in blocks:
            kind = block.get("type")
            if kind == "tool_result":
                yield from self._tool_result_events(record, block, common)
            elif kind == "text" and isinstance(block.get("text"), str):
                for event in self._prompt_event(block["text"], record, common):
                    yield replace(event, input={**event.input, **shown})
                    shown = {}
        if shown:
            yield Event(role="synthetic", input=shown, **common)

    def _prompt_event(
        self, text: str, record: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        role, text = speakers.speaker_and_words(text, record, self._limits)
        if role == "human" and common["sidechain"]:
            role = "synthetic"
        if text:
            is_other = role == "synthetic"
            report = speakers.report_of(text) if is_other and text.startswith("<task-") else ""
            yield Event(
                role=role,
                text=text,
                input={"report": report} if report else {},
                interrupted=is_other and speakers.was_interrupted(text),
                **common,
            )

    def _tool_result_events(
        self, record: Mapping[str, Any], block: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        use = string(block.get("tool_use_id"))
        known = self._name_of(use)
        if known == "":
            return
        name = known or ""
        tool = tools.name_of(name)
        output = "\n".join(
            part["text"]
            for part in _blocks(block.get("content"))
            if part.get("type") == "text" and isinstance(part.get("text"), str)
        )
        failed = block.get("is_error") is True or bool(record.get("toolDenialKind"))
        outcome = record.get("toolUseResult")
        outcome_fields: Mapping[str, Any] = (
            {key: outcome[key] for key in _OUTCOME_FIELDS if outcome.get(key)}
            if isinstance(outcome, dict)
            else {}
        )
        text = injected.cleaned(output, self._limits.result)
        asked = self.asked.pop(use, [])
        if not failed:
            outcome_fields = speakers.outcome_of(tool, text, outcome_fields, asked)
        recorded = injected.arguments(outcome_fields, self._limits)
        file, call = self.remembering.pop(use, ("", {}))
        if file and not failed:
            recorded |= self._remembered(file, call, mapping(outcome))
        yield Event(
            role="tool_result",
            text=text,
            tool=tool,
            tool_name=name,
            tool_id=use,
            input=recorded,
            failed=failed,
            denied=failed and speakers.is_denied(output, record, tool),
            interrupted=failed and speakers.was_interrupted(text),
            timed_out=failed and text.startswith(speakers.TIMED_OUT),
            **common,
        )
        if failed:  # a refused tool's result alone holds what the user said instead
            reason = speakers.refusal_reason(output, record, name or "mcp__", self._limits)
            yield from self._prompt_event(reason, {}, common)

    def _remembered(
        self, file: str, call: Mapping[str, Any], outcome: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """A file of Claude Code's own memory and its whole text after a call; empty if unknown."""
        after = own_files.text_after(call, outcome, self.remembered.get(file))
        if after is None:
            return {}
        self.remembered[file] = after
        return {"remembered": {"file": file, "text": injected.cleaned(after, self._limits.prose)}}

    def _queued_prompt_events(self, attachment: object, common: dict[str, Any]) -> Iterator[Event]:
        """A prompt typed while the agent worked, as it was handed over: no `user` record has it."""
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        is_typed = attachment.get("commandMode") in _PROMPT_MODES
        for block in _typed_blocks(attachment.get("prompt")):
            if block.get("type") == "text" and isinstance(block.get("text"), str):
                source = {} if is_typed else {"promptSource": "system"}
                yield from self._prompt_event(block["text"], {**attachment, **source}, common)

    def _typed_ahead_events(
        self, record: Mapping[str, Any], common: dict[str, Any]
    ) -> Iterator[Event]:
        """What the user typed while the agent worked, as it entered the queue.

        The record has no uuid, folder or branch; those of the record before hold. Commands, and the
        notifications that wait in the same queue, are left out.
        """
        if record.get("operation") != "enqueue":
            return
        role, text = speakers.queued_words(record.get("content"), self._limits)
        if text and not common["sidechain"]:
            self._look_back(bool(self.place))
            yield Event(role=role, text=text, **{**common, **self.place})

    def _name_of(self, use: str) -> str | None:
        """The tool a result belongs to: empty for Cortex's own, None if it is not known."""
        self._look_back(use in self.tools)
        return self.tools.pop(use, None)

    def _look_back(self, is_known: bool) -> None:
        """Learn once, and only where something is not known, what precedes the first record."""
        if is_known or self._earlier is None:
            return
        earlier, self._earlier = self._earlier(), None
        self.tools = {**earlier.tools, **self.tools}
        self.asked = {**earlier.asked, **self.asked}
        self.remembering = {**earlier.remembering, **self.remembering}
        self.place = self.place or earlier.place


def _blocks(content: object) -> list[Mapping[str, Any]]:
    """A message's content as blocks, whichever of its forms it has."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks = content if isinstance(content, list) else ()
    return [block for block in blocks if isinstance(block, dict)]


def _typed_blocks(content: object) -> list[Mapping[str, Any]]:
    """The blocks of what a user typed; a private span that one leaves open goes on in the next."""
    blocks = _blocks(content)
    typed = [block for block in blocks if isinstance(block.get("text"), str)]
    if len(typed) < 2:
        return blocks
    texts = injected.hidden_on((block["text"] for block in typed), speakers.INSERTED)
    return [{**block, "text": next(texts)} if block in typed else block for block in blocks]
