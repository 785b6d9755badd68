"""Finds secrets that were stored, and removes them for good.

Covered are every table of a store, the journal and the trash included, its snapshots, and Cortex's
other files: log, spool, caches and the surface.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cortex_core import fields
from cortex_core.base import hook_io, text
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.redaction.secrets import Redaction
from cortex_core.reports import SecretFind, SecretsReport
from cortex_core.store import journal, queries, rows, snapshots
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


class Redactor:
    """Removes secrets from values, and collects their types.

    Equal values are redacted equally wherever they are, so that a row and what the journal says
    of it still agree afterwards.
    """

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._known: dict[str, Redaction] = {}
        self.found: list[str] = []
        """The type of each secret removed so far."""

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
        """A row's cells without secrets; the content's hash follows the content."""
        redacted = {name: self._cell(name, value) for name, value in cells.items()}
        if "content_hash" in redacted and redacted.get("content") != cells.get("content"):
            redacted["content_hash"] = text.content_hash(redacted["content"])
        return redacted

    def _cell(self, name: str, value: Any) -> Any:
        if isinstance(value, dict) and set(value) == {"hex"}:
            return {"hex": self._packed(bytes.fromhex(value["hex"])).hex()}
        return self.column(name, value)

    def _json(self, name: str, value: str) -> str:
        try:
            parsed = json.loads(value)
        except ValueError:
            return self.text(value)
        is_row = name in ROWS and isinstance(parsed, dict)
        redacted = self.row(parsed) if is_row else self._value(parsed)
        return value if redacted == parsed else rows.dumps(redacted)

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
        return self.text(f"{name}: {value}").removeprefix(f"{name}: ")

    def _packed(self, value: bytes) -> bytes:
        """A pruned memory's rows, as the trash keeps them; other blobs hold no text."""
        try:
            tables = json.loads(zlib.decompress(value))
        except (zlib.error, ValueError):
            return value
        redacted = {
            table: [self.row(each) for each in listed] for table, listed in tables.items()
        }  # fmt: skip
        return value if redacted == tables else zlib.compress(rows.dumps(redacted).encode())


LARGEST = 8 << 20
"""Bytes of a file that is read."""

DERIVED = ("cache",)
"""Folders whose files are rebuilt when they are missing."""

OURS = ("spool", "lost", "given", "fired")
"""Folders of small files that Cortex writes and reads itself."""

LOGS = ("cortex.log", "cortex.log.1")

KEPT = ("backups", "installed", "config.toml")
"""Copies of Claude Code's files and the user's own: reported, never changed."""

FileAction = Literal["rewrite", "remove", "report"]

ACTIONS: tuple[tuple[tuple[str, ...], FileAction], ...] = (
    (DERIVED, "remove"), (OURS, "rewrite"), (KEPT, "report"),
)  # fmt: skip


class ScannedFile(NamedTuple):
    """A file that may hold a secret."""

    path: Path
    action: FileAction
    """What to do with it if it holds a secret."""


def files_of(project: Project) -> Iterator[ScannedFile]:
    """The files next to the stores that may hold words of a session."""
    for top in dict.fromkeys((Path(project.data), Path(project.home))):
        yield from (ScannedFile(top / name, "rewrite") for name in LOGS)
        for names, action in ACTIONS:
            for name in names:
                yield from (ScannedFile(path, action) for path in _files(top / name))


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
    """The types of the secrets in a file."""
    return tuple(dict.fromkeys(_redacted(read(path), redact).found))


def rewrite(path: Path, redact: Redact) -> None:
    """Replace the file's text by one without its secrets.

    Raises:
        OSError: it cannot be written.
    """
    hook_io.replace(str(path), _redacted(read(path), redact).text)


def _redacted(text: str, redact: Redact) -> Redaction:
    """A file's text without secrets, line by line; a JSON line value by value."""
    redactor = Redactor(redact)
    lines = [_line(line, redactor) for line in text.split("\n")]
    return Redaction("\n".join(lines), tuple(redactor.found))


