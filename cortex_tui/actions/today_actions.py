"""What the page of today asks of the stores: what is new, what waits, what was kept, what comes."""

from __future__ import annotations

from dataclasses import dataclass

from cortex_core.records.kept_rules import Repeat, RuleKept
from cortex_core.records.memory import Key, Memory
from cortex_core.records.reviews import QueuedProposal
from cortex_core.records.surfaces import Surface, SurfaceLine
from cortex_tui.actions import inbox_actions
from cortex_tui.actions.inbox_actions import Inbox, WaitingMemory
from cortex_tui.queries import Revision
from cortex_tui.session import StoreSession

SPANS = (("1d", "since yesterday"), ("7d", "in 7 days"), ("30d", "in 30 days"))
"""How far back one looks for what was learned: until there is something."""
MOST = 12
"""Memories that are listed at most."""

TodayThing = Memory | WaitingMemory | QueuedProposal | RuleKept | Repeat | SurfaceLine
"""What a line of the page is about."""


@dataclass(frozen=True, slots=True)
class Today:
    """What there is to know before the next session."""

    learned: dict[Key, Memory]
    """The newest first."""
    span: str
    """Since when."""
    inbox: Inbox
    rules: tuple[RuleKept, ...]
    """Rules that can be checked and had an occasion, those that were broken last first."""
    again: dict[str, Repeat]
    """What had to be said again, and nothing was done about."""
    surface: Surface
    """What the next session gets."""

    @property
    def revision(self) -> Revision:
        """The stores' revision that it is of."""
        return self.inbox.revision


def read_today(stores: StoreSession) -> Today:
    """All of the page, from what is stored; no session is read for it."""
    inbox, cortex = inbox_actions.read_inbox(stores), stores.cortex
    found = [(span, cortex.list(sort="created", since=since, limit=MOST)) for since, span in SPANS]
    span, learned = next((one for one in found if one[1]), found[-1])
    keys = cortex.memories.keys_of(one.id for one in learned)
    rules = [one for one in cortex.memories.triggers.keeping.list() if one.occasions]
    rules.sort(key=lambda one: -(one.last_breach or 0.0))
    return Today(
        {keys[one.id]: one for one in learned if one.id in keys},
        span,
        inbox,
        tuple(rules),
        inbox_actions.said_again(stores),
        cortex.surface(),
    )
