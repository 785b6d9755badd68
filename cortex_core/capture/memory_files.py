"""Keeps the memories of an agent's own memory files in step with what these state.

The user's word stays: what they changed, pinned or put away is proposed to change, or left alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from cortex_core.admission import amending, apply, checks, gates
from cortex_core.base import text
from cortex_core.base.authorship import AGENTS_MEMORY
from cortex_core.records.events import Amendment, Candidate
from cortex_core.records.memory import Memory, Source
from cortex_core.store import journal, memory_lookup, rows
from cortex_core.store.journal import Change
from cortex_core.store.store import Store


def update(
    store: Store,
    change: Change,
    file: str,
    stated: Sequence[Candidate],
    moment: float,
    transcript: str = "",
) -> apply.Admitted:
    """Bring the memories of a file up to date, inside the open `change`.

    Args:
        file: its name in the folder of the agent's memory.
        stated: what it states, checked; nothing where it is gone.
        moment: since when it does (Unix seconds); what is known from later stays.
        transcript: the one that shows it; empty where it was read from the disk.
    """
    admitted = apply.Admitted()
    old = memory_lookup.of_agents_file(store, file, AGENTS_MEMORY)
    if any(one.origin.get("time", 0.0) > moment for one in old):
        admitted.refused[gates.KNOWN_ALREADY] += len(stated)
        return admitted
    known = {str(one.origin.get("said") or one.content_hash): one for one in old}
    said = {text.content_hash(one.content): one for one in stated}
    fresh = [
        replace(
            one,
            priority=store.kinds.known(one.kind).priority,
            origin={"file": file, "said": hash, "time": moment},
        )
        for hash, one in said.items()
        if hash not in known
    ]
    gone = [
        one
        for hash, one in known.items()
        if hash not in said and one.status in ("active", "suggested")
    ]
    for hash in said.keys() & known.keys():
        _bring_back(store, change, known[hash], admitted)
    # A statement that was edited keeps its memory, with its id, links and history.
    for before, after in zip_longest(gone, fresh):
        if before is not None:
            _reword_or_drop(store, change, before, after, moment, transcript, admitted)
        if after is not None and (before is None or checks.reason_to_wait(after)):
            admitted.add(apply.admit(store, change, [after], transcript))
    return admitted


def _reword_or_drop(
    store: Store,
    change: Change,
    old: Memory,
    new: Candidate | None,
    moment: float,
    transcript: str,
    admitted: apply.Admitted,
) -> None:
    """Have a memory say what its file says now, or put it away where the file no longer says it."""
    amendment, source = Amendment(memory=old.id, verb="outdated"), old.source
    origin = {**old.origin, "time": moment}
    if new is not None and not checks.reason_to_wait(new):
        origin = dict(new.origin)
        amendment = Amendment(
            memory=old.id, verb="reword", content=new.content, title=new.title, kind=new.kind
        )
        source = Source(
            rule=AGENTS_MEMORY,
            session=new.session,
            message=new.message,
            offset=new.offset,
            transcript=transcript,
            time=new.time,
        )
    # The mark first: a proposal copies the memory, and what it says is known from now on.
    change.update("memory", old.id, {"origin": rows.dumps(origin)})
    if not amending.amend(store, change, amendment, source):
        admitted.updated.append(old.id)


def _bring_back(store: Store, change: Change, old: Memory, admitted: apply.Admitted) -> None:
    """Bring back what only its file had put away, and that the file says again."""
    if old.status == "archived" and journal.put_away_by(store, old.id) not in ("person", "agent"):
        change.update("memory", old.id, {"status": "active", "updated": change.time})
        admitted.updated.append(old.id)
    else:
        admitted.refused[gates.KNOWN_ALREADY] += 1
