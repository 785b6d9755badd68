"""What the page of today asks of the stores: what is new, what waits, what was kept, what comes."""

from __future__ import annotations

from dataclasses import dataclass

from cortex_core.records.captures import Figures
from cortex_core.records.kept_rules import Repeat, RuleKept
from cortex_core.records.memory import Key, Memory
from cortex_core.records.reviews import QueuedProposal
from cortex_core.records.surfaces import Surface, SurfaceLine
from cortex_tui.actions import inbox_actions
from cortex_tui.actions.inbox_actions import Inbox, WaitingMemory
from cortex_tui.queries import Revision
from cortex_tui.session import StoreSession

DAY = 86_400.0

SPANS = ((1, "since yesterday"), (7, "in 7 days"), (30, "in 30 days"))
"""Days back in which one looks for what was learned: until there is something."""
MOST = 24
"""Memories that are listed at most."""

TodayThing = Memory | WaitingMemory | QueuedProposal | RuleKept | Repeat | SurfaceLine
"""What a line of the page is about."""


@dataclass(frozen=True, slots=True)
class Today:
    """What is new and what waits: what is quick to read."""

    learned: dict[Key, Memory]
    """The newest first."""
    span: str
    """Since when."""
    inbox: Inbox
    is_empty: bool
    """Whether nothing is remembered, and nothing waits."""

    @property
    def revision(self) -> Revision:
        """The stores' revision that it is of."""
        return self.inbox.revision


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


def read_today(stores: StoreSession) -> Today:
    """What is new and what waits, from what is stored."""
    inbox, cortex = inbox_actions.read_inbox(stores), stores.cortex
    filters = cortex.memories.filters()
    keys = cortex.memories.index(filters=filters, scope="all", sort="created", limit=MOST)
    newest, now = stores.rows(keys), stores.clock()
    newest_day = min((now - one.created for one in newest.values()), default=0.0) / DAY
    days, span = next((one for one in SPANS if newest_day <= one[0]), SPANS[-1])
    learned = {key: one for key, one in newest.items() if now - one.created <= days * DAY}
    waits = inbox.proposals or inbox.memories
    return Today(learned, span, inbox, is_empty=not (newest or waits))


def read_ahead(stores: StoreSession) -> Ahead:
    """How the rules were kept, and what comes; no session is read for it."""
    cortex = stores.cortex
    rules = [one for one in cortex.memories.triggers.keeping.list() if one.occasions]
    rules.sort(key=lambda one: -(one.last_breach or 0.0))
    return Ahead(
        tuple(rules),
        inbox_actions.said_again(stores),
        cortex.surface(),
        cortex.sessions.figures(),
    )
