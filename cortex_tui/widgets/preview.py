"""One memory to read: its text wrapped, and what is known about it."""

import time
from collections.abc import Iterator, Sequence

from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from cortex_core.base import text
from cortex_core.records.memory import Memory, Source
from cortex_tui import keymap
from cortex_tui.glyphs import Glyphs
from cortex_tui.widgets.lines import bar, marked, matches, written_by

LONGEST = 12_000
"""Characters shown; wrapping more would cost a frame."""

Line = tuple[str, str]
"""Words and the component they are drawn as."""


def heading(memory: Memory, glyphs: Glyphs) -> Iterator[Line]:
    """Title, and what the memory is, with its tags."""
    signs = glyphs.signs
    yield glyphs.line(memory.title[:LONGEST]), "title"
    facts = [memory.kind.replace("_", " "), memory.scope, memory.context.branch]
    facts += [" ".join(f"#{tag}" for tag in memory.tags)]
    yield f" {signs.between} ".join(glyphs.line(fact) for fact in facts if fact), "muted"
    if memory.shared_by:
        yield glyphs.line(memory.shared_by), "muted"
    states = [f"{signs.pin} pinned"] if memory.pinned else []
    if memory.status != "active":
        states.append(f"{signs.status[memory.status]} {memory.status}")
    if memory.inject != "normal":
        states.append(f"injection: {memory.inject}")
    if states:
        yield "   ".join(states), "accent"
    if memory.outdated:
        yield glyphs.line(f"out of date: it {memory.outdated}"), "accent"


def body(memory: Memory, glyphs: Glyphs) -> Iterator[Line]:
    """The content, how much of it is not shown, and a blank line; nothing where the title says
    all of it."""
    if memory.content.strip().rstrip(".") == memory.title.rstrip("."):
        return
    yield from ((line, "text") for line in glyphs.block(memory.content[:LONGEST]).split("\n"))
    if (rest := len(memory.content) - LONGEST) > 0:
        yield "", "text"
        yield (
            f"{glyphs.signs.ellipsis} {rest:,} more characters; copying takes all of them",
            "muted",
        )
    yield "", "text"


def of_team(memory: Memory, glyphs: Glyphs) -> Iterator[Line]:
    """What the team's copy of a memory of the user's own says, where that is something else."""
    if memory.shared_words:
        yield "the team says:", "muted"
        words = glyphs.block(memory.shared_words[:LONGEST])
        yield from ((line, "text") for line in words.split("\n"))
        yield "", "text"


def facts(memory: Memory, glyphs: Glyphs, now: float) -> Iterator[Line]:
    """Confidence, use, times, source, files."""
    signs = glyphs.signs
    share = f"{round(memory.confidence * 100)} {bar(memory.confidence, glyphs)}"
    yield f"confidence {share}   priority {memory.priority}   {memory.holds}".rstrip(), "muted"
    yield f"created {_when(memory.created, now)} {signs.between} {_use(memory)}", "muted"
    if memory.updated - memory.created > 1:
        yield f"changed {_when(memory.updated, now)}", "muted"
    yield glyphs.line(_origin(memory.source, by_team=memory.scope == "team")), "muted"
    guard = "" if memory.guard == "remind" else f" ({memory.guard})"
    if memory.triggers:
        yield f"recalled{guard} at {glyphs.line(', '.join(memory.triggers))}", "muted"
    names = (*memory.globs, *memory.context.files)
    for name in list(dict.fromkeys(names))[:8]:
        yield glyphs.line(name), "muted"


def _use(memory: Memory) -> str:
    times = memory.access_count
    return f"used in {text.counted(times, 'session')}" if times else "never used"


def _when(moment: float, now: float) -> str:
    return f"{time.strftime('%d %b %Y', time.gmtime(moment))} ({text.ago(moment, now)})"


def _origin(source: Source, *, by_team: bool) -> str:
    words = [written_by(source, by_team=by_team)]
    words += [source.author] if source.author and source.author not in words[0] else []
    words += [f"session {source.session[:8]}"] if source.session else []
    words += [f"turn {source.turn}"] if source.turn else []
    return ", ".join(words)


class Read(Widget):
    """What is read, line by line or page by page."""

    def action_move(self, step: int) -> None:
        self.scroll_relative(y=step, animate=False)

    def action_page(self, share: float) -> None:
        self.scroll_relative(y=int(share * max(1, self.size.height - 1)), animate=False)


class Preview(Read, ScrollView, can_focus=True, inherit_bindings=False):
    """The memory under the cursor."""

    BINDINGS = [*keymap.bindings("moving")]
    BORDER_TITLE = "Preview"
    COMPONENT_CLASSES = {
        "preview--text",
        "preview--title",
        "preview--muted",
        "preview--accent",
        "preview--match",
    }

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.memory: Memory | None = None
        self.now = 0.0
        self._words: Sequence[str] = ()
        self._lines: list[Strip] = []

    def show(self, memory: Memory | None, now: float, words: Sequence[str] = ()) -> None:
        """Show `memory`, from its beginning when it is another one, `words` marked."""
        other = memory is None or self.memory is None or memory.id != self.memory.id
        self.memory, self.now, self._words = memory, now, words
        self._wrap()
        if other:
            self.scroll_to(y=0, animate=False)

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        blank = Strip.blank(self.size.width, self.rich_style)
        return self._lines[index] if index < len(self._lines) else blank

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        if width < 1:
            return
        self._lines = [strip for line in self._text() for strip in self._strips(line, width)]
        self.virtual_size = Size(0, len(self._lines))
        self.refresh()

    def _text(self) -> Iterator[Line]:
        memory, glyphs = self.memory, self.glyphs
        if memory is None:
            return
        yield from heading(memory, glyphs)
        yield "", "text"
        yield from body(memory, glyphs)
        yield from of_team(memory, glyphs)
        yield from facts(memory, glyphs, self.now)

    def _strips(self, line: Line, width: int) -> Iterator[Strip]:
        words, part = line
        style = self.get_visual_style(f"preview--{part}").rich_style
        match = style + self.get_visual_style("preview--match").rich_style
        searched = self._words if part in ("title", "text") else ()
        for piece in Content(words).wrap(width):
            strip = Strip(marked(piece.plain, matches(piece.plain, searched), style, match))
            yield strip.adjust_cell_length(width, self.rich_style)

    def on_resize(self) -> None:
        self._wrap()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._wrap()
