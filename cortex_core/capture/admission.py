"""What every candidate passes before it is stored: redaction, caps, duplicates, quarantine.

Secrets go first, before anything is compared, hashed or written.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from cortex_core.base import decay, text
from cortex_core.base.config import Config
from cortex_core.base.kinds import EPISODE, UNLIKE
from cortex_core.duplicates import similarity
from cortex_core.redaction import private, quarantine, secrets
from cortex_core.store import journal, queries, rows
from cortex_core.store.journal import Change
from cortex_core.store.queries import Content
from cortex_core.store.store import Store
from cortex_core.transcripts.events import Candidate
from cortex_core.types import Context, Memory, Source, Status

HIGHEST_EXTRACTED = 9
"""Priority that extraction may give; the top one is a user's."""

LONGEST_EXTRACTED = 4_000
"""Characters of an extracted memory's content."""

LONGEST_EXCERPT = 1_000

MOST_WORDS = 16
"""Words by which like memories are looked up, the longest first."""

POOL = 12
"""Memories that share words with a new one and are compared with it."""

BY_USER = "person"
"""Who wrote a memory that a user did."""
KNOWN_STATUSES = ("active", "suggested", "quarantined", "archived")


class SimilarMemory(NamedTuple):
    """A stored memory that a new one was compared with."""

    id: str
    content: str
    comparison: similarity.Comparison


@dataclass(slots=True)
class Admitted:
    """What became of the candidates."""

    stored: list[str] = field(default_factory=list)
    suggested: list[str] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    """Ids of memories that were reinforced in place of a second row."""
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def added(self) -> list[str]:
        """Every new row's id."""
        return [*self.stored, *self.suggested, *self.quarantined]


def cleaned(value: str, config: Config) -> str:
    """`value` without control characters, private spans and secrets; spaces around it stay."""
    kept = private.strip_private(text.clean(value))
    return secrets.redact(kept, config.get("redact.extra")).text


def redacted(value: str, config: Config) -> str:
    """`value` without control characters, private spans, secrets, and spaces around it."""
    return cleaned(value, config).strip()


