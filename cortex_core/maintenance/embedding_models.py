"""Embedding models: which is in force, vectors for what has none, and what a provider's cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cortex_core.base.errors import WORDS_ONLY, CortexError, ModelFailed, ModelUnavailable
from cortex_core.embeddings import models, stored
from cortex_core.store import vectors

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.llm.protocol import Spending
    from cortex_core.reports import ModelRecord
    from cortex_core.store.store import Store
    from cortex_core.store.workspace import Workspace

ARRIVALS = 16
"""Memories that a search may embed before it answers: about a tenth of a second."""

MARGIN = 1.5
"""How much more than estimated a request may cost: tokenizers differ."""


class EmbeddingModels:
    """The embedding models, and the vectors of the stores."""

    def __init__(
        self,
        workspace: Workspace,
        llm: LanguageModels,
        relate: Callable[[Store, Embedder], object],
    ) -> None:
        self._workspace = workspace
        self._llm = llm
        self._relate = relate
        self._problem = ""

    def list(self) -> list[ModelRecord]:
        """The embedding models there are, and how many memories each has a vector of."""
        from cortex_core.reports import ModelRecord

        active = self.tag()
        found = []
        for name, dimension, size, about in models.available():
            tag = models.tag(name)
            counts = [vectors.count(store, tag) for store in self._workspace.stores]
            waiting = [len(vectors.pending(store, tag)) for store in self._workspace.stores]
            note = f"{about} ({size} MB to download)" if size else about
            found.append(
                ModelRecord(
                    name=name, dimension=dimension, active=tag == active, embedded=sum(counts),
                    pending=sum(waiting), note=note,
                )
            )  # fmt: skip
        return found

    def use(self, name: str) -> ModelRecord:
        """Choose the embedding model; memories are embedded again in the background.

        Raises:
            ModelUnavailable: it cannot be loaded or fetched; the old one stays.
        """
        models.fetch(name, self._workspace.project.home)
        self._workspace.set_setting("embedding.model", name, "global")
        return next(record for record in self.list() if record.name == name)

    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Recompute all vectors; returns how many."""
        for store in self._workspace.stores:
            vectors.drop(store)
        return self.embed_pending(progress)

    def embedder(self) -> Embedder | None:
        """The embedding model in force; None while it cannot be loaded (see `problem`)."""
        here, settings = self._workspace.project, self._llm.settings()
        try:
            found = models.default(settings, here.home)
        except ModelUnavailable as error:
            self._problem = str(error)
            return None
        self._problem = ""
        if models.sends(settings.get("embedding.model")):
            from cortex_core.embeddings.remote import RemoteModel

            if isinstance(found, RemoteModel):
                found.account = EmbeddingAccount(self._llm.spending(), here.root or here.home)
        return found

    def problem(self) -> str:
        """Why the model could not be loaded when it was last needed, in a sentence; else empty."""
        return self._problem

    def tag(self) -> str:
        """What the vectors of the model in force are tagged with."""
        return models.tag(self._llm.settings().get("embedding.model"))

    def embed_pending(
        self,
        progress: Callable[[int, int], None] | None = None,
        limit: int | None = None,
        should_continue: Callable[[], bool] = lambda: True,
    ) -> int:
        """Give memories without a vector theirs, and draw their edges; how many were embedded.

        No transaction is open while the model works. Where it fails on the way, the rest waits
        (see `problem`).
        """
        embedder = self.embedder()
        if embedder is None:
            return 0
        done = 0
        for store in self._workspace.stores:
            if not store.writable:
                continue
            try:
                done += stored.embed(
                    store, embedder, limit=limit, progress=progress, should_continue=should_continue
                )
                self._relate(store, embedder)
            except ModelUnavailable as error:
                self._problem = str(error)
                break
        return done

    def embed_arrivals(self, embedder: Embedder) -> None:
        """Give the newest few memories their vectors, so that a search finds them by meaning.

        More than `ARRIVALS` are left to the worker, and a failure here never costs the answer.
        """
        for store in self._workspace.stores:
            try:
                if store.writable and vectors.has_arrivals(store):
                    stored.embed(store, embedder, limit=ARRIVALS)
            except CortexError:
                continue


class EmbeddingAccount:
    """Enters the requests of a provider's embedding model, and refuses those beyond the cap."""

    def __init__(self, spending: Spending, project: str) -> None:
        self._spending = spending
        self._project = project
        self._began: dict[int, float] = {}

    def reserve(self, model: str, tokens: int) -> int:
        """Enter a request before it is made; its number.

        Raises:
            ModelUnavailable: the daily cap would be passed.
        """
        from cortex_core.llm import protocol

        most = protocol.embedding_cost(model, int(MARGIN * tokens))
        try:
            number = self._spending.reserve(self._project, "embed", "remote", model, most)
        except ModelFailed as problem:
            raise ModelUnavailable(
                f"{model} was not called: {problem.reason}. {WORDS_ONLY} Raise the limit (cortex "
                "config set model.daily_cap_usd), or choose the shipped model: cortex models use "
                "sentence-transformers/all-MiniLM-L6-v2"
            ) from problem
        self._began[number] = time.monotonic()
        return number

    def settle(self, number: int, model: str, tokens: int | None, error: str) -> None:
        """Record how a request ended; without a token count it counts with its maximum."""
        from cortex_core.llm import protocol
        from cortex_core.llm.protocol import Usage

        seconds = time.monotonic() - self._began.pop(number, time.monotonic())
        cost = None if tokens is None else protocol.embedding_cost(model, tokens)
        self._spending.settle(number, Usage(input=tokens or 0), cost, seconds, error)
