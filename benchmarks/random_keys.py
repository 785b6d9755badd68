"""Random keys for the app: which there are, how they are drawn, and the campaign in a terminal.

Keys of the keymap and letters are mixed, so that dialogs are opened, filled and answered. After
them everything is undone that was done, and stores and settings must be as they were. The tests
press the same keys without a terminal (`tests/tui/test_random_keys.py`).
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.app import Terminal, running
from benchmarks.campaign import NOTES, PYTHON, Place, Row, Scale, unsound
from benchmarks.stores import sentences
from cortex_core import Cortex
from cortex_core.records.memory import SCOPES
from cortex_tui.application import THREADS
from cortex_tui.keymap import TABLE

LETTERS = ("a", "e", "n", "s", "t", "space", "backspace", "enter", "escape", "up", "down")
"""Keys for typing, and for answering and leaving dialogs."""

LEAVING = ("app.quit",)
"""Actions that end the app."""


def alphabet() -> list[str]:
    """Every key of the keymap in Textual's names, except those that end the app."""
    taken = {name for key in TABLE if key.id in LEAVING for name in key.keys.split(",")}
    found = {name for key in TABLE for name in key.keys.split(",") if name} - taken
    return sorted(found)


def drawn(seed: int) -> Iterator[str]:
    """Keys without end, the same for the same seed."""
    chance = random.Random(seed)
    keys = alphabet()
    while True:
        yield chance.choice(keys if chance.random() < 0.7 else LETTERS)


Numbers = dict[str, int]
"""The newest entry of the journal of each store."""

UNCOMPARED = {"number", "access_count", "last_access", "looks", "updated", "reinforced"}
"""Columns of a memory that say when and how often it was used, and its place among the others."""

_BY_WORKER = """
SELECT r."table" || r.key FROM journal_row r JOIN journal j ON j.number = r.entry
WHERE j.actor = 'worker' AND j.number > ?
"""
"""What capture added or replaced by itself meanwhile, such as links to similar memories: undo
leaves it."""

_FOREIGN = """
SELECT r.memory, r."table" || r.key FROM journal_row r JOIN journal j ON j.number = r.entry
WHERE j.number > ? AND j.verb IN ('undo', 'redo') AND j.undoes <= ?
"""
"""What was taken back by a second press although it was not done in the app: undo leaves it."""


def newest(cortex: Cortex) -> Numbers:
    """The newest changes now."""
    asked = "SELECT max(number) FROM journal"
    return {store.scope: store.value(asked) or 0 for store in cortex.workspace.stores}


def state(cortex: Cortex, since: Numbers) -> dict[str, Any]:
    """All that undo puts back: memories, links and proposals, the bytes of the settings files, the
    trust in the store and whether capture is paused."""
    found: dict[str, Any] = {}
    for store in cortex.workspace.stores:
        for row in store.rows("SELECT * FROM memory"):
            found[row["id"]] = {name: row[name] for name in set(row.keys()) - UNCOMPARED}
        made = {key for (key,) in store.rows(_BY_WORKER, (since.get(store.scope, 0),))}
        for table in ("edge", "proposal"):
            for row in store.rows(f"SELECT * FROM {table}"):
                if f"{table}{row[0]}" not in made:
                    found[f"{store.scope} {table} {row[0]}"] = dict(row)
    for scope in SCOPES:
        file = Path(cortex.settings.path(scope))
        found[str(file)] = file.read_bytes() if file.exists() else None
    return {**found, "trusted": cortex.trust.granted, "paused": cortex.sessions.paused}


def excepted(cortex: Cortex, since: Numbers) -> set[str]:
    """What undo does not put back by design: what capture did by itself, and what was done
    elsewhere and taken back by a second press."""
    found: set[str] = set()
    for store in cortex.workspace.stores:
        number = since.get(store.scope, 0)
        foreign = store.rows(_FOREIGN, (number, number))
        made = {key for (key,) in store.rows(_BY_WORKER, (number,))}
        found |= {memory for memory, _ in foreign}
        found |= {
            f"{store.scope} {key.replace('edge', 'edge ').replace('proposal', 'proposal ')}"
            for key in made | {key for _, key in foreign}
        }
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What is not as it was, value by value."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            found += [
                f"{name} {key}: {old[key]!r} -> {new[key]!r}" for key in old if old[key] != new[key]
            ]
        elif old != new:
            found.append(f"{name}: {old!r} -> {new!r}")
    return found


MEMORIES = 300
"""Memories of the store that is shown."""

KEYS = 10_000
"""Keys that are pressed in all, as far as the time allows."""

