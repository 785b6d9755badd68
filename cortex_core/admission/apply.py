"""Carries out what becomes of a candidate or of a memory: stored, merged, proposed or refused."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from cortex_core.admission import checks, lookup
from cortex_core.base import decay, text
from cortex_core.base.authorship import (
    CONFIRMED,
    IMPORTED,
    is_users_word,
    mark,
)
from cortex_core.base.kinds import EPISODE
from cortex_core.duplicates import facts, similarity
from cortex_core.extract.sources import ENVIRONMENT, rank_of
from cortex_core.records.events import Candidate
from cortex_core.records.memory import Context, Memory, Source
from cortex_core.store import journal, memory_lookup, rows
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.triggers import assigning

EXTRACTED = ("rule:", "model:")
"""How the rules of memories begin that capture made, and may word anew."""


BY_USER = "person"
"""The rule of memories that the user wrote (a stored value)."""


BY_AGENT = "agent"
"""The rule of memories that an agent wrote (a stored value)."""


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


def admit(
    store: Store,
    change: Change,
    candidates: Sequence[Candidate],
    transcript: str,
) -> Admitted:
    """Add purified `candidates` to `store`, inside the open `change`."""
    admitted = Admitted()
    positions: dict[str, int] = {}
    for candidate in candidates:
        if candidate.session not in positions:
            positions[candidate.session] = memory_lookup.next_position(store, candidate.session)
        memory = to_memory(candidate, store, transcript, positions[candidate.session])
        positions[candidate.session] += 1
        _admit_one(store, change, memory, candidate, admitted)
    return admitted


def suggest(
    store: Store, change: Change, candidate: Candidate, transcript: str
) -> Literal["suggested", "quarantined", "known"]:
    """Add a purified candidate as a suggestion, whatever its tier, unless `store` knows it.

    What must wait for the user is quarantined as always.
    """
    if is_known(store, candidate):
        return "known"
    position = memory_lookup.next_position(store, candidate.session)
    memory = to_memory(replace(candidate, tier="suggested"), store, transcript, position)
    memory = _screened(memory, checks.reason_to_wait(candidate))
    insert(change, memory)
    return "quarantined" if memory.status == "quarantined" else "suggested"


def is_known(store: Store, candidate: Candidate) -> bool:
    """Whether a store has a memory, put away or not, that says what `candidate` says, or may."""
    memory = to_memory(candidate, store, "", 0)
    known, similar = lookup.compare_with_store(store, memory)
    if known is not None or similar or lookup.said_in(store, memory) is not None:
        return True
    return bool(
        facts.says_already(
            [each.content for each in lookup.known_facts(store, memory)], memory.content
        )
    )


def _admit_one(
    store: Store, change: Change, memory: Memory, candidate: Candidate, admitted: Admitted
) -> None:
    reason = checks.reason_to_wait(candidate)
    memory = _screened(memory, reason)
    if memory.kind != EPISODE and _is_the_teams(store, memory):
        admitted.refused["known to the team"] += 1
        return
    known, similar = lookup.compare_with_store(store, memory)
    known = known or lookup.said_in(store, memory)
    if known is not None:
        renew = update_entry if memory.kind == EPISODE else reinforce
        if renew(store, change, known, memory):
            admitted.merged.append(known)
        else:
            admitted.refused["known already"] += 1
        return
    known_facts = lookup.known_facts(store, memory)
    if _repeats_fact(store, change, memory, known_facts, admitted):
        return
    if not reason and _extends_fact(store, change, memory, known_facts, admitted):
        return
    insert(change, memory)
    listed = {"quarantined": admitted.quarantined, "suggested": admitted.suggested}
    listed.get(memory.status, admitted.stored).append(memory.id)
    propose_all(change, memory, similar)
    _propose_updates(change, memory, known_facts)


def _is_the_teams(store: Store, memory: Memory) -> bool:
    """Whether the project's team has an active memory that says what `memory` says."""
    team = store.team
    known = lookup.compare_with_store(team, memory)[0] if team is not None else None
    return team is not None and known is not None and team.memory(known).status == "active"


