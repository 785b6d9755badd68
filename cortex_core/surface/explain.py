"""What is injected as users read it: each line with the parts of its score, what was left out, why.

Also the way round: whether one memory is injected next, and why or why not.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from cortex_core.base.authorship import learned_by
from cortex_core.base.config import Config
from cortex_core.base.kinds import CODE, EPISODE
from cortex_core.base.project import Project
from cortex_core.records.memory import Memory
from cortex_core.records.surfaces import Outlook, Surface, SurfaceLine
from cortex_core.store.surface_reader import SESSION_END, SurfaceRow
from cortex_core.surface import choosing, compose, note, opened_files, prompt, wording
from cortex_core.surface.cache import DAY
from cortex_core.surface.compose import ComposedLine, Composition
from cortex_core.surface.sections import BY_NAME

MOST_WITHHELD = 300
"""Most memories that are kept from being injected and are listed."""

_WITHHELD = {
    "never": "never injected, by your choice",
    "demoted": "injected only when it matches",
    "normal": "may steer an agent: it is not in your words; pin or edit it to inject it",
}

_RULES_FILE = "the agent's own file of rules says it already: injected only when it matches"
_HISTORY = "the history is not injected with a prompt"
_NOTHING_IN_COMMON = "nothing in common: none of it fits this prompt, or the session has it already"
_NO_PATTERN = "no file pattern matches: none of it fits this file, or the session has it already"
_OLDER_STOP = "an older stop: only where the last session on this branch stopped is injected"
_OUTDATED = "it {}: edit it, or confirm that it holds"


_BY_STATUS = {
    "archived": "it is archived: restore it to inject it",
    "pruned": "it is in the trash: restore it to inject it",
    "superseded": "a newer memory took its place",
    "suggested": "it is only suggested: keep it to inject it",
    "quarantined": "it is in quarantine: release it to inject it",
}


class InjectionOccasion(NamedTuple):
    """When something is injected: at a session's start, with a prompt, or for a file."""

    prompt: str | None = None
    file: str | None = None
    started: bool = False
    """Whether the session holds the surface of its start already."""

    @property
    def words(self) -> str:
        """Which one it is, in words."""
        if self.prompt is not None:
            return "with this prompt"
        return "at the next start" if self.file is None else "when this file is opened"


def surface(project: Project, config: Config, now: float, occasion: InjectionOccasion) -> Surface:
    """What is injected on `occasion`, composed as the hooks do it."""
    composition = _composed(project, config, now, occasion)
    at_start = occasion.prompt is None and occasion.file is None
    withheld = _withheld(project, config, now) if at_start else ()
    return report(composition, _budget(config, occasion), withheld)


def _composed(
    project: Project, config: Config, now: float, occasion: InjectionOccasion
) -> Composition:
    held = note.composed(project, now, config).injection.ids if occasion.started else ()
    if occasion.prompt is not None:
        return prompt.composed(project, occasion.prompt, now, dict.fromkeys(held, 0), config=config)
    if occasion.file is not None:
        return opened_files.composed(project, occasion.file, now, frozenset(held))
    return note.composed(project, now, config)


def _budget(config: Config, occasion: InjectionOccasion) -> int:
    if occasion.prompt is not None:
        return int(config.get("prompt.tokens"))
    return int(config.get("files.tokens" if occasion.file is not None else "surface.tokens"))


def report(
    composition: Composition, budget: int = 0, withheld: Sequence[SurfaceLine] = ()
) -> Surface:
    """The composition as the dataclass that crosses borders."""
    reasons = _Reasons(composition)
    missed = {line.candidate.row.id: line for line in reversed(composition.missed)}
    ordered = choosing.best_first([line.candidate for line in missed.values()])
    return Surface(
        text=composition.text,
        lines=tuple(_line(line, reasons) for line in composition.lines),
        missed=(*(_line(missed[one.row.id], reasons) for one in ordered), *withheld),
        tokens=composition.tokens,
        units=composition.units,
        budget=budget,
        most_units=wording.MOST_UNITS,
    )


