"""The structure of a source file, read without running it: definitions, docstrings and comments.

Python is read by `ast` and `tokenize`, the other languages by their tree-sitter grammars.
`outline_text` is what a language model may see of a file: names, signatures, documentation.
"""

from __future__ import annotations

import ast
import importlib
import io
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING

from cortex_core.base.errors import UsageError
from cortex_core.language.patterns import Pattern

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LANGUAGES = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
}
"""The languages whose structure is read, by the file's suffix."""

NAMES = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "tsx": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
}


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
    """0 at the top level, 1 within a class, and so on."""


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
    """The documentation of the file itself, at its top."""
    symbols: tuple[Symbol, ...]
    """In the order of the file."""
    comments: tuple[Comment, ...]
    """Those that do not document a symbol."""
    lines: int


def language_of(path: str) -> str:
    """The language of the file called `path`; empty where its structure cannot be read."""
    return LANGUAGES.get(PurePath(path).suffix.lower(), "")


def outline(source: str, path: str) -> Outline:
    """The structure of `source` in the language that the suffix of `path` names.

    Raises:
        Unparsable: that language cannot be read, or the source is broken.
    """
    language = language_of(path)
    symbols: Iterator[Symbol]
    if language == "python":
        tree = _parsed(source, path)
        doc, symbols = ast.get_docstring(tree) or "", _python_symbols(tree.body, "", 0)
        comments = _python_comments(source)
    elif language:  # broken parts are skipped
        root = _parser(language).parse(source.encode("utf-8", "replace")).root_node
        doc, symbols, comments = _file_doc(root), _tree_symbols(root, "", 0), _inner_comments(root)
    else:
        known = ", ".join(dict.fromkeys(NAMES.values()))
        raise Unparsable(
            f"{path} is in a language that Cortex cannot parse ({known}). Nothing was indexed. "
            "Describe it yourself: cortex index-code FILE --prose TEXT"
        )
    return Outline(
        language=language,
        doc=doc,
        symbols=tuple(symbols),
        comments=joined(comments),
        lines=source.count("\n") + (not source.endswith("\n")),
    )


LONGEST = 12_000
"""Characters of an outline."""

LONGEST_DOC = 400
"""Characters of one docstring or comment."""

_CODE = Pattern(
    "rest of a comment that is no prose: nothing, or code that was commented out",
    r"^\W*$|[;{}]\s*$|^\s*[\w.]+\(.*\)\s*$|^\s*[\w.]+ = ",
    finds="call(x)",
    spares="why it waits",
    flags=0,
)


def outline_text(source: str, path: str) -> str:
    """The names, signatures and documentation of `source`; empty where it has none.

    Signatures end before the first default value, which may contain anything.
    """
    try:
        found = outline(source, path)
    except Unparsable:
        return ""
    lines = [_told(found.doc)]
    for symbol in found.symbols:
        indent = "  " * symbol.depth
        signature = symbol.signature.partition("=")[0].strip()
        lines += [f"{indent}{signature}", f"{indent}  {_told(symbol.doc)}"]
    return "\n".join(line for line in lines if line.strip())[:LONGEST].rstrip()


def _told(doc: str) -> str:
    """A docstring or comment on one line, without code that was commented out."""
    described = (line for line in doc.splitlines() if not _CODE.regex.search(line))
    return " ".join(" ".join(described).split())[:LONGEST_DOC]


_OPENING = ("///", "//!", "/**", "/*!", "//", "/*", "#!", "#:", "#", "*/", "*")
_FOR_TOOLS = (
    "noqa",
    "type:",
    "pylint",
    "mypy",
    "pragma",
    "fmt:",
    "ruff",
    "isort",
    "eslint",
    "prettier",
    "@ts-",
    "tslint",
    "istanbul",
    "go:",
    "nolint",
    "+build",
    "jshint",
    "flow",
    "-*-",
    "region",
    "endregion",
    "sourcemappingurl",
    "<reference",
)
_LICENCE = ("copyright", "licen", "spdx", "all rights reserved", "redistribution")


def prose(comment: str) -> str:
    """The words of a comment with its line breaks; empty where it is meant for a tool."""
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
    """Whether a comment at the top of a file is about its licence."""
    return any(word in text.lower() for word in _LICENCE)


