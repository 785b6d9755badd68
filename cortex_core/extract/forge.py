"""Pull requests of a session: each becomes an entry of the history, kept current when it is edited,
merged or closed, and a memory where it says why something was done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import clean, content_hash
from cortex_core.base.tools import SHELLS
from cortex_core.extract.commits import PULL, file_lesson
from cortex_core.extract.messages import CommitMessage, lesson, parse
from cortex_core.extract.state import Findings, SessionState
from cortex_core.extract.wording import plain
from cortex_core.language.markdown_parts import sections, unwrapped, without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut
from cortex_core.language.shell import ShellCommand, calls, files_written, option
from cortex_core.records.events import Event

LONGEST = 1000
"""Most characters of a pull request's memory."""

_NUMBER = Pattern(
    "number of a pull request",
    r"(?:https?://\S+/(?:pulls?|merge_requests|pull-requests)/|^#?|\"number\": ?)(\d{1,7})\b",
    finds="https://a.test/b/pull/12",
    spares="a 12",
    flags=0,
)
"""A pull request's number in its address, alone, or in the answer of a tool."""
_PULL_TOOL = Pattern(
    "tool that opens a pull request",
    r"create_(?:pull_request|merge_request|pr)$|create_?pull_?request$",
    finds="mcp__github__create_pull_request",
    spares="mcp__github__list_issues",
)
_PROGRAMS = (("gh", "pr"), ("glab", "mr"))
_VERBS = {
    "create": "open",
    "edit": "",
    "merge": "merged",
    "close": "closed",
    "reopen": "open",
}
"""Subcommands, and the state of the pull request after them; empty where they do not change it."""


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep what is done to a pull request until its result shows that it was done."""
    command = event.input.get("command")
    requests: list[dict[str, str]] = []
    if isinstance(command, str):
        requests = _from_command(command, state.written)
    elif event.tool and _PULL_TOOL.regex.search(event.tool):
        requests = [_request("create", event.input.get("title"), event.input.get("body"))]
    if requests and event.tool_id not in state.waiting:
        state.await_result(event, "pulls", requests=requests)


def _from_command(command: str, written: Mapping[str, str]) -> list[dict[str, str]]:
    if not any(f"{program} " in command for program, _ in _PROGRAMS):
        return []
    files = {**written, **files_written(command)}
    return [
        _request_of_call(verb, call, files)
        for program, noun in _PROGRAMS
        for verb in _VERBS
        for call in calls(command, program, noun, verb)
    ]


def _request_of_call(verb: str, call: ShellCommand, files: Mapping[str, str]) -> dict[str, str]:
    titles = option(call.words, "--title", "-t")
    bodies = option(call.words, "--body", "-b", "--description", "-d")
    for path in option(call.words, "--body-file", "-F"):
        bodies.append(call.stdin if path == "-" else files.get(path, path if "\n" in path else ""))
    target = next((word for word in call.words[3:4] if not word.startswith("-")), "")
    found = _NUMBER.regex.search(target)
    return _request(
        verb, titles[0] if titles else "", bodies[0] if bodies else "", found[1] if found else ""
    )


def _request(verb: str, title: Any, body: Any, number: str = "") -> dict[str, str]:
    return {
        "verb": verb,
        "title": title if isinstance(title, str) else "",
        "body": body[:12_000] if isinstance(body, str) else "",
        "number": number,
    }


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File what this result shows to be done to pull requests."""
    call = state.take_awaited(event, "pulls")
    for request in call["requests"] if call else ():
        if event.failed:
            findings.refuse("pull request not made")
        elif request["verb"] == "create":
            _file_new(request, call or {}, event, state, findings)
        else:
            _file_change(request, call or {}, state, findings)


def _file_new(
    request: Mapping[str, str],
    call: Mapping[str, Any],
    event: Event,
    state: SessionState,
    findings: Findings,
) -> None:
    shown = _NUMBER.regex.search(event.text)
    by_shell = event.tool in SHELLS
    if (shown is None and by_shell) or not request["title"]:
        findings.refuse("pull request not made")
        return
    name = shown[1] if shown else content_hash(request["title"])[:7]
    state.pulls[name] = {"title": request["title"], "body": request["body"], "state": "open"}
    _file(name, call, state, findings)
    message = _message(state.pulls[name])
    if message is not None:
        file_lesson(lesson(message), f"{PULL}{name}", call, findings)


def _file_change(
    request: Mapping[str, str], call: Mapping[str, Any], state: SessionState, findings: Findings
) -> None:
    """Note an edit, a merge or an end; without a number it is the newest pull request's."""
    name = request["number"] or next(reversed(state.pulls), "")
    if name not in state.pulls:
        return
    pull = state.pulls[name]
    for part in ("title", "body"):
        pull[part] = request[part] or pull[part]
    pull["state"] = _VERBS[request["verb"]] or pull["state"]
    _file(name, call, state, findings)


def _file(name: str, call: Mapping[str, Any], state: SessionState, findings: Findings) -> None:
    """File a pull request as it is now, in place of its earlier entry."""
    pull, event = state.pulls[name], f"{PULL}{name}"
    message = _message(pull)
    if message is None:
        return
    findings.candidates = [
        taken for taken in findings.candidates if taken.details.get("event") != event
    ]
    known = f" {name}" if name.isdigit() else ""
    title = f"Opened pull request{known}: {message.subject}"
    body = f"\n{message.body}" if message.body else ""
    details = {"event": event}
    if pull["state"] != "open":
        details["outcome"] = pull["state"]
    findings.add(
        "pull-request",
        EPISODE,
        cut(f"{title.rstrip('.')}.{body}", LONGEST),
        call,
        name=title,
        tags=(message.scope,) if message.scope else (),
        details=details,
    )


def _message(pull: Mapping[str, str]) -> CommitMessage | None:
    """Title and summary of a pull request as a message."""
    parsed = parse(pull["title"])
    return replace(parsed, body=summary_of(pull["body"])) if parsed else None


def summary_of(body: str) -> str:
    """What a pull request's body says about the change: its first section.

    What follows it is mostly a test plan, a checklist and a signature.
    """
    told = (words for _, words in sections(without_fences(clean(body))) if words.strip())
    return "\n".join(map(_plain_line, unwrapped(next(told, "")).split("\n"))).strip()


def _plain_line(line: str) -> str:
    """`line` without emphasis and emoji, its list mark kept."""
    body = plain(line)
    return f"- {body}" if line.lstrip().startswith(("- ", "* ")) and body else body
