"""What of a memory is embedded, and the hash that tells when that has changed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

from cortex_core.base.kinds import CODE
from cortex_core.base.text import words


def embeddable(kind: str) -> bool:
    """Whether memories of this kind get a vector: raw code never does."""
    return kind != CODE


def embedded_text(
    title: str, content: str, tags: Sequence[str], kind: str, author: str, created: float
) -> str:
    """The text of a memory that is embedded; empty for raw code.

    Title, content and tags; where somebody is named as having said it, the date and the name come
    first, because questions about conversations ask who and when. A title that says nothing more
    than the content is left out.

    Args:
        created: Unix seconds.
    """
    if not embeddable(kind):
        return ""
    body = content if _repeats(title, content) else f"{title}\n{content}"
    if tags:
        body = f"{body}\n{', '.join(tags)}"
    return f"[{_day(created)}] {author}: {body}" if author else body


def text_hash(text: str) -> str:
    """32 hex digits of an embedded text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _repeats(title: str, content: str) -> bool:
    """Whether the content has every word of the title."""
    return set(words(title)) <= set(words(content))


def _day(moment: float) -> str:
    day = time.gmtime(moment)
    return f"{day.tm_mday} {time.strftime('%B %Y', day)}"
