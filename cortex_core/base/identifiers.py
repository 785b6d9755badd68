"""Names that come from code, and other words of a text that must be right to the letter.

Similarity alone has a reader of its own (`similarity.features`): it takes texts apart into tokens
with signs and units, and its figures rest on that. The prompt hook loads this module.
"""

from __future__ import annotations

import re

from cortex_core.base.text import words

_NAME = re.compile(
    r"\b[A-Za-z0-9]*[a-z0-9][A-Z]\w*|\w*_\w+|[\w-]+\.[A-Za-z]\w{0,8}\b|[\w.-]+/[\w./-]+"
)
_MARKED = re.compile(r"`([^`\n]{2,120})`|(?<!\S)(--[a-z][\w-]+)")
_FACT = re.compile(r"\d|[/_`@#]|\w\.\w|[a-z][A-Z]")


def identifiers(text: str) -> set[str]:
    """The names that come from code in `text`, casefolded: `require_user`, `a/b.py`, `useRef`."""
    return {match.group().casefold().strip("./") for match in _NAME.finditer(text)} - {""}


def marked_identifiers(text: str) -> set[str]:
    """As `identifiers`, and whatever is in backticks or begins with two hyphens.

    For what an agent or a reviewer writes: in a prompt backticks hold words of all kinds.
    """
    marked = {(span or flag).casefold() for span, flag in _MARKED.findall(text)}
    return identifiers(text) | {one.strip().rstrip("()") for one in marked}


def facts(text: str) -> set[str]:
    """The numbers, paths and identifiers of `text`, casefolded: what no merge may lose."""
    return {word for word in words(text) if _FACT.search(word) or any(map(str.isdigit, word))}
