"""Reads the archive again with today's rules: what would be new becomes a suggestion.

Nothing that a store knows is touched. What the user put away, and what was pruned, does not come
back, in these words or in similar ones. Entries of the history are left out: the archive has of a
commit its subject alone.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cortex_core.admission import apply
from cortex_core.admission.batch_index import BatchIndex
from cortex_core.base import text
from cortex_core.base.kinds import EPISODE
from cortex_core.capture import pipeline
from cortex_core.duplicates import similarity
from cortex_core.extract import rules
from cortex_core.records.captures import Progress, RuleTier
from cortex_core.records.conversation import Conversation, ReplayReport
from cortex_core.records.events import Candidate, Event
from cortex_core.redaction.redacted_events import redacted
from cortex_core.store import cursors, intents, memory_counts, trash
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

POOL = 12
"""Pruned memories sharing words with a find that are compared with it."""

_BY_COMMITS = frozenset({"fix", "commit-decision"})
"""Rules that read what commit messages say below their subjects."""

Conversations = Sequence[tuple[Conversation, Callable[[], Iterable[Event]]]]
"""Conversations, and what reads the events of each."""


Find = tuple[Candidate, str]
"""What the rules find in the archive, and the transcript that it was in."""


def replay(
    workspace: Workspace,
    conversations: Conversations,
    tiers: Mapping[str, RuleTier],
    progress: Progress | None = None,
) -> ReplayReport:
    """Suggest what the rules find in `conversations` and no store knows, as one undoable change.

    Args:
        workspace: whose stores get the suggestions.
        tiers: the tier of each rule; those that are off find nothing.
        progress: called with the conversations done, all of them, and the name of the next.
    """
    started = time.perf_counter()
    found: list[Find] = []
    for number, (one, events) in enumerate(conversations):
        if progress:
            progress(number, len(conversations), one.title)
        found += _found(workspace, one, events(), tiers)
    if progress:
        progress(len(conversations), len(conversations), "")
    # All are read before the first is stored: it is one change to undo.
    by_rule, waiting, action = _suggest(workspace, found)
    return ReplayReport(
        conversations=len(conversations),
        found=len(found),
        suggested=sum(by_rule.values()),
        known=len(found) - sum(by_rule.values()) - waiting,
        quarantined=waiting,
        rules=dict(by_rule.most_common()),
        seconds=time.perf_counter() - started,
        id=action if by_rule or waiting else "",
    )


def _found(
    workspace: Workspace,
    one: Conversation,
    events: Iterable[Event],
    tiers: Mapping[str, RuleTier],
) -> Iterator[Find]:
    """What the rules find in a conversation, without secrets of patterns that came later."""
    extra = workspace.config.get("redact.extra")
    read = list(redacted(events, extra))
    extracted = rules.extract(read, final=True, tiers=tiers)
    for each in pipeline.purified(extracted.candidates, workspace.config, Counter()):
        if each.kind != EPISODE and each.rule not in _BY_COMMITS:
            yield each, one.transcript


def _suggest(workspace: Workspace, found: Sequence[Find]) -> tuple[Counter[str], int, str]:
    """Store what is new: how many of each rule, how many are in quarantine, and the action."""
    by_rule: Counter[str] = Counter()
    action, waiting = secrets.token_hex(8), 0
    known = _Known(workspace.stores)
    news = [find for find in found if not known.has(find[0])]
    if not news:
        return by_rule, waiting, action
    own = workspace.store()
    # The global store is made only where something goes there.
    is_shared = any(pipeline.is_global(candidate) for candidate, _ in news)
    shared = workspace.store("global") if is_shared else own
    stores = list(dict.fromkeys((shared, own)))
    with intents.together(stores, action):
        for store in stores:
            for_it = [
                each for each in news if store is (shared if pipeline.is_global(each[0]) else own)
            ]
            label = f"suggest from {text.counted(len(for_it), 'find')} of past sessions"
            with store.change("import", label, "import", action) as change:
                for candidate, transcript in for_it:
                    status = apply.suggest(store, change, candidate, transcript)
                    by_rule[candidate.rule] += status == "suggested"
                    waiting += status == "quarantined"
    return +by_rule, waiting, action


class _Known:
    """What the stores know, have known, or were shown."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores
        self._sources: Counter[tuple[str, str]] = Counter()
        self._trash = BatchIndex(0)
        for store in stores:
            self._sources.update(memory_counts.sources_by_rule(store))
            for memory, sources in trash.memories(store):
                self._trash.add(memory)
                self._sources.update((each.rule, each.message) for each in sources)

    def has(self, candidate: Candidate) -> bool:
        """Whether this is known: in these words, in similar ones, or as what its rule made of the
        same message before, which the user may have worded otherwise since.

        Each memory of a message accounts for one find of the rule.
        """
        mark = (f"rule:{candidate.rule}", candidate.message)
        is_accounted = self._sources[mark] > 0
        # What was deleted for good stays known by its mark.
        gone = trash.gone_key(*mark)
        is_known = (
            is_accounted
            or any(cursors.is_read(store, gone) for store in self._stores)
            or self._is_said(candidate)
        )
        self._sources[mark] -= is_accounted
        return is_known

    def _is_said(self, candidate: Candidate) -> bool:
        if any(apply.is_known(store, candidate) for store in self._stores):
            return True
        pruned = self._trash.sharing_words(candidate.content, POOL)
        compared = (similarity.compare(one, candidate.content) for _, one in pruned)
        return any(each.same or each.propose for each in compared)
