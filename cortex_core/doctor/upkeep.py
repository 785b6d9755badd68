"""Checks of what piles up: verdicts that wait, merges, money spent, what Claude is given."""

from __future__ import annotations

from collections.abc import Iterator

from cortex_core import decay
from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    counted,
    failed,
    ok,
    over_stores,
    skipped,
    warning,
)
from cortex_core.errors import ModelFailed
from cortex_core.storage import health, proposals, queries
from cortex_core.storage.reader import Reader

BACKLOG = 100
"""Things that wait for a verdict, after which nobody looks at them any more."""

MOST_READ = 2000
"""Memories of a store that are looked through for secrets; a fifth of a second."""

NEAR = 0.95
"""Share of the daily cap from which a model is hardly asked any more."""


def _backlog(_case: Case, store: Reader) -> Iterator[Finding]:
    statuses = queries.statuses(store)
    waiting = {
        "merge proposals (cortex review list)": proposals.waiting(store),
        "suggestions (cortex suggestions list)": statuses.get("suggested", 0),
        "quarantined memories (cortex quarantine list)": statuses.get("quarantined", 0),
    }
    for name, count in waiting.items():
        if count > BACKLOG:
            yield warning(f"{count:,} {name} wait for you.", "Open the app and go through them.")


def secrets(case: Case) -> Finding:
    """Whether the newest memories hold what looks like a secret; a scan looks at everything."""
    from cortex_core.capture.secrets import redact

    extra = case.config.get("redact.extra")
    with case.opened() as stores:
        if not stores:
            return skipped("There is no store to look at.")
        held = [
            words
            for store in stores
            for words in health.newest_contents(store, MOST_READ)
            if redact(words, extra).found
        ]
    if held:
        return failed(
            f"{counted(len(held), 'memory holds', 'memories hold')} what looks like a secret.",
            "See where: cortex secrets scan. Take it out, for good: cortex secrets scrub",
        )
    return ok("The newest memories hold no secret.")


def merged_unasked(case: Case) -> Finding:
    """Whether memories were merged without a person."""
    if case.config.get("consolidation.mode") != "auto":
        return ok("Nothing is merged unasked.")
    with case.opened() as stores:
        since = case.now - 7 * decay.DAY
        count = sum(health.merged_unasked(store, since) for store in stores)
    if not count:
        return ok("Merging by itself is on; nothing was merged this week.")
    return warning(
        f"Made by themselves this week: {counted(count, 'merge')}.",
        "Look at them: cortex log. One is taken back with: cortex undo --change N",
    )


def extractor(case: Case) -> Finding:
    """Whether the model that the person chose for capture can be asked, and what it costs."""
    from cortex_core.model.choosing import RULES

    chosen = case.cortex.llm.settings().get("extractor")
    if chosen == RULES:
        return ok("Capture works by rules, on this machine and for nothing.")
    try:
        case.cortex.llm.chosen()
    except ModelFailed as error:
        return failed(
            f"The extractor is set to {chosen}, but {error.reason}. The rules work meanwhile.",
            "Mend that, or: cortex config set extractor rules",
        )
    spending = case.cortex.llm.spending()
    cap, spent = spending.cap, spending.today()
    if spent >= NEAR * cap:
        return warning(
            f"${spent:.3f} of ${cap:g} a day is spent; the rules work until midnight.",
            "If that is too little: cortex config set model.daily_cap_usd 0.3",
        )
    return ok(f"Capture asks a model ({chosen}); ${spent:.3f} of ${cap:g} is spent today.")


def surface(case: Case) -> Finding:
    """Whether what Claude is given can be made, fits, and is the same each time."""
    given, again = case.cortex.surface(), case.cortex.surface()
    if given.units > given.most_units:
        return failed(
            f"What Claude is given has {given.units:,} characters, and only {given.most_units:,} "
            "fit.",
            "Unpin some memories: cortex list --sort priority",
        )
    if given.text != again.text:
        return failed(
            "What Claude is given differs from one time to the next.", "Please report this."
        )
    if not given.text and case.config.get("surface.tokens"):
        with case.opened() as stores:
            could = sum(queries.giveable(store) for store in stores)
        if could and case.cortex.trust.granted:
            return failed(
                f"Claude is given nothing, though {counted(could, 'memory', 'memories')} could be.",
                "See the checks of the stores above, and: cortex surface --explain",
            )
    return ok(f"Claude is given {given.tokens:,} tokens at a session's start.")


CHECKS = (
    Check("backlog", "upkeep", over_stores(_backlog, "Little waits for a verdict.")),
    Check("secrets", "upkeep", secrets),
    Check("merges", "upkeep", merged_unasked),
    Check("extractor", "upkeep", extractor),
    Check("surface", "upkeep", surface),
)
