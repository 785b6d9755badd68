"""Splits plain Markdown notes into pieces to remember one by one: a section, or an item of a list.

A list whose items make sense alone gives one piece for each; lists of names or steps, and all else,
stay with their section. A piece that says too little is joined to its heading, or left out. The
kind of a piece follows from what it says, else from its headings.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cortex_core.base import text
from cortex_core.extract import wording as titles
from cortex_core.language import markdown_parts
from cortex_core.language.patterns import Pattern
from cortex_core.records import procedure_plan
from cortex_core.triggers import finding

LONGEST = 3_000
"""Characters of a section above which it is divided between paragraphs."""

LEAST_WORDS = 3
"""Content words that a piece needs, its heading included."""

LEAST_ITEM_WORDS = 3
"""Content words from which a list item becomes a memory of its own."""

LEAST_STEPS = 3
"""Items from which a numbered list can be a procedure."""

_PARAGRAPH_END = Pattern("end of a paragraph", r"\n\s*\n", finds="a\n \nb", spares="a\nb", flags=0)
_COMMENT = Pattern(
    "comment", r"<!--.*?-->", finds="a <!-- b --> c", spares="a <! b", flags=re.DOTALL
)
_BARE_LINK = Pattern(
    "line that is a link and nothing else",
    r"^[-*+\s]*(?:!?\[[^\]]*\]\([^)]*\)|<?https?://\S+>?|@\S+)\s*[.:;—–-]*\s*$",
    finds="- [docs](docs/a.md).",
    spares="see [docs](docs/a.md)",
    flags=0,
)
_STEPS = (
    "how to,step,process,procedure,workflow,run book,runbook,checklist,recipe,playbook,set up,setup"
    ",install,deploy,releas,roll back,rollback,roll out,rollout,migrat,onboard,restor"
).split(",")
"""Beginnings of words in the headings of steps."""

_BY_HEADING = {
    "decision": "decision,adr ,adrs,why we,rationale",
    "gotcha": "gotcha,pitfall,known issue,known bug,caveat,trap,watch out,troubleshoot",
    "solution": "fixes,solution,workaround",
    "insight": "lesson,learned,learning,what we learned,insight,takeaway",
    "preference": "preference,i like,i prefer",
    "policy": "never,don't,don’t,do not,forbidden,security rule,hard rule,constraint,polic",
    "architecture": "architecture,structure,layout,component,module,data flow,dataflow",
    "pattern": "pattern,idiom",
    "progress": "status,progress,roadmap,to-do,todo,next ,changelog",
}
"""The kinds of what is below a heading, each by beginnings of words in it; the first counts."""

_LISTS_RULES = "rule,convention,guideline,style,standard,principle,preference".split(",")
"""The same in headings below which each item of a list is a rule, however short."""

_RULES = (
    *_LISTS_RULES,
    *"practice,instruction,workflow,testing,commit,git,naming,formatting,code".split(","),
)
"""The same in the headings of rules."""

_POLICY = Pattern(
    "rule that allows nothing else",
    r"(?i:^(?:never|always|do not|don't|must(?: not)?|you must|under no circumstances"
    r"|no \w+ without)\b)"
    r"|\bMUST\b|\bNEVER\b|\bALWAYS\b|\b(?:is|are) (?:forbidden|not allowed|mandatory)\b",
    finds="Never push to main",
    spares="It never rains",
    flags=0,
)
_DECISION = Pattern(
    "decision",
    r"\bwe (?:chose|decided|picked|settled on|went with|moved (?:to|from))\b",
    finds="Here we went with SQLite",
    spares="We like SQLite",
)
_ORDER = Pattern(
    "order",
    r"^.{0,80}\bmust (?:never|not)\b|^(?:please |only |when \w.{0,60}, |before \w.{0,60}, "
    r"|after \w.{0,60}, )?(?:use|prefer|avoid"
    r"|run|write|keep|follow|ensure|make|add|put|name|test|commit|check|read|ask|never|always|don't"
    r"|do not|stick|favou?r|leave|return|handle|import|export|document|format|validate|wrap|place"
    r"|store|treat|update|include|start|stop|work|be|limit|split|update|create|build|mock|log|pass"
    r"|reuse|set|sort|throw|try|verify|call|respond|answer|speak)\b",
    finds="Use pnpm",
    spares="The users of pnpm",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A piece of a note that makes sense alone."""

    content: str
    title: str
    path: tuple[str, ...]
    """The headings above it, the outermost first."""
    steps: tuple[str, ...] = ()
    """The steps, if the piece says how something is done."""


