"""The requests of the project's team in the review: asked for, kept in the queue, decided.

The hub is asked in a worker when the review is opened and when it is read again, never otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from cortex_core.base.errors import CortexError
from cortex_tui.actions import requests_actions as actions
from cortex_tui.actions.requests_actions import RequestDecided, RequestKey, Waiting
from cortex_tui.lists.cursor_list import ListLine
from cortex_tui.screens.base import StoreScreen
from cortex_tui.screens.dialogs import Ask, Confirm, Write
from cortex_tui.screens.editing import draft_of, edit_text, read_draft
from cortex_tui.widgets import request

if TYPE_CHECKING:
    from cortex_core.records.teams import RequestReview, Verdict

ONE_ONLY = (
    "Several memories, or a removal, are approved as they are. Nothing was changed. "
    "Reject it and say why."
)
FIELDS = "title: {}\n---\n{}"
"""A memory of a request as it is edited."""


class TeamLine(Static):
    """The line that says why the requests of the team are not shown; hidden while they are."""

    def show(self, waiting: Waiting, sign: str) -> None:
        """Say what kept the hub from answering."""
        self.display = bool(waiting.problem)
        words = f"{sign} The requests of team {waiting.team} are not shown. {waiting.problem}"
        self.update(Content.styled(words, "$text-warning"))


class TeamRequests:
    """The requests in a review, the oldest first; decided ones stay until it is read again."""

    def __init__(self, screen: StoreScreen) -> None:
        self.screen = screen
        self.reviews: dict[RequestKey, RequestReview] = {}
        self.decided: dict[RequestKey, str] = {}
        """What became of those that were decided here."""
        self._last: RequestKey | None = None
        """The request whose approval was the last thing that was done here."""

    def ask(self, show: Callable[[Waiting], None]) -> None:
        """Ask the hub, where the project follows a team, and `show` what it answers."""
        self.screen.fetch(
            actions.waiting,
            show,
            group="team",
            what="Asking the hub of the team",
        )

    def take(self, waiting: Waiting) -> None:
        """Keep what the hub answered."""
        glyphs = self.screen.glyphs
        self.reviews = {actions.key_of(review): review for review in waiting.reviews}
        self.decided = {}
        sign = glyphs.signs.status["quarantined"]
        problem = glyphs.line(waiting.problem)
        self.screen.query_one(TeamLine).show(
            Waiting(glyphs.line(waiting.team), problem=problem), sign
        )

    def lines(self) -> Iterator[ListLine]:
        """The lines of the queue."""
        for key, review in self.reviews.items():
            yield ListLine(key, partial(self._line, key, review))

    def _line(self, key: RequestKey, review: RequestReview, width: int) -> Content:
        return request.queue_line(review, self.decided.get(key, ""), self.screen.glyphs, width)

    def get(self, key: Hashable) -> RequestReview | None:
        """The request called `key`."""
        return self.reviews.get(key) if isinstance(key, RequestKey) else None

    # --- decisions

    def refusal(self, review: RequestReview, key: str) -> str:
        """Why a key of the review does nothing to a request; "" when it does something."""
        return request.refusal(key, self.decided.get(actions.key_of(review), ""))

    def approve(self, review: RequestReview) -> None:
        """Approve a request as it is."""
        self._decide(review, "approved")

    def reject(self, review: RequestReview) -> None:
        """Reject a request, or withdraw the user's own, once the user has said why."""
        self.screen.converse(self._reject(review), "Rejecting a request")

    async def _reject(self, review: RequestReview) -> None:
        verdict: Verdict = "withdrawn" if review.is_mine else "rejected"
        verb = "Withdraw" if review.is_mine else "Reject"
        hint = f"why, for {review.request.author}; may be empty"
        note = await self.screen.app.push_screen_wait(Ask(f"{verb} “{review.title}”", hint=hint))
        if note is None:
            self.screen.say("Nothing was changed.")
        else:
            self._decide(review, verdict, note=note)

    async def edit(self, review: RequestReview, *, in_editor: bool) -> None:
        """Let the user word the memory of a request, and approve it so."""
        memory = review.memories[0].after if len(review.memories) == 1 else None
        stores, screen = self.screen.stores, self.screen
        if memory is None or stores is None:
            screen.say(ONE_ONLY, warns=True)
            return
        old, title = FIELDS.format(memory.title, memory.content), "Propose in other words"
        words = await (
            edit_text(screen.app, old, title=title)
            if in_editor
            else screen.app.push_screen_wait(Write(title, old))
        )
        if words is None or words.strip() == old.strip():
            screen.say("Nothing was changed.")
            return
        try:
            draft = read_draft(words, draft_of(memory), stores.cortex.config.kinds)
        except CortexError as error:
            screen.say(f"Nothing was changed. {error}", warns=True)
            return
        self._decide(review, "approved", content=draft.content.strip(), title=draft.title)

    def _decide(self, review: RequestReview, verdict: Verdict, **words: str) -> None:
        self.screen.changes.do(lambda stores: actions.decide(stores, review, verdict, **words))

    def done(self, decided: RequestDecided) -> None:
        """Note what became of a request."""
        self.decided[decided.key] = decided.word or "taken back"
        self._last = decided.key if decided.word == "approved" else None

    def other_done(self) -> None:
        """Note that something else was done after it, which an undo takes back first."""
        self._last = None

    def to_revert(self, key: Hashable) -> RequestReview | None:
        """The approved request that an undo at `key` takes back: that one, or the last approved."""
        if isinstance(key, RequestKey) and key in self.decided:
            return self.reviews.get(key) if self.decided[key] == "approved" else None
        return self.reviews.get(self._last) if self._last is not None else None

    def revert(self, review: RequestReview) -> None:
        """Take an approved request back for everyone, if the user confirms it."""
        self.screen.converse(self._revert(review), "Taking a request back")

    async def _revert(self, review: RequestReview) -> None:
        question = f"Take it back for everyone in team {review.team}?"
        if await self.screen.app.push_screen_wait(Confirm(question, review.title, "take back")):
            self.screen.changes.do(lambda stores: actions.revert(stores, review))
        else:
            self.screen.say("Nothing was changed.")
