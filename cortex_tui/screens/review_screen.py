"""The review: proposals to merge and requests of the team, a verdict by one key, its undo."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from cortex_core.base import text
from cortex_core.records.reviews import ConsolidationReport, Review
from cortex_tui import keymap
from cortex_tui.actions import review_actions as actions
from cortex_tui.actions.requests_actions import RequestDecided, RequestKey, Waiting
from cortex_tui.actions.review_actions import (
    DECIDED,
    Decided,
    ProposalDetail,
    ProposalKey,
    Queue,
    QueueItem,
    Verdict,
)
from cortex_tui.context import Failed
from cortex_tui.lists.cursor_list import LineList, ListLine
from cortex_tui.queries import Done, Revision
from cortex_tui.screens.base import TALL, WIDE, StoreScreen
from cortex_tui.screens.dialogs import Confirm, Write
from cortex_tui.screens.jobs import JobLine, JobRunner, Progress
from cortex_tui.screens.requests import TeamLine, TeamRequests
from cortex_tui.session import StoreSession
from cortex_tui.themes import STYLES
from cortex_tui.widgets import proposal, request
from cortex_tui.widgets.frame import NO_LABELS
from cortex_tui.widgets.proposal import MergeView, ResultView, Sheet

if TYPE_CHECKING:
    from cortex_core.records.teams import RequestReview

BROAD = 120
"""Columns from which the queue is next to the proposal."""


class ReviewScreen(StoreScreen):
    """The review."""

    NAME = "review"
    PLACE = "review"
    BINDINGS = [*keymap.bindings("page"), *keymap.bindings("review"), *keymap.bindings("queue")]
    CSS_PATH = [STYLES / "lines.tcss", STYLES / "review.tcss"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide"), (BROAD, "-broad")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]

    lines = getters.query_one(LineList)
    view = getters.query_one("MergeView", MergeView)
    result = getters.query_one(ResultView)

    def __init__(self) -> None:
        super().__init__()
        self.jobs = JobRunner(self)
        self.items: list[QueueItem] = []
        """The queue: what is open, and in its place what was decided since it was read."""
        self.decided: dict[ProposalKey, str] = {}
        """The outcome of each decided proposal."""
        self.details: dict[ProposalKey, ProposalDetail] = {}
        """The proposals as they were last read."""
        self.verdicts: Mapping[ProposalKey, int] = {}
        """The change in its store's journal that decided each of them."""
        self.requests = TeamRequests(self)
        self._decided_last: Hashable = None
        self._under_way = 0

    def body(self) -> ComposeResult:
        queue = LineList(self.glyphs)
        queue.border_title = "Proposals"
        yield queue
        with Vertical(id="proposal"):
            yield Static(id="head", markup=False)
            yield MergeView()
            yield ResultView()
            heir = Static(id="heir", markup=False)
            heir.auto_links = False  # which would give keys and words one colour
            heir.border_title = "Suggested"
            yield heir

    def foot(self) -> ComposeResult:
        yield TeamLine()
        yield JobLine(self.glyphs)

    # --- the queue

    def start(self) -> None:
        self.show_notice(True)
        self.notice.inform("Reading the proposals …")
        super().start()
        self.requests.ask(self._requests_read)

    def load(self) -> None:
        self.fetch(
            lambda stores: actions.queue(stores, [item.name for item in self.items]),
            self.show_queue,
            group="queue",
            what="Reading the proposals",
        )

    def show_queue(self, queue: Queue) -> None:
        """Show the open proposals, and what was decided here."""
        before = self.lines.key
        open_now = {item.name for item in queue.items} - queue.closed.keys()
        self.verdicts = queue.changes
        back = [item.name for item in self.items if item.name in open_now & self.decided.keys()]
        self.revision = queue.revision
        self.decided = {name: self.decided.get(name) or word for name, word in queue.closed.items()}
        self.items = _joined(self.items, queue)
        self.details = {
            name: details for name, details in self.details.items() if name in self.decided
        }
        keep = back[0] if back else before
        if keep is not None and keep == self._decided_last and self._word(keep):
            keep = self._following(keep) or keep
        self._decided_last = None
        self._show_queue(keep)

    def _requests_read(self, waiting: Waiting) -> None:
        self.requests.take(waiting)
        if self.revision is not None or self.requests.reviews:
            self._show_queue(self.lines.key)

    def _show_queue(self, keep: Hashable) -> None:
        """Show the requests of the team, which others wait for, and then the proposals."""
        lines = [
            *self.requests.lines(),
            *(ListLine(item.name, partial(self._line, item)) for item in self.items),
        ]
        self.show_notice(not lines)
        if not lines:
            self.notice.inform(*proposal.nothing(self.context.keymap))
            acts = {key.id for key in keymap.TABLE if key.place == "review"}
            self.hints.disabled_keys = frozenset(acts - {"review.consolidate"})
        self.lines.show(lines, keep)

    def _line(self, item: QueueItem, width: int) -> Content:
        return proposal.queue_line(item, self.decided.get(item.name, ""), self.glyphs, width)

    def _word(self, key: Hashable) -> str:
        """What became of a proposal or request; "" while it is open."""
        if isinstance(key, RequestKey):
            return self.requests.decided.get(key, "")
        return self.decided.get(key, "") if isinstance(key, ProposalKey) else ""

    def _keys(self) -> list[Hashable]:
        """What is in the queue, in its order."""
        return [*self.requests.reviews, *(item.name for item in self.items)]

    def _following(self, key: Hashable) -> Hashable:
        """The next to judge after `key`, the search beginning again at the top."""
        keys = self._keys()
        at = keys.index(key) if key in keys else -1
        rest = [*keys[at + 1 :], *keys[: max(0, at)]]
        return next((one for one in rest if not self._word(one)), None)

    @property
    def request_at_hand(self) -> RequestReview | None:
        """The request under the cursor."""
        return self.requests.get(self.lines.key)

    @property
    def name_at_hand(self) -> ProposalKey | None:
        """The proposal under the cursor."""
        key = self.lines.key
        return key if isinstance(key, ProposalKey) else None

    @property
    def review_at_hand(self) -> Review | None:
        """What is judged; None while it is not read or where it cannot be."""
        name = self.name_at_hand
        details = self.details.get(name) if name is not None else None
        return details.review if details is not None else None

    # --- the proposal

    @on(LineList.Highlighted)
    def _highlighted(self) -> None:
        name, asked = self.name_at_hand, self.request_at_hand
        if asked is not None:
            self._show_request(asked)
        self._show_proposal()
        if name is not None and name not in self.details:
            self.fetch(
                partial(actions.read_proposal, name=name),
                partial(self.show_details, self.revision),
                group="seen",
                what="Reading the proposal",
            )

    def show_details(self, revision: Revision | None, details: ProposalDetail) -> None:
        """Show a proposal that was asked for when the queue had `revision`."""
        if revision == self.revision:  # else the queue was read again meanwhile
            self.details[details.name] = details
            self._show_proposal()

    def _number(self) -> tuple[int, int]:
        """Which of those that wait is under the cursor, 0 for none, and how many wait."""
        waiting = [one for one in self._keys() if not self._word(one)]
        key = self.lines.key
        return (waiting.index(key) + 1 if key in waiting else 0), len(waiting)

    def _show_proposal(self) -> None:
        name = self.name_at_hand
        if name is None:
            return
        details, verdict = self.details.get(name), self.decided.get(name, "")
        if details is None:
            return
        review, keys, dim = details.review, self.context.keymap, bool(verdict)
        head = (
            proposal.head(details, review, *self._number(), verdict, self.glyphs)
            if review
            else Content(verdict)
        )
        brief = self.has_class("-short")
        self._show_around(
            head,
            proposal.heir(review, self.glyphs, keys, brief=brief) if review else Content(),
            "Suggested",
            is_open=review is not None and not verdict,
        )

        # The sheet is made when it is drawn, because its width is known only then and changes with
        # the window.
        def sheet(width: int) -> Sheet:
            return Sheet(details, width, self.glyphs, keys, self.context.now, dim=dim)

        self.result.display = True
        self.view.show(name, lambda width: sheet(width).lines())
        self.result.show(name, lambda width: sheet(width).result())
        self._set_hints(
            {f"review.{one}" for one in DECIDED if proposal.refusal(review, one, verdict)}
        )

    def _show_around(self, head: Content, foot: Content, title: str, *, is_open: bool) -> None:
        """Show what is around a proposal or request: above it, and, while it is open, below."""
        self.query_one("#head", Static).update(head)
        heir = self.query_one("#heir", Static)
        heir.display, heir.border_title = is_open, title
        heir.update(foot)

    def _set_hints(self, disabled: Collection[str], review: RequestReview | None = None) -> None:
        """Name the keys by what they do, to a proposal or to a request."""
        places = {key.id for key in keymap.TABLE if key.action.startswith(("decide", "default"))}
        self.hints.labels = request.labels(review) if review else NO_LABELS
        keys = request.deciding(review) if review else places | request.OF_REQUESTS
        self.hints.hidden_keys = frozenset((places | request.OF_REQUESTS) - keys)
        self.hints.disabled_keys = frozenset(disabled)

    def _show_request(self, review: RequestReview) -> None:
        decided, now = self._word(self.lines.key), self.context.now
        self._show_around(
            request.head(review, *self._number(), decided, self.glyphs, now),
            request.choices(review, self.context.keymap),
            "Decide",
            is_open=not decided,
        )
        self.view.show(
            self.lines.key,
            lambda width: request.lines(review, width, self.glyphs, now, dim=bool(decided)),
        )
        self.result.display = False
        self._set_hints(request.OF_REQUESTS if decided else (), review)

    # --- verdicts

    def action_decide(self, verdict: Verdict) -> None:
        review, asked = self.review_at_hand, self.request_at_hand
        if asked is not None:
            self._decide_request(asked, verdict)
        elif why := self._refusal(verdict):
            self.say(why, warns=True)
        elif review is not None:
            self._under_way += 1
            self.changes.do(lambda stores: actions.decide(stores, review, verdict))

    def _decide_request(self, review: RequestReview, verdict: Verdict) -> None:
        if why := self.requests.refusal(review, f"review.{verdict}"):
            self.say(why, warns=True)
        elif verdict == "approve":
            self.requests.approve(review)
        else:
            self.requests.reject(review)

    def _refusal(self, verdict: Verdict) -> str:
        """Why `verdict` is refused for what is under the cursor; "" when it is not."""
        name = self.name_at_hand
        if self.revision is None or (name is not None and name not in self.details):
            return "It is still being read. Try again in a moment."
        decided = self.decided.get(name, "") if name is not None else ""
        return proposal.refusal(self.review_at_hand, verdict, decided)

    def action_default(self) -> None:
        review, asked = self.review_at_hand, self.request_at_hand
        if asked is not None:
            self.say(self.requests.refusal(asked, "review.default"), warns=True)
        else:
            self.action_decide("approve" if review is None else proposal.advised(review))

    def changed(self, done: Done) -> None:
        self._under_way = max(0, self._under_way - 1)
        self.requests.other_done()
        if isinstance(done, Decided):
            self.decided[done.name] = DECIDED[done.verdict]
            self._go_on(done.name)
        elif isinstance(done, RequestDecided):
            self.requests.done(done)
            self._go_on(done.key)
        super().changed(done)

    def _go_on(self, decided: Hashable) -> None:
        """Go to what is next where the cursor is still on what was decided.

        At once: reading thousands of proposals again takes longer than to judge one.
        """
        self._decided_last = decided
        if self.lines.key == decided:
            self._show_queue(self._following(decided) or decided)

    def failed(self, failed: Failed) -> None:
        super().failed(failed)
        if self._under_way and not failed.unusable:
            # A refused verdict may have brought the proposal up to date.
            self._under_way -= 1
            self.pulse()

    def action_skip(self) -> None:
        key = self.lines.key
        following = self._following(key) if key is not None else None
        if following is None:
            self.say("There is nothing else to decide on.", warns=True)
        else:
            self._show_queue(following)

    def action_approve_all(self) -> None:
        names = frozenset(item.name for item in self.items if item.name not in self.decided)
        self.say("Looking for proposals that are clear …")
        self.fetch(
            lambda stores: actions.clear(stores, names),
            partial(self._mergeable_counted, names),
            group="clear",
            what="Reading the proposals",
        )

    def _mergeable_counted(self, names: frozenset[ProposalKey], count: int) -> None:
        if count:
            self._ask_for_all(count, names)
        else:
            self.say(
                "No proposal is clear enough to be merged unseen. Decide on them one by one.",
                warns=True,
            )

    def _ask_for_all(self, count: int, names: frozenset[ProposalKey]) -> None:
        left = len(names) - count
        detail = "One undo takes all of it back."
        if left:
            detail = f"{left} with conflicts are left for you to decide one by one. {detail}"
        question = f"Merge {count} of {text.counted(len(names), 'proposal')} shown?"

        def answered(yes: bool | None) -> None:
            if yes:
                self._under_way += 1
                self.changes.do(lambda stores: actions.approve_all(stores, names))

        self.app.push_screen(Confirm(question, detail, yes="merge"), answered)

    def action_undo(self) -> None:
        """Undo the verdict under the cursor if there is one, else the last change; what the team
        approved is taken back for everyone."""
        name, approved = self.name_at_hand, self.requests.to_revert(self.lines.key)
        change = self.verdicts.get(name) if name is not None and name in self.decided else None
        if approved is not None and change is None:
            self.requests.revert(approved)
        elif name is not None and change is not None:
            self.changes.do(lambda stores: actions.take_back(stores, name, change))
        else:
            super().action_undo()

    # --- the merged words

    def action_edit(self) -> None:
        self._edit(in_editor=False)

    def action_editor(self) -> None:
        self._edit(in_editor=True)

    @work(exclusive=True, group="edit")
    async def _edit(self, *, in_editor: bool) -> None:
        from cortex_tui.screens.editing import edit_text

        review, asked = self.review_at_hand, self.request_at_hand
        if asked is not None:
            if why := self.requests.refusal(asked, "review.edit"):
                self.say(why, warns=True)
            else:
                await self.requests.edit(asked, in_editor=in_editor)
            return
        if (why := self._refusal("left")) or review is None:
            self.say(why, warns=True)
            return
        if in_editor:
            words = await edit_text(self.app, review.text, title="The merged text")
        else:
            words = await self.app.push_screen_wait(Write("The merged text", review.text))
        if words is not None and words.strip() != review.text.strip():
            self._under_way += 1
            self.changes.do(lambda stores: actions.edit(stores, review, words))

    # --- looking for what says the same

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
        self.load()
        self.pulse()

    def action_back(self) -> None:
        """Stop what is going on, if that can be; else leave."""
        if not self.jobs.stop():
            super().action_back()

    # --- moving

    def action_move(self, step: int) -> None:
        self.lines.move(step)

    def action_scroll(self, share: float) -> None:
        self.view.page(share)

    def action_refresh(self) -> None:
        """Read again; what is decided leaves the queue."""
        self.items, self.decided, self.details = [], {}, {}
        super().action_refresh()
        self.requests.ask(self._requests_read)


def _joined(old: list[QueueItem], queue: Queue) -> list[QueueItem]:
    """The open proposals in their order, decided ones of `old` behind those they followed, and at
    the end what was decided before."""
    known = {item.name for item in old}
    joined = [item for item in queue.items if item.name not in queue.closed]
    fresh: Mapping[ProposalKey, QueueItem] = {item.name: item for item in joined}
    earlier = set(queue.closed).difference(known)
    past = [item for item in queue.items if item.name in earlier]
    for index, item in enumerate(old):
        if item.name not in fresh:
            before = next((one.name for one in reversed(old[:index])), None)
            at = next((n + 1 for n, one in enumerate(joined) if one.name == before), 0)
            joined.insert(at, item)
    return [*joined, *past]
