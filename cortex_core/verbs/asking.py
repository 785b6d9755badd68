"""Whom to ask beside the rules: the language model the person has chosen, and what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cortex_core import config as configuration
from cortex_core.config import Config
from cortex_core.embedding import registry
from cortex_core.errors import ModelFailed
from cortex_core.project import Project
from cortex_core.surface import trust
from cortex_core.verbs.base import Base

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cortex_core.capture.waiting import Waiting
    from cortex_core.model.client import Model
    from cortex_core.model.spend import Spending

_SETTINGS = ("extractor", "model.name", "model.daily_cap_usd", "model.deadline")


class Asking(Base):
    """Access to the language model."""

    _may_ask_model = True
    """False for a rehearsal: nothing is sent and nothing is spent."""

    _own_settings: tuple[tuple[int, bool], bool] | None = None
    """The time of the project's settings and whether its store is trusted; and from these, whether
    the settings are this person's."""

    _chosen_model: tuple[tuple[object, ...], Model | None] | None = None
    _language_problem = ""

    def language_model(self) -> Model | None:
        """The language model to ask; None where none was chosen, or none can be reached.

        `language_model_problem` then tells which. Its `describe_code(source, path)` puts a source
        file into words; anything else it is asked by the verbs of capture and curation.
        """
        if not self.uses_model:
            return None
        try:
            return self.chosen_model()
        except ModelFailed:
            return None

    def language_model_problem(self) -> str:
        """Why the chosen language model could not be had when last looked for; else empty."""
        return self._language_problem

    @property
    def uses_model(self) -> bool:
        """Whether the person has chosen a language model."""
        return self._may_ask_model and self.model_settings().get("extractor") != "rules"

    def model_settings(self) -> Config:
        """The settings that say whom to ask and what it may cost: this person's own alone.

        A configuration that came with a clone, tracked by git or beside a store that is not
        trusted, cannot choose to send anything; the person's file for all projects then counts.
        """
        asks = self.config.get("extractor") != "rules"
        if self.project.root is None or not (asks or registry.sends(self._embedding_model)):
            return self.config
        file = Path(configuration.path(self.project))
        if file.exists() and self._settings_are_own(file):
            return self.config
        return configuration.load(Project(None, self.project.home, self.project.cwd))

    @property
    def _embedding_model(self) -> str:
        return str(self.config.get("embedding.model"))

    def _settings_are_own(self, file: Path) -> bool:
        """Whether the project's settings are this person's."""
        from cortex_core.capture import git_context

        store = self.existing("project")
        trusted = store is None or trust.trusted(self.project, store.identity)
        state = (file.stat().st_mtime_ns, trusted)
        if self._own_settings is None or self._own_settings[0] != state:
            tracked = git_context.is_tracked(str(self.project.root), str(file))
            self._own_settings = (state, trusted and not tracked)
        return self._own_settings[1]

    def chosen_model(self) -> Model | None:
        """As `language_model`, but says why there is none to ask.

        Raises:
            ModelFailed: one was chosen, and there is no key and no client to ask it with.
        """
        from cortex_core.model import choosing

        choices = self.model_settings()
        wanted = tuple(choices.get(name) for name in _SETTINGS)
        if self._chosen_model is not None and self._chosen_model[0] == wanted:
            return self._chosen_model[1]
        self._language_problem = ""
        try:
            made = choosing.choose(
                choices, self.project.home, self.project.root or self.project.home,
                self._without_secrets, self.clock,
            )  # fmt: skip
        except ModelFailed as error:
            self._language_problem = error.reason
            raise
        self._chosen_model = (wanted, made)
        return made

    def waiting_for_model(self) -> list[Path]:
        """Transcripts of which the language model has yet to read a part, the oldest first."""
        return list(self._waiting_parts())

    def language_model_trouble(self) -> str:
        """What stands between the chosen language model and the sessions, in a sentence or none."""
        if not self.uses_model:
            return ""
        try:
            self.chosen_model()
        except ModelFailed as failure:
            return f"No language model is asked: {failure.reason}. The rules work meanwhile."
        parts = self._waiting_parts()
        reasons = [one.reason for one in parts.values() if one.reason]
        if not reasons:
            return ""
        count = "1 session waits" if len(reasons) == 1 else f"{len(reasons)} sessions wait"
        return (
            f"{count} for the language model ({reasons[-1]}). What the rules found there is kept; "
            "the model is asked again by itself."
        )

    def _waiting_parts(self) -> Mapping[Path, Waiting]:
        from cortex_core.capture import waiting

        store = self.existing(self.default_scope())
        return waiting.all_of(store) if store is not None and self.uses_model else {}

    def _without_secrets(self, words: str) -> str:
        from cortex_core.capture import admission

        return admission.redacted(words, self.config)

    def spending(self) -> Spending:
        """What language models cost: each call, by day and by project, and the daily cap."""
        from cortex_core.model.spend import Spending

        cap = self.model_settings().get("model.daily_cap_usd")
        return Spending(self.project.home, cap, self.clock)
