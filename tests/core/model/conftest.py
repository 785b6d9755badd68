"""What the tests of the language model stand on: a loopback API, a session, a project that asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cortex_core import Cortex, worker
from cortex_core.agents.claude.places import slug
from cortex_core.agents.claude.samples import Sample
from cortex_core.llm import client
from tests.core.model import stub_api
from tests.core.model.stub_api import Stub

REMEMBERED = "Remember that releases go out through `make ship`, which tags first."


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
    monkeypatch.setattr(worker, "SETTLE_INTERVAL", 0.01)
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