def _screened(memory: Memory, reason: str) -> Memory:
    """`memory`, quarantined because of `reason` if there is one, else withheld if it may steer."""
    if reason:
        details = {**memory.details, "quarantine": reason}
        return replace(memory, status="quarantined", details=details)
    words = (memory.title, memory.content, *memory.tags)
    return replace(memory, withheld=checks.is_withheld(words, memory.source.rule))


def _repeats_fact(
    store: Store, change: Change, memory: Memory, known: Sequence[Memory], admitted: Admitted
) -> bool:
    """Reinforce the facts that together say what `memory` says; False if they do not.

    A suggestion that says more does not stand in for what is kept.
    """
    trusted = [
        each
        for each in known
        if each.status != "suggested"
        or memory.status == "suggested"
        or facts.is_fuller(memory.content, each.content)
    ]
    said = [
        trusted[i] for i in facts.says_already([each.content for each in trusted], memory.content)
    ]
    if not said or any(_is_better(store, memory, each) for each in said):
        return False
    news = [each.id for each in said if reinforce(store, change, each.id, memory)]
    admitted.merged += news
    if not news:
        admitted.refused["known already"] += 1
    return True


def _extends_fact(
    store: Store, change: Change, memory: Memory, known: Sequence[Memory], admitted: Admitted
) -> bool:
    """Let `memory` replace the words of a fact that it says better, or add to them what commands
    have shown; False if there is no such fact."""
    for older in known:
        words = memory if _is_better(store, memory, older) else _joined(store, memory, older)
        if words is not None:
            _rewrite(store, change, older, words, memory)
            admitted.merged.append(older.id)
            return True
    return False


def _joined(store: Store, memory: Memory, known: Memory) -> Memory | None:
    """What was said, with the values that commands have shown of it: one of the two is either."""
    said, counted = (known, memory) if _is_counted(memory) else (memory, known)
    if said.status != "active" or not _is_counted(counted) or not _may_reword(store, known):
        return None
    content = facts.joined(said.content, counted.content)
    return replace(said, content=content) if content else None


def _is_counted(memory: Memory) -> bool:
    """Whether commands have shown it, and nobody has said it."""
    return memory.source.rule == f"rule:{ENVIRONMENT}"


def _rewrite(store: Store, change: Change, known: Memory, words: Memory, memory: Memory) -> None:
    """Give the row of `known` the `words`, with where they came from; `memory` is a new source."""
    row = rows.to_row(words)
    columns = {name: row[name] for name in (*_OF_AN_ENTRY, "rule", "author", "kind")}
    columns |= {
        "updated": store.clock(),
        "priority": max(known.priority, memory.priority),
        "reinforced": max(known.reinforced, memory.reinforced),
        "status": words.status,
    }
    change.update("memory", known.id, columns)
    change.insert("source", rows.source_row(known.id, memory.source))


def _is_better(store: Store, memory: Memory, known: Memory) -> bool:
    """Whether `memory` says all that `known` does, and more, or the same in the user's own words.

    What the user changed or archived stays as it is, and a suggestion changes nothing kept.
    """
    if known.status == "archived" or (memory.status, known.status) == ("suggested", "active"):
        return False
    if not facts.is_fuller(memory.content, known.content):
        return False
    says_more = not facts.says_already([known.content], memory.content)
    is_nearer = rank_of(memory.source.rule) < rank_of(known.source.rule)
    return (says_more or is_nearer) and _may_reword(store, known)


def _may_reword(store: Store, known: Memory) -> bool:
    """Whether capture wrote the words of `known`, and the user left them so."""
    is_ours = not known.pinned and known.source.rule.startswith(EXTRACTED)
    return is_ours and known.status != "archived" and not journal.changed_by_hand(store, known.id)


