"""A surface as a user reads it: every line with its score's parts, what just missed, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from cortex_core.base.config import Config
from cortex_core.base.project import Project
from cortex_core.surface import files, prompt, ranking, session
from cortex_core.surface.cache import DAY
from cortex_core.surface.compose import ComposedLine, Composition
from cortex_core.surface.wording import MOST_UNITS
from cortex_core.types import Surface, SurfaceLine

MOST_MISSED = 30
"""Number of narrowly missed lines that are listed."""

_WITHHELD = {"never": "never injected, by your choice", "demoted": "injected only when it matches"}


def surface(
    project: Project,
    config: Config,
    now: float,
    *,
    words: str | None = None,
    file: str | None = None,
    started: bool = False,
) -> Surface:
    """What Claude is given at a session's start, or with the prompt `words`, or for `file`.

    It is composed as the hooks compose it, for a session that holds nothing yet, or, where it has
    `started`, for one that holds its start's surface.
    """
    held = session.composed(project, now, config).given.ids if started else ()
    if words is not None:
        made = prompt.composed(project, words, now, frozenset(held), config=config)
        return report(made, config.get("prompt.tokens"))
    if file is not None:
        made = files.composed(project, file, now, frozenset(held))
        return report(made, config.get("files.tokens"))
    made = session.composed(project, now, config)
    return report(made, config.get("surface.tokens"), _withheld(project, config, now))


def report(made: Composition, budget: int = 0, withheld: Sequence[SurfaceLine] = ()) -> Surface:
    """The composition as the dataclass that crosses borders."""
    near = sorted(made.missed, key=lambda line: (-line.candidate.score, line.candidate.row.id))
    return Surface(
        text=made.text,
        lines=tuple(map(_line, made.lines)),
        missed=(*map(_line, near[:MOST_MISSED]), *withheld),
        tokens=made.tokens,
        units=made.units,
        budget=budget,
        most_units=MOST_UNITS,
    )


def _line(line: ComposedLine) -> SurfaceLine:
    row = line.candidate.row
    return SurfaceLine(
        id=row.id, text=line.text, kind=row.kind, score=line.candidate.score,
        parts=dict(line.candidate.parts), tokens=line.tokens, why=line.why,
    )  # fmt: skip


def _withheld(project: Project, config: Config, now: float) -> list[SurfaceLine]:
    """What would be given, were it not for a user's word."""
    found: list[ranking.SurfaceCandidate] = []
    moment = now // DAY * DAY
    for store in session.injectable_stores(project):
        with store:
            try:
                rows = store.withheld(MOST_MISSED)
                here = session.work_context(project)
                found += ranking.of_rows(store, rows, here, config.kinds, moment)
            except sqlite3.Error:
                continue
    return [
        _line(ComposedLine(one, "withheld", _WITHHELD.get(one.row.inject, "")))
        for one in ranking.best_first(found)[:MOST_MISSED]
    ]
