"""The kinds of memory: one registry, which the configuration file can extend.

Half-lives, weights, surface budgets and usual priorities are defined only here.
"""

from __future__ import annotations

from functools import cached_property

from cortex_core.base.decay import HALF_LIFE, IMPORTANCE, Pace
from cortex_core.base.errors import UsageError
from cortex_core.base.hook_io import LightRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final


class Kind(LightRecord):
    """What Cortex knows about one kind of memory. Read it, do not change it."""

    name: str
    half_life: float | None
    """Days after which confidence has halved; None: no decay."""
    weight: float
    """Weight in the lifecycle models that weigh kinds, about 0.8 to 1.4."""
    surface_lines: int
    """Maximum lines of this kind in the hand-over note, before unused budget is shared."""
    baseline: bool = False
    """Whether every session gets memories of this kind."""
    aliases: tuple[str, ...] = ()
    # Two glyphs: some terminals show ASCII alone.
    glyph: str = "·"
    ascii_glyph: str = "-"
    priority: int = 5
    """What a memory of this kind that is written by hand has where none is given, 1 to 10."""

    def replaced(self, **changes: Any) -> Kind:
        """The same kind with other values of some of its fields."""
        return Kind(**vars(self) | changes)


CODE = "code"
"""The one kind that is never embedded and never leaves the machine."""

CODE_DESCRIPTION = "code_description"
"""The one kind that is prose about code, and is linked to that code."""

EPISODE: Final = "episode"
"""The one kind that is a log: entries that say the same are not duplicates."""

UNLIKE = (EPISODE, CODE, CODE_DESCRIPTION)
"""Kinds whose memories are never duplicates of each other."""

PROCEDURE = "procedure"
"""The one kind that has steps, and a record of successes and failures."""

RULE_KINDS = frozenset({"policy", "preference", "gotcha"})
"""Kinds that say how something is to be done, so that tool calls recall them."""

BUILT_IN: tuple[Kind, ...] = (
    Kind("policy", None, 1.4, 20, True, ("constraint",), "‼", "!", 8),
    Kind("preference", None, 1.3, 15, True, (), "♥", "*", 6),
    Kind("architecture", None, 1.3, 25, True, (), "▦", "#", 7),
    Kind("decision", None, 1.3, 25, False, (), "◆", "D", 6),
    Kind("pattern", 60, 1.1, 25, False, ("code_pattern",), "≈", "P"),
    Kind("gotcha", 45, 1.2, 20, False, ("pitfall", "problem", "error"), "▲", "G", 7),
    Kind("solution", 90, 1.2, 15, False, ("fix",), "✓", "S"),
    Kind("fact", 90, 0.9, 15, False, ("general", "configuration"), "•", "F"),
    Kind(PROCEDURE, None, 1.4, 10, False, ("workflow",), "→", ">", 7),
    Kind("insight", 90, 1.25, 10, False, (), "✦", "I"),
    Kind("progress", 7, 0.9, 30, False, (), "~", "~"),
    Kind("context", 30, 0.8, 15, False, (), "○", "c"),
    Kind("summary", 30, 0.9, 10, False, (), "Σ", "="),
    Kind(EPISODE, 30, 0.8, 0, False, (), "◷", "e"),
    Kind(CODE_DESCRIPTION, None, 1.1, 10, False, (), "▣", "d"),
    Kind(CODE, None, 1.0, 0, False, (), "‹", "<"),
)


PUBLISHED_WEIGHTS = {
    "code_pattern": 1.1,
    "configuration": 1.1,
    "fix": 1.0,
    "workflow": 1.0,
    "problem": 0.9,
    "error": 0.8,
    "general": 0.8,
}
"""Weights in the model `importance`, of types of its format that are aliases here: a memory that
was imported as one keeps its weight."""


class Kinds:
    """The registry in effect: the built-in kinds and those of the configuration file."""

    def __init__(self, extra: tuple[Kind, ...] = (), model: str = HALF_LIFE) -> None:
        """`model`: the lifecycle model, one of `decay.MODELS`."""
        self.model = model
        self._by_name = {kind.name: kind for kind in (*BUILT_IN, *extra)}
        self._aliases = {
            alias: kind.name for kind in self._by_name.values() for alias in kind.aliases
        }
        self.published_weights: dict[tuple[object, str], float] = (
            {(name, self.known(name).name): weight for name, weight in PUBLISHED_WEIGHTS.items()}
            if model == IMPORTANCE
            else {}
        )
        """The weights of `PUBLISHED_WEIGHTS` by type and kind, where the model has them."""

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_name.values())

    def get(self, name: str) -> Kind:
        """The kind with this name or alias, in any case.

        Raises:
            UsageError: it does not exist; the message lists all kinds.
        """
        key = name.strip().lower().replace("-", "_")
        key = self._aliases.get(key, key)
        if key not in self._by_name:
            known = ", ".join(sorted(self._by_name))
            raise UsageError(f"Unknown kind “{name}”. Nothing was changed. Kinds: {known}.")
        return self._by_name[key]

    @cached_property
    def lasting(self) -> Kinds:
        """The same kinds, of which nothing decays: what a team approved keeps its confidence."""
        kept = Kinds()
        kept._aliases = self._aliases
        kept._by_name = {
            name: kind.replaced(half_life=None) for name, kind in self._by_name.items()
        }
        return kept

    def known(self, name: str) -> Kind:
        """The kind with this name, or a neutral one for rows whose kind is no longer configured."""
        try:
            return self.get(name)
        except UsageError:
            return Kind(name, 90, 1.0, 10)

    def pace(self, name: str, came_as: object = None) -> Pace:
        """How memories of this kind decay.

        Args:
            came_as: the type that a memory had where it was imported from.
        """
        kind = self.known(name)
        weight = self.published_weights.get((str(came_as), kind.name), kind.weight)
        return Pace(kind.half_life, weight, self.model)


DEFAULT = Kinds()
"""Only the built-in kinds."""
