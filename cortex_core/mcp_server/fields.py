"""What tools take, and how each of it is explained to the agent."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cortex_core.kinds import BUILT_IN
from cortex_core.memory import EdgeType, Scope, Where

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
