"""What a memory is to say, in anybody's words: redacted, checked, and as it is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.types import LONGEST

if TYPE_CHECKING:
    from cortex_core.base.config import Config


def checked(content: str, config: Config) -> str:
    """`content` as it may be stored, redacted.

    Raises:
        UsageError: nothing is left of it, or it is too long.
    """
    from cortex_core.capture import admission

    kept = admission.redacted(content, config)
    if not kept:
        raise UsageError(
            "There is nothing to remember: the text is empty or private. Nothing was changed."
        )
    if len(kept) > LONGEST:
        raise UsageError(
            f"The text has {len(kept):,} characters; a memory can have {LONGEST:,}. Nothing was "
            "changed. Store a summary, and where the full text is."
        )
    return kept


def checked_values(
    content: str, kind: str, priority: int, confidence: float, config: Config
) -> str:
    """`content` as it may be stored, if the values that go with it are in range.

    Raises:
        UsageError: one is not, the kind is unknown, or nothing is left of the content.
    """
    config.kinds.get(kind)
    if not 1 <= priority <= 10:
        raise UsageError(f"The priority must be 1 to 10, not {priority}. Nothing was changed.")
    if not 0 <= confidence <= 1:
        raise UsageError(f"The confidence must be 0 to 1, not {confidence}. Nothing was changed.")
    return checked(content, config)


def line(given: str, config: Config) -> str:
    """`given` redacted, as a single line."""
    from cortex_core.capture import admission

    return text.one_line(admission.redacted(given, config))


def lines(given: Iterable[str], config: Config) -> tuple[str, ...]:
    """Each of `given` redacted as a single line; empty ones are left out."""
    return tuple(filter(None, (line(one, config) for one in given)))


def checked_tags(given: Iterable[str], config: Config) -> tuple[str, ...]:
    """Tags redacted and as they are stored."""
    from cortex_core.capture import admission

    return cleaned_tags(admission.redacted_all(tuple(given), config))


def globs(given: Iterable[str], config: Config) -> tuple[str, ...]:
    """File patterns, redacted."""
    from cortex_core.capture import admission

    return tuple(admission.redacted_all(list(given), config))


def cleaned_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are stored: lower case, one word each, every one once."""
    cleaned = (text.one_line(tag).lstrip("+-#").replace(" ", "-").lower() for tag in given)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
