"""Writers that find a store locked begin in the order in which they came."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import StoreLocked
from cortex_core.store import opening, write_queue
from tests.locking import held

QUEUER = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("first", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(project: Path) -> Path:
    with Cortex.open(project) as cortex:
        cortex.remember("Use pnpm, never npm")
    return project / ".memory" / "cortex.db"


@contextmanager
def first_in(queue: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that is the first of a queue and does not move on."""
    first = subprocess.Popen(
        [sys.executable, "-c", QUEUER, str(queue)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert first.stdout is not None
        assert first.stdout.readline() == "first\n"
        yield first
    finally:
        first.communicate()


def queuing(queue: Path) -> int:
    """How many hold the queue's lock or wait for it, as the kernel lists them."""
    if not queue.exists():
        return 0
    end = f":{queue.stat().st_ino}"
    return sum(
        any(word.endswith(end) for word in line.split())
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()
    )


def wait_for(queue: Path, many: int) -> None:
    while queuing(queue) < many:
        time.sleep(0.01)


def remembering(project: Path, text: str, done: list[str]) -> Thread:
    def work() -> None:
        with Cortex.open(project) as cortex:
            cortex.remember(text)
            done.append(text)

    thread = Thread(target=work)
    thread.start()
    return thread


pytestmark = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the kernel lists locks")


def test_who_came_first_writes_first(project: Path, store: Path) -> None:
    queue, done = Path(f"{store}{write_queue.QUEUE}"), list[str]()
    texts = [f"Port {number} belongs to service {number}" for number in range(8000, 8006)]
    with held(store):
        waiting = []
        for number, text in enumerate(texts, 1):
            waiting.append(remembering(project, text, done))
            wait_for(queue, number)
    for thread in waiting:
        thread.join()
    with Cortex.open(project) as cortex:
        newest_last = [entry.label for entry in cortex.log()][::-1]
    assert [text for label in newest_last for text in texts if text in label] == texts


def test_nobody_queues_for_a_store_that_is_free(project: Path, store: Path) -> None:
    with Cortex.open(project) as cortex:
        cortex.remember("Use port 8010")
    assert not Path(f"{store}{write_queue.QUEUE}").exists()


def test_the_first_of_the_queue_is_killed(project: Path, store: Path) -> None:
    queue, done = Path(f"{store}{write_queue.QUEUE}"), list[str]()
    with held(store), first_in(queue) as first:
        waiting = remembering(project, "Use port 8010", done)
        wait_for(queue, 2)
        first.kill()
    waiting.join()
    assert done


def test_the_first_of_the_queue_does_not_move_on(
    project: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(opening._PRAGMAS, "busy_timeout", 20)
    queue = Path(f"{store}{write_queue.QUEUE}")
    with first_in(queue), Cortex.open(project) as cortex:
        with held(store), pytest.raises(StoreLocked):
            cortex.remember("Use port 8010")
        assert cortex.remember("Use port 8010").content == "Use port 8010"


def test_where_nobody_can_queue_chance_decides(project: Path, store: Path) -> None:
    queue, done = Path(f"{store}{write_queue.QUEUE}"), list[str]()
    queue.mkdir()
    with held(store):
        waiting = remembering(project, "Use port 8010", done)
    waiting.join()
    assert done
