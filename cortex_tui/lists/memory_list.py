"""The list of memories, its rows and its marks.

A row fits exactly into the cells it has; narrow lists leave out columns. The list holds keys and
reads the memories in sight; marks stay with their memories when the rows change.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from cortex_core.base import text
from cortex_core.base.kinds import DEFAULT, Kinds
from cortex_core.records.memory import Key, Memory, Sort
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import CursorList
from cortex_tui.widgets.lines import (
    BAR_WIDTH,
    FAMILIES,
    bar,
    blocks,
    fit,
    marked,
    matches,
    similar_letters,
    whose,
)

KIND_WIDTH = 12
AGE_WIDTH = 4
SCOPE_WIDTH = 8
GIVEN_WIDTH = 7
EDGE = 1
"""Blank cells between a row and the scroll bar."""
FADED = ("fading", "dormant")
"""The bands of confidence that a row names."""
LONGEST_TITLE = 600
"""Characters of a title that are looked at; no terminal shows more."""
OUTDATED = "out of date"
"""What a row says of a memory that names what is not so any more."""
NEW = "new"
"""The remark on what the team sent and nobody has opened here."""
SHARED = {False: "shared", True: "shared, reworded"}
"""The remark on the user's own that the team has too; by whether it is in other words there."""
INJECTION_NOTES = {"demoted": "demoted", "never": "never injected"}
PATIENCE = 0.012
"""Seconds that a frame waits for the rows it needs."""
KEPT = 3000
"""Memories held."""
Read = Callable[[Sequence[Key]], Mapping[Key, Memory]]
MARK_COLUMN = 1
"""Where a click marks."""
Importance = Callable[[Memory], float | None]
"""The importance of a memory, 0 to 1.1; None: not known."""


class RowShape(NamedTuple):
    """What of a row is shown at one width, in cells; 0: not at all."""

    width: int
    kind: int
    title: int
    bar: int
    scope: int = 0
    given: int = 0


STRONG = 0.7
"""Confidence from which the bar is drawn as good."""


class Paint(NamedTuple):
    """The styles a row is drawn with."""

    row: Style
    muted: Style
    accent: Style
    match: Style
    good: Style
    warning: Style
    gone: Style
    knowledge: Style
    history: Style
    cursor: Style
    """Laid over the whole row that has the cursor."""


class RowView(NamedTuple):
    """What a row is besides its memory."""

    cursor: bool = False
    marked: bool = False
    by_meaning: bool = False
    letters: str = ""
    """What was typed, where its letters alone found it; "" where it holds the words."""
    forgotten: bool = False
    """It no longer passes, because of what was done here; it stays until the list is read again."""
    age: float = 0.0
    """The moment (Unix seconds) its age counts from."""
    measure: float | None = None
    """What the list shows of its worth, 0 to 1.1: see `measured`; None: not known."""
    most: int = 100
    """The number that stands for a measure of 1."""
    given: Sequence[int] = ()
    """To how many sessions it was given, of late, the oldest first."""


def measured(memory: Memory, sort: Sort, importance: Importance) -> float | None:
    """Confidence or priority where the list is sorted by it, else importance."""
    if sort == "confidence":
        return memory.confidence
    return memory.priority / 10 if sort == "priority" else importance(memory)


def columns(width: int, *, names_kinds: bool = True) -> RowShape:
    """The columns of a list `width` cells wide.

    Glyph, title, importance and age always; the bar from 60 cells; how often it was given from 72;
    the kind's word from 84, unless `names_kinds` is off and the glyph has to do; the scope from 90.
    """
    kind = KIND_WIDTH + 1 if names_kinds and width >= 84 else 0
    bar = BAR_WIDTH + 1 if width >= 60 else 0
    scope = SCOPE_WIDTH if width >= 90 else 0
    given = GIVEN_WIDTH if width >= 72 else 0
    fixed = 2 + 2 + 2 + 2 + kind + scope + given + bar + 4 + 1 + AGE_WIDTH + 1
    return RowShape(width, kind, max(1, width - fixed), bar, scope, given)


