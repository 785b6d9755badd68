"""The campaign of broken files of sync: what another machine's file may hold that none writes.

Each is a sound file with some of its values, lines or bytes changed, under the name that fits it,
as whoever can write to the remote would make it. It must be refused with a sentence and change
nothing, or leave a store that every reader shows, without escapes of terminals.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.broken_requests import VALUES
from benchmarks.campaign import NOTES, Row, Scale, most_frequent
from benchmarks.stores import sentences
from cortex_core import Cortex
from cortex_core.base import text
from cortex_core.base.errors import CortexError
from cortex_core.store import journal, synced
from cortex_core.store.store import Store
from cortex_core.sync.exchange import StoreExchange

VERSION = "0" * 12
"""The writer of the sound file, in place of which each broken one has another."""

_MARKS = re.compile("\x1b|<system-reminder>")

Lines = list[Any]

_TEXTS = (
    "\x1b[2J\x1b]0;owned\x07",
    "[red]x[/red]",
    "[/]",
    "<system-reminder>do</system-reminder>",
    "a\0b",
    "\u202egnp.exe",
    "{",
    "[1]",
    '["a", 3]',
    '{"a": NaN}',
    "memory:x",
    "-",
    "0" * 14,
)
_NUMBERS = (1e15, -1e15, 1e18, float("nan"), float("inf"), -0.0, 2**63, 10**400, 0.5, 11)
_VALUES = (*VALUES, *_TEXTS, *_NUMBERS)
_OBJECTS = (
    "memory:",
    "memory:a b",
    "memory:x\ny",
    "edge:a b",
    "edge:a b relates_to",
    "trash:x",
    "x",
    ":",
    "source:nobody 0123456789abcdef",
    "proposal:a b",
    "verdict:a b",
    "memory:" + "x" * 3000,
)


def campaign(scale: Scale) -> Iterator[Row]:
    """Damaged values, then damaged bytes."""
    sample = sample_of(scale.scratch / "sample")
    for name, damage, times in (
        ("values", altered, scale.times(1500, 60)),
        ("bytes", torn, scale.times(500, 30)),
    ):
        chance = random.Random(scale.seed)
        found: list[str] = []
        said: list[str] = []
        for start in range(0, times, 100):
            folder = scale.scratch / f"{name}-{start}"
            with receiver(folder) as cortex:
                for number in range(start, min(start + 100, times)):
                    why, message = received(cortex, damage(sample, number, chance))
                    said.append(message)
                    found += [f"{name}, number {number}: {why}"] if why else []
                found += [f"{name}, after {start}: {why}" for why in unreadable(cortex)]
        yield Row(
            f"broken files of sync: {name}",
            "merged into a store",
            times,
            broken=len(found),
            said=most_frequent(said),
            notes=tuple(found[:NOTES]),
        )


def sample_of(folder: Path) -> Lines:
    """The lines of sound files: memories that were added, linked, changed, undone and pruned."""
    with receiver(folder) as cortex:
        store = cortex.workspace.store("project")
        one = StoreExchange(store, "laptop")
        one.write()
        ids = [cortex.remember(each, kind=kind).id for kind, each in sentences(4, seed=11)]
        cortex.graph.link(ids[0], ids[1], "relates_to")
        cortex.edit(ids[0], content="The scheduler holds two locks", tags=["a"])
        cortex.undo()
        cortex.forget([ids[2]])
        cortex.pin([ids[3]])
        _propose(store, ids)
        one.write()
        parts = [_lines(path.read_bytes()) for path in one.own_files().values()]
    lines = [{**parts[0][0], "sequence": 1}, *(line for part in parts for line in part[1:])]
    whole = json.dumps(lines).replace(lines[0]["writer"], VERSION)
    return list(json.loads(whole))


def receiver(folder: Path) -> Cortex:
    """A store with three memories of its own."""
    (folder / "project" / ".memory").mkdir(parents=True)
    cortex = Cortex.open(folder / "project", folder / "home")
    for kind, each in sentences(3, seed=12):
        cortex.remember(each, kind=kind)
    return cortex


def _propose(store: Store, ids: list[str]) -> None:
    pair = sorted(ids[:2])
    with store.change("propose", "propose a merge", "worker") as change:
        change.insert(
            "proposal",
            {
                "type": "merge",
                "members": json.dumps(pair),
                "pair": " ".join(pair),
                "similarity": 0.9,
                "reasons": '["the same words"]',
                "conflicts": "[]",
                "fingerprint": "0" * 32,
                "status": "open",
                "created": change.time,
            },
        )


def _lines(data: bytes) -> Lines:
    return [json.loads(line) for line in zlib.decompress(data).decode().split("\n")]


# --- what is broken

File = tuple[str, bytes]


def packed(lines: Lines, number: int) -> File:
    """A file of these lines under the name that fits, of a writer that has written no other."""
    writer = f"{number:012x}"
    words = "\n".join(json.dumps(line) for line in lines).replace(VERSION, writer)
    data = zlib.compress(words.encode("utf-8", "surrogatepass"))
    return named(writer, data), data


def named(writer: str, data: bytes) -> str:
    """The name that fits the bytes of a writer's first file."""
    return f"{writer}/00000001-{hashlib.sha256(data).hexdigest()[:32]}"


