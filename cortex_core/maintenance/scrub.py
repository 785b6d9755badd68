"""Finds secrets that were stored, and removes them for good.

Covered are every table of a store, the journal and the trash included, its snapshots, and Cortex's
other files: log, spool, caches and the surface.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cortex_core.archive.archive import ARCHIVED, Archive, damaged_copies, path_next_to
from cortex_core.archive.conversations import Conversations
from cortex_core.base import hook_io
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.records.memory import Actor
from cortex_core.records.upkeep import SecretFind, SecretsReport
from cortex_core.redaction.redactor import Form, Redactor
from cortex_core.redaction.secrets import Redaction
from cortex_core.store import scrubbing, snapshots, vector_file
from cortex_core.store.reader import Reader
from cortex_core.store.rows import with_index_words, without_index_words
from cortex_core.store.store import Store
from cortex_core.store.text_columns import IN_ROWS, WORDS
from cortex_core.store.workspace import Workspace


class SecretFinder(Redactor):
    """A redactor that collects the types of what it removes."""

    def __init__(self, extra: Sequence[str] = ()) -> None:
        super().__init__(extra)
        self.found: list[str] = []
        """The type of each secret removed so far."""

    def redaction(self, value: str) -> Redaction:
        """A text without its secrets, and what they were."""
        done = super().redaction(value)
        self.found += done.found
        return done


LARGEST = 8 << 20
"""Bytes of a file that is read."""

DERIVED = ("cache",)
"""Folders whose files are rebuilt when they are missing."""

OURS = ("spool", "lost", "given", "fired", "trust")
"""Folders of small files that Cortex writes and reads itself."""

LOGS = ("cortex.log", "cortex.log.1")

KEPT = ("backups", "installed", "config.toml")
"""Copies of Claude Code's files and the user's own: reported, never changed."""

FileAction = Literal["rewrite", "remove", "report"]

ACTIONS: tuple[tuple[tuple[str, ...], FileAction], ...] = (
    (DERIVED, "remove"),
    (OURS, "rewrite"),
    (KEPT, "report"),
)


def files_of(project: Project) -> Iterator[tuple[Path, FileAction]]:
    """The files next to the stores that may hold words of a session, and what becomes of one that
    holds a secret."""
    for top in dict.fromkeys((Path(project.data), Path(project.home))):
        yield from ((top / name, "rewrite") for name in LOGS)
        for names, action in ACTIONS:
            for name in names:
                yield from ((path, action) for path in _files(top / name))


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


def found_in(path: Path, finder: SecretFinder) -> tuple[str, ...]:
    """The types of the secrets in a file."""
    finder.found = []
    _redacted(read(path), finder)
    return tuple(dict.fromkeys(finder.found))


def rewrite(path: Path, redactor: Redactor) -> None:
    """Replace the file's text by one without its secrets.

    Raises:
        OSError: it cannot be written.
    """
    hook_io.replace(str(path), _redacted(read(path), redactor))


def _redacted(text: str, redactor: Redactor) -> str:
    """A file's text without secrets, line by line; a JSON line value by value."""
    return "\n".join(_line(line, redactor) for line in text.split("\n"))


def _line(line: str, redactor: Redactor) -> str:
    if line.startswith("{"):
        try:
            parsed = json.loads(line)
        except ValueError:
            return redactor.text(line)
        redacted = redactor.parts(parsed)
        return line if redacted == parsed else json.dumps(redacted, ensure_ascii=False)
    return redactor.text(line)


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
    reader: Reader, finder: SecretFinder, words: Mapping[str, Mapping[str, Form]] = WORDS
) -> Iterator[SecretRow]:
    """Every row that holds a secret in one of the columns of `words`, by table."""
    for table, columns in words.items():
        hashed = ("content_hash",) if table == "memory" else ()
        for row, memory, stored in scrubbing.words(reader, table, (*columns, *hashed)):
            finder.found = []
            cells = without_index_words(table, dict(stored))
            redacted = finder.row(cells, columns, IN_ROWS)
            if redacted != cells:
                redacted = with_index_words(table, redacted)
                new = {name: value for name, value in redacted.items() if value != stored[name]}
                yield SecretRow(table, row, tuple(dict.fromkeys(finder.found)), new, memory)