Section = tuple[tuple[str, ...], list[str]]
"""The headings above some lines, the outermost first, and these lines."""


def pieces(body: str, name: str = "") -> Iterator[Note]:
    """The pieces of a note, in its order.

    Args:
        name: the name of the whole note, for pieces without a heading.
    """
    words = text.clean(body)
    # Behind the last end of a comment none is looked for: each beginning would be read to the end.
    end = words.rfind("-->") + 3
    for path, lines in sections(_COMMENT.regex.sub("", words[:end]) + words[end:], name):
        yield from _pieces_of(path, lines)


def sections(body: str, name: str = "") -> list[Section]:
    """The sections of a note; headings in fenced code do not count."""
    listed: list[Section] = [((name,) if name else (), [])]
    above: list[tuple[int, str]] = []
    closing = ""
    lines = body.split("\n")
    for number, line in enumerate(lines):
        before, closing = closing, _still_open(closing, line)
        if before or closing:
            listed[-1][1].append(line)
        elif heading := _heading(lines, number):
            above = [*(each for each in above if each[0] < heading[0]), heading]
            listed.append((tuple(titles.plain(words) for _, words in above), []))
        elif not (number and _underlined(line) and _heading(lines, number - 1)):
            listed[-1][1].append(line)
    return listed


def is_list(body: str) -> bool:
    """Whether a note is a list of items that make sense alone, with at most an introduction."""
    before, items, after = _divided(body.strip().split("\n"))
    is_introduced = not before.strip() or before.rstrip().endswith(":")
    return bool(items) and is_introduced and not after.strip() and _make_sense_alone(items)


def about(name: str) -> str:
    """The name of a file as words; empty for names that every project uses."""
    stem = name.rpartition("/")[2].removesuffix(".md")
    if stem.upper().startswith(("CLAUDE", "MEMORY", "README", "INDEX", "AGENTS")):
        return ""
    return stem.replace("_", " ").replace("-", " ").strip().capitalize()


