"""Comments as prose: without their markers, and without those that only a tool reads.

What is known of a source file without running it, and the languages whose structure is read. What
of a source file may be told to a model: names, signatures and comments, no code. The structure of
a Python file, read by `ast`; its comments, by `tokenize`. The structure of a file in one of the
other languages, read by its tree-sitter grammar. Reading the structure of a source file.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from cortex_core.base.errors import UsageError

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_OPENING = ("///", "//!", "/**", "/*!", "//", "/*", "#!", "#:", "#", "*/", "*")
_FOR_TOOLS = (
    "noqa", "type:", "pylint", "mypy", "pragma", "fmt:", "ruff", "isort", "eslint", "prettier",
    "@ts-", "tslint", "istanbul", "go:", "nolint", "+build", "jshint", "flow", "-*-", "region",
    "endregion", "sourcemappingurl", "<reference",
)  # fmt: skip
_LICENCE = ("copyright", "licen", "spdx", "all rights reserved", "redistribution")


def prose(comment: str) -> str:
    """The words of a comment, its line breaks kept; empty where only a tool reads it."""
    lines = [_line(line) for line in comment.strip().removesuffix("*/").splitlines()]
    text = "\n".join(lines).strip()
    return "" if text.lower().startswith(_FOR_TOOLS) else text


def _line(line: str) -> str:
    line = line.strip()
    for mark in _OPENING:
        if line.startswith(mark):
            return line.removeprefix(mark).strip(" \t*-=#/").rstrip()
    return line


def is_licence(text: str) -> bool:
    """Whether a comment at a file's top tells of rights and not of the file."""
    low = text.lower()
    return any(word in low for word in _LICENCE)


def joined(comments: Iterable[tuple[int, str]]) -> tuple[Comment, ...]:
    """The comments (line and text, in order) as prose, those on consecutive lines as one."""
    found: list[Comment] = []
    end = -1
    for line, raw in comments:
        text = prose(raw)
        if text and found and line == end + 1:
            found[-1] = Comment(text=f"{found[-1].text} {text}", first=found[-1].first)
        elif text:
            found.append(Comment(text=text, first=line))
        end = line + raw.count("\n")
    return tuple(one for one in found if not is_licence(one.text))


LANGUAGES = {
    ".py": "python", ".pyi": "python",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
    ".go": "go", ".rs": "rust", ".java": "java",
}  # fmt: skip
"""The languages whose structure is read, by the file's suffix."""

NAMES = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript",
    "tsx": "TypeScript", "go": "Go", "rust": "Rust", "java": "Java",
}  # fmt: skip


class Unparsable(UsageError):
    """The structure of a source file cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """One definition of a source file."""

    name: str
    """Qualified within the file: `Store.open`."""
    signature: str
    """As it is declared, on one line, without its body."""
    doc: str
    """Its docstring, or the comment right above it, without markers."""
    first: int
    """Line, from 1."""
    last: int
    """The last line, inclusive."""
    depth: int = 0
    """0 for what is by itself, 1 for what belongs to a class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment, or several on consecutive lines."""

    text: str
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A source file's structure."""

    language: str
    doc: str
    """What the file says of itself at its top."""
    symbols: tuple[Symbol, ...]
    """In the order of the file."""
    comments: tuple[Comment, ...]
    """Those that are no documentation of a symbol."""
    lines: int


