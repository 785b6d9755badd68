"""What of a human prompt a person wrote: code, logs, diffs, reviews and briefs are left out."""

from __future__ import annotations

import re
from typing import NamedTuple

from cortex_core.capture.private import strip_private
from cortex_core.capture.rules.markdown import without_fences
from cortex_core.text import clean

LONGEST = 6000
"""Prompts above this many characters are pastes."""

_LONG = 400
"""Above this, what follows the first pasted line is taken to be pasted too."""
_BRIEF = 1500
"""Above this, a prompt is a brief for one task, and so are the rules in it."""
_PLACEHOLDER = re.compile(r"\[(?:Image|Pasted text|Screenshot)[^\]\n]{0,60}\]", re.IGNORECASE)
_ELEMENT = re.compile(r"<([a-zA-Z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>.*?</\1>", re.DOTALL)
_PASTED = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\W{0,3}\d\d:\d\d:\d\d\b"  # time stamps
    r"|^\s*[$❯➜»]\s+\S|^[\w.-]+@[\w.-]+[:~ ].*[$#] |^\s*>>> "  # shell prompts
    r"|^PS [A-Z]:\\|^[A-Z]:\\.*>"
    r"|^(?:diff --git|index [0-9a-f]{6,}|@@ |\+\+\+ |--- [ab]/|[+-]{1}\s{3,}\S)"  # diffs
    r"|^\s*at \S+ ?\(|Traceback \(most|^\s*File \".*\", line \d|^\w*(?:Error|Exception|Warning): "
    r"|^\[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL)\b|^(?:npm|yarn|pnpm) (?:ERR|WARN)"
    r"|^(?:error|warning|fatal|panic)(?:\[\w+\])?: |^\s*\d+ [|│]|^> \S+@\d|^Run (?:npm|yarn|pnpm"
    r"|cargo)\b"
    r"|^\s*[{}\[\]()<>;,]+\s*$|^\s*<\/?\w[^>]*>\s*$|^\s*\"[^\"]+\":|[─━│┃┌┐└┘├┤█╭╮╰╯]|^={4,}|^-{8,}"
    r"|^\*{8,}"
    r"|^\s*\|.*\|\s*$|^\s*(?:const|let|var|import|export|from|def|class|function|return|public"
    r"|private"
    r"|async|await|use|fn|pub|package|#include)\b.*[;{:)(]\s*$|[;{]\s*$|^\s{4,}\w+.*[({;]\s*$"
    r"|^\[\d+/\d+\]|^\[[A-Z ]{4,}\]|^\s*=> |^(?:PASS|FAIL) \S+|^(?:not )?ok \d+|✔|✖|⠋",
)
_REVIEW = re.compile(
    r"\b(?:code review for|pr feedback|review(?:er)?(?:'s)? (?:feedback|comments?)"
    r"|actionable comments|nitpick|coderabbit|copilot (?:review|suggest))\b"
    r"|^[^\w\n]{0,12}(?:strengths|issues & recommendations)\b|^[^\w\n]{0,12}\d+\.[ \t]+(?:critical"
    r"|security|performance|type safety|missing test|high|medium|low|major|minor)\b"
    r"|\bin `?[\w./-]+\.\w+`? (?:around|at|on|between) lines?\b|\(lines? \d+(?:-\d+)?\)"
    r"|^[^\w\n]{0,12}(?:suggested fix|severity|fix|recommendation|impact|evidence):",
    re.IGNORECASE | re.MULTILINE,
)
_ROLE_BRIEF = re.compile(
    r"^\W*(?:you are (?:an? |the |now )|act as |your (?:task|role|job) is|# (?:role|task|mission))",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_HEADING = re.compile(r"^#{1,5} \S|^\*\*[^*\n]{2,60}\*\*:?[ \t]*$", re.MULTILINE)


class Prepared(NamedTuple):
    """A prompt as far as a person wrote it."""

    prose: str
    """Empty when nothing of it is a person's."""
    is_brief: bool = False
    """Whether it sets out one task at length, so that its rules hold for that task."""
    refusal: str = ""


def prepare(prompt: str) -> Prepared:
    """The prose of a human prompt, and whether it is a brief."""
    text = strip_private(clean(prompt)).strip()
    if len(text) > LONGEST:
        return Prepared("", refusal="pasted")
    text = _ELEMENT.sub(" ", _PLACEHOLDER.sub(" ", text))
    review = _REVIEW.search(text)
    if review:
        text = text[: text.rfind("\n", 0, review.start()) + 1]
    prose = _own_lines(without_fences(text, tables=True))
    if not prose:
        return Prepared("", refusal="pasted")
    if text.startswith("/") and re.match(r"/[a-z][\w:-]*(?:\s|$)", text):
        return Prepared("", refusal="slash command")
    return Prepared(prose, is_brief=_is_brief(prose))


def looks_pasted(line: str) -> bool:
    """Whether a line looks like code, a log, a diff or a table and not like prose."""
    return len(line) < 2000 and bool(_PASTED.search(line))


def _own_lines(text: str) -> str:
    """The lines before the first pasted one, or, in a short prompt, the lines not pasted."""
    kept: list[str] = []
    is_long = len(text) > _LONG
    for line in text.split("\n"):
        if line.lstrip().startswith(">"):
            continue
        if looks_pasted(line):
            if is_long:
                break
            continue
        kept.append(line)
    return "\n".join(kept).strip()


def _is_brief(prose: str) -> bool:
    if len(prose) > _BRIEF or (_ROLE_BRIEF.match(prose) and len(prose) > 200):
        return True
    return len(_BULLET.findall(prose)) >= 6 or len(_HEADING.findall(prose)) >= 2
