"""What waits in the inbox, a class for each kind: its rows, what is shown of one, and what the keys
do to it.

Every kind answers the same three keys: yes, no, and edit, which the screen does for all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from textual.content import Content

from cortex_core.base.errors import CortexError
from cortex_core.records.kept_rules import Repair, Repeat
from cortex_core.records.reviews import QueuedProposal, Review
from cortex_tui.actions import inbox_actions as actions, memories_actions, requests_actions
from cortex_tui.actions.inbox_actions import (
    LOWERED,
    PROMPT_FLOOR,
    Inbox,
    ProposalDetail,
    ProposalKey,
    Verdict,
    WaitingMemory,
)
from cortex_tui.actions.memories_actions import Draft
from cortex_tui.actions.requests_actions import RequestKey, Waiting
from cortex_tui.queries import Revision
from cortex_tui.screens import capture_lines
from cortex_tui.screens.base import Change, StoreScreen
from cortex_tui.screens.dialogs import Ask, Choose, Confirm
from cortex_tui.screens.editing import draft_of, read_draft
from cortex_tui.widgets import proposal, request
from cortex_tui.widgets.lines import asked, hung
from cortex_tui.widgets.proposal import Choices, Sheet

if TYPE_CHECKING:
    from cortex_core.records.captures import ProjectStatus
    from cortex_core.records.teams import RequestReview, Verdict as TeamVerdict

Answer = Literal["yes", "no", "left", "right"]
"""What a key answers; left and right keep one side of a proposal."""

FIELDS = "title: {}\n---\n{}"
"""A memory of a request as it is edited."""
REPAIRS: dict[Repair, str] = {
    "remember": "remember it, in your words",
    "keep": "keep the suggestion",
    "release": "release it from quarantine",
    "restore": "restore it from the archive",
    "inject": "let it be injected again",
    "trigger": "recall it at the tool calls that it is about",
    "guard": "guard such a tool call",
    "pin": "pin it: every session gets it",
    "edit": "open it, to edit its words",
    "floor": f"inject more with prompts: {PROMPT_FLOOR} lower by {LOWERED:g}",
}
"""What each repair of something that was said again does."""


def in_place(
    present: Mapping[Any, Any], known: Mapping[Any, Any], gone: Iterable[Any]
) -> dict[Any, Any]:
    """`present`, and what is `gone` from `known` in its old position: behind the same neighbour."""
    order, lost = list(present), set(gone)
    before: object = None
    for name in known:
        if name in lost and name not in present:
            order.insert(order.index(before) + 1 if before in order else 0, name)
        before = name
    return {name: present.get(name, known.get(name)) for name in order}


class AnsweringScreen(StoreScreen):
    """The screen whose user answers what waits."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way = 0
        """Answers that are being carried out."""

    def draft(self, key: Hashable) -> str | None:
        """What the user made of the words of `key`, until it is decided."""
        return None if self.stores is None else self.stores.drafts.get(("inbox.edit", key))

    def decide(self, change: Change) -> None:
        """Carry out a decision; what is shown follows it."""
        self.under_way += 1
        self.changes.do(change)

    def put_off(self, source: InboxSource, key: Hashable) -> None:
        """Leave something alone until the inbox is read again."""
        raise NotImplementedError


class InboxSource:
    """One kind of thing that waits for a decision."""

    NAME = ""
    """What the head calls one of them."""

    def __init__(self, screen: AnsweringScreen) -> None:
        self.screen = screen
        self.items: dict[Any, Any] = {}
        """What is listed, in its order: what waits, and in its position what was decided here."""
        self.decided: dict[Hashable, str] = {}
        """What became of those that were decided."""

    def row(self, key: Any) -> tuple[str, str, str]:
        """The sign, the title and the end of the row of `key`."""
        raise NotImplementedError

    def head(self, key: Any) -> Sequence[Content]:
        """What is said above it, behind its number; the first line is next to the number."""
        return [Content.styled(f"   {self.NAME}", "$muted")]

    def lines(self, key: Any, width: int) -> Iterable[Content]:
        """What is to be judged, a line at a time."""
        raise NotImplementedError

    def choices(self, key: Any) -> Choices:
        """What each key does to it."""
        raise NotImplementedError

    def notes(self, key: Any) -> Sequence[Content]:
        """What is said above the choices."""
        return ()

    def words(self, key: Any) -> str | None:
        """The words that can be edited; None where none can."""
        return None

    def decide(self, key: Any, answer: Answer, words: str) -> None:
        """Carry out an answer; `words` are what the user made of its words, if anything."""
        raise NotImplementedError

    def take(self, waiting: Mapping[Any, Any]) -> None:
        """List what waits now; what was decided here keeps its position."""
        self.decided = {key: word for key, word in self.decided.items() if key not in waiting}
        self.items = in_place(waiting, self.items, self.decided)


