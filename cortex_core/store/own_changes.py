"""What was done through one workspace, in order, so that it can be taken back in that order.

Journals hold the changes of memories, so of these only the action is noted. No journal records the
files of settings and marks: of these it is noted how to make the change and how to take it back.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

from cortex_core.records.changes import JournalEntry
from cortex_core.records.memory import Scope

NO_JOURNAL = 0
"""The number, and the change that undid it, of what no journal records; entries begin at 1."""


@dataclass(frozen=True, slots=True)
class FileStep:
    """A change of a file that no journal records."""

    action: str
    label: str
    """What was done, in words a user recognises: “set theme to cortex-light”."""
    scope: Scope
    time: float
    make: Callable[[Any, bool], None]
    """Makes the change in a workspace (True), or takes it back (False).

    Raises:
        UndoConflict: the file says something else by now.
    """


class Noted(NamedTuple):
    """Something that was done: made, taken back, or made again."""

    action: str
    """Of its journal entries, or of its step."""
    made: bool = True
    """Of a step: whether it was made; False: taken back."""


class OwnChanges:
    """What was done here in order, and what of it was taken back; for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._actions: set[str] = set()
        self._steps: dict[str, FileStep] = {}
        self._undone_steps: set[str] = set()
        self.done: list[Noted] = []
        """What an undo takes back, the last one first."""
        self.undone: list[Noted] = []
        """What a redo does again, the last one first."""

    def note(self, action: str, *, undo: bool = False) -> None:
        """Note that the journal entries of `action` were written here.

        Args:
            undo: they are an undo or a redo, which is put on its pile with `turn`.
        """
        with self._lock:
            if not undo and action not in self._actions:
                self.done.append(Noted(action))
            self._actions.add(action)

    def note_step(
        self, label: str, scope: Scope, time: float, make: Callable[[Any, bool], None]
    ) -> None:
        """Note a change of a file that was made here."""
        step = FileStep(secrets.token_hex(8), label, scope, time, make)
        with self._lock:
            self._steps[step.action] = step
            self.done.append(Noted(step.action))

    def turn(self, pile: list[Noted], old: Noted | None, new: Noted) -> None:
        """Forget `old`, because `new` has taken it back, and put `new` on the pile that is not
        `pile`."""
        self.drop(old)
        with self._lock:
            (self.undone if pile is self.done else self.done).append(new)

    def drop(self, old: Noted | None) -> None:
        """Forget something that cannot be taken back any more."""
        with self._lock:
            for pile in (self.done, self.undone):
                pile[:] = [one for one in pile if one != old]

    def has(self, action: str) -> bool:
        """Whether journal entries of `action` were written here."""
        return action in self._actions

    def step(self, action: str) -> FileStep | None:
        """The step called `action`; None where that is an action of the journals."""
        return self._steps.get(action)

    def make(self, workspace: Any, step: FileStep, *, made: bool) -> JournalEntry:
        """Make a step again, or take it back; what the log says of it then."""
        step.make(workspace, made)
        with self._lock:
            (self._undone_steps.discard if made else self._undone_steps.add)(step.action)
        return self._entry(step)

    def entries(self) -> list[JournalEntry]:
        """The steps as entries of the log, the last one first."""
        return [self._entry(step) for step in reversed(list(self._steps.values()))]

    def _entry(self, step: FileStep) -> JournalEntry:
        return JournalEntry(
            number=NO_JOURNAL,
            time=step.time,
            actor="person",
            verb="set",
            label=step.label,
            scope=step.scope,
            action=step.action,
            here=True,
            undone_by=NO_JOURNAL if step.action in self._undone_steps else None,
        )
