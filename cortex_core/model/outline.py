"""What of a source file may be told to a model: names, signatures and comments, no code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

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


def outline(source: str, path: str) -> str:
    """The names, signatures, docstrings and comments of `source`; empty where it has none."""
    try:
        lines = _python(source) if path.endswith((".py", ".pyi")) else _any(source)
        return "\n".join(lines)[:LONGEST].rstrip()
    except (SyntaxError, ValueError, RecursionError):
        return "\n".join(_any(source))[:LONGEST].rstrip()


def _python(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    if doc := ast.get_docstring(tree):
        yield _short(doc)
    yield from _members(tree, "")


def _members(node: ast.AST, indent: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            bases = ", ".join(ast.unparse(base) for base in child.bases)
            yield f"{indent}class {child.name}{f'({bases})' if bases else ''}"
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            result = f" -> {ast.unparse(child.returns)}" if child.returns else ""
            yield f"{indent}def {child.name}({_parameters(child.args)}){result}"
        else:
            continue
        if doc := ast.get_docstring(child):
            yield f"{indent}  {_short(doc)}"
        yield from _members(child, indent + "  ")


def _parameters(given: ast.arguments) -> str:
    """Names and types, without default values: those may hold anything."""
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    named += [one for one in (given.vararg, given.kwarg) if one is not None]
    return ", ".join(
        f"{one.arg}: {ast.unparse(one.annotation)}" if one.annotation else one.arg for one in named
    )


def _any(source: str) -> Iterator[str]:
    """Declarations and comments by their looks, for any other language."""
    for line in source.splitlines():
        if len(line) > 2_000:
            continue
        if match := _DECLARED.match(line):
            yield match.group().strip()
        elif (match := _COMMENT.match(line)) and not _CODE.search(match[1]):
            yield f"  {_short(match[1])}"


def _short(text: str) -> str:
    return " ".join(text.split())[:LONGEST_DOC]
