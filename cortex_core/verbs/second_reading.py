"""The verb that lets a language model read what the rules have read: `ask_model`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.errors import ModelFailed
from cortex_core.memory import Actor
from cortex_core.records import LedgerEntry
from cortex_core.verbs.upkeep import Upkeep

if TYPE_CHECKING:
    from cortex_core.capture.admission import Admitted

    Done = tuple[LedgerEntry, Admitted]

KeepOn = Callable[[], bool]


class SecondReading(Upkeep):
    """Asking the language model about sessions."""

    def ask_model(
        self,
        path: str | Path,
        event: str,
        *,
        actor: Actor = "worker",
        action: str = "",
        keep_on: KeepOn = lambda: True,
    ) -> Done | None:
        """Let the language model read what waits of a transcript, if it is due.

        None where it was not asked, or nothing came of it; the ledger says why.

        Args:
            event: what set it off, for the ledger; before a compaction and in a replay it is due.
            keep_on: asked before each question; False leaves the rest for later.
        """
        from cortex_core.capture import model_pass, model_write, waiting

        origin = model_write.Origin(path=Path(path), event=event, actor=actor, action=action)
        store = self.store(self.default_scope())
        state = waiting.of(store, origin.path)
        is_due = state.is_due(store.clock()) or event in ("PreCompact", "replay")
        if state.start is None or not is_due:
            return None
        try:
            model = self.chosen_model()
        except ModelFailed as failure:
            model_write.note_unasked(store, origin, failure)
            return None
        if model is None:
            return None
        shared = (lambda: self.store("global")) if store.scope == "project" else None
        stores = model_write.Stores(store, self.stores, shared)
        return model_pass.take(stores, origin, model, self.config, keep_on)


def together(done: Done, more: Done | None) -> Done:
    """What the rules and the model came to together; the ledger has a row for each."""
    if more is None:
        return done
    from cortex_core.capture import pipeline

    (rules, admitted), (model, by_model) = done, more
    pipeline.join(admitted, by_model)
    entry = replace(
        rules, extractor=model.extractor, candidates=rules.candidates + model.candidates,
        stored=rules.stored + model.stored, suggested=rules.suggested + model.suggested,
        merged=rules.merged + model.merged, tokens=model.tokens, cost=model.cost,
        refused=dict(Counter(rules.refused) + Counter(model.refused)),
        seconds=rules.seconds + model.seconds, error=model.error,
    )  # fmt: skip
    return entry, admitted