def head(shape: RowShape, sort: Sort) -> str:
    """What the columns are called."""
    by, age = (sort if sort in ("confidence", "priority") else "importance"), "said"
    number = f"{by:>{4 + shape.bar}} " if shape.bar else f"{by[:3]:>4} "
    names = [(shape.kind, "kind"), (shape.title, "title"), (shape.scope, " scope")]
    names.append((shape.given, " given"))
    words = "".join(f"{name:<{cells}}"[:cells] for cells, name in names)
    return f"        {words}{number}{age:>{AGE_WIDTH}} "


def note(
    memory: Memory, view: RowView, glyphs: Glyphs, *, names_scope: bool = True
) -> tuple[str, bool]:
    """The remark at the end of a title, and whether it is a warning.

    Args:
        names_scope: whether the scope has no column, so that room is scarce.
    """
    signs = glyphs.signs
    if view.forgotten:
        away = {"active": "filtered out", "superseded": "superseded"}.get(
            memory.status, "forgotten"
        )
        return f"{signs.cross} {away}", True
    if memory.status != "active":
        return f"{signs.status[memory.status]} {memory.status}", memory.status == "quarantined"
    # In the order of importance: where room is short, `_title` drops words from the end.
    words = [f"{signs.meaning} meaning"] if view.by_meaning else []
    words += [f"{signs.similar} spelling"] if view.letters else []
    words += [NEW] if memory.is_unseen else []
    words += [memory.scope] if names_scope and memory.scope != "project" else []
    is_shared = memory.scope != "team" and memory.shared_by
    words += [SHARED[bool(memory.shared_words)]] if is_shared else []
    words += [OUTDATED] if memory.outdated else []
    words += [INJECTION_NOTES[memory.inject]] if memory.inject in INJECTION_NOTES else []
    words += [memory.band] if memory.band in FADED else []
    guarded = memory.guard != "remind"
    if memory.triggers and (guarded or not names_scope):
        words += [f"{memory.guard} at calls" if guarded else "at calls"]
    return f" {signs.between} ".join(words), bool(memory.outdated)


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
        Segment(
            f"{glyphs.kind(kind)} ",
            side if gone else getattr(paint, FAMILIES.get(kind.name, "knowledge")),
        ),
        Segment(f"{whose(memory, glyphs)} ", side),
    ]
    if shape.kind:
        name = glyphs.line(kind.name.replace("_", " "))
        parts.append(Segment(fit(name, shape.kind - 1, signs.ellipsis) + " ", side))
    parts += _title(memory, view, shape, body, paint, glyphs, words)
    if shape.scope:
        parts.append(Segment(fit(f" {memory.scope}", shape.scope), side))
    if shape.given:
        most = max(view.given, default=1)
        drawn = blocks([times / most if times else None for times in view.given], glyphs)
        parts.append(Segment(f" {drawn:<{shape.given - 1}}", side))
    number = "" if view.measure is None else f"{round(view.measure * view.most)}"
    parts.append(Segment(f"{number:>4} ", side))
    if shape.bar:
        words = bar(view.measure or 0.0, glyphs)
        full = words.rstrip(signs.empty)
        parts.append(Segment(full, side if gone else _state(memory, paint)))
        parts.append(Segment(words[len(full) :] + " ", paint.gone))
    parts.append(Segment(f"{text.ago(view.age, now):>{AGE_WIDTH}} ", side))
    # The style of the cursor goes over all others, so that its row is one bar.
    shown = [part for part in parts if part.text]
    return list(Segment.apply_style(shown, post_style=paint.cursor)) if view.cursor else shown


