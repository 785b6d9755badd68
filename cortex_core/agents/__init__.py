"""The coding agents that Cortex works with: a package for each, and what Cortex asks of it.

Hooks load this module, so it imports nothing of an agent before it is asked for.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.agents.protocol import (
        AgentFiles,
        AgentSessions,
        Checks,
        Headless,
        Hooks,
        HookTrial,
        Installer,
        Transcripts,
    )
    from cortex_core.base.project import Project

AGENTS = ("claude",)
"""The packages here."""


class Agent:
    """One coding agent; its attributes are the modules of its package, described in `protocol`."""

    hooks: Hooks
    sessions: AgentSessions
    reader: Transcripts
    installer: Installer
    checks: Checks
    own_files: AgentFiles
    headless: Headless
    trial: HookTrial

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


def launched_in(environment: Mapping[str, str]) -> str:
    """The folder in which the session was started that this process serves; empty without one."""
    folders = (agent.hooks.launched_in(environment) for agent in known())
    return next(filter(None, folders), "")


def tool_call(meta: Mapping[str, Any]) -> str:
    """The id of the agent's tool call that a request to our MCP server is; empty without one."""
    return next(filter(None, (agent.hooks.tool_call(meta) for agent in known())), "")


def memory_files(project: Project, environment: Mapping[str, str]) -> list[str]:
    """The files of the agents' own memories of a project, which they inject themselves."""
    found = (agent.hooks.memory_file(project, environment) for agent in known())
    return [file for file in found if file]
