"""Pull requests that a session opened: each becomes an entry of the history. Why something was done
its commits say; what becomes of it later, git and the forge show.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cortex_core.base.kinds import EPISODE
from cortex_core.base.text import clean, content_hash
from cortex_core.base.tools import SHELLS
from cortex_core.extract.commits import PULL
from cortex_core.extract.messages import parse
from cortex_core.extract.state import Findings, SessionState
from cortex_core.extract.wording import plain
from cortex_core.language.markdown_parts import unwrapped, without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut
from cortex_core.language.shell import Simple, calls, option
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
_HEADING = Pattern(
    "line of a heading",
    r"^#{1,6}[ \t]+\S.*$",
    finds="## Test plan",
    spares="#12 is closed",
    flags=re.MULTILINE,
)
_TOOLS = ("create_pull_request", "create_merge_request", "create_pr", "createPullRequest")
"""How the tools end that open a pull request."""


def on_tool_use(event: Event, state: SessionState) -> None:
    """Keep a pull request until its result shows that it was opened."""
    command = event.input.get("command")
    requests: list[dict[str, str]] = []
    if isinstance(command, str):
        requests = [
            _request_of_call(call, state.written)
            for program, noun in (("gh", "pr"), ("glab", "mr"))
            for call in calls(command, program, noun, "create")
        ]
    elif event.tool.endswith(_TOOLS):
        requests = [_request(event.input.get("title"), event.input.get("body"))]
    if requests and event.tool_id not in state.waiting:
        state.await_result(event, "pulls", requests=requests)


def _request_of_call(call: Simple, files: Mapping[str, str]) -> dict[str, str]:
    titles = option(call.words, "--title", "-t")
    bodies = option(call.words, "--body", "-b", "--description", "-d")
    for path in option(call.words, "--body-file", "-F"):
        bodies.append(
            call.reads[1] if path == "-" else files.get(path, path if "\n" in path else "")
        )
    return _request(titles[0] if titles else "", bodies[0] if bodies else "")


def _request(title: Any, body: Any) -> dict[str, str]:
    return {
        "title": title if isinstance(title, str) else "",
        "body": body[:12_000] if isinstance(body, str) else "",
    }


def on_tool_result(event: Event, state: SessionState, findings: Findings) -> None:
    """File the pull requests that this result shows to be open."""
    call = state.take_awaited(event, "pulls")
    for request in call["requests"] if call else ():
        shown, parsed = _NUMBER.regex.search(event.text), parse(request["title"])
        # Its number proves it; a tool of the agent's needs no proof but that it did not fail.
        if event.failed or parsed is None or (shown is None and event.tool in SHELLS):
            findings.refuse("pull request not made")
            continue
        # Of the body its first section: what follows is mostly a test plan and a signature.
        filled = filter(str.strip, _HEADING.regex.split(without_fences(clean(request["body"]))))
        lines = map(_plain_line, unwrapped(next(filled, "")).split("\n"))
        message = replace(parsed, body="\n".join(lines).strip())
        name = shown[1] if shown else content_hash(request["title"])[:7]
        title = f"Opened pull request {name}: " if shown else "Opened pull request: "
        title += message.subject
        findings.add(
            "pull-request",
            EPISODE,
            cut(f"{title.rstrip('.')}.\n{message.body}".rstrip(), LONGEST),
            call or {},
            name=title,
            tags=message.tags(),
            details={"event": f"{PULL}{name}"},
        )


def _plain_line(line: str) -> str:
    """`line` without emphasis and emoji, its list mark kept."""
    body = plain(line)
    return f"- {body}" if line.lstrip().startswith(("- ", "* ")) and body else body
