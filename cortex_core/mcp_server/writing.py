"""The tools that change memory, each a journalled act of the agent. A docstring here is what the
agent reads.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cortex_core.agent_access import Access
from cortex_core.errors import UsageError
from cortex_core.mcp_server import answers, fields
from cortex_core.mcp_server.answers import Answer
from cortex_core.mcp_server.fields import Lesson
from cortex_core.memory import EdgeType, Memory


class WritingTools:
    """Changing the memory behind `access`."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def remember(
        self,
        content: fields.Content,
        kind: fields.Kind = "fact",
        title: fields.Title = None,
        priority: fields.Priority = 5,
        tags: fields.Tags = [],  # noqa: B006
        files: fields.Files = [],  # noqa: B006
        scope: fields.Place = None,
    ) -> Answer:
        """Store one memory for later sessions. Use it when the person asks you to remember
        something, states a lasting preference or rule, or a decision was taken with its reason.
        Not for what the code or git already says, nor for what matters today only. The same thing
        again strengthens what is there. Secrets are taken out.
        """
        lesson = Lesson(
            content=content, kind=kind, title=title, priority=priority, tags=tags, files=files,
            scope=scope,
        )  # fmt: skip
        return self._stored(lesson)

    def learn(
        self, memories: Annotated[list[Lesson], Field(min_length=1, max_length=50)]
    ) -> Answer:
        """Store several memories at once, such as what a piece of work has taught. The same rules
        as for remember; what cannot be stored is told with the reason, the rest is stored.
        """
        stored, refused = [], []
        for lesson in memories:
            try:
                stored.append(self._stored(lesson))
            except UsageError as error:
                refused.append({"content": lesson.content[:80], "reason": str(error)})
        return {"stored": stored} | ({"refused": refused} if refused else {})

    def update(
        self,
        id: fields.Id,
        content: Annotated[str | None, Field(description="The complete new text.")] = None,
        title: Annotated[str | None, Field(description="The new line.")] = None,
        kind: Annotated[str | None, Field(description=f"One of: {fields.KINDS}.")] = None,
        priority: Annotated[int | None, Field(ge=1, le=10)] = None,
        tags: Annotated[list[str] | None, Field(description="All of its tags.")] = None,
        files: Annotated[list[str] | None, Field(description="All of its globs.")] = None,
    ) -> Answer:
        """Correct a memory that is wrong or out of date; only what you give is changed. Prefer it
        to a second memory that contradicts the first.
        """
        found = self.access.memory(id)
        done = self.access.cortex.edit(
            found.id, content=content, title=title, kind=kind, priority=priority, tags=tags,
            files=files, actor="agent",
        )  # fmt: skip
        return answers.whole(done)

    def pin(self, id: fields.Id, pinned: bool = True) -> Answer:
        """Pin a memory, so that it is given in every session and never fades; or take the pin off.
        Only when the person asks for it.
        """
        found, cortex = self.access.memory(id), self.access.cortex
        act = cortex.pin if pinned else cortex.unpin
        return self._done(act(found.id, actor="agent"))

    def link(
        self,
        source: fields.Id,
        target: fields.Id,
        type: fields.Type = "relates_to",
        strength: Annotated[float, Field(ge=0, le=1)] = 1.0,
        context: Annotated[str, Field(description="Why, in one line.")] = "",
    ) -> Answer:
        """Link two memories: what solves, causes, refines or contradicts what. Whether one replaces
        another is the person's to say: supersedes becomes contradicts.
        """
        first, second = self.access.memory(source), self.access.memory(target)
        made = self.access.cortex.graph.link(
            first.id, second.id, "contradicts" if type == "supersedes" else type,
            strength=strength, context=context, actor="agent",
        )  # fmt: skip
        return answers.edge(made)

    def unlink(
        self,
        source: fields.Id,
        target: fields.Id,
        type: Annotated[EdgeType | None, Field(description="Only this type.")] = None,
    ) -> Answer:
        """Take the links between two memories away."""
        first, second = self.access.memory(source), self.access.memory(target)
        return {
            "removed": self.access.cortex.graph.unlink(first.id, second.id, type, actor="agent")
        }

    def forget(self, id: fields.Id) -> Answer:
        """Archive a memory that is wrong or no longer wanted: it is not given or found any more,
        and restore brings it back. Use it when the person says so, or when you have seen that it
        does not hold; if it only needs correcting, use update.
        """
        return self._done(self.access.cortex.forget(self.access.memory(id).id, actor="agent"))

    def restore(self, id: fields.Id) -> Answer:
        """Bring an archived or superseded memory back."""
        return self._done(self.access.cortex.restore(self.access.memory(id).id, actor="agent"))

    def consolidate(
        self,
        threshold: Annotated[
            float, Field(ge=0, le=1, description="Minimum similarity of two memories.")
        ] = 0.5,
    ) -> Answer:
        """Look for memories that may say the same, and propose merging them. It proposes only: the
        person decides, in the app or with `cortex review`. Use it when the person asks for it.
        """
        report = self.access.within("all").consolidate(threshold, actor="agent")
        return {
            "compared_pairs": report.compared,
            "proposed": [
                {"number": made.number, "type": made.type, "similarity": round(made.similarity, 2),
                 "members": [answers.short(id) for id in made.members],
                 "reasons": list(made.reasons), "conflicts": list(made.conflicts)}
                for made in report.proposed
            ],
            "merged": [answers.short(memory.id) for memory in report.merged],
            "next": "The user decides: cortex review",
        }  # fmt: skip

    def _stored(self, lesson: Lesson) -> Answer:
        cortex = self.access.within(lesson.scope or "all")
        done = cortex.remember(
            lesson.content, title=lesson.title, kind=lesson.kind, priority=lesson.priority,
            tags=lesson.tags, files=lesson.files, scope=lesson.scope, actor="agent",
        )  # fmt: skip
        return answers.memory(done)

    def _done(self, memories: list[Memory]) -> Answer:
        return answers.memory(memories[0], brief=True) | {"status": memories[0].status}
