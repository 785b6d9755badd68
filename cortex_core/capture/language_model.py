"""The language model that reads sessions after the rules, if the user chose one, and its cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core.base import config as configuration
from cortex_core.base.errors import ModelFailed
from cortex_core.base.project import Project
from cortex_core.embeddings import models

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cortex_core.base.config import Config
    from cortex_core.capture.unread import UnreadPart
    from cortex_core.llm.client import Model
    from cortex_core.llm.protocol import Spending
    from cortex_core.store.store_trust import StoreTrust
    from cortex_core.store.workspace import Workspace

_MODEL_SETTINGS = ("extractor", "model.name", "model.daily_cap_usd", "model.deadline")


class LanguageModels:
    """Access to the language model, and its spending."""

    def __init__(self, workspace: Workspace, trust: StoreTrust, may_ask: bool) -> None:
        """Args:
        may_ask: False for a rehearsal: nothing is sent and nothing is spent.
        """
        self._workspace = workspace
        self._trust = trust
        self._may_ask = may_ask
        self._chosen: tuple[tuple[object, ...], Model | None] | None = None

    def model(self) -> Model | None:
        """The language model; None if none was chosen or it cannot be used (see `trouble`)."""
        if not self.is_chosen:
            return None
        try:
            return self.chosen()
        except ModelFailed:
            return None

    def chosen(self) -> Model | None:
        """As `model`, but says why there is none.

        Raises:
            ModelFailed: one was chosen, but it cannot be used; it says what is missing.
        """
        from cortex_core.llm import client
        from cortex_core.redaction import cleaning

        choices = self.settings()
        wanted = tuple(choices.get(name) for name in _MODEL_SETTINGS)
        if self._chosen is not None and self._chosen[0] == wanted:
            return self._chosen[1]
        # Chosen again where a setting changed: a process such as the app lives long.
        here = self._workspace.project
        model = client.choose(
            choices,
            here.home,
            here.root or here.home,
            lambda words: cleaning.redacted(words, self._workspace.config),
            self._workspace.clock,
        )
        self._chosen = (wanted, model)
        return model

    @property
    def is_chosen(self) -> bool:
        """Whether the user has chosen a language model."""
        return self._may_ask and self.settings().get("extractor") != "rules"

    def settings(self) -> Config:
        """The settings that choose the model and limit its cost: only the user's own.

        A configuration that came with a clone, tracked by git or in the folder of a store that is
        not trusted, cannot choose to send anything; the user's file for all projects then counts.
        """
        here, config = self._workspace.project, self._workspace.config
        asks = config.get("extractor") != "rules"
        if here.root is None or not (asks or models.sends(config.get("embedding.model"))):
            return config
        file = Path(configuration.path(here))
        if file.exists() and self._trust.granted and configuration.is_own(here):
            return config
        return configuration.load(Project(None, here.home, here.cwd))

    def waiting(self) -> list[Path]:
        """Transcripts with a part that the model has not read yet, longest waiting first."""
        return list(self._waiting_parts())

    def trouble(self) -> str:
        """Why the chosen language model cannot be used, in a sentence; empty if it can."""
        if not self.is_chosen:
            return ""
        try:
            self.chosen()
        except ModelFailed as failure:
            return (
                f"The language model cannot be used: {failure.reason}. Until this is fixed, "
                "capture uses the rules."
            )
        reasons = [part.reason for part in self._waiting_parts().values() if part.reason]
        if not reasons:
            return ""
        count = "1 session waits" if len(reasons) == 1 else f"{len(reasons)} sessions wait"
        return (
            f"{count} for the language model ({reasons[-1]}). The finds of the rules are kept; "
            "Cortex calls the model again automatically."
        )

    def offer(self) -> str:
        """What a language model would add, what is sent to whom, and what the user's last sessions
        of all projects would have cost."""
        from cortex_core.capture import past_sessions
        from cortex_core.llm import client

        choices = self.settings()
        return client.offer(
            past_sessions.cost(choices.get("model.name")), choices.get("model.daily_cap_usd")
        )

    def spending(self) -> Spending:
        """What language models cost: each call, by day and by project, and the daily cap."""
        from cortex_core.llm.protocol import Spending

        return Spending(
            self._workspace.project.home,
            self.settings().get("model.daily_cap_usd"),
            self._workspace.clock,
        )

    def _waiting_parts(self) -> Mapping[Path, UnreadPart]:
        from cortex_core.capture import unread

        store = self._workspace.existing(self._workspace.default_scope())
        return unread.parts(store) if store is not None and self.is_chosen else {}
