"""Whether a project's store is this user's own: only such a store is given to Claude.

A store that came with a clone could hold anything. The user's Cortex notes on the global side, out
of reach of a repository, which store it created where; the note binds the place to the store's own
random identity, so that neither a copied folder nor an exchanged file passes.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from cortex_core.base.project import Project
    from cortex_core.store.workspace import Workspace

FOLDER = "trust"


def trusted(project: Project, identity: str) -> bool:
    """Whether the project's store, which calls itself `identity`, may be given unasked."""
    return bool(identity) and granted(project) == identity


def granted(project: Project) -> str:
    """The identity of the store that is trusted at this place, empty when none is."""
    note = _note(project)
    return hook_io.read(note).partition("\n")[0] if note else ""


def grant(project: Project, identity: str) -> None:
    """Trust the store that calls itself `identity` at this project's place.

    Raises:
        OSError: the note cannot be written.
    """
    from cortex_core.redaction.stored_names import (
        clean,  # granting is rare, asking is what hooks do
    )

    note = _note(project)
    if note is None:
        return
    for folder in (project.home, os.path.dirname(note)):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    hook_io.replace(note, f"{identity}\n{clean(project.root or '')}\n")


def revoke(project: Project) -> None:
    """Trust no store at this project's place."""
    note = _note(project)
    if note and os.path.exists(note):
        os.unlink(note)


def roots(home: str) -> list[str]:
    """The folders of the projects whose stores were trusted, those gone meanwhile included.

    One whose path holds a secret is noted without it, so it cannot be found by this list.
    """
    folder = os.path.join(home, FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = (hook_io.read(os.path.join(folder, name)).split("\n") for name in names)
    return list(dict.fromkeys(lines[1] for lines in found if len(lines) > 1 and lines[1]))


def _note(project: Project) -> str | None:
    """Where the trust in this project's store is noted; None where there can be no such store."""
    if project.project_db is None:
        return None
    real = os.path.realpath(project.project_db)
    if not real.startswith(os.path.join(os.path.realpath(project.data), "")):
        return None
    return os.path.join(project.home, FOLDER, hook_io.sha256(real)[:32])


class StoreTrust:
    """Whether the project's store may be given to Claude, as this user decides."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def granted(self) -> bool:
        """Whether this user's Cortex created the project's store, or a user trusted it."""
        store = self._workspace.existing("project")
        return store is None or trusted(self._workspace.project, store.identity)

    def grant(self) -> None:
        """Let the project's store be given to Claude, wherever it came from.

        Guards of tool calls that came with it are taken away: this user has set none of them.

        Raises:
            NotFound: there is no store here.
            StoreError: this cannot be noted.
        """
        identity = self._identity()
        if not self.granted:
            self._take_guards()
        self._decide(identity, granted=True)

    def revoke(self) -> None:
        """Stop giving the project's store to Claude.

        Raises:
            NotFound: there is no store here.
            StoreError: the note of the trust cannot be removed.
        """
        self._decide(self._identity(), granted=False)

    def _take_guards(self) -> None:
        store = self._workspace.existing("project")
        guarding = store.rows("SELECT id FROM memory WHERE guard <> 'remind'") if store else []
        if store is None or not guarding:
            return
        with store.change("trigger", "take away guards that came with the store", "person") as each:
            for row in guarding:
                each.update("memory", row["id"], {"guard": "remind"})

    def _decide(self, identity: str, *, granted: bool) -> None:
        """Note the decision, and how it was before where that differs."""

        def decide(workspace: Workspace, made: bool) -> None:
            trusts = made == granted
            self._change_note(lambda here: grant(here, identity) if trusts else revoke(here))

        before = self.granted
        decide(self._workspace, True)
        if before != granted:
            label = "trust the project store" if granted else "stop trusting the project store"
            self._workspace.note(label, "project", decide)

    def _change_note(self, change: Callable[[Project], None]) -> None:
        from cortex_core.base.errors import StoreError

        project = self._workspace.project
        try:
            change(project)
        except OSError as error:
            raise StoreError(
                f"{_note(project)} cannot be changed: {error.strerror}. Nothing "
                "was changed. Make its folder writable, or free some space."
            ) from error

    def _identity(self) -> str:
        from cortex_core.base.errors import NotFound

        store = self._workspace.existing("project")
        if store is None:
            raise NotFound("There is no project store. Nothing was changed.")
        return store.identity