def meta_texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The words of a list in a frontmatter, without `#` and spaces; none for other values."""
    value = fields.get(name)
    words = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(words, list):
        return ()
    texts = (word.strip() for word in words if isinstance(word, str))
    return tuple(word.lstrip("#") for word in texts if word)


def kind(path: Sequence[str], content: str) -> str:
    """The kind of a piece of a note.

    Args:
        path: the headings above it, the outermost first.
    """
    lead = titles.plain(content.split("\n")[0])
    if _DECISION.regex.search(lead):
        return "decision"
    if _POLICY.regex.search(lead):
        return "policy"
    for heading in reversed(path):
        for name, beginnings in _BY_HEADING.items():
            if _names(heading, beginnings.split(",")):
                return name
    is_order = _ORDER.regex.search(lead) and any(_names(heading, _RULES) for heading in path)
    return "preference" if is_order else "fact"


def _names(heading: str, beginnings: Sequence[str]) -> bool:
    """Whether a word of a heading begins as one of these does, or several words in a row."""
    return any(f" {beginning}" in f" {heading.casefold()} " for beginning in beginnings)


def rule_kind(path: Sequence[str], content: str) -> str:
    """The kind of a piece of a file with rules for an agent, such as CLAUDE.md."""
    lead = titles.plain(content.split("\n")[0])
    general = finding.kind_of(lead, kind(path, content))
    return "preference" if general in ("fact", "pattern") and _ORDER.regex.search(lead) else general


def _still_open(closing: str, line: str) -> str:
    """The fence that is still open after `line`; empty for none."""
    if closing:
        ends = line.strip().startswith(closing) and not line.strip().strip("`~")
        return "" if ends else closing
    fence = markdown_parts.FENCE.regex.match(line)
    return fence[1] if fence else ""


def _heading(lines: Sequence[str], number: int) -> tuple[int, str] | None:
    """The level and the words of a heading, also of one that the next line underlines."""
    line = lines[number]
    if match := markdown_parts.HEADING.regex.match(line):
        return len(match[1]), line[match.end() :].rstrip().rstrip("#").rstrip()
    level = _underlined("".join(lines[number + 1 : number + 2]))
    is_alone = not number or not lines[number - 1].strip()
    is_item = markdown_parts.ITEM.is_in(line) or line.startswith((" ", "\t", ">", "|"))
    return (level, line.strip()) if level and is_alone and line.strip() and not is_item else None


def _underlined(line: str) -> int:
    """The level of a heading that `line` underlines; 0 if it is no underline."""
    marks = line.rstrip()
    below = 2 if len(marks) >= 3 and not marks.strip("-") else 0
    return 1 if marks and not marks.strip("=") else below


def _pieces_of(path: tuple[str, ...], lines: Sequence[str]) -> Iterator[Note]:
    lines = [line for line in lines if not (_BARE_LINK.regex.match(line) or _is_ruler(line))]
    before, items, after = _divided(lines)
    before, after = before.strip(), after.strip()
    lists_rules = _names(" ".join(path[-1:]), _LISTS_RULES)
    # A list that says how something is done, step by step.
    is_numbered = all(item[0].lstrip()[0].isdigit() for item in items)
    is_long = len(items) >= LEAST_STEPS
    if is_numbered and is_long and _names(" ".join(path[-2:]), _STEPS):
        yield from _procedure(path, before, [text.one_line(_unmarked(entry)) for entry in items])
        yield from _prose(path, after)
    elif items and (lists_rules or _make_sense_alone(items)):
        is_intro = before.endswith(":") and "\n\n" not in before
        yield from _prose(path, "" if is_intro else before)
        above = (*path, before.rstrip(": ")) if is_intro and len(before) < 80 else path
        for item in items:
            yield from _single(above, _unmarked(item), is_item=True, is_rule=lists_rules)
        yield from _prose(path, after)
    else:
        yield from _prose(path, "\n".join(lines))


def _is_ruler(line: str) -> bool:
    """Whether `line` is a horizontal rule."""
    marks = "".join(line.split())
    return len(marks) >= 3 and not marks.strip("-*_")


def _procedure(path: tuple[str, ...], lead: str, steps: Sequence[str]) -> Iterator[Note]:
    plan = procedure_plan.ProcedurePlan(steps=tuple(step for step in steps if step))
    name = heading_of(path)
    yield Note(
        content=procedure_plan.content(lead or name, plan),
        path=path,
        steps=plan.steps,
        title=name or titles.title(lead or steps[0]),
    )


def _divided(lines: Sequence[str]) -> tuple[str, list[list[str]], str]:
    """The text before the only list of a section, its items with what is nested, and the rest.

    A section with several lists, or with code that is not indented, is not divided.
    """
    starts = [number for number, line in enumerate(lines) if _is_top_item(line)]
    if len(starts) < 2 or any(
        markdown_parts.FENCE.regex.match(line) for line in lines if not line.startswith(" ")
    ):
        return "\n".join(lines), [], ""
    items: list[list[str]] = []
    end = starts[0]
    while end < len(lines):
        line = lines[end]
        if _is_top_item(line):
            items.append([line])
        elif not line.strip() or line[:1].isspace() or lines[end - 1].strip():
            items[-1].append(line)
        else:
            break
        end += 1
    if any(number >= end for number in starts):
        return "\n".join(lines), [], ""
    return "\n".join(lines[: starts[0]]), items, "\n".join(lines[end:])


def _is_top_item(line: str) -> bool:
    match = markdown_parts.ITEM.regex.match(line)
    return match is not None and len(match[1].expandtabs(4)) < 2


def _make_sense_alone(items: Sequence[Sequence[str]]) -> bool:
    """Whether most items of a list make sense alone."""
    enough = sum(len(_first_words(" ".join(item))) >= LEAST_ITEM_WORDS for item in items)
    return enough * 2 > len(items)


def _unmarked(item: Sequence[str]) -> str:
    """An item without its mark, and the nested lines with as much less indentation."""
    match = markdown_parts.ITEM.regex.match(item[0])
    assert match is not None
    margin = len(item[0]) - len(match[2])
    below = [line[margin:] if not line[:margin].strip() else line.strip() for line in item[1:]]
    return "\n".join([match[2], *below]).strip()


def _prose(path: tuple[str, ...], body: str) -> Iterator[Note]:
    body = body.strip()
    if len(body) <= LONGEST:
        yield from _single(path, body)
        return
    for piece in _blocks(body):
        yield from _single(path, piece)


def _blocks(body: str) -> Iterator[str]:
    """A long text in pieces of at most about `LONGEST`, divided between paragraphs."""
    block = ""
    closing = ""
    for paragraph in _PARAGRAPH_END.regex.split(body):
        if block and not closing and len(block) + len(paragraph) > LONGEST:
            yield block
            block = ""
        block = f"{block}\n\n{paragraph}" if block else paragraph
        for line in paragraph.split("\n"):
            closing = _still_open(closing, line)
    if block:
        yield block


def _single(
    path: tuple[str, ...], body: str, *, is_item: bool = False, is_rule: bool = False
) -> Iterator[Note]:
    """One piece, if it says enough or is a rule, joined to its heading where it is short."""
    name = heading_of(path)
    said = _first_words(body)
    has_heading = bool(path) and not titles.is_generic(path[-1])
    is_order = is_item and any(each.is_in(titles.plain(body)) for each in (_POLICY, _ORDER))
    least = 1 if is_rule or is_order else LEAST_WORDS
    if not said or len(_first_words(f"{name} {body}" if has_heading else body)) < least:
        return
    # “Use pnpm” says all; “2 spaces” needs its heading.
    is_short = len(said) < LEAST_ITEM_WORDS and "\n" not in body and not is_order
    is_list = not is_item and bool(markdown_parts.ITEM.regex.match(body.split("\n")[0]))
    joined = f"{name}: {body}" if is_short else f"{name}:\n{body}"
    content = joined if name and (is_short or is_list) else body
    is_named = bool(name) and not is_item and len(name) <= titles.LONGEST_TITLE and "\n" in body
    title = name if is_named else titles.title(content, name if is_short else "")
    yield Note(content=content, title=title, path=path)


def _first_words(body: str) -> list[str]:
    """As many content words as it can depend on whether a text says enough."""
    return text.content_words(body, max(LEAST_WORDS, LEAST_ITEM_WORDS))


def heading_of(path: Sequence[str]) -> str:
    """The subject of a piece: its heading, with the one above where it says little alone."""
    named = [each for each in path if each]
    if not named:
        return ""
    last = named[-1]
    if len(named) > 1 and (titles.is_generic(last) or len(text.content_words(last)) < 2):
        above = next((each for each in reversed(named[:-1]) if not titles.is_generic(each)), "")
        last = f"{above}: {last}" if above and not titles.is_generic(last) else above or last
    return "" if titles.is_generic(last) else last.rstrip(": ")
