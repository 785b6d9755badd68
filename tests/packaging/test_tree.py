"""Habits of the whole tree that no linter holds."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {".git", ".venv", ".hypothesis", "__pycache__", "build", "dist", "node_modules"}
PRIVATE = re.compile("|".join(("/" + "root/", "/work/" + "(?:main|shared)", "/tmp/" + "bash_jobs")))
"""Folders of the machines this was written on."""


def kept_files() -> list[Path]:
    """Every file that belongs to the project: git's own list where there is a repository."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode == 0 and listing.stdout:
        paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not SKIPPED & set(path.parts)]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def text_of(path: Path) -> str:
    """The file's text, "" when it is not text."""
    data = path.read_bytes()
    return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_nothing_installs_the_package_of_another_project() -> None:
    # It is named in the injected text's tag, in a file's name, and where the doctor warns of it.
    named = re.compile(r"(?:install|upgrade|inject|reinstall|uvx|pip)[^\n`]*[ '\"]cortex-memory\b")
    fine = "cortex_core/doctor/machine_checks.py"
    wrong = [relative(path) for path in kept_files() if named.search(text_of(path))]
    assert [one for one in wrong if one not in (fine, "tests/packaging/test_tree.py")] == []


def test_every_module_says_what_lives_in_it() -> None:
    silent = []
    for path in kept_files():
        if path.suffix == ".py" and (text := text_of(path)).strip() and not _first_line(text):
            silent.append(relative(path))
    assert silent == []


def _first_line(source: str) -> str:
    """The first line of a module's docstring; no more of the module is read."""
    before = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    first = next(token for token in tokens if token.type not in before)
    said = ast.literal_eval(first.string) if first.type == tokenize.STRING else ""
    return str(said).strip().partition("\n")[0]


def test_no_folder_of_a_private_machine_is_named() -> None:
    found = {
        relative(path): match.group()
        for path in kept_files()
        if (match := PRIVATE.search(text_of(path)))
    }
    assert found == {}


def test_nothing_kept_is_huge_but_the_model() -> None:
    huge = [relative(path) for path in kept_files() if path.stat().st_size > 3_000_000]
    assert [name for name in huge if not name.startswith("cortex_core/embeddings/")] == []


def test_imports_point_down() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    if not lint.exists():
        pytest.skip("import-linter is not installed beside this Python")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    command = "python3 dev.py test"
    assert command in text_of(ROOT / "README.md")
    assert command in text_of(ROOT / ".ci" / "run")


def test_what_is_imported_is_declared() -> None:
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    needs = [*project["dependencies"], *extras["api"], *extras["models"], *extras["team"]]
    declared = {re.split(r"[<>=[]", need)[0] for need in needs}
    imported = {
        name.partition(".")[0]
        for path in kept_files()
        if path.suffix == ".py" and relative(path).startswith(("cortex_core/", "cortex_tui/"))
        for name in imports_of(ast.parse(text_of(path)))
    }
    ours = {"cortex_core", "cortex_tui"}
    foreign = imported - ours - sys.stdlib_module_names
    bringing = packages_distributions()
    undeclared = {name for name in foreign if not declared & set(map(normal, bringing[name]))}
    assert undeclared == set()


def normal(distribution: str) -> str:
    """The normalised name of a distribution."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def every_need() -> list[str]:
    """What `pyproject.toml` asks for, its extras' needs included."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = project["optional-dependencies"].values()
    needs = [*project["dependencies"], *(need for extra in extras for need in extra)]
    return [need for need in needs if not need.startswith("agent-cortex[")]


def test_checks_run_with_one_version_of_each_need() -> None:
    pinned = dict(re.findall(r"(?m)^([\w.-]+)==(\S+)$", text_of(ROOT / "constraints.txt")))
    pins = {normal(name): version for name, version in pinned.items()}
    for need in map(Requirement, every_need()):
        assert need.specifier.contains(pins[normal(need.name)]), need
    assert not re.findall(r"(?m)^(?![\w.-]+==[\w.!+]+$)(?!#).+", text_of(ROOT / "constraints.txt"))


def test_needs_have_both_bounds() -> None:
    needs = every_need()
    loose = [need for need in needs if "==" not in need and not (">=" in need and "<" in need)]
    assert loose == []


def imports_of(tree: ast.Module) -> Iterator[str]:
    """Every module a source imports anywhere, in functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