def joined(comments: Iterable[tuple[int, str]]) -> tuple[Comment, ...]:
    """Comments as prose, those on consecutive lines joined.

    Args:
        comments: line and text of each, in order.
    """
    merged: list[Comment] = []
    end = -1
    for line, raw in comments:
        text = prose(raw)
        if text and merged and line == end + 1:
            merged[-1] = Comment(text=f"{merged[-1].text} {text}", first=merged[-1].first)
        elif text:
            merged.append(Comment(text=text, first=line))
        end = line + raw.count("\n")
    return tuple(comment for comment in merged if not is_licence(comment.text))


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _parsed(source: str, path: str) -> ast.Module:
    """The syntax tree of Python source.

    Raises:
        Unparsable: it is not valid for the running version of Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unparsable(
            f"{path} cannot be parsed: {error}. It was not indexed. Correct it, or describe it "
            "yourself: cortex index-code FILE --prose TEXT"
        ) from error


def _python_symbols(body: list[ast.stmt], prefix: str, depth: int) -> Iterator[Symbol]:
    for index, node in enumerate(body):
        if isinstance(node, Definition):
            yield Symbol(
                name=prefix + node.name,
                signature=_python_signature(node),
                doc=ast.get_docstring(node) or "",
                first=min([node.lineno, *(each.lineno for each in node.decorator_list)]),
                last=node.end_lineno or node.lineno,
                depth=depth,
            )
            if isinstance(node, ast.ClassDef):
                yield from _python_symbols(node.body, f"{prefix}{node.name}.", depth + 1)
        elif isinstance(node, ast.If | ast.Try):
            yield from _python_symbols(node.body, prefix, depth)
        # A constant counts where a string below it says what it is.
        match node, body[index + 1 : index + 2]:
            case (
                ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)),
                [ast.Expr(value=ast.Constant(value=str(doc)))],
            ) if doc:
                yield Symbol(
                    name=prefix + name,
                    signature=name,
                    doc=doc,
                    first=node.lineno,
                    last=node.end_lineno or node.lineno,
                    depth=depth,
                )


def _python_signature(node: Definition) -> str:
    """As it is declared, without default values, which may contain anything."""
    bare = copy(node)
    bare.body, bare.decorator_list = [], []
    if isinstance(bare, ast.ClassDef):
        bare.keywords = []
    else:
        bare.args = copy(bare.args)
        bare.args.defaults, bare.args.kw_defaults = [], [None] * len(bare.args.kwonlyargs)
    return ast.unparse(bare).removesuffix(":")


def _python_comments(source: str) -> Iterator[tuple[int, str]]:
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

_HOLDERS = frozenset(
    {
        "class_declaration",
        "abstract_class_declaration",
        "class",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
        "internal_module",
        "module",
        "impl_item",
        "trait_item",
        "mod_item",
    }
)
"""Definitions whose own definitions are listed as well."""

_DEFINED = _HOLDERS | {
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "method_definition",
    "method_declaration",
    "constructor_declaration",
    "abstract_method_signature",
    "method_signature",
    "type_alias_declaration",
    "type_spec",
    "type_alias",
    "function_item",
    "function_signature_item",
    "struct_item",
    "enum_item",
    "union_item",
    "type_item",
    "macro_definition",
}

_WRAPPERS = frozenset(
    {
        "export_statement",
        "ambient_declaration",
        "expression_statement",
        "type_declaration",
        "lexical_declaration",
        "variable_declaration",
        "declaration_list",
        "class_body",
        "interface_body",
        "enum_body",
        "enum_body_declarations",
        "statement_block",
        "annotation_type_body",
    }
)
"""Nodes that contain definitions and are not definitions themselves."""

_VALUES = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "class"}
)
"""Values that make a `const` a definition."""

_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})


_MARKS = frozenset({"attribute_item", "decorator", "marker_annotation", "annotation"})
"""Nodes that may be between a definition and its comment."""


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser

    module, function = _GRAMMARS[language]
    return Parser(Language(getattr(importlib.import_module(module), function)()))


def _tree_symbols(node: Node, prefix: str, depth: int) -> Iterator[Symbol]:
    for child in node.named_children:
        if child.type in _DEFINED:
            symbol = _tree_symbol(child, prefix, depth)
            if symbol is not None and child.type != "impl_item":
                yield symbol
            body = child.child_by_field_name("body")
            if child.type in _HOLDERS and body is not None:
                yield from _tree_symbols(body, f"{symbol.name}." if symbol else prefix, depth + 1)
        elif child.type in ("variable_declarator", "assignment_expression"):
            yield from _variable(child, prefix, depth)
        elif child.type in _WRAPPERS:
            yield from _tree_symbols(child, prefix, depth)


def _variable(node: Node, prefix: str, depth: int) -> Iterator[Symbol]:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in _VALUES:
        return
    symbol = _tree_symbol(node, prefix, depth, body=value.child_by_field_name("body"))
    if symbol is not None:
        yield symbol


def _tree_symbol(node: Node, prefix: str, depth: int, body: Node | None = None) -> Symbol | None:
    named = next(filter(None, map(node.child_by_field_name, ("name", "type", "left"))), None)
    if named is None:
        return None
    outer = _outermost(node)
    body = body or node.child_by_field_name("body")
    return Symbol(
        name=prefix + _receiver(node) + _text(named),
        signature=_tree_signature(node, body),
        doc=_doc(outer),
        first=outer.start_point[0] + 1,
        last=outer.end_point[0] + 1,
        depth=depth,
    )


def _outermost(node: Node) -> Node:
    """The statement that contains a definition; the comment is above that one."""
    while (
        node.parent is not None
        and node.parent.type in _WRAPPERS
        and not node.parent.type.endswith(("_body", "_list", "_block", "_declarations"))
    ):
        node = node.parent
    return node


def _receiver(node: Node) -> str:
    """The type of a Go method and a dot; empty for others."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    names = [each for each in _walk(receiver) if each.type == "type_identifier"]
    return f"{_text(names[0])}." if names else ""


