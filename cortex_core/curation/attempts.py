"""How far the language model has got with a numbered list, and how often it failed there."""

from __future__ import annotations

from cortex_core.errors import ModelFailed
from cortex_core.storage.store import Store

MOST = 3
"""Answers of no use after which a part is passed over."""


def done(store: Store, mark: str) -> int:
    """The number up to which `mark` is done."""
    return int(store.meta(mark) or 0)


def note(store: Store, mark: str, number: int) -> None:
    """Everything up to `number` is done, or passed over."""
    store.set_meta(mark, str(number))
    store.set_meta(f"{mark} failed", "0")


def failed(store: Store, mark: str, number: int, failure: ModelFailed) -> None:
    """Count an answer of no use about the part that ends with `number`; the third passes it over.

    A model that could not be reached is no reason to pass anything over.
    """
    if failure.cause != "unusable":
        return
    count = int(store.meta(f"{mark} failed") or 0) + 1
    if count >= MOST:
        note(store, mark, number)
    else:
        store.set_meta(f"{mark} failed", str(count))
