"""A project's memory from a distance: themes, what is used most, what was learned last, merges.

Counting is done by SQL, so that a large store is looked at as quickly as a small one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from cortex_core.curation.review import JUDGEABLE
from cortex_core.memory import Memory
from cortex_core.reports.practice import Reflection, Theme
from cortex_core.storage.store import Store

THEMES = 8
EXAMPLES = 3
MOST_USED = 10
INSIGHTS = 10
SHARED_TAGS = 12

LEAST = 2
"""Memories that must share two tags before these are a theme."""

MOST_TAGS = 12
"""Tags of one memory that are paired."""


def themes(stores: Iterable[Store]) -> tuple[Theme, ...]:
    """The pairs of tags that most active memories share."""
    pairs: Counter[tuple[str, str]] = Counter()
    titles: dict[tuple[str, str], list[str]] = {}
    for store in stores:
        for title, tags in store.rows(
            "SELECT title, tags FROM memory WHERE status = 'active' AND tags LIKE '%,%' "
            "ORDER BY priority DESC, updated DESC, id"
        ):
            named = sorted(set(json.loads(tags)))[:MOST_TAGS]
            for pair in combinations(named, 2):
                pairs[pair] += 1
                shown = titles.setdefault(pair, [])
                if len(shown) < EXAMPLES:
                    shown.append(title)
    best = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Theme(tags=pair, count=count, examples=tuple(titles[pair]))
        for pair, count in best[:THEMES]
        if count >= LEAST
    )


def shared_tags(counted: Sequence[tuple[str, Counter[str]]]) -> dict[str, dict[str, int]]:
    """The tags of more than one project: project and count, the most widespread first."""
    spread: dict[str, dict[str, int]] = {}
    for project, counts in counted:
        for tag, count in counts.items():
            spread.setdefault(tag, {})[project] = count
    wide = [(tag, found) for tag, found in spread.items() if len(found) > 1]
    wide.sort(key=lambda item: (-len(item[1]), -sum(item[1].values()), item[0]))
    return dict(wide[:SHARED_TAGS])


def most_used(stores: Iterable[Store]) -> tuple[Memory, ...]:
    """The active memories that were looked up most often."""
    found = [
        memory
        for store in stores
        for memory in store.select(
            "WHERE m.status = 'active' AND m.access_count > 0 AND m.kind <> 'code' "
            "ORDER BY m.access_count DESC, m.id LIMIT ?",
            (MOST_USED,),
        )
    ]
    return tuple(sorted(found, key=lambda one: (-one.access_count, one.id))[:MOST_USED])


def insights(stores: Iterable[Store]) -> tuple[Memory, ...]:
    """The newest insights, newest first."""
    found = [
        memory
        for store in stores
        for memory in store.select(
            "WHERE m.status = 'active' AND m.kind = 'insight' "
            "ORDER BY m.created DESC, m.id LIMIT ?",
            (INSIGHTS,),
        )
    ]
    return tuple(sorted(found, key=lambda one: (-one.created, one.id))[:INSIGHTS])


def reflect(stores: Sequence[Store]) -> Reflection:
    """What `stores` say by themselves; what other projects add is not in it."""
    history = [_history(store) for store in stores]
    moments = [last for *_, last in history if last is not None]
    return Reflection(
        themes=themes(stores), shared_tags={}, recurrences=(), most_used=most_used(stores),
        insights=insights(stores), merges=sum(each[0] for each in history),
        superseded=sum(each[1] for each in history), to_review=sum(each[2] for each in history),
        last_consolidation=max(moments, default=None),
    )  # fmt: skip


def _history(store: Store) -> tuple[int, int, int, float | None]:
    """Merges in force, memories superseded, proposals to judge, the last consolidation's moment."""
    ((merges, superseded, open_, last),) = store.rows(
        "SELECT (SELECT count(*) FROM journal WHERE verb = 'merge' AND undone_by IS NULL), "
        "(SELECT count(*) FROM memory WHERE status = 'superseded'), "
        f"(SELECT count(*) FROM proposal WHERE {JUDGEABLE}), "
        "(SELECT max(time) FROM journal WHERE verb IN ('merge', 'consolidate'))"
    )
    return merges, superseded, open_, last
