"""The surface workbench: exactly what the agent gets next, why, and what to do about it.

The functions make the words of the meter, the lines and the explanation from values; the screen
shows them.
"""

from collections.abc import Iterator
from functools import partial

from rich.cells import cell_len
from textual import getters, on
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from cortex_core.base.kinds import Kinds
from cortex_core.base.text import counted
from cortex_core.records.memory import Key, Memory
from cortex_core.records.surfaces import SurfaceLine
from cortex_tui import keymap
from cortex_tui.actions import project_actions as actions
from cortex_tui.actions.project_actions import ASOF, FILE, FIND, Occasion, SurfacePreview
from cortex_tui.glyphs import Glyphs
from cortex_tui.keymap import Keymap
from cortex_tui.lists.cursor_list import LineList, ListLine, quiet_line
from cortex_tui.lists.memory_list import KIND_WIDTH
from cortex_tui.screens.memory_screen import MemoryScreen
from cortex_tui.screens.panes import OriginPane, ReadingPane
from cortex_tui.themes import STYLES
from cortex_tui.widgets.frame import Steps
from cortex_tui.widgets.lines import fit, hue_of
from cortex_tui.widgets.search_bar import SearchBar, SearchInput

BROAD = 106
"""Cells of the list from which a reason has `BROAD_WHY` cells."""
WHY_WIDTH, BROAD_WHY = 30, 48
"""Cells of the reason why a line was left out."""
WHY_LINES = 4
"""Lines of the explanation below the list."""
METER_WIDTH = 10
"""Cells of the bar; half of them where room is short."""
ROOMY = 96
"""Cells from which the meter and the name of Claude Code's limit are in full."""
NARROW = 62
"""Cells below which a row has no kind's name."""

IMPORTANCE = ("confidence", "priority", "centrality", "access", "branch")
"""The parts of a score that are the memory's importance."""
LONG_PARTS = {
    "centrality": "linked to",
    "access": "used",
    "branch": "same branch",
    "learned": "learned often",
    "said": "said by you",
    "works": "needed by all",
}

PLACEHOLDER = f"type a prompt, {FILE} a path, {FIND} words, or {ASOF} a day"