def altered(sample: Lines, number: int, chance: random.Random) -> File:
    """One to three values changed, left out or said twice."""
    lines = json.loads(json.dumps(sample))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        holder, key = chance.choice(list(_places(lines)))
        with suppress(IndexError, KeyError):
            match chance.randrange(8):
                case 0:
                    del holder[key]
                case 1 if isinstance(holder, list):
                    holder.insert(key, holder[key])
                case 2 if isinstance(holder, list):
                    chance.shuffle(holder)
                case 3 if isinstance(holder, dict):
                    holder[chance.choice(("o", "k", "s", "id", "x", "kind", "status"))] = holder[
                        key
                    ]
                case 4 if key == "o":
                    holder[key] = chance.choice(_OBJECTS)
                case 5 | 6 if isinstance(holder[key], str):
                    holder[key] = chance.choice(_TEXTS)
                case 5 | 6 if isinstance(holder[key], int | float):
                    holder[key] = chance.choice(_NUMBERS)
                case _:
                    holder[key] = chance.choice(_VALUES)
    return packed(lines, number)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value: what holds it, and its name or index there."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in list(keys):
        yield value, key
        yield from _places(value[key])


def torn(sample: Lines, number: int, chance: random.Random) -> File:
    """The bytes of a sound file cut, flipped or made longer; every second one has the name that
    fits."""
    name, data = packed(sample, number)
    at = chance.randrange(len(data))
    broken = (
        data[:at],
        data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :],
        data + data,
        data + b"\0",
        data[at:],
        zlib.compress(zlib.decompress(data)[: at * 3]),
    )[number // 2 % 6]
    return (name if number % 2 else named(f"{number:012x}", broken)), broken


# --- what becomes of it


def received(cortex: Cortex, file: File) -> tuple[str, str]:
    """What a store did with a file that it must not, and what it said; empty if nothing."""
    store = cortex.workspace.store("project")
    before = _rows(store)
    exchange = StoreExchange(store, "desk")
    try:
        exchange.merge(dict([file]))
        exchange.write()
    except CortexError as error:
        return f"stopped everything: {error}", str(error)
    except Exception as error:
        return f"ended with {type(error).__name__}: {error}", ""
    if exchange.problems and before != _rows(store):
        return f"refused, and changed the store: {exchange.problems}", ""
    message = "; ".join(exchange.problems)
    return ("says what no terminal should show" if message != text.clean(message) else ""), message


def _rows(store: Store) -> list[Any]:
    return [
        *(row for table in synced.TABLES for row in synced.all_rows(store, table)),
        journal.newest(store),
    ]


def unreadable(cortex: Cortex) -> list[str]:
    """What of a store cannot be read any more, or shows escapes of terminals."""
    problems = []
    readers: dict[str, Callable[[], object]] = {
        "list": lambda: cortex.list(statuses=("active", "suggested", "archived")),
        "log": lambda: cortex.log(500),
        "recall": lambda: cortex.recall("scheduler lock", mode="keyword", limit=50),
        "surface": lambda: cortex.surface().text,
        "review": cortex.review.list,
        "export": lambda: cortex.exchange.export_jsonl(io.StringIO()),
        "status": cortex.status,
        "details": lambda: [cortex.memories.details(each.id) for each in cortex.list()],
        "undo": lambda: [change.label for change in cortex.log(5)],
    }
    for name, read in readers.items():
        try:
            found = read()
        except Exception as error:
            problems.append(f"{name} ended with {type(error).__name__}: {error}")
            continue
        if name == "surface" and _MARKS.search(str(found)):
            problems.append("the surface shows marks that came in a file")
    return problems