class _Reasons:
    """Why each line of a composition is in or out, in words."""

    def __init__(self, composition: Composition) -> None:
        every = (*composition.lines, *composition.missed)
        ranked = choosing.best_first([line.candidate for line in every])
        self.ranks: Mapping[str, int] = {}
        for one in ranked:
            self.ranks.setdefault(one.row.id, len(self.ranks) + 1)
        self._titles = {one.row.id: one.row.title for one in ranked}
        self._given = {line.candidate.row.id for line in composition.lines}
        scores = [
            line.candidate.score for line in composition.lines if not line.candidate.row.pinned
        ]
        self._last = min(scores, default=0.0)

    def why(self, line: ComposedLine) -> str:
        """Why `line` is in or out."""
        if line.same:
            return self._repeating(line)
        if not line.crowded_out:
            return line.why
        rank = self.ranks[line.candidate.row.id]
        last = f", the last line in has {round(self._last * 100)} points" if self._given else ""
        return f"{line.why}: rank {rank} of {len(self.ranks)}{last}"

    def _repeating(self, line: ComposedLine) -> str:
        short = line.same[: wording.ID_LENGTH]
        named = f"“{wording.quoted(self._titles.get(line.same, ''))}” ({short})"
        is_given = ", which is injected" if line.same in self._given else ""
        return line.why.replace(short, named) + is_given


def _line(line: ComposedLine, reasons: _Reasons) -> SurfaceLine:
    """A line as the dataclass that crosses borders."""
    row = line.candidate.row
    return SurfaceLine(
        id=row.id,
        text=line.text,
        kind=row.kind,
        score=line.candidate.score,
        parts=dict(line.candidate.parts),
        tokens=line.tokens,
        why=reasons.why(line),
        section=BY_NAME[line.section].title if line.section in BY_NAME else "",
    )


def _withheld(project: Project, config: Config, now: float) -> list[SurfaceLine]:
    """The memories that are kept from being injected."""
    found: list[choosing.SurfaceCandidate] = []
    midnight = now // DAY * DAY
    for store in note.injectable_stores(project):
        with store, suppress(sqlite3.Error):
            rows = store.withheld(MOST_WITHHELD)
            here = note.work_context(project)
            found += choosing.of_rows(store, rows, here, config.kinds, midnight)
    lines = [
        ComposedLine(candidate, "withheld", _why_withheld(candidate.row))
        for candidate in choosing.best_first(found)[:MOST_WITHHELD]
    ]
    reasons = _Reasons(Composition("", (), lines))
    return [_line(line, reasons) for line in lines]


def _why_withheld(row: SurfaceRow) -> str:
    if row.inject == "normal" and row.outdated:
        return _OUTDATED.format(row.outdated)
    is_rule = row.inject == "demoted" and learned_by(row.rule) == "import:claude-md"
    return _RULES_FILE if is_rule else _WITHHELD[row.inject]


# --- from a memory


def outlooks(
    project: Project,
    config: Config,
    now: float,
    memories: Sequence[Memory],
    occasion: InjectionOccasion,
) -> list[Outlook]:
    """Whether each of `memories` is injected on `occasion`, and why or why not."""
    composition = _composed(project, config, now, occasion)
    reasons = _Reasons(composition)
    numbers = {line.candidate.row.id: n for n, line in enumerate(composition.lines, 1)}
    by_id = {line.candidate.row.id: line for line in (*composition.missed, *composition.lines)}
    trusted = {store.scope for store in note.injectable_stores(project)}
    found = []
    for memory in memories:
        # Lines come last, and so override what was missed under the same id.
        line = by_id.get(memory.id)
        barred = (
            ""
            if memory.scope in trusted
            else ("the project's store came from elsewhere and is not trusted (cortex trust)")
        )
        reason = reasons.why(line) if line else barred or _left_out(memory, config, occasion)
        found.append(
            Outlook(
                memory=memory.id,
                line=numbers.get(memory.id, 0),
                lines=len(composition.lines),
                rank=reasons.ranks[memory.id] if line else 0,
                score=line.candidate.score if line else 0.0,
                reason=reason,
            )
        )
    return found


def _left_out(memory: Memory, config: Config, occasion: InjectionOccasion) -> str:
    """Why a memory was not even compared: the first reason that holds."""
    at_start = occasion.file is None and occasion.prompt is None
    reasons = (
        (memory.status != "active", _BY_STATUS.get(memory.status, "")),
        (memory.kind == CODE, "code itself is never injected; its description may be"),
        (memory.withheld, _WITHHELD["normal"]),
        (memory.inject == "never", _WITHHELD["never"]),
        (memory.outdated, _OUTDATED.format(memory.outdated)),
        (occasion.file is not None, _NO_PATTERN),
        (not at_start and memory.kind == EPISODE, _HISTORY),
        (not at_start, _NOTHING_IN_COMMON),
        (memory.inject == "demoted", _WITHHELD["demoted"]),
        (memory.source.rule == SESSION_END, _OLDER_STOP),
        (
            not config.kinds.known(memory.kind).surface_lines,
            compose.WITHOUT_LINES.format(memory.kind),
        ),
        (True, "too many memories have a higher score: it was not compared"),
    )
    return next(reason for holds, reason in reasons if holds)
