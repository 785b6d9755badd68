"""What a memory is to say, in anybody's words: whether it may, and what changes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex_core import text
from cortex_core.errors import UsageError
from cortex_core.memory import LONGEST, Memory
from cortex_core.storage import rows

if TYPE_CHECKING:
    from cortex_core.config import Config


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
            f"This is {len(kept):,} characters; a memory holds {LONGEST:,}. Nothing was "
            "changed. Remember what it says, and where the whole of it lies."
        )
    return kept


def columns(memory: Memory, new: str) -> rows.Row:
    """What changes when `memory` says `new`, which is checked; nothing where it says so already.

    A title made from the content changes with it, and so do the steps of a procedure.
    """
    from cortex_core.capture import titles
    from cortex_core.curation import procedures

    if new == memory.content:
        return {}
    changed = rows.Row(
        content=new, content_hash=text.content_hash(new),
        details=rows.dumps(procedures.reworded(memory.details, new)),
    )  # fmt: skip
    if memory.title == titles.title(memory.content):
        changed["title"] = titles.title(new)
    return changed
