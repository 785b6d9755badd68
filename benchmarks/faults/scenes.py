"""Places and stores in a bad state, and what commands, hooks and the worker do then.

Each scene brings one fault about, runs the same commands under it, ends it, and compares what the
stores hold with what they held before.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.campaign import NOTES, Place, Row, most_frequent
from benchmarks.faults import forking, state, world
from benchmarks.faults.forking import Ran
from benchmarks.faults.interposer import FOR_GOOD, NONE, Fault
from benchmarks.faults.state import Known

READ: tuple[tuple[str, ...], ...] = (
    ("list",),
    ("recall", "package manager"),
    ("show", "{pnpm}"),
    ("status",),
    ("log",),
    ("surface",),
    ("export", "jsonl", "-"),
    ("review", "list"),
    ("trash", "list"),
)
WRITE: tuple[tuple[str, ...], ...] = (
    ("remember", "Written while it was broken"),
    ("edit", "{sqlite}", "--priority", "9"),
    ("forget", "{login}"),
    ("undo",),
    ("move", "{beacon}", "--to", "global"),
    ("import", "jsonl", "rows.jsonl"),
    ("lifecycle",),
    ("consolidate",),
)
HOOKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SessionStart", {"source": "startup"}),
    ("UserPromptSubmit", {"prompt": "Which package manager do we use, pnpm or npm?"}),
    ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": "src/beacon.py"}}),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "Noted."}),
    ("SessionEnd", {"reason": "other"}),
)

_TRACEBACK = re.compile(r"Traceback \(most|nternal error|File \"[^\"]+\", line")
_SPEAKING = ("SessionStart", "UserPromptSubmit", "PreToolUse")
SLOWEST = 30.0
"""Seconds that a command may take under a fault; SQLite waits for a lock for 5."""


class Stage:
    """A copy of the filled project, the commands that run in it, and what went wrong."""

    def __init__(self, place: Place, base: Path, fault: str, how: str) -> None:
        self.place = place
        self.fault, self.how = fault, how
        self.times = 0
        self.hooks = 0
        self.problems: list[str] = []
        self.said: list[str] = []
        self._base = base
        self.reset()
        self.before = self.contents()

    def reset(self) -> None:
        """Put the project back to what it was in the beginning."""
        shutil.rmtree(self.place.folder, ignore_errors=True)
        shutil.copytree(self._base, self.place.folder, symlinks=True)
        self.place.claim()

    @property
    def store(self) -> Path:
        """The project's store."""
        return self.place.root / ".memory" / "cortex.db"

    def contents(self) -> Counter[str]:
        """How many memories have each text, the trash included; empty if that cannot be read."""

        def count() -> None:
            found = state.of(self.place, Known((), float("inf")))
            print(json.dumps(state.contents(found)))

        done = forking.fork(self.place, count)
        if done.code:
            self.fail(f"the stores cannot be read: {done.err.strip()[-200:]}")
            return Counter()
        return Counter(json.loads(done.out))

    def run(
        self,
        *words: str,
        fault: Fault = NONE,
        codes: Sequence[int] = (0, 1, 2, 3),
        data: str = "",
        variables: Mapping[str, str] = {},
    ) -> Ran:
        """Run a command, and note what must not be whatever the fault is."""
        began = time.monotonic()
        done = forking.command(self.place, world.resolved(words), fault, data, variables)
        self.times += 1
        name = " ".join(words)[:60]
        for stream in (done.out, done.err):
            if found := _TRACEBACK.search(stream):
                self.fail(f"{name}: a traceback: {stream[found.start() :][:200]}")
        if done.code not in codes:
            self.fail(f"{name}: exits with {done.code}: {done.said}")
        if done.code > 0 and not done.err.strip() and done.code != 3:
            self.fail(f"{name}: exits with {done.code} and no message")
        if done.left:
            self.fail(f"{name}: left {done.left} processes behind")
        if time.monotonic() - began > SLOWEST:
            self.fail(f"{name}: took {time.monotonic() - began:.0f} s")
        self.said.append(done.said)
        return done

    def fire(self, fault: Fault = NONE, variables: Mapping[str, str] = {}) -> None:
        """Fire every hook; each has to exit with 0, and speak only as Claude Code reads it."""
        for event, fields in HOOKS:
            payload = {
                "hook_event_name": event,
                "session_id": "5e551042-0000-4000-8000-000000000002",
                "cwd": str(self.place.root),
                "transcript_path": "",
                **fields,
            }
            done = forking.command(self.place, ["hook"], fault, json.dumps(payload), variables)
            self.times += 1
            if problem := _out_of_turn(event, done):
                self.hooks += 1
                self.note(f"hook {event}: {problem}")

    def work(self, fault: Fault = NONE, variables: Mapping[str, str] = {}) -> None:
        """Let the hooks record both sessions, and the worker run."""
        forking.fork(self.place, lambda: world.record_sessions(self.place))
        self.run("worker", fault=fault, codes=(0, 1), variables=variables)

    def everything(
        self, fault: Fault = NONE, variables: Mapping[str, str] = {}, without: str = ""
    ) -> None:
        """Run the reading and the changing commands except `without`, the hooks and the worker."""
        for words in (*READ, *WRITE):
            if words[0] != without:
                self.run(*words, fault=fault, variables=variables)
        self.fire(fault, variables)
        self.work(fault, variables)

    def fail(self, problem: str) -> None:
        """Note what must not be."""
        self.problems.append(problem)

    def note(self, problem: str) -> None:
        """Note how to repeat what is counted elsewhere."""
        self.said.append(problem)

    def row(self, expected: Counter[str] | None = None) -> Row:
        """The line of the table: what the stores hold now is compared with `expected`.

        Args:
            expected: how many memories have each text; None: as in the beginning. What commands
                of the scene may have added is not counted.
        """
        before, now = self.before if expected is None else expected, self.contents()
        lost = before - now
        doubled = {
            text: count for text, count in (now - before).items() if before[text] or count > 1
        }
        folder = str(self.place.folder)
        notes = [*self.problems, *(f"lost: {text}" for text in lost)]
        notes += [f"doubled: {text}" for text in doubled]
        return Row(
            self.fault,
            self.how,
            self.times,
            sum(lost.values()),
            sum(doubled.values()),
            self.hooks,
            len(self.problems),
            most_frequent(said.replace(folder, "…") for said in self.said),
            tuple(note.replace(folder, "…")[:400] for note in notes[:NOTES]),
        )


