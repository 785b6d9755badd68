"""The one line a user would put over a memory."""

from __future__ import annotations

import re

from cortex_core.base.text import one_line
from cortex_core.extract.sentences import mask, split

LIMIT = 80
"""Most characters of a title."""

_LONGEST_LINE = 4000
_SHORTEST = 24
"""A clause below this says too little to stand as a title by itself."""
_BOLD = re.compile(r"\*\*(?=[\w`\"'“(\[<@.$-])([^*\n]{1,200}?)(?<=\S)\*\*(?![\w/])")
_ITALIC = re.compile(r"(?<![\w*/\\])\*(?=[\w`\"'“(])([^*\n]{1,120}?[\w`\"'”).!?])\*(?![\w*/.])")
_LINK = re.compile(r"!?\[([^\]\n]{1,160})\]\((?:[^()\n]{0,300})\)")
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b\u23e9-\u23fa\ufe0f\u200d\u20e3]+"
)
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s+|[-*+•–▪]\s+|\(?\d{1,3}[.)]\s+|\[[ xX]\]\s+)+")
_OPENER = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|right|alright|all right|great|perfect|excellent|good|nice|yes|yeah"
    r"|yep|sure|ah+|oh|hmm+|wow|awesome|cool|thanks|thank you|got it|found it|done|fixed"
    r"|absolutely|indeed|now|also|then|and|but|please|pls|hey|hi|hello|btw|by the way|fyi|success"
    r"|i see(?: it| the (?:issue|problem))?|you'?re (?:absolutely )?right|good (?:catch|question)"
    r"|that'?s it|in short|tl;?dr|note(?: that)?|remember(?: that)?|for the record)"
    r"(?:\s*[!.,:;—–]+\s*|\s+-\s+|\s+(?=(?:so|now|then|and|also|please|well)\b)))+",
    re.IGNORECASE,
)
_OPENER_WORD = re.compile(r"^(?:so|also|then|please|and|but|now),?\s+(?=\w)", re.IGNORECASE)
_ADJECTIVE_PAIR = re.compile(
    r"\b(?:an?|the|with|of|for|to|in|by|on|and|as|is|are|more|very|our|my|your|their|its|into|from"
    r"|using|use|prefer|prioriti[sz]e|add|create|keep|make|provide|want)\s+[\w-]+$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r",\s+(?:which|who|like|so|but|and|not|or|rather|instead|as|because|since|where|when|while|you"
    r"|then|with|without|including|such|\w+ing)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r",(?=\s)|;(?=\s)|:(?=\s)|\s+[—–-]+(?=\s)|\s+(?=\()|\s+→(?=\s)")
_CONNECTIVE = re.compile(
    r"\s+(?=(?:because|since|so that|which|whereas|instead of|rather than|due to|in order to"
    r"|otherwise|as well as|and|but|to (?:avoid|prevent|guarantee|ensure|keep|make|allow|support"
    r"|enable|reduce|fully|maximize|minimize|improve|maintain)|via|through)\b)"
)
_COMMANDS = frozenset(
    "git npm npx pnpm yarn bun pip uv mix cargo go docker make python node gh kubectl bd".split()
)
_GENERIC = frozenset(
    """
    summary overview context background problem problems issue issues solution solutions fix fixes
    approach strategy plan goal goals description details changes key changes what changed notes
    note implementation results result conclusion recommendation recommendations next steps steps
    status final status root cause cause key findings findings decision decisions rationale testing
    test plan verification files to modify files task tasks todo why how what the issue the problem
    the fix the solution key insight key insights introduction architecture design proposal
    requirements scope analysis report answer fix applied final answer update updates done success
    """.split()
) | {
    "key changes", "what changed", "next steps", "final status", "root cause", "key findings",
    "test plan", "files to modify", "the issue", "the problem", "the fix", "the solution",
    "key insight", "key insights", "fix applied", "fixes applied", "final answer", "what was done",
    "what i found", "what i did", "how it works", "the key question", "current state",
    "current status", "quick summary", "in summary", "executive summary", "problem solving",
}  # fmt: skip


def plain(line: str) -> str:
    """`line` without emphasis, links, emoji and list marks; code spans and globs stay."""
    line = _MARK.sub("", one_line(line[:_LONGEST_LINE]))
    line = _EMOJI.sub("", line)
    pieces = re.split(r"(`[^`]{1,400}`)", line) if "`" in line else [line]
    for number in range(0, len(pieces), 2):
        pieces[number] = _LINK.sub(r"\1", pieces[number])
    line = "".join(pieces)
    if "*" in line:
        line = _ITALIC.sub(r"\1", _BOLD.sub(r"\1", line))
    return re.sub(r"\s{2,}", " ", line).strip()


def is_generic(line: str) -> bool:
    """Whether `line` is a heading that fits any text, or no words at all."""
    name = plain(line).strip(" .:;!?—–-*#").casefold()
    return not name or name in _GENERIC


def title(content: str, about: str = "") -> str:
    """One line of at most `LIMIT` characters that names what `content` says.

    The first clause that says something: openers, emphasis and emoji dropped, cut at a comma, a
    dash or a connective, never within a word or code span. `about` is the section's or task's
    name: it leads where the content's own beginning is a generic heading, or is nothing.
    """
    lines = [line for line in content.split("\n") if line.strip()]
    for number, line in enumerate(lines[:12]):
        text = without_opener(plain(line))
        is_heading = line.lstrip().startswith("#") or text.endswith(":")
        if is_generic(text) or (is_heading and len(text) < _SHORTEST and number + 1 < len(lines)):
            continue
        if head := clause(text):
            return _led_by(about, head)
    fallback = plain(about) or plain(one_line(content))
    return _capital(shorten(fallback.strip(" :"))) or "Untitled"


def _led_by(about: str, head: str) -> str:
    """`head`, with the section's name before it where it is too short to stand alone."""
    name = plain(about).strip(" .:")
    if len(head) >= _SHORTEST or not name or is_generic(name) or name.casefold() in head.casefold():
        return _capital(head)
    return _capital(shorten(f"{name}: {head}"))


def without_opener(text: str) -> str:
    """`text` without what people say before they say something: “OK so”, “Root cause:”."""
    for _ in range(4):
        shorter = _OPENER_WORD.sub("", _OPENER.sub("", text), count=1)
        label, colon, rest = shorter.partition(": ")
        if colon and rest.strip() and is_generic(label):
            shorter = rest.strip()
        if shorter == text or not shorter:
            return text
        text = shorter
    return text


def clause(text: str) -> str:
    """The first sentence of `text` as one clause of at most `LIMIT` characters."""
    parts = [part for part in split(text) if re.search(r"\w", part)]
    if not parts:
        return ""
    return shorten(parts[0].rstrip(" .!;:,…"))


def shorten(text: str, limit: int = LIMIT) -> str:
    """`text` at most `limit` characters long, cut at a clause, a connective, else after a word."""
    if len(text) <= limit:
        return text
    masked = mask(text)
    for pattern, least in ((_CLAUSE, _SHORTEST), (_CONNECTIVE, _SHORTEST + 12)):
        stops = [stop.start() for stop in pattern.finditer(masked, 0, limit + 2)]
        fitting = [stop for stop in stops if least <= stop <= limit and _is_end(text, stop)]
        if fitting:
            return text[: fitting[-1]].rstrip(" ,;:—–-")
    stops = [space.start() for space in re.finditer(r"\s", masked[:limit])]
    stop = stops[-1] if stops else limit - 1
    return text[:stop].rstrip(" ,;:—–-(") + "…"


def _is_end(text: str, stop: int) -> bool:
    """Whether `text` can end at `stop`: brackets and spans closed, no adjective left alone."""
    head = text[:stop]
    if text[stop] == "," and _ADJECTIVE_PAIR.search(head[-40:]) and not _GOES_ON.match(text, stop):
        return False
    return (
        head.count("(") <= head.count(")")
        and head.count("`") % 2 == 0
        and head.count('"') % 2 == 0
        and head.count("[") <= head.count("]")
    )


def _capital(text: str) -> str:
    """`text` with a capital first letter where it opens with an ordinary word."""
    first = text.split(None, 1)[0].rstrip(",.:;!?") if text.strip() else ""
    is_word = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    return text[:1].upper() + text[1:] if is_word and first not in _COMMANDS else text
