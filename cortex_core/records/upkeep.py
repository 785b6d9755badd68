"""A memory in detail, and what keeps a store in order: decay, secrets, models, settings, checks."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from cortex_core.base import text
from cortex_core.base.agent_names import LABELS
from cortex_core.records.as_json import Moment
from cortex_core.records.changes import JournalEntry
from cortex_core.records.memory import Edge, Memory, Scope
from cortex_core.records.surfaces import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything about one memory."""

    JSON: ClassVar = ("memory.*", "edges", "history", "receipts", "importance as standing", "fades")

    memory: Memory
    edges: tuple[Edge, ...]
    history: tuple[JournalEntry, ...]
    receipts: tuple[Receipt, ...]
    importance: Mapping[str, float]
    """The parts of its importance by name, as `search.importance.parts`."""
    most_importance: Mapping[str, float]
    """The highest that each part can be."""
    fades: Moment | None
    """When its confidence reaches the archiving threshold, Unix seconds; None: never."""

    @property
    def crossed(self) -> str:
        """To which other agents it was given, where it was learned from one: `learned from Claude
        Code, given to Codex twice`; else empty."""
        learned = self.memory.source.agent
        others = Counter(one.agent for one in self.receipts if one.agent not in ("", learned))
        if not (learned and others):
            return ""
        given = (f"{LABELS[name]} {text.times(count)}" for name, count in others.items())
        return f"learned from {LABELS[learned]}, given to {', '.join(given)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fading:
    """One memory whose confidence will fall below the archiving threshold."""

    memory: Memory
    fades: Moment
    """When it falls below the threshold."""
    archives: Moment
    """When it is archived if nothing reinforces it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleReport:
    """What was archived, pruned and discarded because of decay, or would be."""

    archived: tuple[Memory, ...] = ()
    pruned: tuple[Memory, ...] = ()
    expired: tuple[Memory, ...] = ()
    """Suggestions without a verdict in time."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """An embedding model and its state."""

    name: str
    dimension: int
    active: bool
    embedded: int
    """Memories with a vector of this model."""
    pending: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRecord:
    """A setting, its value in effect, and the file that sets it."""

    JSON: ClassVar = ("name", "value", "default", "allowed", "help")

    name: str
    help: str
    kind: type
    """The type of its value; tuple for a list of texts."""
    allowed: str
    """The values it takes, in words."""
    choices: tuple[str, ...]
    value: Any
    """In effect now."""
    default: Any
    written: Mapping[Scope, Any]
    """The values in the files; the project's takes precedence over the global one."""

    @property
    def origin(self) -> Literal["default", "global", "project"]:
        """Where the value in effect comes from."""
        if "project" in self.written:
            return "project"
        return "global" if "global" in self.written else "default"


CheckState = Literal["ok", "warning", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check of the doctor."""

    name: str = ""
    """Empty, as the group, in what a check itself returns."""
    group: str = ""
    """machine, folders, stores, meaning, capture, upkeep, team or client (Claude Code)."""
    state: CheckState
    """`skipped`: there is nothing to check."""
    sentence: str
    next_step: str = ""
    """What to do about it; of a check that passed, about what it lists."""
    fixable: bool = False
    """Whether the doctor can repair it."""
    fixed: str = ""
    """What the doctor did to repair it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionPreview:
    """What connecting Cortex with Claude Code would change."""

    settings: str
    """The settings file of Claude Code."""
    diff: str
    """The change of that file as a unified diff; empty if the hooks are in it already."""
    server: str
    """The command that registers the MCP server, as it is typed."""
    caution: str = ""
    """What keeps the hooks from running, or should be known; otherwise empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFind:
    """One place that contains, or contained, a secret. The secret itself is never printed."""

    JSON: ClassVar = ("*", "location as place", "types as sorts")

    location: str
    """In words: `memory 1f3a9c20 (content), project store`, or a file."""
    types: tuple[str, ...]
    """`aws-access-key`, `password` …; `unreadable` for a copy that could not be looked into."""
    memory: str = ""
    """The memory's id, where it is in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsReport:
    """The result of searching for secrets, or of removing them."""

    found: tuple[SecretFind, ...] = ()
    """What a scan found, or what was removed."""
    left: tuple[str, ...] = ()
    """Sentences about what could not be removed, and why."""
    removed: tuple[str, ...] = ()
    """Paths of the snapshots that were removed."""
    dry_run: bool = False
