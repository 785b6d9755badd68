"""How one memory becomes one line of the list: which columns fit, what is cut, what is marked.

Values in, segments out; nothing here knows a widget.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from cortex_core.base import text
from cortex_core.base.kinds import Kinds
from cortex_core.types import Memory
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import BAR_WIDTH, bar, fit

KIND_WIDTH = 12
AGE_WIDTH = 4
SCOPE_WIDTH = 8
FADING = 0.4
"""Confidence below which an active memory is called fading."""
LONGEST_TITLE = 600
"""Characters of a title that are looked at; no terminal shows more."""


_GIVING = {"demoted": "demoted", "never": "never given"}


class RowShape(NamedTuple):
    """What of a row is shown at one width, in cells; 0: not at all."""

    width: int
    kind: int
    title: int
    bar: int
    scope: int = 0


class Paint(NamedTuple):
    """The styles a row is drawn with."""

    row: Style
    muted: Style
    accent: Style
    match: Style
    warning: Style
    gone: Style
    cursor: Style
    """Laid over the whole row that has the cursor."""


class RowView(NamedTuple):
    """What a row is besides its memory."""

    cursor: bool = False
    marked: bool = False
    by_meaning: bool = False
    forgotten: bool = False
    """It no longer passes, because of what was done here; it stays until the list is read again."""
    age: float = 0.0
    """The moment (Unix seconds) its age counts from."""
    worth: float | None = None
    """Its importance, or whatever else it is valued by, 0 to 1.1; None: not known."""


def columns(width: int, *, names_kinds: bool = True) -> RowShape:
    """The columns of a list `width` cells wide.

    Glyph, title, importance and age always; the bar from 60 cells; the kind's word from 70, unless
    `names_kinds` is off and the glyph has to do; the scope from 90.
    """
    kind = KIND_WIDTH + 1 if names_kinds and width >= 70 else 0
    bar = BAR_WIDTH + 1 if width >= 60 else 0
    scope = SCOPE_WIDTH if width >= 90 else 0
    fixed = 2 + 2 + 2 + kind + scope + bar + 4 + 1 + AGE_WIDTH + 1
    return RowShape(width, kind, max(1, width - fixed), bar, scope)


def note(memory: Memory, view: RowView, glyphs: Glyphs, *, names_scope: bool = True
         ) -> tuple[str, bool]:  # fmt: skip
    """What is at the end of a title, and whether it is a warning."""
    signs = glyphs.signs
    if view.forgotten:
        away = "filtered out" if memory.status == "active" else "forgotten"
        return f"{signs.cross} {away}", True
    if memory.status != "active":
        return f"{signs.status[memory.status]} {memory.status}", memory.status == "quarantined"
    words = [f"{signs.meaning} meaning"] if view.by_meaning else []
    words += ["global"] if names_scope and memory.scope == "global" else []
    words += [_GIVING[memory.inject]] if memory.inject in _GIVING else []
    words += ["fading"] if memory.confidence < FADING and not memory.pinned else []
    return f" {signs.between} ".join(words), False


def matches(title: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words of a search begin words of `title`, endings left aside; sorted spans."""
    spans: set[tuple[int, int]] = set()
    for word in words:
        shortest = max(min(3, len(word) - 1), len(word) - 4)
        for size in range(len(word), shortest, -1):
            found = [
                match.span()
                for match in re.finditer(rf"(?<!\w){re.escape(word[:size])}", title, re.IGNORECASE)
            ]
            if found:
                spans.update(found)
                break
    return sorted(spans)


def marked(value: str, spans: Sequence[tuple[int, int]], plain: Style, match: Style
           ) -> Iterator[Segment]:  # fmt: skip
    """`value` in segments, the spans in `match`."""
    done = 0
    for start, end in spans:
        if end > done:
            yield Segment(value[done : max(start, done)], plain)
            yield Segment(value[max(start, done) : end], match)
            done = end
    yield Segment(value[done:], plain)


def segments(
    memory: Memory,
    view: RowView,
    shape: RowShape,
    paint: Paint,
    glyphs: Glyphs,
    *,
    kinds: Kinds,
    words: Sequence[str],
    now: float,
) -> list[Segment]:
    """The row of one memory."""
    signs, kind = glyphs.signs, kinds.known(memory.kind)
    gone = view.forgotten or memory.status not in ("active", "suggested")
    body = paint.gone if gone else paint.row
    if view.forgotten:
        body += Style(strike=True)
    side = paint.gone if gone else paint.muted
    parts = [
        Segment(signs.cursor if view.cursor else " ", paint.accent),
        Segment(signs.mark if view.marked else " ", paint.accent),
        Segment(f"{signs.pin if memory.pinned else ' '} ", paint.accent),
        Segment(f"{glyphs.kind(kind)} ", side),
    ]
    if shape.kind:
        name = glyphs.line(kind.name.replace("_", " "))
        parts.append(Segment(fit(name, shape.kind - 1, signs.ellipsis) + " ", side))
    parts += _title(memory, view, shape, body, paint, glyphs, words)
    if shape.scope:
        parts.append(Segment(fit(f" {memory.scope}", shape.scope), side))
    worth = "" if view.worth is None else f"{round(view.worth * 100)}"
    parts.append(Segment(f"{worth:>4} ", side))
    if shape.bar:
        parts.append(Segment(bar(view.worth or 0.0, glyphs) + " ", side))
    parts.append(Segment(f"{text.ago(view.age, now):>{AGE_WIDTH}} ", side))
    shown = [part for part in parts if part.text]
    return list(Segment.apply_style(shown, post_style=paint.cursor)) if view.cursor else shown


def _title(
    memory: Memory,
    view: RowView,
    shape: RowShape,
    body: Style,
    paint: Paint,
    glyphs: Glyphs,
    words: Sequence[str],
) -> list[Segment]:
    title = glyphs.line(memory.title[:LONGEST_TITLE]) or glyphs.line(memory.content[:LONGEST_TITLE])
    width = shape.title
    said, warns = note(memory, view, glyphs, names_scope=not shape.scope)
    least, between = min(width, 16), f" {glyphs.signs.between} "
    while between in said and width - cell_len(said) - 2 < least:
        said = said.rpartition(between)[0]
    room = width - (cell_len(said) + 2 if said else 0)
    if said and room < least:
        said, room = said[:1], width - 2
    cut = fit(title, room, glyphs.signs.ellipsis)
    letters = cut.rstrip()
    spans = [span for span in matches(title, words) if span[1] <= len(letters)]
    parts = list(marked(letters, spans, body, body + paint.match))
    parts.append(Segment(" " * (width - cell_len(letters) - cell_len(said)), paint.row))
    parts.append(Segment(said, paint.warning if warns else paint.muted))
    return parts
