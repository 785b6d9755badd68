"""What the surface workbench says: the meter, a line for each memory, the parts of its score.

Values in, words out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rich.cells import cell_len
from textual.content import Content

from cortex_core.base.kinds import Kinds
from cortex_core.types import Memory, SurfaceLine
from cortex_tui.actions.surface import FILE, GivenSurface, Occasion
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.lists.line_list import ListLine
from cortex_tui.lists.memory_row import KIND_WIDTH
from cortex_tui.widgets.frame import Steps
from cortex_tui.widgets.lines import fit

BROAD = 106
"""Cells of the list from which the parts of a score stand in the row."""
PARTS = 40
WHY = 30
"""Cells of the reason why a line just missed, where the parts do not fit."""
METER = 10
"""Cells of the bar."""
ROOMY = 96
"""Cells from which Claude Code's limit is named."""
NARROW = 62
"""Cells below which a row has no kind's name."""

SHORT = {
    "confidence": "conf", "priority": "prio", "centrality": "hub", "access": "use",
    "branch": "branch",
}  # fmt: skip
LONG = {"centrality": "linked to", "access": "used", "branch": "same branch"}

PLACEHOLDER = f"type a prompt, or {FILE} and a path"


def head(given: GivenSurface, glyphs: Glyphs, width: int) -> Content:
    """What is shown, and how much of the budget and of Claude Code's limit it takes."""
    surface, signs = given.surface, glyphs.signs
    what = occasion(given.occasion, glyphs)
    share = surface.tokens / surface.budget if surface.budget else 0.0
    full = max(0, min(METER, round(share * METER)))
    bar = signs.full * full + signs.empty * (METER - full)
    over = "$text-warning" if share > 1 else "$text-accent"
    tokens = f"{surface.tokens:,} of {surface.budget:,} tokens "
    units = f"   {surface.units:,} of {surface.most_units:,}"
    units += " characters" if width >= ROOMY else ""
    room = width - cell_len(tokens) - METER - cell_len(units) - 3
    return Content.assemble(
        (fit(what, max(8, room), signs.ellipsis), "bold"), "   ", (tokens, "$muted"), (bar, over),
        (units, "$muted"),
    )  # fmt: skip


def occasion(asked: Occasion, glyphs: Glyphs) -> str:
    """When it is given."""
    if asked.file:
        return f"Given when {glyphs.line(asked.file)} is opened"
    return "Given with this prompt" if asked.prompt else "Given at the next start"


def added(given: GivenSurface) -> str:
    """What an occasion after the start adds."""
    if given.occasion.is_start:
        return ""
    count = len(given.surface.lines)
    if not count:
        return "adds nothing"
    memories = "memory" if count == 1 else "memories"
    return f"adds {count} {memories}, {given.surface.tokens:,} tokens"


def lines(given: GivenSurface, kinds: Kinds, glyphs: Glyphs) -> Iterator[ListLine]:
    """Every line of the list: what is given, what just missed, what was given before."""
    surface = given.surface
    for number, one in enumerate(surface.lines, 1):
        yield ListLine(one.id, partial(_row, one, str(number), given, kinds, glyphs))
    if not surface.lines:
        yield ListLine(None, partial(_said, _nothing(given)))
    if given.repeated:
        yield ListLine(None, partial(_rule, "fits too, already injected at session start", glyphs))
        for one in given.repeated:
            yield ListLine(one.id, partial(_row, one, "", given, kinds, glyphs))
    if surface.missed:
        yield ListLine(None, partial(_rule, "just missed", glyphs))
        for one in surface.missed:
            yield ListLine(one.id, partial(_row, one, "", given, kinds, glyphs))


def _nothing(given: GivenSurface) -> str:
    if given.occasion.file:
        return "No memory is about this file: opening it injects nothing."
    if given.occasion.prompt:
        return "Nothing more fits this prompt: it injects nothing."
    return "Session start injects nothing."


