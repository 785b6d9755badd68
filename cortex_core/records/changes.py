"""What changed in a store: entries of the journal, their effect on memories, a check of both."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Actor, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One entry of the journal."""

    JSON: ClassVar = ("*", "-here", "sentence")

    number: int
    time: Moment
    actor: Actor
    verb: str
    label: str
    """What was done, in words for users."""
    scope: Scope = "project"
    """The scope of the journal; numbers count per store."""
    action: str = ""
    """Shared by the entries of one action that touched both stores; they are undone together."""
    memories: tuple[str, ...] = ()
    undoes: int | None = None
    """The entry that this one takes back: of a redo, the undo."""
    undone_by: int | None = None
    of: int | None = None
    """The change that an undo or a redo is about."""
    elsewhere: str = ""
    """Where it was made if not here: “on laptop”; of the global store also “in lighthouse”."""
    machine: str = ""
    """By what the store knows the machine it was made on; empty if it was made on this one."""
    here: bool = False
    """Whether it was made through the `Cortex` that lists it."""

    @property
    def sentence(self) -> str:
        """What was done; an undo and a redo name the change that they are about."""
        is_inverse = self.verb in ("undo", "redo") and self.of is not None
        return f"{self.verb} of {self.of} ({self.label})" if is_inverse else self.label

    @property
    def is_setting(self) -> bool:
        """Whether it set something that no journal records; such an entry has the number 0."""
        return self.number == 0

    @property
    def is_undone(self) -> bool:
        """Whether it is not in force any more."""
        return self.undone_by is not None


class TakenBack(list[JournalEntry]):
    """What an undo or a redo wrote: an entry for each store that an action changed."""

    passed_over: str = ""
    """Names a change that was skipped because another project made it; empty if there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One value that a change of a memory set."""

    name: str
    """A field's name, or `link` (id, type, id), `source`, `verdict`."""
    before: Any = None
    """None: it did not exist."""
    after: Any = None
    """None: it no longer exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One change of a memory with what it was before and after."""

    JSON: ClassVar = ("change.*", "fields")

    change: JournalEntry
    fields: tuple[FieldChange, ...] = ()
    """Empty if the memory was created, removed as a whole, or only reinforced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What one change did to one memory."""

    id: str
    title: str
    """As it is now, else as it was before; empty where nothing knows it any more."""
    fate: Literal["made", "removed", "changed"]
    fields: tuple[FieldChange, ...] = ()
    """Empty if the memory was made, removed as a whole, or only reinforced."""
