"""How a proposal is shown: its head, its members side by side, its merge; and what the inbox says
of every kind: a row, and what each key does.

The functions and `Sheet` turn values into lines; `MergeView` is the widget.
"""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import ClassVar

from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from cortex_core.base import text
from cortex_core.records.memory import Memory
from cortex_core.records.reviews import Review
from cortex_tui.actions.inbox_actions import Fate, ProposalDetail, Stretch, Verdict
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.widgets.frame import Steps
from cortex_tui.widgets.lines import written_by

NARROWEST = 26
"""Cells of a side below which the members are one under the other."""
LONGEST = 12_000
"""Characters of a side that are shown."""

MARKS: dict[Fate, tuple[str, str, str]] = {
    "same": ("", "", ""),
    "other": ("[", "]", "$text-warning bold"),
    "only": ("{", "}", "$text-accent bold"),
}
"""What is around the words of each fate, and how they are drawn."""

LEGEND: tuple[tuple[Fate, str], ...] = (("other", "in other words"), ("only", "only here"))
"""What the marks mean."""

KEEPING = ("answer.left", "answer.right")


def letter(index: int) -> str:
    """What the member at `index` is called: A, B …"""
    return chr(ord("A") + index)


def rule(label: str, width: int, glyphs: Glyphs, end: Content | None = None) -> Content:
    """A line with `label` in front and `end` behind."""
    end = end or Content()
    room = max(0, width - len(label) - 1 - (end.cell_length + 1 if end else 0))
    line = (glyphs.signs.rule * room, "$faint")
    return Content.assemble((label, "$muted"), " ", line, " " if end else "", end)


def marked(stretches: Sequence[Stretch], glyphs: Glyphs) -> Content:
    """The words of a side, what the other lacks in brackets and in colour."""
    parts: list[tuple[str, str]] = []
    left = LONGEST
    for piece in stretches:
        opening, closing, style = MARKS[piece.fate]
        words = glyphs.block(piece.text[:left]).expandtabs(4)
        parts.append((f"{opening}{words}{closing}", style))
        left -= len(piece.text)
        if left <= 0:
            parts.append((f" {glyphs.signs.ellipsis}", "$muted"))
            break
    return Content.assemble(*parts)


def facts(memory: Memory, glyphs: Glyphs, now: float) -> str:
    """What a member is, in a line."""
    day = time.strftime("%d %b %Y", time.gmtime(memory.created)).lstrip("0")
    parts = [memory.kind.replace("_", " "), f"{day} ({text.ago(memory.created, now)})"]
    parts += ["pinned"] if memory.pinned else []
    parts += [memory.status] if memory.status != "active" else []
    if times := memory.access_count:
        parts.append(f"used in {text.counted(times, 'session')}")
    return f" {glyphs.signs.between} ".join(glyphs.line(one) for one in parts)


def clickable(words: Content, action: str) -> Content:
    """`words` that do `action` of the screen when they are clicked."""
    return words.stylize(Style.from_meta({"@click": f"screen.{action}"}))


