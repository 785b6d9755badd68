"""Everything that can go wrong for a reason a person can act on.

Each message says what happened, what was left unchanged and what to do next. The interfaces catch
`CortexError`, print the message and leave with `exit_code`; anything else is a bug.
"""

from __future__ import annotations


class CortexError(Exception):
    """Base of every error Cortex raises on purpose."""

    exit_code = 1
    """What the command line leaves with: 1 failed, 2 wrong usage, 3 nothing found."""


class UsageError(CortexError):
    """The caller's words are off: an unknown kind, scope, time, or a value out of range."""

    exit_code = 2


class NotFound(CortexError):
    """Nothing has this id, number or name."""

    exit_code = 3


class StoreError(CortexError):
    """A store cannot be opened, read or written."""


class StoreTooNew(StoreError):
    """The store was written by a newer Cortex than this one."""


class StoreLocked(StoreError):
    """Another process held the store for longer than the busy timeout."""


class StoreCorrupt(StoreError):
    """The file is not a database, or is damaged."""


class UndoConflict(CortexError):
    """What a change wrote has been changed again since, so it cannot be taken back by itself."""


class ConfigError(CortexError):
    """The configuration file has a mistake."""

    exit_code = 2


class ModelUnavailable(CortexError):
    """The embedding model cannot be loaded; words still work."""


class TranscriptError(CortexError):
    """A transcript cannot be read: a folder, a device, no permission."""