def redacted_all(value: Any, config: Config) -> Any:
    """`value`, a text or lists, mappings and dataclasses of such, with every text redacted."""
    if isinstance(value, str):
        kept = redacted(value, config)
        return value if kept == value.strip() else kept
    if isinstance(value, Mapping):
        return {name: redacted_all(each, config) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(redacted_all(each, config) for each in value)
    if isinstance(value, Source | Context):
        texts = {name: redacted_all(getattr(value, name), config) for name in value.__slots__}
        return replace(value, **texts)
    return value


def purify(candidate: Candidate, config: Config) -> Candidate | str:
    """The candidate as it may be written, or why it may not."""
    if private.is_ignored(candidate.cwd, config.get("capture.ignore")):
        return "ignored folder"
    content = redacted(candidate.content, config)
    if len(text.content_words(content)) < 2:
        return "nothing left"
    return replace(
        candidate,
        content=content[:LONGEST_EXTRACTED],
        title=text.one_line(redacted(candidate.title, config)) or text.one_line(content)[:80],
        excerpt=redacted(candidate.excerpt, config)[:LONGEST_EXCERPT],
        priority=max(1, min(candidate.priority, HIGHEST_EXTRACTED)),
        confidence=max(0.0, min(candidate.confidence, 1.0)),
    )


def admit(
    store: Store,
    change: Change,
    candidates: Sequence[Candidate],
    transcript: str,
) -> Admitted:
    """Take purified `candidates` into `store`, inside the open `change`."""
    admitted = Admitted()
    places: dict[str, int] = {}
    for candidate in candidates:
        if candidate.session not in places:
            places[candidate.session] = queries.next_position(store, candidate.session)
        memory = to_memory(candidate, store, transcript, places[candidate.session])
        places[candidate.session] += 1
        _admit_one(store, change, memory, candidate, admitted)
    return admitted


def _admit_one(
    store: Store, change: Change, memory: Memory, candidate: Candidate, admitted: Admitted
) -> None:
    known, near = compare_with_store(store, memory)
    if known is not None:
        if reinforce(store, change, known, memory):
            admitted.merged.append(known)
        else:
            admitted.refused["known already"] += 1
        return
    reason = quarantine.reason(candidate)
    status: Status = "quarantined" if reason else memory.status
    if reason:
        memory = replace(memory, status=status, details={**memory.details, "quarantine": reason})
    insert(change, memory)
    listed = {"quarantined": admitted.quarantined, "suggested": admitted.suggested}
    listed.get(status, admitted.stored).append(memory.id)
    propose_all(change, memory, near)


def to_memory(candidate: Candidate, store: Store, transcript: str, place: int) -> Memory:
    """The memory that a purified candidate becomes.

    What is learned from an old session starts at most one half-life old: it may fade, but not
    before anybody could have seen it.
    """
    now = store.clock()
    half_life = store.kinds.known(candidate.kind).half_life or 0.0
    moment = candidate.time if candidate.time is not None else now
    rule = candidate.rule if ":" in candidate.rule else f"rule:{candidate.rule}"
    return Memory(
        id=str(uuid.uuid4()), content=candidate.content, title=candidate.title,
        kind=candidate.kind, scope=store.scope, tags=candidate.tags,
        initial_confidence=candidate.confidence, priority=candidate.priority,
        status="suggested" if candidate.tier == "suggested" else "active",
        source=Source(
            rule=rule, author=candidate.author, session=candidate.session, position=place,
            message=candidate.message, offset=candidate.offset, transcript=transcript,
            time=moment,
        ),
        context=Context(
            branch=candidate.branch, commit=candidate.commit, folder=candidate.cwd,
            files=candidate.files,
        ),
        globs=candidate.globs, created=moment, updated=now,
        reinforced=min(now, max(moment, now - half_life * decay.DAY)),
        excerpt=candidate.excerpt, details=candidate.details,
    )  # fmt: skip


def insert(change: Change, memory: Memory) -> str:
    """Write a new memory and its source; its id."""
    change.insert("memory", rows.to_row(memory))
    change.insert("source", rows.source_row(memory.id, memory.source))
    return memory.id


def store_or_reinforce(store: Store, change: Change, memory: Memory) -> str:
    """Write what somebody says; the same thing said again reinforces. The memory's id.

    What an agent says passes the quarantine, and brings nothing back that a user put away.
    """
    by_person = memory.source.rule == BY_USER
    known, near = compare_with_store(store, memory)
    if known is None:
        insert(change, memory if by_person else quarantined_if_needed(memory))
        propose_all(change, memory, near)
        return memory.id
    if not by_person:
        reinforce(store, change, known, memory)
        return known
    columns: rows.Row = {"status": "active", "reinforced": store.clock()}
    if memory.pinned:
        columns["pinned"] = True
    change.update("memory", known, columns)
    change.insert("source", rows.source_row(known, memory.source))
    return known


def quarantined_if_needed(memory: Memory, rule: str = "import") -> Memory:
    """`memory`, quarantined where a user has to look at it first.

    Args:
        rule: who wrote it, as `Candidate` calls it: what begins with `prompt` is a user's.
    """
    said = Candidate(
        content=memory.content, title=memory.title, kind=memory.kind, tags=memory.tags, rule=rule
    )  # fmt: skip
    reason = quarantine.reason(said)
    if not reason or memory.status != "active":
        return memory
    return replace(memory, status="quarantined", details={**memory.details, "quarantine": reason})


def compare_with_store(store: Store, memory: Memory) -> tuple[str | None, list[SimilarMemory]]:
    """The memory that says the same as `memory`, exactly or all but exactly, and those near it."""
    if memory.kind == EPISODE:
        return None, []
    exact = queries.same_content(store, memory.content, KNOWN_STATUSES, but_kind=EPISODE)
    if exact is not None:
        alike = similarity.compare(memory.content, memory.content)
        return exact, [SimilarMemory(exact, memory.content, alike)]
    near = [
        SimilarMemory(name, content, similarity.compare(content, memory.content))
        for name, content in similar_by_words(store, memory)
    ]
    same = next((one.id for one in near if one.comparison.same), None)
    return same, [one for one in near if one.comparison.propose]


def similar_by_words(store: Store, memory: Memory) -> list[Content]:
    """The memories of a like kind that share the most words with `memory`."""
    words = sorted(set(text.content_words(memory.content)), key=lambda word: (-len(word), word))
    if not words:
        return []
    return queries.sharing_words(
        store, words[:MOST_WORDS], KNOWN_STATUSES, but=memory.id, but_kinds=UNLIKE, limit=POOL
    )


def reinforce(store: Store, change: Change, known: str, memory: Memory) -> bool:
    """Let `memory` strengthen the row it repeats; False when that source is known already.

    A kept repetition lifts a suggestion; what a user has put away stays away.
    """
    source = memory.source
    old = store.memory(known)
    if source.message and any(
        (one.message, one.rule) == (source.message, source.rule) for one in old.sources
    ):
        return False
    columns: rows.Row = {"reinforced": max(old.reinforced, memory.reinforced)}
    if old.status == "suggested" and memory.status == "active":
        columns["status"] = "active"
    if old.status == "archived" and not archived_by_hand(store, known):
        columns["status"] = "active"
    change.update("memory", known, columns)
    change.insert("source", rows.source_row(known, source))
    return True


def propose_all(change: Change, memory: Memory, near: Iterable[SimilarMemory]) -> None:
    """Open a merge proposal for each memory that may say the same as the new `memory`."""
    for one in near:
        propose(change, (one.id, memory.id), one.comparison, (one.content, memory.content))


def propose(
    change: Change, members: tuple[str, str], comparison: similarity.Comparison,
    texts: Sequence[str], *, changed: str = "",
) -> int | None:  # fmt: skip
    """Record a proposal to merge; its number, None where a user need not be asked.

    A pair is asked about once, and again only when a member's content has changed since; words
    written for the merge of the old contents are dropped.

    Args:
        changed: which new value the first of `members` states, in a sentence; then the proposal,
            or the one to merge that is open already, is to let it supersede the other.
    """
    row: rows.Row = {
        "members": rows.dumps(list(members)), "similarity": comparison.similarity,
        "reasons": rows.dumps([*([changed] if changed else []), *comparison.reasons]),
        "type": "supersede" if changed else "merge", "status": "open",
        "conflicts": rows.dumps(list(comparison.conflicts)),
        "fingerprint": text.content_hash("\0".join(sorted(texts))),
    }  # fmt: skip
    pair = " ".join(sorted(members))
    known = change.proposal_on(pair)
    if known is None:
        made = change.insert("proposal", {**row, "pair": pair, "created": change.time})
        return int(made)
    if known["fingerprint"] == row["fingerprint"]:
        if not changed or (known["status"], known["type"]) != ("open", "merge"):
            return None
        change.update("proposal", known["number"], row)
        return int(known["number"])
    change.update("proposal", known["number"], {**row, "text": ""})
    return int(known["number"])


def archived_by_hand(store: Store, name: str) -> bool:
    """Whether somebody, and not decay, put the memory away."""
    return journal.put_away_by(store, name) not in (None, "worker")
