"""Which keys do something for a memory, and why not, as `permissions` has it."""

from __future__ import annotations

from cortex_core import permissions
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
    verb = action.removeprefix("memory.")
    return permissions.refusal(verb, memory) or permissions.nothing_to_do(verb, memory)


def allows(verb: Verb, memory: Memory) -> bool:
    """Whether `verb` does something for `memory`."""
    return not refusal(f"memory.{verb}", memory)
