"""What Cortex asks of a coding agent; each package beside this one answers for one agent.

`hooks.py` of such a package is a `Hooks`: a module whose functions have these names. It is imported
by name when one of the agent's hooks runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from cortex_core.agents.hook_call import HookAnswer, HookCall
from cortex_core.base.project import Project
from cortex_core.records.findings import Finding


class TypedPrompt(NamedTuple):
    """A prompt of the history that an agent keeps apart from its transcripts."""

    session: str
    """Empty where the history names none."""
    folder: str
    """Where it was typed."""
    time: float
    text: str


class Hooks(Protocol):
    """The agent's hooks, without what Cortex makes of them."""

    def call(
        self, word: str, payload: Mapping[str, Any], environment: Mapping[str, str], /
    ) -> HookCall | None:
        """What a payload asks; None for an event that Cortex does not answer or record.

        Args:
            word: the event's name as the command line gave it; empty for none.
        """

    def answer(self, call: HookCall, given: HookAnswer, /) -> bytes:
        """The answer in the agent's form; empty where there is nothing to say."""

    def may_be_unread(self, call: HookCall, since: float, /) -> bool:
        """Whether a session near the one of the call was written after `since` (Unix seconds)."""

    def is_attended(self, environment: Mapping[str, str], /) -> bool:
        """Whether a user sees the answers; where the agent does not say, one is assumed."""


class Route(NamedTuple):
    """One way in which an agent runs the hooks."""

    name: str
    """The settings file, or the plugin."""
    commands: Mapping[str, list[str]]
    """The command of each event."""
    environment: Mapping[str, str]


class AgentCheck(NamedTuple):
    """A check of the doctor that knows the agent's own files."""

    name: str
    run: Callable[[Project], Finding]
    fix: Callable[[Project], str] | None = None
    """Repairs what `run` called fixable; returns a sentence about what it did."""
