"""The structure of a file in one of the other languages, read by its tree-sitter grammar."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from cortex_core.code_index.comments import is_licence, joined, prose
from cortex_core.code_index.outline import Outline, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

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
"""Definitions whose own definitions are told as well."""

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


def outline(source: str, language: str) -> Outline:
    """The structure of `source`; what of it is broken is passed over."""
    tree = _parser(language).parse(source.encode("utf-8", "replace"))
    root = tree.root_node
    return Outline(
        language=language, doc=_file_doc(root), symbols=tuple(_symbols(root, "", 0)),
        comments=joined(_inner_comments(root)),
        lines=source.count("\n") + (not source.endswith("\n")),
    )  # fmt: skip


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser

    module, function = _GRAMMARS[language]
    grammar = getattr(importlib.import_module(module), function)()
    return Parser(Language(grammar))


def _symbols(node: Node, prefix: str, depth: int) -> Iterator[Symbol]:
    for child in node.named_children:
        if child.type in _DEFINED:
            symbol = _symbol(child, prefix, depth)
            if symbol is not None and child.type != "impl_item":
                yield symbol
            body = child.child_by_field_name("body")
            if child.type in _HOLDERS and body is not None:
                inner = f"{symbol.name}." if symbol else prefix
                yield from _symbols(body, inner, depth + 1)
        elif child.type in ("variable_declarator", "assignment_expression"):
            yield from _variable(child, prefix, depth)
        elif child.type in _WRAPPERS:
            yield from _symbols(child, prefix, depth)


def _variable(node: Node, prefix: str, depth: int) -> Iterator[Symbol]:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if value is None or value.type not in _VALUES:
        return
    symbol = _symbol(node, prefix, depth, body=value.child_by_field_name("body"))
    if symbol is not None:
        yield symbol


def _symbol(node: Node, prefix: str, depth: int, body: Node | None = None) -> Symbol | None:
    named = next(filter(None, map(node.child_by_field_name, ("name", "type", "left"))), None)
    if named is None:
        return None
    outer = _outermost(node)
    body = body or node.child_by_field_name("body")
    return Symbol(
        name=prefix + _receiver(node) + _text(named), signature=_signature(node, body),
        doc=_doc(outer), first=outer.start_point[0] + 1, last=outer.end_point[0] + 1, depth=depth,
    )  # fmt: skip


def _outermost(node: Node) -> Node:
    """The statement that a definition stands in: its comment is above that."""
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


def _signature(node: Node, body: Node | None) -> str:
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
            first = next(_symbols(root, "", 0), None)
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
