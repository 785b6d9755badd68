"""What one member asks of a hub: every method is one call, and may be repeated after a failure.

The hub is spoken to in plain psycopg: what writes is a function of its schema, and what reads is a
handful of statements, so that models would only say the same twice.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar

from cortex_core import __version__
from cortex_core.base.errors import HubUnreachable, TeamError
from cortex_core.base.hook_io import Closing
from cortex_core.base.text import is_hex
from cortex_core.records.teams import (
    HubEntry,
    HubIdentity,
    HubMemory,
    Item,
    Member,
    Place,
    Request,
    RequestStatus,
    Rights,
    TeamState,
    Unsearchable,
    Verdict,
)
from cortex_core.redaction.redactor import shared
from cortex_core.team.hub import address, answers, schema

if TYPE_CHECKING:
    import numpy as np
    from psycopg import Connection

T = TypeVar("T")

PAGE = 500
"""Entries, and memories, that are asked for at once."""

LOCKED = "55P03"
"""The code of PostgreSQL for a lock that was not to be had in time."""

POOLED = "statement pooling"
"""What stands for the code of an error that says so."""

MOST_REQUESTS = 1000
"""Requests that are listed, the newest."""


class Hub(Closing):
    """A connection to a hub, made when it is first needed; close it, or use it in `with`."""

    def __init__(
        self,
        url: str,
        *,
        plain: bool = False,
        extra: Sequence[str] = (),
        within: float | None = None,
    ) -> None:
        """Take an address; nothing is sent yet.

        Args:
            plain: whether the user allows a connection that is not encrypted.
            extra: the user's own patterns of secrets (setting `redact.extra`).
            within: seconds from now after which the hub counts as unreachable; None: no limit.

        Raises:
            TeamError: psycopg is missing, or the address is unusable.
        """
        try:
            # Optional: only a team needs it.
            import psycopg  # noqa: F401
        except ImportError:
            raise TeamError(
                "A hub needs the client of PostgreSQL. Nothing was changed. "
                "Install Cortex again with the extra team (docs/installing.md)."
            ) from None
        self.address = address.parse(url, plain=plain)
        self._extra = tuple(extra)
        self._connection: Connection[answers.Row] | None = None
        self._is_checked = False
        self._limit = None if within is None else _Limit(within)

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._is_checked = None, False
        if self._limit is not None:
            self._limit.let_go()

    # --- the hub itself

    def migrate(self) -> tuple[str, ...]:
        """Bring the schema of the hub to the newest version; returns what was done.

        Raises:
            TeamError: the server is too old, or rights are missing.
        """
        made = self._safely(schema.migrate)
        self._is_checked = False
        return tuple(f"{step.number}: {step.label}" for step in made)

    def identity(self) -> HubIdentity:
        """Which hub this is."""
        (found,) = self._read(
            lambda row: HubIdentity(id=str(row[0]), epoch=int(row[1])),
            self._rows("SELECT id::text, epoch FROM cortex.hub")[:1],
        )
        return found

    def role(self) -> str:
        """The login under which the user is a member."""
        return str(self._rows("SELECT session_user::text")[0][0])

    # --- teams and members

    def teams(self) -> list[TeamState]:
        """The teams of the user, by name; says to the hub which Cortex asks."""
        self._rows("SELECT cortex.hello(%s)", __version__)
        return self._read(answers.team_of, self._rows(answers.TEAMS))

    def create_team(
        self, team: str, name: str, display: str = "", *, self_approval: bool = False
    ) -> None:
        """Make a team with the id `team`, whose maintainer the user becomes."""
        self._rows(
            "SELECT cortex.create_team(%s, %s, %s, %s)",
            team,
            _clean(name),
            _clean(display),
            self_approval,
        )

    def members(self, team: str) -> list[Member]:
        """Its members, those who left at the end."""
        return self._read(answers.member_of, self._rows(answers.MEMBERS, team))

    def add_member(
        self, team: str, role: str, display: str = "", rights: Rights = "member"
    ) -> None:
        """Let a login into a team, or change its name and rights; maintainers may."""
        self._rows("SELECT cortex.add_member(%s, %s, %s, %s)", team, role, _clean(display), rights)

    def leave(self, team: str, role: str = "") -> None:
        """Leave a team, or, as a maintainer, take the login `role` out of it."""
        self._rows("SELECT cortex.leave(%s, coalesce(nullif(%s, ''), session_user))", team, role)

    # --- requests

    def propose(self, request: Request) -> None:
        """Send a memory pull request.

        Raises:
            TeamError: it holds a secret, has not the form that the hub reads, or the user is not
                a member.
        """
        self._refuse_secrets(request.items, request.reason)
        self._rows(
            "SELECT cortex.propose(%s, %s, %s, %s, %s, %s)",
            request.id,
            request.team,
            request.project,
            request.kind,
            _clean(request.reason),
            _dumped(request.items),
        )

    def requests(self, team: str, status: RequestStatus | None = "open") -> list[Request]:
        """The requests of a team, the oldest first; None: of every status.

        Of very many, these are the newest.
        """
        rows = self._rows(
            answers.OPEN if status == "open" else answers.REQUESTS, team, MOST_REQUESTS
        )
        return [
            each
            for each in self._read(answers.request_of, reversed(rows))
            if status in (None, each.status)
        ]

    def requests_named(self, team: str, beginning: str) -> list[Request]:
        """Requests whose id begins so, two at most; a beginning that no id has finds none."""
        digits = beginning.replace("-", "").lower()
        if not 1 <= len(digits) <= 32 or not is_hex(digits):
            return []
        first, last = digits.ljust(32, "0"), digits.ljust(32, "f")
        return self._read(answers.request_of, self._rows(answers.NAMED, team, first, last))

    def decide(
        self, request: str, verdict: Verdict, *, items: Sequence[Item] | None = None, note: str = ""
    ) -> int | None:
        """Approve, reject or withdraw a request; returns the number of its entry if approved.

        Args:
            items: what is approved instead of what was proposed: the same memories or fewer, with
                other words. These become a request of the user's own, which another member
                decides, and the result is None; where the user may decide alone, they are approved.

        Raises:
            TeamError: it holds a secret, was decided by another, the memories were changed since,
                or another member has to approve it.
        """
        if verdict == "approved":
            # What is approved is what the members will read, so it is looked through here too.
            approved, problem = items, ""
            if approved is None:
                asked: LiteralString = "SELECT items::text FROM cortex.request WHERE id = %s"
                found = self._rows(asked, request)
                approved, problem = answers.items_of(found[0][0] if found else "[]")
            if problem:
                raise TeamError(f"{problem} Nothing was changed. Reject the request.")
            self._refuse_secrets(approved, note)
        edited = None if items is None else _dumped(items)
        rows = self._rows(
            "SELECT cortex.decide(%s, %s, %s, %s)", request, verdict, edited, _clean(note)
        )
        return None if rows[0][0] is None else int(rows[0][0])

    def revert(self, request: str, revert: str, reason: str = "") -> int:
        """Take an approved request back, under the id `revert`; returns the number of the entry.

        Raises:
            TeamError: its memories were changed since, or the user is neither its author nor its
                approver nor a maintainer.
        """
        self._refuse_secrets((), reason)
        rows = self._rows("SELECT cortex.revert(%s, %s, %s)", request, revert, _clean(reason))
        return int(rows[0][0])

    def erase(self, team: str, erasure: str, ids: Iterable[str]) -> int:
        """Take memories out of a team, and their texts out of its whole past; maintainers may.

        Args:
            erasure: the id of this erasure: the same again is the same.
        """
        rows = self._rows("SELECT cortex.erase(%s, %s, %s::uuid[])", team, erasure, list(ids))
        return int(rows[0][0])

    # --- the log and the memories

    def entries(
        self, team: str, after: int = 0, audiences: Sequence[str] | None = None
    ) -> Iterator[HubEntry]:
        """The entries of a team's log after the number `after`, in order, page by page.

        Args:
            audiences: the only ones whose entries count; None: all of them.
        """
        while True:
            if audiences is None:
                rows = self._rows(answers.ENTRIES, team, after, PAGE)
            else:
                rows = self._rows(answers.ENTRIES_FOR, list(audiences), team, after, PAGE, PAGE)
            found = self._read(answers.entry_of, rows)
            self._check_order((after, *(each.sequence for each in found)))
            yield from found
            if len(rows) < PAGE:
                return
            after = found[-1].sequence

    def places(self, team: str, audiences: Sequence[str]) -> dict[str, Place]:
        """How far the entries of each audience go, at one moment."""
        rows = self._rows(answers.PLACES, team, list(audiences))
        reached = dict(self._read(answers.place_of, rows))
        return {audience: reached.get(audience, Place(0, b"")) for audience in audiences}

    def origins(self, team: str, project: str) -> set[str]:
        """The keys of the addresses that members' clones of a project come from."""
        return {str(row[0]) for row in self._rows(answers.ORIGINS, team, project)}

    def note_origin(self, team: str, project: str, origin: str) -> None:
        """Keep that a clone of a project comes from there."""
        self._rows("SELECT cortex.note_origin(%s, %s, %s)", team, project, origin)

    def count_entries(self, team: str, after: int, audiences: Sequence[str]) -> int:
        """How many entries some audiences have after the number `after`."""
        return int(self._rows(answers.COUNT_ENTRIES, team, list(audiences), after)[0][0])

    def memories(self, team: str, projects: Sequence[str], after: str = "") -> list[HubMemory]:
        """One page of the memories of some projects, by id, of those after the id `after`."""
        least = after or str(uuid.UUID(int=0))
        rows = self._rows(answers.MEMORIES, list(projects), team, least, PAGE, PAGE)
        found = self._read(answers.memory_of, rows)
        self._check_order((after, *(each.id for each in found)))
        return found

    def unsearchable(self, team: str, limit: int = PAGE) -> list[Unsearchable]:
        """Memories whose words or vectors nobody sent, the newest first; raw code needs no
        vectors."""
        return self._read(answers.unsearchable_of, self._rows(answers.UNSEARCHABLE, team, limit))

    def set_words(self, team: str, words: Iterable[tuple[str, int, str]]) -> int:
        """Give memories their words, by id and number of their entry, each as a tsvector; returns
        how many took them. What holds for vectors holds for them."""
        ids, sequences, cut = zip(*words, strict=True)
        asked: LiteralString = "SELECT cortex.set_words(%s, %s::uuid[], %s::bigint[], %s::text[])"
        return int(self._rows(asked, team, list(ids), list(sequences), list(cut))[0][0])

    def set_vectors(self, team: str, model: str, vectors: Iterable[Vectors]) -> int:
        """Give memories their vectors, by id and number of their entry; returns how many took them.

        A memory that was changed since, or has vectors that another member answers for, is left.
        """
        from pgvector import HalfVector  # sent as text: a connection need not know its type

        values = [
            (team, id_, sequence, model, HalfVector(vector).to_text(), bits, pieces)
            for id_, sequence, vector, bits, pieces in vectors
        ]

        def put(link: Connection[answers.Row]) -> int:
            with link.pipeline(), link.transaction():
                asked = "SELECT cortex.set_vector(%s, %s, %s, %s, %s, %s, %s)"
                cursors = [link.execute(asked, value) for value in values]
                return sum(bool(cursor.fetchall()[0][0]) for cursor in cursors)

        return self._checked(put)

    def reading(self, work: Callable[[Connection[answers.Row]], T]) -> T:
        """What `work` makes of the connection, in one transaction; what it does may be repeated."""

        def run(link: Connection[answers.Row]) -> T:
            with link.transaction():
                return work(link)

        return self._checked(run)

    # --- inside

    def _refuse_secrets(self, items: Iterable[Item], *texts: str) -> None:
        redactor = shared(self._extra)
        shapes = [dict(item.memory) for item in items if item.memory is not None]
        for value in (*shapes, *texts):
            if redactor.parts(value, "value" if isinstance(value, dict) else "") != value:
                title = f"“{value.get('title', '')}”" if isinstance(value, dict) else "The reason"
                raise TeamError(
                    f"{redactor.text(title)} holds what looks like a password or a key. Nothing "
                    "was sent. Remove it from the memory, and see: cortex secrets scrub --dry-run"
                )

    def _read(self, make: Callable[[answers.Row], T], rows: Iterable[answers.Row]) -> list[T]:
        """What `make` reads from rows, which are whatever the server says they are.

        Raises:
            TeamError: they have not the form that the schema gives them.
        """
        try:
            return [make(row) for row in rows]
        except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
            raise TeamError(
                f"The hub {self.address} sent what Cortex cannot read. Nothing was changed. Ask "
                "the owner of its database what answers there."
            ) from None

    def _check_order(self, marks: Sequence[Any]) -> None:
        """Refuse a page that does not go on where the one before ended: it could go on for ever.

        Raises:
            TeamError: these do not ascend.
        """
        if any(one >= other for one, other in pairwise(marks)):
            raise TeamError(
                f"The hub {self.address} sent a page twice, or out of order. Nothing of it was "
                "kept. Ask the owner of its database what answers there."
            )

    def _rows(self, sql: LiteralString, *values: object) -> list[answers.Row]:
        return self._checked(lambda link: link.execute(sql, values).fetchall())

    def _checked(self, work: Callable[[Connection[answers.Row]], T]) -> T:
        """`work` on a hub whose schema this Cortex knows."""
        if not self._is_checked:
            try:
                state = self._safely(lambda link: link.execute(schema.STATE).fetchall())
            except _NotMigrated:
                state = [(0, 0, None)]
            schema.check(*state[0])
            self._is_checked = True
        return self._safely(work)

    def _safely(self, work: Callable[[Connection[answers.Row]], T]) -> T:
        """`work`, repeated once: on a new connection where the old one was lost, or after the hub
        ended the transactions that it waited for in vain."""
        import psycopg

        for is_last in (False, True):
            link = self._connected()
            try:
                return work(link)
            except psycopg.Error as error:
                if link.broken or link.closed:
                    self.close()
                    if not is_last:
                        continue
                elif error.sqlstate == LOCKED and self._is_checked and not is_last:
                    self._rows("SELECT cortex.make_way()")
                    continue
                raise _translated(error, self.address) from None
        raise AssertionError("unreachable")

    def _connected(self) -> Connection[answers.Row]:
        import psycopg
        from psycopg.types.json import set_json_loads

        if self._connection is None:
            limit = self._limit
            patience = {} if limit is None else {"connect_timeout": limit.left(self.address)}
            try:
                link = psycopg.connect(
                    **{**self.address.parameters, **patience},
                    autocommit=True,
                    prepare_threshold=None,  # poolers forbid prepared statements
                    application_name=f"cortex/{__version__}",
                )
            except psycopg.Error as error:
                raise _no_connection(error, self.address) from None
            set_json_loads(answers.loaded, link)
            self._connection = link
            if limit is not None:
                limit.watch(link)
        return self._connection


