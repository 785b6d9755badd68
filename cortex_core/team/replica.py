"""The replica: a team's log from its hub, followed entry by entry into the local store of the team.

How far it has come is noted in the transaction that writes, and belongs to one hub and one epoch of
it; each entry proves that it follows the one before. What arrives is checked like any import,
whoever approved it: times, shapes and sizes, secrets, and orders to an agent, which wait in
quarantine.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from cortex_core.base.config import Config
from cortex_core.base.errors import TeamError, UsageError
from cortex_core.capture import admission
from cortex_core.exchange import jsonl
from cortex_core.exchange.importer import purified
from cortex_core.fields import FIELDS
from cortex_core.store import rows
from cortex_core.store.journal import Change
from cortex_core.store.store import Store
from cortex_core.store.workspace import naming
from cortex_core.team.types import HubEntry, HubIdentity, Item, Proposed, Request
from cortex_core.types import Context, Memory, Source

PAGE = 500
"""Entries that are written in one transaction."""

META = "team"
"""The meta row of the replica with what it follows."""

_STATED_BY_HUB = frozenset({"id", "scope", "confidence", "status", "pinned", "author", "looks",
                            "access_count", "last_access", "session", "place", "message", "offset",
                            "transcript", "folder", "origin"})  # fmt: skip
"""Fields that a proposal leaves out: the hub states them itself, or they say something of this
machine alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What a replica follows, and how far it has come."""

    hub: str
    """The identity of the hub."""
    epoch: int
    team: str
    """The team's id."""
    name: str
    """What the team is called."""
    role: str
    """The user's login on the hub."""
    project: str
    """The key of the project; the replica holds its memories and those for every project."""
    sequence: int = 0
    """The last entry that was read."""
    hash: str = ""
    """Of that entry, as hex digits."""
    read: float = 0.0
    """When the hub was asked last, Unix seconds."""
    problem: str = ""
    """Why it could not be read from since; empty where it could."""


def followed(store: Store) -> Followed | None:
    """What a replica follows; None for one that was never joined to a team."""
    held = store.meta(META)
    return Followed(**json.loads(held)) if held else None


def follow(store: Store, what: Followed) -> None:
    """Note what a replica follows."""
    store.set_meta(META, json.dumps(asdict(what)))


def check_hub(what: Followed, hub: HubIdentity) -> None:
    """Make sure that the replica follows this hub.

    Raises:
        TeamError: it is another one, or it was restored from a backup.
    """
    if what.hub != hub.id:
        raise TeamError(
            f"This is another hub than the one of team {what.name}. Nothing was changed. If the "
            "team has moved, leave it and join again: cortex team leave"
        )
    if what.epoch != hub.epoch:
        raise _diverged(what)


def _diverged(what: Followed) -> TeamError:
    return TeamError(
        f"The log of team {what.name} is not the one that was followed here: the hub was restored "
        "from a backup, or its log was edited. Nothing was changed. Ask its maintainers; then join "
        "again: cortex team leave, cortex team join"
    )


def shape_of(memory: Memory) -> dict[str, Any]:
    """What a proposal says of a memory."""
    return {
        one.name: one.plain(memory)
        for one in FIELDS
        if one.carried and one.name not in _STATED_BY_HUB and one.plain(memory) != one.default
    } | {"content": memory.content, "title": memory.title, "kind": memory.kind}


def receive(
    store: Store, entries: Iterable[HubEntry], config: Config, *, keys: Collection[str]
) -> tuple[int, list[str]]:
    """Write entries of the log to the replica, each page in one transaction; how many memories
    differ, and what was refused.

    Args:
        keys: the keys of the project. What is for other projects is passed over.

    Raises:
        TeamError: an entry does not follow the one before it; nothing of its page was written.
    """
    problems: list[str] = []
    changed = 0
    arriving = iter(entries)
    while page := list(islice(arriving, PAGE)):  # the hub is asked while nothing is locked
        with store.write():
            what = followed(store)
            if what is None:
                raise TeamError("This replica follows no team.")
            for entry in page:
                if not _is_next(what, entry):
                    raise _diverged(what)
                if entry.project in ("", *keys):
                    problems += [entry.problem] if entry.problem else []
                    changed += _write(store, entry, what, config, problems)
                what = replace(what, sequence=entry.sequence, hash=entry.hash.hex())
            follow(store, what)
    return changed, problems


