"""Every setting: name, type, default, range and what it does.

`cortex config`, the app's settings screen, the documentation and the tests read this one table.
"""

from __future__ import annotations

from collections.abc import Mapping

from cortex_core.base import agent_names, decay
from cortex_core.base.errors import UsageError
from cortex_core.base.hook_io import LightRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cortex_core.records.captures import RuleSetting

RULE_SETTINGS: tuple[RuleSetting, ...] = ("auto", "kept", "suggested", "off")
"""What `rules.NAME` takes; the hooks load this module, which keeps it from the type's own list."""


class Setting(LightRecord):
    """One setting: its dotted name, type, default, what it does and which values it takes."""

    name: str
    type: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    @property
    def allowed(self) -> str:
        """The accepted values, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        word = _TYPE_WORDS[self.type]
        return word if self.low is None else f"{word} from {self.low:g} to {self.high:g}"

    def accepts(self, value: object) -> bool:
        """Whether `value` has the right type and is within the range."""
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
        """The value for `text` as typed by the user; `text` itself if it is not a valid value."""
        word = text.strip()
        try:
            if self.type is bool:
                return {
                    "true": True,
                    "on": True,
                    "yes": True,
                    "1": True,
                    "false": False,
                    "off": False,
                    "no": False,
                    "0": False,
                }.get(word.lower(), text)
            if self.type is tuple:
                return [
                    part.strip().strip("\"'")
                    for part in word.strip("[]").split(",")
                    if part.strip()
                ]
            return self.type(word)
        except ValueError:
            return text


FOREVER, OFF = "forever", "off"
"""Values of a setting that else is a number of days."""

_MOST_DAYS = 36_500


class DaysSetting(Setting):
    """A setting that is a number of days as text, `forever` or `off`."""

    @property
    def allowed(self) -> str:
        """The accepted values, in words."""
        return f"{OFF}, {FOREVER} or a number of days"

    def accepts(self, value: object) -> bool:
        """Whether `value` is one of the two words, or a number of days from 1 to 36,500."""
        return isinstance(value, str) and (
            value in (OFF, FOREVER)
            or (value.isascii() and value.isdigit() and 1 <= int(value[:6]) <= _MOST_DAYS)
        )


class UserSetting(Setting):
    """A setting of the user alone: a project's file, which may come with a clone, cannot set it."""


class WeakeningSetting(Setting):
    """A setting that can weaken a protection: the file of a repository does not set it."""


