"""The verbs of giving memory back: what Claude is given, and whether it may be."""

from __future__ import annotations

from cortex_core.errors import NotFound
from cortex_core.results import Surface
from cortex_core.surface import trust
from cortex_core.verbs.base import Base


class Giving(Base):
    """What Claude is given."""

    def surface(
        self, *, prompt: str | None = None, file: str | None = None, started: bool = False
    ) -> Surface:
        """Exactly what Claude would be given next, line by line, and what just missed.

        Args:
            prompt: what would be given with this prompt.
            file: what would be given when this file is opened.
            started: with `prompt` or `file`: in a session that holds what its start was given,
                which is not given again; else in one that holds nothing yet.
        """
        from cortex_core.surface import explain

        self.follow_branch()
        return explain.surface(
            self.project, self.config, self.clock(), words=prompt, file=file, started=started
        )

    def refresh_surface(self) -> None:
        """Compose the surface for the next session, and write the file that people read."""
        from cortex_core.surface import session

        session.refresh(self.project, self.clock())

    def trust(self) -> None:
        """Let the project's store be given to Claude, wherever it came from.

        Raises:
            NotFound: there is no store here.
        """
        trust.grant(self.project, self._project_store_identity())

    def untrust(self) -> None:
        """Stop giving the project's store to Claude.

        Raises:
            NotFound: there is no store here.
        """
        self._project_store_identity()
        trust.revoke(self.project)

    def _project_store_identity(self) -> str:
        store = self.existing("project")
        if store is None:
            raise NotFound("There is no project store here. Nothing was changed.")
        return store.identity
