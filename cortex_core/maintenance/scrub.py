"""Taking secrets out of what is stored already: texts, lists and mappings kept as JSON, blobs.

Finding and removing secrets in Cortex's other files: log, spool, notes, and what is derived.
Finding and removing secrets in a store's file: every table, the journal and the trash included.
Secrets that got in: find them everywhere, take them out for good.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cortex_core import fields
from cortex_core.base import hook_io, text
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.redaction.secrets import Redaction
from cortex_core.reports import SecretFind, SecretsReport
from cortex_core.store import queries, rows, snapshots
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace
from cortex_core.types import Actor

Redact = Callable[[str], Redaction]

JSON_COLUMNS = frozenset({
    "tags", "files", "globs", "origin", "details", "members", "reasons", "conflicts", "refused",
    "carry", "before", "after",
})  # fmt: skip
"""Columns whose text is a list or a mapping."""

ROWS = frozenset({"before", "after"})
"""Those that hold a row: the names in it are columns."""


class Washer:
    """Takes secrets out of values, and remembers which sorts there were.

    The same value comes out the same wherever it is, so that a row and what the journal says
    of it still agree afterwards.
    """

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._known: dict[str, Redaction] = {}
        self.found: list[str] = []
        """The sorts of everything taken out so far, one name for each."""

    def text(self, value: str) -> str:
        """A plain text without its secrets."""
        done = self._known.get(value)
        if done is None:
            done = self._known[value] = self._redact(value)
        self.found += done.found
        return done.text

    def column(self, name: str, value: Any) -> Any:
        """The cell of a column without its secrets."""
        if isinstance(value, bytes):
            return self._packed(value)
        if not isinstance(value, str):
            return value
        return self._json(name, value) if name in JSON_COLUMNS else self.text(value)

    def row(self, cells: Mapping[str, Any]) -> dict[str, Any]:
        """A row's cells without secrets; a content's hash goes with the content."""
        made = {name: self._cell(name, value) for name, value in cells.items()}
        if "content_hash" in made and made.get("content") != cells.get("content"):
            made["content_hash"] = text.content_hash(made["content"])
        return made

    def _cell(self, name: str, value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"hex"}:
            return {"hex": self._packed(bytes.fromhex(value["hex"])).hex()}
        return self.column(name, value)

    def _json(self, name: str, value: str) -> str:
        try:
            held = json.loads(value)
        except ValueError:
            return self.text(value)
        is_row = name in ROWS and isinstance(held, dict)
        made = self.row(held) if is_row else self._value(held)
        return value if made == held else rows.dumps(made)

    def _value(self, value: Any, name: str = "") -> Any:
        """A JSON value without secrets; a text is judged together with its key."""
        if isinstance(value, dict):
            return {self.text(key): self._value(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, name) for each in value]
        if not isinstance(value, str):
            return value
        bare = self.text(value)
        if bare != value or not name:
            return bare
        told = self.text(f"{name}: {value}")
        return told.removeprefix(f"{name}: ")

    def _packed(self, value: bytes) -> bytes:
        """A pruned memory's rows, as the trash keeps them; other blobs hold no text."""
        try:
            held = json.loads(zlib.decompress(value))
        except (zlib.error, ValueError):
            return value
        made = {
            table: [self.row(each) for each in listed] for table, listed in held.items()
        }  # fmt: skip
        return value if made == held else zlib.compress(rows.dumps(made).encode())


LARGEST = 8 << 20
"""Bytes of a file that is read."""

DERIVED = ("cache",)
"""Folders whose files are rebuilt when they are missing."""

OURS = ("spool", "lost", "given", "fired")
"""Folders of small files that Cortex writes and reads itself."""

LOGS = ("cortex.log", "cortex.log.1")

KEPT = ("backups", "installed", "config.toml")
"""Copies of Claude Code's files and the user's own: reported, never changed."""


class ScannedFile(NamedTuple):
    """A file, and what may be done with it."""

    path: Path
    may: str
    """`rewrite`, `remove` or `tell`."""


def places(project: Project) -> Iterator[ScannedFile]:
    """The files next to the stores that may hold words of a session."""
    for top in dict.fromkeys((Path(project.data), Path(project.home))):
        yield from (ScannedFile(top / name, "rewrite") for name in LOGS)
        for names, may in ((DERIVED, "remove"), (OURS, "rewrite"), (KEPT, "tell")):
            for name in names:
                yield from (ScannedFile(path, may) for path in _files(top / name))


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    for at, _, names in os.walk(path):
        yield from (Path(at, name) for name in sorted(names))


