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
from cortex_core.extract.wording import is_generic, plain
from cortex_core.language.markdown_parts import sections, unwrapped, without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut, sentences
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
_LEFT_OUT = Pattern(
    "section that says nothing lasting",
    r"\b(?:test(?:s|ing)?|test plan|checklist|check list|screenshots?|to-?dos?|how to test|verif\w+"
    r"|validation|related|type of change|reviewers?|links?|references|tickets?|next steps?"
    r"|follow[- ]?ups?|remaining|out of scope|deploy\w*|demo|stats|commits|files? changed|qa)\b",
    finds="Test plan",
    spares="Summary",
)
_NOISE = Pattern(
    "line that says nothing",
    r"^\W*(?:Generated|Created|Written) (?:with|by)\b|^\s*+[-*]?\s*+\[[ xX]\]|^Co-Authored-By:"
    r"|^\s*(?:closes?|fixes|resolves|refs?|part of)\b:? (?:#|https?:)\S*\.?\s*$|^\s*(?:---+"
    r"|<!--.*-->)\s*$",
    finds="- [x] done",
    spares="Use the lock",
)


_PROGRAMS = (("gh", "pr"), ("glab", "mr"))
_VERBS = {
    "create": "open",
    "edit": "",
    "merge": "merged",
    "close": "closed",
    "reopen": "open",
    "view": "",
}
"""Subcommands, and the state of the pull request after them; empty where they do not change it."""
_SHOWN = Pattern(
    "state as it is shown", r"\b(?:MERGED|CLOSED)\b", finds="MERGED", spares="merged", flags=0
)
"""How a forge's own program shows that a pull request is no longer open."""
_STATE = Pattern("state", r"\b(merged|closed)\b", finds="it was merged", spares="it was emerging")
_NAMED = Pattern(
    "pull request by its number",
    r"(?:#|\b(?:pr|mr|pull requests?)[ #]{1,2})(\d{1,7})\b",
    finds="in PR #12",
    spares="in 12",
)
# A state that is hoped for has the form of one that is reached.
_NOT_YET = Pattern(
    "a state that is not reached",
    r"\b(?:if|when|once|after|until|unless|before|not|be|gets?|can|will|should|\w+n't)\b",
    finds="once it is",
    spares="it is",
)


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


def on_said(text: str, state: SessionState) -> None:
    """Note the pull requests that the user or the agent says are merged or closed."""
    if not state.pulls or not _STATE.regex.search(text):
        return
    for sentence in (one.text for one in sentences(text)):
        reached = _STATE.regex.search(sentence)
        if reached is None or _NOT_YET.regex.search(sentence):
            continue
        for number in _NAMED.regex.findall(sentence):
            if number in state.pulls:
                state.pulls[number]["state"] = reached[1].lower()


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
        elif request["verb"] == "view":
            shown = set(_SHOWN.regex.findall(event.text))
            if request["number"] in state.pulls and len(shown) == 1:
                state.pulls[request["number"]]["state"] = shown.pop().lower()
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
    """What a pull request's body says about the change: no test plan, checklist or signature."""
    parts: list[str] = []
    for heading, words in sections(without_fences(clean(body))):
        if heading and _LEFT_OUT.regex.search(plain(heading)):
            continue
        lines = [line for line in words.split("\n") if not _NOISE.regex.search(line)]
        text = "\n".join(map(_plain_line, unwrapped("\n".join(lines)).split("\n")))
        if not text:
            continue
        name = plain(heading).strip(" :")
        parts.append(text if is_generic(name) or not parts else f"{name}:\n{text}")
    return "\n".join(parts).strip()


def _plain_line(line: str) -> str:
    """`line` without emphasis and emoji, its list mark kept."""
    body = plain(line)
    return f"- {body}" if line.lstrip().startswith(("- ", "* ")) and body else body