class ProposalQuestions(InboxSource):
    """Memories that may say the same, or of which one may replace another."""

    items: dict[ProposalKey, QueuedProposal]

    def __init__(self, screen: AnsweringScreen) -> None:
        super().__init__(screen)
        self.details: dict[ProposalKey, ProposalDetail] = {}
        """The proposals as they were last read."""
        self.verdicts: Mapping[ProposalKey, int] = {}
        """The change in its store's journal that decided each of them."""

    def read(self, inbox: Inbox) -> None:
        """List the proposals of `inbox`."""
        self.decided = {key: self.decided.get(key) or word for key, word in inbox.closed.items()}
        self.verdicts = inbox.changes
        self.take(inbox.proposals)
        self.details = {key: one for key, one in self.details.items() if key in self.decided}

    def fetch(self, key: ProposalKey, then: Any) -> None:
        """Read a proposal that is not read yet, and call `then`, unless it is out of date."""
        if key not in self.details:
            self.screen.fetch(
                partial(actions.read_proposal, name=key),
                partial(self.came, self.screen.revision, then),
                group="seen",
                what="Reading the proposal",
            )

    def came(self, revision: Revision | None, then: Any, details: ProposalDetail) -> None:
        """Keep a proposal that was asked for when the inbox had `revision`."""
        if revision == self.screen.revision:  # else the inbox was read again meanwhile
            self.details[details.name] = details
            then()

    def review(self, key: ProposalKey) -> Review | None:
        """What is judged; None while it is not read or where it cannot be."""
        details = self.details.get(key)
        return details.review if details is not None else None

    def row(self, key: ProposalKey) -> tuple[str, str, str]:
        return asked(self.items[key], self.screen.glyphs)

    def head(self, key: ProposalKey) -> Sequence[Content]:
        details, is_open = self.details.get(key), key not in self.decided
        if details is None or details.review is None:
            return ()
        return proposal.head(details, details.review, self.screen.glyphs, is_open=is_open)

    def lines(self, key: ProposalKey, width: int) -> Iterable[Content]:
        return self._sheet(key, width).lines() if key in self.details else ()

    def result(self, key: ProposalKey, words: str, width: int) -> Iterable[Content]:
        """What a merge would say, in the user's `words` if there are any."""
        return self._sheet(key, width).result(words) if key in self.details else ()

    def _sheet(self, key: ProposalKey, width: int) -> Sheet:
        context, dim = self.screen.context, key in self.decided
        return Sheet(
            self.details[key], width, self.screen.glyphs, context.keymap, context.now, dim=dim
        )

    def notes(self, key: ProposalKey) -> Sequence[Content]:
        review, words = self.review(key), self.screen.draft(key)
        if review is None or self.screen.stores is None:
            return []
        if words:
            lost = self.screen.stores.cortex.review.lost(review, words)
            review = replace(review, text=words, lost=tuple(lost))
        brief = self.screen.has_class("-short")
        return proposal.heir(review, self.screen.glyphs, brief=brief, edited=bool(words))

    def choices(self, key: ProposalKey) -> Choices:
        review = self.review(key)
        edited = self.screen.draft(key) is not None
        return {} if review is None else proposal.choices(review, self.screen.glyphs, edited)

    def words(self, key: ProposalKey) -> str | None:
        """Those of a merge; of two that contradict each other those of the newer one."""
        review = self.review(key)
        if review is None or review.advice != "supersede" or review.text == review.proposal.text:
            return None if review is None else review.text
        return max(review.members, key=lambda one: one.created).content

    def decide(self, key: ProposalKey, answer: Answer, words: str) -> None:
        if key not in self.details:
            self.screen.say("It is still being read. Try again in a moment.", warns=True)
            return
        review = self.review(key)
        if review is None:
            self.screen.say(self.details[key].gone, warns=True)
            return
        own: dict[Answer, Verdict] = {"no": "distinct", "left": "left", "right": "right"}
        verdict = own.get(answer) or proposal.accepted(review, edited=bool(words))
        self.screen.decide(lambda stores: actions.decide(stores, review, verdict, words))


