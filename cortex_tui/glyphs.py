"""The signs of the app, once in Unicode and once in ASCII, and how foreign text becomes showable.

Everything shown that Cortex itself did not write passes `Glyphs.line` or `Glyphs.block`: no escape,
no control character, no sign the terminal cannot show.
"""

import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

from cortex_core.base import text
from cortex_core.base.kinds import Kind
from cortex_core.records.memory import Status

_JOINERS = dict.fromkeys((0x200C, 0x200D, 0xFE0E, 0xFE0F))
"""Dropped, because terminals differ in the width of what they join."""
_JOINER_SIGNS = tuple(map(chr, _JOINERS))

_PLAIN = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "…": "...",
        "→": "->",
        "←": "<-",
        "•": "*",
        "·": "-",
        "\u00a0": " ",
        "×": "x",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
    }
)

_NO_UNICODE = frozenset({"linux", "dumb", "vt100", "vt102", "vt220", "ansi"})
"""Values of TERM whose fonts lack most of our signs."""


class SignSet(NamedTuple):
    """One set of signs, each a cell wide."""

    cursor: str
    pin: str
    meaning: str
    similar: str
    full: str
    half: str
    empty: str
    ellipsis: str
    dot: str
    rule: str
    wall: str
    arrow: str
    back: str
    against: str
    between: str
    waiting: str
    cross: str
    mark: str
    check: str
    folded: str
    unfolded: str
    merge: str
    asks: str
    again: str
    team: str
    inferred: str
    status: Mapping[Status, str]

    @property
    def warning(self) -> str:
        """The sign of what is wrong, as of what is in quarantine."""
        return self.status["quarantined"]


UNICODE = SignSet(
    cursor="▌",
    pin="★",
    meaning="≈",
    similar="~",
    full="━",
    half="╸",
    empty="─",
    ellipsis="…",
    dot="●",
    rule="─",
    wall="│",
    arrow="→",
    back="←",
    against="≠",
    between="·",
    waiting="·",
    cross="✕",
    mark="■",
    check="✓",
    folded="▸",
    unfolded="▾",
    merge="∪",
    asks="?",
    again="↻",
    team="⋈",
    inferred="○",
    status={
        "active": "●",
        "superseded": "↷",
        "archived": "◌",
        "pruned": "✕",
        "suggested": "◇",
        "quarantined": "▲",
    },
)
ASCII = SignSet(
    cursor=">",
    pin="*",
    meaning="~",
    similar="~",
    full="=",
    half="-",
    empty=".",
    ellipsis="~",
    dot="o",
    rule="-",
    wall="|",
    arrow=">",
    back="<",
    against="!",
    between="-",
    waiting=".",
    cross="x",
    mark="+",
    check="v",
    folded="+",
    unfolded="-",
    merge="+",
    asks="?",
    again="r",
    team="&",
    inferred=".",
    status={
        "active": "o",
        "superseded": "/",
        "archived": "-",
        "pruned": "x",
        "suggested": "?",
        "quarantined": "!",
    },
)


class Glyphs:
    """How text looks in this terminal."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        self.ascii_only = ascii_only
        self.signs = ASCII if ascii_only else UNICODE

    def line(self, value: str) -> str:
        """`value` as one line that any terminal of this encoding can show."""
        return self._showable(text.one_line(value))

    def block(self, value: str) -> str:
        """`value` cleaned, its line ends and tabs kept."""
        return self._showable(text.clean(value))

    def kind(self, kind: Kind) -> str:
        """The sign of a kind."""
        return kind.ascii_glyph if self.ascii_only else kind.glyph

    def _showable(self, value: str) -> str:
        if value.isascii():
            return value
        if self.ascii_only:
            return value.translate(_PLAIN).encode("ascii", "replace").decode("ascii")
        has_joiner = any(joiner in value for joiner in _JOINER_SIGNS)
        return value.translate(_JOINERS) if has_joiner else value


def prefers_ascii(
    environment: Mapping[str, str] | None = None, encoding: str | None = None
) -> bool:
    """Whether this terminal should get ASCII alone.

    `CORTEX_GLYPHS=ascii` or `unicode` decides; else the terminal's type and its encoding do.
    """
    environment = os.environ if environment is None else environment
    chosen = environment.get("CORTEX_GLYPHS", "").lower()
    if chosen in ("ascii", "unicode"):
        return chosen == "ascii"
    if environment.get("TERM", "") in _NO_UNICODE:
        return True
    encoding = encoding or getattr(sys.__stdout__, "encoding", None) or "ascii"
    return not encoding.lower().replace("-", "").startswith("utf")