class _Limit:
    """The end of one's patience with a hub: then its connection is cut, whatever it waits for."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._timer: threading.Timer | None = None
        self._end: socket.socket | None = None

    def left(self, where: address.Address) -> int:
        """Whole seconds that are left, at least 1.

        Raises:
            HubUnreachable: none are.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise HubUnreachable(
                f"The hub {where} cannot be reached: it takes too long. Nothing was changed."
            )
        return max(1, round(left))

    def watch(self, link: Connection[answers.Row]) -> None:
        """Cut a connection when the time is over; the thread that waits for it sees it end."""
        self.let_go()
        self._end = socket.socket(fileno=os.dup(link.fileno()))
        self._timer = threading.Timer(max(0.0, self._until - time.monotonic()), self._cut)
        self._timer.daemon = True
        self._timer.start()

    def let_go(self) -> None:
        """Watch no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._end is not None:
            self._end.close()
            self._end = None

    def _cut(self) -> None:
        if (end := self._end) is not None:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


Vectors = tuple[str, int, "np.ndarray[Any, Any]", bytes | None, bytes | None]
"""A memory's id, the number of its entry, its vector, its token bits and the ids of its pieces."""


def _dumped(items: Iterable[Item]) -> str:
    return json.dumps(
        _clean([{"id": item.id, "base": item.base, "memory": item.memory} for item in items]),
        ensure_ascii=False,
    )


