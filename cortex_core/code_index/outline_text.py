"""What of a source file may be told to a model: names, signatures and comments, no code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cortex_core.code_index import python_source
from cortex_core.code_index.outline import Outline, Unparsable

LONGEST = 12_000
"""Characters of an outline."""

LONGEST_DOC = 400
"""Characters of one docstring or comment."""

_COMMENT = re.compile(
    r"^\s*(?://+!?|#(?!!|include\b|define\b|if|end|else|pragma)|-- |;+|\*+(?!/)|/\*+)\s?"
    r"(.*?)(?:\*/)?\s*$"
)
_CODE = re.compile(r"^\W*$|[;{}]\s*$|^\s*[\w.]+\(.*\)\s*$|^\s*[\w.]+ = ")
"""What is left of a comment that holds no prose: nothing, or code that was put out of use."""

_DECLARED = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|"
    r"override|virtual|inline|unsafe|pub(?:\([\w: ]+\))?|open|data|sealed)\s+)*"
    r"(?:class|interface|struct|enum|trait|impl|type|protocol|module|namespace|object|fn|func|"
    r"function\*?|def|sub|procedure)\s+[\w:.<>~$?!]+[^{;=]*"
)  # fmt: skip


def outline_text(source: str, path: str) -> str:
    """The names, signatures, docstrings and comments of `source`; empty where it has none."""
    if path.endswith((".py", ".pyi")):
        try:
            return _cut(_python(python_source.outline(source, path)))
        except Unparsable:
            pass
    return _cut(_any(source))


def _cut(lines: Iterable[str]) -> str:
    return "\n".join(lines)[:LONGEST].rstrip()


def _python(found: Outline) -> Iterator[str]:
    """The signatures of Python hold no default values, which may be anything."""
    if found.doc:
        yield _short(found.doc)
    for symbol in found.symbols:
        indent = "  " * symbol.depth
        yield f"{indent}{symbol.signature}"
        if symbol.doc:
            yield f"{indent}  {_short(symbol.doc)}"


def _any(source: str) -> Iterator[str]:
    """Declarations and comments by their looks: tree-sitter's signatures hold default values."""
    for line in source.splitlines():
        if len(line) > 2_000:
            continue
        if match := _DECLARED.match(line):
            yield match.group().strip()
        elif (match := _COMMENT.match(line)) and not _CODE.search(match[1]):
            yield f"  {_short(match[1])}"


def _short(text: str) -> str:
    return " ".join(text.split())[:LONGEST_DOC]
