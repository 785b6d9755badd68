"""What every test stands on: a home of its own, a real repository, and a clock that can be set.

No test sees the machine's own home folder, memory or credentials, and none needs the network.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from peewee import SchemaManager

from cortex_core.base import project as projects, trust

# How fast a loaded machine draws examples says nothing of the product.
settings.register_profile(
    "cortex", suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60
)
settings.load_profile("cortex")

# onnxruntime reports to its maker unless told before it is loaded; some tests load it directly.
os.environ.update(ORT_DISABLE_TELEMETRY="1", ORT_TELEMETRY_DISABLED="1")

DROPPED = ("ANTHROPIC_", "CLAUDE_", "CORTEX_", "GIT_", "OPENAI_", "VOYAGE_", "GEMINI_", "XDG_")
"""Environment variables whose names begin so are the machine's and reach no test."""

KEPT = frozenset({"CORTEX_DATA"})
"""Where the development data lies, for checks that skip without it."""

NOON = 1_789_646_400.0
"""The tests' present: 2026-09-17 12:00 UTC."""


def pytest_collection_finish() -> None:
    """What was collected stays: the garbage collector need not look at it again and again, nor as
    often as new objects come."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


class Clock:
    """A clock that stands still until it is told to move. Call it for the time in Unix seconds."""

    def __init__(self, now: float = NOON) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(
        self, *, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0
    ) -> float:
        """Move on by so much, backwards when negative; returns the new time."""
        self.now += seconds + 60 * minutes + 3600 * hours + 86_400 * days
        return self.now


@pytest.fixture(scope="session", autouse=True)
def schemas_are_worded_once() -> Iterator[None]:
    """A store is made of the statements that peewee had for the first one: to word them again takes
    longer than to execute them, and tests make thousands of stores."""
    worded: dict[object, list[tuple[Any, ...]]] = {}
    create = SchemaManager.create_all

    def create_all(self: SchemaManager, safe: bool = True, **options: Any) -> None:
        execute = self.database.execute_sql
        if self.model in worded:
            for each in worded[self.model]:
                execute(*each)
            return
        found: list[tuple[Any, ...]] = []

        def noted(*given: Any) -> Any:
            found.append(given)
            return execute(*given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.database, "execute_sql", noted)
            create(self, safe, **options)
        worded[self.model] = found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SchemaManager, "create_all", create_all)
        yield


@pytest.fixture
def clock() -> Clock:
    """A clock at `NOON`."""
    return Clock()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Paths for the home folders of the tests: pytest's own way to number folders looks at all that
    there are, each time."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def scratch_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh HOME for this test, with CLAUDE_CONFIG_DIR and CORTEX_HOME inside it; returns it.

    The test starts in an empty folder, so that nothing takes the checkout for its project.
    """
    for name in os.environ:
        if name.startswith(DROPPED) and name not in KEPT:
            monkeypatch.delenv(name)
    base = next(homes)
    home, start = base / "user", base / "start"
    home.mkdir(parents=True)
    start.mkdir()
    for name, value in _home_variables(home).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(start)
    return home


def _home_variables(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CORTEX_HOME": str(home / "cortex"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "HF_HUB_OFFLINE": "1",
    }


@pytest.fixture
def clean_env(scratch_home: Path) -> Callable[..., dict[str, str]]:
    """`clean_env(NAME="value")`: an environment for a subprocess, in this test's scratch home.

    It holds what a program needs to start (PATH, locale, terminal), the scratch folders and what
    the caller adds; a value of "" drops the name.
    """

    def make(**extra: str) -> dict[str, str]:
        names = ("PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "SYSTEMROOT")
        made = {name: os.environ[name] for name in names if name in os.environ}
        made |= _home_variables(scratch_home)
        made |= {"PYTHONUTF8": "1", **extra}
        return {name: value for name, value in made.items() if value != ""}

    return make


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real git repository with one commit on branch `main`, to be copied and never changed."""
    root = tmp_path_factory.mktemp("repository") / "project"
    root.mkdir()
    (root / "README.md").write_text("# A project\n", encoding="utf-8")
    for arguments in (
        ("init", "-q", "-b", "main", "--template="),
        ("add", "README.md"),
        (
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.org",
            "commit",
            "-q",
            "-m",
            "Begin",
        ),
    ):
        environment = {"PATH": os.environ["PATH"], **_home_variables(root.parent)}
        subprocess.run(
            ["git", *arguments], cwd=root, env=environment, check=True, capture_output=True
        )
    return root


def made(root: Path, user_side: Path | None = None) -> Path:
    """The `.memory` of the project at `root`, with what is in it, as made by this user's Cortex."""
    data, home = root / projects.FOLDER, str(user_side or projects.global_side())
    data.mkdir(parents=True, exist_ok=True)
    trust.mark(str(data), trust.note_of(str(data), home), home)
    return data


@pytest.fixture
def project(repository: Path, tmp_path: Path) -> Path:
    """The root of a real git repository with one commit on branch `main`."""
    return Path(shutil.copytree(repository, tmp_path / "project"))
