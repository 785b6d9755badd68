"""Checks of maintenance: waiting verdicts, secrets, merges, model costs, the surface."""

from __future__ import annotations

from collections.abc import Iterator

from cortex_core import decay
from cortex_core.doctor.case import (
    Case,
    Check,
    Finding,
    failed,
    ok,
    over_stores,
    skipped,
    warning,
)
from cortex_core.errors import ModelFailed
from cortex_core.storage import health, proposals, queries
from cortex_core.storage.reader import Reader
from cortex_core.text import counted

BACKLOG = 100
"""Number of waiting verdicts above which the check warns."""

MOST_READ = 2000
"""Memories per store to search for secrets; this takes a fifth of a second."""

NEAR = 0.95
"""Share of the daily limit above which hardly any call still fits."""


def _backlog(_case: Case, store: Reader) -> Iterator[Finding]:
    statuses = queries.statuses(store)
    waiting = {
        "merge proposals (cortex review list)": proposals.waiting(store),
        "suggestions (cortex suggestions list)": statuses.get("suggested", 0),
        "quarantined memories (cortex quarantine list)": statuses.get("quarantined", 0),
    }
    for name, count in waiting.items():
        if count > BACKLOG:
            yield warning(
                f"{count:,} {name} wait for your verdict.", "Open the app and review them."
            )


def secrets(case: Case) -> Finding:
    """Whether the newest memories contain secrets; `secrets scan` searches everything."""
    from cortex_core.capture.secrets import redact

    extra = case.config.get("redact.extra")
    with case.opened() as stores:
        if not stores:
            return skipped("There is no store yet.")
        held = [
            words
            for store in stores
            for words in health.newest_contents(store, MOST_READ)
            if redact(words, extra).found
        ]
    if held:
        return failed(
            f"{counted(len(held), 'memory seems', 'memories seem')} to contain a secret.",
            "To find it: cortex secrets scan. To remove it permanently: cortex secrets scrub",
        )
    return ok("The newest memories contain no secret.")


def merged_unasked(case: Case) -> Finding:
    """Whether memories were merged automatically."""
    if case.config.get("consolidation.mode") != "auto":
        return ok("Nothing is merged automatically.")
    with case.opened() as stores:
        since = case.now - 7 * decay.DAY
        count = sum(health.merged_unasked(store, since) for store in stores)
    if not count:
        return ok("Automatic merging is on; nothing was merged this week.")
    return warning(
        f"{counted(count, 'automatic merge')} this week.",
        "To see them: cortex log. To undo one: cortex undo --change N",
    )


def extractor(case: Case) -> Finding:
    """Whether the language model chosen for capture is available, and what it costs."""
    from cortex_core.model.choosing import RULES

    chosen = case.cortex.llm.settings().get("extractor")
    if chosen == RULES:
        return ok("Capture uses rules only, on this machine and free of charge.")
    try:
        case.cortex.llm.chosen()
    except ModelFailed as error:
        return failed(
            f"The extractor is set to {chosen}, but {error.reason}. Until this is fixed, capture "
            "uses the rules.",
            "Fix that, or run: cortex config set extractor rules",
        )
    spending = case.cortex.llm.spending()
    cap, spent = spending.cap, spending.today()
    if spent >= NEAR * cap:
        return warning(
            f"${spent:.3f} of ${cap:g} is spent today; capture uses the rules until midnight.",
            "To raise the limit: cortex config set model.daily_cap_usd 0.3",
        )
    return ok(f"Capture uses a model ({chosen}); ${spent:.3f} of ${cap:g} is spent today.")


def surface(case: Case) -> Finding:
    """Whether the surface can be composed, fits, and is deterministic."""
    given, again = case.cortex.surface(), case.cortex.surface()
    if given.units > given.most_units:
        return failed(
            f"The text for session start has {given.units:,} characters, but only "
            f"{given.most_units:,} fit.",
            "Unpin some memories: cortex list --sort priority",
        )
    if given.text != again.text:
        return failed("The text for session start differs between two runs.", "Please report this.")
    if not given.text and case.config.get("surface.tokens"):
        with case.opened() as stores:
            could = sum(queries.giveable(store) for store in stores)
        if could and case.cortex.trust.granted:
            return failed(
                f"Nothing is injected, although {counted(could, 'memory', 'memories')} could be.",
                "Look at the checks of the stores above, and run: cortex surface --explain",
            )
    return ok(f"Session start injects {given.tokens:,} tokens.")


CHECKS = (
    Check("backlog", "upkeep", over_stores(_backlog, "Few memories wait for a verdict.")),
    Check("secrets", "upkeep", secrets),
    Check("merges", "upkeep", merged_unasked),
    Check("extractor", "upkeep", extractor),
    Check("surface", "upkeep", surface),
)
