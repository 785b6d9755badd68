"""Embedding models: choosing one, giving memories their vectors, and accounting for remote ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from cortex_core.base.errors import (
    WORDS_ONLY,
    CortexError,
    ModelFailed,
    ModelUnavailable,
    StoreError,
)
from cortex_core.embeddings import models, stored
from cortex_core.store import vectors

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.llm.protocol import Spending
    from cortex_core.reports import ModelRecord
    from cortex_core.store.store import Store
    from cortex_core.store.workspace import Workspace

MOST_NEW = 16
"""Memories that a search may embed before it answers: about a tenth of a second."""

MARGIN = 1.5
"""How much more than estimated a request may cost: tokenizers differ."""


class EmbeddingModels:
    """The embedding models of a workspace, and the vectors of its stores."""

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
        """Every embedding model, and for how many memories each has a vector."""
        from cortex_core.reports import ModelRecord

        active = self.tag()
        records = []
        for name, dimension, size, about in models.available():
            tag = models.tag(name)
            counts = [vectors.count(store, tag) for store in self._workspace.stores]
            waiting = [len(vectors.pending(store, tag)) for store in self._workspace.stores]
            note = f"{about} ({size} MB to download)" if size else about
            records.append(
                ModelRecord(
                    name=name, dimension=dimension, active=tag == active, embedded=sum(counts),
                    pending=sum(waiting), note=note,
                )
            )  # fmt: skip
        return records

    def use(self, name: str) -> ModelRecord:
        """Choose the embedding model; memories are embedded again in the background.

        Raises:
            ModelUnavailable: it cannot be loaded or fetched; the old one stays.
        """
        models.fetch(name, self._workspace.project.home)
        self._workspace.set_setting("embedding.model", name, "global")
        return next(record for record in self.list() if record.name == name)

    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Recompute all vectors; returns how many there are."""
        for store in self._workspace.stores:
            vectors.drop(store)
        return self.embed_pending(progress)

    def embedder(self) -> Embedder | None:
        """The embedding model in use; None while it cannot be loaded (see `problem`)."""
        here, settings = self._workspace.project, self._llm.settings()
        try:
            model = models.default(settings, here.home)
        except ModelUnavailable as error:
            self._problem = str(error)
            return None
        self._problem = ""
        if models.sends(settings.get("embedding.model")):
            from cortex_core.embeddings.remote import RemoteModel

            if isinstance(model, RemoteModel):
                model.account = EmbeddingAccount(self._llm.spending(), here.root or here.home)
        return model

    def problem(self) -> str:
        """Why the model could not be loaded when it was last needed; empty if it could."""
        return self._problem

    def tag(self) -> str:
        """The tag of the vectors that the model in use makes."""
        return models.tag(self._llm.settings().get("embedding.model"))

    def embed_pending(
        self,
        progress: Callable[[int, int], None] | None = None,
        limit: int | None = None,
        should_continue: Callable[[], bool] = lambda: True,
    ) -> int:
        """Embed the memories without a vector, and draw their edges; returns how many there were.

        No transaction is open while the model works. Where it fails, the rest waits for the next
        call (see `problem`).

        Raises:
            StoreError: vectors cannot be written; the memories are not touched.
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
            except StoreError as error:
                raise error.after(
                    "The memories are stored; vectors that are missing are computed later."
                ) from error
        return done

    def embed_new(self, embedder: Embedder) -> None:
        """Embed the few newest memories, so that a search finds them by meaning.

        More than `MOST_NEW` are left to the worker; neither a failure here nor another's lock costs
        the search anything.
        """
        for store in self._workspace.stores:
            try:
                if store.writable and vectors.has_arrivals(store):
                    with store.without_waiting():
                        stored.embed(store, embedder, limit=MOST_NEW)
            except CortexError:
                continue


class EmbeddingAccount:
    """Records the requests of a remote embedding model, and refuses those beyond the daily cap."""

    def __init__(self, spending: Spending, project: str) -> None:
        self._spending = spending
        self._project = project
        self._started: dict[int, float] = {}

    def reserve(self, model: str, tokens: int) -> int:
        """Record a request before it is sent; returns its number.

        Raises:
            ModelUnavailable: the daily cap would be exceeded.
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
        self._started[number] = time.monotonic()
        return number

    def settle(self, number: int, model: str, tokens: int | None, error: str) -> None:
        """Record how a request ended; without a token count, its estimate stays as its cost."""
        from cortex_core.llm import protocol
        from cortex_core.llm.protocol import Usage

        seconds = time.monotonic() - self._started.pop(number, time.monotonic())
        cost = None if tokens is None else protocol.embedding_cost(model, tokens)
        self._spending.settle(number, Usage(input=tokens or 0), cost, seconds, error)
