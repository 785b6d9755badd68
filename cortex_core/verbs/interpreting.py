"""What the language model adds to curation: the types of links, the words of merges."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import project as projects
from cortex_core.errors import ModelFailed
from cortex_core.records import LedgerEntry
from cortex_core.storage import ledger
from cortex_core.verbs.upkeep import Upkeep

if TYPE_CHECKING:
    from cortex_core.model.client import Spent

MOST_QUESTIONS = 4
"""Questions about links, and as many about merges, that one run asks of the model."""


class Interpreting(Upkeep):
    """Asking the language model what the store cannot tell by itself."""

    def ask_model_to_curate(self, keep_on: Callable[[], bool] = lambda: True) -> None:
        """Have the language model tell new links apart and word new merges, a few questions long.

        Where none was chosen or none answers, or capture is paused, links stay plain and merges
        keep their union.
        """
        from cortex_core.curation import edge_types, merge_words

        model = self.language_model()
        if model is None or Path(self.project.data, projects.PAUSED).exists():
            return
        for store in (one for one in self.stores if one.writable):
            for name, tell in (("links", edge_types.tell), ("merges", merge_words.tell)):
                before, error = model.spent, ""
                try:
                    for _ in range(MOST_QUESTIONS):
                        if not keep_on() or not tell(store, model):
                            break
                except ModelFailed as failure:
                    error = "" if failure.cause == "not asked" else f"model: {failure.reason}"
                self._note_asked(name, model.spent, before, error)

    def _note_asked(self, name: str, after: Spent, before: Spent, error: str) -> None:
        """Enter in the ledger what questions about links or merges came to."""
        if after == before and not error:
            return
        store = self.store(self.default_scope())
        entry = LedgerEntry(
            number=0, time=store.clock(), event=name, tokens=after.tokens - before.tokens,
            cost=round(after.cost - before.cost, 6), error=error,
        )  # fmt: skip
        with store.write():
            ledger.record(store, entry)
