"""Splits prose into sentences.

Code spans, URLs, versions, abbreviations and bullets do not end a sentence. Everything here takes
time linear in the length of the text, whatever is in it.
"""

from collections.abc import Iterator
from itertools import pairwise

from cortex_core.base.hook_io import LightRecord
from cortex_core.language.patterns import Pattern


class Sentence(LightRecord):
    """One sentence, on one line, without its bullet mark."""

    text: str
    block: int
    """Number of its paragraph or list item, from 0."""
    bullet: bool = False
    """Whether it is in a list item."""


class TextBlock(LightRecord):
    """One paragraph, heading or list item, unwrapped to one line."""

    text: str
    kind: str
    """`prose`, `bullet` or `heading`."""


CODE_SPAN = Pattern(
    "code in a line",
    r"(?<!`)(`{1,3})(?!`)[^`\n]{1,400}\1(?!`)",
    finds="run `make test` first",
    spares="run make",
    flags=0,
)
_URL = Pattern(
    "web address",
    r"\b(?:https?|git|ssh|file)(?:\+\w+)?://[^\s<>\"'`，。！？；：、（）「」]{1,600}(?<![.,;:!?)\]])",
    finds="see https://example.test/a.",
    spares="see example.test",
    flags=0,
)
_END = Pattern(
    "end of a sentence, also by marks of Chinese and Japanese, which no space follows",
    r"(?:(?<![\s.…!?])[.…]|(?<![!?])[!?])[.!?…]*[\"'”’)\]*_»]{0,4}(?=\s|$)"
    r"|[。！？．｡]+[\"'”’)\]*_」』）】]{0,4}|(?<![.!?…])([.!?…]++)(?=[^\x00-\x7f])",
    finds="Done.",
    spares="See … for it in version 1.2",
    flags=0,
)
"""Dots with a space before them stand for what was left out. The group is a mark that no space
follows: it ends a sentence before Chinese and Japanese, whose set takes 3 ms to compile."""
_BULLET = Pattern(
    "mark of a list",
    r"(\s*)(?:[-*+•–▪◦·]|\(?\d{1,3}[.)]|\(?[a-hA-H][.)])\s+(?=\S)",
    finds="• Build it",
    spares="-5 degrees",
    flags=0,
)
_HEADING = Pattern(
    "heading",
    r"\s*(?:#{1,6}\s+\S|\*\*[^*\n]{1,80}\*\*:?\s*$|__[^_\n]{1,80}__:?\s*$)",
    finds="**Tests:**",
    spares="#hashtag",
    flags=0,
)
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie vs cf approx resp incl excl fig esp mr mrs dr prof a.k.a aka w.r.t wrt "
    "т.е т.к т.н т.о т напр см стр рис ср п "
    "z.b d.h u.a o.ä u.u bzw ggf evtl inkl vgl sog "
    "p.ej ej sra p.ex c.-à-d mme z d".split()
)
"""Abbreviations that never end a sentence."""
_ENDING_ABBREVIATIONS = frozenset(
    "etc al no nos vol ver sr jr st inc ltd co corp dept min max avg u.s u.k ca viz ed sec "
    "т.д т.п др пр руб тыс usw etc.pp ff h".split()
)
"""Abbreviations that end a sentence only if the next word begins one."""
_MARKS_OF_THEIR_OWN = frozenset("!?…。！？．｡")
"""Marks that end a sentence whatever word is before them."""
EVERY_END = Pattern(
    "a mark that may end a sentence, in every script",
    r"[.!?;](?=\s|$)|[。！？；\n]",
    finds="Do it. Now",
    spares="version 1.2",
)
"""For words that were folded, in which no code and no abbreviation can be seen: what is on either
side of such a mark is not read together."""
_WRAPPED = range(58, 101)
"""Lengths of a line that was wrapped by hand, if it ends without a full stop."""


def blocks(text: str) -> Iterator[TextBlock]:
    """The paragraphs, headings and list items of `text`, wrapped lines joined."""
    lines: list[str] = []
    kind = "prose"
    last = 0
    for line in text.split("\n"):
        stripped = line.strip()
        opening = _opening_kind(line, stripped)
        goes_on = lines and opening == "prose" and _continues(lines[-1], line, kind, last)
        if not stripped or not goes_on:
            if lines:
                yield TextBlock(" ".join(lines), kind)
            lines = []
        if not stripped:
            continue
        stripped = " ".join(stripped.split())
        if not lines:
            kind = opening
            stripped = _without_mark(stripped, opening)
        lines.append(stripped)
        last = len(line)
    if lines:
        yield TextBlock(" ".join(lines), kind)