def _line(line: str, redactor: Redactor) -> str:
    if line.startswith("{"):
        try:
            parsed = json.loads(line)
        except ValueError:
            return redactor.text(line)
        redacted = {name: _value(value, redactor) for name, value in parsed.items()}
        return line if redacted == parsed else json.dumps(redacted, ensure_ascii=False)
    return redactor.text(line)


def _value(value: object, redactor: Redactor) -> object:
    return redactor.text(value) if isinstance(value, str) else value


COLUMNS: dict[str, tuple[str, ...]] = {
    "memory": (*(column for column, one in fields.COLUMNS.items() if one.free_text), "context"),
    "source": ("author",),
    "edge": ("context",),
    "proposal": ("reasons", "conflicts", "text"),
    "cursor": ("carry", "error"),
    "observation": ("key", "text", "branch"),
    "ledger": ("refused", "error"),
    "receipt": ("evidence",),
    "trash": ("title", "rows"),
    "journal": ("label",),
    "journal_row": ("before", "after"),
}  # fmt: skip
"""The columns that contain words of users, tools or files."""

PASSES = 4
"""Most times a store is scanned, in case another process writes meanwhile."""


class SecretRow(NamedTuple):
    """One row with a secret in it."""

    table: str
    row: int
    types: tuple[str, ...]
    new: dict[str, Any]
    """The new values of the columns that change."""
    memory: str
    """The memory's id where the row is of one; else empty."""


def finds(
    reader: Reader, redact: Redact, tables: Sequence[str] = tuple(COLUMNS)
) -> Iterator[SecretRow]:
    """Every row of `tables` that holds a secret."""
    redactor = Redactor(redact)
    for table in tables:
        hashed = ("content_hash",) if table == "memory" else ()
        for row, memory, cells in queries.words(reader, table, (*COLUMNS[table], *hashed)):
            redactor.found = []
            redacted = redactor.row(cells)
            new = {name: value for name, value in redacted.items() if value != cells[name]}
            if new:
                yield SecretRow(table, row, tuple(dict.fromkeys(redactor.found)), new, memory)


