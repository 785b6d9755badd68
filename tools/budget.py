"""Counts how large the house is, against what it may be: `python tools/budget.py [--show COUNT]`.

`CONTRIBUTING.md` says why each count has a ceiling; a test holds every one of them. `--show` lists
what a count counts, for example `--show "class names twice"`.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("cortex_core", "cortex_tui")
LONG = 25
"""Lines of a function, its docstring included, above which a comment has to say why."""


@dataclass(frozen=True)
class Module:
    """One Python file of the product."""

    path: Path

    @property
    def name(self) -> str:
        """The path below the root."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        """What the file holds."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of its syntax tree."""
        return list(ast.walk(ast.parse(self.text)))

    @cached_property
    def comments(self) -> set[int]:
        """The numbers of its lines that have a comment for readers."""
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        return {
            one.start[0]
            for one in tokens
            if one.type == tokenize.COMMENT and not re.match(r"#\s*(fmt|type|noqa)\b", one.string)
        }

    def of(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Its nodes of these kinds."""
        return (node for node in self.nodes if isinstance(node, kinds))


def modules() -> list[Module]:
    """Every Python file of the product."""
    return [Module(path) for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py"))]


def statements(house: Iterable[Module], *below: str) -> Iterator[str]:
    """A line for each statement of the modules `below` some folders; docstrings are none."""
    for module in house:
        if module.name.startswith(below):
            for node in module.of(ast.stmt):
                if not (
                    isinstance(node, ast.Expr)
                    and isinstance(node.value, ast.Constant)
                    and isinstance(node.value.value, str)
                ):
                    yield module.name


def calls(house: Iterable[Module], function: str) -> Iterator[str]:
    """Where a function is called by this name."""
    for module in house:
        for node in module.of(ast.Call):
            assert isinstance(node, ast.Call)
            if ast.unparse(node.func) == function:
                yield f"{module.name}:{node.lineno}"


def uncompiled(house: Iterable[Module]) -> Iterator[str]:
    """Where `re` is given an expression to search for, without a name for it."""
    given = "search match fullmatch findall finditer sub subn split".split()
    return (place for name in given for place in calls(house, f"re.{name}"))


def classes(house: Iterable[Module]) -> Iterator[tuple[Module, ast.ClassDef]]:
    """Every class but peewee's inner `Meta`, with its module."""
    for module in house:
        for node in module.of(ast.ClassDef):
            assert isinstance(node, ast.ClassDef)
            if node.name != "Meta":
                yield module, node


def records(house: Iterable[Module]) -> Iterator[str]:
    """The dataclasses and named tuples."""
    for module, node in classes(house):
        bases = {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        if "dataclass" in decorators or bases & {"NamedTuple", "TypedDict"}:
            yield f"{module.name}: {node.name}"


def repeated(names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The names that occur more than once, of pairs of name and place."""
    places: Mapping[str, list[str]] = defaultdict(list)
    for name, place in names:
        places[name].append(place)
    return (f"{name}: {', '.join(at)}" for name, at in places.items() if len(at) > 1)


def repeated_classes(house: Iterable[Module]) -> Iterator[str]:
    """The class names that occur more than once."""
    return repeated((node.name, module.name) for module, node in classes(house))


def repeated_files(house: Iterable[Module]) -> Iterator[str]:
    """The file names that occur more than once."""
    return repeated(
        (module.path.name, module.name) for module in house if not module.path.name.startswith("__")
    )


def unexplained(house: Iterable[Module]) -> Iterator[str]:
    """The long functions without a comment."""
    for module in house:
        for node in module.of(ast.FunctionDef, ast.AsyncFunctionDef):
            assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if len(lines) > LONG and module.comments.isdisjoint(lines):
                yield f"{module.name}:{node.lineno} {node.name}, {len(lines)} lines"


def unformatted(house: Iterable[Module]) -> Iterator[str]:
    """The places that the formatter is told to leave."""
    for module in house:
        for number, line in enumerate(module.text.splitlines(), 1):
            if re.search(r"# fmt: (skip|off)", line):
                yield f"{module.name}:{number}"


def floors() -> Mapping[str, int]:
    """The floor of each room of the core, from the contract that imports point down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return {room: at for at, layer in enumerate(layers) for room in re.findall(r"\w+", layer)}


def sideways(house: Iterable[Module]) -> Iterator[str]:
    """The names that a room of the core imports from another one on its floor."""
    floor = floors()
    for module in house:
        room = module.name.split("/")[1].removesuffix(".py")
        if module.name.startswith("cortex_core") and room in floor:
            for node in module.of(ast.ImportFrom):
                assert isinstance(node, ast.ImportFrom)
                parts = (node.module or "").split(".")
                for one in node.names:
                    other = (*parts, one.name)[1]
                    same_floor = floor.get(other) == floor[room] and other != room
                    if parts[0] == "cortex_core" and same_floor:
                        yield f"{module.name}:{node.lineno} {other}"


@dataclass(frozen=True)
class Count:
    """Something of which the house may have so much, and no more."""

    name: str
    ceiling: int
    found: Callable[[Iterable[Module]], Iterator[str]]
    """A line for each."""


COUNTS = (
    Count("statements of the core", 37_992, lambda house: statements(house, "cortex_core/")),
    Count("statements of the app", 9_551, lambda house: statements(house, "cortex_tui/")),
    Count(
        "statements of extract and language",
        2_575,
        lambda house: statements(house, "cortex_core/extract/", "cortex_core/language/"),
    ),
    Count("patterns in a table", 309, lambda house: calls(house, "Pattern")),
    Count("patterns outside a table", 69, lambda house: calls(house, "re.compile")),
    Count("expressions given to re as texts", 48, uncompiled),
    Count("record classes", 291, records),
    Count("class names twice", 0, repeated_classes),
    Count("file names twice", 15, repeated_files),
    Count("places not formatted", 0, unformatted),
    Count("long functions without a why", 0, unexplained),
    Count("imports on one floor", 4, sideways),
)


def main(arguments: list[str]) -> int:
    """Print each count beside its ceiling; returns 1 if one is above."""
    house = modules()
    if arguments[:1] == ["--show"]:
        shown = next(count for count in COUNTS if count.name == arguments[1])
        for line, times in sorted(Counter(shown.found(house)).items()):
            print(f"{times:6} {line}" if times > 1 else f"       {line}")
        return 0
    found = [(count, sum(1 for _ in count.found(house))) for count in COUNTS]
    for count, number in found:
        print(f"{number:7,}  of at most {count.ceiling:6,}  {count.name}")
    return int(any(number > count.ceiling for count, number in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
