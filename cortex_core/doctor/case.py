"""What a check is, what it finds, and the case it looks at: a project, its files and its settings.

A case can be read while its stores cannot: nothing here opens a store but to look at it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cortex_core.memory import SCOPES, Scope
from cortex_core.reports.care import CheckState
from cortex_core.storage import health
from cortex_core.storage.reader import Reader

if TYPE_CHECKING:
    from cortex_core.api import Cortex
    from cortex_core.config import Config
    from cortex_core.project import Project


class Finding(NamedTuple):
    """What one check found."""

    state: CheckState
    sentence: str
    next_step: str = ""
    """What the person can do about it; empty where all is well."""
    fixable: bool = False
    """Whether the check's own fix would mend it."""


class Check(NamedTuple):
    """One thing to look at."""

    name: str
    group: str
    run: Callable[[Case], Finding]
    fix: Callable[[Case], str] | None = None
    """Mends what `run` called fixable; says in a sentence what it did."""


def ok(sentence: str) -> Finding:
    """All is well."""
    return Finding("ok", sentence)


def warning(sentence: str, next_step: str, *, fixable: bool = False) -> Finding:
    """Something works in part, or soon will not."""
    return Finding("warning", sentence, next_step, fixable)


def failed(sentence: str, next_step: str, *, fixable: bool = False) -> Finding:
    """Something does not work."""
    return Finding("failed", sentence, next_step, fixable)


def skipped(sentence: str) -> Finding:
    """There is nothing to look at."""
    return Finding("skipped", sentence)


_RANK = ("failed", "warning", "ok", "skipped")


def together(findings: Iterable[Finding], fine: str) -> Finding:
    """The worst of `findings`, told with the others as bad; `fine` where all are well."""
    listed = [one for one in findings if one.state in ("failed", "warning")]
    if not listed:
        return ok(fine)
    worst = min(listed, key=lambda one: _RANK.index(one.state))
    same = [one for one in listed if one.state == worst.state]
    return worst._replace(
        sentence=" ".join(dict.fromkeys(one.sentence for one in same)),
        fixable=any(one.fixable for one in listed),
    )


class Answer(NamedTuple):
    """What came of one event."""

    event: str
    problem: str
    """What is wrong with it; empty when it did what it should."""
    seconds: float


class Trial(NamedTuple):
    """Every event sent one way."""

    route: str
    installed: bool
    """Whether the client's settings name it; if not, it is how they would."""
    answers: tuple[Answer, ...]
    guard: str
    """What is wrong with the guard against recursion; empty when it holds."""


class Case:
    """A project as the doctor sees it."""

    def __init__(
        self,
        cortex: Cortex,
        config_problem: str,
        python: Sequence[str],
        send_events: Callable[[Case], list[Trial]],
    ) -> None:
        self.cortex = cortex
        self.project: Project = cortex.project
        self.config: Config = cortex.config
        self.config_problem = config_problem
        """Why the configuration cannot be read, and defaults are looked at; else empty."""
        self.python = tuple(python)
        """The interpreter that hooks of this installation name, with its flags."""
        self.now = cortex.workspace.clock()
        self._send_events = send_events

    @property
    def data(self) -> Path:
        """Where the project's files lie."""
        return Path(self.project.data)

    @property
    def home(self) -> Path:
        """The global side."""
        return Path(self.project.home)

    @cached_property
    def files(self) -> dict[Scope, Path]:
        """The stores that there are, readable or not."""
        named = {"project": self.project.project_db, "global": self.project.global_db}
        return {scope: Path(path) for scope in SCOPES if (path := named[scope]) and exists(path)}

    @property
    def own(self) -> Scope:
        """Whose store keeps the ledger of this place."""
        return self.cortex.workspace.default_scope()

    @contextmanager
    def opened(self) -> Iterator[list[Reader]]:
        """The stores that can be read and have this schema, open until the block ends."""
        found = [
            Reader(str(path), scope)
            for scope, path in self.files.items()
            if health.is_readable(path)
        ]
        try:
            yield found
        finally:
            for store in found:
                store.close()

    @cached_property
    def trials(self) -> list[Trial]:
        """Every event sent through every way that the hooks are installed, once a run."""
        return self._send_events(self)


def counted(number: int, one: str, many: str = "") -> str:
    """`number` with its noun: `1 memory`, `1,284 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def exists(path: str | Path) -> bool:
    """Whether there is something at `path`, even where it cannot be looked at."""
    try:
        return Path(path).exists()
    except OSError:
        return True


def over_stores(
    look: Callable[[Case, Reader], Iterable[Finding]], fine: str
) -> Callable[[Case], Finding]:
    """A check's `run` that looks at each store by itself; skipped where none can be read."""

    def run(case: Case) -> Finding:
        with case.opened() as stores:
            if not stores:
                return skipped(
                    "The stores cannot be read (see stores-open)."
                    if case.files
                    else "There is no store here yet."
                )
            return together((one for store in stores for one in look(case, store)), fine)

    return run
