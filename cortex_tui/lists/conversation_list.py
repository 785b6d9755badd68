"""The list of conversations: one line each, and where words are searched for the message that fits
under it."""

from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from cortex_core.base import agent_names
from cortex_core.records.conversation import Message, MessageKind
from cortex_tui.actions.sessions_actions import ListedConversation
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import CursorList
from cortex_tui.widgets.lines import fit, marked, matches, when_near

WHEN_WIDTH = 12
BRANCH_WIDTH, LONG_BRANCH_WIDTH = 12, 24
EDGE = 2
"""Cells before a row, for the cursor."""
BROAD = 100
"""Cells from which there is room for a long branch and whole words."""
MARGIN = 2
"""Cells after a row: a blank, and the scroll bar."""
NARROW = 50
"""Cells below which only the time and the title are shown."""
BEFORE = 24
"""Most cells of a message before what matches in it."""

SPEAKERS: dict[MessageKind, str] = {
    "user": "you",
    "agent": "agent",
    "question": "asked",
    "answer": "you",
    "plan": "plan",
    "summary": "summary",
    "report": "sub-agent",
    "command": "ran",
    "edit": "edited",
    "commit": "commit",
}
"""Who or what is before the words of a message."""


ConversationShape = tuple[int, int, tuple[int, ...]]
"""The cells of the title, the branch, and what was read, kept, given and committed; 0: not
shown."""


def shape(width: int, *, with_branch: bool) -> ConversationShape:
    """The columns of a list `width` cells wide.

    Args:
        with_branch: whether the rows differ in their branch, so that there is something to show.
    """
    counts: tuple[int, ...] = (6, 6, 7, 9) if width >= BROAD else (6, 5, 6)
    counts = counts if width >= NARROW else ()
    branch = LONG_BRANCH_WIDTH if width >= BROAD else BRANCH_WIDTH
    branch = branch + 1 if with_branch and width >= NARROW else 0
    fixed = EDGE + WHEN_WIDTH + 1 + branch + sum(counts) + MARGIN
    return max(1, width - fixed), branch, counts


def head(shape: ConversationShape) -> str:
    """What the columns are called."""
    for_title, for_branch, for_counts = shape
    names = ("turns", "kept", "given", "commits")
    counts = "".join(f"{name:>{cells}}" for name, cells in zip(names, for_counts, strict=False))
    title = f"{'session':<{for_title}}"[:for_title]
    branch = f" {'branch':<{for_branch - 1}}" if for_branch else ""
    return f"  {'when':<{WHEN_WIDTH}} {title}{branch}{counts}"


def snippet(message: Message, words: Sequence[str], width: int, glyphs: Glyphs) -> str:
    """The part of a message around what matches in it, with who said it, in `width` cells."""
    said = glyphs.line(message.text)
    spans = matches(said, words)
    who = f"{SPEAKERS[message.kind]}: "
    begin = _beginning(said, spans[0][0]) if spans else 0
    cut = glyphs.signs.ellipsis if begin else ""
    return fit(f"{who}{cut}{said[begin:]}", width, glyphs.signs.ellipsis).rstrip()


def _beginning(said: str, first: int) -> int:
    """Where a text that matches at `first` is shown from: from a word shortly before it."""
    return 0 if first <= BEFORE else said.find(" ", first - BEFORE, first) + 1 or first


class ConversationList(CursorList):
    """The list."""

    COMPONENT_CLASSES = {
        f"conversation-list--{name}"
        for name in ("row", "muted", "accent", "match", "title", "cursor")
    }
    HEAD = 1

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.rows: Sequence[ListedConversation] = ()
        self.words: Sequence[str] = ()
        self.now = 0.0
        self._with_branch = False

    def show(
        self,
        rows: Sequence[ListedConversation],
        words: Sequence[str],
        keep: str,
        *,
        with_branch: bool,
    ) -> None:
        """Show `rows`, the cursor on the session `keep`, else on the first.

        Args:
            words: what is marked.
            with_branch: whether the rows differ in their branch.
        """
        self.rows, self.words, self._with_branch = rows, words, with_branch
        sessions = (index for index, row in enumerate(rows) if row.conversation.session == keep)
        self.renew(next(sessions, 0) if keep else 0)

    @property
    def row(self) -> ListedConversation | None:
        """The row under the cursor, None where there is none."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def shape(self) -> ConversationShape:
        """The columns at the present width."""
        return shape(self.size.width, with_branch=self._with_branch)

    # --- lines: two a row where a message is shown

    def count(self) -> int:
        return len(self.rows)

    def lay_rows(self) -> Sequence[int]:
        height = 2 if self.rows and self.rows[0].message is not None else 1
        return range(0, height * self.count() + 1, height)

    # --- drawing

    def draw_head(self, width: int) -> Strip:
        words = Segment(head(self.shape), self.paint()["muted"])
        return Strip([words]).adjust_cell_length(width, self.rich_style)

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        row, paint = self.rows[index], self.paint()
        mark = f"{self.glyphs.signs.cursor} " if has_cursor else "  "
        drawn = self._found(row, width) if part else self._row(row)
        segments = [Segment(mark, paint["accent"]), *drawn]
        base = paint["row"]
        if has_cursor:
            segments = list(Segment.apply_style(segments, post_style=paint["cursor"]))
            base += paint["cursor"]
        return Strip(segments).adjust_cell_length(width, base)

    def _row(self, row: ListedConversation) -> Iterator[Segment]:
        paint, (for_title, for_branch, for_counts) = self.paint(), self.shape
        one = row.conversation
        ended = when_near(one.ended, self.now) if one.ended is not None else ""
        yield Segment(f"{ended:<{WHEN_WIDTH}} ", paint["muted"])
        title = self.glyphs.line(one.title) or f"session {one.session[:8]}"
        if agent := agent_names.shown(one.agent):
            title = f"{agent}: {title}"
        if row.problem:
            title = f"{self.glyphs.signs.status['quarantined']} {title}: {row.problem}"
        shown = fit(title, for_title, self.glyphs.signs.ellipsis)
        yield from self._marked(shown, paint["row"])
        if for_branch:
            branch = fit(self.glyphs.line(one.branch), for_branch - 1, self.glyphs.signs.ellipsis)
            yield Segment(f" {branch}", paint["muted"])
        numbers = (one.turns, one.memories, row.given, one.commits)
        for number, cells in zip(numbers, for_counts, strict=False):
            yield Segment(f"{number or '':>{cells}}", paint["muted"])

    def _found(self, row: ListedConversation, width: int) -> Iterator[Segment]:
        """The second line of a row: the message that fits."""
        if row.message is not None:
            indent = WHEN_WIDTH + 1 if width >= NARROW else 2
            room = max(1, width - EDGE - indent - MARGIN)
            yield Segment(" " * indent, self.paint()["muted"])
            shown = snippet(row.message, self.words, room, self.glyphs)
            yield from self._marked(shown, self.paint()["muted"])

    def _marked(self, shown: str, plain: Style) -> Iterator[Segment]:
        yield from marked(shown, matches(shown, self.words), plain, plain + self.paint()["match"])
