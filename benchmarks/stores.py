"""Made-up stores of any size for measuring speed, kept from run to run.

Sentences come from a small grammar and word lists of our own, drawn with a fixed seed. The first
`BASES` are encoded by the shipped model. Every later memory is one of them with another ending; its
vector is the base's, moved a little at random, and its token bits are the base's: as many and as
scattered as real ones, at a hundredth of the time. The rows are written past the journal, which
holds nothing but their being made.
"""

from __future__ import annotations

import pickle
import random
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import Cortex
from cortex_core.embeddings import stored
from cortex_core.embeddings.local import DIMENSION, NAME, shipped
from cortex_core.extract.wording import title
from cortex_core.records.memory import Memory, Source
from cortex_core.store import rows, vectors
from cortex_core.store.reader import SCHEMA_VERSION

if TYPE_CHECKING:
    from cortex_core.embeddings.protocol import Encoded, QueryEncoding
    from cortex_core.store.store import Store

VERSION = 1
"""Raised when the grammar changes: stores of another version, or schema, are rebuilt."""

BASES = 3000
NOW = 1_789_646_400.0
MOVED = 0.35
"""Length of the random step from a base's vector, which has length 1."""

_PARTS = """
scheduler importer renderer gateway parser indexer exporter cache queue worker migration session
login billing invoice search crawler uploader thumbnail editor plugin theme router proxy balancer
collector sampler tokenizer formatter linter compiler loader resolver watcher notifier mailer
payment basket catalogue warehouse shipment tracker timeline calendar reminder chat presence
avatar profile permission tenant audit ledger report dashboard chart map geocoder sensor firmware
""".split()
_THINGS = """
timeout retry lock transaction index column payload header cookie token certificate checksum
timestamp timezone encoding newline locale currency rounding precision overflow underflow deadlock
leak race handle socket buffer stream chunk batch page cursor offset snapshot replica shard
partition backup restore rollback schema constraint trigger view fixture snapshot mock stub
coverage benchmark profile flag toggle secret variable path folder symlink permission quota limit
""".split()
_TOOLS = """
Postgres Redis SQLite Kafka RabbitMQ nginx Docker Kubernetes Terraform Ansible pytest ruff mypy
Webpack Vite ESLint React Svelte Django FastAPI Flask Rails Go Rust cargo gradle Maven GitHub
Jenkins Grafana Prometheus Sentry MQTT gRPC GraphQL OpenAPI protobuf Parquet Arrow NumPy
""".split()
_ADJECTIVES = """
stale nested empty duplicate expired missing partial negative oversized malformed concurrent nightly
weekly remote local shared private signed unsigned lazy eager cached streamed compressed encrypted
""".split()
_EFFECTS = (
    "loses the last row",
    "hangs for a minute",
    "answers with 500",
    "doubles every entry",
    "ignores the flag",
    "fills the disk",
    "drops the connection",
    "reads the old value",
    "starts twice",
    "forgets the order",
    "blocks the event loop",
    "returns the wrong page",
    "swallows the error",
    "fails on Windows only",
    "takes ten times longer",
    "leaks a handle",
)
_REMEDIES = (
    "take the lock before reading",
    "pass the limit explicitly",
    "close it in a finally block",
    "compare in UTC",
    "raise the timeout to a minute",
    "split the batch",
    "pin the version",
    "warm it at start",
    "read from the primary",
    "validate at the border",
    "retry with a jitter",
    "hash the content instead",
    "write to a temporary file and rename",
    "run it in a worker",
)
_REASONS = (
    "customers noticed the delay",
    "the vendor asked for it",
    "the tests were flaky otherwise",
    "it halves the memory",
    "nobody could debug the old way",
    "the audit requires it",
    "two releases broke on it",
    "the network is slow there",
    "it survives a restart",
)
_PATTERNS = (
    ("gotcha", "The {a} {p} {e} when a {t} is {b}; {r}."),
    ("decision", "We keep the {t} of the {p} in {x}, not in {y}, because {w}."),
    ("solution", "The {p} {e} with {x}: the {a} {t} was to blame. To mend it, {r}."),
    ("fact", "The {p} talks to {x} through a {a} {t} of {n} seconds, and {i} holds its name."),
    ("pattern", "Every {t} of the {p} goes through {i}, so that no {a} {s} is left behind."),
    ("insight", "Most {p} errors come from a {a} {t}; {w}, so {r}."),
    ("procedure", "To change the {p} {t}: stop {x}, run `{i} --{t}`, check the {s}, start {y}."),
    ("preference", "Prefer a {a} {t} over a {b} {s} in the {p}, because {w}."),
)
_ASKED = (
    "why does the {p} stop when the {t} is {a}",
    "add a {t} to the {p}",
    "the {p} shows something wrong since we moved to {x}",
    "how do we handle a {b} {t} here",
    "make the {p} faster",
    "write a test for {i}",
    "what did we decide about the {t} of the {p}",
    "{x} complains about a {a} {t} in the {p}, fix it please",
    "rename {i} everywhere",
)