class Sheet:
    """Lays out one proposal in a number of cells."""

    def __init__(
        self,
        detail: ProposalDetail,
        width: int,
        glyphs: Glyphs,
        keymap: Keymap,
        now: float,
        *,
        dim: bool,
    ) -> None:
        self.detail, self.width, self.glyphs = detail, width, glyphs
        self.keymap, self.now, self.dim = keymap, now, dim

    def lines(self) -> Iterator[Content]:
        """Everything, a line at a time; lines may be longer than the width."""
        review = self.detail.review
        if review is None:
            yield Content.styled(self.glyphs.line(self.detail.gone), "$muted")
            return
        lines = self._sides(review)
        yield from (Content.styled(one.plain, "$faint") if self.dim else one for one in lines)

    def result(self, words: str) -> Iterator[Content]:
        """What a merge would say, a line at a time, in the user's `words` if there are any; nothing
        once it is decided, or where both texts together would contradict themselves."""
        review = self.detail.review
        if review is not None and not self.dim:
            reworded = bool(review.proposal.text) and review.text == review.proposal.text
            if review.advice == "supersede" and not (words or reworded):
                return
            own = "your words" if words else "reworded" if reworded else "all that both say"
            label = f"result of a merge ({own})"
            yield from result_lines(words or review.text, label, self.width, self.glyphs)

    def _sides(self, review: Review) -> Iterator[Content]:
        count = len(review.members)
        each = (self.width - 3 * (count - 1)) // count
        if each < NARROWEST:
            for index in range(count):
                yield from self._side(review, index, self.width)
                yield Content()
            return
        columns = [list(self._side(review, index, each)) for index in range(count)]
        wall = Content.styled(f" {self.glyphs.signs.wall} ", "$faint")
        for row in zip_longest(*columns, fillvalue=Content()):
            yield wall.join([one.truncate(each, pad=True) for one in row])

    def _side(self, review: Review, index: int, width: int) -> Iterator[Content]:
        memory, last = review.members[index], len(review.members) - 1
        yield rule(letter(index), width, self.glyphs, self._keeps(index, last))
        yield from Content.styled(facts(memory, self.glyphs, self.now), "$muted").wrap(width)
        for line in marked(self.detail.sides[index], self.glyphs).split("\n", allow_blank=True):
            yield from line.wrap(width) or [Content()]

    def _keeps(self, index: int, last: int) -> Content | None:
        """The key that keeps the member at `index`, where there is one."""
        if index not in (0, last):
            return None
        side = 0 if index == 0 else 1
        key, action = self.keymap.first(KEEPING[side]), ("left", "right")[side]
        shown = Content.assemble((f"{key} ", "$text-accent"), (f"keep {letter(index)}", "$muted"))
        return clickable(shown, f"answer('{action}')")


def result_lines(words: str, label: str, width: int, glyphs: Glyphs) -> Iterator[Content]:
    """The words that a yes would keep, under a line that says whose they are."""
    yield rule(label, width, glyphs)
    for line in glyphs.block(words[:LONGEST]).expandtabs(4).split("\n"):
        yield from Content(line).wrap(width) or [Content()]


Lines = Callable[[int], Iterable[Content]]
"""Lays something out in a number of cells, a line at a time."""


class MergeView(ScrollView, can_focus=False):
    """What is to be judged: the members of a proposal, or the memories of a request."""

    FITTED: ClassVar = True
    """Whether it is no higher than its lines, so that what is below follows at once."""

    auto_links = False

    def __init__(self) -> None:
        super().__init__()
        self._shown: Hashable = None
        self._lines_in: Lines | None = None
        self._lines: list[Strip] = []

    def show(self, name: Hashable, lines: Lines) -> None:
        """Show `lines`, from the beginning when they are of another one than `name`."""
        is_other, self._shown, self._lines_in = name != self._shown, name, lines
        self._wrap()
        if is_other:
            self.scroll_to(y=0, animate=False)

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        if width < 1 or self._lines_in is None:
            return
        self._lines = []
        style = self.visual_style
        for line in self._lines_in(width):
            self._lines += Visual.to_strips(
                self, line, width, None, style, apply_selection=False
            ) or [Strip([])]
        self.virtual_size = Size(0, len(self._lines))
        if self.FITTED:
            self.styles.max_height = max(1, len(self._lines))
        self.refresh(layout=self.styles.is_auto_height)

    def render_line(self, y: int) -> Strip:
        index, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        line = self._lines[index] if index < len(self._lines) else Strip([])
        return line.adjust_cell_length(width, self.rich_style)

    def on_resize(self) -> None:
        self._wrap()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._wrap()

    def page(self, share: float) -> None:
        """Scroll by a share of the lines in sight."""
        step = int(share * max(2, self.size.height - 1))
        self.scroll_to(y=self.scroll_offset.y + step, animate=False)


class ResultView(MergeView):
    """What a merge of the members would say."""

    FITTED = False


# --- what is said of a proposal around its members

MOST_NAMED = 60
"""Characters of what only one side says that a sentence names."""
LEADS = ((0.7, "Almost the same"), (0.4, "Partly the same"), (0.0, "Few words in common"))
"""What is said of two texts from which share of letters in common on."""

MOST_FLAGS = 3
"""Conflicts shown; the rest is counted."""
MOST_SOURCES = 3

