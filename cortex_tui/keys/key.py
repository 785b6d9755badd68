"""What a key and the place where it counts are."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where keys count: a screen, a widget of it, or what several screens share."""

    name: str
    title: str
    """Heading in the help."""
    inside: tuple[str, ...] = ()
    """The places around it, whose keys are in force here too; none for the app."""
    moves: bool = False
    """Whether its keys only move about, so that the palette leaves them out."""


class Key(NamedTuple):
    """One thing a key can do."""

    id: str
    keys: str
    """Separated by commas, Textual's names or single characters."""
    action: str
    label: str
    """One or two words: footer and palette."""
    tooltip: str
    """One sentence: help and hover."""
    place: str
    """The name of the place where it counts."""
    footer: int = 0
    """Rank in the footer, 1 first; 0: not shown there."""
    at_once: bool = False
    """Done before the next key is looked at: it decides where that one goes."""
