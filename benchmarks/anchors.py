"""Whether memories notice what a project renames, removes and changes, over its own history.

    python -m benchmarks.anchors [--repository DIR] [--points 10] [--each 200] [--record]

A clone is checked out at points evenly over its history, one after the other. At each, memories are
made that name what is there: files, functions, classes, methods, constants with their values and
the versions of dependencies, drawn at random and put into sentences. Then all memories so far are
checked, and what the check says is compared with the truth: for files what `git diff -M` or
`git log --follow` says between the two commits, for names what Python's own parser finds bound
anywhere in the sources. Wrong answers are printed, to be read.
"""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from cortex_core.api import Cortex
from cortex_core.records.project_code import Anchor

SEED = 15
READ = 12
"""Wrong answers of each kind that are printed."""

_SENTENCES = {
    "file": "What decides this is in {}.",
    "symbol": "The work is done by `{}`.",
    "setting": "The limit is `{}`.",
    "version": "It was tried with {} here.",
}


class Named(NamedTuple):
    """What one memory names, and where that was."""

    kind: str
    name: str
    path: str
    value: str = ""


class Sources:
    """The Python sources of one commit, as Python's parser reads them."""

    def __init__(self, root: Path) -> None:
        listed = _git(root, "ls-files").splitlines()
        self.files = [path for path in listed if (root / path).is_file()]
        self.defined: dict[str, dict[str, set[str]]] = {}
        """By file, each dotted name that is defined in it and the values it gets."""
        self.bound: set[str] = set()
        """Every name that is bound or given anywhere: parameters, attributes, imports too."""
        for path in self.files:
            if path.endswith(".py"):
                try:
                    tree = ast.parse((root / path).read_text("utf-8"))
                except (SyntaxError, ValueError):
                    continue
                self.defined[path] = {}
                self._define(tree, "", self.defined[path])
                self.bound |= set(_bound(tree))
        self.versions = _versions(root)

    def _define(self, node: ast.AST, owner: str, found: dict[str, set[str]]) -> None:
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.setdefault(owner + each.name, set())
                if isinstance(each, ast.ClassDef):
                    self._define(each, f"{each.name}.", found)
            elif isinstance(each, ast.Assign | ast.AnnAssign) and not owner:
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                value = each.value.value if isinstance(each.value, ast.Constant) else None
                for target in targets:
                    if isinstance(target, ast.Name):
                        found.setdefault(target.id, set()).add(repr(value))
            else:
                self._define(each, owner, found)

    def holders(self, name: str) -> list[str]:
        """The files that define a name."""
        return [path for path, names in self.defined.items() if name in names]


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        for field in ("name", "attr", "arg", "id", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield value.rpartition(".")[2]


def _versions(root: Path) -> dict[str, str]:
    try:
        data = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    listed = data.get("project", {}).get("dependencies", [])
    parts = [line.partition(">=") for line in listed]
    return {name.strip(): rest for name, _, rest in parts if rest}


def draw(sources: Sources, each: int, chance: random.Random) -> list[Named]:
    """What the memories of one point name."""
    files = [Named("file", path, path) for path in sources.files]
    symbols, settings = list[Named](), list[Named]()
    for path, names in sources.defined.items():
        for name, values in names.items():
            if name.rpartition(".")[2].startswith("__") or len(sources.holders(name)) > 1:
                continue
            is_constant = name.isupper() and any(value[:1].isdigit() for value in values)
            if is_constant and len(values) == 1:
                value = next(iter(values))
                settings.append(Named("setting", f"{name} = {value}", path, value))
            elif not values and ("_" in name.strip("_") or "." in name or name[:1].isupper()):
                symbols.append(Named("symbol", name, path))
    versions = [
        Named("version", f"{name} {rest.partition(',')[0]}", "pyproject.toml", rest)
        for name, rest in sources.versions.items()
    ]
    shares = ((files, 0.35), (symbols, 0.45), (settings, 0.15), (versions, 0.05))
    return [
        one
        for pool, share in shares
        for one in chance.sample(pool, min(len(pool), round(each * share)))
    ]


def truth(
    named: Named, claimed: str, then: str, root: Path, sources: Sources, diffs: dict[str, Any]
) -> str:
    """What has become of it: `here`, `moved`, `gone`, `changed`, or `unclear`.

    A file that was renamed and rewritten in small steps has moved where `git log --follow` goes
    from the `claimed` new path to the old one. Unclear is a name that is defined nowhere and still
    bound, as a parameter or an attribute.
    """
    if named.kind == "file":
        if named.path in sources.files:
            return "here"
        if then not in diffs:
            diffs[then] = _renamed(root, then)
        if named.path in diffs[then] or _leads_to(root, then, named.path, claimed):
            return "moved"
        return "gone"
    if named.kind == "version":
        name, _, version = named.name.partition(" ")
        now = sources.versions.get(name)
        return "gone" if now is None else "here" if version in now.split(",")[0] else "changed"
    name = named.name.partition(" ")[0]
    holders = sources.holders(name)
    if named.kind == "setting":
        values = {value for path in holders for value in sources.defined[path][name]}
        if named.value in values:
            return "here"
        return "changed" if named.path in holders else "unclear" if values else "gone"
    if named.path in holders:
        return "here"
    if holders:
        return "moved"
    last = name.rpartition(".")[2]
    elsewhere = any(one.rpartition(".")[2] == last for one in _all(sources))
    return "unclear" if elsewhere or last in sources.bound else "gone"


def _all(sources: Sources) -> Iterator[str]:
    return (name for names in sources.defined.values() for name in names)


def _leads_to(root: Path, then: str, path: str, claimed: str) -> bool:
    """Whether git follows the history of the file `claimed` back to `path`."""
    if not claimed:
        return False
    printed = _git(
        root, "log", "--follow", "--name-status", "--format=", f"{then}..HEAD", "--", claimed
    )
    return any(path in line.split("\t") for line in printed.splitlines())


def _renamed(root: Path, then: str) -> dict[str, str]:
    printed = _git(root, "diff", "-M", "-l9999", "--name-status", "--diff-filter=R", then, "HEAD")
    return {line.split("\t")[1]: line.split("\t")[2] for line in printed.splitlines()}


_RIGHT = {
    "here": ("fresh", "moved"),
    "moved": ("moved", "fresh"),
    "gone": ("gone",),
    "changed": ("contradicted",),
    "unclear": ("fresh", "moved", "gone", "contradicted"),
}


class Count:
    """What came of all checks."""

    def __init__(self) -> None:
        self.states: Counter[tuple[str, str]] = Counter()
        """By the truth and what the check says."""
        self._known: set[tuple[str, str, str]] = set()
        self.wrong: list[str] = []
        self.alarms: list[str] = []

    def add(self, named: Named, anchor: Anchor, is_so: str, since: str) -> None:
        """Count one answer; the same answer on the same name at a later point is none."""
        answer = (anchor.memory, is_so, anchor.state)
        if answer in self._known:
            return
        self._known.add(answer)
        self.states[is_so, anchor.state] += 1
        line = f"{is_so:8} {anchor.state:12} {named.kind:8} {named.name} [{since}] {anchor.now}"
        if anchor.state not in _RIGHT[is_so]:
            self.wrong.append(line)
        if anchor.state in ("gone", "contradicted"):
            self.alarms.append(line)

    def share(self, truths: Sequence[str], states: Sequence[str]) -> float:
        """Of the answers where one of `truths` is so, the percent that say one of `states`."""
        every = sum(n for (is_so, _), n in self.states.items() if is_so in truths)
        said = sum(
            n for (is_so, state), n in self.states.items() if is_so in truths and state in states
        )
        return 100 * said / every if every else 100.0

    @property
    def false_alarms(self) -> float:
        """Of the alarms, the percent where what is named is there or only moved."""
        alarms = {pair: n for pair, n in self.states.items() if pair[1] in _ALARMS}
        false = sum(n for (is_so, _), n in alarms.items() if is_so in ("here", "moved"))
        return 100 * false / max(1, sum(alarms.values()))


_ALARMS = ("gone", "contradicted")


def run(repository: Path, folder: Path, points: int, each: int) -> tuple[Count, list[float], int]:
    """The answers at each point, how many seconds each check took, and how many anchors it had."""
    rmtree(folder, ignore_errors=True)
    _git(repository, "clone", "-q", "--no-hardlinks", str(repository), str(folder))
    commits = _git(folder, "rev-list", "--reverse", "--first-parent", "HEAD").splitlines()
    chosen = [commits[round((n + 1) * (len(commits) - 1) / points)] for n in range(points)]
    chance, count, seconds = random.Random(SEED), Count(), list[float]()
    known: dict[str, tuple[Named, str]] = {}
    checked = 0
    with Cortex.open(folder, folder.parent / "home") as cortex:
        for commit in chosen:
            _git(folder, "checkout", "-q", "--detach", commit)
            sources, diffs = Sources(folder), dict[str, Any]()
            start = time.perf_counter()
            cortex.code.anchors.check()
            seconds.append(time.perf_counter() - start)
            listed = cortex.code.anchors.list()
            for held in (one for one in listed if one.memory.id in known):
                checked += len(held.anchors)
                named, then = known[held.memory.id]
                for anchor in held.anchors:
                    if anchor.kind == named.kind:
                        is_so = truth(named, anchor.now, then, folder, sources, diffs)
                        count.add(named, anchor, is_so, f"{then[:8]} {commit[:8]}")
            for named in draw(sources, each, chance):
                words = _SENTENCES[named.kind].format(named.name)
                memory = cortex.remember(words, kind="fact", title=f"{named.name} at {commit[:8]}")
                known[memory.id] = (named, commit)
            cortex.code.anchors.check()
    return count, seconds, checked


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "anchors")
    parser.add_argument("--repository", type=Path, default=report.ROOT, help="whose history")
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("--each", type=int, default=200, help="memories made at each point")
    parser.add_argument("--alarms", type=int, default=0, help="alarms to print, at random")
    chosen = parser.parse_args(arguments)
    folder = chosen.cache / "anchors" / "repository"
    folder.parent.mkdir(parents=True, exist_ok=True)
    os.environ["CORTEX_HOME"] = str(folder.parent / "home")
    count, seconds, checked = run(chosen.repository, folder, chosen.points, chosen.each)
    for line in count.wrong[: READ * 4]:
        print(line)
    shown = min(chosen.alarms, len(count.alarms))
    for line in random.Random(SEED).sample(count.alarms, shown):
        print("alarm   ", line)
    measured = [
        Figure(
            "removed or changed: noticed",
            count.share(("gone", "changed"), _ALARMS),
            "%",
            90,
            97,
            more=True,
        ),
        Figure("only moved: followed", count.share(("moved",), ("moved",)), "%", 90, 97, more=True),
        Figure("alarms that are false", count.false_alarms, "%", 5, 2),
        Figure("still there: called outdated", count.share(("here",), _ALARMS), "%", 5, 1),
        Figure("names looked up again", checked),
        Figure("one check, median", report.percentile(seconds[1:], 0.5), "s", 5, 2),
    ]
    counts = {f"{is_so}, called {state}": n for (is_so, state), n in sorted(count.states.items())}
    return report.finish("anchors", chosen, measured, {"answers": counts, "points": chosen.points})


if __name__ == "__main__":
    sys.exit(main())