LABELS: dict[Verdict, str] = {
    "approve": "merge",
    "left": "keep A",
    "right": "keep B",
    "supersede": "keep the newer",
    "distinct": "keep both",
}

Choices = Mapping[str, tuple[str, str]]
"""By the id of a key, what it does to what is judged: in a word or two, and the rest of it."""


def explained(
    choices: Choices, keymap: Keymap, order: Sequence[str], *, brief: bool
) -> list[Content]:
    """What each key does, a line each; with `brief` only the first that says why, since the footer
    names them all."""
    pieces = []
    for name in order:
        if name in choices:
            label, rest = choices[name]
            action = "edit" if name == "memory.edit" else f"answer('{name.partition('.')[2]}')"
            words = Content.assemble(
                (f"{keymap.first(name)} ", "$text-accent"),
                (label, "$foreground"),
                (f"  {rest}" if rest else "", "$muted"),
            )
            if rest or not brief:
                pieces.append(clickable(words, action))
    return pieces[:1] if brief else pieces


def head(detail: ProposalDetail, review: Review, glyphs: Glyphs, *, is_open: bool) -> list[Content]:
    """What the members have in common, and what speaks against a merge; behind the number."""
    marks = "   ".join(
        f"{MARKS[fate][0]} {MARKS[fate][1]} {means}"
        for fate, means in LEGEND
        if any(piece.fate == fate for side in detail.sides for piece in side)
    )
    style, marks = "$text-warning" if is_open else "$muted", f"   {marks}" if is_open else ""
    return [
        Content.styled(f"   {review.proposal.similarity:.0%} similar{marks}", "$muted"),
        Content.styled(glyphs.line(compared(detail, review)), "bold" if is_open else ""),
        *(Content.styled(line, style) for line in _warnings(review, glyphs)),
    ]


def compared(detail: ProposalDetail, review: Review) -> str:
    """In a sentence or two, how much two members say alike, and what only one of them says; of two
    that contradict each other, which one stays."""
    if review.advice == "supersede":
        stays, goes = ("A", "B")[:: 1 if _newest(review) == 0 else -1]
        return f"These contradict each other. {stays} is newer and would stay; {goes} would go."
    sides = (detail.sides[0], detail.sides[-1])
    own = [[piece.text for piece in side if piece.fate != "same"] for side in sides]
    if not any(own):
        return "A and B say the same, word for word."
    if not all(own):
        whole, part = ("A", "B") if own[0] else ("B", "A")
        return f"{whole} says all that {part} says, and more."
    same = sum(len(piece.text) for side in sides for piece in side if piece.fate == "same")
    share = same / sum(len(piece.text) for side in sides for piece in side)
    lead = next(words for least, words in LEADS if share >= least)
    only = [_quoted(stretches) for stretches in own]
    if not all(only) or max(map(len, only)) > MOST_NAMED:
        return f"{lead}; what differs is marked."
    return f"{lead}. Only A: {only[0]}. Only B: {only[1]}."


def _quoted(stretches: Sequence[str]) -> str:
    """Each stretch that has a word, in quotes."""
    words = (text.one_line(stretch).strip(" .,;:") for stretch in stretches)
    return ", ".join(f"“{one}”" for one in words if any(map(str.isalnum, one)))


def _warnings(review: Review, glyphs: Glyphs) -> Iterator[str]:
    sign = glyphs.signs.warning
    if review.changed:
        yield (
            f"{sign} A memory has changed since. Your first decision updates the proposal; "
            "then decide again."
        )
    flags = review.proposal.conflicts
    yield from (f"{sign} {glyphs.line(flag)}" for flag in flags[:MOST_FLAGS])
    if (rest := len(flags) - MOST_FLAGS) > 0:
        yield f"{sign} and {rest} more"