def _clean(value: T) -> T:
    """A value without what PostgreSQL cannot hold: NUL, and halves of characters."""
    cleaned: Any = value
    if isinstance(value, str):
        cleaned = value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    elif isinstance(value, Mapping):
        cleaned = {_clean(name): _clean(each) for name, each in value.items()}
    elif isinstance(value, list | tuple):
        cleaned = [_clean(each) for each in value]
    return cleaned  # type: ignore[no-any-return]


# --- errors in words


class _NotMigrated(TeamError):
    """The schema is not there, or is not shown to this login."""


_REFUSALS: tuple[tuple[tuple[str, ...], type[TeamError], str], ...] = (
    (
        ("42P01", "3F000", "42883"),
        _NotMigrated,
        "The hub {where} has not the tables that this Cortex needs. Nothing was changed. The owner "
        "of its database runs: cortex team migrate",
    ),
    (
        ("42501",),
        TeamError,
        "Your login may not use the hub {where}. Nothing was changed. The owner of its database "
        "runs: GRANT cortex_member TO your login",
    ),
    (
        (POOLED,),
        TeamError,
        "The pooler in front of the hub {where} pools single statements. Nothing was changed. Its "
        "owner lets it pool sessions or transactions.",
    ),
    (
        ("08", "57P"),
        HubUnreachable,
        "The connection to the hub {where} was lost. Whether the last change arrived is not known; "
        "asking again is safe, nothing is done twice.",
    ),
    (
        (LOCKED,),
        HubUnreachable,
        "The hub {where} is busy: another member's change took too long. Nothing was changed. Try "
        "again.",
    ),
    (("",), TeamError, "The hub {where} refused: {said} ({state}). Nothing was changed."),
)
"""How the codes of an error begin, and what it means."""


