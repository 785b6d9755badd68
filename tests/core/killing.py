"""Tasks that are killed at any of their steps: calls that write, counted before and after each.

They run in forks of a server that has imported what they need and has no threads, which takes a
tenth of the time of a new interpreter. The test's own process is never forked: it has threads.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle
import peewee

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["pytest", "hypothesis", "cortex_core.api", "tests.core.killing"])

Task = Callable[[], object]


class Call(NamedTuple):
    """A function whose calls are steps, by its owner and its name there."""

    owner: Any
    name: str
    is_step: Callable[..., bool] = lambda *arguments, **options: True
    """Which of its calls are, by their arguments."""


def writes(_database: peewee.Database, sql: str, *_arguments: object, **_options: object) -> bool:
    """Whether a statement changes the store."""
    return not sql.lstrip().upper().startswith(("SELECT", "PRAGMA"))


COMMITS = (Call(peewee.SqliteDatabase, "commit"),)
WRITES = (*COMMITS, Call(peewee.SqliteDatabase, "execute_sql", writes))
STATEMENTS = (
    *COMMITS,
    Call(peewee.SqliteDatabase, "begin"),
    Call(peewee.SqliteDatabase, "execute_sql"),
)
FILES = (Call(Path, "unlink"), Call(os, "replace"))
"""What moves and removes files."""


def killed_at(
    step: int, task: Task, calls: Iterable[Call] = COMMITS, *, ready: Task = lambda: None
) -> bool:
    """Run `task` in a child process that kills itself at its `step`th step; whether it came so
    far.

    Args:
        ready: what the child does first, without steps.
    """
    code, _ = _run(step, task, calls, ready)
    assert code in (0, -signal.SIGKILL)
    return code != 0


def steps_of(task: Task, calls: Iterable[Call] = COMMITS, *, ready: Task = lambda: None) -> int:
    """Run `task` to its end in a child process; how many steps it has."""
    code, counted = _run(0, task, calls, ready)
    assert code == 0
    return counted


def spread(steps: int, count: int) -> list[int]:
    """About `count` of the `steps`, the first and the last among them; `CORTEX_KILLS` says how
    many instead."""
    count = int(os.environ.get("CORTEX_KILLS", count))
    return sorted({1 + (steps - 1) * n // (count - 1) for n in range(count)})


def _run(kill_at: int, task: Task, calls: Iterable[Call], ready: Task) -> tuple[int, int]:
    """The exit code of the child, and how many steps it took if it ended."""
    read, write = _SERVER.Pipe(duplex=False)
    work = cloudpickle.dumps((task, tuple(calls), ready))
    place = (dict(os.environ), str(Path.cwd()))
    child = _SERVER.Process(target=_work, args=(kill_at, work, place, write))
    child.start()
    write.close()
    try:
        counted = read.recv()
    except EOFError:  # it was killed, or failed
        counted = 0
    child.join()
    assert child.exitcode is not None
    return child.exitcode, counted


def _work(kill_at: int, work: bytes, place: tuple[dict[str, str], str], counts: Connection) -> None:
    """Do the task in the child, in the environment and the folder of the test."""
    os.environ.clear()
    os.environ.update(place[0])
    os.chdir(place[1])
    task, calls, ready = cloudpickle.loads(work)
    try:
        ready()
        count = _count(kill_at, calls)
        task()
        counts.send(count())
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _count(kill_at: int, calls: Iterable[Call]) -> Callable[[], int]:
    """Make `calls` steps that are counted, the `kill_at`th the last; returns the counter."""
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def counting(real: Callable[..., Any], is_step: Callable[..., bool]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if not is_step(*arguments, **options):
                return real(*arguments, **options)
            step()
            done = real(*arguments, **options)
            step()
            return done

        return call

    for owner, name, is_step in calls:
        setattr(owner, name, counting(getattr(owner, name), is_step))
    return lambda: taken
