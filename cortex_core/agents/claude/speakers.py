"""Whose words a record has, and what Claude Code put next to them."""

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from cortex_core.agents.injected import HIDDEN, cleaned, without_spans
from cortex_core.base import tools
from cortex_core.base.json_objects import mapping
from cortex_core.language.patterns import Pattern
from cortex_core.records.events import LIMITS, Limits, Role

INSERTED = tuple(  # what Claude Code and its hooks put next to a user's words
    (f"<{name}", f"</{name}>", False)
    for name in (
        "ide_opened_file",
        "ide_selection",
        "ide_diagnostics",
        "new-diagnostics",
        "session-start-hook",
        "user-prompt-submit-hook",
        "local-command-caveat",
    )
)
_SYNTHETIC = (  # how texts begin that no user typed
    "<task-notification",
    "<system-reminder",
    "<local-command-",
    "<command-",
    "<bash-",
    "<teammate-message",
    "<cross-session-message",
    "<channel",
    "<persisted-output",
    "[SYSTEM NOTIFICATION",
    "[Request interrupted",
    "Caveat: The messages below",
    "Stop hook feedback:",
)
_COMPACTION = "This session is being continued from a previous conversation"
_HUMAN_TURNS = ("human", "sdk")

_CLAUDE_CODE_COMMANDS = frozenset(
    """
    add-dir agents bug clear color compact config context copy cost doctor effort exit export fast
    feedback fork help hooks ide keybindings login logout mcp memory mobile model output-style
    permissions plugin plugins quit reload-plugins remote-control rename resume rewind sandbox
    skills stats status statusline tasks terminal-setup theme upgrade usage vim
    recall remember learn forget consolidate index-code inspect
    """.split()
)
"""Commands whose arguments are not for the agent. Cortex's own are among them: what follows them is
stored, or asked for, by the command itself."""

_NOT_RUN = (
    "The user doesn't want",
    "<tool_use_error>",
    "Permission to use",
    "Claude requested",
    "[Request interrupted",
    "This command requires approval",
)
"""How a result begins whose tool did not run."""

_BLOCKED = ("Cortex: a rule of yours", "PreToolUse:", "Hook PreToolUse")
"""How a result begins whose tool a hook refused."""

TIMED_OUT = "Command timed out"
"""How a failed result begins whose command was ended because it took too long."""
_RAN = ("Exit code", TIMED_OUT)
"""How the result of a failed command begins, in transcripts since version 2.1 of Claude Code."""
_BEFORE_MARKED = ("0.", "1.", "2.0")
"""How the versions before that one begin."""

_STOPPED = "[Request interrupted by user"
DENIED = "The user doesn't want to proceed with this tool use."
"""How the result of a refused tool call begins."""
_REASONS = (
    "To tell you how to proceed, the user said:",
    "The user provided the following reason for the rejection:",
)
_AFTER_REASON = "\n\nNote: The user's next message may contain"
_GENERATED_FEEDBACK = ("The user wants to clarify", "The user has indicated")


def speaker_and_words(
    text: str, record: Mapping[str, Any], limits: Limits = LIMITS
) -> tuple[Role, str]:
    """Who wrote the text of a `user` record, and the words without what was injected.

    The fields in which Claude Code says who wrote a record (`origin`, `promptSource`,
    `turnOrigin`) decide where they say that no user did; older versions lack them, so the tags
    around the text decide too.
    """
    if record.get("isCompactSummary") is True or text.startswith(_COMPACTION):
        return "compaction", cleaned(text, limits.prose)
    if record.get("isMeta") is True or record.get("isVisibleInTranscriptOnly") is True:
        return "synthetic", ""
    text = without_spans(text, (*HIDDEN, *INSERTED)).strip()
    if text.startswith("<user-memory-input>"):
        return "human", f"Remember: {cleaned(_inside(text, 'user-memory-input'), limits.prose)}"
    if text.startswith("<command-") and (argument := _command_words(text)):
        return "human", cleaned(argument, limits.prose)
    if not _is_from_user(record) or text.startswith(_SYNTHETIC):
        return "synthetic", cleaned(text, limits.result)
    return "human", cleaned(text, limits.prose)


def queued_words(content: object, limits: Limits = LIMITS) -> tuple[Role, str]:
    """The words of a text that waits in the queue; empty for commands and notifications.

    Notifications of background tasks wait there too, as tags or as JSON.
    """
    text = content.strip() if isinstance(content, str) else ""
    if text.startswith("/") or (text.startswith("{") and '"task_id"' in text):
        return "synthetic", ""
    role, words = speaker_and_words(text, {}, limits)
    return ("queued", words) if role == "human" else (role, "")


def is_denied(result: str, record: Mapping[str, Any], tool: str) -> bool:
    """Whether the result of a tool that reports an error says that the tool did not run.

    What a hook says that refused a command can be anything; it does not begin as a failure does.
    """
    if record.get("toolDenialKind") or result.startswith(_NOT_RUN + _BLOCKED):
        return True
    version = str(record.get("version"))
    is_marked = version[:1].isdigit() and not version.startswith(_BEFORE_MARKED)
    return tool in tools.SHELLS and is_marked and not result.startswith(_RAN)