def _state(memory: Memory, paint: Paint) -> Style:
    """The colour of a memory's bar: by how far it has faded."""
    if memory.pinned or memory.confidence >= STRONG:
        return paint.good
    return paint.muted if memory.band == "active" else paint.warning


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
    remark, warns = note(memory, view, glyphs, names_scope=not shape.scope)
    least, between = min(width, 16), f" {glyphs.signs.between} "
    # A title is recognised by its first 16 cells; the remark gives way before they do, down to its
    # sign.
    while between in remark and width - cell_len(remark) - 2 < least:
        remark = remark.rpartition(between)[0]
    room = width - (cell_len(remark) + 2 if remark else 0)
    if remark and room < least:
        remark, room = remark[:1], width - 2
    cut = fit(title, room, glyphs.signs.ellipsis)
    letters = cut.rstrip()
    found = similar_letters(title, view.letters) if view.letters else matches(title, words)
    spans = [span for span in found if span[1] <= len(letters)]
    parts = list(marked(letters, spans, body, body + paint.match))
    parts.append(Segment(" " * (width - cell_len(letters) - cell_len(remark)), paint.row))
    parts.append(Segment(remark, paint.warning if warns else paint.muted))
    return parts


class Rows:
    """Rows in their order, read by windows."""

    def __init__(self, read: Read, arrived: Callable[[BaseException | None], object]) -> None:
        self.order: Sequence[Key] = ()
        self._read = read
        self._arrived = arrived
        self._memories: dict[Key, Memory | None] = {}
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="rows")
        self._reading: Future[Mapping[Key, Memory]] | None = None
        self._asked: Sequence[Key] = ()

    def __len__(self) -> int:
        return len(self.order)

    def replace(self, order: Sequence[Key], *, keep: bool = True) -> None:
        """Show `order` from now on; with `keep` off, what was read is read again."""
        self.order = order
        if not keep:
            self._memories.clear()

    def take_over(self, rows: Mapping[Key, Memory]) -> None:
        """Take over memories that somebody else has read."""
        self._memories.update(rows)

    def at(self, index: int) -> Memory | None:
        """The memory at `index`, None when it is not read yet or gone."""
        return self._memories.get(self.order[index]) if 0 <= index < len(self.order) else None

    def known(self, key: Key) -> Memory | None:
        """The memory behind `key`, None when it is not read."""
        return self._memories.get(key)

    def is_gone(self, index: int) -> bool:
        """Whether the memory at `index` was looked for and is no longer there."""
        key = self.order[index]
        return key in self._memories and self._memories[key] is None

    def index_of(self, key: Key) -> int | None:
        """Where `key` is, None when it is not in the list."""
        try:
            return self.order.index(key)
        except ValueError:
            return None

    def load(self, first: int, count: int) -> None:
        """Read the rows from `first`, and wait a moment for them."""
        self.take()
        if self._missing(first, first + count):
            self._wait()
            if (wanted := self._missing(first, first + count)) and self._reading is None:
                self._begin(wanted)
                self._wait()
            if self._reading is not None:
                self._reading.add_done_callback(self._arrived_late)

    def look_around(self, first: int, count: int) -> None:
        """Read the pages before and behind the rows from `first` in the background."""
        self.take()
        around = self._missing(max(0, first - count), first + 2 * count)
        if around and self._reading is None:
            self._begin(around)

    def take(self) -> None:
        """Hold what a reading brought; called on the screen's thread."""
        if self._reading is None or not self._reading.done():
            return
        reading, self._reading = self._reading, None
        if (error := reading.exception()) is not None:
            self._arrived(error)
            return
        memories = reading.result()
        self._memories.update((key, memories.get(key)) for key in self._asked)
        for key in list(self._memories)[: max(0, len(self._memories) - KEPT)]:
            del self._memories[key]

    def close(self) -> None:
        """Stop the reader thread."""
        self._reader.shutdown(wait=False, cancel_futures=True)

    def _missing(self, first: int, last: int) -> list[Key]:
        return [key for key in self.order[first:last] if key not in self._memories]

    def _begin(self, keys: Sequence[Key]) -> None:
        self._asked = keys
        self._reading = self._reader.submit(self._read, keys)

    def _wait(self) -> None:
        """Wait for a running read as long as a frame can spare."""
        if self._reading is not None:
            wait((self._reading,), PATIENCE)
            self.take()

    def _arrived_late(self, reading: Future[Mapping[Key, Memory]]) -> None:
        if not reading.cancelled():
            self._arrived(None)


