"""What the inbox asks of the project's team: its open requests, a decision on one, a revert."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cortex_core.base.errors import TeamError
from cortex_core.records.memory import Key
from cortex_tui.actions.inbox_actions import Decided, decided
from cortex_tui.queries import Done
from cortex_tui.session import StoreSession, naming

if TYPE_CHECKING:
    from cortex_core import Cortex
    from cortex_core.records.teams import PullReport, RequestReview, Verdict


class RequestKey(str):
    """The id of a request of the team, as no other key is one."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a team's hub answered."""

    team: str
    """The team's name; empty where the project follows none."""
    reviews: tuple[RequestReview, ...] = ()
    """The open requests, the oldest first."""
    problem: str = ""
    """Why the hub gave no answer, in sentences; empty where it did."""


def key_of(review: RequestReview) -> RequestKey:
    """What identifies the request of `review`."""
    return RequestKey(review.request.id)


def waiting(stores: StoreSession) -> Waiting:
    """The open requests of the project's team; asks its hub, where there is a team."""
    stores.check()
    team = stores.cortex.team
    if (followed := team.status()) is None:
        return Waiting("")
    try:
        return Waiting(followed.team, tuple(team.waiting()))
    except TeamError as error:
        return Waiting(followed.team, problem=str(error))


def propose(stores: StoreSession, keys: Sequence[Key], reason: str) -> Done:
    """Ask the team to take memories; nothing of them is changed here.

    Raises:
        UsageError: one of them cannot be proposed; nothing was sent.
        TeamError: the hub refuses them, or cannot be reached; nothing was sent.
    """
    memories = stores.chosen(keys)
    done = stores.note(
        "propose",
        lambda cortex: cortex.team.propose([memory.id for memory in memories], reason),
        f"Proposed to the team, another member decides: {naming(memories)}",
    )
    return replace(done, lasting=True)


def decide(
    stores: StoreSession,
    review: RequestReview,
    verdict: Verdict,
    *,
    note: str = "",
    content: str = "",
    title: str = "",
) -> Decided:
    """Approve, reject or withdraw a request.

    Args:
        note: what its author is to know.
        content: other words for its only memory, which another member decides then.
        title: another title for it.

    Raises:
        TeamError: the hub refuses it, or cannot be reached; nothing was changed.
    """

    def task(cortex: Cortex) -> PullReport:
        return cortex.team.decide(
            review.request.id, verdict, note=note, content=content, title=title
        )

    # An approval can be taken back by `revert`. The hub keeps a rejection, and removes what is
    # withdrawn.
    sentence = f"{verdict.capitalize()}: {review.title}"
    return _done(stores, review, verdict, task, sentence, lasting=verdict != "approved")


def revert(stores: StoreSession, review: RequestReview) -> Decided:
    """Take an approved request back, for every member."""
    return _done(
        stores,
        review,
        "taken back",
        lambda cortex: cortex.team.revert(review.request.id),
        f"Taken back for everyone in team {review.team}: {review.title}",
        lasting=True,
    )


def _done(
    stores: StoreSession,
    review: RequestReview,
    word: str,
    task: Callable[[Cortex], PullReport],
    sentence: str,
    *,
    lasting: bool,
) -> Decided:
    """Carry out `task`, and say what of its result was refused here."""
    reports: list[PullReport] = []
    done = stores.note(word, lambda cortex: reports.append(task(cortex)), sentence)
    (report,) = reports
    # Other words are no approval yet, so the queue does not say so.
    if report.resent:
        word, sentence = (
            "sent again",
            "Your words are a request of yours, which another one decides",
        )
    said = replace(done, sentence=". ".join([sentence, *report.problems]), lasting=lasting)
    return decided(said, key_of(review), word)
