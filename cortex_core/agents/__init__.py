"""The coding agents that Cortex works with: a package for each, and what Cortex asks of it.

Hooks load this module, so it imports nothing of an agent before it is asked for.
"""

from __future__ import annotations

import importlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from cortex_core.agents.protocol import (
        AgentFiles,
        AgentSessions,
        Capabilities,
        Checks,
        Headless,
        Hooks,
        HookTrial,
        Installer,
        Transcripts,
    )
    from cortex_core.base.config import Config
    from cortex_core.base.project import Project

AGENTS: Mapping[str, tuple[str, ...]] = {
    "claude": (
        "hooks",
        "sessions",
        "reader",
        "installer",
        "checks",
        "own_files",
        "headless",
        "trial",
    ),
    "codex": ("hooks", "sessions", "reader", "installer", "checks", "headless"),
    "copilot": ("hooks", "sessions", "reader", "installer", "checks"),
    "opencode": ("hooks", "sessions", "reader", "installer", "checks"),
    "gemini": ("hooks", "sessions", "reader", "installer", "checks"),
}
"""The packages here, and the parts that each has; the first is asked where none recognises a
file."""


class Agent:
    """One coding agent; its attributes are the parts that it has, described in `protocol`: modules
    of its package, or what such a module calls `PART`."""

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

    @property
    def capabilities(self) -> Capabilities:
        """What Cortex can do with it."""
        module = importlib.import_module(f"cortex_core.agents.{self.name}.capabilities")
        found: Capabilities = module.CAPABILITIES
        return found

    def __getattr__(self, module: str) -> Any:
        found = importlib.import_module(f"cortex_core.agents.{self.name}.{module}")
        return getattr(found, "PART", found)


def having(part: str, config: Config | None = None) -> tuple[Agent, ...]:
    """Every agent with this part.

    Args:
        part: a name of `Agent`.
        config: leave those out from which nothing is learned by these settings.
    """
    return tuple(
        Agent(name)
        for name, parts in AGENTS.items()
        if part in parts and (config is None or config.get(f"agents.{name}") == "on")
    )


def of(name: str) -> Agent:
    """The agent of this name, one of `AGENTS`."""
    return Agent(name)


def sender(agent: str, payload: Mapping[str, Any]) -> str:
    """The agent that sent a payload: Claude Code's plugin runs in Codex and Copilot CLI as well.

    Codex says so by the name of its transcript alone. In a shell of Copilot CLI, Claude Code has
    its variable too, but names a transcript of its own.
    """
    name = str(payload.get("transcript_path") or "").replace("\\", "/").rpartition("/")[2]
    if agent != "claude":
        return agent
    is_copilot = "COPILOT_CLI" in os.environ and name in ("", "events.jsonl")
    return "codex" if name.startswith("rollout-") else "copilot" if is_copilot else agent


def of_key(key: str) -> Agent | None:
    """The agent whose session has this key; None for a path, which does not name its agent."""
    from cortex_core.base import agent_names  # which hooks do without

    name = agent_names.of_key(key)
    return Agent(name) if name and key.startswith(f"{name}:") else None


def memory_files(project: Project, environment: Mapping[str, str]) -> list[str]:
    """The files of the agents' own memories of a project, which they inject themselves."""
    found = (agent.hooks.memory_file(project, environment) for agent in having("own_files"))
    return [file for file in found if file]