def _tree_signature(node: Node, body: Node | None) -> str:
    """The declaration up to its body."""
    raw = node.text or b""
    if body is not None:
        raw = raw[: body.start_byte - node.start_byte]
    if node.type == "macro_definition":
        raw = raw.partition(b"{")[0]
    signature = " ".join(raw.decode("utf-8", "replace").split())
    for end in ("{", "=>", ";"):
        signature = signature.removesuffix(end).rstrip()
    return signature[:LONGEST_SIGNATURE]


def _doc(node: Node) -> str:
    """The comments directly above a definition, with attributes in between ignored."""
    comments: list[str] = []
    line = node.start_point[0]
    above = node.prev_named_sibling
    while above is not None and above.type in _COMMENTS | _MARKS:
        if above.end_point[0] - (above.end_point[1] == 0) < line - 1:
            break
        if above.type in _COMMENTS:
            comments.insert(0, _text(above))
        line = above.start_point[0]
        above = above.prev_named_sibling
    return "\n".join(filter(None, (prose(each) for each in comments)))


def _file_doc(root: Node) -> str:
    """The comments at the top of a file, without the licence and the first definition's own."""
    comments: list[str] = []
    for child in root.named_children:
        if child.type in _COMMENTS:
            text = prose(_text(child))
            comments += [text] if text and not is_licence(text) else []
        elif child.type != "hash_bang_line":
            first = next(_tree_symbols(root, "", 0), None)
            own = first.doc if first and first.first == child.start_point[0] + 1 else ""
            return "\n".join(comments).removesuffix(own).strip()
    return "\n".join(comments)


def _inner_comments(root: Node) -> Iterator[tuple[int, str]]:
    """Comments inside of bodies; those outside document something."""
    for node in _walk(root):
        if (
            node.type in _COMMENTS
            and node.parent is not None
            and node.parent.type
            in (
                "statement_block",
                "block",
                "function_body",
                "constructor_body",
                "switch_body",
            )
        ):
            yield node.start_point[0] + 1, _text(node)


def _walk(node: Node) -> Iterator[Node]:
    """A node and all its descendants, in the order of the file."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack += reversed(current.named_children)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
