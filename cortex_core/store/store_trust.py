"""A user's decision whether the project's store may be given to Claude."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cortex_core.store import trust

if TYPE_CHECKING:
    from cortex_core.base.project import Project
    from cortex_core.store.workspace import Workspace


class StoreTrust:
    """Whether the project's store may be given to Claude, as this user decides."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def granted(self) -> bool:
        """Whether this user's Cortex created the project's store, or a user trusted it."""
        store = self._workspace.existing("project")
        return store is None or trust.trusted(self._workspace.project, store.identity)

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
            self._change_note(
                lambda here: trust.grant(here, identity) if trusts else trust.revoke(here)
            )

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
                f"{trust.note_path(project)} cannot be changed: {error.strerror}. Nothing "
                "was changed. Make its folder writable, or free some space."
            ) from error

    def _identity(self) -> str:
        from cortex_core.base.errors import NotFound

        store = self._workspace.existing("project")
        if store is None:
            raise NotFound("There is no project store. Nothing was changed.")
        return store.identity
