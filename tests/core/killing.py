"""The head of a program that kills itself at its `KILL_AT`th step; `killing` makes calls steps.

`killed_at` does the same in a fork, where only commits are of interest.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

import peewee

KILLING = """
import os, signal

left = int(os.environ["KILL_AT"])
def step():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
def killing(real):
    def call(*arguments, **options):
        step()
        done = real(*arguments, **options)
        step()
        return done
    return call
"""


def killed_at(step: int, task: Callable[[], object]) -> bool:
    """Run `task` in a child process that kills itself at its `step`th commit, counted before and
    after each; whether it came so far.

    The child is a fork, which takes a hundredth of the time of a new interpreter: the caller has
    no store open.
    """
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            return os.WTERMSIG(status) == signal.SIGKILL
        assert os.WEXITSTATUS(status) == 0
        return False
    try:
        head: dict[str, Any] = {}
        os.environ["KILL_AT"] = str(step)
        exec(KILLING, head)
        killing = head["killing"]
        commit = killing(peewee.SqliteDatabase.commit)
        peewee.SqliteDatabase.commit = commit  # type: ignore[method-assign]
        task()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