def scrub(store: Store, finder: SecretFinder, actor: Actor) -> list[SecretRow]:
    """Remove every secret from the store for good; returns what was found.

    Raises:
        StoreError: the store cannot be written; nothing was changed.
    """
    done: list[SecretRow] = []
    for _ in range(PASSES):
        found = list(finds(store, finder))
        if not found:
            break
        _write(store, found, actor)
        done += found
    scrubbing.rewrite_file(store)  # also without finds: what was deleted is in no row
    return done


def _write(store: Store, secret_rows: Sequence[SecretRow], actor: Actor) -> None:
    scrubbing.overwrite_freed_pages(store)
    label = f"scrub secrets out of {len(secret_rows):,} place{'s' * (len(secret_rows) > 1)}"
    with store.change("scrub", label, actor) as change:
        change.kept = True
        for row in secret_rows:
            scrubbing.overwrite(store, row.table, row.row, row.new)
            if row.table == "memory":
                change.note_scrubbed(row.memory, row.new)
        scrubbing.rebuild_indexes(store)


def in_copy(path: Path, finder: SecretFinder) -> list[SecretRow] | None:
    """The secrets in a snapshot; None where it cannot be read."""
    try:
        with Reader(str(path), "project") as copy:
            return list(finds(copy, finder))
    except sqlite3.Error:
        return None


_NAMES = {
    "memory": "memory",
    "source": "a memory's source",
    "edge": "a link's words",
    "proposal": "a merge proposal",
    "cursor": "the position in a transcript",
    "observation": "what comes back over sessions",
    "ledger": "the ledger",
    "verdict": "a verdict",
    "forgotten": "a forgotten session",
    "receipt": "a receipt",
    "occasion": "a call that kept or broke a rule",
    "trash": "the trash",
    "journal": "the journal",
    "journal_row": "the journal",
    "synced": "what sync keeps of removed rows",
    "meta": "the store's notes",
}