def language_of(path: str) -> str:
    """The language of the file called `path`; empty where its structure cannot be read."""
    return LANGUAGES.get(PurePath(path).suffix.lower(), "")


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
            return _cut(_python(python_outline(source, path)))
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


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def python_outline(source: str, path: str) -> Outline:
    """The structure of `source`.

    Raises:
        Unparsable: it is no Python, or none of this Python's version.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unparsable(
            f"{path} cannot be parsed: {error}. It was not indexed. Correct it, or describe it "
            "yourself: cortex index-code FILE --prose TEXT"
        ) from error
    return Outline(
        language="python", doc=ast.get_docstring(tree) or "",
        symbols=tuple(_symbols(tree.body, "", 0)), comments=joined(_comments(source)),
        lines=source.count("\n") + (not source.endswith("\n")),
    )  # fmt: skip


def _symbols(body: list[ast.stmt], prefix: str, depth: int) -> Iterator[Symbol]:
    for place, node in enumerate(body):
        if isinstance(node, Definition):
            yield _symbol(node, prefix, depth)
            if isinstance(node, ast.ClassDef):
                yield from _symbols(node.body, f"{prefix}{node.name}.", depth + 1)
        elif isinstance(node, ast.If | ast.Try):
            yield from _symbols(node.body, prefix, depth)
        elif name := _constant(node):
            following = body[place + 1] if place + 1 < len(body) else None
            doc = _string(following)
            if doc:
                yield Symbol(
                    name=prefix + name, signature=name, doc=doc, first=node.lineno,
                    last=node.end_lineno or node.lineno, depth=depth,
                )  # fmt: skip


def _symbol(node: Definition, prefix: str, depth: int) -> Symbol:
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return Symbol(
        name=prefix + node.name, signature=_signature(node), doc=ast.get_docstring(node) or "",
        first=first, last=node.end_lineno or node.lineno, depth=depth,
    )  # fmt: skip


def _signature(node: Definition) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{word} {node.name}({_parameters(node.args)}){result}"


def _parameters(given: ast.arguments) -> str:
    """Names and types, without default values: those may hold anything."""
    plain = [_parameter(one) for one in (*given.posonlyargs, *given.args)]
    plain += [f"*{_parameter(given.vararg)}"] if given.vararg else []
    plain += [_parameter(one) for one in given.kwonlyargs]
    plain += [f"**{_parameter(given.kwarg)}"] if given.kwarg else []
    return ", ".join(plain)


def _parameter(one: ast.arg) -> str:
    return f"{one.arg}: {ast.unparse(one.annotation)}" if one.annotation else one.arg


def _constant(node: ast.stmt) -> str:
    """The single name that an assignment gives a value; else empty."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _string(node: ast.stmt | None) -> str:
    """The text of a string that is by itself."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        value = node.value.value
        return value if isinstance(value, str) else ""
    return ""


def _comments(source: str) -> Iterator[tuple[int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return


LONGEST_SIGNATURE = 300

_GRAMMARS = {
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
}

_HOLDERS = frozenset({
    "class_declaration", "abstract_class_declaration", "class", "interface_declaration",
    "enum_declaration", "record_declaration", "annotation_type_declaration", "internal_module",
    "module", "impl_item", "trait_item", "mod_item",
})  # fmt: skip
"""Definitions whose own definitions are listed as well."""

_DEFINED = _HOLDERS | {
    "function_declaration", "generator_function_declaration", "function_signature",
    "method_definition", "method_declaration", "constructor_declaration",
    "abstract_method_signature", "method_signature", "type_alias_declaration",
    "type_spec", "type_alias", "function_item", "function_signature_item", "struct_item",
    "enum_item", "union_item", "type_item", "macro_definition",
}  # fmt: skip

_WRAPPERS = frozenset({
    "export_statement", "ambient_declaration", "expression_statement", "type_declaration",
    "lexical_declaration", "variable_declaration", "declaration_list", "class_body",
    "interface_body", "enum_body", "enum_body_declarations", "statement_block",
    "annotation_type_body",
})  # fmt: skip
"""What definitions stand in, and is none itself."""

_VALUES = frozenset({"arrow_function", "function_expression", "function", "generator_function",
                     "class"})  # fmt: skip
"""What makes a `const` a definition."""

_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})


_MARKS = frozenset({"attribute_item", "decorator", "marker_annotation", "annotation"})
"""What may stand between a definition and its comment."""


def tree_outline(source: str, language: str) -> Outline:
    """The structure of `source`; what of it is broken is passed over."""
    tree = _parser(language).parse(source.encode("utf-8", "replace"))
    root = tree.root_node
    return Outline(
        language=language, doc=_file_doc(root), symbols=tuple(_tree_source_symbols(root, "", 0)),
        comments=joined(_inner_comments(root)),
        lines=source.count("\n") + (not source.endswith("\n")),
    )  # fmt: skip


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser

    module, function = _GRAMMARS[language]
    grammar = getattr(importlib.import_module(module), function)()
    return Parser(Language(grammar))


def _tree_source_symbols(node: Node, prefix: str, depth: int) -> Iterator[Symbol]:
    for child in node.named_children:
        if child.type in _DEFINED:
            symbol = _tree_source_symbol(child, prefix, depth)
            if symbol is not None and child.type != "impl_item":
                yield symbol
            body = child.child_by_field_name("body")
            if child.type in _HOLDERS and body is not None:
                inner = f"{symbol.name}." if symbol else prefix
                yield from _tree_source_symbols(body, inner, depth + 1)
        elif child.type in ("variable_declarator", "assignment_expression"):
            yield from _variable(child, prefix, depth)
        elif child.type in _WRAPPERS:
            yield from _tree_source_symbols(child, prefix, depth)


def _variable(node: Node, prefix: str, depth: int) -> Iterator[Symbol]:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in _VALUES:
        return
    symbol = _tree_source_symbol(node, prefix, depth, body=value.child_by_field_name("body"))
    if symbol is not None:
        yield symbol


def _tree_source_symbol(
    node: Node, prefix: str, depth: int, body: Node | None = None
) -> Symbol | None:
    named = next(filter(None, map(node.child_by_field_name, ("name", "type", "left"))), None)
    if named is None:
        return None
    outer = _outermost(node)
    body = body or node.child_by_field_name("body")
    return Symbol(
        name=prefix + _receiver(node) + _text(named), signature=_tree_source_signature(node, body),
        doc=_doc(outer), first=outer.start_point[0] + 1, last=outer.end_point[0] + 1, depth=depth,
    )  # fmt: skip


def _outermost(node: Node) -> Node:
    """The statement that a definition is in: its comment is above that."""
    while (
        node.parent is not None
        and node.parent.type in _WRAPPERS
        and not node.parent.type.endswith(("_body", "_list", "_block", "_declarations"))
    ):
        node = node.parent
    return node


def _receiver(node: Node) -> str:
    """The type that a Go method belongs to, with a point."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    found = [each for each in _every(receiver) if each.type == "type_identifier"]
    return f"{_text(found[0])}." if found else ""


