"""What importing a part loads: a hook or a script pays for nothing it does not use."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from cortex_core import Cortex

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("cortex_core", "cortex_tui")

HEAVY = {
    "anthropic",
    "fastembed",
    "mcp",
    "numpy",
    "onnxruntime",
    "peewee",
    "pydantic",
    "rich",
    "textual",
    "tokenizers",
    "yaml",
}

HOOK_PATH = (
    "cortex_core.hook",
    "cortex_core.base.project",
    "cortex_core.base.config",
    "cortex_core.base.text",
)


@pytest.fixture
def loaded(clean_env: Callable[..., dict[str, str]]) -> Callable[[str], set[str]]:
    """`loaded(statement)`: top-level names a fresh interpreter has loaded after it."""

    def run(statement: str) -> set[str]:
        code = f"{statement}\nimport sys, json; print(json.dumps(list(sys.modules)))"
        done = subprocess.run(
            [sys.executable, "-c", code], env=clean_env(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return {name.partition(".")[0] for name in json.loads(done.stdout)}

    return run


def test_core_is_light(loaded: Callable[[str], set[str]]) -> None:
    assert not loaded("import cortex_core") & HEAVY


def test_facade_needs_no_model_and_no_screen(loaded: Callable[[str], set[str]]) -> None:
    names = loaded("from cortex_core import Cortex")
    assert not names & (HEAVY - {"peewee", "numpy"})


@pytest.mark.parametrize("module", HOOK_PATH)
def test_hook_path_is_the_standard_library(module: str, loaded: Callable[[str], set[str]]) -> None:
    names = loaded(f"import {module}")
    assert not names & (HEAVY | {"click"})
    assert not names & ({"logging", "tomllib", "subprocess"} - loaded("pass"))


def test_reading_needs_no_peewee(
    project: Path, loaded: Callable[..., set[str]], clean_env: Callable[..., dict[str, str]]
) -> None:
    with Cortex.open(project=project) as cortex:
        memory = cortex.remember("Deploys go through the blue pipeline")
        cortex.remember("Releases are tagged on main")
    opened = f"from cortex_core import Cortex; cortex = Cortex.open(project={str(project)!r})"
    reads = (
        "cortex.recall('pipeline', mode='keyword')",
        "cortex.memories.list()",
        "cortex.log()",
        f"cortex.show({memory.id!r})",
        "cortex.surface()",
        "cortex.status()",
    )
    for read in reads:
        assert "peewee" not in loaded(f"{opened}; {read}"), read
    assert "peewee" in loaded(f"{opened}; cortex.remember('Lunch is at noon')")


def test_lists_on_the_command_line_need_no_peewee(
    project: Path, clean_env: Callable[..., dict[str, str]]
) -> None:
    with Cortex.open(project=project) as cortex:
        cortex.remember("Deploys go through the blue pipeline")
    for words in (["list"], ["recall", "pipeline", "--mode", "keyword"]):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "cortex_core.cli", *words],
            env=clean_env(),
            cwd=project,
            capture_output=True,
            text=True,
        )
        assert "blue pipeline" in done.stdout, done.stderr[-2000:]
        assert "| peewee" not in done.stderr


def test_command_line_starts_without_screen_and_model(loaded: Callable[[str], set[str]]) -> None:
    names = loaded("import cortex_core.cli.main")
    assert not names & (HEAVY - {"rich", "peewee"})


def test_no_module_needs_itself_to_be_imported() -> None:
    names = {name for package in PACKAGES for name in modules(package)}
    graph = {name: needs(name, names) for name in names}
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" needs ".join(reversed(error.args[1])))
    assert set(order) == names


def test_a_circle_would_be_noticed() -> None:
    names = {"a", "a.one", "a.two", "b"}
    assert imported("from a import two", "a.one", names) == {"a.two"}
    assert imported("import a.two", "b", names) == {"a", "a.two"}
    assert imported("if TYPE_CHECKING:\n    import b", "a", names) == set()
    assert imported("def later():\n    import b", "a", names) == set()


def modules(package: str) -> Iterator[str]:
    """The dotted names of a package and of every module below it."""
    for path in (ROOT / package).rglob("*.py"):
        yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def needs(name: str, names: set[str]) -> set[str]:
    """Those of `names` that must be imported before the module `name` can be."""
    path = ROOT.joinpath(*name.split("."))
    file = path.with_suffix(".py")
    if not file.is_file():
        file = path / "__init__.py"
    return imported(file.read_text(encoding="utf-8"), name, names)


def imported(source: str, name: str, names: set[str]) -> set[str]:
    """What the statements of a module import while it is imported itself.

    Its own packages are left out: they are being imported already.
    """
    found = set()
    for node in executed(ast.parse(source).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (below & names) | {node.module}
    every = {above for each in found for above in (each, *ancestors(each))}
    return (every & names) - {name, *ancestors(name)}


def ancestors(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def executed(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at import, without those for type checkers and those in functions."""
    for node in body:
        yield node
        if isinstance(node, ast.Try):
            yield from executed(node.body)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.unparse(node.test):
            yield from executed([*node.body, *node.orelse])
