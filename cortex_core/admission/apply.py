"""Turns candidates into memories, and carries out what was decided of them inside a change."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cortex_core.admission import checks, gates, lookup, succession
from cortex_core.base import decay, text
from cortex_core.duplicates import similarity
from cortex_core.records.events import Candidate
from cortex_core.records.memory import Context, Memory, Source
from cortex_core.store import memory_lookup, rows
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.triggers import assigning


@dataclass(slots=True)
class Admitted:
    """What became of the candidates."""

    stored: list[str] = field(default_factory=list)
    suggested: list[str] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    """Ids of memories that were reinforced in place of a second row."""
    updated: list[str] = field(default_factory=list)
    """Ids of memories that follow what an agent changed in a file of its own."""
    refused: Counter[str] = field(default_factory=Counter)

    @property
    def added(self) -> list[str]:
        """Every new row's id."""
        return [*self.stored, *self.suggested, *self.quarantined]

    def add(self, more: Admitted) -> None:
        """Count what became of other candidates as well."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(more, name))

    def note(self, decision: gates.Decision) -> None:
        """Count what was decided of one more candidate."""
        match decision.action:
            case "refuse" if decision.gate == gates.NOTHING:
                pass  # nearly every prompt changes nothing
            case "refuse":
                self.refused[decision.gate] += 1
            case "reinforce" | "rewrite":
                self.merged += decision.columns
            case "quarantine":
                self.quarantined.append(decision.memory.id)
            case "suggest":
                self.suggested.append(decision.memory.id)
            case "insert":
                self.stored.append(decision.memory.id)


def admit(
    store: Store,
    change: Change,
    candidates: Sequence[Candidate],
    transcript: str,
) -> Admitted:
    """Add checked `candidates` to `store`, inside the open `change`."""
    admitted = Admitted()
    positions: dict[str, int] = {}
    for candidate in candidates:
        if candidate.session not in positions:
            positions[candidate.session] = memory_lookup.next_position(store, candidate.session)
        memory = to_memory(candidate, store, transcript, positions[candidate.session])
        positions[candidate.session] += 1
        known = lookup.gather(store, memory, extracted=True)
        decision = gates.decide(memory, known, checks.reason_to_wait(candidate))
        carry_out(change, decision)
        admitted.note(decision)
    return admitted


def carry_out(change: Change, decision: gates.Decision) -> str:
    """Do what was decided, inside the open `change`; the id of the memory that says it now, empty
    where none does."""
    memory = replace(decision.memory, id=decision.known or decision.memory.id)
    for name, columns in decision.columns.items():
        change.update("memory", name, columns)
        change.insert("source", rows.source_row(name, memory.source))
    if decision.action == "refuse":
        return decision.known
    if not decision.known:
        insert(change, memory)
        propose_all(change, memory, decision.merge)
    for other, changed in decision.retire:
        succession.retire(change, memory, other, changed)
    for other, changed in decision.supersede:
        comparison = similarity.compare(memory.content, other.content)
        propose(
            change,
            (memory.id, other.id),
            comparison,
            (memory.content, other.content),
            changed=changed,
        )
    return memory.id


def is_known(store: Store, candidate: Candidate) -> bool:
    """Whether a store has a memory, put away or not, that says what `candidate` says, or may."""
    memory = to_memory(candidate, store, "", 0)
    known = lookup.gather(store, memory, extracted=True)
    return bool(known.in_team or known.same is not None or known.similar)


def to_memory(candidate: Candidate, store: Store, transcript: str, position: int) -> Memory:
    """The memory that a checked candidate becomes.

    A memory from an old session starts at most one half-life old (see `decay.day_zero`).
    """
    now = store.clock()
    # What was said is as old as its message, however late it is read.
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
        until=candidate.until,
        created=moment,
        updated=now,
        reinforced=decay.day_zero(moment, now, store.kinds.known(candidate.kind).half_life),
        excerpt=candidate.excerpt,
        origin=candidate.origin,
        details=candidate.details,
        # A way that failed matters only where it is tried again.
        inject="demoted" if candidate.rule == assigning.DEAD_END else "normal",
    )


def insert(change: Change, memory: Memory) -> str:
    """Write a memory and its source, with the triggers that its words have; its id. Where a
    superseded one with this id comes back, its row becomes this."""
    row = rows.to_row(assigning.with_own(memory))
    if not change.update("memory", memory.id, row):
        change.insert("memory", row)
    change.insert("source", rows.source_row(memory.id, memory.source))
    return memory.id


_WARM: set[str] = set()
"""Scopes of the stores for which the checks have run in this process."""


def warm_up(store: Store, memory: Memory) -> None:
    """Run the checks of a memory before a store is locked, the first time in this process: most of
    their time goes into what is loaded and compiled then, and no other process should wait."""
    if store.scope not in _WARM:
        gates.decide_written(memory, lookup.gather(store, memory, extracted=False))
        store.filtered("memory", rows.to_row(assigning.with_own(memory)))
        _WARM.add(store.scope)


def store_or_reinforce(
    store: Store, change: Change, memory: Memory, settled: Mapping[str, bool] = {}
) -> str:
    """Write what the user or an agent remembers, or reinforce what says the same; its id.

    Args:
        settled: by id, whether the user says that it takes the place of another one.
    """
    known = lookup.gather(store, memory, extracted=False, settled=settled)
    return carry_out(change, gates.decide_written(memory, known))


def reinforce(store: Store, change: Change, known: str, memory: Memory) -> bool:
    """Reinforce the row that `memory` repeats; False if its source is known already."""
    source = memory.source
    old = change.read("memory", known)  # its row alone: an import asks for thousands
    if old is None or memory_lookup.with_source(store, (known,), source.message, source.rule):
        return False
    put_away = old["status"] == "archived" and lookup.archived_by_hand(store, known)
    change.update("memory", known, gates.reinforcing(old, memory, put_away=put_away))
    change.insert("source", rows.source_row(known, source))
    return True


def propose_all(change: Change, memory: Memory, similar: Iterable[lookup.SimilarMemory]) -> None:
    """Open a merge proposal for each memory that may say the same as the new `memory`."""
    for other in similar:
        propose(change, (memory.id, other.id), other.comparison, (memory.content, other.content))


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
        members: the newer one first.
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
        return int(change.insert("proposal", {**row, "pair": pair, "created": change.time}))
    # The user has answered for these very words: only a replacement is asked about again, while
    # the question to merge is still open, or where what was replaced is said again.
    is_same = known["fingerprint"] == row["fingerprint"]
    asked_anew = (("open", "merge"), ("approved", "supersede"))
    if is_same and not (changed and (known["status"], known["type"]) in asked_anew):
        return None
    change.update("proposal", known["number"], row if is_same else {**row, "text": ""})
    return int(known["number"])
