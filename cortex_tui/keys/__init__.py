"""Every key of the app: one table that bindings, footer, help, palette and configuration read.

An id is what the user writes in the configuration (`[keys] "memory.pin" = "P"`). One module a
screen.
"""

from __future__ import annotations

from functools import cache

from cortex_tui.keys import (
    capture,
    detail,
    dialogs,
    general,
    memories,
    neighbours,
    review,
    settings,
    surface,
)
from cortex_tui.keys.key import Key, Place

__all__ = ["PLACES", "TABLE", "Key", "Place", "around", "together"]

_MODULES = (memories, detail, neighbours, review, surface, capture, settings, dialogs, general)

TABLE: tuple[Key, ...] = tuple(key for module in _MODULES for key in module.KEYS)
PLACES: dict[str, Place] = {place.name: place for module in _MODULES for place in module.PLACES}
"""Each place by name, in the order of the help."""


@cache
def around(name: str) -> tuple[str, ...]:
    """The place called `name` and those around it, the innermost first."""
    outer = (place for inside in PLACES[name].inside for place in around(inside))
    return tuple(dict.fromkeys((name, *outer)))


@cache
def together(name: str) -> frozenset[str]:
    """The places whose keys can be in force together with those of `name`."""
    return frozenset(place for at in PLACES if name in around(at) for place in around(at))
