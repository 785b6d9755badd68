"""What can be done with a memory, and why not: values in, a sentence out."""

from __future__ import annotations

from cortex_core.memory import Memory
from cortex_tui.queries import Verb

NEED_A_MEMORY = frozenset(
    {"memory.open", "memory.pin", "memory.forget", "memory.restore", "memory.copy",
     "memory.copy_id", "memory.detail", "memory.neighbours", "memory.edit", "memory.edit_here",
     "memory.tag", "memory.move", "memory.give"}
)  # fmt: skip


def refusal(action: str, memory: Memory | None) -> str:
    """Why `action` (an id of the keymap) does nothing for `memory`; "" when it does something."""
    if action not in NEED_A_MEMORY:
        return ""
    if memory is None:
        return "There is no memory under the cursor."
    status = memory.status
    if action == "memory.pin" and status != "active":
        return f"Only active memories can be pinned; this one is {status}."
    if action == "memory.forget" and status in ("archived", "pruned"):
        return f"It is {status} already."
    if action == "memory.restore":
        return _no_restore(memory)
    return ""


def allows(verb: Verb, memory: Memory) -> bool:
    """Whether `verb` does something for `memory`."""
    return not refusal(f"memory.{verb}", memory)


def _no_restore(memory: Memory) -> str:
    if memory.status == "active":
        return "It is active; there is nothing to restore."
    if memory.status == "suggested":
        return "It is only suggested. Keep it with: cortex suggestions keep"
    if memory.status == "quarantined":
        return "It is held back. Release it with: cortex quarantine release"
    return ""
