"""Imports what the agent itself keeps: its own memory of a project, and its files of rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cortex_core import agents
from cortex_core.agents.protocol import RuleFile
from cortex_core.base import text
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.base.project import SURFACE_FILE
from cortex_core.exchange import frontmatter, notes
from cortex_core.exchange.importer import ImportBatch, ImportItem
from cortex_core.exchange.markdown import format, read
from cortex_core.exchange.notes import Note
from cortex_core.extract import wording
from cortex_core.language.patterns import Pattern
from cortex_core.records.memory import Scope
from cortex_core.store.workspace import Workspace

own_files = agents.of("claude").own_files

MEMORY_RULE = "import:claude-memory"
RULES_RULE = "import:claude-md"
RULE_PRIORITY = 7
"""Priority of a rule: what the user wrote into CLAUDE.md matters more than a note."""

_LINKED = Pattern(
    "item that links another file",
    r"^\s*[-*+]\s+.*?\]\(([^()\s#]+\.md)\)",
    finds="- [a](b.md)",
    spares="- see b.md",
    flags=0,
)
_OURS = Pattern(
    "part that Cortex wrote",
    r"<cortex-memory>.*?(?:</cortex-memory>|\Z)",
    finds="<cortex-memory>a</cortex-memory>",
    spares="<memory>a</memory>",
    flags=re.DOTALL,
)


def memories(name: str, fields: Mapping[str, Any], body: str, others: set[str]) -> Iterator[Note]:
    """The memories in one of Claude Code's files.

    Args:
        others: names of the other files in its folder; a list item that only links one is skipped.
    """
    if name == own_files.MEMORY_FILE or not fields:
        kept = (line for line in body.split("\n") if not _links_only(line, others))
        yield from notes.pieces(
            "\n".join(kept), "" if name == own_files.MEMORY_FILE else _about(name)
        )
        return
    about = text.one_line(str(fields.get("description") or fields.get("name") or ""))
    sections = [lines for _, lines in notes.sections(body) if any(map(str.strip, lines))]
    if len(body) > notes.LONGEST or len(sections) > 2:
        yield from notes.pieces(body, about or _about(name))
    elif len(text.content_words(body)) >= 2:
        title = (
            about if about and len(about) <= wording.LONGEST_TITLE else wording.title(body, about)
        )
        yield Note(content=body.strip(), title=title, path=(about,) if about else ())


def kind(fields: Mapping[str, Any], note: Note) -> str:
    """The kind of one of Claude Code's memories: by its type, else by what it says."""
    inner = fields.get("metadata")
    named = fields.get("type") or (inner.get("type") if isinstance(inner, Mapping) else "")
    own = own_files.KINDS.get(str(named).lower())
    return "procedure" if note.steps else own or notes.rule_kind(note.path, note.content)