def _said(sentence: str, width: int) -> Content:
    return Content.styled(sentence, "$muted").truncate(width, ellipsis=True)


def _rule(label: str, glyphs: Glyphs, width: int) -> Content:
    mark = glyphs.signs.rule
    room = max(0, width - len(label) - 4)
    return Content.assemble((f"{mark}{mark} {label} {mark * room}", "$faint"))


def _row(
    one: SurfaceLine, number: str, given: GivenSurface, kinds: Kinds, glyphs: Glyphs, width: int
) -> Content:
    memory = given.rows[one.id][1] if one.id in given.rows else None
    signs, kind = glyphs.signs, kinds.known(one.kind)
    sign = signs.pin if memory is not None and memory.pinned else " "
    name = f"{glyphs.kind(kind)} "
    if width >= NARROW:
        name += fit(glyphs.line(kind.name.replace("_", " ")), KIND_WIDTH, signs.ellipsis) + " "
    score = f"{round(one.score * 100):>4} "
    missed = one in given.surface.missed
    end = one.why if missed else parts(one, glyphs) if width >= BROAD else ""
    cells = (PARTS if width >= BROAD else WHY) if end else 0
    room = max(1, width - 6 - cell_len(name) - cell_len(score) - cells)
    return Content.assemble(
        (f"{number:>3} ", "$muted"), (f"{sign} ", "$text-accent"), (name, "$muted"),
        (fit(words_of(one, glyphs), room, signs.ellipsis), "" if number else "$muted"),
        (score, "$foreground" if number else "$muted"),
        (fit(glyphs.line(end), cells, signs.ellipsis), "$muted"),
    )  # fmt: skip


def words_of(one: SurfaceLine, glyphs: Glyphs) -> str:
    """What a line says, without the mark before it and the id behind."""
    words = one.text.removeprefix("- ").removesuffix(f" [{one.id[:8]}]")
    return glyphs.line(words)


def parts(one: SurfaceLine, glyphs: Glyphs) -> str:
    """The parts of a score, short."""
    between = f" {glyphs.signs.between} "
    return between.join(
        f"{SHORT.get(name, name)} {round(part * 100)}" for name, part in one.parts.items() if part
    )


def explained(one: SurfaceLine, memory: Memory | None, glyphs: Glyphs, width: int) -> Content:
    """Everything about the line under the cursor: its words, its score, why it is in or out."""
    words = words_of(one, glyphs)
    wrapped = Content(words).wrap(max(1, width))[:2]
    if wrapped and cell_len(words) > sum(line.cell_length for line in wrapped) + len(wrapped):
        wrapped[-1] = Content(fit(f"{wrapped[-1].plain} {words}", width, glyphs.signs.ellipsis))
    sums = " + ".join(
        f"{LONG.get(name, name)} {round(part * 100)}" for name, part in one.parts.items() if part
    )
    score = f"{round(one.score * 100)} = {sums}" if sums else str(round(one.score * 100))
    said = [glyphs.line(one.why), f"{one.tokens} tokens"]
    if memory is not None and memory.inject != "normal":
        said.insert(0, f"injection: {memory.inject}")
    between = f" {glyphs.signs.between} "
    why = between.join(part for part in said if part)
    return Content("\n").join(
        [*wrapped, Content.styled(score, "$muted"), Content.styled(why, "$muted")]
    )


def nothing(given: GivenSurface, keymap: Keymap) -> tuple[str, Steps]:
    """What is said where not even a line just missed."""
    key = keymap.first
    if not given.trusted:
        return "Nothing of this project is injected: its store came from elsewhere.", [
            (key("go.memories"), "look at what it holds"),
            ("cortex trust", "give it to Claude from now on"),
        ]
    return "There are no memories yet, so nothing is injected.", [
        ("cortex import transcripts", "learn from this project's past sessions"),
        ('cortex remember "…"', "remember something now"),
        (key("go.memories"), "go to the memories"),
    ]