def heir(
    review: Review, glyphs: Glyphs, *, brief: bool = False, edited: bool = False
) -> list[Content]:
    """What the survivor inherits, and what a merge would lose.

    Args:
        brief: only the line of what matters most.
        edited: whether the text is the user's.
    """
    one, between = review.heir, f" {glyphs.signs.between} "
    pinned = [letter(index) for index, each in enumerate(review.members) if each.pinned]
    inherited = [f"{glyphs.signs.pin} pin of {' and '.join(pinned)}"] if pinned else []
    inherited.append(f"priority {one.priority}")
    if not brief:
        inherited.append(f"confidence {round(one.initial_confidence * 100)}")
    inherited.append(f"tags {', '.join(map(glyphs.line, one.tags))}" if one.tags else "no tags")
    inherited += [f"files {', '.join(map(glyphs.line, one.globs))}"] if one.globs else []
    brings = [_count(review.edges, "link"), _count(one.access_count, "use")]
    if brief:
        inherited += [count for count in brings if not count.startswith("no ")]
        inherited.append(_count(len(one.sources) or 1, "source"))
    lines = [Content.assemble(("inherits  ", "$muted"), between.join(inherited))]
    if not brief:
        brings.append(_sources(one, glyphs))
        lines.append(Content.assemble("          ", between.join(brings)))
    # A merge that loses a number or a name is refused, unless the user's words settle which of two
    # holds, so that is said before the choices.
    settles = review.advice == "supersede"
    if review.lost and (edited or review.proposal.text or not settles):
        sign, lost = glyphs.signs.warning, glyphs.line(", ".join(review.lost[:6]))
        words = f"{sign} The merged text lacks {lost}: edit it, or keep one side."
        own = f"Your words leave out {lost}."
        lines.append(Content.styled(own if edited and settles else words, "$text-warning"))
    return lines


def choices(review: Review, glyphs: Glyphs, edited: bool) -> Choices:
    """What each key does to a proposal; the suggested answer says why."""
    verdict = accepted(review, edited=edited)
    why = "in your words" if edited else because(review, glyphs)
    says_no = not edited and advised(review) == "distinct"
    both = "both hold" if review.proposal.type == "supersede" else "keep both"
    sides = {
        "answer.left": ("keep A", "it inherits from B"),
        "answer.right": ("keep B", "it inherits from A"),
    }
    return {
        "answer.yes": (LABELS[verdict], "" if says_no else why),
        "answer.no": (both, why if says_no else "they are about different things"),
        "memory.edit": ("edit", "write it in one text"),
        **sides,
    }


def _sources(one: Memory, glyphs: Glyphs) -> str:
    sources = one.sources or (one.source,)
    origins = list(dict.fromkeys(glyphs.line(written_by(source)) for source in sources))
    return f"{_count(len(sources), 'source')} ({', '.join(origins[:MOST_SOURCES])})"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def advised(review: Review) -> Verdict:
    """The verdict that is suggested: never a merge that would lose something."""
    return "right" if review.advice == "approve" and review.lost else review.advice


def accepted(review: Review, *, edited: bool) -> Verdict:
    """What a yes does: with edited words a merge, else what is suggested; where that is to keep
    both, what leaves one."""
    if edited:
        return "approve"
    verdict = advised(review)
    if verdict == "distinct":
        return "supersede" if review.lost else "approve"
    return verdict


def because(review: Review, glyphs: Glyphs) -> str:
    """Why it is suggested."""
    flags = review.proposal.conflicts or review.proposal.reasons
    if review.advice in ("left", "right"):
        fuller, other = ("A", letter(len(review.members) - 1))[
            :: 1 if review.advice == "left" else -1
        ]
        return f"because {fuller} says all that {other} says, and more"
    if advised(review) == "right":
        return "because the merged text would lose something"
    if review.advice == "approve":
        return "because nothing speaks against it"
    if review.advice == "supersede":
        return f"because {letter(_newest(review))} is newer"
    flag = glyphs.line(flags[0]).rstrip(".") if flags else "they differ"
    return f"because {flag[:1].lower()}{flag[1:]}"


def _newest(review: Review) -> int:
    """The index of the newest member."""
    return max(range(len(review.members)), key=lambda index: review.members[index].created)


def nothing(keymap: Keymap) -> tuple[str, Steps]:
    """What is said where nothing waits."""
    key = keymap.first
    return "Nothing waits for you.", [
        (
            key("inbox.consolidate") or key("app.commands"),
            "consolidate: look for memories that say the same, now",
        ),
        ("cortex consolidate", "the same from the command line"),
        (key("change.undo"), "take the last verdict back"),
        (key("move.back"), "go back"),
    ]