def _translated(error: Any, where: address.Address) -> TeamError:
    """An error of the server as a sentence; never with an address that has a password."""
    state, said = error.sqlstate or "08", error.diag.message_primary or ""
    # The hub words its own refusals.
    if state.startswith("CX"):
        return TeamError(said)
    state = POOLED if "statement pooling" in said else state
    kind, words = next(
        (kind, words) for states, kind, words in _REFUSALS if state.startswith(states)
    )
    return kind(words.format(where=where, said=said, state=state))


_CAUSES = (
    ("authentication failed", "the password or the login is wrong. Check the address"),
    ("no password supplied", "it wants a password. Put it into ~/.pgpass, or into the address"),
    (
        "pg_hba.conf",
        "it lets this login in from no such address, or not without encryption. Its "
        "owner adds a line to pg_hba.conf, hostssl or local",
    ),
    ("role ", "it has no such login. The owner of its database creates it"),
    ("database", "it has no such database. Check the address, or have its owner create it"),
    ("does not match host name", "its certificate is for another name. Use the name that is in it"),
    (
        "certificate",
        "its certificate is not one that this machine trusts. Give its authority with "
        "sslrootcert=FILE, or write sslmode=require to encrypt without checking who answers",
    ),
    ("SSL", "it does not encrypt connections. Have its owner switch ssl on"),
    ("too many", "it has too many connections. Try again later"),
    ("resolve host", "its host is not known. Check the address and the network"),
    ("timeout", "it did not answer within 10 seconds. Check the network and the address"),
    ("refused", "nothing listens there. Check the address, and that the server runs"),
)
"""What libpq says of a connection that was not made, and what that means."""


def _no_connection(error: Exception, where: address.Address) -> TeamError:
    said = str(error).partition("failed: ")[2] or str(error)
    why = next((cause for sign, cause in _CAUSES if sign in said), "it did not answer")
    return HubUnreachable(f"The hub {where} cannot be reached: {why}. Nothing was changed.")
