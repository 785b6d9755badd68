"""Asks the agent to write down what it learned, while it still knows.

Standard library only, and little of it: every session's start loads this module.
"""

from __future__ import annotations

import os

from cortex_core.base import hook_io
from cortex_core.base.project import is_paused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cortex_core.agents.protocol import Hooks
    from cortex_core.base.project import Project

PARAGRAPH = (
    "When a piece of work ends (a commit, a confirmed fix, a decision, a correction by the user), "
    "call the Cortex tool `learn` once, with one to four statements for whoever works here next: "
    "rules the user stated, choices with the reason and what was rejected, causes that took "
    "effort, commands that work. Leave out what code, git or these notes say. With nothing new, "
    "do not call it."
)
"""At most 90 tokens, as each session and each working sub-agent pays for it."""


def paragraph(project: Project, hooks: Hooks) -> str:
    """When to call `learn`, for a session or a sub-agent that begins; empty where nobody is asked.

    Nobody is where no user sees the answers, without the tool, and while capture is paused.
    """
    is_asked = (
        hooks.is_attended(os.environ)
        and project.root is not None
        and not (project.doubt or is_paused(project))
        and mode(project) != "off"
        and hooks.has_tools(project, os.environ)
    )
    return PARAGRAPH if is_asked else ""


def mode(project: Project) -> str:
    """What `capture.agent` says: `ask`, `insist` or `off`."""
    files = [os.path.join(folder, "config.toml") for folder in (project.home, project.data)]
    # The settings are loaded only where a file may have this one: a hook is to be quick.
    if not any("agent" in hook_io.read(path) for path in files):
        return "ask"
    from cortex_core.base import config

    return str(config.in_effect(project).get("capture.agent"))