def _propose_updates(change: Change, memory: Memory, known: Iterable[Memory]) -> None:
    """Propose that a kept fact replaces those that say otherwise of the same subject."""
    for other in known:
        changed = facts.contradiction(other.content, memory.content)
        if changed and memory.status == other.status == "active":
            comparison = similarity.compare(memory.content, other.content)
            texts = (other.content, memory.content)
            propose(change, (memory.id, other.id), comparison, texts, changed=changed)


def to_memory(candidate: Candidate, store: Store, transcript: str, position: int) -> Memory:
    """The memory that a purified candidate becomes.

    A memory from an old session starts at most one half-life old (see `decay.day_zero`).
    """
    now = store.clock()
    moment = candidate.time if candidate.time is not None else now
    rule = candidate.rule if ":" in candidate.rule else f"rule:{candidate.rule}"
    return Memory(
        id=str(uuid.uuid4()),
        content=candidate.content,
        title=candidate.title,
        kind=candidate.kind,
        scope=store.scope,
        tags=candidate.tags,
        initial_confidence=candidate.confidence,
        priority=candidate.priority,
        status="suggested" if candidate.tier == "suggested" else "active",
        source=Source(
            rule=rule,
            author=candidate.author,
            session=candidate.session,
            position=position,
            message=candidate.message,
            offset=candidate.offset,
            transcript=transcript,
            time=moment,
        ),
        context=Context(
            branch=candidate.branch,
            commit=candidate.commit,
            folder=candidate.cwd,
            files=candidate.files,
        ),
        globs=candidate.globs,
        created=moment,
        updated=now,
        reinforced=decay.day_zero(moment, now, store.kinds.known(candidate.kind).half_life),
        excerpt=candidate.excerpt,
        details=candidate.details,
    )


def insert(change: Change, memory: Memory) -> str:
    """Write a new memory and its source, with the triggers that its words have; its id."""
    change.insert("memory", rows.to_row(assigning.with_own(memory)))
    change.insert("source", rows.source_row(memory.id, memory.source))
    return memory.id


def store_or_reinforce(
    store: Store, change: Change, memory: Memory, *, instead_of: Memory | None = None
) -> str:
    """Write what the user or an agent remembers, or reinforce what says the same; returns the id.

    What an agent writes passes the quarantine, and does not restore what the user archived.

    Args:
        instead_of: what it replaces: however similar it is, it is no duplicate of that.
    """
    by_user = memory.source.rule == BY_USER
    known, similar = lookup.compare_with_store(store, memory)
    if instead_of is not None:
        known = None if known == instead_of.id else known
        similar = [other for other in similar if other.id != instead_of.id]
    if known is None:
        insert(change, memory if by_user else checks.quarantined_if_needed(memory))
        propose_all(change, memory, similar)
        return memory.id
    if not by_user:
        reinforce(store, change, known, memory)
        return known
    columns: rows.Row = {"status": "active", "reinforced": store.clock(), **CONFIRMED}
    if not is_users_word(store.memory(known).source.rule):
        columns["rule"] = BY_USER
    if memory.pinned:
        columns["pinned"] = True
    change.update("memory", known, columns)
    change.insert("source", rows.source_row(known, memory.source))
    return known


def reinforce(store: Store, change: Change, known: str, memory: Memory) -> bool:
    """Reinforce the row that `memory` repeats; False if its source is known already.

    A repetition that is kept keeps a suggestion too, unless an agent or an import repeats it; what
    the user archived stays archived.
    """
    source = memory.source
    old = change.read("memory", known)  # its row alone: an import asks for thousands
    if old is None or (
        source.message
        and any(
            (known_source.message, known_source.rule) == (source.message, source.rule)
            for known_source in store.sources(known)
        )
    ):
        return False
    columns: rows.Row = {"reinforced": max(old["reinforced"], memory.reinforced)}
    is_claim = source.rule == BY_AGENT or source.rule.startswith(IMPORTED) or memory.claimed
    if old["status"] == "suggested" and memory.status == "active" and not is_claim:
        columns["status"] = "active"
    if old["status"] == "archived" and not lookup.archived_by_hand(store, known):
        columns["status"] = "active"
    if is_users_word(source.rule) and not memory.claimed:
        columns |= _said_by_user(old, source.rule)
    change.update("memory", known, columns)
    change.insert("source", rows.source_row(known, source))
    return True


