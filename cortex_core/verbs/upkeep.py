"""The verbs of upkeep: vectors and edges for what is new, lifecycle, models, configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cortex_core import config as configuration
from cortex_core.curation import lifecycle
from cortex_core.embedding import registry
from cortex_core.embedding.protocol import Embedder
from cortex_core.embedding.remote import RemoteModel
from cortex_core.errors import CortexError, ModelUnavailable
from cortex_core.memory import Memory, Scope
from cortex_core.reports.care import ModelRecord, SettingRecord
from cortex_core.reports.curation import Fading, LifecycleReport
from cortex_core.settings import BY_NAME, find
from cortex_core.storage import vectors
from cortex_core.verbs.accounts import EmbeddingAccount
from cortex_core.verbs.asking import Asking

ARRIVALS = 16
"""Memories that a search may embed before it answers: about a tenth of a second."""


class Upkeep(Asking):
    """What keeps a store in order."""

    _model_problem = ""

    def embedder(self) -> Embedder | None:
        """The embedding model in force; None while it cannot be loaded (see `model_problem`)."""
        try:
            found = registry.default(self.model_settings(), self.project.home)
        except ModelUnavailable as error:
            self._model_problem = str(error)
            return None
        self._model_problem = ""
        if isinstance(found, RemoteModel):
            found.account = EmbeddingAccount(
                self.spending(), self.project.root or self.project.home
            )
        return found

    def model_problem(self) -> str:
        """Why the model could not be loaded when it was last needed, in a sentence; else empty."""
        return self._model_problem

    def model_tag(self) -> str:
        """What the vectors of the model in force are tagged with."""
        return registry.tag(self.model_settings().get("embedding.model"))

    def embed_pending(
        self,
        progress: Callable[[int, int], None] | None = None,
        limit: int | None = None,
        keep_on: Callable[[], bool] = lambda: True,
    ) -> int:
        """Give memories without a vector theirs, and draw their edges; how many were embedded.

        No transaction is open while the model works. Where it fails on the way, the rest waits
        (see `model_problem`).
        """
        from cortex_core.curation import relate

        embedder = self.embedder()
        if embedder is None:
            return 0
        done = 0
        for store in self.stores:
            if not store.writable:
                continue
            try:
                done += vectors.embed(
                    store, embedder, limit=limit, progress=progress, keep_on=keep_on
                )
                relate.relate(store, embedder)
            except ModelUnavailable as error:
                self._model_problem = str(error)
                break
        return done

    def embed_arrivals(self, embedder: Embedder) -> None:
        """Give the newest few memories their vectors, so that a search finds them by meaning.

        More than `ARRIVALS` are left to the worker, and a failure here never costs the answer.
        """
        for store in self.stores:
            try:
                if store.writable and vectors.has_arrivals(store):
                    vectors.embed(store, embedder, limit=ARRIVALS)
            except CortexError:
                continue

    def lifecycle(self, *, dry_run: bool = False) -> LifecycleReport:
        """Archive what has faded, prune what lay archived, let old suggestions go."""
        archived: list[Memory] = []
        pruned: list[Memory] = []
        expired: list[Memory] = []
        for store in self.stores:
            made = lifecycle.plan(store, self.config)
            if made and not dry_run:
                lifecycle.apply(store, made)
            archived += made.archive
            pruned += made.prune
            expired += made.expire
        return LifecycleReport(
            archived=tuple(archived), pruned=tuple(pruned), expired=tuple(expired),
            dry_run=dry_run,
        )  # fmt: skip

    def forecast(self, days: float = 30) -> list[Fading]:
        """What fades below the archiving threshold within `days`, soonest first."""
        found = [
            one for store in self.stores for one in lifecycle.forecast(store, self.config, days)
        ]
        return sorted(found, key=lambda one: one.fades)

    def models(self) -> list[ModelRecord]:
        """The embedding models there are, and how many memories each has a vector of."""
        active = self.model_tag()
        found = []
        for name, dimension, size, about in registry.available():
            tag = registry.tag(name)
            counts = [
                store.rows("SELECT count(*) FROM embedding WHERE model = ?", (tag,))[0][0]
                for store in self.stores
            ]
            waiting = [len(vectors.pending(store, tag)) for store in self.stores]
            note = f"{about} ({size} MB to download)" if size else about
            found.append(
                ModelRecord(
                    name=name, dimension=dimension, active=tag == active, embedded=sum(counts),
                    pending=sum(waiting), note=note,
                )
            )  # fmt: skip
        return found

    def use_model(self, name: str) -> ModelRecord:
        """Choose the embedding model; memories are embedded again in the background.

        Raises:
            ModelUnavailable: it cannot be loaded or fetched; the old one stays.
        """
        registry.fetch(name, self.project.home)
        self.config_set("embedding.model", name, "global")
        return next(record for record in self.models() if record.name == name)

    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make every vector anew; how many were made."""
        for store in self.stores:
            vectors.drop(store)
        return self.embed_pending(progress)

    def config_set(self, name: str, value: Any, scope: Scope = "project") -> Any:
        """Write one setting to the file of `scope`, None taking it out; the value in force.

        Raises:
            UsageError: no such setting, or a value it does not take.
        """
        configuration.set(self.project, name, value, scope)
        self.config = configuration.load(self.project)
        return self.config.get(name)

    def settings(self) -> list[SettingRecord]:
        """Every setting with its value in force and where that comes from.

        Those with a fixed name come first, then what the files say of kinds, keys and rules.
        """
        found = configuration.written(self.project)
        free = {name for values in found.values() for name in values}.difference(BY_NAME)
        return [
            SettingRecord(
                name=name, help=setting.help, kind=setting.type, allowed=setting.allowed,
                choices=setting.choices, value=self.config.get(name), default=setting.default,
                written={scope: found[scope][name] for scope in found if name in found[scope]},
            )
            for name, setting in [*BY_NAME.items(), *((name, find(name)) for name in sorted(free))]
        ]  # fmt: skip

    def config_path(self, scope: Scope = "project") -> str:
        """The file that holds the settings of `scope`; it need not exist."""
        return configuration.path(self.project, scope)
