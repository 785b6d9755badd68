"""Everything that can go wrong for a reason a user can act on.

Each message says what happened, what was left unchanged and what to do next. The interfaces catch
`CortexError`, print the message and leave with `exit_code`; anything else is a bug.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    FailureCause = Literal["not asked", "unavailable", "unusable"]
    """Why a language model gave no answer; see `ModelFailed`."""


UNCHANGED = "Nothing was changed."


def of_reading(message: str) -> str:
    """The message of an error where nobody wanted to change anything."""
    return message.replace(f" {UNCHANGED}", "")


class CortexError(Exception):
    """Base of every error Cortex raises on purpose."""

    exit_code = 1
    """Exit code of the command line: 1 failed, 2 wrong usage, 3 nothing found."""


class UsageError(CortexError):
    """The input is invalid: an unknown kind, scope or time, or a value out of range."""

    exit_code = 2


class UnlikeProject(UsageError):
    """A project has the same first commit and another origin: a fork, unless the user says no."""


class NotFound(CortexError):
    """Nothing has this id, number or name."""

    exit_code = 3


class StoreError(CortexError):
    """A store cannot be opened, read or written."""

    def after(self, done: str) -> StoreError:
        """The same error in a later step: `done` replaces the sentence that nothing was changed."""
        return type(self)(str(self).replace(UNCHANGED, done))


class StoreUnusable(StoreError):
    """The store as a whole cannot be used now; trying the same on another memory fails as well."""


class StoreTooNew(StoreUnusable):
    """The store was written by a newer Cortex than this one."""


class StoreLocked(StoreUnusable):
    """Another process held the store for longer than the busy timeout."""


class StoreCorrupt(StoreUnusable):
    """The file is not a database, or is damaged."""


class TeamError(CortexError):
    """Something about a team or its hub is not possible: the hub refused it, or cannot be used."""


class HubUnreachable(TeamError):
    """The hub did not answer, or the connection was lost; what was sent may be sent again."""


class UndoConflict(CortexError):
    """A change cannot be undone alone, because its memories were changed again later."""


class UndoElsewhere(UndoConflict):
    """The newest change was made by somebody else: another process, an agent, an earlier day."""

    def __init__(self, message: str, action: str) -> None:
        super().__init__(message)
        self.action = action
        """The action that a plain undo would take back."""


class ConfigError(CortexError):
    """The configuration file has a mistake."""

    exit_code = 2


WORDS_ONLY = "Search by words still works."
"""Part of every message about a missing embedding model, by which the app recognises it."""


class ModelUnavailable(CortexError):
    """The embedding model cannot be loaded; the message contains `WORDS_ONLY`."""


class TranscriptError(CortexError):
    """A transcript cannot be read: a folder, a device, no permission."""


class SyncError(CortexError):
    """The machines of a user cannot exchange their files: unreachable, refused, wrong key."""


class NotReady(SyncError):
    """The folder at the other end is not there, or nobody made it ready to carry files."""


class DivergedIdentity(SyncError):
    """Another machine writes under the id of this one: its folders were copied to it."""


class ModelFailed(CortexError):
    """The language model was not called or gave no usable answer; rules' finds are kept."""

    def __init__(
        self,
        reason: str,
        *,
        cause: FailureCause = "unavailable",
        may_repeat: bool = False,
        wait: float | None = None,
        is_free: bool = False,
    ) -> None:
        """Say why.

        Args:
            cause: `not asked` (no key, no command, the daily cap), `unavailable` (no response, an
                error of the service or the account) or `unusable` (a malformed answer, or a
                request that is refused as it is).
            may_repeat: whether the same request may succeed in a moment.
            wait: seconds that the service asks to wait first.
            is_free: whether it is certain that nothing was charged.
        """
        # One sentence for every cause: what was kept and what follows are the same.
        super().__init__(
            f"The language model gave no usable answer: {reason}. The finds of the rules were "
            "kept; nothing else was changed. Cortex tries again later; see: cortex status"
        )
        self.reason = reason
        self.cause = cause
        self.may_repeat = may_repeat
        self.wait = wait
        self.is_free = is_free


def problem_of(file: object, error: Exception) -> str:
    """What an import says of one file that it could not read; our own mistakes name the file."""
    if isinstance(error, CortexError | OSError):
        return str(error)
    return (
        f"“{file}” could not be read: {type(error).__name__}: {error}. Nothing was learned from "
        "it, and it stays unread. Please report this."
    )
