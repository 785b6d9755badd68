"""Compaction summaries: what lasts in the agent's own account of a session.

Claude Code asks for numbered sections. Read are rules, limits and values among the concepts. The
rest is outdated at once.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from cortex_core.base.text import clean
from cortex_core.extract import claims, wording
from cortex_core.extract.sources import ENVIRONMENT
from cortex_core.extract.state import Findings, source_of
from cortex_core.language import listener, signals
from cortex_core.language.detect import language
from cortex_core.language.markdown_parts import MarkdownItem, items, without_fences
from cortex_core.language.patterns import Pattern
from cortex_core.language.sentences import cut
from cortex_core.records.events import Event

LONGEST = 500
"""Most characters of a memory from a summary."""

_LONGEST_PASSAGE = 300
"""Characters from which the parts of an item are claims of their own."""
_CONCEPTS = 2
"""The section that is read, by its number in the order in which Claude Code asks for them."""
_NAMES = "concept file error problem intent request pending current next".split()
"""Words of the names that Claude Code gives the sections: a summary may leave one out."""
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


def on_summary(event: Event, findings: Findings) -> None:
    """File what lasts in the sections of a compaction summary."""
    body = without_fences(_body(clean(event.text)))
    code, where = language(body), source_of(event)
    for section in _concepts(body):
        for item in items(section):
            for passage in _passages(item):
                _concept(wording.plain(passage), code, where, findings)


def essence(text: str) -> str:
    """A summary without the analysis before it and its list of all that the user said."""
    body = _body(text)
    for mark, following in reversed([*pairwise(list(_SECTION.regex.finditer(body)))]):
        if "user message" in mark[2].casefold():
            body = body[: mark.start()] + body[following.start() :]
    return body


def _body(text: str) -> str:
    """A summary without the analysis before it."""
    marks = list(_SUMMARY.regex.finditer(text))
    return text[marks[-1].end() :] if marks else text


def _concepts(body: str) -> Iterator[str]:
    """The text of the sections on concepts: by their name, else by their number, as in other
    languages."""
    marks = list(_SECTION.regex.finditer(body))
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    for mark, end in zip(marks, ends, strict=False):
        name = mark[2].casefold()
        is_named = any(word in name for word in (*_NAMES, "user message"))
        if "concept" in name if is_named else int(mark[1]) == _CONCEPTS:
            yield body[mark.end() : end]


def _concept(text: str, code: str, where: Mapping[str, Any], findings: Findings) -> None:
    """Keep what an item states if it is a rule or holds a value, and can be understood alone."""
    if code == "en":
        states = claims.asserts(text) and (claims.is_rule(text) or claims.PLACE.is_in(text))
        lasts = claims.lasts(text)
    else:
        heard = listener.heard(text)
        states = claims.PLACE.is_in(text) or heard.label == "rule"
        lasts = heard.label not in ("now", "question")
    if not lasts:
        findings.refuse("line of a summary about the work")
    elif not states:
        findings.refuse("line of a summary that states nothing")
    elif not claims.stands_alone(text):
        findings.refuse("unclear")
    else:
        content = wording.finished(cut(text, LONGEST))
        tags = (ENVIRONMENT,) if claims.PLACE.is_in(text) else ()
        kind = signals.kind_of(content, code or "en")
        findings.add("concept", kind, content, where, tags=tags)


def _passages(item: MarkdownItem) -> Iterator[str]:
    """An item as one passage, or each of its parts after its name if that is too long."""
    whole = wording.plain(item.whole(4))
    if len(whole) <= _LONGEST_PASSAGE or not item.children:
        yield whole
        return
    for child in item.children[:6]:
        yield claims.labelled(wording.plain(item.text), wording.plain(child.whole(4)))
