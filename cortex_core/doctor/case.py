"""What a check is, what it finds, and the case it examines: a project, its files and its settings.

A case works even if its stores are unreadable: nothing here opens a store except to read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from cortex_core import agents
from cortex_core.agents.protocol import AgentCase, Check, SessionRef
from cortex_core.api import Cortex
from cortex_core.base.config import Config
from cortex_core.base.errors import CortexError
from cortex_core.base.project import Project
from cortex_core.records.findings import skipped, together
from cortex_core.records.memory import SCOPES, Scope
from cortex_core.records.upkeep import CheckResult
from cortex_core.store import cursors, health, ledger
from cortex_core.store.reader import Reader

FIX = "Run: cortex doctor --fix"


class EventResult(NamedTuple):
    """The result of one event that was sent through a hook."""

    event: str
    problem: str
    """What went wrong; empty if it worked."""
    seconds: float


class Trial(NamedTuple):
    """The results of every event for one route."""

    route: str
    installed: bool
    """Whether Claude Code has this route; if not, it is what install would write."""
    results: tuple[EventResult, ...]


class Case:
    """The project that the doctor examines."""

    def __init__(
        self,
        cortex: Cortex,
        config_problem: str,
        send_events: Callable[[Case], list[Trial]],
    ) -> None:
        self.cortex = cortex
        self.project: Project = cortex.project
        self.config: Config = cortex.config
        self.config_problem = config_problem
        """Why the configuration cannot be read, so that defaults are used; otherwise empty."""
        self.now = cortex.workspace.clock()
        self.data = Path(self.project.data)
        """The folder of the project's files."""
        self.home = Path(self.project.home)
        """The global side."""
        self._send_events = send_events

    @cached_property
    def files(self) -> dict[Scope, Path]:
        """The existing stores, readable or not."""
        named = ((scope, self.project.store_file(scope)) for scope in SCOPES)
        return {scope: Path(path) for scope, path in named if path and exists(path)}

    @property
    def readable(self) -> dict[Scope, Path]:
        """Those of this schema that can be read now."""
        return {scope: path for scope, path in self.files.items() if health.is_readable(path)}

    @contextmanager
    def readers(self) -> Iterator[list[Reader]]:
        """The readable stores of this schema, open until the block ends."""
        with ExitStack() as open_ones:
            yield [
                open_ones.enter_context(Reader(str(path), scope))
                for scope, path in self.readable.items()
            ]

    @cached_property
    def read(self) -> dict[str, int]:
        """By transcript, the bytes that capture has read."""
        with self.readers() as stores:
            return {
                name: offset for store in stores for name, offset in cursors.offsets(store).items()
            }

    @cached_property
    def sessions(self) -> list[SessionRef]:
        """This project's sessions on this machine, the one written last at the end."""
        known = agents.having("sessions", self.config)
        found = [each for one in known for each in one.sessions.of_project(self.project, self.read)]
        return sorted(found, key=lambda one: one.changed)

    @cached_property
    def fired(self) -> set[str]:
        """The ids of the sessions in which hooks have reported an event."""
        with self.readers() as stores:
            return {session for store in stores for session in ledger.reported(store)}

    @cached_property
    def unread(self) -> list[SessionRef]:
        """Those of which capture has not read everything."""
        return [one for one in self.sessions if one.size > self.read.get(one.key, 0)]

    def prompts(self, agent: str) -> int:
        """The prompts in an agent's sessions here that were read."""
        with suppress(CortexError):  # an archive that cannot be read has a check of its own
            kept = self.cortex.sessions.archive.list(agent=agent, limit=None)
            return sum(one.turns for one in kept)
        return 0

    @cached_property
    def trials(self) -> list[Trial]:
        """Every event sent through every installed route of the hooks, once per run."""
        return self._send_events(self)


def exists(path: str | Path) -> bool:
    """Whether `path` exists; also true if it may not be examined."""
    try:
        return Path(path).exists()
    except OSError:
        return True


def over_stores(
    look: Callable[[Case, Reader], Iterable[CheckResult]], fine: str
) -> Callable[[Case], CheckResult]:
    """The `run` of a check that looks at each store separately; skipped if none is readable."""

    def run(case: Case) -> CheckResult:
        with case.readers() as stores:
            if not stores:
                return skipped(
                    "The stores cannot be read (see stores-open)."
                    if case.files
                    else "There is no store yet."
                )
            return together((one for store in stores for one in look(case, store)), fine)

    return run


def of_agents(group: str) -> list[Check[AgentCase]]:
    """The checks of this group that look at an agent's own files."""
    listed = [one for agent in agents.having("checks") for one in agent.checks.CHECKS]
    return [one for one in listed if one.group == group]