def scrub(store: Store, redact: Redact, actor: Actor) -> list[SecretRow]:
    """Remove every secret from the store for good; returns what was found.

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


def _write(store: Store, secret_rows: Sequence[SecretRow], actor: Actor) -> None:
    queries.overwrite_freed_pages(store)
    label = f"scrub secrets out of {len(secret_rows):,} place{'s' * (len(secret_rows) > 1)}"
    with store.change("scrub", label, actor) as change:
        change.kept = True
        for row in secret_rows:
            queries.overwrite(store, row.table, row.row, row.new)
        journal.drop_fingerprints(change, (row.memory for row in secret_rows))
        queries.rebuild_indexes(store)


def leftovers(store: Store) -> str:
    """Why old pages of the store may still be on disk; empty when they are not."""
    if log := queries.log_in_use(store):
        return (
            f"{log} is in use by another process and may still contain old pages. End that "
            "process, then run cortex secrets scrub again."
        )
    return ""


def in_copy(path: Path, redact: Redact) -> list[SecretRow] | None:
    """The secrets in a snapshot; None where it cannot be read."""
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
        finds = [*self._in_stores(), *self._in_snapshots(), *self._in_files()]
        finds += self._in_surface()
        return SecretsReport(found=tuple(finds), dry_run=True)

    def scrub(self, *, remove_snapshots: bool = False, actor: Actor = "person") -> SecretsReport:
        """Remove secrets everywhere and for good: this cannot be undone, and takes no snapshot.

        A secret is replaced by `[redacted: its type]`, in memories and in everything the journal
        knows of them, so that other changes can still be undone. A snapshot with a secret is kept
        and reported, unless `remove_snapshots` is given.

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
            done += [_reported(store, find) for find in scrub(store, self._redact, actor)]
            left += filter(None, [leftovers(store)])
        removed = self._scrub_snapshots(remove_snapshots, left)
        done += self._scrub_files(left)
        done += self._scrub_surface(left, renew=bool(done))
        return SecretsReport(found=tuple(done), left=tuple(left), removed=tuple(removed))

    def _redact(self, text: str) -> Redaction:
        from cortex_core.redaction import secrets

        return secrets.redact(text, self._workspace.config.get("redact.extra"))

    def _in_stores(self) -> Iterator[SecretFind]:
        for store in self._workspace.stores:
            for find in finds(store, self._redact):
                yield _reported(store, find)

    def _copies(self) -> Iterator[Path]:
        """Every copy of a store next to it: snapshots, and stores that a restore replaced."""
        for store in self._workspace.stores:
            folder = snapshots.folder(store.path)
            names = (f"{store.path.stem}.*.{tail}" for tail in ("db", "restoring", "partial"))
            yield from sorted(path for name in names for path in folder.glob(name))
            yield from sorted(store.path.parent.glob(f"{store.path.name}.broken*"))

    def _in_snapshots(self) -> Iterator[SecretFind]:
        for path in self._copies():
            secret_rows = in_copy(path, self._redact)
            if secret_rows is None or secret_rows:
                types = _types(secret_rows or []) or ("unreadable",)
                yield SecretFind(location=f"snapshot {path}", types=types)

    def _scrub_snapshots(self, remove: bool, left: list[str]) -> list[str]:
        removed = []
        for find in self._in_snapshots():
            path = Path(find.location.removeprefix("snapshot "))
            if remove:
                path.unlink(missing_ok=True)
                removed.append(str(path))
            elif find.types == ("unreadable",):
                left.append(f"{path} cannot be read and may contain secrets. Remove it yourself.")
            else:
                left.append(
                    f"{path} contains {', '.join(find.types)}. To remove it: cortex secrets scrub "
                    "--remove-snapshots"
                )
        return removed

    def _in_files(self) -> Iterator[SecretFind]:
        for file in files_of(self._workspace.project):
            if types := found_in(file.path, self._redact):
                yield SecretFind(location=str(file.path), types=types)

    def _in_surface(self) -> list[SecretFind]:
        path = self._workspace.project.surface_file
        types = found_in(Path(path), self._redact) if path else ()
        return [SecretFind(location=str(path), types=types)] if types else []

    def _scrub_files(self, left: list[str]) -> list[SecretFind]:
        done = []
        for file in files_of(self._workspace.project):
            types = found_in(file.path, self._redact)
            if not types:
                continue
            if file.action == "report":
                left.append(
                    f"{file.path} contains {', '.join(types)}. It belongs to you or to Claude "
                    "Code, so change it yourself."
                )
                continue
            try:
                if file.action == "remove":
                    file.path.unlink()
                else:
                    rewrite(file.path, self._redact)
                done.append(SecretFind(location=str(file.path), types=types))
            except OSError as error:
                left.append(f"{file.path} cannot be written: {error.strerror}.")
        return done

    def _scrub_surface(self, left: list[str], *, renew: bool) -> list[SecretFind]:
        """Rewrite the readable copy of the surface; keep what the user wrote around it."""
        path = Path(self._workspace.project.surface_file or "")
        before = found_in(path, self._redact) if self._workspace.project.surface_file else ()
        if renew or before:
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


def _reported(store: Store, find: SecretRow) -> SecretFind:
    name = _NAMES[find.table]
    columns = ", ".join(column for column in find.new if column != "content_hash")
    number = f" {find.memory[:8]}" if find.memory else ""
    return SecretFind(
        location=f"{name}{number} ({columns}), {store.scope} store", types=find.types,
        memory=find.memory if find.table == "memory" else "",
    )  # fmt: skip


def _types(rows: list[SecretRow]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(type for row in rows for type in row.types))