def _said_by_user(old: rows.Row, rule: str) -> rows.Row:
    """The columns that change when the user says by `rule` what someone else had said before."""
    is_elsewhere = old["claimed"] or bool(mark(old["rule"]))
    return {**CONFIRMED, "rule": rule} if is_elsewhere or old["withheld"] else {}


_OF_AN_ENTRY = (
    "content",
    "title",
    "tags",
    "session",
    "place",
    "message",
    "offset",
    "transcript",
    "branch",
    "commit",
    "folder",
    "files",
    "context",
    "created",
    "content_hash",
    "excerpt",
    "details",
)
"""The columns of an entry of the history that follow its event: a pull request is edited, a session
goes on, a commit is read again from another transcript."""


def update_entry(store: Store, change: Change, known: str, memory: Memory) -> bool:
    """Bring the row of the event that `memory` is about up to date; False if it says this already.

    What is older than the row, or what the user changed or archived, leaves it as it is.
    """
    old, row = store.memory(known), rows.to_row(memory)
    before = rows.to_row(old)
    is_news = any(row[name] != before[name] for name in ("content", "title", "files", "details"))
    if not is_news or memory.created < old.created or journal.changed_by_hand(store, known):
        return False
    columns = {name: row[name] for name in (*_OF_AN_ENTRY, "withheld")}
    columns |= {"updated": store.clock(), "reinforced": max(old.reinforced, memory.reinforced)}
    if memory.status == "quarantined":
        columns["status"] = memory.status
    elif old.status == "archived":
        columns["status"] = "active"
    change.update("memory", known, columns)
    change.insert("source", rows.source_row(known, memory.source))
    return True


def propose_all(change: Change, memory: Memory, similar: Iterable[lookup.SimilarMemory]) -> None:
    """Open a merge proposal for each memory that may say the same as the new `memory`."""
    for other in similar:
        propose(change, (other.id, memory.id), other.comparison, (other.content, memory.content))


def propose(
    change: Change,
    members: tuple[str, str],
    comparison: similarity.Comparison,
    texts: Sequence[str],
    *,
    changed: str = "",
) -> int | None:
    """Record a proposal to merge; its number, None if the user need not be asked.

    A pair is proposed once, and again only if a member's content has changed since; a text written
    for the merge of the old contents is dropped.

    Args:
        changed: a sentence on the new value that the first of `members` states. The proposal, or an
            open one to merge the pair, then becomes one to supersede the other member.
    """
    row: rows.Row = {
        "members": rows.dumps(list(members)),
        "similarity": comparison.similarity,
        "reasons": rows.dumps([*([changed] if changed else []), *comparison.reasons]),
        "type": "supersede" if changed else "merge",
        "status": "open",
        "conflicts": rows.dumps(list(comparison.conflicts)),
        "fingerprint": text.content_hash("\0".join(sorted(texts))),
    }
    pair = " ".join(sorted(members))
    known = change.proposal_on(pair)
    if known is None:
        number = change.insert("proposal", {**row, "pair": pair, "created": change.time})
        return int(number)
    if known["fingerprint"] == row["fingerprint"]:
        if not changed or (known["status"], known["type"]) != ("open", "merge"):
            return None
        change.update("proposal", known["number"], row)
        return int(known["number"])
    change.update("proposal", known["number"], {**row, "text": ""})
    return int(known["number"])
