"""Lines of styled words before they are drawn, and what several widgets say in the same words.

Values in, values out; a part (`text`, `muted`, `accent` …) names the style, which the widget that
draws it looks up.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content
from textual.strip import Strip

from cortex_core.base import authorship, fuzzy, scripts
from cortex_core.records.memory import Memory, Neighbour, Source
from cortex_core.records.reviews import QueuedProposal
from cortex_tui.glyphs import Glyphs

Piece = tuple[str, str]
"""Words and the part they are drawn as."""

BAR_WIDTH = 5
"""Cells of a bar in a list."""
WHOLE = 0.7
"""The share of a cut text that has to be left where it is cut between words."""
AGAINST = "contradicts"
"""The type of a link that is shown in capitals and with its own sign."""

PARTS = ("text", "title", "muted", "faint", "accent", "good", "warning", "error", "cursor")
"""The styles there are."""

_STYLES = {
    "text": "",
    "title": "bold",
    "muted": "$muted",
    "faint": "$faint",
    "accent": "$text-accent",
    "good": "$text-success",
    "warning": "$text-warning",
    "error": "$text-error",
    "cursor": "",
}


class StyledLine(NamedTuple):
    """One line, no wider than it was made for."""

    pieces: Sequence[Piece] = ()
    target: int | None = None
    """Which of a section's choices this line belongs to; None: none."""


BLANK = StyledLine()


def line(words: str, part: str = "text", target: int | None = None) -> StyledLine:
    """A line of one part."""
    return StyledLine(((words, part),), target)


def wrapped(
    words: str, width: int, part: str = "text", *, indent: int = 0, target: int | None = None
) -> Iterator[StyledLine]:
    """`words`, cleaned by the caller, on as many lines as they need."""
    for piece in Content(words).wrap(max(1, width - indent)):
        yield StyledLine(((" " * indent + piece.plain, part),), target)


_NARROW = re.compile("[ -\u10ff\u2000-\u2319\u2500-\u25fc]*")
"""Letters and signs that are one cell wide."""


def cut(words: str, width: int) -> Iterator[str]:
    """One line of text in as many lines of `width` cells as it needs, between words.

    Text of letters that are one cell wide, as nearly all is, is cut without measuring each word.
    """
    if not _NARROW.fullmatch(words):
        yield from (piece.plain.rstrip() for piece in Content(words).wrap(max(1, width)))
        return
    while len(words) > width:
        end = words.rfind(" ", 1, width + 1)
        end = end if words[:end].strip() and end > 0 else width
        yield words[:end].rstrip()
        words = words[end:].lstrip(" ")
    yield words


def lit(strip: Strip, cursor: Style) -> Strip:
    """A line that has the cursor: its ground and weight are laid over, its colours stay."""
    over = Style(bgcolor=cursor.bgcolor, bold=cursor.bold, reverse=cursor.reverse)
    return Strip(Segment.apply_style(strip, post_style=over), strip.cell_length)


def content(lines: Sequence[StyledLine]) -> Content:
    """Lines as what a plain widget shows."""
    return Content("\n").join(
        Content.assemble(*((words, _STYLES[part]) for words, part in one.pieces)) for one in lines
    )


def width_of(line: StyledLine) -> int:
    """How many cells a line takes."""
    return sum(cell_len(words) for words, _ in line.pieces)


def when(moment: float) -> str:
    """A moment in the user's own time zone: `5 Nov 2026, 14:02`."""
    return time.strftime("%d %b %Y, %H:%M", time.localtime(moment)).lstrip("0")


def whose(memory: Memory, glyphs: Glyphs) -> str:
    """The sign of whose words a memory is: the team's, the user's, an agent's, or inferred."""
    signs, rule = glyphs.signs, memory.source.rule
    if memory.scope == "team":
        return signs.team
    if authorship.is_users_word(rule):
        return signs.dot
    return signs.status["suggested"] if rule.startswith("agent") else signs.inferred


def day(moment: float) -> str:
    """The day of a moment in the user's own time zone: `5 Nov 2026`."""
    return time.strftime("%d %b %Y", time.localtime(moment)).lstrip("0")


def when_near(moment: float, now: float) -> str:
    """A moment as short as it is clear at `now`, in the user's own time zone: `14:02 today`, `Tue
    09:12`, `12 Nov 09:12`, `12 Nov 2025`."""
    then, today = time.localtime(moment), time.localtime(now)
    if then[:3] == today[:3]:
        return time.strftime("%H:%M today", then)
    if 0 <= now - moment < 6 * 86_400:
        return time.strftime("%a %H:%M", then)
    return time.strftime("%d %b %H:%M" if then[0] == today[0] else "%d %b %Y", then)


def project_choice(root: str) -> tuple[str, str]:
    """The folder of a project, and what a choice calls it."""
    return root, f"{Path(root).name:<9} {short_path(root)}"


