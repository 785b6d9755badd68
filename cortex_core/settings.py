"""Every setting there is: name, type, default, range and what it does.

The one table that `cortex config`, the app's settings screen, the documentation and the tests read.
"""

from __future__ import annotations

from collections.abc import Mapping

from cortex_core import decay
from cortex_core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Setting:
    """One setting: its dotted name, type, default, what it does and which values it takes."""

    __slots__ = ("choices", "default", "help", "high", "low", "name", "type")

    def __init__(
        self,
        name: str,
        kind: type,
        default: Any,
        help: str,
        choices: tuple[str, ...] = (),
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        self.name = name
        self.type = kind
        self.default = default
        self.help = help
        self.choices = choices
        self.low = low
        self.high = high

    @property
    def allowed(self) -> str:
        """The values it takes, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        word = _TYPE_WORDS[self.type]
        if self.low is None:
            return word
        return f"{word} from {self.low:g} to {self.high:g}"

    def accepts(self, value: object) -> bool:
        """Whether `value` has its type and lies within its range."""
        if self.type is float:
            right = isinstance(value, int | float) and not isinstance(value, bool)
        elif self.type is tuple:
            right = isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
        else:
            right = type(value) is self.type
        if not right or (self.choices and value not in self.choices):
            return False
        if self.low is None or self.high is None or not isinstance(value, int | float):
            return True
        return self.low <= value <= self.high

    def parse(self, text: str) -> Any:
        """The value that `text`, typed by a person, means; `text` itself where it means none."""
        word = text.strip()
        try:
            if self.type is bool:
                return {"true": True, "on": True, "yes": True, "1": True, "false": False,
                        "off": False, "no": False, "0": False}.get(word.lower(), text)  # fmt: skip
            if self.type is tuple:
                parts = word.strip("[]").split(",")
                return [part.strip().strip("\"'") for part in parts if part.strip()]
            return self.type(word)
        except ValueError:
            return text


_TYPE_WORDS = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false",
    tuple: "a list of texts",
}  # fmt: skip

SETTINGS: tuple[Setting, ...] = (
    Setting("surface.tokens", int, 500, "Most tokens given at a session's start.", (), 0, 3000),
    Setting("prompt.tokens", int, 800, "Most tokens given with one prompt.", (), 0, 3000),
    Setting("prompt.floor", float, 0.82,
            "How near in meaning a memory must be to a prompt to be given with it: the share of "
            "how near the most alike ordinary request (“run the tests”) is.",
            (), 0, 2),
    Setting("prompt.model", bool, True,
            "Whether the embedding model may be loaded where words leave a prompt unsure."),
    Setting("files.tokens", int, 300, "Most tokens given when a file is opened.", (), 0, 3000),
    Setting("lifecycle.model", str, decay.HALF_LIFE,
            "How memories fade: each kind by its own half-life; in 90 days, the slower the more "
            "they were used (reinforcement); or by e^(-0.03·days) times priority and use "
            "(importance).",
            decay.MODELS),
    Setting("lifecycle.archive_below", float, decay.ARCHIVE_BELOW[decay.HALF_LIFE],
            "Confidence under which a memory is on its way to the archive; where it is not set, "
            "0.1 in the model reinforcement and 0.05 in importance.", (), 0, 1),
    Setting("lifecycle.archive_after_days", int, 14, "Days under it before it is archived.",
            (), 0, 3650),
    Setting("lifecycle.prune_after_days", int, 30,
            "Days in the archive, untouched, before it goes to the trash.", (), 0, 3650),
    Setting("consolidation.mode", str, "review",
            "Memories that may say the same are proposed for review, merged where that is certain "
            "(auto), or left alone (off).", ("review", "auto", "off")),
    Setting("consolidation.threshold", float, 0.7,
            "Similarity from which memories are proposed unasked.", (), 0.3, 1),
    Setting("consolidation.after_new", int, 80,
            "New memories after which a consolidation runs by itself.", (), 1, 100_000),
    Setting("suggestions.keep_days", int, 30, "Days a suggestion waits for a verdict.",
            (), 1, 3650),
    Setting("capture.ignore", tuple, (),
            "Folders and file patterns that nothing is captured from."),
    Setting("extractor", str, "rules",
            "Who reads sessions: the rules of this machine alone, or a language model as well: by "
            "the Anthropic API (api), through the claude command (claude), or whichever of the two "
            "there is (auto). See docs/privacy.md for what is sent.",
            ("rules", "api", "claude", "auto")),
    Setting("model.name", str, "claude-haiku-5-5", "The language model that is asked."),
    Setting("model.daily_cap_usd", float, 0.15,
            "US dollars a day, over all projects, at which no model is asked any more.",
            (), 0, 1000),
    Setting("model.deadline", float, 30.0,
            "Seconds the language model may take for an answer.", (), 1, 600),
    Setting("embedding.model", str, "sentence-transformers/all-MiniLM-L6-v2",
            "The model that turns memories into vectors: any that fastembed knows, or "
            "PROVIDER:MODEL of voyage, gemini, openai or ollama. Of several, separated by commas, "
            "the first that can be had."),
    Setting("redact.extra", tuple, (),
            "Regular expressions of secrets that Cortex does not know by itself."),
    Setting("theme", str, "cortex-dark", "The terminal app's theme."),
)  # fmt: skip
"""Every setting with a fixed name. `kinds.NAME.FIELD`, `keys.ACTION`
and `rules.NAME` are free besides."""

BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}

KIND_FIELDS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting("half_life", float, None, "Days until confidence has halved; 0: it never fades.",
                (), 0, 36500),
        Setting("weight", float, 1.0, "How much the kind counts, about 0.8 to 1.4.", (), 0, 10),
        Setting("surface_lines", int, 10, "Most lines in the surface.", (), 0, 100),
        Setting("baseline", bool, False, "Whether every session is given it."),
        Setting("aliases", tuple, (), "Other names for the kind."),
        Setting("glyph", str, "·", "Its sign in the app."),
        Setting("ascii_glyph", str, "-", "Its sign where only ASCII is shown."),
    )
}  # fmt: skip
"""What a `kinds.NAME` table may hold."""


def find(name: str) -> Setting:
    """The setting called `name`, also for `kinds.NAME.FIELD`, `keys.ACTION` and `rules.NAME`.

    Raises:
        UsageError: there is none; the message lists those there are.
    """
    if name in BY_NAME:
        return BY_NAME[name]
    head, _, rest = name.partition(".")
    field = rest.rpartition(".")[2]
    if head == "keys" and rest:
        return Setting(name, str, "", "The key for an action of the app.")
    if head == "rules" and rest:
        return Setting(name, str, "auto", "Where a rule's finds go; auto follows your verdicts.",
                       ("auto", "kept", "suggested", "off"))  # fmt: skip
    if head == "kinds" and rest.count(".") == 1 and field in KIND_FIELDS:
        return KIND_FIELDS[field]
    raise UsageError(
        f"There is no setting “{name}”. Nothing was changed. Settings: "
        f"{', '.join(BY_NAME)}, kinds.NAME.({'|'.join(KIND_FIELDS)}), keys.ACTION, rules.NAME."
    )