def meter_line(preview: SurfacePreview, glyphs: Glyphs, width: int) -> Content:
    """What is shown, and how much of the budget and of Claude Code's limit it uses."""
    surface, signs = preview.surface, glyphs.signs
    what = occasion_title(preview.occasion, glyphs)
    share = surface.tokens / surface.budget if surface.budget else 0.0
    meter, unit = (METER_WIDTH, "characters") if width >= ROOMY else (METER_WIDTH // 2, "chars")
    full = max(0, min(meter, round(share * meter)))
    bar = signs.full * full + signs.empty * (meter - full)
    over = "$text-warning" if share > 1 else "$text-accent"
    tokens = f"{surface.tokens:,} of {surface.budget:,} tokens "
    units = f"   {surface.units:,} of {surface.most_units:,} {unit}"
    room = width - cell_len(tokens) - meter - cell_len(units) - 3
    return Content.assemble(
        (fit(what, max(8, room), signs.ellipsis), "bold"),
        "   ",
        (tokens, "$muted"),
        (bar, over),
        (units, "$muted"),
    )


def occasion_title(occasion: Occasion, glyphs: Glyphs) -> str:
    """When it is injected."""
    if occasion.file:
        return f"Injected when {glyphs.line(occasion.file)} is opened"
    return "Injected with this prompt" if occasion.prompt else "Injected at the next start"


def added_by_prompt(preview: SurfacePreview) -> str:
    """What an occasion after the start adds, or how much of what was found is injected."""
    if preview.found is not None:
        now = {line.id for line in preview.surface.lines}
        given = sum(line.id in now for line in preview.found)
        return f"{given:,} of {len(preview.found):,} are injected" if preview.found else ""
    if preview.occasion.is_start:
        return ""
    count = len(preview.surface.lines)
    if not count:
        return "adds nothing"
    memories = "memory" if count == 1 else "memories"
    return f"adds {count} {memories}, {preview.surface.tokens:,} tokens"


def list_lines(preview: SurfacePreview, kinds: Kinds, glyphs: Glyphs) -> Iterator[ListLine]:
    """Every line of the list: what is injected, by section, what was before, what was left out."""
    surface, section = preview.surface, ""
    numbers = {one.id: str(number) for number, one in enumerate(surface.lines, 1)}
    row = partial(_row, preview=preview, kinds=kinds, glyphs=glyphs)
    # What is looked for, or was there at an earlier moment, is no note and has no sections.
    if preview.found is not None:
        asked = preview.occasion
        title = f"memories with “{asked.find}”" if asked.find else f"given as of {asked.asof}"
        yield ListLine(None, partial(_rule, title, glyphs))
        if not preview.found:
            yield quiet_line("No memory." if asked.find else "No session had begun by then.")
        for one in preview.found:
            yield ListLine(one.id, partial(row, one, numbers.get(one.id, "")))
        return
    for one in surface.lines:
        if one.section != section:
            section = one.section
            yield ListLine(None, partial(_rule, section, glyphs))
        yield ListLine(one.id, partial(row, one, numbers[one.id]))
    if not surface.lines:
        yield quiet_line(_nothing(preview))
    if preview.repeated:
        yield ListLine(None, partial(_rule, "fits too, already injected at session start", glyphs))
        for one in preview.repeated:
            yield ListLine(one.id, partial(row, one, ""))
    if surface.missed:
        yield ListLine(None, partial(_rule, f"left out, {len(surface.missed):,}", glyphs))
        for one in surface.missed:
            yield ListLine(one.id, partial(row, one, ""))


def _nothing(preview: SurfacePreview) -> str:
    if preview.occasion.file:
        return "No memory is about this file: opening it injects nothing."
    if preview.occasion.prompt:
        return "Nothing more fits this prompt: it injects nothing."
    return "Session start injects nothing."


def _rule(label: str, glyphs: Glyphs, width: int) -> Content:
    mark = glyphs.signs.rule
    room = max(0, width - len(label) - 4)
    return Content.assemble((f"{mark}{mark} {label} {mark * room}", "$faint"))


def _row(
    one: SurfaceLine,
    number: str,
    width: int,
    *,
    preview: SurfacePreview,
    kinds: Kinds,
    glyphs: Glyphs,
) -> Content:
    memory = preview.rows[one.id][1] if one.id in preview.rows else None
    signs, kind = glyphs.signs, kinds.known(one.kind)
    sign = signs.pin if memory is not None and memory.pinned else " "
    name = f"{glyphs.kind(kind)} "
    if width >= NARROW:
        name += fit(glyphs.line(kind.name.replace("_", " ")), KIND_WIDTH, signs.ellipsis) + " "
    score = f"{round(one.score * 100):>4} " if one.parts else " " * 5
    is_left_out = not number and one not in preview.repeated
    most = BROAD_WHY if width >= BROAD else WHY_WIDTH
    # Where the whole reason is too long its first half is shown; the pane has it in full.
    reason = one.why if cell_len(one.why) <= most else one.why.partition(": ")[0]
    cells, end = (most + 2, f"  {glyphs.line(reason)}") if is_left_out else (0, "")
    room = max(1, width - 6 - cell_len(name) - cell_len(score) - cells)
    return Content.assemble(
        (f"{number:>3} ", "$muted"),
        (f"{sign} ", "$text-accent"),
        (name, hue_of(kind.name) if number else "$muted"),
        (fit(line_words(one, memory, glyphs), room, signs.ellipsis), "" if number else "$muted"),
        (fit(end, cells, signs.ellipsis), "$muted"),
        (score, "$foreground" if number else "$muted"),
    )


def line_words(one: SurfaceLine, memory: Memory | None, glyphs: Glyphs) -> str:
    """What a line says, without the mark before it and the id behind; two lines as one.

    The title of the memory if it has no line.
    """
    text = one.text or (memory.title if memory is not None else "")
    said = [words.removeprefix("- ").removesuffix(f" [{one.id[:8]}]") for words in text.split("\n")]
    return glyphs.line(f" {glyphs.signs.between} ".join(said))


def explanation(one: SurfaceLine, memory: Memory | None, glyphs: Glyphs, width: int) -> Content:
    """Everything about the line under the cursor: its words, its score, why it is in or out."""
    named = [
        (name, f"{LONG_PARTS.get(name, name)} {round(part * 100)}")
        for name, part in one.parts.items()
        if part
    ]
    sums = [words for name, words in named if name not in IMPORTANCE]
    # The same number as in the list of memories, then what counts at a session's start alone.
    if lasting := [words for name, words in named if name in IMPORTANCE]:
        share = round(sum(one.parts.get(name, 0.0) for name in IMPORTANCE) * 100)
        sums.insert(0, f"importance {share} ({' + '.join(lasting)})")
    score = f"{round(one.score * 100)} = {' + '.join(sums)}" if sums else ""
    facts = [one.section, glyphs.line(one.why), f"{one.tokens} tokens" if one.tokens else ""]
    if memory is not None and memory.inject != "normal":
        facts.insert(0, f"injection: {memory.inject}")
    why = f" {glyphs.signs.between} ".join(part for part in facts if part)
    about = [
        piece.stylize("$muted")
        for text in (score, why)
        if text
        for piece in _wrapped(text, width, 2, glyphs)
    ]
    words = _wrapped(line_words(one, memory, glyphs), width, WHY_LINES - len(about), glyphs)
    return Content("\n").join([*words, *about])


def _wrapped(words: str, width: int, most: int, glyphs: Glyphs) -> list[Content]:
    """`words` in at most `most` lines, the last one cut if there are more."""
    lines = Content(words).wrap(max(1, width))
    if len(lines) <= most:
        return lines
    rest = " ".join(line.plain.strip() for line in lines[most - 1 :])
    return [*lines[: most - 1], Content(fit(rest, width, glyphs.signs.ellipsis))]


def why_empty(preview: SurfacePreview, keymap: Keymap) -> tuple[str, Steps]:
    """What is said where not even a line was left out."""
    key = keymap.first
    if not preview.trusted:
        return "Nothing of this project is injected: its store came from elsewhere.", [
            (key("go.memories"), "see what is in it"),
            ("cortex trust", "let it be injected from now on"),
        ]
    return "There are no memories yet, so nothing is injected.", [
        (key("page.learn"), "learn from this project's past sessions, after a preview"),
        (key("go.memories"), "go to the memories, where you can write one"),
    ]


REST = 0.15
"""Seconds without typing before it is looked up what a prompt adds."""
LONGEST = 20_000
"""Characters of a prompt that are looked at."""


class SurfaceScreen(MemoryScreen):
    """The surface workbench."""

    NAME = "surface"
    PLACE = "surface"
    BINDINGS = [*keymap.bindings("surface"), *keymap.bindings("moving")]
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "surface.tcss"]
    AUTO_FOCUS = ""

    lines = getters.query_one(LineList)
    prompt = getters.query_one(SearchBar)
    exact = getters.query_one(ReadingPane)

    def __init__(self) -> None:
        super().__init__()
        self.preview: SurfacePreview | None = None
        self._typing: Timer | None = None

    def body(self) -> ComposeResult:
        yield Static(id="meter", markup=False)
        yield SearchBar(PLACEHOLDER, LONGEST)
        yield LineList(self.glyphs)
        yield ReadingPane()
        yield OriginPane()
        why = Static(id="why", markup=False)
        why.border_title = "Why"
        yield why

    # --- what is injected

    def load(self) -> None:
        typed = self.prompt.words
        self.fetch(
            partial(actions.preview_surface, occasion=actions.read_occasion(typed)),
            partial(self._preview_read, typed),
            group="given",
            what="Composing the surface",
        )

    @on(SearchBar.SearchTyped)
    def _typed(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(REST, self.load)

    def _preview_read(self, typed: str, preview: SurfacePreview) -> None:
        if typed != self.prompt.words:
            return
        before = self.lines.key
        same = self.preview is not None and self.preview.occasion == preview.occasion
        self.preview, self.revision = preview, preview.revision
        empty = preview.occasion.is_start and not (preview.surface.lines or preview.surface.missed)
        self.show_notice(empty)
        if empty:
            self.notice.inform(*why_empty(preview, self.context.keymap))
        stores = self.stores
        if stores is not None:
            kinds = stores.cortex.config.kinds
            self.lines.show(list(list_lines(preview, kinds, self.glyphs)), before if same else None)
        if not same:
            self.lines.move(-len(self.lines.lines))
        self.prompt.show(Content.styled(added_by_prompt(preview), "$muted"))
        words = preview.surface.text or "Nothing is injected."
        self.exact.show([Content(self.glyphs.block(words))])
        self.lines.border_title = (
            counted(len(preview.surface.lines), "line is injected", "lines are injected")
            if preview.found is None
            else counted(len(preview.found), "memory", "memories")
        )
        self._show_meter()

    def _show_meter(self) -> None:
        if self.preview is not None:
            meter = self.query_one("#meter", Static)
            meter.update(meter_line(self.preview, self.glyphs, max(1, meter.size.width)))

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_meter)
        self.call_after_refresh(self._show_why)

    # --- the line at hand

    def line_at_hand(self) -> SurfaceLine | None:
        """The line under the cursor."""
        lines = self.preview.lines if self.preview else ()
        return next((one for one in lines if one.id == self.lines.key), None)

    def current(self) -> tuple[Key | None, Memory | None]:
        line = self.line_at_hand()
        rows = self.preview.rows if self.preview else {}
        return rows.get(line.id, (None, None)) if line else (None, None)

    @on(LineList.Highlighted)
    def _show_why(self) -> None:
        line, (_, memory) = self.line_at_hand(), self.current()
        why = self.query_one("#why", Static)
        width = max(1, why.size.width)
        why.update(explanation(line, memory, self.glyphs, width) if line else Content())
        self.query_one(OriginPane).follow(memory)
        self.show_refused(memory, ("surface.wrong",) if memory is None else ())

    @on(LineList.Picked)
    def action_pick(self) -> None:
        """Show everything about the memory."""
        self.action_detail()

    def action_wrong(self) -> None:
        """Inject the line at hand no more on the occasion that is shown."""
        _, memory = self.current()
        if memory is None or self.preview is None:
            self.say("There is no memory under the cursor.", warns=True)
            return
        prompt = self.preview.occasion.prompt
        self.changes.do(lambda stores: actions.say_wrong(stores, memory, prompt))

    # --- the exact text

    def action_text(self) -> None:
        self.toggle_class("-text")

    def focus_next(self, selector: str | type[Widget] = "*") -> Widget | None:
        """The panes are the lines and the exact text; leaving the prompt comes first."""
        if isinstance(self.focused, SearchInput):
            self.set_focus(None)
        else:
            self.action_text()
        return None

    focus_previous = focus_next

    def action_copy(self) -> None:
        """Copy all that is injected."""
        if self.preview is None or not self.preview.surface.text:
            self.say("Nothing is injected, so there is nothing to copy.", warns=True)
        else:
            self.copying.copy(self.preview.surface.text, "the injected text")

    # --- prompt and moving

    def action_filter(self) -> None:
        """Look for a memory, injected or not, by words."""
        self.prompt.type(f"{FIND} ")

    def action_search(self) -> None:
        self.prompt.type()

    @on(SearchBar.SearchEnded)
    def _left(self) -> None:
        self.set_focus(None)

    def action_back(self) -> None:
        """Leave the prompt, clear it, leave the exact text, and only then the screen."""
        if self.focused is not None:
            self.set_focus(None)
        elif self.prompt.words:
            self.prompt.clear()
        elif self.has_class("-text"):
            self.remove_class("-text")
        else:
            super().action_back()

    @property
    def _pane(self) -> LineList | ReadingPane:
        """What the keys that move are for."""
        return self.exact if self.has_class("-text") else self.lines

    def action_move(self, step: int) -> None:
        self._pane.action_move(step)

    def action_page(self, share: float) -> None:
        self._pane.action_page(share)
