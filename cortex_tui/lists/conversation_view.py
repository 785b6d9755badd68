"""A conversation as it reads: what was said, when and by whom, commands in a row in one line.

Its lines are cut once a width, so that thousands of messages open at once; only those in sight are
drawn. The cursor is on a message or a fold.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from cortex_core.base import text
from cortex_core.records.conversation import PROSE, Message
from cortex_core.records.memory import Key, Memory
from cortex_tui.actions.sessions_actions import ReadConversation
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.conversation_list import SPEAKERS
from cortex_tui.lists.cursor_list import CursorList
from cortex_tui.widgets.lines import PARTS, beginnings, begins_word, cut, fit, marked, matches

BAR = 2
"""Cells before a line, for the cursor."""
CLOCK = 6
"""Cells of the time of day."""
SPEAKER = 8
"""Cells of who said it."""
MARGIN = 2
"""Cells after a line: a blank, and the scroll bar."""
LONGEST_LINE = 110
"""Most cells of a line of words: longer ones are hard to read."""
NARROW = 56
"""Cells below which the time of day is left out."""
OWN_WORDS = ("user", "answer")
"""What the user said."""
STEP = 3
"""Lines by which a message that is longer than the screen is scrolled."""
ENOUGH = 0.5
"""Share of the most words that one message has from which others count as matches too."""


class MessageBlock(NamedTuple):
    """What the cursor can be on: a message, or several lines of commands and files."""

    messages: tuple[Message, ...]
    is_fold: bool = False
    """Whether its messages are only counted: they are shown below it, if it is open."""
    is_inside: bool = False
    """Whether it is one message of a fold that is open."""

    @property
    def first(self) -> Message:
        """Its message, or the first of a fold."""
        return self.messages[0]

    @property
    def name(self) -> tuple[int, bool]:
        """What it is known by while folds open and close."""
        return self.first.number, self.is_fold


class ViewLine(NamedTuple):
    """One line of the view."""

    words: str
    part: str = "text"
    speaker: str = ""
    """Who or what is before it, where it is the first line of its block."""
    clock: str = ""
    """The time of day before it, where it is another one than before."""
    is_day: bool = False
    """Whether it is the heading of a day, over the whole width."""


def blocks(messages: Sequence[Message], opened: Set[int]) -> Iterator[MessageBlock]:
    """The messages, those of commands and files folded where several follow each other.

    Args:
        opened: the folds that are open, by the number of their first message.
    """
    run: list[Message] = []
    for message in messages:
        if message.kind in ("command", "edit"):
            run.append(message)
            continue
        yield from _folded(run, opened)
        run.clear()
        yield MessageBlock((message,))
    yield from _folded(run, opened)


def _folded(run: Sequence[Message], opened: Set[int]) -> Iterator[MessageBlock]:
    if len(run) > 1:
        yield MessageBlock(tuple(run), is_fold=True)
    if len(run) == 1 or (run and run[0].number in opened):
        yield from (MessageBlock((message,), is_inside=len(run) > 1) for message in run)


def fold_words(fold: MessageBlock, opened: Set[int], glyphs: Glyphs) -> str:
    """What a fold says: how many commands, how many failed, how many files changed."""
    commands = [message for message in fold.messages if message.kind == "command"]
    files = len({message.text for message in fold.messages if message.kind == "edit"})
    failed = sum(message.succeeded is False for message in commands)
    parts = [
        text.counted(len(commands), "command") if commands else "",
        f"{failed} failed" if failed else "",
        f"{text.counted(files, 'file')} changed" if files else "",
    ]
    sign = glyphs.signs.unfolded if fold.first.number in opened else glyphs.signs.folded
    return f"{sign} {', '.join(part for part in parts if part)}"


def outcome(message: Message, glyphs: Glyphs) -> str:
    """The sign before a command: whether it succeeded, where that is known."""
    if message.kind != "command":
        return ""
    signs = {True: glyphs.signs.check, False: glyphs.signs.cross, None: glyphs.signs.between}
    return f"{signs[message.succeeded]} "


def has_words(message: Message, words: Sequence[str]) -> int:
    """How many of `words` a message has."""
    said = message.text.casefold()
    return sum(
        any(begins_word(said, beginning) for beginning in beginnings(word)) for word in words
    )


def matching(messages: Iterable[Message], words: Sequence[str]) -> list[int]:
    """The numbers of the messages that match `words`, in order: those with at least half as many of
    them as the one with most."""
    counts = Counter({message.number: has_words(message, words) for message in messages})
    most = max(counts.values(), default=0)
    return [number for number, has in counts.items() if has and has >= ENOUGH * most]


class WrappedMessages:
    """The lines of messages in a number of cells, each cut once."""

    def __init__(self, glyphs: Glyphs, width: int) -> None:
        self.glyphs = glyphs
        self.width = width
        self._lines: dict[int, tuple[str, ...]] = {}

    def __call__(self, message: Message) -> tuple[str, ...]:
        """The lines of `message`."""
        known = self._lines.get(message.number)
        if known is None:
            said = outcome(message, self.glyphs) + self.glyphs.block(message.text)
            lines = said.expandtabs(4).split("\n")
            known = tuple(piece for line in lines for piece in cut(line, self.width))
            self._lines[message.number] = known
        return known


def width_of_words(width: int) -> int:
    """The cells that words have in a view of `width` cells."""
    room = width - BAR - (CLOCK if width >= NARROW else 0) - SPEAKER - MARGIN
    return max(8, min(room, LONGEST_LINE))


class ConversationView(CursorList):
    """The view."""

    BORDER_TITLE = "What was said"
    COMPONENT_CLASSES = {f"conversation-view--{name}" for name in (*PARTS, "match")}

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.words: Sequence[str] = ()
        self.opened: set[int] = set()
        self._messages: Sequence[Message] = ()
        self._memories: Mapping[str, Mapping[Key, Memory]] = {}
        self._wrapped = WrappedMessages(glyphs, 0)
        self._blocks: Sequence[MessageBlock] = ()
        self._lines: Sequence[ViewLine] = ()

    # --- what is shown

    def show(self, read: ReadConversation, wrapped: WrappedMessages) -> None:
        """Show a conversation; the cursor stays on its message.

        Args:
            wrapped: its lines, as far as they are cut already.
        """
        self._messages, self._memories = read.text.messages, read.memories
        self._wrapped = wrapped
        self.lay_out()

    @property
    def block(self) -> MessageBlock | None:
        """What the cursor is on."""
        return self._blocks[self.cursor] if self.cursor < len(self._blocks) else None

    def go_to(self, number: int) -> None:
        """Put the cursor on a message, its beginning near the top; its fold is opened."""
        folds = (block for block in self._blocks if block.is_fold)
        fold = next((f for f in folds if any(one.number == number for one in f.messages)), None)
        if fold is not None and fold.first.number not in self.opened:
            self.opened.add(fold.first.number)
            self.lay_out()
        at = next(
            (
                index
                for index, block in enumerate(self._blocks)
                if block.first.number == number and not block.is_fold
            ),
            None,
        )
        if at is not None:
            self.cursor = at
            self.scroll_to(y=max(0, self.line_of(at) - 1), animate=False)

    def toggle_fold(self) -> bool:
        """Open or close the fold under the cursor; False where there is none."""
        block = self.block
        if block is None or not (block.is_fold or block.is_inside):
            return False
        fold = next(one for one in reversed(self._blocks[: self.cursor + 1]) if one.is_fold)
        self.opened ^= {fold.first.number}
        self.cursor = self._blocks.index(fold)
        self.lay_out()
        return True

    def mark(self, words: Sequence[str]) -> None:
        """Mark `words` from now on."""
        self.words = words
        self._strips.clear()
        self.refresh()

    # --- lines

    def lay_out(self) -> None:
        if self.size.width < 1:
            return
        # Blocks keep their names when the width changes or a fold opens; their numbers do not.
        here = self.block.name if self.block is not None else None
        width = width_of_words(self.size.width)
        if width != self._wrapped.width:
            self._wrapped = WrappedMessages(self.glyphs, width)
        self._blocks = list(blocks(self._messages, self.opened))
        starts, self._lines = [], list[ViewLine]()
        day = clock = ""
        for block in self._blocks:
            starts.append(len(self._lines))
            today = _day(block.first.time)
            if today and today != day:
                self._lines += [ViewLine(""), ViewLine(today, "faint", is_day=True)]
                day, clock = today, ""
            now = (
                ""
                if block.first.time is None
                else time.strftime("%H:%M", time.localtime(block.first.time))
            )
            self._lines += self._lines_of(block, now if now != clock else "")
            clock = now or clock
        self.starts = [*starts, len(self._lines)]
        names = [block.name for block in self._blocks]
        at = names.index(here) if here in names else min(self.cursor, max(0, len(names) - 1))
        self.set_reactive(CursorList.cursor, at)
        self.redraw()
        self.follow()
        self.post_message(self.Highlighted())

    def _lines_of(self, block: MessageBlock, clock: str) -> Iterator[ViewLine]:
        message = block.first
        is_prose = message.kind in PROSE
        if is_prose:
            yield ViewLine("")
        if block.is_fold:
            words = fold_words(block, self.opened, self.glyphs)
            ran = any(one.kind == "command" for one in block.messages)
            yield ViewLine(words, "muted", SPEAKERS["command" if ran else "edit"], clock)
        else:
            part, speaker = _part(message), SPEAKERS[message.kind]
            for number, words in enumerate(self._wrapped(message)):
                style = "title" if is_prose and words.startswith("#") else part
                before = ("", "") if number else (speaker, clock)
                yield ViewLine(words, style, *before)
        room, signs = self._wrapped.width, self.glyphs.signs
        is_open = block.is_fold and block.first.number in self.opened
        for one in () if is_open else self._learned(block).values():
            holds = one.status == "active"
            end = "" if holds else f" ({one.status})"
            title = fit(self.glyphs.line(one.title), room - 2 - len(end), signs.ellipsis).rstrip()
            words = f"{signs.status[one.status]} {title}{end}"
            yield ViewLine(words, "good" if holds else "muted")

    def _learned(self, block: MessageBlock) -> dict[Key, Memory]:
        """The memories that a block gave."""
        found = (self._memories.get(message.uuid, {}) for message in block.messages)
        return {key: memory for each in found for key, memory in each.items()}

    def memories(self) -> dict[Key, Memory]:
        """The memories that came from what the cursor is on."""
        return {} if self.block is None else self._learned(self.block)

    def count(self) -> int:
        return len(self._blocks)

    def lay_rows(self) -> Sequence[int]:
        return self.starts  # as `lay_out` cut them

    # --- moving

    def follow(self) -> None:
        """Scroll so that the message of the cursor is in sight: whole, or its nearer end."""
        if not self._blocks:
            return
        top, height = self.scroll_offset.y, self.in_sight
        first, end = self.line_of(self.cursor), self.line_of(self.cursor + 1)
        fits = end - first <= height
        if first < top and (fits or end <= top):
            self.scroll_to(y=first if fits else end - height, animate=False)
        elif end > top + height and (fits or first >= top + height):
            self.scroll_to(y=end - height if fits else first, animate=False)

    def move(self, step: int) -> None:
        """Move to another message; within one that is longer than the screen, scroll first, and
        where the mouse has scrolled away from the cursor, fetch that."""
        top, height = self.scroll_offset.y, self.in_sight
        first, end = self.line_of(self.cursor), self.line_of(self.cursor + 1)
        if abs(step) == 1 and not top - (end - first) < first < top + height:
            self._put(self.row_at(top))
        elif step == 1 and end > top + height > first:
            self.scroll_to(y=min(top + STEP, end - height), animate=False)
        elif step == -1 and first < top < end:
            self.scroll_to(y=max(top - STEP, first), animate=False)
        else:
            super().move(step)

    def action_page(self, share: float) -> None:
        """Scroll by a share of the screen; the cursor goes along to what is at the top then."""
        step = int(share * max(1, self.in_sight - 1))
        last = max(0, len(self._lines) - self.in_sight)
        top = max(0, min(self.scroll_offset.y + step, last))
        if top == self.scroll_offset.y:
            super().move(self.count() if step > 0 else -self.count())
            return
        self.scroll_to(y=top, animate=False)
        at = self.row_at(top)
        if self.line_of(at) < top and self.line_of(at + 1) < top + self.in_sight // 2:
            at += 1
        self._put(at)

    def _put(self, at: int) -> None:
        """Put the cursor on the block at `at`, without scrolling."""
        self.set_reactive(CursorList.cursor, self.validate_cursor(at))
        self.refresh()
        self.post_message(self.Highlighted())

    def turn(self, step: int) -> bool:
        """Go to the next or previous words of the user; False where there are none."""
        order = range(self.cursor + step, self.count() if step > 0 else -1, step)
        at = next((index for index in order if self._blocks[index].first.kind in OWN_WORDS), None)
        if at is not None:
            self.cursor = at
            self.scroll_to(y=max(0, self.line_of(at)), animate=False)
        return at is not None

    # --- drawing

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        line = self._lines[self.starts[index] + part]
        segments = self._segments(line, width, has_cursor=has_cursor)
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _segments(self, line: ViewLine, width: int, *, has_cursor: bool) -> Iterator[Segment]:
        paint, signs = self.paint(), self.glyphs.signs
        if line.is_day:
            rule = signs.rule * max(0, width - len(line.words) - 6)
            yield Segment(f"  {signs.rule * 2} {line.words} {rule}"[: width - 1], paint["faint"])
            return
        bar = signs.cursor if has_cursor and (line.words or line.speaker) else " "
        yield Segment(f"{bar} ", paint["accent"])
        yield from self._gutter(line, width)
        style = paint[line.part]
        spans = matches(line.words, self.words) if self.words else ()
        yield from marked(line.words, spans, style, style + paint["match"])

    def _gutter(self, line: ViewLine, width: int) -> Iterator[Segment]:
        """When and by whom, before the first line of a block; blank before the others."""
        paint = self.paint()
        if width >= NARROW:
            yield Segment(f"{line.clock:<{CLOCK}}", paint["faint"])
        part = "accent" if line.speaker == SPEAKERS["user"] else "muted"
        yield Segment(f"{line.speaker:<{SPEAKER}}", paint[part])


def _part(message: Message) -> str:
    """How the words of a message are drawn."""
    if message.kind == "command" and message.succeeded is False:
        return "error"
    quiet = message.kind in ("command", "edit", "summary")
    return "muted" if quiet else "good" if message.kind == "commit" else "text"


def _day(moment: float | None) -> str:
    day = time.strftime("%A, %d %b %Y", time.localtime(moment)).replace(" 0", " ")
    return "" if moment is None else day