class Marks:
    """The marked memories of a list."""

    def __init__(self) -> None:
        self.keys: dict[Key, None] = {}
        """In the order in which they were marked."""
        self._order: Sequence[Key] = ()
        self._members: frozenset[Key] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def show(self, order: Sequence[Key]) -> None:
        """Take over what the list shows now."""
        self._order, self._members = order, None

    def toggle(self, key: Key) -> None:
        """Mark `key`, or unmark it."""
        if key in self.keys:
            del self.keys[key]
        else:
            self.keys[key] = None

    def range(self, key: Key) -> None:
        """Mark all from the memory that was marked last to that of `key`."""
        begun = next((one for one in reversed(self.keys) if one in self._order), key)
        low, high = sorted((self._order.index(begun), self._order.index(key)))
        self.keys.update(dict.fromkeys(self._order[low : high + 1]))

    def all(self) -> None:
        """Mark every row that is shown."""
        self.keys.update(dict.fromkeys(self._order))

    def none(self) -> None:
        """Remove all marks."""
        self.keys.clear()

    def drop(self, keys: Iterable[Key]) -> None:
        """Unmark `keys`."""
        for key in keys:
            self.keys.pop(key, None)

    def shown(self) -> list[Key]:
        """The marked rows that are shown, in the list's order."""
        return [key for key in self._order if key in self.keys] if self.keys else []

    def hidden(self) -> list[Key]:
        """The marked memories that the list does not show."""
        if not self.keys:
            return []
        if self._members is None:
            self._members = frozenset(self._order)
        return [key for key in self.keys if key not in self._members]


