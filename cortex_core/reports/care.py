"""What is told of upkeep: models, settings, checks, indexed code, secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cortex_core.memory import Memory, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """An embedding model and where it stands."""

    name: str
    dimension: int
    active: bool
    embedded: int
    """Memories with a vector of this model."""
    pending: int
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRecord:
    """A setting, its value in force, and which file says so."""

    name: str
    help: str
    kind: type
    """The type of its value; tuple for a list of texts."""
    allowed: str
    """The values it takes, in words."""
    choices: tuple[str, ...]
    value: Any
    """In force now."""
    default: Any
    written: Mapping[Scope, Any]
    """What the files say; the project's goes before the global one."""

    @property
    def origin(self) -> Literal["default", "global", "project"]:
        """Where the value in force comes from."""
        if "project" in self.written:
            return "project"
        return "global" if "global" in self.written else "default"


CheckState = Literal["ok", "warning", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What the doctor found in one respect."""

    name: str
    group: str
    """machine, folders, stores, meaning, capture, upkeep or client."""
    state: CheckState
    """`skipped` where there is nothing to look at."""
    sentence: str
    next_step: str = ""
    """What to do about it; empty where all is well."""
    fixable: bool = False
    """Whether the doctor can mend it."""
    fixed: str = ""
    """What it has done to mend it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeReport:
    """What indexing code did, or would do."""

    indexed: tuple[Memory, ...] = ()
    """The new descriptions."""
    files: tuple[str, ...] = ()
    """The files that were, or would be, indexed."""
    unchanged: int = 0
    """Files that were indexed before and are as they were."""
    replaced: int = 0
    """Descriptions whose place was taken."""
    gone: tuple[Memory, ...] = ()
    """Descriptions of files that are no longer there."""
    problems: tuple[str, ...] = ()
    """One sentence a file that was left out, or described in a lesser way."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFind:
    """One place that holds, or held, a secret. The secret itself is never told."""

    place: str
    """In words: `memory 1f3a9c20 (content), project store`, or a file."""
    sorts: tuple[str, ...]
    """`aws-access-key`, `password` …; `unreadable` for a copy that could not be looked into."""
    memory: str = ""
    """The memory's id, where it is in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsReport:
    """What looking for secrets found, or what taking them out did."""

    found: tuple[SecretFind, ...] = ()
    """What a scan found, or what was taken out."""
    left: tuple[str, ...] = ()
    """Sentences on what could not be taken out, and why."""
    removed: tuple[str, ...] = ()
    """Snapshots that were removed."""
    dry_run: bool = False
