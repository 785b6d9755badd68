"""The structure of a Python file, read by `ast`; its comments, by `tokenize`."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator

from cortex_core.code_index.comments import joined
from cortex_core.code_index.outline import Outline, Symbol, Unparsable

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def outline(source: str, path: str) -> Outline:
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
    """The text of a string that stands by itself."""
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
