"""What the files of a project define and state: names, scripts, versions and settings.

One walk reads every file once, for all memories together. Only what somebody asks for is looked up,
so ten thousand memories cost little more than one. Nothing outside the project's folder is read, no
link is followed, and both the bytes and the time are bounded; what was not read is known.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from cortex_core.code_index.outline import LANGUAGES
from cortex_core.code_index.pairs import LARGEST, LONGEST_LINE, listed
from cortex_core.language.patterns import Pattern
from cortex_core.redaction import secrets

MOST_FILES = 60_000
"""Files that are known by name."""

MOST_BYTES = 80_000_000
"""Bytes that are read."""

LONGEST_VALUE = 80
"""Characters of a value that are kept."""

SOURCES = frozenset(LANGUAGES) | frozenset(
    ".c .h .cc .cpp .hpp .cs .kt .kts .swift .rb .php .sh .bash .zsh .pl .lua .ex .exs .erl .scala "
    ".clj .dart .vue .svelte .sql .r .jl .m .mm .zig .nim .tf .proto .graphql .css .scss .tcss "
    ".gradle .groovy .ps1".split()
)
"""The suffixes of files that define names."""

CONFIGURATION = frozenset(
    ".toml .yaml .yml .ini .cfg .conf .properties .env .json .xml .mk .example .sample .dist "
    ".template .service .plist .hcl .nix .bzl".split()
)
"""The suffixes of files that set values."""


_SPECIAL = (
    ".env",
    "dockerfile",
    "makefile",
    "gnumakefile",
    "justfile",
    ".justfile",
    ".tool-versions",
    "requirements",
)
"""How names of other files begin that set or state something."""


class Stated(NamedTuple):
    """A value, and where a file states it."""

    value: str
    path: str
    line: int


class Tree:
    """What was found."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.root = root
        self.paths = dict.fromkeys(paths)
        """Every file, relative to the root, with `/`."""
        self.folders = {
            folder.as_posix() for path in self.paths for folder in PurePosixPath(path).parents
        } - {"."}
        self.by_name: dict[str, list[str]] = {}
        for path in self.paths:
            self.by_name.setdefault(path.rpartition("/")[2], []).append(path)
        self.definitions: dict[str, list[Stated]] = {}
        """Where names are declared."""
        self.settings: dict[str, list[Stated]] = {}
        self.mentions: dict[str, Stated] = {}
        """Of each wanted setting one file of code or configuration that names it."""
        self.used: set[str] = set()
        """Wanted names that code holds as a word and does not declare there."""
        self.scripts: dict[tuple[str, str], Stated] = {}
        """By family and name what a script runs."""
        self.versions: dict[str, list[Stated]] = {}
        """By what they are the versions of, in lower case."""
        self.complete = True
        """False: not everything was read, so nothing can be called gone."""

    def ending_in(self, path: str) -> list[str]:
        """The files whose path is `path` or ends in it."""
        if path in self.paths:
            return [path]
        return [
            each
            for each in self.by_name.get(path.rpartition("/")[2], ())
            if each.endswith(f"/{path}")
        ]


def read(
    root: str,
    names: Set[str],
    settings: Set[str],
    ignored: Sequence[str] = (),
    should_continue: Callable[[], bool] = lambda: True,
) -> Tree:
    """The tree of the project at `root`.

    Args:
        names: what is looked up, names that may be defined.
        settings: the same, keys that may be set, and names of settings that code may mention.
        ignored: the setting `capture.ignore`.
        should_continue: asked between files; False leaves the rest unread.
    """
    top = Path(root)
    tree = Tree(top, _paths(top, ignored))
    # In a tree that was cut short, a name that is not found need not be gone.
    tree.complete = len(tree.paths) < MOST_FILES
    left = MOST_BYTES
    # By the last word of each, by which a file is known to hold none of them.
    keys: dict[str, list[str]] = {}
    for key in settings:
        keys.setdefault(key.replace("-", ".").rpartition(".")[2], []).append(key)
    for path in tree.paths:
        role = _role(path)
        if not role:
            continue
        if left <= 0 or not should_continue():
            tree.complete = False
            break
        words = _words(top, path)
        if words is not None:
            left -= len(words)
            _look(tree, path, words, names if role == "source" else frozenset(), keys)
    return tree