def read(path: Path) -> str:
    """The file's text; empty where it has none or is too large."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return ""
        data = path.read_bytes()
    except OSError:
        return ""
    return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")


def found_in(path: Path, redact: Redact) -> tuple[str, ...]:
    """The sorts of the secrets in a file."""
    return tuple(dict.fromkeys(_washed(read(path), redact).found))


def rewrite(path: Path, redact: Redact) -> None:
    """Put the file's text, without its secrets, in its place.

    Raises:
        OSError: it cannot be written.
    """
    hook_io.replace(str(path), _washed(read(path), redact).text)


def _washed(text: str, redact: Redact) -> Redaction:
    """A file's text without secrets, line by line, those that are JSON by their values."""
    washer = Washer(redact)
    lines = [_line(line, washer) for line in text.split("\n")]
    return Redaction("\n".join(lines), tuple(washer.found))


def _line(line: str, washer: Washer) -> str:
    if line.startswith("{"):
        try:
            held = json.loads(line)
        except ValueError:
            return washer.text(line)
        made = {name: _value(value, washer) for name, value in held.items()}
        return line if made == held else json.dumps(made, ensure_ascii=False)
    return washer.text(line)


def _value(value: object, washer: Washer) -> object:
    return washer.text(value) if isinstance(value, str) else value


COLUMNS: dict[str, tuple[str, ...]] = {
    "memory": (*(column for column, one in fields.COLUMNS.items() if one.free_text), "context"),
    "source": ("author",),
    "edge": ("context",),
    "proposal": ("reasons", "conflicts", "text"),
    "cursor": ("carry", "error"),
    "ledger": ("refused", "error"),
    "receipt": ("evidence",),
    "trash": ("title", "rows"),
    "journal": ("label",),
    "journal_row": ("before", "after"),
}  # fmt: skip
"""The columns that hold words of people, tools or files."""

PASSES = 4
"""Most times a store is gone over, should somebody write meanwhile."""


class SecretRow(NamedTuple):
    """One row with a secret in it."""

    table: str
    row: int
    sorts: tuple[str, ...]
    new: dict[str, Any]
    """The columns that change, and what they become."""
    memory: str
    """The memory's id where the row is of one; else empty."""


def finds(
    reader: Reader, redact: Redact, tables: Sequence[str] = tuple(COLUMNS)
) -> Iterator[SecretRow]:
    """Every row of `tables` that holds a secret."""
    washer = Washer(redact)
    for table in tables:
        hashed = ("content_hash",) if table == "memory" else ()
        for row, memory, cells in queries.words(reader, table, (*COLUMNS[table], *hashed)):
            washer.found = []
            made = washer.row(cells)
            new = {name: value for name, value in made.items() if value != cells[name]}
            if new:
                yield SecretRow(table, row, tuple(dict.fromkeys(washer.found)), new, memory)


def scrub(store: Store, redact: Redact, actor: Actor) -> list[SecretRow]:
    """Take every secret out of the store for good; what was found.

    Raises:
        StoreError: the store cannot be written; nothing was changed.
    """
    done: list[SecretRow] = []
    for _ in range(PASSES):
        found = list(finds(store, redact))
        if not found:
            break
        _write(store, found, actor)
        done += found
    if done:
        queries.rewrite_file(store)
    return done


def _write(store: Store, found: Sequence[SecretRow], actor: Actor) -> None:
    queries.overwrite_freed_pages(store)
    label = f"scrub secrets out of {len(found):,} place{'s' * (len(found) > 1)}"
    with store.change("scrub", label, actor) as change:
        change.kept = True
        for one in found:
            queries.overwrite(store, one.table, one.row, one.new)
        queries.rebuild_indexes(store)


def leftovers(store: Store) -> str:
    """Why old pages of the store may still be on the disk; empty when they are not."""
    if log := queries.log_in_use(store):
        return (
            f"{log} is in use by another process and may still contain old pages. End that "
            "process, then run cortex secrets scrub again."
        )
    return ""


def in_copy(path: Path, redact: Redact) -> list[SecretRow] | None:
    """What a snapshot holds; None where it cannot be read."""
    try:
        with Reader(str(path), "project") as copy:
            return list(finds(copy, redact))
    except sqlite3.Error:
        return None


_NAMES = {
    "memory": "memory", "source": "a memory's source", "edge": "a link's words",
    "proposal": "a merge proposal", "cursor": "the path of a transcript", "ledger": "the ledger",
    "receipt": "a receipt", "trash": "the trash", "journal": "the journal",
    "journal_row": "the journal",
}  # fmt: skip


