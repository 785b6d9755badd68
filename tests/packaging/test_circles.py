"""No module imports, in any way, what imports it: what is read can be read from the bottom up."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

Graph = Mapping[str, Set[str]]


@pytest.mark.parametrize("package", ["cortex_tui", "cortex_core"])
def test_no_module_is_in_a_circle(package: str) -> None:
    """Imports inside functions and for type checking count like all others."""
    assert circles(graph_of(package)) == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str](), "e": {"e", "a"}}
    assert circles(graph) == [{"b", "c"}]
    assert circles({name: needed - {"b"} for name, needed in graph.items()}) == []


def test_every_kind_of_import_counts() -> None:
    names = {"a", "a.one", "a.two", "b"}
    source = "import b\nif TYPE_CHECKING:\n    from a import two\ndef later():\n    import a.one"
    assert imported(source, names) == {"b", "a.two", "a.one"}
    assert imported("from a import Thing", names) == {"a"}


def graph_of(package: str) -> dict[str, set[str]]:
    """Each module of `package`, and those of them that it imports."""
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / package).rglob("*.py")
    }
    names = set(files)
    return {
        name: imported(path.read_text(encoding="utf-8"), names) - {name}
        for name, path in files.items()
    }


def imported(source: str, names: Set[str]) -> set[str]:
    """Those of `names` that `source` imports, anywhere in it."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(inner & names)
            if not inner <= names:
                found.add(node.module)
    return found & names


def circles(graph: Graph) -> list[set[str]]:
    """The sets of modules of which each reaches every other one (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for other in sorted(graph.get(name, ())):
            if other not in order:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            found.append(set(_popped(stack, name)))

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return [circle for circle in found if len(circle) > 1]


def _popped(stack: list[str], last: str) -> Iterator[str]:
    while (name := stack.pop()) != last:
        yield name
    yield last
