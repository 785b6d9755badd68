"""Decides what becomes of a new memory, by what is known of it. Pure: nothing is read or written.

Each gate answers with a decision, or with None where it has nothing to say; the first that answers
counts. `lookup.gather` collects what is known, and `apply.carry_out` does what was decided.
"""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Literal

from cortex_core.admission import checks, succession
from cortex_core.admission.lookup import Known, SimilarMemory
from cortex_core.base import text
from cortex_core.base.authorship import (
    CONFIRMED,
    IMPORTED,
    is_as_written,
    is_users_word,
    mark,
)
from cortex_core.base.kinds import EPISODE
from cortex_core.extract import wording
from cortex_core.extract.sources import LATER, WITHDRAWS
from cortex_core.language import signals
from cortex_core.language.detect import language
from cortex_core.language.statements import statement
from cortex_core.records.memory import Memory, Status
from cortex_core.redaction import quarantine
from cortex_core.store import rows

Action = Literal["insert", "suggest", "quarantine", "reinforce", "rewrite", "refuse"]

BY_USER = "person"
"""The rule of memories that the user wrote (a stored value)."""

BY_AGENT = "agent"
"""The rule of memories that an agent wrote (a stored value)."""

THE_TEAMS, KNOWN_ALREADY, NOTHING = "known to the team", "known already", "changes nothing"
"""Why a memory is refused, as the ledger counts it."""

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
"""The columns of an entry of the history that follow its event: a session goes on, a commit is read
again from another transcript."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a new memory, and why."""

    action: Action
    memory: Memory
    """The memory as it would be stored: suggested, quarantined or withheld."""
    gate: str
    """The gate that decided; of a refusal, how the ledger counts it."""
    reason: str
    """Why, in a sentence for the user."""
    columns: Mapping[str, rows.Row] = field(default_factory=dict)
    """By id, what changes in the stored memories that get the new one's source."""
    known: str = ""
    """The id of the stored memory that says the same; empty where there is none."""
    merge: tuple[SimilarMemory, ...] = ()
    """Memories to propose merging the new one with."""
    supersede: tuple[tuple[Memory, str], ...] = ()
    """Memories to propose replacing by the new one, each with the new value in a sentence."""
    retire: tuple[tuple[Memory, str], ...] = ()
    """Memories that the new one replaces, each with what changed in a sentence."""


Gate = Callable[[Memory, Known], Decision | None]


def decide(memory: Memory, known: Known, waits: str = "") -> Decision:
    """What becomes of a memory that capture found.

    Args:
        waits: why the user must see it first, in a sentence; empty if that is not needed.
    """
    memory = screened(memory, waits)
    decisions = (gate(memory, known) for gate in GATES)
    return next(filter(None, decisions), None) or _new(memory, known, "new")


def decide_written(memory: Memory, known: Known) -> Decision:
    """What becomes of what the user or an agent writes.

    What an agent writes passes the quarantine, and does not restore what the user archived.
    """
    by_user, same = memory.source.rule == BY_USER, known.same
    if same is None:
        memory = memory if by_user else checks.quarantined_if_needed(memory)
        return _new(memory, known, "written")
    if not by_user:
        return _reinforced(memory, known, same)
    columns: rows.Row = {"status": "active", "reinforced": known.now, **CONFIRMED}
    if not is_users_word(same.source.rule):
        columns["rule"] = BY_USER
    if memory.pinned:
        columns["pinned"] = True
    why = f"“{same.title}” says the same; it is active, and confirmed by the user."
    return Decision(
        "reinforce",
        memory,
        "written",
        why,
        {same.id: columns},
        same.id,
        # The words of a suggestion take the place of what the user says they do.
        retire=tuple(
            (other, succession.was_and_is(memory, other, said)) for other, said in known.overtaken
        ),
    )


def screened(memory: Memory, waits: str) -> Memory:
    """`memory`, quarantined if it `waits` for the user, else withheld if it may steer."""
    if waits:
        return replace(
            memory, status="quarantined", details={**memory.details, "quarantine": waits}
        )
    words = (memory.title, memory.content, *checks.tags_as_read(memory.tags))
    if memory.kind == EPISODE:
        # Of the history only where a session stopped is injected, by its title and open ends.
        words = (memory.title, *text.texts_in(memory.details.get("stopped")))
    is_unsaid = memory.details.keys() >= quarantine.IS_UNSAID.keys()
    return replace(memory, withheld=is_unsaid or checks.is_withheld(words, memory.source.rule))


# --- the gates, in their order


def known_to_the_team(memory: Memory, known: Known) -> Decision | None:
    """What the project's team has needs no second row."""
    if not known.in_team or memory.kind == EPISODE:
        return None
    return Decision(
        "refuse",
        memory,
        THE_TEAMS,
        "The team has an active memory that says the same.",
        known=known.in_team,
    )


def same_event(memory: Memory, known: Known) -> Decision | None:
    """An entry of the history of the same event is brought up to date.

    What is older than the row, or what the user changed or archived, leaves it as it is.
    """
    old = known.same
    if old is None or memory.kind != EPISODE:
        return None
    row, before = rows.to_row(memory), rows.to_row(old)
    is_news = any(row[name] != before[name] for name in ("content", "title", "files", "details"))
    if not is_news or memory.created < old.created or old.id in known.by_hand:
        return _known_already(memory, old)
    columns = {name: row[name] for name in (*_OF_AN_ENTRY, "withheld")}
    columns |= {"updated": known.now, "reinforced": max(old.reinforced, memory.reinforced)}
    if memory.status == "quarantined":
        columns["status"] = memory.status
    elif old.status == "archived":
        columns["status"] = "active"
    why = f"“{old.title}” is about the same event and is brought up to date."
    return Decision("rewrite", memory, "same event", why, {old.id: columns}, old.id)


