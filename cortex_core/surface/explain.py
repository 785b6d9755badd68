"""A surface as users read it: each line with the parts of its score, what just missed, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from cortex_core.base.config import Config
from cortex_core.base.project import Project
from cortex_core.surface import choosing, files, prompt, session
from cortex_core.surface.cache import DAY
from cortex_core.surface.choosing import SurfaceCandidate
from cortex_core.surface.compose import ComposedLine, Composition
from cortex_core.surface.wording import MOST_UNITS
from cortex_core.types import Surface, SurfaceLine

MOST_MISSED = 30
"""Most lines that just missed and are listed."""

_WITHHELD = {
    "never": "never injected, by your choice", "demoted": "injected only when it matches",
    "normal": "may steer an agent and is not in your words: pin or edit it to inject it",
}  # fmt: skip


def surface(
    project: Project,
    config: Config,
    now: float,
    *,
    words: str | None = None,
    file: str | None = None,
    started: bool = False,
) -> Surface:
    """What is injected at a session's start, with the prompt `words`, or for `file`.

    It is composed as the hooks do it.

    Args:
        started: whether the session holds the surface of its start already, or nothing yet.
    """
    held = session.composed(project, now, config).injection.ids if started else ()
    if words is not None:
        composition = prompt.composed(project, words, now, frozenset(held), config=config)
        return report(composition, config.get("prompt.tokens"))
    if file is not None:
        composition = files.composed(project, file, now, frozenset(held))
        return report(composition, config.get("files.tokens"))
    composition = session.composed(project, now, config)
    return report(composition, config.get("surface.tokens"), _withheld(project, config, now))


def report(
    composition: Composition, budget: int = 0, withheld: Sequence[SurfaceLine] = ()
) -> Surface:
    """The composition as the dataclass that crosses borders."""
    missed = sorted(
        composition.missed, key=lambda line: (-line.candidate.score, line.candidate.row.id)
    )
    return Surface(
        text=composition.text,
        lines=tuple(_line(line, composition.titles) for line in composition.lines),
        missed=(*(_line(line, composition.titles) for line in missed[:MOST_MISSED]), *withheld),
        tokens=composition.tokens,
        units=composition.units,
        budget=budget,
        most_units=MOST_UNITS,
    )


def _line(line: ComposedLine, titles: Mapping[str, str] = {}) -> SurfaceLine:
    """A line as the dataclass that crosses borders; `titles`: what its section is called."""
    row = line.candidate.row
    return SurfaceLine(
        id=row.id, text=line.text, kind=row.kind, score=line.candidate.score,
        parts=dict(line.candidate.parts), tokens=line.tokens, why=line.why,
        section=titles.get(line.section, ""),
    )  # fmt: skip


def _withheld(project: Project, config: Config, now: float) -> list[SurfaceLine]:
    """The memories that are kept from being injected."""
    found: list[SurfaceCandidate] = []
    midnight = now // DAY * DAY
    for store in session.injectable_stores(project):
        with store:
            try:
                rows = store.withheld(MOST_MISSED)
                here = session.work_context(project)
                found += choosing.of_rows(store, rows, here, config.kinds, midnight)
            except sqlite3.Error:
                continue
    return [
        _line(ComposedLine(candidate, "withheld", _WITHHELD[candidate.row.inject]))
        for candidate in choosing.best_first(found)[:MOST_MISSED]
    ]
