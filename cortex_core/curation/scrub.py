"""Secrets that got in: find them everywhere, take them out for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.curation import scrub_files, scrub_store
from cortex_core.errors import CortexError
from cortex_core.memory import Actor
from cortex_core.reports.care import SecretFind, SecretsReport
from cortex_core.storage import snapshots
from cortex_core.storage.store import Store
from cortex_core.storage.workspace import Workspace

if TYPE_CHECKING:
    from cortex_core.capture.secrets import Redaction
    from cortex_core.curation.scrub_store import Find

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
        Cortex's other files. Nothing is changed, and no secret is told."""
        found = [*self._in_stores(), *self._in_snapshots(), *self._in_files()]
        found += self._in_surface()
        return SecretsReport(found=tuple(found), dry_run=True)

    def scrub(self, *, remove_snapshots: bool = False, actor: Actor = "person") -> SecretsReport:
        """Take secrets out everywhere, for good: this cannot be undone, and no snapshot is kept.

        A secret gives its place to `[redacted: its sort]`, in memories and in everything the
        journal knows of them, so that other changes can still be undone. A snapshot is a file of
        its own: one with a secret stays, and is told of, unless it may be removed.

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
            done += [_told(store, find) for find in scrub_store.scrub(store, self._redact, actor)]
            left += filter(None, [scrub_store.leftovers(store)])
        removed = self._scrub_snapshots(remove_snapshots, left)
        done += self._scrub_files(left)
        done += self._scrub_surface(left, again=bool(done))
        return SecretsReport(found=tuple(done), left=tuple(left), removed=tuple(removed))

    def _redact(self, text: str) -> Redaction:
        from cortex_core.capture import secrets

        return secrets.redact(text, self._workspace.config.get("redact.extra"))

    def _in_stores(self) -> Iterator[SecretFind]:
        for store in self._workspace.stores:
            for find in scrub_store.finds(store, self._redact):
                yield _told(store, find)

    def _copies(self) -> Iterator[Path]:
        """Every copy of a store beside it: snapshots, and what a restoring put aside."""
        for store in self._workspace.stores:
            folder = snapshots.folder(store.path)
            names = (f"{store.path.stem}.*.{tail}" for tail in ("db", "restoring", "partial"))
            yield from sorted(path for name in names for path in folder.glob(name))
            yield from sorted(store.path.parent.glob(f"{store.path.name}.broken*"))

    def _in_snapshots(self) -> Iterator[SecretFind]:
        for path in self._copies():
            found = scrub_store.in_copy(path, self._redact)
            sorts = () if found is None else _sorts(found)
            if found is None or found:
                yield SecretFind(place=f"snapshot {path}", sorts=sorts or ("unreadable",))

    def _scrub_snapshots(self, remove: bool, left: list[str]) -> list[str]:
        removed = []
        for one in self._in_snapshots():
            path = Path(one.place.removeprefix("snapshot "))
            if remove:
                path.unlink(missing_ok=True)
                removed.append(str(path))
            elif one.sorts == ("unreadable",):
                left.append(f"{path} cannot be read and may contain secrets. Remove it yourself.")
            else:
                left.append(
                    f"{path} contains {', '.join(one.sorts)}. To remove it: cortex secrets scrub "
                    "--remove-snapshots"
                )
        return removed

    def _in_files(self) -> Iterator[SecretFind]:
        for place in scrub_files.places(self._workspace.project):
            if sorts := scrub_files.found_in(place.path, self._redact):
                yield SecretFind(place=str(place.path), sorts=sorts)

    def _in_surface(self) -> list[SecretFind]:
        path = self._workspace.project.surface_file
        sorts = scrub_files.found_in(Path(path), self._redact) if path else ()
        return [SecretFind(place=str(path), sorts=sorts)] if sorts else []

    def _scrub_files(self, left: list[str]) -> list[SecretFind]:
        done = []
        for place in scrub_files.places(self._workspace.project):
            sorts = scrub_files.found_in(place.path, self._redact)
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
                    scrub_files.rewrite(place.path, self._redact)
                done.append(SecretFind(place=str(place.path), sorts=sorts))
            except OSError as error:
                left.append(f"{place.path} cannot be written: {error.strerror}.")
        return done

    def _scrub_surface(self, left: list[str], *, again: bool) -> list[SecretFind]:
        """Write what people read of the surface anew; what they wrote around it is theirs."""
        path = Path(self._workspace.project.surface_file or "")
        before = (
            scrub_files.found_in(path, self._redact) if self._workspace.project.surface_file else ()
        )
        if again or before:
            self._renew()
        if not before:
            return []
        after = scrub_files.found_in(path, self._redact)
        if after:
            left.append(
                f"{path} contains {', '.join(after)} in your own text, so change it yourself."
            )
        return [] if after else [SecretFind(place=str(path), sorts=before)]

    def _renew(self) -> None:
        """Make anew what is derived from the memories; the vector caches with it."""
        from cortex_core.storage import signs
        from cortex_core.surface import session

        for store in self._workspace.stores:
            Path(signs.place(str(store.path), store.scope)).unlink(missing_ok=True)
        try:
            session.refresh(self._workspace.project, self._workspace.clock())
        except (CortexError, OSError):
            return


def _told(store: Store, find: Find) -> SecretFind:
    name = _NAMES[find.table]
    columns = ", ".join(column for column in find.new if column != "content_hash")
    number = f" {find.memory[:8]}" if find.memory else ""
    return SecretFind(
        place=f"{name}{number} ({columns}), {store.scope} store", sorts=find.sorts,
        memory=find.memory if find.table == "memory" else "",
    )  # fmt: skip


def _sorts(found: list[Find]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sort for one in found for sort in one.sorts))