def _paths(top: Path, ignored: Sequence[str]) -> list[str]:
    there = (
        path
        for path in listed(top)
        if os.path.lexists(top / path)
        and not (ignored and secrets.is_ignored(str(top / path), ignored))
    )
    return sorted(islice(there, MOST_FILES))


def _role(path: str) -> str:
    """Whether a file defines (`source`) or sets (`configuration`) something; empty: neither."""
    name = path.rpartition("/")[2].lower()
    suffix = PurePosixPath(name).suffix
    if suffix in SOURCES:
        return "source"
    if suffix in CONFIGURATION and not name.endswith((".lock.json", "-lock.json", "-lock.yaml")):
        return "configuration"
    if name.startswith(_SPECIAL) or name in _VERSION_FILES or name == "go.mod":
        return "configuration"
    return "source" if not suffix and "/" in path and "." not in name else ""


def _words(top: Path, path: str) -> str | None:
    """The text of a file below `top`; None where it is none, too large, or somewhere else."""
    file = top / path
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > LARGEST:
            return None
        if any((top / folder).is_symlink() for folder in PurePosixPath(path).parents):
            return None
        data = file.read_bytes()
    except (OSError, ValueError):
        return None
    if b"\0" in data[:4096] or max(map(len, data.split(b"\n"))) > LONGEST_LINE:
        return None
    return data.decode("utf-8", "replace")