def says_the_same(memory: Memory, known: Known) -> Decision | None:
    """A memory that says the same, or of which this is a part, word for word, is reinforced."""
    return None if known.same is None else _reinforced(memory, known, known.same)


def changes_nothing(memory: Memory, known: Known) -> Decision | None:
    """A prompt that was heard only for what it changes is nothing where it changes nothing."""
    if LATER not in memory.details or known.overtaken:
        return None
    return Decision("refuse", memory, NOTHING, "It changes no memory that is in force.")


GATES: tuple[Gate, ...] = (
    changes_nothing,
    known_to_the_team,
    same_event,
    says_the_same,
)


def _new(memory: Memory, known: Known, gate: str) -> Decision:
    """A row of its own, or the one that said this before it was replaced, with proposals about what
    is similar and what it says otherwise."""
    memory = replace(memory, id=known.returns or memory.id)
    retire: list[tuple[Memory, str]] = []
    supersede: list[tuple[Memory, str]] = []
    action: Action = "insert"
    why = "No memory says the same."
    if known.overtaken and memory.status != "quarantined":
        # What cannot stand in the note takes nothing out of it, and what is heard for its change
        # alone ends no suggestion, and nothing where a change is not likely.
        is_told = is_as_written(memory.source.rule) or statement(memory.title, memory.content)
        uncertain = {
            other.id
            for other, said in known.overtaken
            if (said == "change" and not is_told)
            or not memory.details.get(LATER, True)
            or (other.status == "suggested" and LATER in memory.details)
        }
        # “Forget the rule about X” is done where it can mean only one, whoever wrote that.
        is_clear = all(map(memory.details.get, (LATER, WITHDRAWS))) and [
            other.status == "active" and not other.pinned for other, _ in known.overtaken
        ] == [True]
        for other, said in known.overtaken:
            why = succession.was_and_is(memory, other, said)
            is_asked = not is_clear and other.id in known.by_hand | uncertain
            (supersede if is_asked else retire).append((other, why))
        memory = _last_word(memory, known, uncertain, is_done=not supersede)
    if memory.status == "quarantined":
        action, gate, why = "quarantine", "quarantine", str(memory.details.get("quarantine", ""))
    elif memory.status == "suggested":
        action, why = "suggest", "No memory says the same; its source only suggests."
    return Decision(
        action,
        memory,
        gate,
        why,
        merge=tuple(known.similar),
        supersede=tuple(supersede),
        retire=tuple(retire),
    )


def _last_word(memory: Memory, known: Known, uncertain: Set[str], *, is_done: bool) -> Memory:
    """`memory` in force where it changes what is; a withdrawal is no rule itself, and history as
    soon as it `is_done`.

    Args:
        uncertain: the ids of those that it may overtake.
    """
    replaced = [
        other
        for other, _ in known.overtaken
        if other.status == "active" and other.id not in uncertain
    ]
    if known.rest:
        left = signals.said("as_before", language(memory.content), text=known.rest)
        content = f"{memory.content.removesuffix('.')} ({left})"
        if WITHDRAWS in memory.details:
            content, memory = known.rest, replace(memory, details={LATER: True})
        memory = replace(memory, content=content, title=wording.title(content))
    elif any(said == "withdrawal" for _, said in known.overtaken):
        # “Forget about X” says nothing by itself, so that the note goes on with the earlier one.
        is_named = WITHDRAWS in memory.details  # an order to forget, which no session is told
        is_statement = replaced and not is_named and statement(memory.title, memory.content)
        status: Status = "superseded" if is_done else "active" if is_statement else memory.status
        return replace(memory, status=status, details={WITHDRAWS: True, **memory.details})
    if not replaced:
        return memory
    # What a prompt changes stays of its kind, and as important as it was.
    return replace(
        memory,
        status="active",
        kind=replaced[0].kind if LATER in memory.details else memory.kind,
        priority=max(memory.priority, *(other.priority for other in replaced)),
    )


def _known_already(memory: Memory, old: Memory) -> Decision:
    return Decision(
        "refuse",
        memory,
        KNOWN_ALREADY,
        f"“{old.title}” says this already, and knows where it comes from.",
        known=old.id,
    )


def _reinforced(memory: Memory, known: Known, old: Memory) -> Decision:
    """The memory `old` says the same: it is reinforced unless it knows this source."""
    if known.has_source:
        return _known_already(memory, old)
    columns = {old.id: reinforcing(rows.to_row(old), memory, put_away=known.put_away)}
    return Decision(
        "reinforce",
        memory,
        "said before",
        f"What it says is known: “{old.title}”. It is one more source.",
        columns,
        old.id,
    )


def reinforcing(old: rows.Row, memory: Memory, *, put_away: bool) -> rows.Row:
    """The columns that change in the row `old`, whose memory `memory` repeats.

    A repetition that is kept keeps a suggestion too, unless an agent or an import repeats it.

    Args:
        put_away: whether the user or an agent archived it: it stays archived.
    """
    rule = memory.source.rule
    columns: rows.Row = {"reinforced": max(old["reinforced"], memory.reinforced)}
    is_claim = rule == BY_AGENT or rule.startswith(IMPORTED) or memory.claimed
    if old["status"] == "suggested" and memory.status == "active" and not is_claim:
        columns["status"] = "active"
    if old["status"] == "archived" and not put_away:
        columns["status"] = "active"
    is_weak = old["claimed"] or mark(old["rule"]) or old["withheld"]
    if is_weak and is_users_word(rule) and not memory.claimed:
        columns |= {**CONFIRMED, "rule": rule}
    return columns
