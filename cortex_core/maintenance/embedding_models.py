"""Embedding models: choosing one, and giving memories their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cortex_core.base.errors import CortexError, ModelUnavailable, StoreError
from cortex_core.embeddings import local, models, outages, stored
from cortex_core.store import vectors
from cortex_core.store.project_settings import ProjectSettings

if TYPE_CHECKING:
    from cortex_core.capture.language_model import LanguageModels
    from cortex_core.embeddings.protocol import Embedder
    from cortex_core.records.upkeep import ModelRecord
    from cortex_core.store.store import Store
    from cortex_core.store.workspace import Workspace

MOST_NEW = 16
"""Memories that a search may embed before it answers: about a tenth of a second."""


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
        self.problem = ""
        """Why the model could not be loaded when it was last needed; empty if it could."""
        self.fallback = ""
        """Why another model than the first of the chain is in force, and which, in a sentence;
        empty if the first is."""

    def list(self) -> list[ModelRecord]:
        """The embedding models that are offered, and for how many memories each has a vector; one
        that was chosen and is not among them comes first."""
        listed = [self._record(*one) for one in models.OFFERED]
        if any(one.active for one in listed):
            return listed
        stores = self._workspace.stores
        dimension = max((vectors.dimension(store, self.tag()) for store in stores), default=0)
        return [self._record(models.chain(self.names())[0], dimension, "chosen by you"), *listed]

    def use(self, name: str) -> ModelRecord:
        """Choose the embedding model for all projects; the worker makes its vectors.

        A project's own setting stays in force there: see `names`.

        Args:
            name: of a model, or of several, separated by commas: of these the first is fetched.

        Raises:
            ModelUnavailable: it cannot be loaded or fetched; the old one stays.
        """
        model = models.fetch(name, self._workspace.project.home)
        ProjectSettings(self._workspace).set("embedding.model", name, "global")
        first = models.chain(name)[0]
        try:
            known = {record.name: record for record in self.list()}
            return known.get(first) or self._record(first, model.dimension, "")
        except StoreError as error:
            raise error.after(f"{name} is chosen.") from error

    def _record(self, name: str, dimension: int, note: str) -> ModelRecord:
        from cortex_core.records.upkeep import ModelRecord

        tag, stores = models.tag(name), self._workspace.stores
        return ModelRecord(
            name=name,
            dimension=dimension,
            active=tag == self.tag(),
            embedded=sum(vectors.count(store, tag) for store in stores),
            pending=sum(len(vectors.pending(store, tag)) for store in stores),
            note=note,
        )

    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Recompute all vectors; returns how many there are."""
        for store in self._workspace.stores:
            vectors.drop(store)
        return self.embed_pending(progress)

    def embedder(self) -> Embedder | None:
        """The embedding model in use; None while it cannot be loaded (see `problem`)."""
        home = self._workspace.project.home
        try:
            model, self.fallback = models.in_force(self.names(), home, self._workspace.clock())
        except ModelUnavailable as error:
            self.problem = str(error)
            return None
        self.problem = ""
        return model

    def on_this_machine(self) -> Embedder | None:
        """The model in use; the shipped one in place of one that texts would be sent to. None
        where it cannot be loaded (see `problem`)."""
        if not models.sends(self.names()):
            return self.embedder()
        try:
            return local.shipped()
        except ModelUnavailable as error:
            self.problem = str(error)
            return None

    def instead_of(self, failed: Embedder, problem: ModelUnavailable) -> Embedder | None:
        """The next model of the chain after one that failed now; None where there is none.

        The one that failed is left out for a while.
        """
        if failed.name == local.NAME:
            self.problem = str(problem)
            return None
        outages.note(self._workspace.project.home, failed.name, problem, self._workspace.clock())
        return self.embedder()

    def names(self) -> str:
        """The chain of models that the settings of this project name."""
        return str(self._llm.settings().get("embedding.model"))

    def tag(self) -> str:
        """The tag of the vectors that the model in use makes."""
        return models.tag_in_force(
            self.names(), self._workspace.project.home, self._workspace.clock()
        )

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
        done = 0
        while embedder is not None:
            try:
                for store in (one for one in self._workspace.stores if one.writable):
                    done += stored.embed(
                        store,
                        embedder,
                        limit=limit,
                        progress=progress,
                        should_continue=should_continue,
                    )
                    if store.scope != "team":  # whose links come from its hub
                        self._relate(store, embedder)
                    vectors.drop_kept(store, models.tags(self.names()))
                break
            except ModelUnavailable as error:
                embedder = self.instead_of(embedder, error)
            except StoreError as error:
                raise error.after(
                    "The memories are stored; vectors that are missing are computed later."
                ) from error
        return done

    def embed_new(self, embedder: Embedder, stores: Iterable[Store]) -> None:
        """Embed the few newest memories of `stores`, so that a search finds them by meaning.

        More than `MOST_NEW` are left to the worker; neither a failure here nor another's lock costs
        the search anything.
        """
        self._embed_few(
            embedder, (one for one in stores if self.fallback or vectors.has_arrivals(one))
        )

    def embed_few(self) -> int:
        """Embed up to `MOST_NEW` memories of each store that have no vector, edited ones included.

        The worker draws their links. Neither a failure here nor another's lock is an error.

        Returns:
            How many have a vector now.
        """
        embedder = self.embedder()
        return self._embed_few(embedder, self._workspace.stores) if embedder is not None else 0

    def _embed_few(self, embedder: Embedder, stores: Iterable[Store]) -> int:
        done = 0
        for store in stores:
            try:
                if store.writable:
                    with store.without_waiting():
                        done += stored.embed(store, embedder, limit=MOST_NEW)
            except ModelUnavailable as error:
                self.instead_of(embedder, error)
                break
            except CortexError:
                continue
        return done
