"""The campaigns of crowds: a hundred hooks at once, twenty writers next to an import and an open
app, reads beside scrubs, and a large store with a thousand sessions waiting.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.app import running
from benchmarks.broken_hooks import is_envelope
from benchmarks.broken_transcripts import record
from benchmarks.campaign import NOTES, PYTHON, Place, Row, Scale, unsound
from benchmarks.stores import questions, sentences, store_of
from benchmarks.transcript_damage import names, session
from cortex_core import Cortex
from cortex_core.agents.claude.places import slug
from cortex_core.store import reader

MOST_MEMORY = 800.0
"""Megabytes that a worker may take over a store of 100,000 memories."""

HOOK_PATIENCE = 5.0
"""Seconds after which Claude Code ends a hook."""

PATIENCE = 1800.0
"""Seconds that a crowd may take in all."""


def _sessions(place: Place, numbers: Sequence[int]) -> list[Path]:
    """A transcript for each number."""
    folder = place.sessions / slug(str(place.root))
    folder.mkdir(parents=True, exist_ok=True)
    return [session(number, str(place.root))[0].write(folder) for number in numbers]


def _learned(place: Place, numbers: Sequence[int]) -> tuple[list[str], list[str]]:
    """Which statements of the sessions are missing, and which texts are there twice."""
    text = "\n".join(place.contents())
    missing = [name for number in numbers for name in names(number) if name not in text]
    return missing, place.doubled()


def _waiting(place: Place) -> int:
    """How many records wait in the spool."""
    return len(list((place.root / ".memory" / "spool").glob("*.json")))


# --- a hundred hooks


class Fired(NamedTuple):
    """A hook process that was started, and for which event."""

    event: str
    process: subprocess.Popen[bytes]


def hooks(scale: Scale) -> Iterator[Row]:
    """A hundred hooks of all events at once over one project, three times."""
    for turn in range(scale.times(3, 1)):
        place = Place(scale.scratch / f"crowd-{turn}")
        for kind, text in sentences(20, seed=turn):
            place.cortex("remember", text, "--kind", kind)
        paths = _sessions(place, range(20))
        yield _crowd(place, paths, scale.seed + turn)


def _payloads(place: Place, paths: Sequence[Path], seed: int) -> list[dict[str, Any]]:
    """A hundred payloads: five events for each of twenty sessions, mixed."""
    asked = questions(len(paths), seed)
    made: list[dict[str, Any]] = []
    for path, prompt in zip(paths, asked, strict=True):
        common = {"session_id": path.stem, "cwd": str(place.root), "transcript_path": str(path)}
        reply = {"last_assistant_message": "All of it is green now."}
        tool = {"tool_name": "Read", "tool_input": {"file_path": str(place.root / "src/main.py")}}
        made += [
            {**common, "hook_event_name": "SessionStart", "source": "startup"},
            {**common, "hook_event_name": "UserPromptSubmit", "prompt": prompt},
            {**common, "hook_event_name": "PreToolUse", **tool},
            {**common, "hook_event_name": "Stop", **reply},
            {**common, "hook_event_name": "SessionEnd", "reason": "other"},
        ]
    random.Random(seed).shuffle(made)
    return made


def _crowd(place: Place, paths: Sequence[Path], seed: int) -> Row:
    payloads = _payloads(place, paths, seed)
    began = time.perf_counter()
    fired = [_fire(place, payload) for payload in payloads]
    wrong = [why for each in fired if (why := _outcome(each))]
    seconds = time.perf_counter() - began
    running_after = place.wait(300)
    missing, twice = _learned(place, range(20))
    faults = [*unsound(place), *(f"process {number} was left" for number in running_after)]
    faults += [f"{_waiting(place)} records wait"] if _waiting(place) else []
    faults += _twice_read(place, paths)
    place.close()
    return Row(
        "a hundred hooks at once",
        f"20 sessions, 5 events, seed {seed}",
        len(fired),
        lost=len(missing),
        doubled=len(twice),
        hooks=len(wrong),
        broken=len(faults),
        said=f"all done after {seconds:.1f} s",
        notes=(*wrong, *faults, *missing, *(f"twice: {text}" for text in twice))[:NOTES],
    )


def _fire(place: Place, payload: dict[str, Any]) -> Fired:
    process = place.start("cortex_core.hook")
    assert process.stdin is not None
    process.stdin.write(json.dumps(payload).encode())
    process.stdin.close()
    process.stdin = None
    return Fired(payload["hook_event_name"], process)


def _outcome(fired: Fired) -> str:
    """What the hook did that it must not; empty if nothing."""
    out, err = fired.process.communicate(timeout=120)
    if fired.process.returncode or err:
        return f"{fired.event}: exit {fired.process.returncode}, {err[:100]!r}"
    spoke = bool(out) and not is_envelope(fired.event, out)
    return f"{fired.event}: printed {out[:80]!r}" if spoke else ""


def _twice_read(place: Place, paths: Sequence[Path]) -> list[str]:
    """Sessions of which workers read more bytes than there are."""
    read: Counter[str] = Counter()
    with Cortex.open(place.root, place.home) as cortex:
        for entry in cortex.sessions.ledger(limit=10_000):
            read[entry.session] += entry.bytes_read
    return [f"read twice: {path.stem}" for path in paths if read[path.stem] > path.stat().st_size]


# --- twenty writers


def writers(scale: Scale) -> Iterator[Row]:
    """Twenty processes that remember, next to an import and an open app."""
    place = Place(scale.scratch / "writers")
    each = scale.times(10, 2)
    texts = [text for _, text in sentences(20 * each, seed=21)]
    imported = range(scale.times(60, 10))
    paths = _sessions(place, imported)
    environment = {**place.environment, "TERM": "xterm-256color"}
    command = [*PYTHON, "cortex_core.cli", "--project", str(place.root)]
    with running(command, environment) as terminal:
        stop = threading.Event()
        screen: list[bytes] = []
        watching = threading.Thread(target=_walk, args=(terminal, stop, screen))
        watching.start()
        importing = place.start("cortex_core.cli", "import", "transcripts", *map(str, paths))
        failed = _written(place, texts, each)
        _, err = importing.communicate(timeout=PATIENCE)
        stop.set()
        watching.join()
        alive = bool(terminal.process) and terminal.process in place.processes()
    place.wait(300)
    contents = place.contents()
    missing, twice = _learned(place, imported)
    missing += [text for text in texts if text not in contents]
    faults = [*unsound(place), *failed]
    faults += [f"import: {err[-200:]!r}"] if importing.returncode else []
    faults += [] if alive else ["the app ended"]
    faults += ["the app showed a traceback"] if b"Traceback" in b"".join(screen) else []
    yield Row(
        "20 writers, an import and the app",
        f"{each} memories each, {len(imported)} sessions",
        len(texts) + len(imported),
        lost=len(missing),
        doubled=len(twice),
        broken=len(faults) + place.close(),
        notes=(*faults, *missing, *(f"twice: {text}" for text in twice))[:NOTES],
    )


def _walk(terminal: Any, stop: threading.Event, screen: list[bytes]) -> None:
    """Move about in the app until `stop` is set."""
    for turn in range(1_000_000):
        if stop.is_set():
            return
        screen.append(terminal.read(0.1))
        terminal.press("jjkGg"[turn % 5])


def _written(place: Place, texts: Sequence[str], each: int) -> list[str]:
    """Twenty threads that run `cortex remember` for their share; what failed."""
    failed: list[str] = []

    def work(share: Sequence[str]) -> None:
        for text in share:
            done = place.cortex("remember", text)
            if done.code or done.crashed:
                failed.append(f"remember: exit {done.code}, {done.said[:120]}")

    threads = [
        threading.Thread(target=work, args=(texts[at : at + each],))
        for at in range(0, len(texts), each)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


# --- reads beside scrubs


def rewriting(scale: Scale) -> Iterator[Row]:
    """Ten thousand reads while another process rewrites the file again and again."""
    place = Place(scale.scratch / "rewriting")
    for text in (made := [text for _, text in sentences(60, seed=33)]):
        place.cortex("remember", text)
    stop, rewritten = threading.Event(), list[str]()
    file = str(place.root / ".memory" / "cortex.db")

    def scrub() -> None:
        while not stop.is_set():
            place.cortex("remember", f"Note {len(rewritten)} of the scrubbed ones")
            rewritten.append(place.cortex("secrets", "scrub").said)

    scrubbing = threading.Thread(target=scrub)
    scrubbing.start()
    least, scrubs = scale.times(10_000, 500), scale.times(40, 3)
    failed, missing, reads = list[str](), 0, 0
    while reads < least or len(rewritten) < scrubs:
        reads += 1
        try:
            with closing(reader.connect(file)) as connection:
                # Behind one that changes another stands what is left of that.
                rows = connection.execute("SELECT content FROM memory")
                there = "\n".join(row[0] for row in rows)
                connection.execute("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'note'")
            missing = max(missing, sum(text.rstrip(".") not in there for text in made))
        except sqlite3.Error as error:
            failed.append(str(error))
    stop.set()
    scrubbing.join()
    faults = [*unsound(place), *failed]
    yield Row(
        "reads beside scrubs",
        f"{len(rewritten)} scrubs",
        reads,
        lost=missing,
        broken=len(faults) + place.close(),
        notes=tuple(faults[:NOTES]),
    )


# --- a large store


def big(scale: Scale) -> Iterator[Row]:
    """A thousand sessions wait for a store of 100,000 memories; hooks fire meanwhile."""
    size, waiting = scale.times(100_000, 1_000), scale.times(1000, 10)
    place = Place(scale.scratch / "big")
    made = store_of(size, scale.cache)
    shutil.copytree(made.root, place.root, dirs_exist_ok=True)
    shutil.copytree(made.home, place.home, dirs_exist_ok=True)
    place.claim()
    for path in _sessions(place, range(waiting)):
        record(place, path, "SessionEnd")
    began = time.perf_counter()
    peak, slowest, wrong, runs = _worked_through(place, scale)
    seconds = time.perf_counter() - began
    missing, _ = _learned(place, range(waiting))
    faults = unsound(place, journalled=False)
    faults += [f"{_waiting(place)} records wait"] if _waiting(place) else []
    faults += [f"the worker took {peak:.0f} MB"] if peak > MOST_MEMORY else []
    yield Row(
        "a large store",
        f"{size:,} memories, {waiting:,} sessions waiting",
        waiting,
        lost=len(missing),
        hooks=len(wrong),
        broken=len(faults) + place.close(),
        said=f"{seconds:.0f} s in {runs} runs, {peak:.0f} MB, slowest hook {slowest:.2f} s",
        notes=(*faults, *wrong, *missing)[:NOTES],
    )


def _worked_through(place: Place, scale: Scale) -> tuple[float, float, list[str], int]:
    """Let workers run until nothing waits, with a hook each second. The last one is killed: it goes
    on to link the whole store, which takes an hour and is not what is tried here.

    Returns:
        The worker's peak in megabytes, the slowest hook in seconds, what hooks did wrong, and how
        many workers it took.
    """
    payloads = _payloads(place, _sessions(place, range(90_000, 90_020)), scale.seed)
    speaking = [each for each in payloads if each["hook_event_name"] not in ("Stop", "SessionEnd")]
    peak = slowest = 0.0
    wrong: list[str] = []
    runs = 0
    until = time.monotonic() + PATIENCE
    while _waiting(place) and time.monotonic() < until:
        worker = place.start("cortex_core.worker", "--project", str(place.root))
        runs += 1
        while worker.poll() is None and _waiting(place) and time.monotonic() < until:
            peak = max(peak, _peak(worker.pid))
            payload = speaking[int(time.monotonic()) % len(speaking)]
            done = place.run("cortex_core.hook", data=json.dumps(payload).encode())
            slowest = max(slowest, done.seconds)
            event = payload["hook_event_name"]
            if done.code or done.err or (done.out and not is_envelope(event, done.out)):
                wrong.append(f"{event}: exit {done.code}, {done.said[:100]}")
            elif done.seconds > HOOK_PATIENCE:
                wrong.append(f"{event}: took {done.seconds:.1f} s")
            time.sleep(1)
        if worker.poll() is None:
            worker.kill()
        worker.communicate()
    return peak, slowest, wrong, runs


def _peak(process: int) -> float:
    """The most megabytes that a process has had in memory; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)
