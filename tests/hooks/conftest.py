"""Running hooks as the client does: a process, a payload on its standard input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cortex_core import Cortex

PAYLOADS = sorted((Path(__file__).parent / "payloads").glob("*.json"))


class Fired(NamedTuple):
    """What a hook process left."""

    code: int
    out: bytes

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON object that was printed."""
        return dict(json.loads(self.out))

    @property
    def given(self) -> str:
        """What Claude is given; empty for nothing."""
        if not self.out:
            return ""
        return str(self.envelope.get("hookSpecificOutput", {}).get("additionalContext", ""))


class Hooks:
    """Fires hooks for one project."""

    def __init__(self, project: Path, environment: dict[str, str]) -> None:
        self.project = project
        self.environment = environment
        self.command = [sys.executable, "-I", "-m", "cortex_core.hook"]

    def payload(self, event: str, **fields: Any) -> dict[str, Any]:
        """A payload of `event`, as the client sends it."""
        return {
            "session_id": "session-1",
            "transcript_path": str(self.project.parent / "transcripts" / "session-1.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": event,
            **fields,
        }

    def __call__(self, event: str, *, env: dict[str, str] | None = None, **fields: Any) -> Fired:
        """Fire `event` with `fields` over the usual ones."""
        return self.send(json.dumps(self.payload(event, **fields)).encode(), env=env)

    def send(
        self, data: bytes, *, env: dict[str, str] | None = None, arguments: tuple[str, ...] = ()
    ) -> Fired:
        """Run a hook with `data` on its standard input."""
        done = subprocess.run(
            [*self.command, *arguments],
            input=data,
            capture_output=True,
            timeout=120,
            env={**self.environment, **(env or {})},
            cwd=self.project,
            check=False,
        )
        return Fired(done.returncode, done.stdout)

    def records(self) -> list[dict[str, Any]]:
        """The records in the project's spool."""
        return [
            json.loads(path.read_text())
            for path in sorted((self.project / ".memory" / "spool").glob("*.json"))
        ]


def worker_pids(project: Path) -> list[int]:
    """The workers of `project` that are running."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"cortex_core.worker" in words and str(project).encode() in words:
            found.append(int(entry.name))
    return found


@pytest.fixture
def hooks(project: Path, clean_env: Callable[..., dict[str, str]]) -> Iterator[Hooks]:
    """Hooks of `project`; capture is paused unless a test resumes it, so that no worker runs."""
    environment = clean_env()
    if sys.prefix == sys.base_prefix:
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    yield Hooks(project, environment)
    for pid in worker_pids(project):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def no_worker(project: Path) -> Iterator[None]:
    """Hold the worker's lock, so that records stay in the spool."""
    import fcntl

    from cortex_core.base.project import find, prepare

    prepare(find(str(project)))
    with (project / ".memory" / "worker.lock").open("a") as lock:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
        yield


@pytest.fixture
def cortex(project: Path) -> Iterator[Cortex]:
    """The project's memory, in this process."""
    with Cortex.open(project=project) as opened:
        yield opened
