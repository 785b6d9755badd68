"""Everything about one memory, in sections; and the turn of a session that it came from."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.strip import Strip
from textual.widgets import Static

from cortex_core.base.kinds import CODE, DEFAULT, Kinds
from cortex_core.records.conversation import Turn
from cortex_core.records.kept_rules import Breach, Repeat, RuleKept
from cortex_core.records.memory import Key, Memory
from cortex_core.records.project_code import LinkedCode
from cortex_core.records.surfaces import Outlook
from cortex_tui import keymap
from cortex_tui.actions import detail_actions as actions, inbox_actions
from cortex_tui.actions.detail_actions import Portrait
from cortex_tui.context import Failed
from cortex_tui.lists.memory_list import MemoryList
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.memory_screen import MemoryScreen
from cortex_tui.screens.panes import TurnPane
from cortex_tui.session import ADMITS
from cortex_tui.themes import STYLES
from cortex_tui.widgets import markdown, portrait as drawing
from cortex_tui.widgets.lines import StyledLine, content
from cortex_tui.widgets.memory_sections import Drawn, PageSection, Sections, TextSection

ANSWERS = ("answer.yes", "answer.no")
"""The keys that decide on a memory that waits."""


class DetailScreen(MemoryScreen):
    """The detail of one memory."""

    PLACE = "detail"
    BINDINGS = [*keymap.bindings("detail"), *keymap.bindings("moving")]
    CSS_PATH = [STYLES / "sections.tcss", STYLES / "detail.tcss"]
    AUTO_FOCUS = "#text"

    sections = getters.query_one(Sections)
    heading = getters.query_one("#heading", Static)

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key
        self.portrait: Portrait | None = None
        self.memory_id = ""
        self._looked = False
        self._outlook: Outlook | None = None

    def body(self) -> ComposeResult:
        glyphs = self.glyphs
        yield Static(id="heading")
        with Sections():
            with Vertical(id="reading") as reading:
                reading.border_title = "What it says"
                yield TextSection(glyphs, "Text", id="text")
                yield PageSection(glyphs, "Code", id="code")
            with Vertical(id="facts") as facts:
                facts.border_title = "What is known of it"
                yield PageSection(glyphs, "Importance", id="importance")
                yield PageSection(glyphs, "From", id="from")
                yield PageSection(glyphs, "Kept", id="kept")
                yield PageSection(glyphs, "Links", id="links")
                yield PageSection(glyphs, "History", id="history")
                yield PageSection(glyphs, "Receipts", id="receipts")

    # --- reading

    def load(self) -> None:
        self.fetch(
            partial(
                actions.portrait,
                key=self.key,
                name=self.memory_id,
                opens=not self._looked,
                reopen=self.has_class("-notice"),
            ),
            self._portrayed,
            group="detail",
            what="Reading the memory",
        )

    def _portrayed(self, portrait: Portrait | None) -> None:
        self.portrait = portrait
        if portrait is None:
            self._show_gone()
            return
        self.show_notice(False)
        self._show(portrait)
        self.fetch(
            partial(actions.outlook, name=self.memory_id),
            self._outlook_read,
            group="outlook",
            what="Composing the surface",
        )

        if portrait.kept is not None and portrait.kept.state == "not counted yet":
            self.fetch(
                partial(actions.keeping, name=self.memory_id),
                self._keeping_read,
                group="keeping",
                what="Reading past sessions",
            )

    def _keeping_read(self, read: tuple[RuleKept, tuple[Breach, ...]]) -> None:
        rule, breaches = read
        if rule.memory.id == self.memory_id:
            self._fill_kept(rule, breaches)

    def _outlook_read(self, outlook: Outlook | None) -> None:
        self._outlook = outlook
        self.query_one("#importance", PageSection).renew()

    def _importance(self, portrait: Portrait, width: int) -> Iterator[StyledLine]:
        outlook = self._outlook
        known = outlook is not None and outlook.memory == portrait.detail.memory.id
        yield from drawing.outlook(outlook if known else None, width, self.glyphs)
        yield from drawing.importance(portrait, width, self.glyphs)

    def _show_gone(self) -> None:
        stores = self.stores
        self.revision = None if stores is None else stores.cortex.workspace.revision()
        first = self.context.keymap.first
        self.show_notice(True)
        self.notice.warn(
            "This memory is no longer there",
            "It was removed, or put into the trash, while it was open. Nothing else was changed.",
            [
                (first("move.back"), "go back"),
                (first("change.undo"), "take back the last change"),
                (first("page.refresh"), "read again"),
            ],
        )

    @property
    def kinds(self) -> Kinds:
        """The kinds in effect."""
        return DEFAULT if self.stores is None else self.stores.cortex.config.kinds

    def _show(self, portrait: Portrait) -> None:
        memory, glyphs = portrait.detail.memory, self.glyphs
        self.key, self.memory_id, self._looked = portrait.key, memory.id, True
        self.revision = portrait.revision
        self._show_heading()
        text = self.query_one(TextSection)
        text.show(memory.content)
        code = self.query_one("#code", PageSection)
        code.display = bool(portrait.code)
        text.display = memory.kind != CODE
        # The focus must not stay on a hidden section: keys would do nothing that is seen.
        if not text.display and self.focused in (text, None):
            code.focus(scroll_visible=False)
        code.fill(partial(self._code, portrait.code))
        total = sum(portrait.detail.importance.values())
        self._fill(
            "importance", lambda width: self._importance(portrait, width), f"{total * 100:.0f}"
        )
        self._fill("from", lambda width: self._origin(portrait, width))
        self._fill_kept(portrait.kept, portrait.breaches)
        self._fill(
            "links",
            lambda width: drawing.links(portrait.links, self.kinds, width, glyphs),
            f"{len(portrait.links):,}" if portrait.links else "",
        )
        titles = {link.memory.id: f"“{link.memory.title}”" for link in portrait.links}
        titles[memory.id] = "this"
        self._fill(
            "history", lambda width: drawing.history(portrait.revisions, titles, width, glyphs)
        )
        receipts = portrait.detail.receipts
        self._fill(
            "receipts",
            lambda width: drawing.receipts(receipts, width, glyphs),
            ", ".join(filter(None, (drawing.used(receipts), portrait.detail.crossed))),
        )
        self.show_refused(memory)
        self._show_keys()

    def on_descendant_focus(self) -> None:
        self._show_keys()

    def _show_keys(self) -> None:
        """Offer what the keys do here: answers to what waits, and to follow what can be."""
        section, (_, memory) = self.sections.section, self.current()
        follows = section is not None and bool(section.targets)
        waits = memory is not None and memory.status in ADMITS
        hidden = (*(() if waits else ANSWERS), *(() if follows else ("move.open",)))
        self.hints.hidden_keys = frozenset((*hidden, "list.search"))

    def _origin(self, portrait: Portrait, width: int) -> Iterator[StyledLine]:
        """What it replaced, where it was learned, and what it names of the project."""
        memory = portrait.detail.memory
        yield from drawing.was_and_is(memory, portrait.links, width, self.glyphs)
        yield from drawing.origin(memory, portrait.root, width, self.glyphs)
        yield from drawing.named(portrait.anchors, width, self.glyphs)

    def _fill_kept(self, rule: RuleKept | None, breaches: tuple[Breach, ...]) -> None:
        section = self.query_one("#kept", PageSection)
        section.display = rule is not None
        if rule is not None:
            section.fill(
                lambda width: list(drawing.kept(rule, breaches, width, self.glyphs)),
                drawing.how_kept(rule),
            )

    def _fill(self, name: str, draw: Callable[[int], Iterable[StyledLine]], note: str = "") -> None:
        self.query_one(f"#{name}", PageSection).fill(lambda width: list(draw(width)), note)

    def _show_heading(self) -> None:
        if self.portrait is not None:
            memory, width = self.portrait.detail.memory, max(20, self.app.size.width - 2)
            lines = drawing.heading(memory, self.kinds, self.glyphs, self._position(), width)
            self.heading.update(content(lines))

    def on_resize(self) -> None:
        self._show_heading()

    def _code(self, linked: tuple[LinkedCode, ...], width: int) -> Drawn:
        paint = self.query_one("#code", PageSection).paint()
        lines: list[StyledLine | Strip] = []
        for code in linked:
            lines.append(drawing.code_location(code, width, self.glyphs))
            text = code.memory.content
            lines += markdown.code(text, code.path, code.first, width, paint, self.glyphs)
        return lines

    # --- acting

    def current(self) -> tuple[Key | None, Memory | None]:
        portrait = self.portrait
        return (None, None) if portrait is None else (portrait.key, portrait.detail.memory)

    def action_pick(self) -> None:
        section = self.sections.section
        if section is None or not section.targets:
            self.say(
                "There is nothing to follow here. Links and sources can be followed.", warns=True
            )
        else:
            section.choose()

    def action_answer(self, answer: str) -> None:
        """Keep what is suggested or in quarantine, or discard it, as the inbox does."""
        memory = self.current()[1]
        if memory is None or memory.status not in ADMITS:
            self.say("This waits for no answer.", warns=True)
        else:
            one = inbox_actions.WaitingMemory(memory, None)
            self.changes.do(
                lambda stores: inbox_actions.judge(stores, one, "", keep=answer == "yes")
            )

    def action_source(self) -> None:
        """Show the turn that the source at the cursor names, or the first source."""
        section, portrait = self.sections.section, self.portrait
        if portrait is not None:
            index = section.target if section is not None and section.id == "from" else 0
            self.context.go("turn", portrait.detail.memory, index)

    @on(PageSection.Chosen)
    def _follow(self, event: PageSection.Chosen) -> None:
        portrait = self.portrait
        if portrait is None:
            return
        if event.section.id == "links":
            key = portrait.link_keys.get(portrait.links[event.target].memory.id)
            if key is not None:
                self.context.go("detail", key)
        elif event.section.id == "from":
            self.context.go("turn", portrait.detail.memory, event.target)
        elif event.section.id == "kept":
            self.context.go("turn", portrait.detail.memory, 0, event.target)

    # --- along the list that it was opened from

    def _position(self) -> str:
        """Where the memory is in the list: `3 of 23`; "" where it is not of one."""
        below, index = self._place()
        return "" if below is None else f"{index + 1:,} of {below.count():,}"

    def _place(self) -> tuple[MemoryList | None, int]:
        """The list of the screen below that has the memory, and where."""
        stack = self.app.screen_stack
        at = stack.index(self) if self in stack else 0
        below = next(iter(stack[at - 1].query(MemoryList)), None) if at else None
        index = None if below is None else below.rows.index_of(self.key)
        return (None, 0) if index is None else (below, index)

    def action_step(self, step: int) -> None:
        below, index = self._place()
        if below is None:
            self.say("It was not opened from the list, so there is no next one.", warns=True)
        elif not 0 <= index + step < below.count():
            self.say("This is the end of the list.", warns=True)
        else:
            below.cursor = index + step
            self.memory_id, self._looked, self.key = "", False, below.rows.order[index + step]
            self.sections.reset()
            self.load()


# --- the turn that it came from


class TurnScreen(StoreScreen):
    """Where a memory came from, where a rule was broken, or where something was said again."""

    PLACE = "turn"
    BINDINGS = [*keymap.bindings("moving")]
    AUTO_FOCUS = "TurnPane"

    def __init__(self, of: Memory | Repeat, source: int = 0, breach: int = 0) -> None:
        super().__init__()
        self.of = of
        self.source = source
        """Which of a memory's sources, counted from 0."""
        self.breach = breach
        """Which breach of the rule is shown instead, counted from 1; 0 for none."""

    def body(self) -> ComposeResult:
        yield TurnPane()

    def load(self) -> None:
        self.fetch(
            partial(actions.turn, of=self.of, index=self.source, breach=self.breach),
            self._read,
            group="turn",
            what="Reading the transcript",
        )

    def _read(self, turn: Turn) -> None:
        self.show_notice(False)
        pane = self.query_one(TurnPane)
        if isinstance(self.of, Repeat):
            what, title = "you said it", self.of.said
        else:
            what = "the rule was broken" if self.breach else "the memory came from"
            title = self.of.title
        pane.border_title = self.glyphs.line(title)
        pane.show_turn(turn, what)

    def action_pick(self) -> None:
        """Read the whole session, at this message."""
        source = self.of.source
        if isinstance(self.of, Memory) and self.of.sources and not self.breach:
            source = self.of.sources[self.source]
        if source.session:
            self.context.go("conversation", source.session, 0, source.message)
        else:
            self.say("This does not come from a session.", warns=True)

    def failed(self, failed: Failed) -> None:
        super().failed(failed)
        if not failed.unusable:
            self.show_notice(True)
            steps = [(self.context.keymap.first("move.back"), "go back")]
            self.notice.warn("There is no turn to show", failed.reason, steps)
