"""What detail and neighbours ask of the stores: all about a memory, and what is linked with it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from cortex_core.records.changes import Revision
from cortex_core.records.conversation import Turn
from cortex_core.records.kept_rules import Breach, Repeat, RuleKept
from cortex_core.records.memory import Key, Memory, Neighbour
from cortex_core.records.project_code import Anchor, LinkedCode
from cortex_core.records.reviews import QueuedProposal
from cortex_core.records.surfaces import Outlook, SurfaceLine
from cortex_core.records.upkeep import Detail
from cortex_tui.actions import sessions_actions
from cortex_tui.actions.inbox_actions import WaitingMemory
from cortex_tui.actions.sessions_actions import ListedConversation
from cortex_tui.queries import Revision as StoreRevision
from cortex_tui.session import StoreSession

RECORDING = 5.0
"""Seconds in which past sessions are read for a rule that was not counted yet."""
MOST_BREACHES = 50
"""Breaches of a rule that are shown here; the command line lists more."""
MOST_LINKS = 40
"""Links that are shown here; the neighbours show them all."""

Spoken = (
    Memory | WaitingMemory | RuleKept | SurfaceLine | QueuedProposal | Repeat | ListedConversation
)
"""What comes from a turn of a session."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """Everything about one memory, as of one revision."""

    key: Key
    detail: Detail
    links: tuple[Neighbour, ...]
    link_keys: Mapping[str, Key]
    """Store and row number of the first `MOST_LINKS` linked memories, by their ids."""
    revisions: tuple[Revision, ...]
    code: tuple[LinkedCode, ...]
    anchors: tuple[Anchor, ...]
    """What it names of the project, and what has become of it."""
    most: Mapping[str, float]
    """The most that each part of its importance can be."""
    root: str
    """The project's folder."""
    threshold: float
    """The confidence below which it is archived after a while."""
    half_life: float | None
    """Days; None: its kind does not fade."""
    now: float
    revision: StoreRevision
    kept: RuleKept | None = None
    """How it was kept; None: it has no triggers."""
    breaches: tuple[Breach, ...] = ()
    """The newest `MOST_BREACHES` calls that broke it."""


def portrait(
    stores: StoreSession, key: Key, name: str = "", *, opens: bool, reopen: bool = False
) -> Portrait | None:
    """Everything about the memory behind `key`; None when it is no longer there.

    Args:
        name: its id, where it is known: it is found again when it has moved.
        opens: whether the user looks at it, which is counted.
        reopen: whether the stores are opened again first.
    """
    if reopen:
        stores.reopen()
    stores.check()
    cortex = stores.cortex
    current = _found(stores, key, name)
    if current is None:
        return None
    key, name = current
    if opens:
        stores.cortex.memories.record_view(name)
    # The revision is read before the rest: what is written meanwhile is then seen as newer, and
    # read again.
    revision = cortex.workspace.revision()
    detail = cortex.memories.details(name)
    memory, now = detail.memory, stores.clock()
    links = tuple(cortex.graph.links(name))
    keeping = cortex.memories.triggers.keeping if memory.triggers else None
    return Portrait(
        key=key,
        detail=detail,
        links=links,
        link_keys=cortex.memories.keys_of(one.memory.id for one in links[:MOST_LINKS]),
        revisions=tuple(cortex.memories.revisions(name)),
        code=tuple(cortex.memories.code_of(name)),
        anchors=cortex.code.anchors.list(name)[0].anchors,
        most=detail.most_importance,
        root=cortex.project.root or "",
        threshold=cortex.config.archive_below,
        half_life=cortex.config.kinds.known(memory.kind).half_life,
        now=now,
        revision=revision,
        kept=keeping.get(name) if keeping else None,
        breaches=tuple(keeping.breaches(name, MOST_BREACHES)) if keeping else (),
    )


def outlook(stores: StoreSession, name: str) -> Outlook | None:
    """Whether the next session start injects the memory called `name`; None when it is gone."""
    return next(iter(stores.cortex.sessions.outlooks([name])), None)


def keeping(stores: StoreSession, name: str) -> tuple[RuleKept, tuple[Breach, ...]]:
    """How a rule was kept and its newest breaches, after reading past sessions for a while."""
    stores.check()
    record = stores.cortex.memories.triggers.keeping
    end = time.monotonic() + RECORDING
    record.record(should_continue=lambda: time.monotonic() < end)
    return record.get(name), tuple(record.breaches(name, MOST_BREACHES))


def turn(stores: StoreSession, of: Spoken, index: int = 0, breach: int = 0) -> Turn:
    """The turn that the source `index` of a memory names, or in which the rule was broken; of two
    memories, that of the newer; of a session, the one that was found, or its first.

    Args:
        breach: the number of the breach to show instead; 0 for none.

    Raises:
        CortexError: there is none any more; the message says why.
    """
    stores.check()
    sessions = stores.cortex.sessions
    # What a screen lists names the memory, or the place in a session, each in its own way.
    match of:
        case Repeat():
            return sessions.turn(of.source)
        case ListedConversation(conversation=one):
            found = of.message or sessions.archive.read(one.session).messages[0]
            return sessions.turn(sessions_actions.source_of(one, found))
        case QueuedProposal(number=number, scope=scope):
            members = stores.cortex.review.get(number, scope).members
            name = max(members, key=lambda one: one.created).id
        case RuleKept():
            name, breach = of.memory.id, breach or int(of.last_breach is not None)
        case WaitingMemory():
            name = of.memory.id
        case _:
            name = of.id
    return stores.cortex.memories.turn_of(name, index, breach=breach)


def _found(stores: StoreSession, key: Key, name: str) -> tuple[Key, str] | None:
    cortex = stores.cortex
    if name:
        there = cortex.memories.keys_of([name]).get(name)
        return (there, name) if there else None
    rows = cortex.memories.rows([key])
    return (key, rows[0].id) if rows else None