def _is_next(what: Followed, entry: HubEntry) -> bool:
    return entry.sequence == what.sequence + 1 and entry.follows(bytes.fromhex(what.hash))


def _write(
    store: Store, entry: HubEntry, what: Followed, config: Config, problems: list[str]
) -> int:
    """One entry as one change."""
    arrived: list[Memory] = []
    for item in (each for each in entry.items if each.memory is not None):
        try:
            arrived.append(memory_of(item, entry, what, config, store.clock()))
        except UsageError as error:
            problems.append(f"A memory of {item.author or entry.author} was refused: {error}.")
            continue
        if arrived[-1].status == "quarantined":
            why = arrived[-1].details["quarantine"]
            problems.append(f"A memory of {arrived[-1].source.author} is in quarantine: {why}")
    gone = [item.id for item in entry.items if item.memory is None]
    label = f"receive {naming(arrived)}" if arrived else f"remove {len(gone)} of the team's"
    by = f" by {entry.author}, approved by {entry.approver}"
    with store.change("receive", label + by, "team") as change:
        for memory in arrived:
            _put(change, memory)
        return len(arrived) + sum(change.delete("memory", name) for name in gone)


def _put(change: Change, memory: Memory) -> None:
    row = rows.to_row(memory)
    if change.read("memory", memory.id) is None:
        change.insert("memory", row)
        change.insert("source", rows.source_row(memory.id, memory.source))
        return
    kept = {"access_count", "last_access", "looks"}
    change.update("memory", memory.id, {name: row[name] for name in row.keys() - kept})


def proposed(
    store: Store, request: Request, what: Followed, config: Config
) -> tuple[Proposed, ...]:
    """Each memory of a request as the replica has it, and as an approval would let it arrive."""
    entry = HubEntry(
        sequence=what.sequence + 1, time=store.clock(), author=request.author, approver=what.role,
        request=request.id, verb="add", project=request.project, edited=False, erased=False,
        items=request.items, hash=b"", proof=(b"", b""), items_digest=b"",
    )  # fmt: skip
    return tuple(_proposed(store, item, entry, what, config) for item in request.items)


def _proposed(
    store: Store, item: Item, entry: HubEntry, what: Followed, config: Config
) -> Proposed:
    before = next(iter(store.memories([item.id])), None)
    if item.memory is None:
        return Proposed(before=before, after=None)
    try:
        after = memory_of(item, entry, what, config, store.clock())
    except UsageError as error:
        return Proposed(before=before, after=None, problem=f"It would be refused here: {error}.")
    return Proposed(before=before, after=after)


def memory_of(item: Item, entry: HubEntry, what: Followed, config: Config, now: float) -> Memory:
    """The memory that an entry brings.

    Author and approver are those that the hub states, and never those of its text.

    Raises:
        UsageError: it has not the form of a memory, or nothing is left of it without secrets.
    """
    given = {
        name: value
        for name, value in jsonl.usable(item.memory).items()
        if name not in _STATED_BY_HUB
    }
    author = item.author or entry.author
    read = jsonl.to_memory({**given, "id": item.id}, "team", now, None, config.kinds)
    pure = purified(read, config)
    arrived = replace(
        pure, status="active", pinned=False, guard="remind",
        source=Source(rule="person", author=author, time=pure.source.time), sources=(),
        created=min(pure.created, now), updated=max(0.0, min(entry.time, now)),
        reinforced=min(pure.reinforced, now),
        context=Context(branch=pure.context.branch, commit=pure.context.commit,
                        files=pure.context.files),
        origin={
            "team": what.name, "approved_by": entry.approver, "request": entry.request,
            "project": entry.project, "sequence": entry.sequence,
            **({"mine": True} if author == what.role else {}),
        },
    )  # fmt: skip
    return admission.quarantined_if_needed(arrived, by_user=True)
