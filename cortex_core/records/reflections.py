"""What practice returns: procedures, reflection and the core of a project."""

from collections.abc import Mapping
from dataclasses import dataclass

from cortex_core.records.as_json import Moment
from cortex_core.records.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcedureMatch:
    """A procedure that fits a task, and how well following it has worked."""

    memory: Memory
    fit: float
    """How well it fits the task, 0 to 1; 1 if no task was given."""
    reliability: float
    """The estimated probability of success the next time, 0 to 1; 0.5 if untried."""
    successes: int
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Two tags that several memories have in common."""

    tags: tuple[str, str]
    count: int
    """Active memories with both."""
    examples: tuple[str, ...]
    """Titles of a few of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """Something that more than one project has learned."""

    memory: Memory
    """This project's wording."""
    projects: tuple[str, ...]
    """The other projects' names."""
    suggestion: str = ""
    """The id of the suggestion for the global store; empty if there is none, or was one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """An overview of what a project's memories have in common."""

    themes: tuple[Theme, ...]
    """The most frequent pairs of tags, most frequent first."""
    shared_tags: Mapping[str, Mapping[str, int]]
    """Tags of more than one project: how many active memories each project has with it."""
    recurrences: tuple[Recurrence, ...]
    most_used: tuple[Memory, ...]
    insights: tuple[Memory, ...]
    """The newest insights, newest first."""
    merges: int
    """Merges in force."""
    superseded: int
    """Memories that a newer one has replaced."""
    to_review: int
    """Open proposals."""
    last_consolidation: Moment | None
    projects: tuple[str, ...] = ()
    """The other projects that were looked at."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """The most important memories, grouped by kind."""

    text: str
    """Markdown."""
    memories: tuple[str, ...]
    """Ids, in the order of the text."""
    tokens: int
    active: int
    """Active memories of which these were chosen."""
