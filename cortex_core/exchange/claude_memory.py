"""What Claude Code itself keeps: its auto-memory of a project, and CLAUDE.md. Only ever read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import client_files, text
from cortex_core.capture import titles
from cortex_core.exchange import frontmatter, note_kinds, notes
from cortex_core.exchange.markdown import format
from cortex_core.exchange.notes import Note
from cortex_core.project import SURFACE_FILE, Project

MEMORY_FILE = "MEMORY.md"

KINDS = {"user": "preference", "feedback": "preference", "project": "fact", "reference": "fact"}
"""What the client's own types of memory are here."""

DEEPEST = 5
"""How far imports within CLAUDE.md are followed, as the client does."""

_LINKED = re.compile(r"^\s*[-*+]\s+.*?\]\(([^()\s#]+\.md)\)")
_IMPORT = re.compile(r"(?:^|\s)@((?:~/|\.{0,2}/)?[\w./-]+\.md)\b")
_OURS = re.compile(r"<cortex-memory>.*?(?:</cortex-memory>|\Z)", re.DOTALL)


class Rules(NamedTuple):
    """A file with rules for the agent."""

    path: Path
    name: str
    """What it is called in reports."""
    everywhere: bool
    """Whether it holds for every project."""


def folder(project: Project) -> Path:
    """Where the client keeps its memory of a project."""
    return Path(client_files.memory(project.root or project.cwd))


def memories(name: str, fields: Mapping[str, Any], body: str, others: set[str]) -> Iterator[Note]:
    """The memories in one file of the client's.

    Args:
        others: names of the files beside it; a list entry that only names one says nothing more.
    """
    if name == MEMORY_FILE or not fields:
        kept = (line for line in body.split("\n") if not _names(line, others))
        yield from notes.pieces("\n".join(kept), "" if name == MEMORY_FILE else _about(name))
        return
    about = text.one_line(str(fields.get("description") or fields.get("name") or ""))
    sections = [part for part in notes.parts(body) if any(line.strip() for line in part.lines)]
    if len(body) > notes.LONGEST or len(sections) > 2:
        yield from notes.pieces(body, about or _about(name))
    elif len(text.content_words(body)) >= 2:
        title = about if about and len(about) <= titles.LIMIT else titles.title(body, about)
        yield Note(content=body.strip(), title=title, path=(about,) if about else ())


def kind(fields: Mapping[str, Any], note: Note) -> str:
    """The kind of a memory of the client's: by its type, else by what it says."""
    inner = fields.get("metadata")
    told = fields.get("type") or (inner.get("type") if isinstance(inner, Mapping) else "")
    own = KINDS.get(str(told).lower())
    return "procedure" if note.steps else own or note_kinds.rule_kind(note.path, note.content)


def rules(project: Project) -> list[Rules]:
    """The files with rules that the client reads in a project, the project's own first."""
    found = []
    if project.root:
        root = Path(project.root)
        listed = [root / "CLAUDE.md", root / ".claude" / "CLAUDE.md", root / "CLAUDE.local.md"]
        listed += sorted((root / ".claude" / "rules").rglob("*.md"))
        found = [Rules(path, path.relative_to(root).as_posix(), False) for path in listed]
    config = Path(client_files.config())
    own = [config / "CLAUDE.md", *sorted((config / "rules").rglob("*.md"))]
    found += [Rules(path, f"~/{config.name}/{path.relative_to(config)}", True) for path in own]
    return [one for one in found if one.path.is_file()]


def followed(one: Rules, inside: Path, problems: list[str]) -> Iterator[tuple[Rules, str]]:
    """A file of rules and those it imports with `@`, with their texts; none outside of `inside`.

    What Cortex itself gives to the client is left out: memory must not feed on itself.
    """
    seen: set[Path] = set()
    waiting = [(one, 0)]
    while waiting:
        rule, depth = waiting.pop(0)
        real = rule.path.resolve()
        if real in seen or real.as_posix().endswith(SURFACE_FILE):
            continue
        seen.add(real)
        if not real.is_relative_to(inside.resolve()):
            problems.append(f"{rule.name} lies outside of {inside.name} and is not followed")
            continue
        try:
            words = _OURS.sub("", real.read_bytes().decode("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{rule.name} cannot be read: {error}")
            continue
        yield rule, words
        for path in _imports(words) if depth < DEEPEST else ():
            named = rule.path.parent / Path(path).expanduser()
            waiting.append((Rules(named, path, one.everywhere), depth + 1))


def _imports(words: str) -> list[str]:
    """The files that a text imports; what stands in code does not count, as with the client."""
    plain = re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?(?:```|\Z)", "", words, flags=re.DOTALL))
    return list(dict.fromkeys(_IMPORT.findall(plain)))


def rule_notes(words: str, name: str) -> tuple[list[Note], tuple[str, ...]]:
    """The rules of a file one by one, and the globs of the files that they are for.

    Raises:
        UsageError: its frontmatter cannot be read.
    """
    header, body = frontmatter.split(words)
    globs = format.texts(frontmatter.parse(header or ""), "paths")
    return list(notes.pieces(body, _about(name))), tuple(globs)


def _names(line: str, others: set[str]) -> bool:
    match = _LINKED.match(line)
    return match is not None and match[1].removeprefix("./") in others


def _about(name: str) -> str:
    """A file's name as words; empty for those that are called alike everywhere."""
    stem = name.rpartition("/")[2].removesuffix(".md")
    if stem.upper().startswith(("CLAUDE", "MEMORY", "README", "INDEX", "AGENTS")):
        return ""
    return stem.replace("_", " ").replace("-", " ").strip().capitalize()
