"""Checks and redacts the text, title, tags and globs of a memory before they are stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.types import LONGEST

if TYPE_CHECKING:
    from cortex_core.base.config import Config


def checked(content: str, config: Config) -> str:
    """`content` without secrets and private text.

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
    """Check the values of a memory, and return its `content` as `checked` does.

    Raises:
        UsageError: a value is out of range, the kind is unknown, or the content cannot be stored.
    """
    config.kinds.get(kind)
    if not 1 <= priority <= 10:
        raise UsageError(f"The priority must be 1 to 10, not {priority}. Nothing was changed.")
    if not 0 <= confidence <= 1:
        raise UsageError(f"The confidence must be 0 to 1, not {confidence}. Nothing was changed.")
    return checked(content, config)


def line(value: str, config: Config) -> str:
    """`value` redacted, as a single line."""
    from cortex_core.capture import admission

    return text.one_line(admission.redacted(value, config))


def lines(values: Iterable[str], config: Config) -> tuple[str, ...]:
    """Each of `values` redacted as a single line; empty ones are left out."""
    return tuple(filter(None, (line(value, config) for value in values)))


def checked_tags(tags: Iterable[str], config: Config) -> tuple[str, ...]:
    """Tags redacted and in the form that is stored."""
    from cortex_core.capture import admission

    return cleaned_tags(admission.redacted_all(tuple(tags), config))


def globs(patterns: Iterable[str], config: Config) -> tuple[str, ...]:
    """File patterns, redacted."""
    from cortex_core.capture import admission

    return tuple(admission.redacted_all(list(patterns), config))


def cleaned_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in the form that is stored: lower case, one word each, without repetition."""
    cleaned = (text.one_line(tag).lstrip("+-#").replace(" ", "-").lower() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
