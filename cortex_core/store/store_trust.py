"""A user's decision whether the project's store may be given to Claude."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from cortex_core.base import project as projects, trust
from cortex_core.base.errors import NotFound, StoreError
from cortex_core.store.workspace import Workspace


class StoreTrust:
    """Whether the project's store may be given to Claude, as this user decides."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def granted(self) -> bool:
        """Whether this user's Cortex created the project's store, or a user trusted it."""
        here, store = self._workspace.project, self._workspace.existing("project")
        return not here.doubt and (store is None or trust.trusted(here, store.identity))

    def grant(self) -> None:
        """Believe the project's `.memory`, wherever it came from, and let its store be given.

        Guards of tool calls that came with it are taken away: this user has set none of them.

        Raises:
            NotFound: there is no store here.
            StoreError: this cannot be noted, or the folder holds links or other things that are
                neither files nor folders.
        """
        came_with_folder = bool(self._workspace.project.doubt)
        self._believe()
        if came_with_folder and self._workspace.existing("project") is None:
            return  # it brought no database
        identity = self._identity()
        if not self.granted:
            self._take_guards()
        self._decide(identity, granted=True)

    def revoke(self) -> None:
        """Stop injecting memories of the project's store.

        Raises:
            NotFound: there is no store here.
            StoreError: the note of the trust cannot be removed.
        """
        self._decide(self._identity(), granted=False)

    def _believe(self) -> None:
        """Note that what is in the project's `.memory` is this user's own."""
        here = self._workspace.project
        data = str(Path(here.root or here.home, projects.FOLDER))
        if here.root is None or not os.path.lexists(data):
            return
        # What is neither a file nor a folder may lead elsewhere.
        below = (Path(at, name) for at, names, files in os.walk(data) for name in (*names, *files))
        kinds = ((path, stat.S_IFMT(path.lstat().st_mode)) for path in (Path(data), *below))
        odd = next((at for at, kind in kinds if kind not in (stat.S_IFREG, stat.S_IFDIR)), None)
        if odd is not None:
            raise StoreError(
                f"{odd} is a link, or neither a file nor a folder. Nothing was changed. Remove it, "
                "or move it away."
            )
        self._change_note(
            lambda project: trust.mark(data, trust.note_of(data, project.home), project.home)
        )
        self._workspace.project = projects.find(here.cwd, here.root, here.home)

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

    def _change_note(self, change: Callable[[projects.Project], None]) -> None:
        project = self._workspace.project
        try:
            change(project)
        except OSError as error:
            raise StoreError(
                f"{project.note} cannot be changed: {error.strerror}. Nothing "
                "was changed. Make its folder writable, or free some space."
            ) from error

    def _identity(self) -> str:
        store = self._workspace.existing("project")
        if store is None:
            raise NotFound("There is no project store. Nothing was changed.")
        return store.identity
