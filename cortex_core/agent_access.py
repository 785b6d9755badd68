"""What an agent may read and change over MCP or HTTP: the stores, the ids, the statuses."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from cortex_core import agents
from cortex_core.api import Cortex
from cortex_core.base.errors import CortexError, NotFound, UsageError
from cortex_core.records.memory import Memory, Status, Where

VISIBLE: tuple[Status, ...] = ("active", "archived", "superseded")
"""Statuses that an agent may see; other memories wait for the user's verdict, or are gone."""


HIGHEST_PRIORITY = 9
"""Highest priority that an agent may set; only the user can set 10."""


class Untrusted(CortexError):
    """The project's store came from elsewhere and the user has not allowed it yet."""

    def __init__(self) -> None:
        super().__init__(
            "The memory of this project came with its folder (a clone or a copy), so you cannot "
            "read or write it. The user can allow it with `cortex trust`. You can still use global "
            "memories: ask for scope “global”."
        )


class Access:
    """The memory of the session's project, opened when the first tool is called."""

    def __init__(self, project: str | None = None) -> None:
        """Args:
        project: the project's folder; None finds it from where Claude Code was started.
        """
        self._project = project
        self._cortex: Cortex | None = None
        self._lock = threading.Lock()

    @property
    def cortex(self) -> Cortex:
        """The open memory.

        Raises:
            ConfigError: the configuration has a mistake; the next call tries again.
        """
        with self._lock:
            if self._cortex is None:
                # The folder in which the session was started that this process serves.
                names = (agent.capabilities.folder_variable for agent in agents.having("hooks"))
                launch = next(filter(None, map(os.environ.get, names)), "")
                cwd = launch if launch and Path(launch).is_dir() else None
                self._cortex = Cortex.open(self._project, cwd=cwd)
            return self._cortex

    def within(self, scope: Where) -> Cortex:
        """The open memory, for work in `scope`.

        Raises:
            Untrusted: `scope` includes a store that came from elsewhere.
        """
        cortex = self.cortex
        if scope not in ("global", "team") and not cortex.trust.granted:
            raise Untrusted
        return cortex

    def memory(self, name: str) -> Memory:
        """The memory called `name`, if an agent may use it.

        Raises:
            NotFound: there is none.
            UsageError: it waits for the user's verdict, or the id is not valid.
            Untrusted: its store came from elsewhere.
        """
        memory = self.cortex.show(name)
        self.within(memory.scope)
        if memory.status == "pruned":
            raise NotFound(f"“{name}” was pruned. Nothing was changed.")
        if memory.status not in VISIBLE:
            raise UsageError(
                f"“{name}” is {memory.status}: it waits for the user's verdict (cortex "
                f"{_LIST[memory.status]}). Nothing was changed."
            )
        return memory

    def visible(self, memories: Sequence[Memory]) -> list[Memory]:
        """Those of `memories` that an agent may see."""
        return [memory for memory in memories if memory.status in VISIBLE]


_LIST = {"suggested": "suggestions", "quarantined": "quarantine"}