_WORD = Pattern(
    "word of a source file", r"[A-Za-z_]\w+", finds="open_store(x)", spares="1 + 2", flags=0
)
_FIRM = Pattern(
    "definition",
    r"""^[ \t]*
    (?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override
        |virtual|inline|unsafe|pub(?:\([\w: ]+\))?|open|data|sealed|declare|readonly|extern)[ \t]+)*
    (?:class|interface|struct|enum|trait|type|protocol|module|namespace|object|record|fn
        |func(?:[ \t]*\([^)\n]*\))?|function\*?|def|sub|fun|const|let|var|static|val|macro_rules!
        |mod|\#[ \t]*define|message|(?:create[ \t]+)?table(?:[ \t]+if[ \t]+not[ \t]+exists)?)
    [ \t]+(?:self\.)?([A-Za-z_]\w*)
    |^([A-Za-z_]\w*)(?:[ \t]*:[^=\n]{1,80})?[ \t]*(?:=(?!=)|:=)
    |^([A-Za-z_]\w*)[ \t]*\(\)[ \t]*\{
    |^[ \t]+(?!(?:if|for|while|switch|catch|return|with|elif|else|match)\b)
        (?:[\w<>\[\],?]+[ \t]+){0,4}([A-Za-z_]\w*)[ \t]*\([^;\n]{0,300}\)[^;\n]{0,100}\{[ \t]*$
    |^[ \t]+([A-Za-z_]\w*)[ \t]*:[ \t]*[A-Z"'\w][^\n]*$
    """,
    finds="def open_store(path):",
    spares="open_store(path)",
    flags=re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
_SETTING = Pattern(
    "setting with its value",
    r"""^[ \t]*(?:export[ \t]+|-[ \t]+|ENV[ \t]+|ARG[ \t]+|const[ \t]+|static[ \t]+|final[ \t]+)*
    ["']?([A-Za-z_][\w.-]*)["']?[ \t]*(?::[ \t]*\w+[ \t]*=|[:=])[ \t]*
    (?:"([^"\n]*)"|'([^'\n]*)'|([^\s#"',;]+))""",
    finds="LOG_LEVEL: debug",
    spares="# LOG_LEVEL",
    flags=re.MULTILINE | re.VERBOSE,
)
_COMMENTS = Pattern(
    "comment or docstring",
    r'"""(?:.|\n)*?(?:"""|\Z)' r"|/\*(?:.|\n)*?(?:\*/|\Z)" r"|(?:^|(?<=\s))(?:#|//|--)[^\n]*",
    finds="x = 1  # why",
    spares="x = 1",
    flags=re.MULTILINE,
)


def _look(
    tree: Tree, path: str, words: str, names: Set[str], keys: Mapping[str, Sequence[str]]
) -> None:
    """Look up in one file what is wanted, its scripts and versions."""
    held = set(_WORD.regex.findall(words))
    if named := held & names:
        _define(tree, path, words, named)
    if asked := {key for word in held & keys.keys() for key in keys[word]}:
        _set(tree, path, words, asked)
    _scripts(tree, path, words)
    for name, value in _stated_versions(path, words):
        if any(map(str.isdigit, value)):
            tree.versions.setdefault(subject(name), []).append(
                _stated(path, words, words.find(value), value)
            )


def _stated(path: str, words: str, at: int, value: str = "") -> Stated:
    """What the text of a file states at an index of it; the first line where that is -1."""
    return Stated(value[:LONGEST_VALUE], path, words.count("\n", 0, max(at, 0)) + 1)


def _define(tree: Tree, path: str, words: str, named: Set[str]) -> None:
    """Note where a file declares names, and which others its code holds."""
    left = set(named)
    for match in _FIRM.regex.finditer(words):
        name, at = match[match.lastindex or 0], match.start(match.lastindex or 0)
        if name in left:
            left.remove(name)
            tree.definitions.setdefault(name, []).append(_stated(path, words, at))
    if left:
        tree.used |= left.intersection(_WORD.regex.findall(_COMMENTS.regex.sub(" ", words)))


def _set(tree: Tree, path: str, words: str, asked: Set[str]) -> None:
    for match in _SETTING.regex.finditer(words):
        if match[1] in asked:
            value = next(one for one in match.groups()[1:] if one is not None)
            tree.settings.setdefault(match[1], []).append(
                _stated(path, words, match.start(1), value)
            )
    for key in asked - tree.mentions.keys():
        name = re.escape(key)
        # A variable as a word, a dotted key in quotes or where it is set.
        dotted = rf"[\"']{name}[\"']|(?m:^[ \t]*{name}[ \t]*[:=])"
        if named := re.search(dotted if "." in key else rf"\b{name}\b", words):
            tree.mentions[key] = _stated(path, words, named.start())


# --- scripts

_FAMILIES = {"package.json": "npm", "composer.json": "composer"}
_RUNNERS = {
    "makefile": "make",
    "gnumakefile": "make",
    "justfile": "just",
    ".justfile": "just",
    "taskfile.yml": "task",
    "taskfile.yaml": "task",
}
"""Files that define targets, by whose name each is run."""
_TARGET = Pattern(
    "target of make or just, or task of a Taskfile",
    r"^(?:@|  )?([A-Za-z_][\w.:-]*?)(?::|[ \t][^:=\n]*+:)(?!=)[ \t]*([^\n]*)",
    finds="test *args: build",
    spares="CC := gcc",
    flags=re.MULTILINE,
)


def _scripts(tree: Tree, path: str, words: str) -> None:
    """Note the scripts, targets and tasks that a file defines."""
    name = path.rpartition("/")[2].lower()
    found: list[tuple[str, str, str]] = []
    if name in _FAMILIES:
        scripts = _table(_loaded(words, json.loads), "scripts")
        found = [(_FAMILIES[name], key, str(value)) for key, value in scripts.items()]
    elif runner := _RUNNERS.get(name) or ("make" if name.endswith(".mk") else ""):
        # What a target runs first, else what it needs.
        for match in _TARGET.regex.finditer(words):
            recipe = words[match.end() : match.end() + 200].lstrip("\n").partition("\n")[0]
            runs = recipe if recipe[:1].isspace() else match[2]
            found.append((runner, match[1], runs.strip()))
    elif name in ("mise.toml", ".mise.toml", "pyproject.toml"):
        data = _loaded(words, tomllib.loads)
        tools = _table(data, "tool")
        tables = (
            ("mise", _table(data, "tasks")),
            ("uv", _table(data, "project", "scripts")),
            ("uv", _table(tools, "poetry", "scripts")),
            ("uv", _table(tools, "poe", "tasks")),
            ("uv", _table(tools, "hatch", "envs", "default", "scripts")),
        )
        found = [
            (family, key, str(value.get("run", "") if isinstance(value, Mapping) else value))
            for family, table in tables
            for key, value in table.items()
        ]
    for family, key, value in found:
        tree.scripts.setdefault((family, key), _stated(path, words, words.find(key), value))


# --- versions

_NUMBER = r"\d+(?:\.\d+)*"
_VERSION_FILES = {
    ".nvmrc": "node",
    ".node-version": "node",
    ".python-version": "python",
    ".ruby-version": "ruby",
    ".java-version": "java",
    ".go-version": "go",
    ".bun-version": "bun",
    "rust-toolchain": "rust",
    "runtime.txt": "python",
}
_IMAGE = Pattern(
    "image with its version",
    rf"^[ \t]*(?:FROM|image:)[ \t]+[\"']?(?:\S*/)?([a-z]+):v?({_NUMBER})",
    finds="FROM node:20",
    spares="FROM scratch",
    flags=re.MULTILINE,
)
_IN_CI = Pattern(
    "version in a workflow",
    r"^[ \t]*+-?[ \t]*+([a-z]+)[-_]version:[ \t]*(\S[^\n#]*)",
    finds="  python-version: 3.11",
    spares="  version: 3.11",
    flags=re.MULTILINE,
)
_PACKAGE = Pattern(
    "package with its version",
    r"^\s*([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*([<>=!~^].*)$",
    finds="textual[dev] >=0.80",
    spares="textual",
    flags=0,
)
_ALIASES = {
    "golang": "go",
    "nodejs": "node",
    "node.js": "node",
    "requires-python": "python",
    "jdk": "java",
}


def subject(name: str) -> str:
    """What a version is of, by the one name that all files have for it here."""
    low = name.lower()
    return _ALIASES.get(low, low)


def _stated_versions(path: str, words: str) -> Iterator[tuple[str, str]]:
    name = path.rpartition("/")[2].lower()
    if name in _VERSION_FILES:
        yield _VERSION_FILES[name], words.strip().partition("\n")[0]
    elif name in (".tool-versions", "go.mod"):
        lines = (
            line.partition("#")[0].removeprefix("require").split() for line in words.split("\n")
        )
        yield from ((one[0], one[1].removeprefix("v")) for one in lines if len(one) > 1)
    elif name == "package.json":
        data = _loaded(words, json.loads)
        for part in ("engines", "volta", "dependencies", "devDependencies"):
            yield from ((key, str(value)) for key, value in _table(data, part).items())
        manager, _, version = str(data.get("packageManager", "")).partition("@")
        yield manager, version
    elif name.endswith(".toml"):
        yield from _of_toml(name, _loaded(words, tomllib.loads))
    elif name.startswith("requirements") and name.endswith(".txt"):
        yield from _requirements(words.splitlines())
    elif name.startswith("dockerfile") or name.endswith((".yml", ".yaml")):
        yield from ((match[1], match[2]) for match in _IMAGE.regex.finditer(words))
        yield from ((match[1], match[2]) for match in _IN_CI.regex.finditer(words))


def _of_toml(name: str, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    project = _table(data, "project")
    if isinstance(project.get("requires-python"), str):
        yield "python", project["requires-python"]
    yield from _requirements(_texts(project.get("dependencies")))
    for group in _table(project, "optional-dependencies").values():
        yield from _requirements(_texts(group))
    tables = [_table(data, "tool", "poetry", "dependencies"), _table(data, "dependencies")]
    tables += [_table(data, "tools")] if "mise" in name else []
    for table in tables:
        for key, value in table.items():
            yield key, str(value.get("version", "") if isinstance(value, Mapping) else value)
    yield "rust", str(_table(data, "package").get("rust-version", ""))
    yield "rust", str(_table(data, "toolchain").get("channel", ""))


def _requirements(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if match := _PACKAGE.regex.match(line.partition(";")[0]):
            yield match[1], match[2].strip()


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _loaded(words: str, load: Callable[[str], Any]) -> Mapping[str, Any]:
    try:
        found = load(words)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _table(data: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = data.get(name)
        data = inner if isinstance(inner, Mapping) else {}
    return data
