"""Compaction summaries: what lasts in the agent's own account of a session.

Claude Code asks for numbered sections. Read are rules, limits and values among the concepts, causes
with their fix among errors and problems, and what is pending. The rest is outdated at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from cortex_core.base.text import clean, marked_identifiers
from cortex_core.extract import claims, open_ends, wording
from cortex_core.extract.sources import ENVIRONMENT
from cortex_core.extract.state import Findings, SessionState, source_of
from cortex_core.extract.wording import plain
from cortex_core.language import signals
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import MarkdownItem, items, without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut, mask, split
from cortex_core.records.events import Event

LONGEST = 500
"""Most characters of a memory from a summary."""

_LONGEST_PASSAGE = 300
"""Characters from which the parts of an item are claims of their own."""
Topic = Literal["concepts", "problems", "pending", "other"]

_TOPICS: tuple[Topic, ...] = (
    "other",
    "other",
    "concepts",
    "other",
    "problems",
    "problems",
    "other",
    "pending",
)
"""What the sections are about, by number, in the order in which Claude Code asks for them."""
_NAMED: tuple[tuple[str, Topic], ...] = (
    ("concept", "concepts"),
    ("file", "other"),
    ("error", "problems"),
    ("problem", "problems"),
    ("user message", "other"),
    ("intent", "other"),
    ("request", "other"),
    ("pending", "pending"),
    ("current", "other"),
    ("next", "other"),
)
"""The names that Claude Code gives the sections: a summary may leave one out."""
_SUMMARY = Pattern(
    "beginning of a summary",
    r"^[ \t]*(?:<summary>|\**Summary:?\**:?[ \t]*$)",
    finds="<summary>",
    spares="A summary",
    flags=re.MULTILINE,
)
_SECTION = Pattern(
    "section of a summary",
    r"^(?:#{1,4}[ \t]*)?\**(\d{1,2})\.[ \t]+\**([^\n*:]{3,60})\**:?\**:?[ \t]*$",
    finds="3. Files and Code:",
    spares="Files and Code",
    flags=re.MULTILINE,
)
_SUBHEADING = Pattern(
    "heading within a section",
    r"^(?:#{2,5}[ \t]+(\S.{0,120})|\*\*([^*\n]{2,120})\*\*:?)[ \t]*$",
    finds="### Files",
    spares="Files",
    flags=0,
)


def on_summary(event: Event, state: SessionState, findings: Findings) -> None:
    """File what lasts in the sections of a compaction summary."""
    text = clean(event.text)
    marks = list(_SUMMARY.regex.finditer(text))
    body = without_fences(text[marks[-1].end() :] if marks else text)
    code = language(body)
    pending: list[str] = []
    for topic, section in _sections(body):
        for item in items(_as_list(section)):
            if topic == "pending":
                pending.append(item.text)
            else:
                _read(topic, item, code, event, findings)
    open_ends.on_pending(pending, state)


def _sections(body: str) -> Iterator[tuple[Topic, str]]:
    """Topic and text of the numbered sections."""
    marks = list(_SECTION.regex.finditer(body))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(body)
        yield _topic(int(mark[1]), mark[2].casefold()), body[mark.end() : end]


def _topic(number: int, name: str) -> Topic:
    """What a section is about: by its name, else by its number, as in other languages."""
    named = next((topic for word, topic in _NAMED if word in name), None)
    return named or (_TOPICS[number] if number < len(_TOPICS) else "other")


def _as_list(section: str) -> str:
    """`section` with its headings as list items, and what is below them nested."""
    lines, margin = [], ""
    for line in section.split("\n"):
        if heading := _SUBHEADING.regex.match(line.strip()):
            lines.append(f"- {heading[1] or heading[2]}")
            margin = "      "
        else:
            lines.append(margin + line)
    return "\n".join(lines)


_NUMBERED = Pattern(
    "number of a problem",
    r"^(?:error|problem|issue|bug)\s*#?\d+\s*[:.—-]+\s*",
    finds="Error 2: the lock",
    spares="The error",
)
_FINDING = Pattern(
    "what was found",
    r"^[A-Z][a-z]+(?:ed|und) that\s+",
    finds="Found that the lock leaks",
    spares="The lock leaks",
)
"""“Established that”: what follows is the claim."""
_CAUSE = Pattern(
    "label of a cause",
    r"^(?:the )?(?:root |real |actual |underlying )?(?:cause|reason|issue)\s*(?::|was|is)\s*",
    finds="Root cause: the lock",
    spares="The lock",
)
_FIX_LABEL = Pattern(
    "label of a fix",
    r"^(?:the )?(?:fix|solution|resolution|workaround)\b[^:]{0,20}:",
    finds="The fix: a lock",
    spares="A fix",
)
_FIX = Pattern(
    "fix",
    rf"{_FIX_LABEL.source}|^(?:fixed|solved|resolved|worked)\b",
    finds="Fixed by a lock",
    spares="By a lock",
)
_USER = Pattern(
    "what the user did",
    r"\b(?:the )?user\b (?:\w+ly |then |also )?\w+ed\b|\buser (?:said|wants?|told|chose)\b",
    finds="the user said so",
    spares="the users table",
)
"""What the user did in the session; a product has users too."""


def _read(topic: Topic, item: MarkdownItem, code: str, event: Event, findings: Findings) -> None:
    """File what lasts of an item of a section on `topic`."""
    where = source_of(event)
    if topic == "concepts":
        for text in map(plain, _passages(item)):
            _concept(text, code, where, findings)
    elif topic == "problems" and code == "en":
        _problem(item, where, findings)


def _concept(text: str, code: str, where: Mapping[str, Any], findings: Findings) -> None:
    """Keep what an item states if it is a rule or holds a value, and can be understood alone."""
    if code == "en":
        states = claims.asserts(text) and (claims.is_rule(text) or claims.holds_value(text))
        lasts = claims.lasts(text) and not (
            claims.MENDED.is_in(mask(text)) or _USER.is_in(mask(text))
        )
    else:
        states = claims.holds_value(text) or signals.search("order", text, code) is not None
        lasts = not signals.search("passing", text, code)
    if not lasts:
        findings.refuse("concept about the work")
    elif not states:
        findings.refuse("concept that states nothing")
    elif not claims.stands_alone(text):
        findings.refuse("unclear")
    else:
        _add("concept", signals.kind_of(text, code or "en"), text, where, findings)


def _problem(item: MarkdownItem, where: Mapping[str, Any], findings: Findings) -> None:
    """Suggest the cause of a problem with its fix; without a cause that lasts nothing."""
    head, told_all = _headed(item)
    said = [_FINDING.regex.sub("", each) for each in told_all if not _USER.regex.search(mask(each))]
    fixes = [each for each in said if _FIX.regex.match(each)]
    named = [_CAUSE.regex.sub("", each) for each in said if _CAUSE.regex.match(each)]
    causes = [each for each in named if claims.holds(each)]
    # A trap is what is not so, must be so, or has a value.
    traps = (each for each in said if claims.is_rule(each) or claims.holds_value(each))
    causes = causes or [each for each in traps if each not in fixes and claims.holds(each)]
    told = " ".join([*map(wording.finished, causes[:2]), *map(_fixed, fixes[:1])])
    label = "" if claims.is_passing(head) or _USER.regex.search(head) else head
    is_named = bool(marked_identifiers(f"{head} {told}"))
    if not (causes and fixes and is_named) or wording.is_thin(told, 5):
        findings.refuse("problem without a cause that lasts")
    else:
        _add("solved", "gotcha", claims.labelled(label, told), where, findings)


def _add(rule: str, kind: str, text: str, where: Mapping[str, Any], findings: Findings) -> None:
    content = wording.finished(cut(text, LONGEST))
    tags = (ENVIRONMENT,) if claims.names_place(text) else ()
    findings.add(rule, kind, content, where, tags=tags)


def _passages(item: MarkdownItem) -> Iterator[str]:
    """An item as one passage, or each of its parts after its name if that is too long."""
    whole = plain(item.whole(4))
    if len(whole) <= _LONGEST_PASSAGE or not item.children:
        yield whole
        return
    for child in item.children[:6]:
        yield claims.labelled(plain(item.text), plain(child.whole(4)))


def _headed(item: MarkdownItem) -> tuple[str, list[str]]:
    """The name of an item, and its sentences."""
    head, _, rest = _NUMBERED.regex.sub("", plain(item.text)).partition(": ")
    lines = [rest, *(plain(child.whole(4)) for child in item.children[:8])]
    if not rest and not item.children:
        head, lines = "", [head]
    return head, [sentence for line in lines for sentence in split(line)]


def _fixed(sentence: str) -> str:
    """A sentence that tells how a problem was solved, with the same label wherever it has one."""
    label = _FIX_LABEL.regex.match(sentence)
    if label is None:
        return wording.finished(sentence)
    return signals.said("fix", language(sentence), text=sentence[label.end() :].strip())