def _tree_source_signature(node: Node, body: Node | None) -> str:
    """The declaration up to its body."""
    raw = node.text or b""
    if body is not None:
        raw = raw[: body.start_byte - node.start_byte]
    if node.type == "macro_definition":
        raw = raw.partition(b"{")[0]
    told = " ".join(raw.decode("utf-8", "replace").split())
    for end in ("{", "=>", ";"):
        told = told.removesuffix(end).rstrip()
    return told[:LONGEST_SIGNATURE]


def _doc(node: Node) -> str:
    """The comments right above a definition, attributes passed over."""
    found: list[str] = []
    line = node.start_point[0]
    above = node.prev_named_sibling
    while above is not None and above.type in _COMMENTS | _MARKS:
        if above.end_point[0] - (above.end_point[1] == 0) < line - 1:
            break
        if above.type in _COMMENTS:
            found.insert(0, _text(above))
        line = above.start_point[0]
        above = above.prev_named_sibling
    return "\n".join(filter(None, (prose(each) for each in found)))


def _file_doc(root: Node) -> str:
    """The comments at the file's top, without a licence and without the first definition's own."""
    found: list[str] = []
    for child in root.named_children:
        if child.type in _COMMENTS:
            text = prose(_text(child))
            found += [text] if text and not is_licence(text) else []
        elif child.type != "hash_bang_line":
            first = next(_tree_source_symbols(root, "", 0), None)
            own = first.doc if first and first.first == child.start_point[0] + 1 else ""
            return "\n".join(found).removesuffix(own).strip()
    return "\n".join(found)


def _inner_comments(root: Node) -> Iterator[tuple[int, str]]:
    """Comments inside definitions; those at the top level document something."""
    for node in _every(root):
        if node.type in _COMMENTS and node.parent is not None and node.parent.type in (
            "statement_block", "block", "function_body", "constructor_body", "switch_body",
        ):  # fmt: skip
            yield node.start_point[0] + 1, _text(node)


def _every(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of the file."""
    stack = [node]
    while stack:
        at = stack.pop()
        yield at
        stack += reversed(at.named_children)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def outline(source: str, path: str) -> Outline:
    """The structure of `source`, whose language the suffix of `path` tells.

    Raises:
        Unparsable: there is no reader of that language, or the source is broken.
    """
    language = language_of(path)
    if language == "python":
        return python_outline(source, path)
    if not language:
        known = ", ".join(dict.fromkeys(NAMES.values()))
        raise Unparsable(
            f"{path} is in a language that Cortex cannot parse ({known}). Nothing was indexed. "
            "Describe it yourself: cortex index-code FILE --prose TEXT"
        )
    return tree_outline(source, language)
