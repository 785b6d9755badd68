"""What the tests of the language model stand on: a loopback API, a session, a project that asks."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex, worker_run
from cortex_core.agents.claude.places import slug
from cortex_core.llm import client
from cortex_core.llm.protocol import FILE
from cortex_core.records.captures import LedgerEntry
from cortex_core.records.memory import Memory, Status
from tests.core.model import stub_api
from tests.core.model.stub_api import Stub, extraction, memory, said_in
from tests.transcript_samples import Sample

DOUBLE = """\
import json, os, subprocess, sys, time
here = os.path.dirname(os.path.abspath(__file__))
text = sys.stdin.read()
with open(os.path.join(here, "calls.jsonl"), "a") as file:
    file.write(json.dumps({"argv": sys.argv[1:], "text": text, "cwd": os.getcwd(),
                           "env": dict(os.environ), "pid": os.getpid()}) + "\\n")
exec(open(os.path.join(here, "behaviour.py")).read())
"""


class Double:
    """The command's side of a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def does(self, code: str) -> None:
        """What it does next time, in Python; `text` is what it was given."""
        (self.folder / "behaviour.py").write_text(code)

    @property
    def calls(self) -> list[dict[str, object]]:
        """How it was started so far."""
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


REMEMBERED = "Remember that releases go out through `make ship`, which tags first."


def gone(signalled: Callable[[], object]) -> bool:
    """Whether nothing is left to be signalled, now or in a moment."""
    for _ in range(100):
        try:
            signalled()
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A loopback API that the environment points at, with a key."""
    made = Stub()
    with stub_api.serving(made) as url:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.delenv(name, raising=False)
            monkeypatch.delenv(name.lower(), raising=False)
        yield made


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Double]:
    """Makes the double of a command of this name, alone on PATH with the system's own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), "/usr/bin", "/bin")))

    def make(name: str) -> Double:
        place = folder / f"of-{name}"
        place.mkdir()
        (place / "double.py").write_text(DOUBLE)
        command = folder / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{place}/double.py" "$@"\n')
        command.chmod(0o755)
        return Double(place)

    return make


@pytest.fixture
def asking(project: Path) -> Path:
    """A project whose user has chosen the API."""
    with Cortex.open(project) as cortex:
        cortex.settings.set("extractor", "api")
        cortex.settings.set("model.deadline", 10.0)
    return project


@pytest.fixture
def sessions(scratch_home: Path, project: Path) -> Path:
    """Claude Code's folder for this project's sessions."""
    folder = scratch_home / ".claude" / "projects" / slug(str(project))
    folder.mkdir(parents=True)
    return folder


def session(project: Path, name: str = "one") -> Sample:
    """A session in which a rule and a model each find something of their own."""
    return (
        Sample(name, cwd=str(project))
        .human(REMEMBERED)
        .assistant("Noted.")
        .human("Where should the nightly export run?")
        .assistant("The primary cannot bear the nightly export, the replica db-ro-2 can.")
        .human("Then that one.")
        .assistant("Done: it runs on db-ro-2 now.")
    )


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a transcript that is whole, or long before asking again."""
    monkeypatch.setattr(worker_run, "SETTLE_INTERVAL", 0.01)
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)


def capture(project: Path, path: Path, event: str = "SessionEnd") -> LedgerEntry:
    """Read a session that has ended, by rules and model."""
    with Cortex.open(project) as cortex:
        entry, _ = cortex.sessions.capture(path, event=event, final=event != "Stop")
        return entry


def stored(project: Path, *statuses: Status) -> list[Memory]:
    """The memories of some statuses, in order of their words."""
    with Cortex.open(project) as cortex:
        found = cortex.list(statuses=statuses or ("active",))
        return sorted((cortex.show(one.id) for one in found), key=lambda one: one.content)


def answered(stub: Stub, words: str, **fields: Any) -> None:
    """Answer with one memory that comes from the message that holds `words`."""

    def act(stub: Stub, handler: stub_api.Handler) -> None:
        sent = stub.asked()[-1]
        text = extraction(memory(number=said_in(sent, words), **fields))
        body = stub_api.message(stub_api.quoting(text, sent))
        stub_api.send(handler, 200, body)

    stub.act = act


def calls_of(home: str | Path) -> list[sqlite3.Row]:
    """The calls to models on the record of the global side `home`, newest first."""
    with closing(sqlite3.connect(Path(home, FILE))) as database:
        database.row_factory = sqlite3.Row
        return database.execute("SELECT * FROM call ORDER BY number DESC").fetchall()