def followed(start: RuleFile, inside: Path, problems: list[str]) -> Iterator[tuple[RuleFile, str]]:
    """A file of rules and those that it imports with `@`, with their texts; all within `inside`.

    What Cortex itself injects is left out: memory must not feed on itself.
    """
    seen: set[Path] = set()
    waiting = [(start, 0)]
    while waiting:
        rule, depth = waiting.pop(0)
        real = rule.path.resolve()
        if real in seen or real.as_posix().endswith(SURFACE_FILE):
            continue
        seen.add(real)
        if not real.is_relative_to(inside.resolve()):
            problems.append(f"{rule.name} is outside {inside.name} and was skipped")
            continue
        try:
            words = _OURS.regex.sub("", real.read_bytes().decode("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{rule.name} cannot be read: {error}")
            continue
        yield rule, words
        for path in own_files.imports(words) if depth < own_files.DEEPEST else ():
            named = rule.path.parent / Path(path).expanduser()
            waiting.append((RuleFile(named, path, start.everywhere), depth + 1))


def rule_notes(words: str, name: str) -> tuple[list[Note], tuple[str, ...]]:
    """The rules of a file one by one, and the globs of the files they apply to.

    Raises:
        UsageError: its frontmatter cannot be read.
    """
    header, body = frontmatter.split(words)
    globs = format.texts(frontmatter.parse(header or ""), "paths")
    return list(notes.pieces(body, _about(name))), tuple(globs)


def memory_batch(workspace: Workspace, path: str | Path | None = None) -> ImportBatch:
    """What Claude Code itself remembers about a project.

    Raises:
        NotFound: there is no such folder.
    """
    source = Path(path).expanduser() if path else own_files.memory_folder(workspace.project)
    if not source.is_dir():
        raise NotFound(
            f"Claude Code keeps no memory in {source}. Nothing was changed. Claude Code creates it "
            "when it remembers something; you can name another folder."
        )
    found = read.texts(source, lambda file: notes.is_ignored(workspace, file))
    problems = list(found.problems)
    items: list[ImportItem] = []
    names = {name for name, *_ in found.notes}
    for name, fields, body in found.notes:
        moment = min(workspace.clock(), (source / name).stat().st_mtime)
        for note in memories(name, fields, notes.without_secrets(workspace, body), names):
            # One note that cannot be taken must not cost the others.
            try:
                items.append(
                    notes.item(
                        workspace,
                        note,
                        name,
                        MEMORY_RULE,
                        kind(fields, note),
                        created=moment,
                        scope=workspace.default_scope(),
                    )
                )
            except UsageError as error:
                problems.append(f"{name}: {error}")
    return ImportBatch(items=items, problems=problems, files=found.files, size=found.size)


def rules_batch(workspace: Workspace, paths: Sequence[str | Path] = ()) -> ImportBatch:
    """The rules of CLAUDE.md, one memory a rule; a rule in several files counts once.

    Args:
        paths: files to read; none: those that Claude Code reads in this project.

    Raises:
        NotFound: there is no such file.
    """
    chosen = _named(paths) if paths else own_files.rules(workspace.project)
    if not chosen:
        raise NotFound(
            f"There is no {own_files.RULES_FILE} in this project or in your home folder. "
            "Nothing was changed."
        )
    problems: list[str] = []
    items: list[ImportItem] = []
    size = files = 0
    for start in chosen:
        for rule, words in followed(start, _within_reach(workspace, start), problems):
            files, size = files + 1, size + len(words.encode())
            try:
                items += _rule_items(workspace, rule, words)
            except UsageError as error:
                problems.append(f"{rule.name}: {error}")
    # From the end, so that of equal rules the one read first stays.
    once = {text.content_hash(item.memory.content): item for item in reversed(items)}
    return ImportBatch(items=list(once.values())[::-1], problems=problems, files=files, size=size)


def _rule_items(workspace: Workspace, rule: RuleFile, words: str) -> list[ImportItem]:
    if notes.is_ignored(workspace, rule.path):
        raise UsageError("is in a folder that is excluded from capture")
    moment = min(workspace.clock(), rule.path.stat().st_mtime)
    scope: Scope = "global" if rule.everywhere else workspace.default_scope()
    listed, globs = rule_notes(notes.without_secrets(workspace, words), rule.name)
    return [
        notes.item(
            workspace,
            note,
            rule.name,
            RULES_RULE,
            notes.rule_kind(note.path, note.content),
            created=moment,
            scope=scope,
            globs=globs,
            inject="demoted",
            priority=RULE_PRIORITY,
            by_user=rule.everywhere,
        )
        for note in listed
    ]


def _within_reach(workspace: Workspace, rule: RuleFile) -> Path:
    """The folder that the imports of a file may not leave."""
    if rule.everywhere or not workspace.project.root:
        return rule.path.parent
    root = Path(workspace.project.root)
    return root if rule.path.resolve().is_relative_to(root.resolve()) else rule.path.parent


def _named(paths: Sequence[str | Path]) -> list[RuleFile]:
    files = []
    for name in paths:
        path = Path(name).expanduser()
        path = path / own_files.RULES_FILE if path.is_dir() else path
        if not path.is_file():
            raise NotFound(f"There is no {path}. Nothing was changed.")
        files.append(RuleFile(path, path.name, False))
    return files


def _links_only(line: str, others: set[str]) -> bool:
    match = _LINKED.regex.match(line)
    return match is not None and match[1].removeprefix("./") in others


def _about(name: str) -> str:
    """The name of a file as words; empty for names that every project uses."""
    stem = name.rpartition("/")[2].removesuffix(".md")
    if stem.upper().startswith(("CLAUDE", "MEMORY", "README", "INDEX", "AGENTS")):
        return ""
    return stem.replace("_", " ").replace("-", " ").strip().capitalize()