def refusal_reason(
    result: str, record: Mapping[str, Any], tool: str, limits: Limits = LIMITS
) -> str:
    """What the user said when refusing a tool; empty when nothing.

    Only Claude Code can write `toolDenialKind`. Versions without it are judged by the text of the
    result, but not for MCP tools: a server could make its error look like a refusal.
    """
    reason = record.get("userFeedback")
    if not isinstance(reason, str):
        rejected = record.get("toolDenialKind") == "user-rejected"
        rejected |= "toolDenialKind" not in record and not tool.startswith("mcp__")
        refusal = result if rejected and result.startswith(DENIED) else ""
        reason = "".join(refusal.partition(before)[2] for before in _REASONS)
        reason = reason.partition(_AFTER_REASON)[0].lstrip()
    return "" if reason.startswith(_GENERATED_FEEDBACK) else cleaned(reason, limits.prose)


def was_interrupted(text: str) -> bool:
    """Whether a failed result, or a prompt that no user wrote, says that the user intervened."""
    return text.startswith((DENIED, _STOPPED))


_APPROVED = ("user has approved", "plan approved", "the user approved")


def questions_of(given: Mapping[str, Any]) -> list[str]:
    """The questions of a form, by the arguments of the tool that showed it."""
    forms = tools.objects(given.get("questions"))
    return [str(form["question"]) for form in forms if form.get("question")]


def outcome_of(
    tool: str, text: str, recorded: Mapping[str, Any], asked: Sequence[str] = ()
) -> Mapping[str, Any]:
    """What came of a tool that did not fail: what Claude Code recorded, and what its text says.

    Args:
        tool: Cortex's name of the tool.
        asked: the questions of the form that the tool showed.
    """
    if tool == tools.QUESTION:
        said = _answers(text, asked) | mapping(recorded.get("answers"))
        return {**recorded, "answers": said}
    if tool == tools.PLAN:
        _, mark, plan = text.partition("# Approved Plan")
        written = {"plan": plan.partition("\n")[2]} if mark else {}
        return {**written, **recorded, "approved": text.lstrip().casefold().startswith(_APPROVED)}
    if tool == tools.SUBAGENT:
        return {**recorded, "report": report_of(text)}
    if tool == tools.TASK:  # “Task #3 created successfully: …”
        head, colon, subject = text.partition(":")
        words = (word.strip("#(),.") for word in head.split() if colon)
        number = next(filter(str.isdigit, words), "")
        return {**recorded, "task": number, "subject": subject.strip()} if number else recorded
    return recorded


def report_of(text: str) -> str:
    """What a sub-agent said at its end, in its tool's result or a notification; empty for none."""
    if text.startswith("<task-notification"):
        return html.unescape(text.partition("<result>")[2].partition("</result>")[0]).strip()
    return "" if text.startswith("Async agent launched") else text.partition("\nagentId: ")[0]


_ANSWER_END = Pattern(
    "where an answer ends in the sentence about all of them",
    r'"\.? ?(?:You can now|\Z)|"\s*(?:user notes?|selected(?: preview)?|notes?)\s*:',
    finds='Outer gutter" selected preview:\nA | B',
    spares='the "outer" gutter',
)


def _answers(text: str, asked: Sequence[str]) -> dict[str, Any]:
    """The answers in the sentence about all of them: `"question"="answer", "question"="answer"`.

    The preview of an option may follow its answer; an answer ends where the next question begins.
    """
    answers: dict[str, Any] = {}
    for question, following in pairwise([*asked, ""]):
        start = text.find(f'"{question}"="')
        if start < 0:
            continue
        rest = text[start + len(question) + 4 :]
        if following and (end := rest.find(f', "{following}"=')) >= 0:
            rest = rest[:end]
        mark = _ANSWER_END.regex.search(rest)
        answers[question] = (rest[: mark.start()] if mark else rest.rstrip('". ')).strip()
    return answers


def _is_from_user(record: Mapping[str, Any]) -> bool:
    """Whether the record's fields, the most specific first, allow that the user typed it."""
    origin = record.get("origin")
    # `claude -p` runs a script's prompt. The desktop's users have `promptSource` "sdk" as well.
    if record.get("isSidechain") is True or str(record.get("entrypoint")).startswith("sdk"):
        return False
    if isinstance(origin, dict) and "kind" in origin:
        return bool(origin["kind"] == "human")
    is_typed = record.get("promptSource") != "system"
    return record["turnOrigin"] in _HUMAN_TURNS if "turnOrigin" in record else is_typed


def _command_words(text: str) -> str:
    """What the user typed after a slash command, if it is prose for the agent."""
    name = _inside(text, "command-name").removeprefix("/").removeprefix("cortex:")
    prose = _inside(text, "command-args")
    long_enough = len(prose.split()) >= 3 or (not prose.isascii() and len(prose) >= 8)
    return prose if long_enough and name not in _CLAUDE_CODE_COMMANDS else ""


def _inside(text: str, tag: str) -> str:
    """What is between the tags of this name, without spaces around it; empty without them."""
    return text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()
