"""The one table of a memory's fields: how each is stored, checked, exported, imported and shown.

Row mapping, JSON lines, the Markdown vault, `--json`, the answers of the MCP server and the columns
that newer schemas add all read this table. A new field is a change in three files: an attribute of
`Memory`, a row here with `since`, and that version as `SCHEMA_VERSION` in `store/reader.py`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

from cortex_core.records.memory import GUARDS, INJECTION_POLICIES, SCOPES, STATUSES, Memory, Source

Form = Literal["text", "texts", "number", "whole", "flag", "time", "choice", "mapping"]
"""`texts` are a list of single lines, `whole` is an integer, `time` is in Unix seconds, `choice` is
one of `allowed`, `mapping` is an object of any names and values."""

LARGEST_WHOLE = 10**15
"""The largest position or offset: room enough, and far from what an integer of SQLite holds."""

_DEFAULTS = Memory(id="", content="", title="", kind="", scope="project")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a memory."""

    path: str
    """The attribute of `Memory`; `source.author` is in its source, `context.branch` in its
    context."""
    form: Form = "text"
    low: float = 0
    high: float = LARGEST_WHOLE
    """The range of a number, both ends included."""
    allowed: tuple[str, ...] = ()
    """The values of a choice."""
    longest: int | None = None
    """Characters of a text that an import keeps."""
    published: str = ""
    """Its name in JSON, in a vault and in the store, where that is not its attribute's."""
    aliases: tuple[str, ...] = ()
    """Other names by which an import reads it, old spellings included."""
    stored: bool = True
    """Whether the store has a column for it."""
    since: int = 0
    """The schema version that adds its column to every store; 0 for a column that
    `store/table_models.py` states itself. Once released, this, the form and the default stay."""
    vault: bool = True
    """Whether the frontmatter of a Markdown vault states it under its own name where it is not the
    default; others are written elsewhere in a vault, or not at all."""
    free_text: bool = True
    """Whether a text comes from people, tools or files, as names and ids of theirs do: it passes
    the redactor whenever it is written."""
    carried: bool = True
    """Whether an export carries it; what is not carried is known to this user's store alone."""
    agent: Literal["", "listed", "whole"] = ""
    """`listed`: the MCP server shows it in lists too; `whole`: for a single memory only."""
    agent_name: str = ""
    """What the MCP server calls it, where that is another name."""
    get: Callable[[Memory], Any] = field(init=False, repr=False, compare=False)
    """Its value in a memory."""
    column: str = field(init=False, compare=False)
    """Its column in the store; empty where it has none."""
    default: Any = field(init=False, compare=False)
    """Its value in a memory that says nothing about it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "get", attrgetter(self.path))
        object.__setattr__(self, "default", self.get(_DEFAULTS))
        object.__setattr__(self, "column", self.name if self.stored else "")
        is_text = self.form in ("text", "texts", "mapping")
        object.__setattr__(self, "free_text", self.free_text and is_text)

    @property
    def part(self) -> str:
        """`source` or `context` where it is an attribute of one of these, else empty."""
        return self.path.rpartition(".")[0]

    @property
    def attribute(self) -> str:
        """Its attribute in the memory, the source or the context."""
        return self.path.rpartition(".")[2]

    @property
    def name(self) -> str:
        """Its name in JSON, in a vault and in the store."""
        return self.published or self.attribute

    @property
    def names(self) -> tuple[str, ...]:
        """Every name by which an import reads it, its own first."""
        return (self.name, *self.aliases)

    def plain(self, memory: Memory) -> Any:
        """Its value as JSON has it; a time stays a number."""
        value = self.get(memory)
        if self.form == "texts":
            return list(value)
        return dict(value) if self.form == "mapping" else value


FIELDS: tuple[Field, ...] = (
    Field("id", vault=False, free_text=False),
    Field("content", vault=False),
    Field("title", vault=False),
    Field("kind", aliases=("type",), vault=False, free_text=False),
    Field("scope", "choice", allowed=SCOPES, stored=False),
    Field("tags", "texts", vault=False, agent="listed"),
    Field("confidence", "number", high=1, stored=False, vault=False),
    Field("initial_confidence", "number", high=1, aliases=("confidence",), vault=False),
    Field("priority", "whole", low=1, high=10, vault=False, agent="whole"),
    Field("pinned", "flag", agent="listed"),
    Field("status", "choice", allowed=STATUSES, agent="listed"),
    Field("inject", "choice", allowed=INJECTION_POLICIES, aliases=("giving",)),
    Field("claimed", "flag", vault=False, carried=False),
    Field("withheld", "flag", vault=False, carried=False),
    Field("source.rule", agent="whole", agent_name="learned_from"),
    Field("source.author", agent="listed"),
    Field("source.session"),
    Field("source.position", "whole", published="place"),
    Field("source.message"),
    Field("source.offset", "whole"),
    Field("source.transcript"),
    Field("context.branch", agent="listed"),
    Field("context.commit", agent="whole"),
    Field("context.folder"),
    Field("context.files", "texts", agent="whole", agent_name="context_files"),
    Field("globs", "texts", agent="listed", agent_name="files"),
    Field("access_count", "whole", high=1e9, vault=False),
    Field("last_access", "time", vault=False),
    Field("looks", "whole", high=1e9, vault=False),
    Field("triggers", "texts", agent="whole"),
    Field("triggers_by", "choice", allowed=("", "words", "user"), vault=False),
    Field("guard", "choice", allowed=GUARDS, vault=False, carried=False),
    Field("outdated", vault=False, carried=False, agent="listed"),
    Field("until", since=14, agent="listed"),
    Field("created", "time", vault=False),
    Field("updated", "time", vault=False),
    Field("reinforced", "time"),
    Field("excerpt", longest=1000, agent="whole"),
    Field("origin", "mapping", vault=False),
    Field("details", "mapping", agent="whole"),
)
"""Every field, in the order of the JSON lines."""

COLUMNS: dict[str, Field] = {each.column: each for each in FIELDS if each.column}
"""The fields that have a column in the store, by its name."""

ADDED: tuple[Field, ...] = tuple(each for each in FIELDS if each.since)
"""The fields whose columns came with a later schema version."""


SOURCE: tuple[tuple[str, str], ...] = (
    *((each.attribute, each.name) for each in FIELDS if each.part == "source"),
    ("time", "time"),
)
"""Each attribute of a source, and its name in JSON, in a vault and in the store."""


def source_values(source: Source) -> dict[str, Any]:
    """The values of `source` under those names."""
    return {name: getattr(source, attribute) for attribute, name in SOURCE}


def first(shape: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """`shape` with those of `names` that it has in front, in their order.

    For outputs that were published in another order than that of the table.
    """
    return {name: shape[name] for name in (*names, *shape) if name in shape}