def _opening_kind(line: str, stripped: str) -> str:
    """The kind of block that a line would begin."""
    if _HEADING.regex.match(line):
        return "heading"
    if _BULLET.regex.match(line):
        return "bullet"
    is_lead = stripped.endswith(":") and len(stripped) <= 60 and stripped.count(" ") <= 7
    return "heading" if is_lead or (stripped.endswith("：") and len(stripped) <= 24) else "prose"


def _continues(before: str, line: str, kind: str, last: int) -> bool:
    """Whether a plain line continues the block of the line `before`, whose length is `last`."""
    if kind == "heading":
        return False
    return (
        line[:1].isspace() or (last in _WRAPPED and line[:1].islower())
        if kind == "bullet"
        else last in _WRAPPED and before[-1:] not in ".!?:…"
    )


def _without_mark(line: str, kind: str) -> str:
    if kind == "bullet":
        line = _BULLET.regex.sub("", line, count=1)
    elif kind == "heading":
        line = line.strip().lstrip("#").strip()
    return line.strip()


def sentences(text: str) -> list[Sentence]:
    """The sentences of `text` in order; headings are left out."""
    parts: list[Sentence] = []
    for number, block in enumerate(blocks(text)):
        if block.kind == "heading":
            continue
        parts += [Sentence(part, number, block.kind == "bullet") for part in split(block.text)]
    return parts


def in_lines(text: str) -> list[str]:
    """The sentences of each line of `text`, headings too, without the marks of list items."""
    bullets = ((line, _BULLET.regex.match(line)) for line in text.split("\n"))
    lines = (line[bullet.end() :] if bullet else line for line, bullet in bullets)
    return [part for line in lines for part in split(line)]


def split(line: str) -> list[str]:
    """The sentences of one unwrapped paragraph."""
    ends = [0, *_ends(mask(line)), len(line)]
    return [part for start, end in pairwise(ends) if (part := line[start:end].strip())]


def _ends(masked: str) -> Iterator[int]:
    """Where each sentence ends, after its mark."""
    start = 0
    for end in _END.regex.finditer(masked):
        is_apart = not end[1] or "\u3041" <= masked[end.end()] <= "\u9fff"
        if is_apart and _is_boundary(masked, end.start(), end.end(), start):
            yield (start := end.end())


def mask(line: str) -> str:
    """`line` with code spans and URLs overwritten by `\\x01`; its length stays the same."""
    for mark, pattern in (("`", CODE_SPAN), ("://", _URL)):
        if mark in line:
            line = pattern.regex.sub(lambda span: "\x01" * len(span.group()), line)
    return line


def _is_boundary(masked: str, mark: int, end: int, start: int) -> bool:
    """Whether the full stop at `mark` ends a sentence that began at `start`."""
    if masked[mark] in _MARKS_OF_THEIR_OWN:
        return not (masked[mark] == "…" and not _opens_new(masked, end))
    if masked[mark : mark + 3] == "...":
        return _opens_new(masked, end)
    word = masked[max(start, mark - 16) : mark].rsplit(None, 1)
    last = word[-1].lstrip("(\"'").casefold() if word else ""
    if last in _ABBREVIATIONS:
        return False
    if last in _ENDING_ABBREVIATIONS or last.isdigit():  # “Steps: 1. bump it 2. tag it”
        return _opens_new(masked, end)
    is_initial = len(last) == 1 and last.isalpha() and masked[mark - 1].isupper()
    return not (is_initial and _opens_new(masked, end) and mark - start > 3)


def _opens_new(masked: str, end: int) -> bool:
    """Whether what follows looks like the start of a sentence."""
    rest = masked[end : end + 40].lstrip()
    return not rest or not rest[0].islower()


def cut(text: str, limit: int) -> str:
    """`text` in at most `limit` characters, cut after a sentence if there is one.

    Without a full stop in the last two thirds it is cut after a word, and an ellipsis is added.
    """
    text = text.strip()
    if len(text) <= limit:
        return text
    head = text[:limit]
    stops = [stop for stop in _ends(mask(head[: limit - 1] + " ")) if stop <= limit]
    best = max(*stops, head.rfind("\n"), -1)
    return (
        text[:best].rstrip()
        if best >= limit // 3
        else head[: limit - 1].rsplit(None, 1)[0].rstrip(" ,;:-—–(") + "…"
    )
