"""The coding agents that Cortex works with: a package for each, and what Cortex asks of it.

Hooks load this module, so it imports nothing of an agent before it is asked for.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cortex_core.agents.protocol import AgentSessions, Checks, Hooks, Transcripts

AGENTS = ("claude",)
"""The packages here."""


class Agent:
    """One coding agent; its attributes are the modules of its package, described in `protocol`."""

    hooks: Hooks
    sessions: AgentSessions
    reader: Transcripts
    checks: Checks

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, module: str) -> Any:
        return importlib.import_module(f"cortex_core.agents.{self.name}.{module}")


def known() -> tuple[Agent, ...]:
    """Every agent, the one first that is asked where none recognises a file."""
    return tuple(map(Agent, AGENTS))


def of(name: str) -> Agent:
    """The agent of this name, one of `AGENTS`."""
    return Agent(name)
