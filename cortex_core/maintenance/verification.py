"""Comparing a store with its journal, and with everything that is derived from its memories."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cortex_core.base import text
from cortex_core.embeddings.stored import embedded_text, text_hash
from cortex_core.records.changes import Verification
from cortex_core.store import consistency, verify

if TYPE_CHECKING:
    import sqlite3

    from cortex_core.store.store import Store
    from cortex_core.store.verify import Checked, Copy
    from cortex_core.store.workspace import Workspace

LONGEST = 80
"""Characters of a value that are shown."""


def verified(workspace: Workspace) -> list[Verification]:
    """Every store compared with its journal, and with what is derived from its memories."""
    extra = workspace.config.get("redact.extra")
    return [_verified(store, extra) for store in workspace.stores]


def _verified(store: Store, extra: Sequence[str]) -> Verification:
    with ExitStack() as open_ones:
        open_ones.enter_context(store.snapshot())
        copy = verify.oldest_copy(store)
        if copy is not None:
            open_ones.enter_context(closing(copy.connection))
        checked = list(_checks(store, copy))
    checked.append(consistency.indexes(store))
    return Verification(
        scope=store.scope,
        file=str(store.path),
        snapshot=str(copy.path) if copy else "",
        changes=checked[0].counts["journal"],
        compared=_total(one.counts for one in checked),
        unchecked=_total(one.unchecked for one in checked),
        differences=tuple(
            replace(each, expected=_value(each.expected, extra), found=_value(each.found, extra))
            for one in checked
            for each in one.differences
        ),
    )


def _checks(store: Store, copy: Copy | None) -> Iterator[Checked]:
    """What is compared in one state of the store; the journal itself comes first."""
    yield verify.entries(store, copy)
    yield verify.rows(store, copy)
    yield consistency.contents(store)
    yield consistency.links(store)
    yield consistency.vectors(store, _hash_of)
    yield consistency.cache(store)


def _hash_of(memory: sqlite3.Row) -> str:
    tags = json.loads(memory["tags"])
    names = ("title", "content", "kind", "author", "created")
    return text_hash(embedded_text(tags=tags, **{name: memory[name] for name in names}))


def _total(counts: Iterable[Counter[str]]) -> dict[str, int]:
    """The sums that are not zero; the number of changes is told apart."""
    total: Counter[str] = sum(counts, Counter())
    return {name: total[name] for name in sorted(total) if name != "journal"}


def _value(value: Any, extra: Sequence[str]) -> str:
    """A cell on one line, without what could be a secret, in quotes where it is a text."""
    from cortex_core.redaction.secrets import redact

    if value is None:
        return ""
    if isinstance(value, bytes):
        return text.counted(len(value), "byte")
    plain = redact(text.one_line(str(value)), extra).text
    cut = plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"
    return f"“{cut}”" if isinstance(value, str) else cut
