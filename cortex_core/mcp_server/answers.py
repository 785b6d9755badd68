"""What tools take, and how each of it is explained to the agent.

What tools answer with: short objects, since an agent pays for every word of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cortex_core.base import text
from cortex_core.base.kinds import BUILT_IN
from cortex_core.base.text import iso
from cortex_core.fields import FIELDS, first
from cortex_core.types import Edge, EdgeType, Hit, Memory, Scope, Where

KINDS = ", ".join(kind.name for kind in BUILT_IN if kind.name not in ("code", "episode"))

Id = Annotated[str, Field(description="A memory's id, or its first characters (4 at least).")]
Query = Annotated[str, Field(description="What you want to know, in your own words.")]
Limit = Annotated[int, Field(ge=1, le=100, description="Maximum number of memories to return.")]
Tokens = Annotated[
    int,
    Field(
        ge=100,
        le=20_000,
        description="Maximum number of tokens of the answer; longer memories are shortened to "
        "their title.",
    ),
]
Kind = Annotated[str, Field(description=f"One of: {KINDS}.")]
Kinds = Annotated[list[str], Field(description=f"Only these kinds: {KINDS}.")]
Tags = Annotated[list[str], Field(description="Tags, one word each.")]
Files = Annotated[
    list[str], Field(description="Glob patterns of the files it applies to, such as src/auth/*.ts.")
]
File = Annotated[str | None, Field(description="Only memories that apply to this file.")]
Since = Annotated[str | None, Field(description="Only after this time: 2026-11-05, 3d, yesterday.")]
Look = Annotated[Where, Field(description="Which memories: of this project, global, or all.")]
Place = Annotated[
    Scope | None,
    Field(description="project (default), or global for what applies to every project."),
]
Priority = Annotated[
    int, Field(ge=1, le=10, description="1 to 10; default 5, 8 for what must not be missed.")
]
Title = Annotated[str | None, Field(description="One line; default: made from the content.")]
Content = Annotated[
    str,
    Field(description="One self-contained statement, with its reason; no secrets, no transcript."),
]
Type = Annotated[EdgeType, Field(description="What the first memory is to the second.")]


class Lesson(BaseModel):
    """One of several memories to store."""

    model_config = ConfigDict(extra="forbid")

    content: Content
    kind: Kind = "fact"
    title: Title = None
    priority: Priority = 5
    tags: Tags = Field(default_factory=list)
    files: Files = Field(default_factory=list)
    scope: Place = None


Answer = dict[str, Any]

SHORT_ID = 8
"""Number of characters of an id in answers; enough to identify a memory."""


def short(id: str) -> str:
    """The first characters of an id, used in its place."""
    return id[:SHORT_ID]


def memory(found: Memory, *, brief: bool = False) -> Answer:
    """A memory as an agent needs it; `brief` tells its title alone. What is usual is left out."""
    told: Answer = {"id": short(found.id), "kind": found.kind}
    if brief or not _repeats(found.title, found.content):
        told["title"] = found.title
    if not brief:
        told["content"] = found.content
    told |= {"scope": found.scope, "date": day(found.created)}
    unusual = {
        one.agent_name or one.name: one.plain(found) for one in FIELDS
        if one.agent == "listed" and one.get(found) != one.usual
    }  # fmt: skip
    return told | first(unusual, ("status", "pinned", "tags", "files"))


def episode(found: Memory) -> Answer:
    """An entry of the log, with the minute and what came of it."""
    outcome = found.details.get("outcome")
    told = memory(found) | {"time": iso(found.created)[:16]}
    return told | ({"outcome": outcome} if outcome else {})


def whole(found: Memory) -> Answer:
    """A memory with everything that is known of it."""
    more = {
        "id": found.id, "title": found.title, "confidence": round(found.confidence, 2),
        "updated": day(found.updated),
        **{one.agent_name or one.name: one.plain(found) for one in FIELDS if one.agent == "whole"},
        "sources": len(found.sources),
    }  # fmt: skip
    published = (
        "id", "title", "priority", "confidence", "updated", "learned_from", "excerpt", "details",
        "commit", "context_files", "sources",
    )  # fmt: skip
    return memory(found) | {name: value for name, value in first(more, published).items() if value}


def hit(found: Hit, *, brief: bool = False) -> Answer:
    """A hit of a recall, with its score and the code it describes."""
    told = memory(found.memory, brief=brief) | {"score": round(found.score, 3)}
    if found.code is not None and not brief:
        told["code"] = found.code.content
        told["code_files"] = list(found.code.context.files or found.code.globs)
    return told


def edge(found: Edge) -> Answer:
    """An edge between two memories."""
    told: Answer = {
        "source": short(found.source), "target": short(found.target), "type": found.type,
        "strength": round(found.strength, 2),
    }  # fmt: skip
    return told | ({"context": found.context} if found.context else {})


def fitted(hits: Sequence[Hit], budget: int) -> tuple[list[Answer], int]:
    """As many of `hits`, in order, as fit into `budget` tokens, and how many did not.

    One that is too long for the rest of the budget is shortened to its title; `show` has all.
    """
    told: list[Answer] = []
    for number, found in enumerate(hits):
        answer = _affordable(found, budget, certain=not told)
        if answer is None:
            return told, len(hits) - number
        budget -= _cost(answer)
        told.append(answer)
    return told, 0


def _affordable(found: Hit, budget: int, *, certain: bool) -> Answer | None:
    """A hit whole, or by its title where that fits; a `certain` one by its title at least."""
    whole = hit(found)
    if _cost(whole) <= budget:
        return whole
    brief = hit(found, brief=True) | {"shortened": True}
    return brief if certain or _cost(brief) <= budget else None


def _cost(answer: Answer) -> int:
    return text.tokens(json.dumps(answer, ensure_ascii=False))


def listed(memories: Iterable[Memory], limit: int) -> Answer:
    """A list of at most `limit` memories, and how many there are beyond it."""
    found = list(memories)
    told: Answer = {"memories": [memory(each) for each in found[:limit]]}
    return told | ({"left_out": len(found) - limit} if len(found) > limit else {})


def day(time: float) -> str:
    """The date of `time`, UTC."""
    return iso(time)[:10]


def _repeats(title: str, content: str) -> bool:
    """Whether a title says only how its content begins."""
    start = title.rstrip(".… ").casefold()
    return text.one_line(content).casefold().startswith(start)