@dataclass(frozen=True, slots=True)
class Made:
    """A store that is ready."""

    root: Path
    """The project."""
    home: Path
    """The global side."""
    count: int


def sentences(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Kind and text of `count` made-up memories."""
    chance = random.Random(seed)
    for _ in range(count):
        kind, pattern = chance.choice(_PATTERNS)
        yield kind, _filled(pattern, chance)


def questions(count: int, seed: int = 2) -> list[str]:
    """Made-up prompts about the same subjects."""
    chance = random.Random(seed)
    return [_filled(chance.choice(_ASKED), chance) for _ in range(count)]


def store_of(count: int, cache: Path) -> Made:
    """A project with `count` memories and their vectors below `cache`, made if it is not there."""
    folder = cache / "stores" / f"{VERSION}.{SCHEMA_VERSION}-{count}"
    made = Made(folder / "project", folder / "home", count)
    done = folder / "made"
    if not done.exists():
        print(f"Making a store of {count:,} memories in {folder}", flush=True)
        made.root.mkdir(parents=True, exist_ok=True)
        with Cortex.open(made.root, made.home) as cortex:
            _fill(cortex.workspace.store("project"), count, bases(cache))
        done.touch()
    return made


class CopyingModel:
    """Gives each text the encodings of two made-up sentences, moved a little: vectors as scattered
    as real ones, at a hundredth of the time."""

    name = NAME
    dimension = DIMENSION

    def __init__(self, cache: Path) -> None:
        self._bases = bases(cache)

    def encode(self, text: str, before: str = "") -> Encoded:
        """The same for the same text."""
        seed = zlib.crc32(text.encode())
        first, second = self._bases[seed % BASES], self._bases[seed // BASES % BASES]
        both = first._replace(bits=first.bits + second.bits, pieces=first.pieces + second.pieces)
        return _moved(both, seed)

    def query(self, text: str) -> QueryEncoding:
        """As the shipped model does."""
        return shipped().query(text)


def _filled(pattern: str, chance: random.Random) -> str:
    parts = {
        "a": _ADJECTIVES,
        "b": _ADJECTIVES,
        "p": _PARTS,
        "t": _THINGS,
        "s": _THINGS,
        "x": _TOOLS,
        "y": _TOOLS,
        "e": _EFFECTS,
        "r": _REMEDIES,
        "w": _REASONS,
    }
    words = {name: chance.choice(found) for name, found in parts.items()}
    name = f"{chance.choice(_THINGS)}_{chance.choice(_PARTS)}_{chance.choice(_THINGS)}"
    return pattern.format(**words, i=name, n=chance.randrange(2, 900))


def bases(cache: Path) -> list[Encoded]:
    """The encodings of the first `BASES` sentences, kept in a file."""
    path = cache / f"bases-{VERSION}.pickle"
    if not path.exists():
        model = shipped()
        found = [model.encode(f"{title(text)}\n{text}") for _, text in sentences(BASES)]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    kept: list[Encoded] = pickle.loads(path.read_bytes())
    return kept


def memories(count: int) -> Iterator[Memory]:
    """`count` memories, a minute and a half apart, the newest last; twenty make a session."""
    chance = random.Random(3)
    texts = list(sentences(min(count, BASES)))
    for number in range(count):
        kind, text = texts[number % BASES]
        if number >= BASES:
            text = f"{text} {_filled('Seen in {i} with {x}.', chance)}"
        moment = NOW - 90.0 * (count - number)
        source = Source(
            rule="commit", session=f"session-{number // 20}", position=number % 20, time=moment
        )
        yield Memory(
            id=str(uuid.UUID(int=chance.getrandbits(128))),
            content=text,
            title=title(text),
            kind=kind,
            scope="project",
            initial_confidence=0.5 + 0.5 * chance.random(),
            priority=chance.randrange(3, 9),
            created=moment,
            updated=moment,
            reinforced=moment,
            source=source,
            globs=_globs(chance),
            pinned=number % 997 == 0,
        )


def _globs(chance: random.Random) -> tuple[str, ...]:
    return (f"src/{chance.choice(_PARTS)}/*.py",) if chance.random() < 0.1 else ()


def _fill(store: Store, count: int, bases: list[Encoded]) -> None:
    with store.write():
        for memory in memories(count):
            row = rows.to_row(memory)
            names = ",".join(f'"{name}"' for name in row)
            store.execute(
                f"INSERT INTO memory ({names}) VALUES ({','.join('?' * len(row))})",
                list(row.values()),
            )
    numbers = vectors.pending(store, NAME)
    for start in range(0, len(numbers), 2000):
        texts = stored.texts(store, numbers[start : start + 2000])
        made = [(text, _moved(bases[(text.number - 1) % BASES], text.number)) for text in texts]
        stored.save(store, made, NAME, DIMENSION)


def _moved(base: Encoded, seed: int) -> Encoded:
    """`base` with its vector a random step away."""
    import numpy as np

    step = np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)
    vector = base.vector + MOVED * step / np.linalg.norm(step)
    return base._replace(vector=vector / np.linalg.norm(vector))
