"""The worker's start: its own session, none of our descriptors, one at a time."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core.base.project import find, prepare
from cortex_core.capture import spool
from cortex_core.hook_events import worker_start

SLEEPING = [sys.executable, "-c", "import time; time.sleep(30)"]


@pytest.mark.parametrize("spawn", [worker_start.detached, worker_start._spawned_by_subprocess])
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_it_is_on_its_own_and_holds_nothing_open(
    spawn: Callable[[list[str], dict[str, str]], int],
) -> None:
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    pid = spawn(SLEEPING, dict(os.environ))
    try:
        os.close(writer)
        ready, _, _ = select.select([reader], [], [], 5)
        assert ready and os.read(reader, 1) == b""
        assert os.getsid(pid) == pid
        for descriptor in (0, 1, 2):
            assert Path(f"/proc/{pid}/fd/{descriptor}").readlink() == Path(os.devnull)
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_none_is_started_beside_a_running_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(worker_start, "detached", lambda command, _: started.append(command))
    found = find(str(project))
    prepare(found)
    assert not spool.is_worker_running(found)
    with (project / ".memory" / "worker.lock").open("a") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        assert spool.is_worker_running(found)
        assert not worker_start.start_worker(found)
    assert worker_start.start_worker(found)
    (command,) = started
    assert command[0] == sys.executable
    assert command[-2:] == ["--project", str(project)] and "cortex_core.worker" in command


@pytest.mark.parametrize(
    ("flags", "passed_on"), [(["-I"], "-I"), (["-E", "-P"], "-E -P"), (["-s"], "-P")]
)
def test_a_projects_own_files_are_never_imported(flags: list[str], passed_on: str) -> None:
    script = (
        "from cortex_core.hook_events import worker_start; print(*worker_start.inherited_flags())"
    )
    done = subprocess.run(
        [sys.executable, *flags, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == passed_on
