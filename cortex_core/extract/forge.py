"""Pull requests opened and bugs filed in the session, on the command line or through a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cortex_core.base.text import clean
from cortex_core.extract.commits import parse
from cortex_core.extract.sentences import cut, sections, unwrapped, without_fences
from cortex_core.extract.shell import ShellCommand, calls, files_written, option
from cortex_core.extract.state import Findings, SessionState
from cortex_core.extract.wording import is_generic, plain
from cortex_core.transcripts.events import Event

LONGEST = 1000
"""Most characters of a pull request's memory."""

_SHORTEST = 60
_URL = re.compile(r"https?://\S+/(?:pulls?|merge_requests|pull-requests)/\d+")
_PULL_TOOL = re.compile(
    r"create_(?:pull_request|merge_request|pr)$|create_?pull_?request$",
    re.IGNORECASE,
)
_ISSUE_TOOL = re.compile(r"(?:create|save)_?(?:jira_?)?issue$|create_?jira_?issue$", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"\b(?:test(?:s|ing)?|test plan|checklist|check list|screenshots?|to-?dos?|how to test|verif\w+"
    r"|validation|related|type of change|reviewers?|links?|references|tickets?|next steps?"
    r"|follow[- ]?ups?|remaining|out of scope|deploy\w*|demo|stats|commits|files? changed|qa)\b",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"^\W*(?:Generated|Created|Written) (?:with|by)\b|^\s*[-*]?\s*\[[ xX]\]|^Co-Authored-By:"
    r"|^\s*(?:closes?|fixes|resolves|refs?|part of)\b:? (?:#|https?:)\S*\.?\s*$|^\s*(?:---+"
    r"|<!--.*-->)\s*$",
    re.IGNORECASE,
)
_BUG = re.compile(r"\bbug\b|\bdefect\b|\bregression\b", re.IGNORECASE)


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep a pull request or ticket until its result shows that it was made."""
    command = event.input.get("command")
    if isinstance(command, str):
        for request in _from_command(command, state.written):
            _hold_request(request, event, state)
    elif event.tool and _PULL_TOOL.search(event.tool):
        _hold_request(
            _request("pull", event.input.get("title"), event.input.get("body")), event, state
        )
    elif event.tool and _ISSUE_TOOL.search(event.tool) and _is_bug(event.input):
        body = event.input.get("body") or event.input.get("description")
        _hold_request(
            _request("ticket", event.input.get("title") or event.input.get("summary"), body),
            event,
            state,
        )


def _from_command(command: str, written: Mapping[str, str]) -> list[dict[str, Any]]:
    requests: list[dict[str, Any]] = []
    if "create" not in command:
        return requests
    files = {**written, **files_written(command)}
    for program, noun in (("gh", "pr"), ("glab", "mr")):
        for call in calls(command, program, noun, "create"):
            requests.append(_request_of_call("pull", call, files))
    for program, words in (("gh", ("issue", "create")), ("bd", ("create",)), ("br", ("create",))):
        for call in calls(command, program, *words):
            labels = option(call.words, "--label", "-l", "--labels", "--type", "-t")
            if any(_BUG.search(label) for label in labels):
                requests.append(_request_of_call("ticket", call, files, program))
    return requests


def _request_of_call(
    kind: str, call: ShellCommand, files: Mapping[str, str], program: str = "gh"
) -> dict[str, Any]:
    titles = option(call.words, "--title", *(("-t",) if program != "bd" else ()))
    if not titles and program in ("bd", "br"):
        titles = [word for word in call.words[2:3] if not word.startswith("-")]
    bodies = option(call.words, "--body", "-b", "--description", "-d")
    for path in option(call.words, "--body-file", "-F"):
        bodies.append(call.stdin if path == "-" else files.get(path, path if "\n" in path else ""))
    return _request(kind, titles[0] if titles else "", bodies[0] if bodies else "")


def _request(kind: str, title: Any, body: Any) -> dict[str, Any]:
    return {
        "what": kind,
        "title": title if isinstance(title, str) else "",
        "body": body[:12_000] if isinstance(body, str) else "",
    }


def _is_bug(arguments: Mapping[str, Any]) -> bool:
    labels = [
        arguments.get(key) for key in ("type", "labels", "label", "issueTypeName", "issuetype")
    ]
    return bool(_BUG.search(repr(labels)))


def _hold_request(request: dict[str, Any], event: Event, state: SessionState) -> None:
    if request["title"] and event.tool_id not in state.waiting:
        state.await_result(event, "filed", **request)


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File the pull request or ticket that this result shows to be made."""
    request = state.take_awaited(event, "filed")
    if request is None:
        return
    if request["what"] == "pull":
        by_tool = not event.failed and not event.tool.startswith(("Bash", "PowerShell"))
        if by_tool or _URL.search(event.text):
            _file_pull_request(request, findings)
        else:
            findings.refuse("pull request not made")
    elif not event.failed:
        _file_ticket(request, findings)


def _file_pull_request(request: Mapping[str, Any], findings: Findings) -> None:
    message = parse(request["title"], str(request["branch"]), str(request["prompt"]))
    summary = summary_of(request["body"])
    if message is None or len(summary) < _SHORTEST:
        findings.refuse("pull request without a body")
        return
    findings.add(
        "pull-request",
        "solution" if message.is_fix() else "progress",
        cut(f"{message.subject.rstrip('.')}.\n{summary}", LONGEST),
        request,
        name=message.subject,
        tags=(message.scope,) if message.scope else (),
    )


def summary_of(body: str) -> str:
    """What a pull request's body says about the change: no test plan, checklist or signature."""
    parts: list[str] = []
    for section in sections(without_fences(clean(body))):
        if section.name and _LEFT_OUT.search(plain(section.name)):
            continue
        lines = [line for line in section.body.split("\n") if not _NOISE.search(line)]
        text = "\n".join(map(_plain_line, unwrapped("\n".join(lines)).split("\n")))
        if not text:
            continue
        name = plain(section.name).strip(" :")
        parts.append(text if is_generic(name) or not parts else f"{name}:\n{text}")
    return "\n".join(parts).strip()


def _plain_line(line: str) -> str:
    """`line` without emphasis and emoji, its list mark kept."""
    body = plain(line)
    return f"- {body}" if line.lstrip().startswith(("- ", "* ")) and body else body


def _file_ticket(request: Mapping[str, Any], findings: Findings) -> None:
    title = plain(str(request["title"]))
    first = next(
        (
            part
            for part in sections(without_fences(clean(str(request["body"]))))
            if part.body.strip()
        ),
        None,
    )
    text = unwrapped(first.body).split("\n\n")[0] if first else ""
    if len(title) + len(text) < _SHORTEST:
        findings.refuse("ticket without a description")
        return
    content = f"{title.rstrip('.')}. {text}".strip()
    findings.add("ticket", "gotcha", cut(content, 600), request, name=title)