UNDONE = 8.0
"""Seconds after which an undo that has changed nothing changes nothing."""

PAUSE = 0.03
"""Seconds between two keys: a terminal sends escape and a letter at once as one key."""

MOST_MEMORY = 120.0
"""Megabytes by which the app may grow in the second half of the time, the model aside.

It grows in steps, when a job runs for the first time (one of 76 MB was measured), and keeps its
size between them for minutes. Closed screens are given back 32 at a time, about 20 MB.
"""

MODEL = 100.0
"""Megabytes of the embedding model and its library, which the first search by meaning loads."""

MOST_OF_STORES = 16 * (THREADS + 2)
"""Descriptors of the stores: two files of both for each thread that works and two more, twice for
jobs that open the stores for themselves, and as many that SQLite keeps of closed connections, to
use them again, while another one is open. Measured: 78 after a minute and from then on, 108 at
most in 10,000 keys.
"""

MOST_FILES = 4
"""Descriptors of anything else by which the app may grow: a picture, a pipe, a log."""

STARTED = re.compile(rb"\x1b\[\?1049h")
"""The app has taken over the terminal."""

_STORE_FILE = re.compile(r"\.db(?:-wal|-shm)?$")

_BYTES = {
    "enter": "\r",
    "escape": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f5": "\x1b[15~",
}


class Held(NamedTuple):
    """What the app holds at a moment."""

    megabytes: float
    has_model: bool
    """Whether the embedding model is loaded."""
    stores: int
    """Descriptors of the stores' files."""
    files: int
    """All other descriptors."""

    @property
    def own(self) -> float:
        """Megabytes without the model."""
        return self.megabytes - (MODEL if self.has_model else 0.0)


def campaign(scale: Scale) -> Iterator[Row]:
    """10,000 keys, at most ten minutes of them, with the app's memory and descriptors watched; then
    everything that was done is undone."""
    place = Place(scale.scratch / "keys")
    texts = [{"content": text, "kind": kind} for kind, text in sentences(MEMORIES, seed=31)]
    lines = "".join(f"{json.dumps(text)}\n" for text in texts)
    place.cortex("import", "jsonl", "-", data=lines.encode())
    place.cortex("config", "set", "extractor", "rules", "--global")
    environment = {**place.environment, "TERM": "xterm-256color", "EDITOR": "true"}
    command = [*PYTHON, "cortex_core.cli", "--project", str(place.root)]
    keys = drawn(scale.seed)
    until = time.monotonic() + scale.times(600, 20)
    pressed, notes, said = 0, [], []
    while time.monotonic() < until and pressed < KEYS:
        with Cortex.open(place.root, place.home) as cortex:
            since = newest(cortex)
            before = state(cortex, since)
        with running(command, environment) as terminal:
            terminal.until(STARTED, time.perf_counter())
            count, held, seen = _press(terminal, keys, until, KEYS - pressed)
            files = _files(terminal.process)
            if _ended(terminal) is None:
                said.append(f"{_undo_all(terminal, place)} undone")
                with Cortex.open(place.root, place.home) as cortex:
                    passed = excepted(cortex, since)
                    now = state(cortex, since)
                    kept = [
                        {name: value for name, value in each.items() if name not in passed}
                        for each in (before, now)
                    ]
                    notes += differences(*kept)[:NOTES]
            code = _left(terminal) if _ended(terminal) is None else _ended(terminal)
            pressed += count
            if wrong := _wrong(held, seen, code):
                notes += [f"{each}; open: {files.most_common(6)}" for each in wrong]
            said.append(_grown(held))
    log = place.root / ".memory" / "cortex.log"
    notes += log.read_text("utf-8", "replace").splitlines()[:3] if log.exists() else []
    notes += unsound(place)
    yield Row(
        "random keys in the app",
        f"{len(alphabet())} keys, {len(said)} starts",
        pressed,
        broken=len(notes) + len(place.wait(30)),
        said="; ".join(said)[:160],
        notes=tuple(notes[:NOTES]),
    )
    place.close()


def _undo_all(terminal: Terminal, place: Place) -> int:
    """Undo until that changes nothing, because what is left was not done in this app; how often
    that changed something."""
    for _ in range(6):
        os.write(terminal.fd, b"\x1b")
        time.sleep(0.3)
        terminal.quiet(0.1)
    count = 0
    with Cortex.open(place.root, place.home) as cortex:
        while True:
            known = _written(cortex)
            os.write(terminal.fd, b"u")
            until = time.monotonic() + UNDONE
            while (now := _written(cortex)) == known and time.monotonic() < until:
                terminal.read(0.02)
            if now == known:
                return count
            count += 1


def _written(cortex: Cortex) -> tuple[object, ...]:
    """What differs after any change in the app."""
    files = [Path(cortex.settings.path(scope)) for scope in SCOPES]
    return (
        *newest(cortex).items(),
        *(file.read_bytes() if file.exists() else None for file in files),
        cortex.trust.granted,
        cortex.sessions.paused,
    )


def _press(
    terminal: Terminal, keys: Iterator[str], until: float, most: int
) -> tuple[int, list[Held], bytes]:
    """Press keys, `most` of them, until the time is over or the app has ended.

    Returns:
        How many, what the app held each second, and the end of what it wrote.
    """
    count, held, seen = 0, [], b""
    while time.monotonic() < until and count < most and _ended(terminal) is None:
        os.write(terminal.fd, _bytes(next(keys)))
        count += 1
        time.sleep(PAUSE)
        while part := terminal.read(0):
            seen = (seen + part)[-100_000:]
        if not count % 30:
            held.append(_held(terminal.process))
            _awaken(terminal.process)
    if _ended(terminal) is None:
        _awaken(terminal.process)
    return count, held, seen


def _awaken(process: int) -> None:
    """Do as a shell's `fg` does, for an app that a key has stopped."""
    if re.search(r"^State:\s+T", Path(f"/proc/{process}/status").read_text("ascii"), re.MULTILINE):
        os.kill(process, signal.SIGCONT)


def _bytes(key: str) -> bytes:
    """What a terminal sends for a key."""
    if key.startswith("ctrl+") and len(key) == 6:
        return bytes([ord(key[-1]) & 31])
    return _BYTES.get(key, key).encode()


def _held(process: int) -> Held:
    folder = Path(f"/proc/{process}")
    status = (folder / "status").read_text("ascii")
    resident = re.search(r"VmRSS:\s+(\d+)", status)
    files = _files(process)
    stores = sum(count for name, count in files.items() if _STORE_FILE.search(name))
    return Held(
        int(resident[1]) / 1024 if resident else 0.0,
        "onnxruntime" in (folder / "maps").read_text("utf-8", "replace"),
        stores,
        files.total() - stores,
    )


def _files(process: int) -> Counter[str]:
    """What the descriptors of the app are."""
    open_files: Counter[str] = Counter()
    with suppress(OSError):
        for each in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                open_files[each.readlink().name] += 1
    return open_files


def _ended(terminal: Terminal) -> int | None:
    """The code that the app ended with; None while it runs."""
    ended = os.waitid(os.P_PID, terminal.process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return None if ended is None else ended.si_status


def _left(terminal: Terminal) -> int | None:
    """Leave the app as a user does; its code, None if it runs on."""
    until = time.monotonic() + 30
    while time.monotonic() < until and _ended(terminal) is None:
        for key in ("\x1b", "\x03"):
            try:
                os.write(terminal.fd, key.encode())
            except OSError:
                break
            time.sleep(0.2)
            terminal.quiet(0.05)
        # While it closes the terminal is a plain one again, where ctrl+c is a signal.
        closing = time.monotonic() + 3
        while time.monotonic() < closing and _ended(terminal) is None:
            terminal.quiet(0.05)
    return _ended(terminal)


def _wrong(held: list[Held], seen: bytes, code: int | None) -> list[str]:
    """What the app did that it must not."""
    notes = [] if code == 0 else [f"ended with {code}" if code else "it could not be left"]
    if b"Traceback" in seen or b"nternal error" in seen:
        notes.append(f"showed {_words(seen)}")
    if len(held) > 5:
        first, last = held[len(held) // 2], held[-1]
        if last.own - first.own > MOST_MEMORY or last.files - first.files > MOST_FILES:
            notes.append(f"grew from {first} to {last}")
    if (most := max((each.stores for each in held), default=0)) > MOST_OF_STORES:
        notes.append(f"holds {most} descriptors of the stores")
    return notes


def _words(seen: bytes) -> str:
    """The end of what was written, without lines, colours and movements."""
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[│─╭╮╰╯]", "", seen.decode("utf-8", "replace"))
    return " ".join(plain.split())[-1500:]


def _grown(held: list[Held]) -> str:
    if not held:
        return "ended at once"
    first, last = held[len(held) // 5], held[-1]
    return (
        f"{first.own:.0f} to {last.own:.0f} MB, {first.files} to {last.files} descriptors, "
        f"{last.stores} of stores"
    )
