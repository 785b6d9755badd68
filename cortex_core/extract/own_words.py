"""Whose words a prompt is made of: what the user wrote in it, without what was pasted.

Code, logs, diffs, tables and reviews are other people's words, and the brief of one task holds for
that task. Nothing is heard in either.
"""

import re
from typing import NamedTuple

from cortex_core.base.text import clean
from cortex_core.language.markdown_parts import without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.redaction.secrets import strip_private

LONGEST_PROMPT = 6000
"""Characters above which a prompt is taken to be pasted."""

_SHORT_PROMPT = 400
"""Characters above which what follows the first pasted line is taken to be pasted too."""
_LONGEST_REQUEST = 1500
"""Characters above which a prompt is the brief of one task, as are the rules in it."""
_LONGEST_ROLE = 200
"""Characters above which a prompt that gives the agent a role is a brief."""
_LONGEST_LINE = 2000
"""Characters of a line of prose that is looked at; a longer one is no line of a log either."""
_MOST_BULLETS, _MOST_HEADINGS = 5, 1
"""List items and headings up to which a prompt is no brief."""
_FEWEST_LINES = 2
"""Lines above which a block may have been pasted."""

_ABOUT_THEM = Pattern(
    "what asks about the lines before it, or points at them",
    r"[?？]\W*$|^\W*(?:this|these|that's|it|here|das|dies|ceci|c'est|esto|isto|questo|это|これ|이거|这)"
    r"|\b(?:what|which|why|fix|translate|summari[sz]e|parse)\b",
    finds="(that's the sticker on the machine)",
    spares="Use tabs in Makefiles.",
)
_ENCLOSED = Pattern(
    "an element of XML with its content, or the mark of a picture or a pasted text",
    r"<([a-zA-Z][\w-]{0,40})(?:\s[^<>\n]{0,200})?>.{0,4000}?</\1>"
    r"|\[(?:Image|Pasted text|Screenshot)[^\]\n]{0,60}\]",
    finds=("<log>\nstarted\n</log>", "[Pasted text #1 +30 lines]"),
    spares=("a < b and b > c", "an image in brackets"),
    flags=re.DOTALL | re.IGNORECASE,
)
_PASTED: tuple[Pattern, ...] = (
    Pattern(
        "a shell prompt, or a setting of a shell",
        r"^\s*(?:export )?\w+=\S+\s*$"
        r"|^\s*--\w|^~\S* \$ "
        r"|^\s*[$❯➜»]\s+\S|^[\w.-]+@[\w.-]+[:~ ].*[$#] |^\s*>>> |^PS [A-Z]:\\|^[A-Z]:\\.*>",
        finds="$ npm test",
        spares="It costs $5.",
    ),
    Pattern(
        "a line of a diff",
        r"^(?:diff --git|index [0-9a-f]{6,}|@@ |\+\+\+ |--- [ab]/|[+-]\s{3,}\S)",
        finds="@@ -1,2 +1,3 @@",
        spares="- a list item",
    ),
    Pattern(
        "a line of a log, by its time or its level, or an error with its place",
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\W{0,3}\d\d:\d\d:\d\d\b|^\[\d\d?:\d\d"
        r"|^\s*at \S+ ?\(|Traceback \(most|^\s*File \".*\", line \d"
        r"|^\w*(?:Error|Exception|Warning): "
        r"|^\[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL)\b|^(?:npm|yarn|pnpm) (?:ERR|WARN)"
        r"|^(?:error|warning|fatal|panic)(?:\[\w+\])?: |^\s*\d+ [|│]|^> \S+@\d"
        r"|^Run (?:npm|yarn|pnpm|cargo)\b|^\[\d+/\d+\]|^\[[A-Z ]{4,}\]|^(?:PASS|FAIL) \S+"
        r"|^(?:not )?ok \d+|✔|✖|⠋",
        finds=("TypeError: x is not a function", "2026-01-02 10:00 started"),
        spares=("The error is in the parser.", "It starts at 10:00."),
        flags=0,
    ),
    Pattern(
        "a table, a drawing or markup",
        r"^\s*[{}\[\]()<>;,]+\s*$|^\s*<\/?\w[^>]*>\s*$|^\s*\"[^\"]+\":|[─━│┃┌┐└┘├┤█╭╮╰╯]|^={4,}"
        r"|^-{8,}|^\*{8,}|^\s*\|.*\|\s*$",
        finds="| a | b |",
        spares="a or b",
    ),
    Pattern(
        "a line of code",
        r"^\s*(?:const|let|var|import|export|from|def|class|function|return|public|private|async"
        r"|await|use|fn|pub|package|#include)\b.*[;{:)(]\s*$|[;{]\s*$|^\s{4,}\w+.*[({;]\s*$"
        r"|^\s*=> ",
        finds="const a = read(file);",
        spares="use the reader here",
        flags=0,
    ),
)
_REVIEW = Pattern(
    "what only a review or a ticket says",
    r"\b(?:code review for|pr feedback|review(?:er)?(?:'s)? (?:feedback|comments?)"
    r"|actionable comments|nitpick|coderabbit|copilot (?:review|suggest))\b"
    r"|^[^\w\n]{0,12}(?:strengths|issues & recommendations)\b|^[^\w\n]{0,12}\d+\.[ \t]+(?:critical"
    r"|security|performance|type safety|missing test|high|medium|low|major|minor)\b"
    r"|^\W*(?:critical|high|medium|low|major|minor|info)\W{1,3}severity\b"
    r"|\bin `?[\w./-]+\.\w+`? (?:around|at|on|between) lines?\b|\(lines? \d+(?:-\d+)?\)"
    r"|^[^\w\n]{0,12}(?:suggested fix|severity|fix|recommendation|impact|evidence|description"
    r"|acceptance criteria|steps to reproduce):"
    r"|^[^\w\n]{0,12}(?:critical|high|medium|low|efficiency|nit)\b\W|\w/?\w\.\w{1,4}:\d+",
    finds="Severity: high",
    spares="The severity is high.",
    flags=re.IGNORECASE | re.MULTILINE,
)
_ROLE = Pattern(
    "that gives the agent a role",
    r"^\W*(?:you are (?:an? |the |now )|act as |your (?:task|role|job) is|# (?:role|task|mission))",
    finds="You are a careful reviewer.",
    spares="You are right.",
)
_BULLET = Pattern(
    "a list item",
    r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S",
    finds="- one",
    spares="one - two",
    flags=re.MULTILINE,
)
_HEADING = Pattern(
    "a heading",
    r"^#{1,5} \S|^\*\*[^*\n]{2,60}\*\*:?[ \t]*$",
    finds="## Goal",
    spares="issue #4",
    flags=re.MULTILINE,
)
QUOTED = Pattern(
    "a sentence in quotation marks, which is somebody else's",
    r"[\"“„«][^\"“”„«»\n]{15,400}[\"”“»]|「[^」\n]{6,}」|(?<!\w)'[^'\n]{15,400}'(?!\w)"
    r"|: > [^<\n]{10,}",
    finds="The ticket says “buttons are always green”.",
    spares="Call it “buttons”.",
)


class OwnWords(NamedTuple):
    """What the user wrote of a prompt."""

    prose: str
    """Empty if everything was pasted, or is the brief of one task."""
    refusal: str = ""
    """Why there is no prose."""


def own_words(prompt: str) -> OwnWords:
    """The user's own words in a prompt."""
    text = strip_private(clean(prompt)).strip()
    if len(text) > LONGEST_PROMPT:
        return OwnWords("", "pasted")
    text = _ENCLOSED.regex.sub(" ", text)
    if review := _REVIEW.regex.search(text):
        text = text[: text.rfind("\n", 0, review.start()) + 1]
    prose = _own_lines(without_fences(text, tables=True))
    if not prose:
        return OwnWords("", "pasted")
    return OwnWords("", "the brief of one task") if _is_brief(prose) else OwnWords(prose)


def _own_lines(text: str) -> str:
    """The lines before the first pasted one; of a short prompt, all that are not pasted; of lines
    without a gap, the last one alone where it is about the others."""
    kept: list[str] = []
    lines = text.strip().split("\n")
    if len(lines) > _FEWEST_LINES and all(lines) and _ABOUT_THEM.is_in(lines[-1]):
        text = lines[-1]
    for line in text.split("\n"):
        if line.lstrip().startswith(">"):
            continue
        if looks_pasted(line):
            if len(text) > _SHORT_PROMPT:
                break
            continue
        kept.append(line)
    return "\n".join(kept).strip()


def looks_pasted(line: str) -> bool:
    """Whether a line looks like code, a log, a diff or a table and not like prose."""
    return len(line) < _LONGEST_LINE and any(pasted.regex.search(line) for pasted in _PASTED)


def _is_brief(prose: str) -> bool:
    """Whether a prompt describes one task at length, so that its rules hold for that task."""
    is_role = _ROLE.regex.match(prose) and len(prose) > _LONGEST_ROLE
    bullets, headings = (len(each.regex.findall(prose)) for each in (_BULLET, _HEADING))
    is_long = len(prose) > _LONGEST_REQUEST or bullets > _MOST_BULLETS or headings > _MOST_HEADINGS
    return bool(is_role) or is_long
