"""What the files of a project define and state: names, scripts, versions and settings.

One walk reads every file once, for all memories together. Only what somebody asks for is looked up,
so ten thousand memories cost little more than one. Nothing outside the project's folder is read, no
link is followed, and both the bytes and the time are bounded; what was not read is known.
"""

from __future__ import annotations

import json
import os
import re
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
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
        same = self.by_name.get(path.rpartition("/")[2], ())
        return [each for each in same if each.endswith(f"/{path}")]


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
    keys = _by_last_word(settings)
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
    chosen: list[str] = []
    for path in listed(top):
        if len(chosen) >= MOST_FILES:
            break
        if os.path.lexists(top / path) and not (
            ignored and secrets.is_ignored(str(top / path), ignored)
        ):
            chosen.append(path)
    return sorted(chosen)


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


def _by_last_word(keys: Iterable[str]) -> dict[str, list[str]]:
    """Keys by the last word of each, by which a file is known to hold none of them."""
    by_word: dict[str, list[str]] = {}
    for key in keys:
        by_word.setdefault(key.replace("-", ".").rpartition(".")[2], []).append(key)
    return by_word


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
    _versions(tree, path, words)


def _define(tree: Tree, path: str, words: str, named: Set[str]) -> None:
    """Note where a file declares names, and which others its code holds."""
    left = set(named)
    for match in _FIRM.regex.finditer(words):
        name, at = match[match.lastindex or 0], match.start(match.lastindex or 0)
        if name in left:
            left.remove(name)
            line = words.count("\n", 0, at) + 1
            tree.definitions.setdefault(name, []).append(Stated("", path, line))
    if left:
        tree.used |= left.intersection(_WORD.regex.findall(_COMMENTS.regex.sub(" ", words)))


def _set(tree: Tree, path: str, words: str, asked: Set[str]) -> None:
    for match in _SETTING.regex.finditer(words):
        if match[1] in asked:
            value = next(one for one in match.groups()[1:] if one is not None)
            line = words.count("\n", 0, match.start(1)) + 1
            tree.settings.setdefault(match[1], []).append(Stated(value[:LONGEST_VALUE], path, line))
    for key in asked - tree.mentions.keys():
        if named := re.search(_naming(key), words):
            line = words.count("\n", 0, named.start()) + 1
            tree.mentions[key] = Stated("", path, line)


def _naming(key: str) -> str:
    """What names a setting: a variable as a word, a dotted key in quotes or where it is set."""
    name = re.escape(key)
    if "." not in key:
        return rf"\b{name}\b"
    return rf"[\"']{name}[\"']|(?m:^[ \t]*{name}[ \t]*[:=])"


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
    found: Iterable[tuple[str, str, str]] = ()
    if name in _FAMILIES:
        scripts = _table(_json(words), "scripts")
        found = [(_FAMILIES[name], key, str(value)) for key, value in scripts.items()]
    elif runner := _RUNNERS.get(name) or ("make" if name.endswith(".mk") else ""):
        found = [(runner, *_recipe(words, match)) for match in _TARGET.regex.finditer(words)]
    elif name in ("mise.toml", ".mise.toml", "pyproject.toml"):
        found = _toml_scripts(_toml(words))
    for family, key, value in found:
        at = words.find(key)
        stated = Stated(value[:LONGEST_VALUE], path, words.count("\n", 0, max(at, 0)) + 1)
        tree.scripts.setdefault((family, key), stated)


def _recipe(words: str, match: re.Match[str]) -> tuple[str, str]:
    """The name of a target, and what it runs first, else what it needs."""
    following = words[match.end() : match.end() + 200].lstrip("\n").partition("\n")[0]
    return match[1], following.strip() if following[:1].isspace() else match[2].strip()


def _toml_scripts(data: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    tools = _table(data, "tool")
    tables = (
        ("mise", _table(data, "tasks")),
        ("uv", _table(data, "project", "scripts")),
        ("uv", _table(tools, "poetry", "scripts")),
        ("uv", _table(tools, "poe", "tasks")),
        ("uv", _table(tools, "hatch", "envs", "default", "scripts")),
    )
    return [
        (family, key, str(value.get("run", "") if isinstance(value, Mapping) else value))
        for family, table in tables
        for key, value in table.items()
    ]


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
_TOOL_LINE = Pattern(
    "tool with its version",
    rf"^([\w-]+)[ \t]+v?({_NUMBER})",
    finds="nodejs 20.1",
    spares="# tools",
    flags=re.MULTILINE,
)
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
_GO_LINE = Pattern(
    "line of a go.mod",
    rf"^(go)[ \t]+({_NUMBER})|^[ \t]*(?:require[ \t]+)?(\S+)[ \t]+v({_NUMBER})",
    finds="require example.test/a v1.2",
    spares="module example.test/a",
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


def _versions(tree: Tree, path: str, words: str) -> None:
    """Note the versions that a file asks for."""
    for name, value in _stated_versions(path, words):
        key, at = subject(name), words.find(value)
        stated = Stated(value[:LONGEST_VALUE], path, words.count("\n", 0, max(at, 0)) + 1)
        if any(map(str.isdigit, value)):
            tree.versions.setdefault(key, []).append(stated)


def _stated_versions(path: str, words: str) -> Iterator[tuple[str, str]]:
    name = path.rpartition("/")[2].lower()
    if name in _VERSION_FILES:
        yield _VERSION_FILES[name], words.strip().partition("\n")[0]
    elif name == ".tool-versions":
        yield from ((match[1], match[2]) for match in _TOOL_LINE.regex.finditer(words))
    elif name == "go.mod":
        for match in _GO_LINE.regex.finditer(words):
            yield match[1] or match[3], match[2] or match[4]
    elif name == "package.json":
        yield from _of_package(_json(words))
    elif name.endswith(".toml"):
        yield from _of_toml(name, _toml(words))
    elif name.startswith("requirements") and name.endswith(".txt"):
        yield from _requirements(words.splitlines())
    elif name.startswith("dockerfile") or name.endswith((".yml", ".yaml")):
        yield from ((match[1], match[2]) for match in _IMAGE.regex.finditer(words))
        yield from ((match[1], match[2]) for match in _IN_CI.regex.finditer(words))


def _of_package(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for part in ("engines", "volta", "dependencies", "devDependencies"):
        yield from ((name, str(value)) for name, value in _table(data, part).items())
    manager, _, version = str(data.get("packageManager", "")).partition("@")
    yield manager, version


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


def _json(words: str) -> Mapping[str, Any]:
    try:
        found = json.loads(words)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(words: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(words)
    except (ValueError, RecursionError):
        return {}


def _table(data: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = data.get(name)
        data = inner if isinstance(inner, Mapping) else {}
    return data


def until(seconds: float) -> Callable[[], bool]:
    """True until this thread has worked for so many seconds."""
    end = time.thread_time() + seconds
    return lambda: time.thread_time() < end
