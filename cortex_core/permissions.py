"""Which verbs the status of a memory allows, and a sentence that says why not. Pure.

The methods of `Cortex` check it, whoever calls them; the app asks before it offers a key.
"""

from collections.abc import Iterable

from cortex_core.base.errors import UsageError
from cortex_core.records.memory import Memory

_DONE = {
    "pin": "pinned",
    "restore": "restored",
    "replace": "replaced",
    "supersede": "put in the place of another",
    "move": "moved",
}


OF_TEAM = "Propose other words with: cortex team propose"
"""What to do instead of changing a memory of the team's."""


LOOKING = frozenset({"open", "detail", "map", "source", "copy", "copy_id"})
"""What changes nothing, so that nothing speaks against it."""


def refusal(verb: str, memory: Memory) -> str:
    """Why `verb` (pin, restore, ...) must not be done to `memory`; "" if it may."""
    status = memory.status
    if memory.scope == "team" and verb == "propose":
        return "It is in the team already."
    if verb == "propose" and status != "active":
        return f"Only active memories can be proposed; this one is {status}."
    if memory.scope == "team" and verb not in LOOKING:
        return f"It belongs to the team. {OF_TEAM} {memory.id[:8]}"
    if verb == "pin" and status != "active":
        return f"Only active memories can be pinned; this one is {status}."
    if verb in ("restore", "replace") and status == "suggested":
        return "It is only suggested. Keep it with: cortex suggestions keep"
    if verb in ("restore", "replace") and status == "quarantined":
        return "It is held back. Release it with: cortex suggestions keep --quarantined"
    if verb == "supersede" and status != "active":
        return f"Only an active memory can replace another; this one is {status}."
    return ""


def nothing_to_do(verb: str, memory: Memory) -> str:
    """Why `verb` would leave `memory` unchanged, which is allowed; "" if it would change it."""
    status = memory.status
    if verb == "forget" and status in ("archived", "pruned"):
        return f"It is {status} already."
    if verb == "restore" and status == "active":
        return "It is active; there is nothing to restore."
    return ""


def check(verb: str, memories: Iterable[Memory]) -> None:
    """Make sure that `verb` may be done to each of `memories`.

    Raises:
        UsageError: it must not be done to one of them.
    """
    for memory in memories:
        if why := refusal(verb, memory):
            raise UsageError(
                f"“{memory.title}” cannot be {_DONE[verb]}. Nothing was changed. {why}"
            )
