"""What the page of today asks of the stores: what is new, what waits, what was kept, what comes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cortex_core.records.kept_rules import Repeat, RuleKept
from cortex_core.records.memory import Key, Memory
from cortex_core.records.reviews import QueuedProposal
from cortex_core.records.surfaces import Surface, SurfaceLine
from cortex_tui.actions import inbox_actions
from cortex_tui.actions.inbox_actions import ProposalKey, WaitingMemory
from cortex_tui.queries import WHOLE, Done, Revision
from cortex_tui.session import StoreSession

if TYPE_CHECKING:
    from cortex_core.records.captures import Figures

DAY = 86_400.0

SPANS = ((1, "since yesterday"), (7, "in 7 days"), (30, "in 30 days"), (math.inf, "since %d %b %Y"))
"""Days back in which one looks for what was learned: until there is something."""
MOST_LOOKED_AT = 200
"""Memories among which the newest are looked for: those that were changed last."""
MOST = 24
"""Memories that are listed at most."""

TodayThing = Memory | WaitingMemory | QueuedProposal | RuleKept | Repeat | SurfaceLine
"""What a line of the page is about."""


@dataclass(frozen=True, slots=True)
class Today:
    """What is new: what is quickest to read."""

    learned: dict[Key, Memory]
    """The newest first."""
    span: str
    """Since when."""
    is_empty: bool
    """Whether nothing is remembered, the history included."""
    is_trusted: bool
    """Whether the project's store is read: one that came from elsewhere is not."""
    revision: Revision


Waits = dict[ProposalKey | str, QueuedProposal | WaitingMemory]
"""What waits for an answer: proposals, suggestions, what is in quarantine."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """The rest of the page: what takes longer to read."""

    rules: tuple[RuleKept, ...]
    """Rules that can be checked and had an occasion, those that were broken last first."""
    again: dict[str, Repeat]
    """What had to be said again, and nothing was done about."""
    surface: Surface
    """What the next session gets."""
    figures: Figures
    """The last twelve weeks."""
    held: Sequence[float]
    """When the sessions of these weeks began."""


def read_today(stores: StoreSession) -> Today:
    """What is new, of what was changed last, which is known already."""
    found = stores.first(WHOLE)
    now, newest = stores.clock(), list(stores.rows(found.order[:MOST_LOOKED_AT]).items())
    newest.sort(key=lambda one: -one[1].created)
    age = (now - newest[0][1].created) / DAY if newest else 0.0
    days, span = next((one for one in SPANS if age <= one[0]), SPANS[-1])
    learned = {key: one for key, one in newest[:MOST] if now - one.created <= days * DAY}
    oldest = time.localtime(min((one.created for one in learned.values()), default=now))
    return Today(
        learned,
        time.strftime(span, oldest),
        not newest and not stores.cortex.episodes.list(limit=1),
        stores.cortex.trust.granted,
        found.revision,
    )


def sessions_to_begin_with(stores: StoreSession) -> bool:
    """Whether past sessions of the project can be read unasked: nothing was ever remembered or
    undone in it, and rules alone read them, which costs nothing and sends nothing."""
    cortex = stores.cortex
    own = cortex.workspace.existing(cortex.workspace.default_scope())
    is_new = cortex.trust.granted and not (own and own.log(1))
    is_free = cortex.config.get("extractor") == "rules" and not cortex.sessions.paused
    return is_new and is_free and bool(cortex.sessions.on_disk())


def read_waiting(stores: StoreSession) -> Waits:
    """What waits in the stores for an answer."""
    cortex = stores.cortex
    queue: Waits = {ProposalKey(one.scope, one.number): one for one in cortex.review.queue()}
    waiting = [*cortex.suggestions.list(), *cortex.quarantine.list()]
    return {**queue, **{one.id: WaitingMemory(one, None) for one in waiting}}


def answer(stores: StoreSession, memory: Memory, *, holds: bool) -> Done:
    """Reset the decay of a memory that holds, or forget it."""
    if not holds:
        return stores.act("forget", *stores.cortex.memories.keys_of([memory.id]).values())
    return stores.change(
        "reinforce",
        lambda cortex: cortex.lifecycle.reinforce([memory.id]),
        f"Confirmed: {memory.title}",
    )


def leave_out(stores: StoreSession, id: str) -> Done:
    """Give the memory called `id` at the start of sessions no more."""
    from cortex_tui.actions.project_actions import say_wrong  # loads what the page does not need

    (memory,) = stores.rows(list(stores.cortex.memories.keys_of([id]).values())).values()
    return say_wrong(stores, memory, "")


def read_ahead(stores: StoreSession) -> Ahead:
    """How the rules were kept, and what comes; no session is read for it."""
    cortex = stores.cortex
    rules = [one for one in cortex.memories.triggers.keeping.list() if one.occasions]
    rules.sort(key=lambda one: -(one.last_breach or 0.0))
    figures = cortex.sessions.figures()
    kept = cortex.sessions.archive.list(since=figures.periods[0].start, limit=None)
    held = [one.started for one in kept if one.started is not None]
    again = inbox_actions.said_again(stores)
    return Ahead(tuple(rules), again, cortex.surface(), figures, held)
