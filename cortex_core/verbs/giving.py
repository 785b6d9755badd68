"""The verbs of giving memory back: what Claude is given, and whether it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex_core.errors import NotFound
from cortex_core.memory import Surface, SurfaceLine
from cortex_core.surface import trust
from cortex_core.verbs.base import Base

if TYPE_CHECKING:
    from cortex_core.surface.compose import Composition, Line


class Giving(Base):
    """What Claude is given."""

    def surface(self, *, prompt: str | None = None, file: str | None = None) -> Surface:
        """Exactly what Claude would be given next, line by line, and what just missed.

        Args:
            prompt: what would be given with this prompt, in a session that holds nothing yet.
            file: what would be given when this file is opened.
        """
        from cortex_core.surface import files, session
        from cortex_core.surface import prompt as prompts

        now = self.clock()
        if prompt is not None:
            return _told(prompts.composed(self.project, prompt, now))
        if file is not None:
            return _told(files.composed(self.project, file, now))
        made, _ = session.composed(self.project, now, self.config)
        return _told(made)

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


def _told(made: Composition) -> Surface:
    return Surface(
        text=made.text, lines=tuple(_line(line) for line in made.lines),
        missed=tuple(_line(line) for line in made.missed), tokens=made.tokens, units=made.units,
    )  # fmt: skip


def _line(line: Line) -> SurfaceLine:
    found = line.candidate
    return SurfaceLine(
        id=found.row.id, text=line.text, kind=found.row.kind, score=found.score,
        parts=dict(found.parts), tokens=line.tokens, why=line.why,
    )  # fmt: skip
