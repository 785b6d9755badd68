"""The offer to introduce Cortex, made once in the first session of a project without a memory."""

from __future__ import annotations

import os

from cortex_core.base import hook_io

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cortex_core.base.project import Project

NOTE = "onboarding"
"""The file on the global side that lists the projects in which it was offered, by a hash."""

MOST_OFFERS = 3
"""Projects in which it is offered: whoever passed it over so often does not want it."""

OFFER = (
    "Cortex, the memory that this user installed for Claude Code, holds nothing yet, neither about "
    "this project nor about the user. Do first what the user asks for. Then offer once, in one "
    "sentence, to set the memory up: a few questions about their role, their tools and how they "
    "like to work, and learning from past sessions. Ask nothing before they agree. If they agree, "
    "use the skill `onboarding` of Cortex; without it, ask these questions one at a time and store "
    "each answer with the tool `remember`. If they decline or do not answer, leave it at that: it "
    "is not offered here again. To have it offered in no other project either, they can run "
    "`cortex config set onboarding false --global`."
)


def offer(project: Project, *, is_attended: bool) -> str:
    """What Claude is asked to offer at a session's start, noted as offered; mostly empty.

    Nothing is offered where a memory exists, where nobody answers (`claude -p`, the SDK), while
    capture is paused, or where the setting `onboarding` is off.
    """
    from cortex_core.base.project import is_paused

    if project.root is None or project.doubt or not is_attended or is_paused(project):
        return ""
    path, mark = os.path.join(project.home, NOTE), hook_io.sha256(project.root)[:32]
    offered = hook_io.read(path).split()
    if mark in offered or len(offered) >= MOST_OFFERS or _is_anything_stored(project):
        return ""
    from cortex_core.base import config

    if not config.in_effect(project).get("onboarding"):
        return ""
    hook_io.private_folder(project.home)
    hook_io.append(path, f"{mark}\n")
    return OFFER


def _is_anything_stored(project: Project) -> bool:
    """Whether a store of the project holds a memory of any status, or cannot be read."""
    from cortex_core.store import reader

    return any(
        reader.holds_memories(path) for _, path in project.store_files() if os.path.exists(path)
    )
