"""What a piece of code is for, in words that a question may be asked in.

Without a model the words are the file's own: its path, its documentation, and for each definition
its name taken apart, its documentation and its signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cortex_core.code_index.outline import NAMES, Outline, Symbol

LONGEST = 4_000
"""Characters of a description. More makes it no easier to find, and slower to embed."""

LONGEST_DOC = 600
"""Characters of one definition's documentation."""

LONGEST_SUMMARY = 110
"""Characters of the sentence that a title takes."""

MOST_COMMENTS = 12

_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[A-Z]")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_TAGS = re.compile(r"^\s*(@\w+|:param\b|:return|Args:|Returns:|Raises:|Parameters\b|-{3,}|>>>)")


def words(name: str) -> str:
    """A name taken apart: `parseHTTPHeader` and `parse_http_header` are `parse http header`."""
    return " ".join(match.group().lower() for match in _HUMPS.finditer(name))


def description(path: str, outline: Outline, symbols: Sequence[Symbol]) -> str:
    """A whole file in prose: what it says of itself, then `symbols`, then its comments."""
    head = f"{path}, {NAMES[outline.language]}, {outline.lines} lines."
    parts = [head, paragraph(outline.doc)]
    parts += [entry(symbol) for symbol in symbols]
    parts += comments(one.text for one in outline.comments)
    return _cut(parts)


def of_symbol(path: str, outline: Outline, symbol: Symbol, inner: Sequence[Symbol]) -> str:
    """One definition of a long file in prose, with what belongs to it."""
    head = f"{entry(symbol)} In {path}, {NAMES[outline.language]}."
    within = [
        one.text for one in outline.comments if symbol.first <= one.first <= symbol.last
    ]  # fmt: skip
    return _cut([head, *(entry(each) for each in inner), *comments(within)])


def entry(symbol: Symbol) -> str:
    """One definition: its words, its documentation, its signature and lines."""
    apart = words(symbol.name.rpartition(".")[2])
    doc = paragraph(symbol.doc)
    lines = (
        f"line {symbol.first}" if symbol.first == symbol.last
        else f"lines {symbol.first}-{symbol.last}"
    )  # fmt: skip
    told = f"{apart}: {doc}" if doc else apart
    return f"- {told}{'' if told.endswith(('.', '!', '?')) else '.'} `{symbol.signature}` ({lines})"


def comments(texts: Iterable[str]) -> list[str]:
    """The longest comments, in their order: short ones seldom say why."""
    listed = [text for text in texts if len(text.split()) >= 4]
    kept = sorted(range(len(listed)), key=lambda at: -len(listed[at]))[:MOST_COMMENTS]
    return [f"Comment: {paragraph(listed[at])}" for at in sorted(kept)]


def paragraph(doc: str) -> str:
    """The prose of a documentation: its first paragraphs, up to its parameters, on one line."""
    kept: list[str] = []
    for line in doc.splitlines():
        if _TAGS.match(line):
            break
        kept.append(line.strip())
    text = " ".join(" ".join(kept).split())
    return text if len(text) <= LONGEST_DOC else text[:LONGEST_DOC].rsplit(" ", 1)[0] + " …"


def summary(doc: str) -> str:
    """The first sentence of a documentation, for a title."""
    first = _SENTENCE.split(paragraph(doc), 1)[0]
    return first if len(first) <= LONGEST_SUMMARY else first[: LONGEST_SUMMARY - 1].rstrip() + "…"


def title(place: str, doc: str) -> str:
    """A title: where it is, and what it says of itself."""
    said = summary(doc)
    return f"{place}: {said}" if said else place


def _cut(parts: Iterable[str]) -> str:
    """The parts that fit, whole ones only."""
    told: list[str] = []
    room = LONGEST
    for part in filter(None, parts):
        room -= len(part) + 1
        if room < 0 and told:
            told.append("…")
            break
        told.append(part[:LONGEST])
    return "\n".join(told)