def short_path(path: str) -> str:
    """A path of this machine, the user's own folder as `~`."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def written_by(source: Source, *, by_team: bool = False) -> str:
    """Whose words a memory is: `written by you`, `said by you, heard as wish`, `found by the rule
    fix`, `imported from jsonl`.

    Args:
        by_team: whether it was a member of the team.
    """
    if by_team and source.rule == "person":
        return f"written by {source.author or 'a member'}"
    who, _, name = source.rule.partition(":")
    return {
        "person": "written by you",
        "agent": "written by an agent",
        "rule": f"said by you, heard as {name.removeprefix('prompt-')}"
        if authorship.is_users_word(source.rule)
        else f"found by the rule {name}",
        "model": f"found by the model {name}",
        "import": f"imported from {name}",
    }.get(who, f"written by {source.rule}")


def fit(value: str, width: int, ellipsis: str = "…") -> str:
    """`value` in exactly `width` cells; cut between words where that costs little, else between
    characters, never through a wide one."""
    if cell_len(value) <= width:
        return set_cell_size(value, width)
    kept = set_cell_size(value, max(0, width - 1))
    words = kept.rpartition(" ")[0]
    if len(words) > WHOLE * len(kept) and not value.startswith(f"{kept} "):
        kept = words
    return set_cell_size(kept + ellipsis, width) if width > 0 else ""


def bar(share: float, glyphs: Glyphs, width: int = BAR_WIDTH) -> str:
    """`share` (0 to 1) as a bar of `width` cells, to half a cell."""
    signs = glyphs.signs
    halves = round(max(0.0, min(1.0, share)) * width * 2)
    shown = signs.full * (halves // 2) + signs.half * (halves % 2)
    return shown + signs.empty * (width - len(shown))


FAMILIES = {
    **dict.fromkeys(("policy", "preference", "procedure"), "accent"),
    **dict.fromkeys(("episode", "progress"), "history"),
}
"""What the signs of kinds are drawn as: rules and history have a hue of their own, and all else is
knowledge."""
HUES = {"accent": "$accent", "knowledge": "$secondary", "history": "$history"}


def hue_of(kind: str) -> str:
    """The colour of the family of a kind."""
    return HUES[FAMILIES.get(kind, "knowledge")]


# --- rows of what waits, and of what is new


def asked(one: QueuedProposal, glyphs: Glyphs) -> tuple[str, str, str]:
    """The row of a proposal: its sign, its title, and what it is; a merge against which something
    speaks warns."""
    if one.type == "supersede":
        return glyphs.signs.against, one.title, "contradiction"
    warning = f"{glyphs.signs.status['quarantined']} " if one.conflicts else ""
    return glyphs.signs.merge, one.title, f"{warning}merge"


def row_line(
    row: tuple[str, str, str],
    word: str,
    glyphs: Glyphs,
    width: int,
    most: int = 1,
    hue: str = "$text-accent",
) -> Content:
    """A row of the inbox: its sign, its title, on at most so many lines, and what is at the end of
    the first; one that is decided is dimmed and says how. The sign has a `hue`, unless it warns."""
    sign, end, signs = row[0], word or glyphs.line(row[2].replace("_", " ")), glyphs.signs
    room = max(1, width - cell_len(end) - 4)
    title, *more = in_lines(glyphs.line(row[1]), room, width - 2, most)
    # A kind may have the sign of a warning; its hue says that it is none.
    is_sign = sign in (signs.against, signs.again, signs.cross, signs.status["quarantined"])
    warns = is_sign and hue == "$text-accent"
    style = "$faint" if word else "$foreground"
    return Content.assemble(
        (f"{sign} ", "$faint" if word else "$text-warning" if warns else hue),
        (fit(title, room, signs.ellipsis), style),
        "  ",
        (end, "$muted"),
        *((f"\n  {fit(one, width - 2, signs.ellipsis)}", style) for one in more),
    )


def in_lines(words: str, first: int, rest: int, most: int) -> Iterator[str]:
    """`words` in at most so many lines, the first one of `first` cells, the last one uncut."""
    width = first
    while most > 1 and cell_len(words) > width:
        line = next(cut(words, width))
        yield line
        words, most, width = words.removeprefix(line).lstrip(), most - 1, rest
    yield words


# --- values as blocks, one next to the other

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_BLOCKS = " ._-=+*%#"


def blocks(values: Sequence[float | None], glyphs: Glyphs) -> str:
    """Each value (0 to 1) as a block of its height; a blank for None."""
    scale = ASCII_BLOCKS if glyphs.ascii_only else BLOCKS
    steps = len(scale) - 1
    return "".join(
        " " if value is None else scale[max(1, round(max(0.0, min(1.0, value)) * steps))]
        for value in values
    )


SHADES, ASCII_SHADES = "·░▒▓█", ".-+*#"
QUIET_DAYS = SHADES[0] + ASCII_SHADES[0]
"""The signs of a day on which nothing was."""


def heat(counts: Mapping[int, int], days: range, glyphs: Glyphs) -> list[str]:
    """The months of some weeks, then a line for each day of the week: the more, the darker.

    Args:
        counts: how much there was on a day, by its ordinal number.
        days: those that are drawn, from a Monday on.
    """
    scale = ASCII_SHADES if glyphs.ascii_only else SHADES
    most = max([1, *counts.values()])
    weeks = -(-len(days) // 7)
    months = ""
    for week in range(weeks - 2):
        month = date.fromordinal(days.start + 7 * week).strftime("%b")
        if len(months) <= week and month not in months[-4:]:
            months = f"{months:<{week}}{month} "
    lines = [f"{months:<{weeks}}"[:weeks]]
    for first in range(days.start, days.start + 7):
        shown = range(first, days.stop, 7)
        shades = "".join(scale[-(-4 * counts.get(one, 0) // most)] for one in shown)
        lines.append(f"{shades:<{weeks}}")
    return lines


# --- what a search marks


def beginnings(word: str) -> Iterator[str]:
    """What a word of a search is looked for as: itself, then without its ending."""
    shortest = max(min(3, len(word) - 1), len(word) - 4)
    return (word[:size] for size in range(len(word), shortest, -1))


def begins_word(text: str, beginning: str) -> bool:
    """Whether a word of `text` begins so, to the letter: `matches` as a quick yes or no.

    Where words have no blanks between them, it may be anywhere.
    """
    at = text.find(beginning)
    if scripts.is_run(beginning):
        return at >= 0
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at = text.find(beginning, at + 1)
    return at >= 0


def matches(text: str, words: Sequence[str]) -> list[fuzzy.Span]:
    """Where the words of a search begin words of `text`, endings left aside, and where what is
    written without blanks is in it; sorted spans."""
    runs, rest = scripts.apart(" ".join(words))
    parts = (re.escape(part) for run in runs for part in run.split(" "))
    spans = {match.span() for part in parts for match in re.finditer(part, text)}
    text = scripts.blanked(text)
    lower = text.lower()
    for word in rest.lower().split():
        # The pattern says where; most lines have none of the words, and it is slow to say so.
        there = (one for one in beginnings(word) if begins_word(lower, one))
        for beginning in there:
            pattern = rf"(?<!\w){re.escape(beginning)}"
            word_spans = [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
            if word_spans:
                spans.update(word_spans)
                break
    return sorted(spans)


def similar_letters(text: str, typed: str) -> Sequence[fuzzy.Span]:
    """Where the letters that were typed are in `text`, which holds other words."""
    fits = fuzzy.match(typed, text)
    return fits.spans if fits is not None else matches(text, typed.split())


def marked(
    value: str, spans: Sequence[fuzzy.Span], plain: Style, match: Style
) -> Iterator[Segment]:
    """`value` in segments, the spans in `match`."""
    done = 0
    for start, end in spans:
        if end > done:
            yield Segment(value[done : max(start, done)], plain)
            yield Segment(value[max(start, done) : end], match)
            done = end
    yield Segment(value[done:], plain)


def with_matches(value: str, spans: Sequence[fuzzy.Span]) -> Content:
    """`value` with the matched letters marked."""
    shown = Content(value)
    for start, end in spans:
        shown = shown.stylize("$text-accent underline", start, end)
    return shown


# --- how a link reads from the memory that is looked at


LABEL = 14
"""Cells of a label, the gap behind it included."""


class Labelled(Content):
    """A label and its value in one line."""


def labelled(name: str, value: str, glyphs: Glyphs, style: str = "") -> Labelled:
    """`value` behind its label; where it is wrapped, it stays at the label's right."""
    line = Content.assemble((f"{name:<{LABEL}}", "$muted"), (glyphs.line(value), style))
    return Labelled(line.plain, list(line.spans))


def hung(line: Content, width: int) -> list[Content]:
    """`line`, or the lines of a labelled value in `width` cells."""
    if not isinstance(line, Labelled) or width < 2 * LABEL:
        return [line]
    label, value = line[:LABEL], line[LABEL:]
    first, *rest = value.wrap(width - LABEL) or [Content()]
    return [label + first, *(Content(" " * LABEL) + one for one in rest)]


def edge_label(neighbour: Neighbour) -> str:
    """The link's name; contradictions in capitals."""
    name = neighbour.edge.type
    return name.upper() if edge_warns(neighbour) else name.lower()


def edge_arrow(neighbour: Neighbour, glyphs: Glyphs) -> str:
    """Which way it leads."""
    if not neighbour.edge.directed:
        return glyphs.signs.rule
    return glyphs.signs.arrow if neighbour.outgoing else glyphs.signs.back


def edge_sign(neighbour: Neighbour, glyphs: Glyphs) -> str:
    """The sign before a contradiction, a blank before everything else."""
    return glyphs.signs.against if edge_warns(neighbour) else " "


def edge_warns(neighbour: Neighbour) -> bool:
    """Whether the two contradict each other."""
    return neighbour.edge.type == AGAINST
