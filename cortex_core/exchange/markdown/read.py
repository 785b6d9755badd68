"""Reading a folder of Markdown: a vault's memories, links and days, and notes of any other form.

Nothing here touches a store. A file that cannot be used is told by its name, and the rest is read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cortex_core.config import Config
from cortex_core.errors import UsageError
from cortex_core.exchange import frontmatter
from cortex_core.exchange.markdown import format, write
from cortex_core.exchange.markdown.format import Frontmatter
from cortex_core.kinds import Kinds
from cortex_core.memory import Edge


@dataclass(slots=True)
class VaultScan:
    """What a folder holds."""

    memories: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    """By id: file and object (as `jsonl.to_memory` takes it) of each memory of a format."""
    links: list[Edge] = field(default_factory=list)
    """Links with a file of their own."""
    outgoing: list[Edge] = field(default_factory=list)
    """Links as the memories that they lead away from state them."""
    incoming: list[Edge] = field(default_factory=list)
    """Links as the memories that they lead to state them."""
    notes: list[tuple[str, Frontmatter, str]] = field(default_factory=list)
    """File, frontmatter and body of each other note."""
    problems: list[str] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)
    """The memories that the last export wrote here: path by id."""
    files: int = 0
    size: int = 0
    """Bytes read."""

    @property
    def is_vault(self) -> bool:
        """Whether the folder holds memories in the form of a format."""
        return bool(self.memories or self.exported)


def scan(path: Path, config: Config, ignored: Callable[[Path], bool]) -> VaultScan:
    """What the folder, or the one file, at `path` holds.

    Args:
        ignored: whether a person keeps a file out of memory.

    Raises:
        UsageError: there is nothing at `path`.
    """
    if not path.exists():
        raise UsageError(f"There is no {path}. Nothing was changed.")
    found, parsed = _parsed(path, ignored)
    ids = {
        name: str(fields["id"]) for name, (fields, _) in parsed.items()
        if fields is not None and format.is_memory(fields, config.kinds)
    }  # fmt: skip
    for name, (fields, body) in parsed.items():
        if fields is not None:
            _sort(name, fields, body, ids, found, config.kinds)
    if path.is_dir():
        found.state = write.read_state(path)
        entries = write.read_index(path).get("entries")
        found.exported = {
            id: str(entry.get("path")) for id, entry in (entries or {}).items()
            if isinstance(entry, dict)
        } if isinstance(entries, dict) else {}  # fmt: skip
    _keep_to_notes(found)
    return found


def texts(path: Path, ignored: Callable[[Path], bool]) -> VaultScan:
    """Every Markdown file of a folder as a note, whatever its frontmatter says."""
    found, parsed = _parsed(path, ignored)
    found.notes = [
        (name, fields, body) for name, (fields, body) in parsed.items() if fields is not None
    ]
    return found


def _parsed(
    path: Path, ignored: Callable[[Path], bool]
) -> tuple[VaultScan, dict[str, tuple[Frontmatter | None, str]]]:
    """Frontmatter and body of each file; no frontmatter where it cannot be read."""
    found = VaultScan()
    parsed: dict[str, tuple[Frontmatter | None, str]] = {}
    listed = [(path.name, path)] if path.is_file() else list(write.files(path))
    for name, file in listed:
        if ignored(file):
            found.problems.append(f"{name} lies in a folder that is kept out of memory")
        elif (words := _read(name, file, found)) is not None:
            parsed[name] = _split(name, words, found)
    return found, parsed


def _read(name: str, file: Path, found: VaultScan) -> str | None:
    """The text of a file; None, with the problem told, where it is none that can be read."""
    problem = ""
    try:
        if file.is_symlink() or not file.is_file():
            problem = "is a link and is not followed"
        elif (size := file.stat().st_size) > write.LARGEST:
            problem = f"has {size:,} bytes and is too large for notes"
        else:
            words = file.read_bytes().decode("utf-8")
            found.files += 1
            found.size += size
            return words
    except UnicodeDecodeError:
        problem = "is no UTF-8 text"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    found.problems.append(f"{name} {problem}")
    return None


def _split(name: str, words: str, found: VaultScan) -> tuple[Frontmatter | None, str]:
    try:
        header, body = frontmatter.split(words)
        return frontmatter.parse(header or ""), body.strip("\n")
    except UsageError as error:
        found.problems.append(f"{name}, {error}")
        return None, ""


def _sort(
    name: str, fields: Frontmatter, body: str, ids: dict[str, str], found: VaultScan, kinds: Kinds
) -> None:
    """Put one file where it belongs."""
    if name in ids:
        _take(name, fields, body, found, kinds)
    elif {"from_id", "to_id", "type"} <= fields.keys():
        _take_link(name, fields, body, found)
    elif format.is_day(name) and not fields:
        for entry, summary in format.parse_day(body, name, ids.get):
            _take(name, entry, summary, found, kinds)
    elif not body.split("\n", 1)[0].rstrip().endswith(format.DERIVED):
        found.notes.append((name, fields, body))


def _take(name: str, fields: Frontmatter, body: str, found: VaultScan, kinds: Kinds) -> None:
    try:
        made = format.given(fields, body, kinds)
        if double := found.memories.get(made["id"]):
            raise UsageError(f"has the id of one in {double[0]}; take the id out of one of them")
        edges = format.relations(fields, made["id"])
    except UsageError as error:
        found.problems.append(f"{name}: {error}")
        return
    if name.split("/")[0] == format.PINNED and "pinned" not in fields:
        made["pinned"] = True
    for edge in edges:
        (found.outgoing if edge.source == made["id"] else found.incoming).append(edge)
    found.memories[made["id"]] = (name, made)


def _take_link(name: str, fields: Frontmatter, body: str, found: VaultScan) -> None:
    try:
        ends = (str(fields["from_id"]), str(fields["to_id"]))
        found.links.append(format.edge(fields, *ends, body))
    except UsageError as error:
        found.problems.append(f"{name}: {error}")


def _keep_to_notes(found: VaultScan) -> None:
    """In a vault, only notes among its memories are meant for it; others are told and left."""
    if not found.is_vault:
        return
    kept = []
    for note in found.notes:
        if posixpath.dirname(note[0]).split("/")[0] in (format.GRAPH, format.PINNED):
            kept.append(note)
        else:
            found.problems.append(f"{note[0]} is no memory of this vault and was left out")
    found.notes = kept
