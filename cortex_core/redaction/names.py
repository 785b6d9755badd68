"""Names from outside, such as branches, paths and ids, in the form in which stores keep them.

Hooks look names up by it, so the patterns of secrets are loaded only for a name that can hold one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST_KEY = 16
"""Letters and digits in a row from which they can be a key; the parts of a UUID are shorter."""


def clean(name: str, extra: Sequence[str] = ()) -> str:
    """`name` without secrets.

    Args:
        extra: the user's own patterns, as for `secrets.redact`.
    """
    if not (extra or can_hold_secret(name)):
        return name
    from cortex_core.redaction import redactor

    return redactor.shared(tuple(extra)).text(name)


def can_hold_secret(name: str) -> bool:
    """Whether there are signs of a password in `name`, or letters and digits as long as a key."""
    if any(mark in name for mark in "=:@") or any(map(str.isspace, name)):
        return True
    runs = "".join(char if char.isalnum() else " " for char in name).split()
    return any(len(run) >= SHORTEST_KEY and not run.isalpha() for run in runs)
