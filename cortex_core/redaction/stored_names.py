"""Names from outside, such as branches, paths and ids, in the form in which stores keep them.

Hooks look names up by it, so the patterns of secrets are loaded only for a name that can hold one.
"""

from __future__ import annotations

from cortex_core.redaction.signs import can_hold_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cortex_core.base.config import Config


def clean(name: str, extra: Sequence[str] = ()) -> str:
    """`name` without secrets.

    Args:
        extra: the user's own patterns, as for `secrets.redact`.
    """
    if not (extra or can_hold_secret(name)):
        return name
    from cortex_core.redaction import redactor

    return redactor.shared(tuple(extra)).text(name)


def ignored(config: Config) -> list[str]:
    """The patterns of ignored folders, also as they are without secrets: as folders are stored."""
    patterns = config.get("capture.ignore")
    extra = config.get("redact.extra")
    return list(dict.fromkeys((*patterns, *(clean(each, extra) for each in patterns))))