class MemoryQuestions(InboxSource):
    """Suggestions, and what is in quarantine."""

    items: dict[str, WaitingMemory]

    def row(self, key: str) -> tuple[str, str, str]:
        memory, signs = self.items[key].memory, self.screen.glyphs.signs
        held = memory.status == "quarantined"
        sign = signs.status["quarantined"] if held else signs.asks
        return sign, memory.title or memory.content[:600], memory.kind.replace("_", " ")

    def head(self, key: str) -> Sequence[Content]:
        held = self.items[key].memory.status == "quarantined"
        return [Content.styled("   in quarantine" if held else "   suggested", "$muted")]

    def lines(self, key: str, width: int) -> Iterable[Content]:
        about = capture_lines.about_waiting(
            self.items[key], self.screen.glyphs, self.screen.context.now
        )
        return [part for one in about for part in hung(one, width)]

    def choices(self, key: str) -> Choices:
        held = self.items[key].memory.status == "quarantined"
        keeps = ("release", "it holds like any other") if held else ("keep", "it holds")
        return {
            "answer.yes": keeps,
            "answer.no": ("discard", "it is not suggested again"),
            "memory.edit": ("edit", f"and {keeps[0]} it in other words"),
        }

    def words(self, key: str) -> str | None:
        return self.items[key].memory.content

    def decide(self, key: str, answer: Answer, words: str) -> None:
        one = self.items[key]
        self.screen.decide(lambda stores: actions.judge(stores, one, words, keep=answer == "yes"))


class RepeatQuestions(InboxSource):
    """What the user had to say again, and what would spare them from it."""

    NAME = "said again"
    items: dict[str, Repeat]

    def row(self, key: str) -> tuple[str, str, str]:
        return self.screen.glyphs.signs.again, self.items[key].said, self.items[key].outcome

    def lines(self, key: str, width: int) -> Iterable[Content]:
        about = capture_lines.about_repeat(self.items[key], self.screen.glyphs)
        return [part for one in about for part in hung(one, width)]

    def choices(self, key: str) -> Choices:
        first, *others = self.items[key].repairs
        choices = {"answer.yes": ("repair", REPAIRS[first]), "answer.no": ("leave", "for now")}
        if others:
            choices["memory.edit"] = ("other repair", f"choose one of {len(others) + 1}")
        return choices

    def decide(self, key: str, answer: Answer, words: str) -> None:
        if answer == "no":
            self.screen.put_off(self, key)
        else:
            self._repair(self.items[key].repairs[0], key)

    def choose(self, key: str) -> None:
        """Ask which of the repairs that fit it is to be made."""
        self.screen.converse(self._choose(key), "Choosing a repair")

    async def _choose(self, key: str) -> None:
        case = self.items[key]
        options = [(repair, REPAIRS[repair]) for repair in case.repairs]
        detail = f"“{case.said}”\n{case.outcome}: {case.why}"
        chosen = await self.screen.app.push_screen_wait(
            Choose("So that you need not say it again", options, detail=detail)
        )
        if chosen is not None:
            self._repair(cast("Repair", chosen), key)

    def _repair(self, repair: Repair, key: str) -> None:
        """Make a repair; one that needs words or a choice asks for it first."""
        case = self.items[key]
        sentence = f"{REPAIRS[repair].partition(',')[0].capitalize()}: {case.title}"
        if repair in ("remember", "edit", "trigger", "guard"):
            self.screen.converse(self._ask(repair, key), "Repairing", exclusive=False)
        else:
            self.screen.decide(lambda stores: actions.repair(stores, key, case, repair, sentence))

    async def _ask(self, repair: Repair, key: str) -> None:
        from cortex_tui.screens.editing import edit_text
        from cortex_tui.screens.trigger_dialog import edit_triggers

        # Each of them opens something of the user's own choice, so it is no single change.
        case, screen, stores = self.items[key], self.screen, self.screen.stores
        if repair == "remember":
            written = await edit_text(screen.app, case.rule, title="Remember")
            if written is None or not written.strip():
                screen.say("Nothing was changed.")
                return
            draft = Draft(content=written, kind="policy")
            screen.decide(
                lambda stores: actions.decided(
                    memories_actions.remember(stores, draft), key, "repaired"
                )
            )
        elif stores is not None:
            at = stores.cortex.memories.keys_of([case.memory]).get(case.memory)
            if at is None:
                screen.say("This memory is no longer there.", warns=True)
            elif repair == "edit":
                screen.context.go("detail", at)
            else:
                await edit_triggers(
                    screen, stores.cortex, at, stores.cortex.memories.get(case.memory)
                )


