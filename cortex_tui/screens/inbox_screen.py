"""The inbox: all that waits for a decision in one list, with the same keys for every kind."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from cortex_core.base import text
from cortex_core.records.kept_rules import Repeat
from cortex_core.records.reviews import ConsolidationReport
from cortex_tui import keymap
from cortex_tui.actions import inbox_actions as actions, requests_actions
from cortex_tui.actions.detail_actions import Spoken
from cortex_tui.actions.inbox_actions import Decided, Inbox, ProposalKey
from cortex_tui.actions.requests_actions import Waiting
from cortex_tui.context import Failed
from cortex_tui.lists.cursor_list import LineList, ListLine
from cortex_tui.queries import Done, Pulse
from cortex_tui.screens.base import TALL, WIDE, Progress
from cortex_tui.screens.dialogs import CleanText, Confirm
from cortex_tui.screens.inbox_sources import (
    Answer,
    AnsweringScreen,
    InboxSource,
    MemoryQuestions,
    ProblemQuestions,
    ProposalQuestions,
    RepeatQuestions,
    TeamRequests,
)
from cortex_tui.screens.panes import OriginPane
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets import proposal
from cortex_tui.widgets.lines import row_line
from cortex_tui.widgets.proposal import MergeView, ResultView

BESIDE = 120
"""Columns from which the list is next to what is judged."""
ANSWERS = ("answer.yes", "answer.no", "memory.edit", "answer.left", "answer.right")
"""The keys that decide, in the order in which they are explained."""
OTHERS = ("move.open", "move.next", "move.previous", "memory.source")
"""The other keys that need something to judge."""


class EditedWords(CleanText):
    """The words of what is judged, while the user edits them in their place."""

    BINDINGS = [*keymap.bindings("words")]
    TYPES = "words"

    class Written(Message):
        """The user has finished."""

    def action_save(self) -> None:
        self.post_message(self.Written())

    def action_back(self) -> None:
        self.action_save()


class InboxScreen(AnsweringScreen):
    """What waits for a decision."""

    NAME = PLACE = TAB = "inbox"
    SUBJECT = "The inbox"
    BINDINGS = [*keymap.bindings("inbox"), *keymap.bindings("moving")]
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "inbox.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (BESIDE, "-beside")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]
    AUTO_FOCUS = ""

    lines = getters.query_one(LineList)
    view = getters.query_one("MergeView", MergeView)
    result = getters.query_one(ResultView)
    area = getters.query_one(EditedWords)

    def __init__(self) -> None:
        super().__init__()
        self.problems, self.requests = ProblemQuestions(self), TeamRequests(self)
        self.proposals, self.memories = ProposalQuestions(self), MemoryQuestions(self)
        self.repeats = RepeatQuestions(self)
        self.sources: tuple[InboxSource, ...] = (
            self.problems,
            self.requests,
            self.proposals,
            self.memories,
            self.repeats,
        )
        self._decided_last: Hashable = None
        self._wanted: Hashable = None
        """What the cursor goes to as soon as it is listed."""
        self._writing: Hashable = None
        """What the user words at the moment."""

    def body(self) -> ComposeResult:
        yield LineList(self.glyphs)
        yield OriginPane()
        with Vertical(id="question"):
            yield Static(id="head", markup=False)
            yield MergeView()
            yield ResultView()
            words = EditedWords(soft_wrap=True, compact=True)
            words.border_title = "Your words"
            yield words
            choices = Static(id="choices", markup=False)
            choices.auto_links = False  # which would give keys and words one colour
            choices.border_title = "Decide"
            yield choices

    def foot(self) -> ComposeResult:
        yield Static(id="team", markup=False)

    # --- the list

    def start(self) -> None:
        self.show_notice(True)
        self.notice.inform("Reading what waits …")
        super().start()
        self._ask_others()

    def load(self) -> None:
        known = list(self.proposals.items)
        self.fetch(
            lambda stores: actions.read_inbox(stores, known),
            self.show_inbox,
            group="inbox",
            what="Reading what waits",
        )

    def _ask_others(self) -> None:
        """Ask what takes longer: the hub of the team, and what had to be said again."""
        self.fetch(
            requests_actions.waiting,
            self._requests_came,
            group="team",
            what="Asking the hub of the team",
        )
        self.fetch(
            actions.said_again,
            self._repeats_came,
            group="again",
            what="Looking for what had to be said again",
        )

    def show_part(self, part: Hashable) -> None:
        """Put the cursor on what is known by `part`, at once or as soon as it is listed."""
        self._wanted = part
        self._show_again()

    def show_inbox(self, inbox: Inbox) -> None:
        """Show what waits, and what was decided here."""
        before, was = self.lines.key, {key for one in self.sources for key in one.decided}
        self.revision = inbox.revision
        self.proposals.read(inbox)
        self.memories.take(inbox.memories)
        back = [key for key in was if key in self._keys() and not self._word(key)]
        keep = back[0] if back else before
        if keep is not None and keep == self._decided_last and self._word(keep):
            keep = self._following(keep) or keep
        self._decided_last = None
        self._show_list(keep)

    def _requests_came(self, waiting: Waiting) -> None:
        why, foot = self.requests.came(waiting), self.query_one("#team", Static)
        foot.display = bool(why)
        foot.update(Content.styled(f"{self.glyphs.signs.warning} {why}", "$text-warning"))
        self._show_again()

    def _repeats_came(self, cases: Mapping[str, Repeat]) -> None:
        self.repeats.take(cases)
        self._show_again()

    def beat(self, pulse: Pulse) -> None:
        if pulse.status is not None:
            self.problems.found(pulse.status)
            self._show_again()
        super().beat(pulse)

    def _show_again(self) -> None:
        """Show the list with what has come, once there is one."""
        if self.revision is not None or self.requests.items:
            self._show_list(self.lines.key)

    def _show_list(self, keep: Hashable) -> None:
        keys = self._keys()
        if self._wanted in keys:
            keep, self._wanted = self._wanted, None
        self.show_notice(not keys)
        if not keys:
            self.notice.inform(*proposal.nothing(self.context.keymap))
            self.hints.disabled_keys = frozenset((*ANSWERS, *OTHERS))
        undecided = [key for key in keys if not self._word(key)]
        # The tab counts what waits in the stores: the rest takes longer to find.
        waiting = sum(self._source(key) in (self.proposals, self.memories) for key in undecided)
        more = len(undecided) - waiting
        title = f"{waiting:,} wait{'s' if waiting == 1 else ''}"
        self.lines.border_title = f"{title} and {more:,} to look at" if more else title
        self.lines.show([ListLine(key, partial(self._line, key), wraps=True) for key in keys], keep)

    def _line(self, key: Hashable, width: int, most: int = 1) -> Content:
        row = self._source(key).row(key)
        return row_line(row, self._word(key), self.glyphs, width, most)

    def _keys(self) -> list[Hashable]:
        """What is in the list, in its order."""
        return [key for source in self.sources for key in source.items]

    def _source(self, key: Hashable) -> InboxSource:
        return next(source for source in self.sources if key in source.items)

    def _word(self, key: Hashable) -> str:
        """What became of it; "" while it is open."""
        return next((one.decided[key] for one in self.sources if key in one.decided), "")

    def _following(self, key: Hashable, step: int = 1) -> Hashable:
        """The next to judge after `key`, or before it, the search beginning again at the end."""
        keys = self._keys()[::step]
        at = keys.index(key) if key in keys else -1
        rest = [*keys[at + 1 :], *keys[: max(0, at)]]
        return next((one for one in rest if not self._word(one)), None)

    # --- what is judged

    @on(LineList.Highlighted)
    def _highlighted(self) -> None:
        key = self.lines.key
        if self._writing is not None and self._writing != key:
            self._written()
        self.show_question()
        of = None if key is None else self._source(key).items[key]
        self.query_one(OriginPane).follow(of if isinstance(of, Spoken) else None)
        if isinstance(key, ProposalKey):
            self.proposals.fetch(key, self.show_question)

    def show_question(self) -> None:
        """Show what is under the cursor, and what each key does to it."""
        key = self.lines.key
        if key is None:
            return
        source, word = self._source(key), self._word(key)
        what, *head = source.head(key) or [Content()]
        waiting = [one for one in self._keys() if not self._word(one)]
        self.query_one("#question").border_title = (
            Content(self.glyphs.line(word) or f"{waiting.index(key) + 1} of {len(waiting)}") + what
        )
        self.query_one("#head", Static).update(Content("\n").join(head))
        self.query_one("#head").display = bool(head)
        self.view.show(key, partial(self._judged, key))
        is_merge = isinstance(key, ProposalKey)
        is_written = self._writing is not None
        has_result = is_merge or self._is_edited(key)
        self.result.display = not is_written and has_result and any(self._result(key, WIDE))
        self.result.show(key, partial(self._result, key))
        self._show_choices(source, key)

    def _judged(self, key: Hashable, width: int) -> Iterable[Content]:
        """What is to be judged; nothing where it has left the list, which the view learns last."""
        source = next((one for one in self.sources if key in one.items), None)
        return () if source is None else source.lines(key, width)

    def _result(self, key: Hashable, width: int) -> Iterable[Content]:
        """The words that yes would keep: a merge's, or the user's own."""
        words = self.draft(key) or ""
        if isinstance(key, ProposalKey):
            return self.proposals.result(key, words, width)
        return proposal.result_lines(words, "your words", width, self.glyphs)

    def _show_choices(self, source: InboxSource, key: Hashable) -> None:
        choices, word = source.choices(key), self._word(key)
        shown = [*source.notes(key)]
        shown += proposal.explained(
            choices, self.context.keymap, ANSWERS, brief=self.has_class("-short")
        )
        foot = self.query_one("#choices", Static)
        foot.display = bool(choices) and not word and self._writing is None
        foot.update(Content("\n").join(shown))
        labels = {name: does[0] for name, does in choices.items()}
        if self._is_edited(key):
            labels["move.open"] = labels.get("answer.yes", "apply")
        self.hints.labels = labels
        hidden = [one for one in ANSWERS if choices and one not in choices]
        self.hints.hidden_keys = frozenset((*hidden, "list.search"))
        self.hints.disabled_keys = frozenset(ANSWERS if word else ())

    # --- decisions

    def action_answer(self, answer: Answer) -> None:
        """Carry out an answer on what is under the cursor, or say why not."""
        key = self.lines.key
        if key is None:
            self.say("Nothing waits here.", warns=True)
            return
        source, word = self._source(key), self._word(key)
        choices = source.choices(key)
        if word:
            self.say(f"It is decided: {word}. Undo here takes it back.", warns=True)
        elif choices and f"answer.{answer}" not in choices:
            self.say("This key does nothing to what is under the cursor.", warns=True)
        else:
            source.decide(key, answer, self.draft(key) or "")

    def action_pick(self) -> None:
        """Open what is under the cursor: a memory, the turn of what was said again, everything else
        here, over the whole screen; words that were edited are applied."""
        key = self.lines.key
        if key is None or self._is_edited(key):
            self.action_answer("yes")
        elif key in self.memories.items:
            name = str(key)
            self.fetch(
                lambda stores: stores.cortex.memories.keys_of([name])[name],
                partial(self.context.go, "detail"),
                group="open-memory",
                what="Opening the memory",
            )
        elif key in self.repeats.items:
            self.action_source()
        else:
            self.toggle_class("-whole")

    def action_back(self) -> None:
        if self.has_class("-whole"):
            self.remove_class("-whole")
        else:
            super().action_back()

    def _is_edited(self, key: Hashable) -> bool:
        return self.draft(key) is not None and not self._word(key)

    def put_off(self, source: InboxSource, key: Hashable) -> None:
        source.decided[key] = "left"
        self._go_on(key)

    def changed(self, done: Done) -> None:
        self.under_way = max(0, self.under_way - 1)
        key = done.key if isinstance(done, Decided) else None
        self.requests.note_last(key, done.word if isinstance(done, Decided) else "")
        if isinstance(done, Decided):
            if self.stores is not None:
                self.stores.drafts.pop(("inbox.edit", done.key), None)
            # The list may have been read again meanwhile, without what was decided.
            if key in self._keys():
                self._source(key).decided[key] = done.word
                self._go_on(key)
        elif done.verb in ("undo", "redo"):
            self._ask_again()
        super().changed(done)

    def _ask_again(self) -> None:
        """Look again for what was said again: an undo may have taken a repair back."""
        self.repeats.decided = {}
        self.fetch(
            actions.said_again,
            self._repeats_came,
            group="again",
            what="Looking for what had to be said again",
        )

    def _go_on(self, decided: Hashable) -> None:
        """Go to what is next where the cursor is still on what was decided.

        At once: reading thousands of proposals again takes longer than to judge one.
        """
        self._decided_last = decided
        if self.lines.key == decided:
            self._show_list(self._following(decided) or decided)

    def failed(self, failed: Failed) -> None:
        super().failed(failed)
        if self.under_way and not failed.unusable:
            # A refused verdict may have brought the proposal up to date.
            self.under_way -= 1
            self.pulse()

    def action_step(self, step: int) -> None:
        """Decide later: go to the next that waits, or to the previous."""
        key = self.lines.key
        following = self._following(key, step) if key is not None else None
        if following is None:
            self.say("There is nothing else to decide on.", warns=True)
        else:
            self._show_list(following)

    def action_approve_all(self) -> None:
        names = frozenset(key for key in self.proposals.items if not self._word(key))
        self.say("Looking for proposals that are clear …")
        self.fetch(
            lambda stores: actions.clear(stores, names),
            partial(self._mergeable_counted, names),
            group="clear",
            what="Reading the proposals",
        )

    def _mergeable_counted(self, names: frozenset[ProposalKey], count: int) -> None:
        if not count:
            why = "No proposal is clear enough to be merged unseen. Decide on them one by one."
            self.say(why, warns=True)
            return
        left = len(names) - count
        detail = "One undo takes all of it back."
        if left:
            detail = f"{left} with conflicts are left for you to decide one by one. {detail}"
        question = f"Merge {count} of {text.counted(len(names), 'proposal')} shown?"

        def answered(yes: bool | None) -> None:
            if yes:
                self.decide(lambda stores: actions.approve_all(stores, names))

        self.app.push_screen(Confirm(question, detail, yes="merge"), answered)

    def action_undo(self) -> None:
        """Undo the verdict under the cursor if there is one, else the last change; what the team
        approved is taken back for everyone."""
        key, approved = self.lines.key, self.requests.to_revert(self.lines.key)
        name = key if isinstance(key, ProposalKey) and self._word(key) else None
        change = self.proposals.verdicts.get(name) if name is not None else None
        if approved is not None and change is None:
            self.converse(self.requests.revert(approved), "Taking a request back")
        elif name is not None and change is not None:
            self.changes.do(lambda stores: actions.take_back(stores, name, change))
        else:
            super().action_undo()

    # --- other words, in the place of what is judged

    @property
    def leave_first(self) -> Callable[[], None] | None:
        """What quitting the app does while words are being written."""
        return None if self._writing is None else self._written

    def action_edit(self) -> None:
        key = self.lines.key
        if key is None or self._word(key):
            self.action_answer("yes")  # which says why nothing can be done here
            return
        source = self._source(key)
        words = source.words(key)
        if isinstance(source, RepeatQuestions):
            source.choose(str(key))
        elif words is None:
            self.say("Its words cannot be edited here. Nothing was changed.", warns=True)
        else:
            self.area.text = self.draft(key) or words
            self._writing = key
            self.show_question()
            self.set_class(True, "-writing")
            self.area.focus()
            self.area.move_cursor(self.area.document.end)

    @on(EditedWords.Written)
    def _written(self) -> None:
        """Keep what the user wrote; it takes effect with the next yes."""
        key, self._writing = self._writing, None
        written = text.clean(self.area.text)
        self.set_class(False, "-writing")
        self.set_focus(None)
        if self.stores is None:
            return
        if written.strip() and written.strip() != (self._source(key).words(key) or "").strip():
            self.stores.drafts["inbox.edit", key] = written
            yes = self.context.keymap.first("answer.yes")
            self.say(f"{yes} uses your words; nothing is changed until then.")
        else:
            self.stores.drafts.pop(("inbox.edit", key), None)
            self.say("Nothing was changed.")
        self.show_question()

    # --- looking for what says the same, and where it was said

    def action_consolidate(self) -> None:
        def compare(stores: StoreSession, progress: Progress) -> ConsolidationReport:
            stores.check()
            return stores.cortex.consolidate(progress=progress)

        self.jobs.run(
            "Looking for memories that say the same",
            compare,
            self._compared,
            stopped="Stopped. Nothing was proposed.",
        )

    def _compared(self, report: ConsolidationReport) -> None:
        count = len(report.proposed)
        self.say(f"Found {count or 'no'} new {'proposal' if count == 1 else 'proposals'}.")
        self.renew()

    def action_source(self) -> None:
        """Show the turn in which it was said."""
        key = self.lines.key
        of = self._source(key).items[key] if key is not None else None
        if isinstance(key, ProposalKey):
            review = self.proposals.review(key)
            of = max(review.members, key=lambda one: one.created) if review else None
        of = getattr(of, "memory", of) if not isinstance(of, Repeat) else of
        if of is None or isinstance(key, requests_actions.RequestKey) or isinstance(of, str):
            self.say("This was said in no session of yours.", warns=True)
        else:
            self.context.go("turn", of)

    # --- moving

    def action_move(self, step: int) -> None:
        self.lines.move(step)

    def action_page(self, share: float) -> None:
        self.view.page(share)

    def action_refresh(self) -> None:
        """Read again; what is decided leaves the list."""
        # What is open stays listed until it is read, so that every key finds what it acts on.
        for source in self.sources:
            source.items = {
                key: one for key, one in source.items.items() if key not in source.decided
            }
            source.decided = {}
        self.proposals.details = {}
        self._show_again()
        super().action_refresh()
        self._ask_others()
