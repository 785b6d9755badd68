"""What a reader says of a stored memory, a model or an agent, and what follows of it.

A suggestion is kept, dropped or worded better; of what is in force a reader may say that it is
outdated, wrong or badly worded. What the user said, pinned or changed is never touched: it becomes
a proposal that waits in `cortex review`.
"""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from cortex_core.admission import apply, checks, gates, succession
from cortex_core.base import text
from cortex_core.base.authorship import CITES_USER, is_users_word
from cortex_core.base.config import Config
from cortex_core.base.kinds import EPISODE
from cortex_core.duplicates import similarity
from cortex_core.extract import wording
from cortex_core.extract.sources import WITHDRAWS
from cortex_core.records import procedure_plan
from cortex_core.records.events import Amendment, Verb
from cortex_core.records.memory import Memory, Source
from cortex_core.redaction import citations, cleaning, quarantine
from cortex_core.store import journal, memory_lookup, rows
from cortex_core.store.store import Store
from cortex_core.triggers import assigning

PROPOSED = "proposed"
"""What `amend` answers where the user decides."""

_OF_WORDS = (
    *("content", "content_hash", "title", "kind", "priority", "status", "rule", "details"),
    *("initial_confidence", "outdated", "claimed", "withheld", "updated", "reinforced"),
    *("triggers", "triggers_by"),
)
"""The columns that change with the words of a memory."""

_SAID: Mapping[Verb, str] = {
    "outdated": "A session shows that the older one is out of date.",
    "wrong": "A session shows that the older one is wrong.",
    "drop": "A session shows that the older one no longer holds.",
    "reword": "The newer one says more exactly what the older one says.",
}
"""What a proposal to replace the user's words says for it."""


def checked(amendment: Amendment, config: Config, rule: str = "") -> Amendment | str:
    """The amendment without secrets, or why it may not be applied, in a few words.

    Args:
        rule: whose words it is by; a model's that cites the user may say what the user may.
    """
    content = cleaning.redacted(amendment.content, config)
    title = checks.line(amendment.title, config)
    if amendment.verb == "reword" and len(text.units(content)) < 2:
        return "reworded without words"
    withdrawal = cleaning.redacted(amendment.withdrawal, config)
    by_user = rule.endswith(CITES_USER) and not citations.is_unsaid(title, content, amendment.said)
    if quarantine.reason_of((title, content, withdrawal), by_user=by_user):
        return "gives orders"
    priority = min(amendment.priority, checks.HIGHEST_EXTRACTED)
    return replace(
        amendment,
        content=content,
        title=title or wording.title(content or withdrawal),
        priority=priority,
        withdrawal=withdrawal,
    )


def amend(store: Store, change: journal.Change, amendment: Amendment, by: Source) -> str:
    """Apply a checked amendment inside the open `change`.

    Args:
        by: whose words the new ones are, and where they were said.

    Returns:
        Empty where it was done, `PROPOSED` where the user decides, else why not, in a few words.
    """
    memory = next(iter(store.memories([amendment.memory])), None)
    if memory is None or memory.status not in ("active", "suggested"):
        return "not in force"
    verb, is_waiting = amendment.verb, memory.status == "suggested"
    if verb == "keep":
        if is_waiting:
            kept = rows.Row(status="active", reinforced=change.time, updated=change.time)
            kept["kind"] = amendment.kind or memory.kind
            kept["priority"] = amendment.priority or memory.priority
            change.update("memory", memory.id, kept)
    elif not is_waiting and is_the_users(store, memory):
        return _propose(change, memory, amendment, by)
    elif verb == "reword" and memory_lookup.same_content(
        store, amendment.content, ("active",), but_kind=EPISODE
    ) in (None, memory.id):
        # No other memory in force has just these words. In place: links, sources and what was
        # injected of it stay with it.
        row = rows.to_row(assigning.with_own(_worded(change, memory, amendment, by)))
        change.update("memory", memory.id, {name: row[name] for name in _OF_WORDS})
        if not memory_lookup.with_source(store, (memory.id,), by.message, by.rule):
            change.insert("source", rows.source_row(memory.id, by))
    elif verb != "reword" and amendment.content and not is_waiting:
        newer = replace(_worded(change, memory, amendment, by), id=str(uuid.uuid4()), source=by)
        apply.insert(change, newer)
        succession.retire(change, newer, memory)
    else:
        change.update("memory", memory.id, {"status": "archived", "updated": change.time})
    return ""


def is_the_users(store: Store, memory: Memory) -> bool:
    """Whether the words of a memory in force are the user's, or the user has decided on it."""
    return is_users_word(memory.source.rule) or journal.is_decided(store, memory)


def _worded(change: journal.Change, old: Memory, amendment: Amendment, by: Source) -> Memory:
    """`old` in the words of the amendment, in force."""
    words = (amendment.title, amendment.content)
    said = f"{old.title} {old.content} {old.excerpt} {amendment.said}"
    is_unsaid = by.rule.endswith(CITES_USER) and citations.is_unsaid(*words, said)
    return replace(
        old,
        title=amendment.title,
        content=amendment.content,
        kind=amendment.kind or old.kind,
        priority=amendment.priority or old.priority,
        initial_confidence=amendment.confidence or old.initial_confidence,
        status="active",
        source=replace(old.source, rule=by.rule),
        details=procedure_plan.reworded(old.details, amendment.content),
        outdated="",
        claimed=by.rule == gates.BY_AGENT,
        withheld=is_unsaid or checks.is_withheld(words, by.rule),
        created=change.time,
        updated=change.time,
        reinforced=change.time,
    )


def _propose(change: journal.Change, old: Memory, amendment: Amendment, by: Source) -> str:
    """Suggest the new words, and ask the user whether they replace what the user said."""
    content = amendment.content or amendment.withdrawal
    if not content or content == old.content:
        return "the user's own words, and nothing to put in their place"
    details = {} if amendment.content else {WITHDRAWS: True}
    worded = _worded(change, old, replace(amendment, content=content), by)
    newer = replace(
        worded,
        id=str(uuid.uuid4()),
        source=by,
        status="suggested",
        pinned=False,
        details={**worded.details, **details},
    )
    compared = similarity.compare(old.content, newer.content)
    apply.insert(change, newer)
    texts = (old.content, newer.content)
    apply.propose(change, (newer.id, old.id), compared, texts, changed=_SAID[amendment.verb])
    return PROPOSED
