"""Today: what was learned, what waits, how the rules were kept, and what the next session gets."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from cortex_core.base import text
from cortex_core.records.kept_rules import Repeat, RuleKept
from cortex_core.records.memory import Key, Memory
from cortex_core.records.reviews import QueuedProposal
from cortex_core.records.surfaces import SurfaceLine
from cortex_tui import keymap
from cortex_tui.actions import inbox_actions, today_actions as actions
from cortex_tui.actions.inbox_actions import WaitingMemory
from cortex_tui.actions.today_actions import Ahead, Today, TodayThing, Waits
from cortex_tui.glyphs import Glyphs
from cortex_tui.lists.cursor_list import LineList, ListLine, PickList, quiet_line
from cortex_tui.queries import Done
from cortex_tui.screens.base import TALL, StoreScreen
from cortex_tui.screens.panes import OriginPane
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets.frame import NO_LABELS
from cortex_tui.widgets.lines import QUIET_DAYS, asked, bar, blocks, hue_of, row_line, whose

if TYPE_CHECKING:
    from cortex_core.records.captures import Figures

FRAMED = 24
"""Lines from which there is room for a frame around the weeks."""
BAR = 6
"""Cells of the bar of a rule."""
HOLDS = {"answer.yes": "it holds", "answer.no": "forget"}
ANSWERS: Mapping[type, Mapping[str, str]] = {
    WaitingMemory: {"answer.yes": "keep", "answer.no": "discard"},
    QueuedProposal: {"answer.yes": "yes", "answer.no": "no"},
    Memory: HOLDS,
    RuleKept: HOLDS,
    Repeat: {"answer.yes": "repair"},
    SurfaceLine: {"answer.no": "not at start"},
}
"""What each answer does to each kind of line."""
Things = Sequence[tuple[Hashable, TodayThing]]
"""Lines by their keys, in their order."""


class Weeks(Static):
    """What happened in the last weeks, in a line."""

    BORDER_TITLE = "Twelve weeks"


class TodayBox(PickList):
    """One of the boxes: a frame with some lines, each of which can be opened."""

    def __init__(self, glyphs: Glyphs, name: str, title: str) -> None:
        super().__init__(glyphs)
        self.id, self.border_title = name, title
        self.things: dict[Hashable, TodayThing] = {}
        """What each line is about, by its key."""

    @property
    def thing(self) -> TodayThing | None:
        """What the cursor is on."""
        return self.things.get(self.key)

    def action_move(self, step: int) -> None:
        """Move the cursor; from the last line on into the next box."""
        before = self.cursor
        self.move(step)
        if self.cursor == before and abs(step) == 1:
            go = self.screen.focus_next if step > 0 else self.screen.focus_previous
            go(TodayBox)


class TodayScreen(StoreScreen):
    """The page of today: four boxes and what happened in the last weeks."""

    NAME = PLACE = TAB = "today"
    SUBJECT = "The page of today"
    BINDINGS = [*keymap.bindings("today")]
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "today.tcss"]
    AUTO_FOCUS = "#learned"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (FRAMED, "-short"), (TALL, "-tall")]

    def __init__(self) -> None:
        super().__init__()
        self._is_empty, self._is_trusted = False, True

    def body(self) -> ComposeResult:
        yield Weeks(id="weeks", markup=False)  # first: it takes its place from all boxes
        yield OriginPane()
        yield TodayBox(self.glyphs, "learned", "Learned")
        yield TodayBox(self.glyphs, "waiting", "Waiting for you")
        yield TodayBox(self.glyphs, "rules", "Kept and broken")
        yield TodayBox(self.glyphs, "next", "Next session gets")

    # --- what is listed

    def start(self) -> None:
        self.load()  # the status is asked for after what is shown first

    def load(self) -> None:
        self.fetch(actions.read_today, self._show, group="today", what="Reading what is new")

    def _show(self, today: Today) -> None:
        self.revision = today.revision
        self._is_empty, self._is_trusted = today.is_empty, today.is_trusted
        learned = [(("learned", key), one) for key, one in today.learned.items()]
        self._fill("learned", f"Learned {today.span}", learned, "Nothing was learned yet.")
        # What is shown first waits for nothing else: the surface and the status take longest.
        self.call_after_refresh(
            self.fetch,
            actions.read_waiting,
            self._show_waiting,
            group="waiting",
            what="Reading what waits",
        )

    def _show_waiting(self, waits: Waits) -> None:
        title = f"Waiting for you {self.glyphs.signs.between} {len(waits):,}"
        self._fill("waiting", title, list(waits.items()), "Nothing waits for you.")
        is_empty = self._is_empty and not waits
        self.show_notice(is_empty)
        if is_empty:
            self._say_why_empty()
        else:
            # The notice was in the place of the boxes, none of which had the keyboard.
            self.set_focus(self.focused or self.box)
            self.fetch(
                actions.read_ahead, self._show_ahead, group="ahead", what="Reading what comes"
            )
        if self.strip.status is None:
            self.fetch(
                actions.sessions_to_begin_with,
                self._read_past,
                group="past",
                what="Looking for past sessions",
            )
            self.pulse()

    def _say_why_empty(self) -> None:
        """Say in place of the boxes why they are empty, and what to do."""
        first = self.context.keymap.first
        if not self._is_trusted:
            self.notice.inform(
                "This project's memories came from elsewhere and are not read.",
                [
                    ("cortex trust", "trust them, if you know what is in them"),
                    (first("page.refresh"), "read again after that"),
                    (first("go.settings"), "settings: Health has the same, under trust"),
                    (first("app.help"), "every key"),
                ],
            )
            return
        self.notice.inform(
            "Nothing is remembered here yet.",
            [
                (first("page.learn"), "learn from this project's past sessions, after a preview"),
                (first("page.connect"), "connect Claude Code, so that each session is read"),
                (first("go.sessions"), "search what was said in past sessions"),
                (first("go.memories"), "go to the memories, where you can write one"),
                (first("app.help"), "every key"),
            ],
        )

    def _read_past(self, there_are: bool) -> None:
        """Read the past sessions of a project of which nothing was ever remembered."""
        if there_are and not self.jobs.at_work:
            self.context.action_job("learn_first")

    def _show_ahead(self, ahead: Ahead) -> None:
        again: Things = list(ahead.again.items())
        rules: Things = [(f"rule {one.memory.id}", one) for one in ahead.rules]
        self._fill("rules", "Kept and broken", [*again, *rules], "No rule had an occasion yet.")
        given: Things = [(f"line {one.id}", one) for one in ahead.surface.lines]
        used, between = f"{ahead.surface.tokens:,}", self.glyphs.signs.between
        title = f"Next session gets {between} {used} of {ahead.surface.budget:,} tokens"
        self._fill("next", title, given, "Nothing would be given at a session's start.")
        self.share_out()
        drawn = 8 if self.has_class("-narrow") else len(ahead.figures.periods)
        self.query_one("#weeks", Static).update(
            weeks(ahead.figures, ahead.held, self.glyphs, drawn)
        )

    def _fill(self, name: str, title: str, things: Things, nothing: str) -> None:
        box = self.query_one(f"#{name}", TodayBox)
        box.things, box.border_title = dict(things), title
        lines = [ListLine(key, partial(self._line, thing), wraps=True) for key, thing in things]
        # What is new comes first: a box that nobody was in is read from there.
        box.show(lines or [quiet_line(nothing)], box.key if box.has_focus or box.cursor else None)

    def share_out(self) -> None:
        """Give each box the lines that it needs, and where there are not as many, no box more than
        another that has too few. The last box of the column has what is left."""
        page = self.query_one("#page").size.height - self.query_one("#weeks").outer_size.height
        column = [*self.query(TodayBox)]
        *others, last = column if self.has_class("-narrow") else column[:-1]
        needs = [box.laid_in(page)[-1] + box.gutter.height for box in (*others, last)]
        most = page
        while most and sum(min(one, most) for one in needs) > page:
            most -= 1
        for box, need in zip(others, needs, strict=False):
            box.styles.height = min(need, most)
        last.styles.height = "1fr"

    def on_resize(self) -> None:
        if self.query_one("#next", TodayBox).lines:
            self.call_after_refresh(self.share_out)

    def _line(self, thing: TodayThing, width: int, most: int = 1) -> Content:
        glyphs, hue = self.glyphs, "$text-accent"
        signs, kinds = glyphs.signs, self.context.config.kinds
        match thing:
            case Memory():
                end = f"{thing.kind}  {text.ago(thing.created, self.context.now)}"
                row, hue = (whose(thing, glyphs), thing.title, end), hue_of(thing.kind)
            case WaitingMemory(memory, _):
                held = memory.status == "quarantined"
                sign = signs.status["quarantined"] if held else signs.asks
                row = sign, memory.title, memory.kind
            case QueuedProposal():
                row = asked(thing, glyphs)
            case Repeat():
                row = signs.again, thing.said, "said again"
            case RuleKept():
                share = bar(thing.kept / thing.occasions, glyphs, BAR)
                end = f"{share} {thing.kept:,} of {thing.occasions:,}"
                row = signs.dot, thing.memory.title, end
            case SurfaceLine():
                words = thing.text.removeprefix("- ").removesuffix(f" [{thing.id[:8]}]")
                row = glyphs.kind(kinds.known(thing.kind)), words, f"{thing.tokens:,}"
                hue = hue_of(thing.kind)
        return row_line(row, "", glyphs, width, most, hue)

    # --- what the keys do

    @property
    def box(self) -> TodayBox:
        """The box with the keyboard."""
        focused = self.focused
        return focused if isinstance(focused, TodayBox) else self.query_one("#learned", TodayBox)

    def _thing(self) -> TodayThing | None:
        """What the cursor is on; None after having said that there is nothing."""
        thing = self.box.thing
        if thing is None:
            self.say("There is nothing under the cursor.", warns=True)
        return thing

    @on(LineList.Highlighted)
    def _highlighted(self) -> None:
        thing = self.box.thing
        self.hints.labels = ANSWERS.get(type(thing), NO_LABELS)
        self.hints.hidden_keys = frozenset(
            {"answer.yes", "answer.no", "move.back"} - self.hints.labels.keys()
        )
        nothing = ("move.open", "memory.source") if thing is None else ()
        self.hints.disabled_keys = frozenset(nothing)
        self.query_one(OriginPane).follow(thing)

    @on(LineList.Picked)
    def action_pick(self) -> None:
        """Go to where the thing at hand is shown whole."""
        key, thing = self.box.key, self._thing()
        match thing:
            case Memory():
                self.context.go("detail", cast("tuple[str, Key]", key)[1])
            case WaitingMemory() | QueuedProposal() | Repeat():
                self.context.action_go("inbox", key)
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
        """Answer the line at hand: what waits as the inbox does, of what was learned whether it
        holds, of what comes that it does not belong there."""
        thing, yes = self._thing(), answer == "yes"
        match thing:
            case WaitingMemory():
                self.changes.do(lambda stores: inbox_actions.judge(stores, thing, "", keep=yes))
            case QueuedProposal():
                self.changes.do(lambda stores: _decide(stores, thing, yes=yes))
            case Memory() | RuleKept(memory=Memory()):
                memory = thing if isinstance(thing, Memory) else thing.memory
                self.changes.do(lambda stores: actions.answer(stores, memory, holds=yes))
            case Repeat() if yes:
                self.context.action_go("inbox", self.box.key)
            case SurfaceLine(id=name) if not yes:
                self.changes.do(lambda stores: actions.leave_out(stores, name))
            case _ if thing is not None:
                self.say("This key does nothing to what is under the cursor.", warns=True)

    def action_source(self) -> None:
        """Show the turn in which it was said."""
        thing = self._thing()
        of = getattr(thing, "memory", thing)
        if isinstance(of, Memory | Repeat):
            self.context.go("turn", of)
        elif thing is not None:
            self.say("This was said in no session of yours.", warns=True)


def _decide(stores: StoreSession, thing: QueuedProposal, *, yes: bool) -> Done:
    """Do with a proposal what is suggested, or leave both memories in force."""
    from cortex_tui.widgets.proposal import accepted  # loaded when the first is answered

    review = stores.cortex.review.get(thing.number, thing.scope)
    verdict = accepted(review, edited=False) if yes else "distinct"
    return inbox_actions.decide(stores, review, verdict)


def weeks(figures: Figures, held: Sequence[float], glyphs: Glyphs, drawn: int) -> Content:
    """What happened in the last weeks: sessions, what was learned in them, what was used; the last
    `drawn` of them are drawn. `held`: when each session began."""
    periods = figures.periods
    # A session counts when it was held, as in the list of sessions, and not when it was read.
    starts = [one.start for one in periods]
    began = Counter(bisect(starts, moment) - 1 for moment in held)
    pieces, quiet = [], QUIET_DAYS[glyphs.ascii_only]
    for name, values in (
        ("sessions", [began[week] for week in range(len(periods))]),
        ("learned", [one.learned for one in periods]),
    ):
        most = max(values, default=0)
        shares = [value / most if value else None for value in values]
        pieces.append(
            Content.assemble(
                (f"{name} ", "$muted"),
                (blocks(shares[-drawn:], glyphs).replace(" ", quiet), "$text-accent"),
                f" {sum(values):,}",
            )
        )
    cost = sum(one.cost for one in periods)
    sums = (
        ("given ", f"{sum(one.injected for one in periods):,}"),
        ("used ", f"{sum(one.used for one in periods):,}"),
        ("cost ", f"${cost:,.2f}" if cost else "$0"),
    )
    pieces += [Content.assemble((name, "$muted"), total) for name, total in sums]
    return Content("  ").join(pieces)