class StoredSecrets:
    """Secrets at rest in the stores, their snapshots and other files."""

    def __init__(
        self, workspace: Workspace, conversations: Conversations, renew_files: Callable[[], None]
    ) -> None:
        """Args:
        renew_files: removes from the files for other machines what was scrubbed.
        """
        self._workspace = workspace
        self._conversations = conversations
        self._renew_files = renew_files

    def scan(self) -> SecretsReport:
        """Look for secrets in both stores (journal and trash included), their snapshots, and
        Cortex's other files. Nothing is changed, and no secret is printed."""
        finder, project = self._finder, self._workspace.project
        found = [
            _reported(store, find)
            for store in self._workspace.stores
            for find in finds(store, finder)
        ]
        found += [
            _of_conversation(archive, find)
            for archive in self._conversations.files.existing()
            for find in finds(archive, finder, ARCHIVED)
        ]
        found += self._in_snapshots()
        surface = [Path(project.surface_file)] if project.surface_file else []
        found += [
            SecretFind(location=str(path), types=types)
            for path in (*(path for path, _ in files_of(project)), *surface)
            if (types := found_in(path, finder))
        ]
        found += self._in_spending(dry_run=True)
        return SecretsReport(found=tuple(found), dry_run=True)

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
            done += [_reported(store, find) for find in scrub(store, self._finder, actor)]
            left += filter(None, [scrubbing.old_pages(store)])
        # Other machines read files: what was removed from the stores is removed from these, too.
        self._renew_files()
        done += self._scrub_archives(left)
        removed = self._scrub_snapshots(remove_snapshots, left)
        done += [*self._scrub_files(left), *self._in_spending(dry_run=False)]
        done += self._scrub_surface(left, renew=bool(done))
        return SecretsReport(found=tuple(done), left=tuple(left), removed=tuple(removed))

    @property
    def _finder(self) -> SecretFinder:
        return SecretFinder(self._workspace.config.get("redact.extra"))

    def _scrub_archives(self, left: list[str]) -> list[SecretFind]:
        done: list[SecretFind] = []
        self._conversations.tidy()  # what ran in a folder that is ignored by now
        for archive in self._conversations.files.existing():
            for _ in range(PASSES):
                found = list(finds(archive, self._finder, ARCHIVED))
                if not found:
                    break
                done += [_of_conversation(archive, find) for find in found]
                archive.overwrite([(find.table, find.row, find.new) for find in found])
            scrubbing.rewrite_file(archive)
            left += filter(None, [scrubbing.old_pages(archive)])
        return done

    def _in_snapshots(self) -> Iterator[SecretFind]:
        """Secrets in every copy of a store or an archive: snapshots, and what was replaced."""
        paths = [store.path for store in self._workspace.stores]
        copies = ((*snapshots.copies(at), *damaged_copies(path_next_to(at))) for at in paths)
        for path in (path for of_store in copies for path in of_store):
            secret_rows = in_copy(path, self._finder)
            if secret_rows is None or secret_rows:
                types = tuple(dict.fromkeys(one for row in secret_rows or () for one in row.types))
                types = types or ("unreadable",)
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

    def _in_spending(self, *, dry_run: bool) -> Iterator[SecretFind]:
        """Paths of projects and messages of providers in the record of what models cost."""
        from cortex_core.llm.protocol import FILE, Spending

        finder, home = self._finder, self._workspace.project.home
        if Spending(home, 0.0).scrub(finder.text, dry_run=dry_run):
            yield SecretFind(
                location=str(Path(home, FILE)), types=tuple(dict.fromkeys(finder.found))
            )

    def _scrub_files(self, left: list[str]) -> list[SecretFind]:
        done = []
        for path, action in files_of(self._workspace.project):
            types = found_in(path, self._finder)
            if not types:
                continue
            if action == "report":
                left.append(
                    f"{path} contains {', '.join(types)}. It belongs to you or to Claude "
                    "Code, so change it yourself."
                )
                continue
            try:
                if action == "remove":
                    path.unlink()
                else:
                    rewrite(path, self._finder)
                done.append(SecretFind(location=str(path), types=types))
            except OSError as error:
                left.append(f"{path} cannot be written: {error.strerror}.")
        return done

    def _scrub_surface(self, left: list[str], *, renew: bool) -> list[SecretFind]:
        """Rewrite the readable copy of the surface; keep what the user wrote around it."""
        path = Path(self._workspace.project.surface_file or "")
        before = found_in(path, self._finder) if self._workspace.project.surface_file else ()
        if renew or before:
            rebuild_derived(self._workspace)
        if not before:
            return []
        after = found_in(path, self._finder)
        if after:
            left.append(
                f"{path} contains {', '.join(after)} in your own text, so change it yourself."
            )
        return [] if after else [SecretFind(location=str(path), types=before)]


def rebuild_derived(workspace: Workspace) -> None:
    """Rebuild what is derived from the memories: caches, those of vectors included, and the
    surface."""
    from cortex_core.surface import agents_file

    for store in workspace.stores:
        Path(vector_file.place(str(store.path), store.scope)).unlink(missing_ok=True)
    for path, action in files_of(workspace.project):
        if action == "remove":
            path.unlink(missing_ok=True)
    try:
        agents_file.refresh(workspace.project, workspace.clock())
    except (CortexError, OSError):
        return


def _reported(store: Store, find: SecretRow) -> SecretFind:
    name = _NAMES[find.table]
    columns = ", ".join(column for column in find.new if column != "content_hash")
    number = f" {find.memory[:8]}" if find.memory else ""
    return SecretFind(
        location=f"{name}{number} ({columns}), {store.scope} store",
        types=find.types,
        memory=find.memory if find.table == "memory" else "",
    )


def _of_conversation(archive: Archive, find: SecretRow) -> SecretFind:
    of = archive.session_of(find.table, find.row)
    return SecretFind(
        location=f"conversation {of[:8]} ({', '.join(find.new)}), {archive.scope} archive",
        types=find.types,
    )