class StoredSecrets:
    """Secrets at rest in the stores, their snapshots and other files."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def scan(self) -> SecretsReport:
        """Look for secrets in both stores (journal and trash included), their snapshots, and
        Cortex's other files. Nothing is changed, and no secret is printed."""
        found = [*self._in_stores(), *self._in_snapshots(), *self._in_files()]
        found += self._in_surface()
        return SecretsReport(found=tuple(found), dry_run=True)

    def scrub(self, *, remove_snapshots: bool = False, actor: Actor = "person") -> SecretsReport:
        """Take secrets out everywhere, for good: this cannot be undone, and no snapshot is kept.

        A secret gives its place to `[redacted: its sort]`, in memories and in everything the
        journal knows of them, so that other changes can still be undone. A snapshot is a file of
        its own: one with a secret stays and is reported, unless it may be removed.

        Args:
            remove_snapshots: remove every snapshot that holds a secret.

        Raises:
            StoreError: a store cannot be written; that store is as it was.
        """
        done: list[SecretFind] = []
        left: list[str] = []
        for store in self._workspace.stores:
            if not store.writable:
                left.append(f"{store.path} is read-only.")
                continue
            done += [_told(store, find) for find in scrub(store, self._redact, actor)]
            left += filter(None, [leftovers(store)])
        removed = self._scrub_snapshots(remove_snapshots, left)
        done += self._scrub_files(left)
        done += self._scrub_surface(left, again=bool(done))
        return SecretsReport(found=tuple(done), left=tuple(left), removed=tuple(removed))

    def _redact(self, text: str) -> Redaction:
        from cortex_core.redaction import secrets

        return secrets.redact(text, self._workspace.config.get("redact.extra"))

    def _in_stores(self) -> Iterator[SecretFind]:
        for store in self._workspace.stores:
            for find in finds(store, self._redact):
                yield _told(store, find)

    def _copies(self) -> Iterator[Path]:
        """Every copy of a store next to it: snapshots, and what a restoring put aside."""
        for store in self._workspace.stores:
            folder = snapshots.folder(store.path)
            names = (f"{store.path.stem}.*.{tail}" for tail in ("db", "restoring", "partial"))
            yield from sorted(path for name in names for path in folder.glob(name))
            yield from sorted(store.path.parent.glob(f"{store.path.name}.broken*"))

    def _in_snapshots(self) -> Iterator[SecretFind]:
        for path in self._copies():
            found = in_copy(path, self._redact)
            sorts = () if found is None else _sorts(found)
            if found is None or found:
                yield SecretFind(location=f"snapshot {path}", types=sorts or ("unreadable",))

    def _scrub_snapshots(self, remove: bool, left: list[str]) -> list[str]:
        removed = []
        for one in self._in_snapshots():
            path = Path(one.location.removeprefix("snapshot "))
            if remove:
                path.unlink(missing_ok=True)
                removed.append(str(path))
            elif one.types == ("unreadable",):
                left.append(f"{path} cannot be read and may contain secrets. Remove it yourself.")
            else:
                left.append(
                    f"{path} contains {', '.join(one.types)}. To remove it: cortex secrets scrub "
                    "--remove-snapshots"
                )
        return removed

    def _in_files(self) -> Iterator[SecretFind]:
        for place in places(self._workspace.project):
            if sorts := found_in(place.path, self._redact):
                yield SecretFind(location=str(place.path), types=sorts)

    def _in_surface(self) -> list[SecretFind]:
        path = self._workspace.project.surface_file
        sorts = found_in(Path(path), self._redact) if path else ()
        return [SecretFind(location=str(path), types=sorts)] if sorts else []

    def _scrub_files(self, left: list[str]) -> list[SecretFind]:
        done = []
        for place in places(self._workspace.project):
            sorts = found_in(place.path, self._redact)
            if not sorts:
                continue
            if place.may == "tell":
                left.append(
                    f"{place.path} contains {', '.join(sorts)}. It belongs to you or to Claude "
                    "Code, so change it yourself."
                )
                continue
            try:
                if place.may == "remove":
                    place.path.unlink()
                elif place.may == "rewrite":
                    rewrite(place.path, self._redact)
                done.append(SecretFind(location=str(place.path), types=sorts))
            except OSError as error:
                left.append(f"{place.path} cannot be written: {error.strerror}.")
        return done

    def _scrub_surface(self, left: list[str], *, again: bool) -> list[SecretFind]:
        """Rewrite the readable copy of the surface; keep what the user wrote around it."""
        path = Path(self._workspace.project.surface_file or "")
        before = found_in(path, self._redact) if self._workspace.project.surface_file else ()
        if again or before:
            self._renew()
        if not before:
            return []
        after = found_in(path, self._redact)
        if after:
            left.append(
                f"{path} contains {', '.join(after)} in your own text, so change it yourself."
            )
        return [] if after else [SecretFind(location=str(path), types=before)]

    def _renew(self) -> None:
        """Rebuild what is derived from the memories, including the vector caches."""
        from cortex_core.store import vector_file
        from cortex_core.surface import session

        for store in self._workspace.stores:
            Path(vector_file.place(str(store.path), store.scope)).unlink(missing_ok=True)
        try:
            session.refresh(self._workspace.project, self._workspace.clock())
        except (CortexError, OSError):
            return


def _told(store: Store, find: SecretRow) -> SecretFind:
    name = _NAMES[find.table]
    columns = ", ".join(column for column in find.new if column != "content_hash")
    number = f" {find.memory[:8]}" if find.memory else ""
    return SecretFind(
        location=f"{name}{number} ({columns}), {store.scope} store", types=find.sorts,
        memory=find.memory if find.table == "memory" else "",
    )  # fmt: skip


def _sorts(found: list[SecretRow]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sort for one in found for sort in one.sorts))
