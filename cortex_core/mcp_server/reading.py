"""The tools that look things up. A docstring here is what the agent reads."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cortex_core.agent_access import SEEN, Access
from cortex_core.mcp_server import answers, fields
from cortex_core.mcp_server.answers import Answer
from cortex_core.memory import Neighbour
from cortex_core.results import Recall


class ReadingTools:
    """Looking things up in the memory behind `access`."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def recall(
        self,
        query: fields.Query,
        limit: fields.Limit = 8,
        tokens: fields.Tokens = 1500,
        kinds: fields.Kinds = [],  # noqa: B006
        scope: fields.Look = "all",
        tags: fields.Tags = [],  # noqa: B006
        file: fields.File = None,
        since: fields.Since = None,
        include_archived: bool = False,
    ) -> Answer:
        """Search what earlier sessions learned: decisions and their reasons, preferences, fixes,
        gotchas, how things are done here. Use it before you decide, design, debug or ask the
        person something they may have answered before, and whenever they refer to earlier work.
        Best first; each hit has an id that the other tools take.
        """
        found = self.access.within(scope).recall(
            query, limit=limit, kinds=kinds, scope=scope, tags=tags, file=file, since=since,
            statuses=SEEN if include_archived else ("active",),
        )  # fmt: skip
        return self._told(found, tokens)

    def about(
        self, topic: fields.Query, limit: fields.Limit = 20, tokens: fields.Tokens = 3000
    ) -> Answer:
        """Everything known about a topic, archived memories included: wider than recall. Use it to
        brief yourself before larger work on a part of the project.
        """
        return self._told(self.access.within("all").about(topic, limit), tokens)

    def show(self, id: fields.Id) -> Answer:
        """One memory whole: full text, where it was learned, and what it is linked with. Use it
        when a hit was shortened, or for the [id] of a memory that you were given.
        """
        found = self.access.memory(id)
        edges = self.access.cortex.memories.details(found.id).edges
        return answers.whole(found) | {"edges": [answers.edge(each) for each in edges]}

    def recent(self, limit: fields.Limit = 10) -> Answer:
        """The newest memories. Use it to pick up where the last session stopped."""
        return answers.listed(self.access.within("all").memories.recent(limit), limit)

    def decisions(self, limit: fields.Limit = 20) -> Answer:
        """The decisions taken, the newest first. Use it before you propose another design."""
        return answers.listed(self.access.within("all").memories.decisions(limit), limit)

    def timeline(self, id: fields.Id, count: fields.Limit = 5) -> Answer:
        """What was learned just before and after a memory, oldest first. Use it to see how
        something came about.
        """
        found = self.access.memory(id)
        around = self.access.cortex.memories.timeline(found.id, count)
        return answers.listed(self.access.visible(around), 2 * count + 1)

    def neighbours(
        self, id: fields.Id, depth: Annotated[int, Field(ge=1, le=3)] = 1, limit: fields.Limit = 20
    ) -> Answer:
        """The memories linked with one, and how. Use it to follow causes, refinements and
        contradictions.
        """
        found = self.access.memory(id)
        around = self.access.cortex.graph.neighbours(found.id, depth)
        told = [self._neighbour(each) for each in around if each.memory.status in SEEN]
        return {"neighbours": told[:limit]} | (
            {"left_out": len(told) - limit} if len(told) > limit else {}
        )

    def surface(
        self,
        prompt: Annotated[str | None, Field(description="Show what this prompt would get.")] = None,
        file: Annotated[
            str | None, Field(description="Show what opening this file would inject.")
        ] = None,
    ) -> Answer:
        """What is given by itself at the start of a session, or with a prompt or a file. Use it
        when the person asks what you were told, or after a compaction.
        """
        made = self.access.within("all").surface(prompt=prompt, file=file)
        return {"text": made.text, "tokens": made.tokens}

    def stats(self) -> Answer:
        """How this project's memory is doing: counts by kind and status, what waits for the person,
        when capture last ran and whether it failed. Use it when the person asks about the memory.
        """
        found = self.access.cortex.status()
        last = found.last_capture
        return {
            "project": found.project, "branch": found.branch, "memories": dict(found.counts),
            "kinds": dict(found.kinds), "to_review": found.to_review,
            "waiting_for_capture": found.queue, "failed_captures": found.failures,
            "last_capture": answers.day(last.time) if last else None, "paused": found.paused,
            "trusted": found.trusted, "notes": list(found.degraded),
        }  # fmt: skip

    def _told(self, found: Recall, tokens: int) -> Answer:
        hits, left_out = answers.fitted(found.hits, tokens)
        told: Answer = {"hits": hits}
        more = {
            "left_out": left_out, "note": found.degraded, "read_as": dict(found.corrected),
            "nothing": "" if hits else "No memory matches. Try other words, or include_archived.",
        }  # fmt: skip
        return told | {name: value for name, value in more.items() if value}

    def _neighbour(self, found: Neighbour) -> Answer:
        direction: Literal["to", "from"] = "to" if found.outgoing else "from"
        link = {"link": found.edge.type, "direction": direction, "depth": found.depth}
        return answers.memory(found.memory) | link