_TYPE_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts",
}

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "surface.tokens",
        int,
        500,
        "Maximum number of tokens injected at session start.",
        (),
        0,
        3000,
    ),
    Setting(
        "surface.receipt",
        bool,
        False,
        "Say at each start, in one line, how much the session before was given and used.",
    ),
    Setting(
        "prompt.tokens", int, 800, "Maximum number of tokens injected with a prompt.", (), 0, 3000
    ),
    Setting(
        "prompt.quotations",
        bool,
        True,
        "Whether past conversations that fit a prompt are quoted with it.",
    ),
    Setting(
        "prompt.floor",
        float,
        0.75,  # benchmarks.prompts: as much is right as at 0.665, and less where nothing fits
        "Minimum similarity of a memory to the prompt, relative to that of a generic prompt "
        "such as “run the tests” (1.0 = equal).",
        (),
        0,
        2,
    ),
    Setting(
        "files.tokens",
        int,
        300,
        "Maximum number of tokens injected when a file is opened.",
        (),
        0,
        3000,
    ),
    WeakeningSetting(
        "triggers.on",
        bool,
        True,
        "Recall the rules whose triggers match a tool call, at the moment of the call.",
    ),
    Setting(
        "lifecycle.model",
        str,
        decay.HALF_LIFE,
        "How memories decay: by the half-life of the kind (half-life); in 90 days, more slowly "
        "the more they are used (reinforcement); or by e^(-0.03·days) times priority and use "
        "(importance).",
        decay.MODELS,
    ),
    Setting(
        "lifecycle.archive_below",
        float,
        decay.ARCHIVE_BELOW[decay.HALF_LIFE],
        "Confidence below which a memory will be archived. If not set, 0.1 for the model "
        "reinforcement and 0.05 for importance.",
        (),
        0,
        1,
    ),
    Setting(
        "lifecycle.archive_after_days",
        int,
        14,
        "Days below that confidence before a memory is archived.",
        (),
        0,
        3650,
    ),
    Setting(
        "lifecycle.prune_after_days",
        int,
        30,
        "Days in the archive without use before a memory moves to the trash.",
        (),
        0,
        3650,
    ),
    Setting(
        "consolidation.mode",
        str,
        "review",
        "What to do with possible duplicates: propose them for review, also merge the certain "
        "ones (auto), or nothing (off).",
        ("review", "auto", "off"),
    ),
    Setting(
        "consolidation.threshold",
        float,
        0.7,
        "Minimum similarity of two memories that Cortex proposes to merge by itself.",
        (),
        0.3,
        1,
    ),
    Setting(
        "consolidation.after_new",
        int,
        80,
        "Number of new memories after which consolidation runs automatically.",
        (),
        1,
        100_000,
    ),
    Setting(
        "suggestions.keep_days", int, 30, "Days a suggestion waits for a verdict.", (), 1, 3650
    ),
    WeakeningSetting(
        "capture.ignore", tuple, (), "Folders and file patterns to exclude from capture."
    ),
    Setting(
        "capture.agent",
        str,
        "ask",
        "Whether the agent is asked to write down what it learned: by a paragraph at a session's "
        "start (ask), also by one request when it has answered (insist), or not at all (off). "
        "It is never asked in claude -p, nor where it has no MCP tools of Cortex.",
        ("ask", "insist", "off"),
    ),
    DaysSetting(
        "archive.keep",
        str,
        FOREVER,
        "How long conversations stay in the archive after their last message: off (none is "
        "kept), forever, or a number of days.",
    ),
    Setting(
        "extractor",
        str,
        "rules",
        "Who reads sessions: only rules on this machine (rules), or also a language model, "
        "through the Anthropic API (api), the claude or the codex command, or the first of "
        "these that is there (auto). docs/privacy.md describes what is sent.",
        ("rules", "api", "claude", "codex", "auto"),
    ),
    Setting(
        "model.name",
        str,
        "claude-haiku-5-5",
        "The language model to use. Codex uses its own default in place of a Claude model.",
    ),
    Setting(
        "model.daily_cap_usd",
        float,
        0.15,
        "Daily limit in US dollars for model calls, over all projects.",
        (),
        0,
        1000,
    ),
    Setting(
        "model.deadline",
        float,
        90.0,
        "Timeout for an answer of the language model, in seconds.",
        (),
        1,
        600,
    ),
    Setting(
        "embedding.model",
        str,
        "sentence-transformers/all-MiniLM-L6-v2",
        "The embedding model: any model of fastembed, or PROVIDER:MODEL for voyage, gemini, "
        "openai or ollama. Of several, separated by commas, the first that can be used is; the "
        "shipped model comes after all others.",
    ),
    WeakeningSetting(
        "redact.extra", tuple, (), "Regular expressions (RE2) for additional secrets."
    ),
    UserSetting(
        "sync.after_session",
        bool,
        False,
        "Exchange memories with your other machines after a session has ended. Only the "
        "file for all projects can set it.",
    ),
    Setting("theme", str, "cortex-dark", "The theme of the terminal app."),
)
"""Every setting with a fixed name; `find` also accepts `kinds.NAME.FIELD`, `keys.ACTION`,
`rules.NAME` and `agents.NAME`."""

BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}

KIND_FIELDS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting(
            "half_life", float, None, "Days until confidence has halved; 0: no decay.", (), 0, 36500
        ),
        Setting("weight", float, 1.0, "Weight of the kind, about 0.8 to 1.4.", (), 0, 10),
        Setting("surface_lines", int, 10, "Maximum number of lines in the surface.", (), 0, 100),
        Setting("baseline", bool, False, "Inject it into every session."),
        Setting("aliases", tuple, (), "Other names for the kind."),
        Setting("glyph", str, "·", "The symbol in the app."),
        Setting("ascii_glyph", str, "-", "The symbol in ASCII mode."),
        Setting("priority", int, 5, "Priority of what is written by hand without one.", (), 1, 10),
    )
}
"""What a `kinds.NAME` table may hold."""


def find(name: str) -> Setting:
    """The setting called `name`, also for `kinds.NAME.FIELD`, `keys.ACTION`,
    `rules.NAME` and `agents.NAME`.

    Raises:
        UsageError: it does not exist; the message lists all settings.
    """
    if name in BY_NAME:
        return BY_NAME[name]
    head, _, rest = name.partition(".")
    field = rest.rpartition(".")[2]
    # Actions, rules and kinds are open lists, so no table has these names.
    if head == "keys" and rest:
        return Setting(name, str, "", "The key for an action of the app.")
    if head == "rules" and rest:
        return Setting(
            name,
            str,
            "auto",
            "Where the finds of a rule go; auto follows your verdicts.",
            RULE_SETTINGS,
        )
    if head == "agents" and rest in agent_names.LABELS:
        return Setting(
            name,
            str,
            "on",
            "What Cortex does with an agent: nothing (off), inject memories and learn nothing from "
            "its sessions (recall), or both (on).",
            ("off", "recall", "on"),
        )
    if head == "kinds" and rest.count(".") == 1 and field in KIND_FIELDS:
        return KIND_FIELDS[field]
    raise UsageError(
        f"Unknown setting “{name}”. Nothing was changed. Settings: "
        f"{', '.join(BY_NAME)}, kinds.NAME.({'|'.join(KIND_FIELDS)}), keys.ACTION, rules.NAME, "
        f"agents.({'|'.join(agent_names.LABELS)})."
    )
