"""The replica: a team's memories for one project, from its hub into the local store of the team.

Joining takes the memories as they are, page by page, and notes before the first page how far the
log goes; from there the log is followed, entry by entry, as far as it concerns this project. What a
page had of later entries, the log then brings again. How far all this has come is noted in the
transactions that write, and belongs to one hub and one epoch of it; each entry proves that it
follows the one before of its audience. What arrives is checked like any import, whoever approved
it: times, shapes and sizes, secrets, and orders to an agent, which wait in quarantine.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import islice
from typing import Any

from cortex_core.admission import checks
from cortex_core.base import authorship
from cortex_core.base.config import Config
from cortex_core.base.errors import TeamError, UsageError
from cortex_core.exchange import jsonl
from cortex_core.records.fields import FIELDS
from cortex_core.records.memory import Context, Memory, Source
from cortex_core.records.teams import (
    HubEntry,
    HubIdentity,
    HubMemory,
    Item,
    Place,
    Proposed,
    Request,
)
from cortex_core.store import memory_lookup, rows, scrubbing, trash
from cortex_core.store.journal import Change
from cortex_core.store.reader import Reader
from cortex_core.store.store import Store
from cortex_core.store.workspace import naming

PAGE = 500
"""Entries that are written in one transaction."""

STRANGERS = f"{authorship.TEAM}person"
"""The rule by which the words of another member count as learned."""

META = "team"
"""The meta row of the replica with what it follows."""

_STATED_BY_HUB = frozenset(
    {
        "id",
        "scope",
        "confidence",
        "status",
        "pinned",
        "author",
        "looks",
        "access_count",
        "last_access",
        "session",
        "place",
        "message",
        "offset",
        "transcript",
        "folder",
        "origin",
    }
)
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
    is_named: bool = False
    """Whether the user named a project that git knows, whose keys do not count then."""
    sequence: int = 0
    """The last entry that was read, of those that concern the project."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """Of the last entry for each audience that was read, as hex digits: for everyone, and for each
    key of the project. Empty: joining has not begun."""
    taken: str | None = ""
    """While joining, the id of the last memory that was taken; None: all were."""
    read: float = 0.0
    """When the hub was asked last, Unix seconds."""
    problem: str = ""
    """Why it could not be read from since; empty where it could."""


def followed(store: Reader) -> Followed | None:
    """What a replica follows; None for one that was never joined to a team.

    Raises:
        TeamError: it does not say that in a form of this version.
    """
    held = store.meta(META)
    if not held:
        return None
    try:
        found = json.loads(held)
        return Followed(
            **{one.name: found[one.name] for one in fields(Followed) if one.name in found}
        )
    except (ValueError, TypeError) as error:
        raise TeamError(
            "The copy of the team's memories does not say which team it follows. Nothing was "
            "changed. Make it again: cortex doctor --fix"
        ) from error


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


def begin(store: Store, what: Followed, places: Mapping[str, Place]) -> Followed:
    """Note how far the log goes; the memories are to be taken as they are from now on.

    Args:
        places: of each audience that concerns the project.
    """
    begun = replace(
        what,
        sequence=max(place.sequence for place in places.values()),
        taken="",
        hashes={audience: place.hash.hex() for audience, place in places.items()},
    )
    follow(store, begun)
    return begun


def take(
    store: Store, what: Followed, page: Sequence[HubMemory], config: Config
) -> tuple[int, list[str]]:
    """Write a page of the team's memories, by id, to the replica, in one transaction; how many
    memories differ, and what was refused. An empty page is the last.

    What the replica has between the page before and the end of this one is gone from the team.
    Nothing is written where another process has gone on since.

    Args:
        what: how far joining had come when the page was asked for.
    """
    problems: list[str] = []
    with store.write():
        now = _followed(store)
        if (now.taken, now.hashes) != (what.taken, what.hashes):
            return 0, []
        last = page[-1].id if page else None
        kept = {each.id for each in page}
        here = memory_lookup.ids_between(store, what.taken or "", last)
        gone = [id_ for id_ in here if id_ not in kept]
        arrived = list(_readable(page, what, config, store.clock(), problems))
        changed = _write(store, arrived, gone)
        follow(store, replace(what, taken=last))
    return changed, problems


def check_places(what: Followed, places: Mapping[str, Place]) -> None:
    """Make sure that a hub still has the past that was followed here.

    Raises:
        TeamError: it has another one.
    """
    for audience, place in places.items():
        is_read = place.sequence <= what.sequence
        if is_read and what.hashes.get(audience, "") != place.hash.hex():
            raise _diverged(what)


def receive(store: Store, entries: Iterable[HubEntry], config: Config) -> tuple[int, list[str]]:
    """Write entries of the log to the replica, each page in one transaction; how many memories
    differ, and what was refused. What another process has read since is passed over.

    Raises:
        TeamError: an entry does not follow the one before it; nothing of its page was written.
    """
    problems: list[str] = []
    changed = 0
    arriving = iter(entries)
    while page := list(islice(arriving, PAGE)):  # the hub is asked while nothing is locked
        erases = any(entry.verb == "erase" for entry in page)
        if erases:
            scrubbing.overwrite_freed_pages(store)
        with store.write():
            what = _followed(store)
            for entry in (each for each in page if each.sequence > what.sequence):
                if not entry.follows(bytes.fromhex(what.hashes.get(entry.audience, ""))):
                    raise _diverged(what)
                problems += [entry.problem] if entry.problem else []
                changed += _write_entry(store, entry, what, config, problems)
                hashes = {**what.hashes, entry.audience: entry.hash.hex()}
                what = replace(what, sequence=entry.sequence, hashes=hashes)
            follow(store, what)
        if erases:
            scrubbing.rewrite_file(store)
    return changed, problems


def _followed(store: Store) -> Followed:
    what = followed(store)
    if what is None:
        raise TeamError("This replica follows no team.")
    return what


def _write_entry(
    store: Store, entry: HubEntry, what: Followed, config: Config, problems: list[str]
) -> int:
    """One entry as one change. What it moves to another project is gone from this one."""
    is_here = entry.project in ("", *what.hashes)
    written = [item for item in entry.items if item.memory is not None and is_here]
    gone = [item.id for item in entry.items if item.memory is None or not is_here]
    stated = (
        HubMemory(
            id=item.id,
            memory=item.memory or {},
            author=item.author or entry.author,
            approver=entry.approver,
            request=entry.request,
            project=entry.project,
            sequence=entry.sequence,
            time=entry.time,
        )
        for item in written
    )
    # What has not the form of a memory costs itself alone.
    arrived = list(_readable(stated, what, config, store.clock(), problems))
    changed = _write(store, arrived, gone, f" by {entry.author}, approved by {entry.approver}")
    if entry.verb == "erase":
        trash.erase(store, gone)
    return changed


def _readable(
    stated: Iterable[HubMemory], what: Followed, config: Config, now: float, problems: list[str]
) -> Iterator[Memory]:
    for each in stated:
        try:
            memory = memory_of(each, what, config, now)
        except UsageError as error:
            problems.append(f"A memory of {each.author} was refused: {error}.")
            continue
        if memory.status == "quarantined":
            why = memory.details["quarantine"]
            problems.append(f"A memory of {each.author} is in quarantine: {why}")
        yield memory


def _write(store: Store, arrived: Sequence[Memory], gone: Sequence[str], by: str = "") -> int:
    """Memories as one change; how many differ."""
    if not arrived and not gone:
        return 0
    label = f"receive {naming(arrived)}" if arrived else f"remove {len(gone)} of the team's"
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
    store: Store, item: Item, request: Request, what: Followed, config: Config
) -> Proposed:
    """A memory of a request as the replica has it, and as an approval would let it arrive."""
    before = next(iter(store.memories([item.id])), None)
    if item.memory is None:
        return Proposed(before=before, after=None)
    stated = HubMemory(
        id=item.id,
        memory=item.memory,
        author=request.author,
        approver=what.role,
        request=request.id,
        project=request.project,
        sequence=what.sequence + 1,
        time=store.clock(),
    )
    try:
        after = memory_of(stated, what, config, store.clock())
    except UsageError as error:
        return Proposed(before=before, after=None, problem=f"It would be refused here: {error}.")
    return Proposed(before=before, after=after)


def memory_of(stated: HubMemory, what: Followed, config: Config, now: float) -> Memory:
    """The memory as the replica has it.

    Author and approver are those that the hub states, and never those of its text.

    Raises:
        UsageError: it has not the form of a memory, or nothing is left of it without secrets.
    """
    # What the text of a memory claims of its author counts for nothing.
    given = {
        name: value
        for name, value in jsonl.usable(stated.memory).items()
        if name not in _STATED_BY_HUB
    }
    read = jsonl.to_memory({**given, "id": stated.id}, "team", now, None, config.kinds)
    pure = checks.checked_memory(read, config)
    arrived = replace(
        pure,
        status="active",
        pinned=False,
        guard="remind",
        source=Source(rule="person", author=stated.author, time=pure.source.time),
        sources=(),
        created=min(pure.created, now),
        updated=max(0.0, min(stated.time, now)),
        reinforced=min(pure.reinforced, now),
        context=Context(
            branch=pure.context.branch, commit=pure.context.commit, files=pure.context.files
        ),
        origin={
            "team": what.name,
            "approved_by": stated.approver,
            "request": stated.request,
            "project": stated.project,
            "sequence": stated.sequence,
            **({"mine": True} if what.role in (stated.author, stated.approver) else {}),
        },
    )
    # What the user proposed are the user's words; a member's are a stranger's to the agent.
    is_own = stated.author == what.role
    return checks.quarantined_if_needed(arrived, by_user=is_own, rule="" if is_own else STRANGERS)
