"""What the surface workbench asks of the stores: what is given, and the memories behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.types import InjectionPolicy, Key, Memory, Surface, SurfaceLine
from cortex_tui.queries import Done, Revision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_core import Cortex

BASELINE = "baseline"
"""The part of the score of what is given whatever the prompt says."""
FILE = "file:"
"""How a path is distinguished from a prompt."""


class Occasion(NamedTuple):
    """When something is given: at the start, with a prompt, or when a file is opened."""

    prompt: str = ""
    file: str = ""

    @property
    def is_start(self) -> bool:
        """Whether it is a session's start."""
        return not (self.prompt or self.file)


@dataclass(frozen=True, slots=True)
class GivenSurface:
    """What Claude is given on an occasion."""

    occasion: Occasion
    surface: Surface
    repeated: tuple[SurfaceLine, ...]
    """What fits the occasion too, but was given at the session's start already."""
    rows: Mapping[str, tuple[Key, Memory]]
    """The memories behind all lines, by id."""
    revision: Revision
    trusted: bool
    """False: the project's store came from elsewhere, and nothing of it is given."""


def occasion(typed: str) -> Occasion:
    """What was typed: nothing, a prompt, or `file:` and a path."""
    words = typed.strip()
    if words.casefold().startswith(FILE):
        return Occasion(file=words[len(FILE) :].strip())
    return Occasion(prompt=words)


def given(stores: StoreSession, asked: Occasion) -> GivenSurface:
    """What a session is given: at its start, or on an occasion after it."""
    stores.check()
    cortex = stores.cortex
    revision = cortex.workspace.revision()
    surface, repeated = (cortex.surface(), ()) if asked.is_start else _after_start(cortex, asked)
    lines = (*surface.lines, *surface.missed, *repeated)
    return GivenSurface(
        asked, surface, tuple(repeated), _rows(cortex, lines), revision, cortex.trust.granted
    )  # fmt: skip


def give(stores: StoreSession, memory: Memory, inject: InjectionPolicy) -> Done:
    """Say whether `memory` may be given unasked."""
    return stores.change(
        "give",
        lambda cortex: cortex.give([memory.id], inject),
        f"{SAID[inject]}: {memory.title}",
    )


SAID: Mapping[InjectionPolicy, str] = {
    "normal": "Injected normally", "demoted": "Given only when it matches",
    "never": "Never injected",
}  # fmt: skip


def _after_start(cortex: Cortex, asked: Occasion) -> tuple[Surface, tuple[SurfaceLine, ...]]:
    """What a session that has started is given, and what else one that holds nothing would be."""
    prompt, file = asked.prompt or None, asked.file or None
    surface = cortex.surface(prompt=prompt, file=file, started=True)
    fresh = cortex.surface(prompt=prompt, file=file)
    known = {line.id for line in (*surface.lines, *surface.missed)}
    return surface, tuple(
        line for line in fresh.lines if line.id not in known and BASELINE not in line.parts
    )


def _rows(cortex: Cortex, lines: Iterable[SurfaceLine]) -> dict[str, tuple[Key, Memory]]:
    keys = cortex.memories.keys_of(line.id for line in lines)
    return {
        memory.id: (keys[memory.id], memory) for memory in cortex.memories.rows(list(keys.values()))
    }