class ProblemQuestions(InboxSource):
    """What keeps Cortex from working, as far as the status knows it."""

    NAME = "does not work"
    items: dict[str, str]

    def found(self, status: ProjectStatus) -> None:
        """List what `status` says is wrong; a missing connection is in the header, with its key."""
        self.take({"capture": status.problem} if status.problem else {})

    def row(self, key: str) -> tuple[str, str, str]:
        return self.screen.glyphs.signs.cross, self.items[key], key

    def lines(self, key: str, width: int) -> Iterable[Content]:
        return Content(self.screen.glyphs.line(self.items[key])).wrap(width)

    def choices(self, key: str) -> Choices:
        return {
            "answer.yes": ("repair", "the checks of the doctor"),
            "answer.no": ("leave", "for now"),
        }

    def decide(self, key: str, answer: Answer, words: str) -> None:
        if answer == "no":
            self.screen.put_off(self, key)
        else:
            self.screen.context.action_go("settings", "health")


class TeamRequests(InboxSource):
    """The requests of the project's team, the oldest first.

    The hub is asked in a worker when the inbox is opened and read again, never otherwise.
    """

    items: dict[RequestKey, RequestReview]

    def __init__(self, screen: AnsweringScreen) -> None:
        super().__init__(screen)
        self._last: RequestKey | None = None
        """The request whose approval was the last thing that was done here."""

    def came(self, waiting: Waiting) -> str:
        """Keep what the hub answered; a sentence on why the requests are not shown, else ""."""
        self.decided = {}
        self.items = {requests_actions.key_of(review): review for review in waiting.reviews}
        line = self.screen.glyphs.line
        why = f"The requests of team {line(waiting.team)} are not shown. {line(waiting.problem)}"
        return why if waiting.problem else ""

    def row(self, key: RequestKey) -> tuple[str, str, str]:
        return self.screen.glyphs.signs.team, self.items[key].title, request.MARK

    def head(self, key: RequestKey) -> Sequence[Content]:
        return request.head(self.items[key], self.screen.glyphs, self.screen.context.now)

    def lines(self, key: RequestKey, width: int) -> Iterable[Content]:
        now, dim = self.screen.context.now, key in self.decided
        return request.lines(self.items[key], width, self.screen.glyphs, now, dim=dim)

    def choices(self, key: RequestKey) -> Choices:
        return request.choices(self.items[key])

    def words(self, key: RequestKey) -> str | None:
        memories = self.items[key].memories
        memory = memories[0].after if len(memories) == 1 else None
        return None if memory is None else FIELDS.format(memory.title, memory.content)

    def decide(self, key: RequestKey, answer: Answer, words: str) -> None:
        review, stores = self.items[key], self.screen.stores
        if answer == "no":
            self.screen.converse(self._reject(review), "Rejecting a request")
        elif not words:
            self._decide(review, "approved")
        elif stores is not None and (after := review.memories[0].after) is not None:
            try:
                draft = read_draft(words, draft_of(after), stores.cortex.config.kinds)
            except CortexError as error:
                self.screen.say(f"Nothing was changed. {error}", warns=True)
                return
            self._decide(review, "approved", content=draft.content.strip(), title=draft.title)

    async def _reject(self, review: RequestReview) -> None:
        verdict: TeamVerdict = "withdrawn" if review.is_mine else "rejected"
        verb = "Withdraw" if review.is_mine else "Reject"
        hint = f"why, for {review.request.author}; may be empty"
        note = await self.screen.app.push_screen_wait(Ask(f"{verb} “{review.title}”", hint=hint))
        if note is None:
            self.screen.say("Nothing was changed.")
        else:
            self._decide(review, verdict, note=note)

    def _decide(self, review: RequestReview, verdict: TeamVerdict, **words: str) -> None:
        self.screen.decide(lambda stores: requests_actions.decide(stores, review, verdict, **words))

    def note_last(self, key: Hashable, word: str) -> None:
        """Note what was done last here: an undo takes back an approval only right after it."""
        self._last = key if isinstance(key, RequestKey) and word == "approved" else None

    def to_revert(self, key: Hashable) -> RequestReview | None:
        """The approved request that an undo at `key` takes back: that one, or the last approved."""
        if isinstance(key, RequestKey) and key in self.decided:
            return self.items.get(key) if self.decided[key] == "approved" else None
        return self.items.get(self._last) if self._last is not None else None

    async def revert(self, review: RequestReview) -> None:
        """Take an approved request back for everyone, if the user confirms it."""
        question = f"Take it back for everyone in team {review.team}?"
        if await self.screen.app.push_screen_wait(Confirm(question, review.title, "take back")):
            self.screen.decide(lambda stores: requests_actions.revert(stores, review))
        else:
            self.screen.say("Nothing was changed.")
