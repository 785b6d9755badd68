"""Today: what was learned, what waits, how the rules were kept, and what the next session gets."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from typing import cast

from rich.cells import cell_len
from textual import getters, on
from textual.app import ComposeResult
from textual.content import Content

from cortex_core.base import text
from cortex_core.records.kept_rules import Repeat, RuleKept
from cortex_core.records.memory import Key, Memory
from cortex_core.records.reviews import QueuedProposal
from cortex_core.records.surfaces import SurfaceLine
from cortex_tui import keymap
from cortex_tui.actions import inbox_actions
from cortex_tui.actions import today_actions as actions
from cortex_tui.actions.inbox_actions import WaitingMemory
from cortex_tui.actions.today_actions import Today, TodayThing
from cortex_tui.lists.cursor_list import LineList, ListLine
from cortex_tui.queries import Done
from cortex_tui.screens.base import TALL, StoreScreen
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets.lines import bar, fit, whose
from cortex_tui.widgets.proposal import accepted, rule

FEW, MANY = 3, 6
"""Lines of each part, where the screen is short and where it is tall."""
BAR = 12
"""Cells of the bar of a rule."""


Things = list[tuple[Hashable, TodayThing]]
"""Lines by their keys, in their order."""


def _blank(width: int) -> Content:
    return Content()


def _quiet(words: str, width: int) -> Content:
    return Content.styled(words, "$muted").truncate(width)


class TodayScreen(StoreScreen):
    """The page of today."""

    NAME = PLACE = TAB = "today"
    SUBJECT = "The page of today"
    BINDINGS = [*keymap.bindings("page"), *keymap.bindings("today"), *keymap.bindings("days")]
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "today.tcss"]
    AUTO_FOCUS = ""

    lines = getters.query_one(LineList)

    def __init__(self) -> None:
        super().__init__()
        self.today: Today | None = None
        self.things: dict[Hashable, TodayThing] = {}
        """What each line is about, by its key."""

    def body(self) -> ComposeResult:
        yield LineList(self.glyphs)

    # --- what is listed

    def load(self) -> None:
        self.fetch(actions.read_today, self._show, group="today", what="Reading what is new")

    def start(self) -> None:
        self.lines.show([ListLine(None, partial(_quiet, "Reading …"))])
        super().start()

    def _show(self, today: Today) -> None:
        self.today, self.revision = today, today.revision
        self.things = {}
        self.lines.show(list(self._parts(today)), self.lines.key)

    def _parts(self, today: Today) -> Iterator[ListLine]:
        """The parts of the page, each with a heading that says how much there is."""
        # Learned memories have keys of their own, since a proposal's is a scope and a number too.
        most = MANY if self.app.size.height >= TALL else FEW
        inbox = today.inbox
        waiting: Things = [*inbox.proposals.items(), *inbox.memories.items()]
        learned: Things = [(("learned", key), one) for key, one in today.learned.items()]
        rules: Things = [(f"rule {one.memory.id}", one) for one in today.rules]
        given: Things = [(f"line {one.id}", one) for one in today.surface.lines]
        gets = f"The next session gets {today.surface.tokens:,} of {today.surface.budget:,} tokens"
        parts: tuple[tuple[str, Things, str], ...] = (
            (f"Learned {today.span}", learned, "Nothing was learned in 30 days."),
            (f"{len(waiting):,} waiting for you", waiting, "Nothing waits for you."),
            ("Kept and broken", [*today.again.items(), *rules], "No rule had an occasion yet."),
            (gets, given, "Nothing would be given at a session's start."),
        )
        for number, (title, things, nothing) in enumerate(parts):
            if number:
                yield ListLine(None, _blank)
            yield ListLine(None, partial(rule, title, glyphs=self.glyphs))
            for key, thing in things[:most]:
                self.things[key] = thing
                yield ListLine(key, partial(self._line, thing))
            if not things:
                yield ListLine(None, partial(_quiet, nothing))
            elif len(things) > most:
                yield ListLine(None, partial(_quiet, f"{len(things) - most:,} more"))

    def _line(self, thing: TodayThing, width: int) -> Content:
        glyphs, now = self.glyphs, self.context.now
        signs = glyphs.signs
        match thing:
            case Memory():
                end = f"{thing.kind}  {text.ago(thing.created, now)}"
                return self._cells(whose(thing, glyphs), thing.title, end, width)
            case WaitingMemory(memory, _):
                held = memory.status == "quarantined"
                sign = signs.status["quarantined"] if held else signs.asks
                return self._cells(sign, memory.title, memory.kind, width)
            case QueuedProposal():
                sign = signs.against if thing.type == "supersede" else signs.merge
                return self._cells(sign, thing.title, thing.type, width)
            case Repeat():
                return self._cells(signs.again, thing.said, "said again", width)
            case RuleKept():
                share = bar(thing.kept / thing.occasions, glyphs, BAR)
                end = f"{share} {thing.kept:,} of {thing.occasions:,}"
                return self._cells(signs.dot, thing.memory.title, end, width)
            case SurfaceLine():
                words = thing.text.removeprefix("- ")
                return self._cells(signs.arrow, words, f"{thing.tokens:,}", width)

    def _cells(self, sign: str, words: str, end: str, width: int) -> Content:
        end = self.glyphs.line(end.replace("_", " "))
        room = max(1, width - cell_len(end) - 4)
        shown = fit(self.glyphs.line(words), room, self.glyphs.signs.ellipsis)
        blanks = " " * (room - cell_len(shown) + 2)
        return Content.assemble((f"{sign} ", "$text-accent"), shown, blanks, (end, "$muted"))

    # --- what the keys do

    def _thing(self) -> TodayThing | None:
        """What the cursor is on; None after having said that there is nothing."""
        thing = self.things.get(self.lines.key)
        if thing is None:
            self.say("There is nothing under the cursor.", warns=True)
        return thing

    @on(LineList.Highlighted)
    def _highlighted(self) -> None:
        waits = isinstance(self.things.get(self.lines.key), WaitingMemory | QueuedProposal)
        self.hints.disabled_keys = frozenset(() if waits else ("today.yes", "today.no"))

    @on(LineList.Picked)
    def action_pick(self) -> None:
        """Go to where the thing at hand is shown whole."""
        key, thing = self.lines.key, self._thing()
        match thing:
            case Memory():
                self.context.go("detail", cast("tuple[str, Key]", key)[1])
            case WaitingMemory() | QueuedProposal():
                self.context.go("inbox")
            case Repeat():
                self.context.go("inbox")
            case RuleKept(memory=memory):
                self.fetch(
                    lambda stores: stores.cortex.memories.keys_of([memory.id])[memory.id],
                    partial(self.context.go, "detail"),
                    group="open-memory",
                    what="Opening the rule",
                )
            case SurfaceLine():
                self.context.go("surface")

    def action_answer(self, answer: str) -> None:
        """Answer what waits: yes does what the inbox suggests, no discards it or leaves both."""
        thing = self._thing()
        if isinstance(thing, WaitingMemory):
            self.changes.do(
                lambda stores: inbox_actions.judge(stores, thing, "", keep=answer == "yes")
            )
        elif isinstance(thing, QueuedProposal):
            self.changes.do(lambda stores: _decide(stores, thing, yes=answer == "yes"))
        elif thing is not None:
            self.say("This waits for no answer.", warns=True)

    def action_source(self) -> None:
        """Show the turn in which it was said."""
        thing = self._thing()
        if isinstance(thing, WaitingMemory | RuleKept):
            self.context.go("turn", thing.memory)
        elif isinstance(thing, Memory | Repeat):
            self.context.go("turn", thing)
        elif thing is not None:
            self.say("This was said in no session of yours.", warns=True)

    def action_move(self, step: int) -> None:
        self.lines.move(step)


def _decide(stores: StoreSession, thing: QueuedProposal, *, yes: bool) -> Done:
    """Do with a proposal what is suggested, or leave both memories in force."""
    review = stores.cortex.review.get(thing.number, thing.scope)
    verdict = accepted(review, edited=False) if yes else "distinct"
    return inbox_actions.decide(stores, review, verdict)