class MemoryList(CursorList):
    """The memories."""

    COMPONENT_CLASSES = {f"memory-list--{name}" for name in Paint._fields}
    HEAD = 1

    class Marked(Message):
        """Other memories are marked."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, MemoryList.Marked)

    class Arrived(Message):
        """Rows that came too late for their frame are here, or could not be read."""

        def __init__(self, error: BaseException | None) -> None:
            super().__init__()
            self.error = error

    def __init__(
        self,
        glyphs: Glyphs,
        read: Read,
        importance: Importance,
        given: Callable[[Memory], Sequence[int]],
    ) -> None:
        super().__init__(glyphs)
        self._importance, self._given = importance, given
        self.kinds: Kinds = DEFAULT
        self.rows = Rows(read, lambda error: self.post_message(self.Arrived(error)))
        self.words: Sequence[str] = ()
        self.by_meaning: frozenset[Key] = frozenset()
        self.similar: frozenset[Key] = frozenset()
        self.typed = ""
        self.forgotten: set[Key] = set()
        self.marks = Marks()
        self.names_kinds = True
        """Whether there is room for the kind's word."""
        self.sort: Sort = "updated"
        self.now = 0.0

    # --- what is shown

    def show(
        self,
        order: Sequence[Key],
        *,
        words: Sequence[str] = (),
        by_meaning: frozenset[Key] = frozenset(),
        similar: frozenset[Key] = frozenset(),
        typed: str = "",
        keep: Key | None = None,
        read: Mapping[Key, Memory],
        fresh: bool = False,
    ) -> None:
        """Show `order`.

        Args:
            keep: the row that the cursor stays on, or, when it is not in `order`, whose place it
                keeps; None: the cursor goes to the top.
            words: what is marked in the titles.
            similar: the rows that the letters of `typed` found, which are marked in these.
            read: memories of the first page.
            fresh: forget the memories that were read before.
        """
        # Rows are replaced before marks and cursor, which find their place by them.
        self.rows.replace(order, keep=not fresh)
        self.rows.take_over(read)
        self.words, self.by_meaning = words, by_meaning
        self.similar, self.typed = similar, typed
        index = self.rows.index_of(keep) if keep is not None else 0
        self.marks.show(order)
        self.renew(self.cursor if index is None else index)

    def extend(self, order: Sequence[Key], by_meaning: frozenset[Key]) -> None:
        """Show `order`, which differs from what is shown only in the rows found by meaning.

        A cursor that was not moved stays on the first row.
        """
        stood = self.key
        self.rows.replace(order)
        self.by_meaning = by_meaning
        self.marks.show(order)
        if self.key == stood:
            self.redraw()
        elif self.cursor == 0 or stood is None:
            self.renew(0)
        else:
            index = self.rows.index_of(stood)
            self.renew(self.cursor if index is None else index)

    def update_rows(self, rows: Mapping[Key, Memory]) -> None:
        """Show the new state of some memories."""
        self.rows.take_over(rows)
        self.redraw()
        self.post_message(self.Highlighted())

    @property
    def key(self) -> Key | None:
        """The row under the cursor, None in an empty list."""
        return self.rows.order[self.cursor] if self.cursor < len(self.rows) else None

    @property
    def memory(self) -> Memory | None:
        """The memory under the cursor, None while it is not read."""
        self.rows.load(self.cursor, 1)
        return self.rows.at(self.cursor)

    def look_around(self) -> None:
        """Have the neighbouring pages read before they come into sight."""
        self.rows.look_around(self.scroll_offset.y, self.in_sight)

    # --- drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        self.rows.load(self.scroll_offset.y, self.in_sight)
        return super().render_lines(crop)

    def count(self) -> int:
        return len(self.rows)

    def state(self, index: int) -> Hashable:
        key = self.rows.order[index]
        return key, key in self.marks.keys, self.rows.at(index) is None

    def draw(self, index: int, part: int, width: int, *, has_cursor: bool) -> Strip:
        key, memory = self.rows.order[index], self.rows.at(index)
        paint = Paint(**self.paint())
        # A row may be drawn before a worker has read its page.
        if memory is None:
            words = "no longer there" if self.rows.is_gone(index) else self.glyphs.signs.waiting
            line = [Segment(f"    {words}", paint.gone)]
        else:
            measure = measured(memory, self.sort, self._importance)
            view = RowView(
                has_cursor,
                key in self.marks.keys,
                key in self.by_meaning,
                self.typed if key in self.similar else "",
                key in self.forgotten,
                memory.created,
                measure,
                10 if self.sort == "priority" else 100,
                self._given(memory),
            )
            line = segments(
                memory,
                view,
                columns(width - EDGE, names_kinds=self.names_kinds),
                paint,
                self.glyphs,
                kinds=self.kinds,
                words=self.words,
                now=self.now,
            )
        base = paint.row + paint.cursor if has_cursor else paint.row
        return Strip(line).adjust_cell_length(width, base)

    def draw_head(self, width: int) -> Strip:
        """What the columns are called."""
        words = head(columns(width - EDGE, names_kinds=self.names_kinds), self.sort)
        return Strip([Segment(words, self.paint()["muted"])]).adjust_cell_length(width)

    def tick(self, now: float) -> None:
        """Let the ages be counted from `now`."""
        self.now = now
        self.redraw()

    # --- cursor and marks

    def mark(self) -> None:
        """Mark the memory under the cursor, or unmark it, and go on."""
        if self.key is not None:
            self.marks.toggle(self.key)
            self.cursor += 1
            self.show_marks()

    def show_marks(self) -> None:
        """Draw the marks as they are now."""
        self.refresh()
        self.post_message(self.Marked())

    def clicked(self, event: events.Click, index: int) -> None:
        at = event.get_content_offset(self)
        if event.ctrl or event.shift or (at is not None and at.x == MARK_COLUMN):
            self.marks.toggle(self.rows.order[index])
            self.show_marks()
        else:
            super().clicked(event, index)

    def on_memory_list_arrived(self, event: Arrived) -> None:
        if event.error is None:
            self.refresh()
            self.post_message(self.Highlighted())

    def on_unmount(self) -> None:
        self.rows.close()
