"""Tasks that are killed at any of their steps: calls that write, counted before and after each.

They run in a fork, which takes a hundredth of the time of a new interpreter: the caller has no
store open.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import peewee

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
    status, _ = _run(step, task, calls, ready)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status) == signal.SIGKILL
    assert os.WEXITSTATUS(status) == 0
    return False


def steps_of(task: Task, calls: Iterable[Call] = COMMITS, *, ready: Task = lambda: None) -> int:
    """Run `task` to its end in a child process; how many steps it has."""
    status, counted = _run(0, task, calls, ready)
    assert status == 0
    return counted


def spread(steps: int, count: int) -> list[int]:
    """About `count` of the `steps`, the first and the last among them; `CORTEX_KILLS` says how
    many instead."""
    count = int(os.environ.get("CORTEX_KILLS", count))
    return sorted({1 + (steps - 1) * n // (count - 1) for n in range(count)})


def _run(kill_at: int, task: Task, calls: Iterable[Call], ready: Task) -> tuple[int, int]:
    """The exit status of the child, and how many steps it took if it ended."""
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        with os.fdopen(read) as output:
            counted = output.read()
        return os.waitpid(child, 0)[1], int(counted or 0)
    try:
        ready()
        count = _count(kill_at, calls)
        task()
        os.write(write, str(count()).encode())
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