def _out_of_turn(event: str, done: Ran) -> str:
    """What a hook did that it must not; empty if nothing."""
    if done.code or done.err or done.left:
        return f"exits with {done.code}, says “{done.said}”, left {done.left} processes"
    if not done.out.strip():
        return ""
    try:
        answer = json.loads(done.out)
    except ValueError:
        return f"prints {done.out[:80]!r}"
    return "" if event in _SPEAKING and "hookSpecificOutput" in answer else "prints something"


# --- places


def places(place: Place, base: Path, quick: bool, seed: int) -> Iterator[Row]:
    """Places that are read-only, full or not allowed, for the project, the user's side or both."""
    for how in ("EROFS", "EACCES", "ENOSPC"):
        stage = Stage(place, base, f"{how} from the first call on", "interposed library")
        stage.everything(Fault(how, 1, FOR_GOOD))
        yield stage.row()
    if os.geteuid() != 0:
        return
    for name, folders in (
        ("project", ["project"]),
        ("user's side", ["memory"]),
        ("whole place", ["."]),
    ):
        stage = Stage(place, base, f"read-only: {name}", "another user, mode 0555")
        with_nobody(stage, folders)
        yield stage.row()


NOBODY = 65534


def with_nobody(stage: Stage, folders: Sequence[str]) -> None:
    """Run everything as a user who owns the place, with `folders` made read-only."""
    at = stage.place.folder
    for path in (at, *at.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    for parent in at.parents:
        if parent == Path(tempfile.gettempdir()):
            break
        parent.chmod(0o711)
    for folder in folders:
        for path in (at / folder, *(at / folder).rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
    kept = {
        path: path.read_bytes()
        for path in stage.place.stores
        if any(path.is_relative_to((at / folder).resolve()) for folder in folders)
    }
    stage.everything(variables={"FAULT_USER": str(NOBODY)})
    for path, data in kept.items():
        if path.read_bytes() != data:
            stage.fail(f"{path} was changed")
    for path in (at, *at.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


# --- locks


def locked(place: Place, base: Path, quick: bool, seed: int) -> Iterator[Row]:
    """A store that another process holds, in each way in which SQLite can hold it."""
    seconds = 5.0 if quick else 60.0
    for how, statements in (
        ("write lock", ["BEGIN IMMEDIATE"]),
        (
            "exclusive lock in rollback mode",
            ["PRAGMA journal_mode = delete", "PRAGMA locking_mode = exclusive", "BEGIN EXCLUSIVE"],
        ),
    ):
        stage = Stage(place, base, f"store locked for {seconds:.0f} s", how)
        began = time.monotonic()
        with _holding(stage.store, statements):
            stage.work()
            stage.fire()
            for words in (READ[0], WRITE[0]):
                stage.run(*words)
            for moment in (1.0,) if quick else (0.3, 0.6, 1.0):
                time.sleep(max(0.0, began + moment * seconds - time.monotonic()))
                stage.fire()
        stage.run("worker")
        learned = [text for text in stage.contents() if "harbour host" in text]
        if not learned:
            stage.fail("the session that was recorded meanwhile was not learned afterwards")
        yield stage.row()


class _holding:
    """A process that holds a store as `statements` say, for as long as the block runs."""

    def __init__(self, store: Path, statements: Sequence[str]) -> None:
        code = (
            "import sqlite3, sys\n"
            "held = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "for statement in sys.argv[2:]: held.execute(statement).fetchall()\n"
            "print('held', flush=True); sys.stdin.read()\n"
        )
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, str(store), *statements],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


# --- damage


def damage(place: Place, base: Path, quick: bool, seed: int) -> Iterator[Row]:
    """Stores that are corrupt, cut off, of another program, of a newer schema, or exchanged."""
    r = random.Random(seed)
    tables = _pages(base / "project" / ".memory" / "cortex.db")
    for name, page in r.sample(sorted(tables.items()), 2 if quick else len(tables)):
        yield _damaged(place, base, f"corrupt page: {name}", partial(_spoil, page=page))
    for what, change in r.sample(list(_OTHER_FILES.items()), 2 if quick else len(_OTHER_FILES)):
        yield _damaged(place, base, what, change)
    yield _corrupt_log(place, base)
    yield _replaced(place, base)


def _damaged(place: Place, base: Path, what: str, change: Callable[[Path], object]) -> Row:
    """Everything runs on a damaged store; afterwards a snapshot brings back what it holds."""
    stage = Stage(place, base, what, "the file is changed")
    change(stage.store)
    kept = stage.store.read_bytes() if stage.store.is_file() else None
    # What is moved away and then restored is in both stores, as the user asked.
    stage.everything(without="move")
    refuses = "newer" in what or "another program" in what or "text" in what
    if refuses and stage.store.read_bytes() != kept:
        stage.fail("a file that is not a store of this version was changed")
    if stage.store.is_dir():
        stage.store.rmdir()
    if "another program" in what or "text" in what or "newer" in what:
        stage.store.unlink()
    oldest = len(stage.run("snapshot", "list", "--json", codes=(0,)).out.splitlines())
    stage.run("snapshot", "restore", str(oldest), "--yes", codes=(0,))
    return stage.row()


def _pages(store: Path) -> dict[str, int]:
    """The first page of every table and index."""
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        query = "SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0"
        return {"schema": 1, **dict(connection.execute(query))}


def _spoil(file: Path, page: int) -> None:
    with file.open("r+b") as stream:
        stream.seek(16)
        size = int.from_bytes(stream.read(2), "big") or 4096
        stream.seek((page - 1) * size + (100 if page == 1 else 0))
        stream.write(random.Random(page).randbytes(size - 100))


def _foreign(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE invoice (number INTEGER PRIMARY KEY, total REAL)")
        connection.execute("INSERT INTO invoice VALUES (1, 99.5)")


def _newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _cut(share: float) -> Callable[[Path], None]:
    return lambda file: os.truncate(file, int(file.stat().st_size * share))


_OTHER_FILES: dict[str, Callable[[Path], object]] = {
    "cut off: all": _cut(0),
    "cut off: in the header": lambda file: os.truncate(file, 50),
    "cut off: in the middle": _cut(0.5),
    "cut off: the last page": _cut(0.99),
    "newer schema": _newer,
    "a database of another program": _foreign,
    "a text file": lambda file: file.write_text("Not a database. " * 400, encoding="utf-8"),
    "a folder": _folder,
}


def _corrupt_log(place: Place, base: Path) -> Row:
    """A write-ahead log with wrong bytes: what was committed before it stays."""
    stage = Stage(place, base, "corrupt write-ahead log", "a killed process's log is changed")
    stage.run("remember", "Written before the log broke", fault=Fault("kill", 60), codes=(-9, 0))
    log = stage.store.with_name("cortex.db-wal")
    if log.exists() and log.stat().st_size > 200:
        data = bytearray(log.read_bytes())
        data[100:200] = bytes(100)
        log.write_bytes(bytes(data))
    stage.everything()
    return stage.row()


def _replaced(place: Place, base: Path) -> Row:
    """A store whose file is exchanged by another one while a process has it open."""
    stage = Stage(place, base, "replaced while open", "renamed over by its own copy")

    def work() -> None:
        from cortex_core import Cortex

        with Cortex.open() as cortex:
            cortex.list()
            file = stage.store
            copy = file.with_name("copy.db")
            shutil.copy(file, copy)
            copy.replace(file)
            try:
                cortex.remember("Written into the exchanged store")
            except Exception as error:
                print(f"Error: {error}")
            cortex.list()

    done = forking.fork(place, work)
    stage.times += 1
    if done.code or _TRACEBACK.search(done.err):
        stage.fail(f"exits with {done.code}: {done.err[-300:]}")
    stage.said.append(done.out.strip())
    place.claim()  # what users say by `cortex trust` of a file that they exchanged
    stage.everything()
    if "Written into the exchanged store" not in stage.contents() and "Error" not in done.out:
        stage.fail("what was written was lost without an error")
    return stage.row()


# --- the clock

YEARS = 10 * 365 * 86_400


def clock(place: Place, base: Path, quick: bool, seed: int) -> Iterator[Row]:
    """A clock that is ten years off in either direction, and comes back."""
    courses = (
        ("back and forth", [YEARS, -YEARS, 0]),
        ("ten years ahead", [YEARS, 0]),
        ("ten years back", [-YEARS, 0]),
    )
    for name, offsets in courses[:1] if quick else courses:
        stage = Stage(place, base, f"clock: {name}", "interposed library")
        for offset in offsets:
            stage.everything(variables={"FAULT_CLOCK": str(offset)})
        yield stage.row()


# --- names and locales

ODD_NAMES: tuple[bytes, ...] = (
    b"with space",
    b"quote'\"s",
    b"new\nline",
    b"percent%20?#&",
    "記憶の倉庫".encode(),
    "🧠 brain".encode(),
    b"bytes\xff\xfe",
    b"x" * 200,
    b"-rf",
    "e\u0301 \u202e".encode(),
)


def names(place: Place, base: Path, quick: bool, seed: int) -> Iterator[Row]:
    """Projects and users' folders with odd names, and every locale of this machine."""
    for name in ODD_NAMES[seed % 5 :: 5] if quick else ODD_NAMES:
        folder = place.folder.with_name("odd") / os.fsdecode(name)
        shutil.rmtree(folder.parent, ignore_errors=True)
        folder.parent.mkdir()
        odd = Place(folder)
        stage = Stage(odd, base, f"name: {ascii(os.fsdecode(name))[:40]}", "the place is called so")
        stage.everything()
        yield stage.row()
        shutil.rmtree(folder.parent, ignore_errors=True)
    for locale in _locales()[seed % 4 :: 4] if quick else _locales():
        stage = Stage(place, base, f"locale: {locale!a}", "LANG, LC_ALL, whole processes")
        _speak(stage, locale)
        yield stage.row()


def _locales() -> list[str]:
    done = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False)
    others = [name for name in done.stdout.split() if "." in name or name == "ru_RU.koi8r"]
    return ["", "C", "POSIX", "ru_RU.KOI8-R", "xx_XX.nonsense", *others[:3]]


def _speak(stage: Stage, locale: str) -> None:
    """Write and read text of many scripts in whole processes of a locale."""
    text = "Приветствие 🧠 naïve 記憶 stays as it is"
    environment = {name: value for name, value in stage.place.environment.items() if name != "LANG"}
    if locale:
        environment |= {"LANG": locale, "LC_ALL": locale}
    for words in (
        ("remember", text),
        ("list",),
        ("list", "--json"),
        ("recall", "приветствие"),
        ("export", "markdown", "vault"),
        ("status",),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "cortex_core.cli", *words],
            cwd=stage.place.root,
            env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=False,
        )
        stage.times += 1
        if done.returncode or b"Traceback" in done.stderr or b"nternal error" in done.stderr:
            stage.fail(f"{words[0]}: exits with {done.returncode}: {done.stderr[-200:]!r}")
    if text not in stage.contents():
        stage.fail("the text was not stored as it was said")


def glimpse(place: Place, base: Path, quick: bool, seed: int) -> Iterator[Row]:
    """A few commands and the hooks under a few of these faults, in seconds."""

    def run(stage: Stage, fault: Fault = NONE) -> Stage:
        for words in (READ[0], WRITE[0]):
            stage.run(*words, fault=fault)
        stage.fire(fault)
        return stage

    first = Stage(place, base, "EROFS", "interposed library")
    yield run(first, Fault("EROFS", 1, FOR_GOOD)).row()
    for what, change in (("newer schema", _newer), ("another program", _foreign)):
        stage = Stage(place, base, what, "the file is changed")
        change(stage.store)
        kept = stage.store.read_bytes()
        run(stage)
        if stage.store.read_bytes() != kept:
            stage.fail("the file was changed")
        shutil.copy(base / "project" / ".memory" / "cortex.db", stage.store)
        yield stage.row()
    odd = Place(place.folder.with_name("odd") / os.fsdecode(b"new\nline\xff"))
    yield run(Stage(odd, base, "odd name", "the place is called so")).row()


SCENES: Mapping[str, Callable[[Place, Path, bool, int], Iterator[Row]]] = {
    "places": places,
    "locked": locked,
    "damage": damage,
    "clock": clock,
    "names": names,
}
"""The campaigns of this module, `glimpse` aside."""
