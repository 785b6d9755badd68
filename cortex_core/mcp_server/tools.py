"""What tools take, and how each of it is explained to the agent.

What tools answer with: short objects, since an agent pays for every word of them.

The tools that look things up. A docstring here is what the agent reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cortex_core.agent_access import SEEN, Access
from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import BUILT_IN
from cortex_core.base.text import iso
from cortex_core.fields import FIELDS, first
from cortex_core.reports import ProcedureMatch, Recurrence
from cortex_core.types import Edge, EdgeType, Hit, Memory, Neighbour, Recall, Scope, Where

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
        if one.agent == "listed" and one.get(found) != one.default
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


class ReadingTools:
    """Looking things up in the memory behind `access`."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def recall(
        self,
        query: Query,
        limit: Limit = 8,
        tokens: Tokens = 1500,
        kinds: Kinds = [],  # noqa: B006
        scope: Look = "all",
        tags: Tags = [],  # noqa: B006
        file: File = None,
        since: Since = None,
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

    def about(self, topic: Query, limit: Limit = 20, tokens: Tokens = 3000) -> Answer:
        """Everything known about a topic, archived memories included: wider than recall. Use it to
        brief yourself before larger work on a part of the project.
        """
        return self._told(self.access.within("all").about(topic, limit), tokens)

    def show(self, id: Id) -> Answer:
        """One memory whole: full text, where it was learned, and what it is linked with. Use it
        when a hit was shortened, or for the [id] of a memory that you were given.
        """
        found = self.access.memory(id)
        edges = self.access.cortex.memories.details(found.id).edges
        return whole(found) | {"edges": [edge(each) for each in edges]}

    def recent(self, limit: Limit = 10) -> Answer:
        """The newest memories. Use it to pick up where the last session stopped."""
        return listed(self.access.within("all").memories.recent(limit), limit)

    def decisions(self, limit: Limit = 20) -> Answer:
        """The decisions taken, the newest first. Use it before you propose another design."""
        return listed(self.access.within("all").memories.decisions(limit), limit)

    def timeline(self, id: Id, count: Limit = 5) -> Answer:
        """What was learned just before and after a memory, oldest first. Use it to see how
        something came about.
        """
        found = self.access.memory(id)
        around = self.access.cortex.memories.timeline(found.id, count)
        return listed(self.access.visible(around), 2 * count + 1)

    def neighbours(
        self,
        id: Id,
        depth: Annotated[int, Field(ge=1, le=3)] = 1,
        limit: Limit = 20,
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
        when the user asks what you were given, or after a compaction.
        """
        made = self.access.within("all").surface(prompt=prompt, file=file)
        return {"text": made.text, "tokens": made.tokens}

    def stats(self) -> Answer:
        """How this project's memory is doing: counts by kind and status, what waits for the user,
        when capture last ran and whether it failed. Use it when the user asks about the memory.
        """
        found = self.access.cortex.status()
        last = found.last_capture
        return {
            "project": found.project, "branch": found.branch, "memories": dict(found.counts),
            "kinds": dict(found.kinds), "to_review": found.to_review,
            "waiting_for_capture": found.queue, "failed_captures": found.failures,
            "last_capture": day(last.time) if last else None, "paused": found.paused,
            "trusted": found.trusted, "notes": list(found.degraded),
        }  # fmt: skip

    def _told(self, found: Recall, tokens: int) -> Answer:
        hits, left_out = fitted(found.hits, tokens)
        told: Answer = {"hits": hits}
        more = {
            "left_out": left_out, "note": found.degraded, "read_as": dict(found.corrected),
            "nothing": "" if hits else "No memory matches. Try other words, or include_archived.",
        }  # fmt: skip
        return told | {name: value for name, value in more.items() if value}

    def _neighbour(self, found: Neighbour) -> Answer:
        direction: Literal["to", "from"] = "to" if found.outgoing else "from"
        link = {"link": found.edge.type, "direction": direction, "depth": found.depth}
        return memory(found.memory) | link


class WritingTools:
    """Changing the memory behind `access`."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def remember(
        self,
        content: Content,
        kind: Kind = "fact",
        title: Title = None,
        priority: Priority = 5,
        tags: Tags = [],  # noqa: B006
        files: Files = [],  # noqa: B006
        scope: Place = None,
    ) -> Answer:
        """Store one memory for later sessions. Use it when the user asks you to remember
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
        as for remember; what cannot be stored is reported with the reason, the rest is stored.
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
        id: Id,
        content: Annotated[str | None, Field(description="The complete new text.")] = None,
        title: Annotated[str | None, Field(description="The new line.")] = None,
        kind: Annotated[str | None, Field(description=f"One of: {KINDS}.")] = None,
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
        return whole(done)

    def pin(self, id: Id, pinned: bool = True) -> Answer:
        """Pin a memory, so that it is given in every session and never fades; or take the pin off.
        Only when the user asks for it.
        """
        found, cortex = self.access.memory(id), self.access.cortex
        act = cortex.pin if pinned else cortex.unpin
        return self._done(act(found.id, actor="agent"))

    def link(
        self,
        source: Id,
        target: Id,
        type: Type = "relates_to",
        strength: Annotated[float, Field(ge=0, le=1)] = 1.0,
        context: Annotated[str, Field(description="Why, in one line.")] = "",
    ) -> Answer:
        """Link two memories: what solves, causes, refines or contradicts what. Whether one replaces
        another is the user's to say: supersedes becomes contradicts.
        """
        first, second = self.access.memory(source), self.access.memory(target)
        made = self.access.cortex.graph.link(
            first.id, second.id, "contradicts" if type == "supersedes" else type,
            strength=strength, context=context, actor="agent",
        )  # fmt: skip
        return edge(made)

    def unlink(
        self,
        source: Id,
        target: Id,
        type: Annotated[EdgeType | None, Field(description="Only this type.")] = None,
    ) -> Answer:
        """Take the links between two memories away."""
        first, second = self.access.memory(source), self.access.memory(target)
        return {
            "removed": self.access.cortex.graph.unlink(first.id, second.id, type, actor="agent")
        }

    def forget(self, id: Id) -> Answer:
        """Archive a memory that is wrong or no longer wanted: it is not given or found any more,
        and restore brings it back. Use it when the user says so, or when you have seen that it
        does not hold; if it only needs correcting, use update.
        """
        return self._done(self.access.cortex.forget(self.access.memory(id).id, actor="agent"))

    def restore(self, id: Id) -> Answer:
        """Bring an archived or superseded memory back."""
        return self._done(self.access.cortex.restore(self.access.memory(id).id, actor="agent"))

    def consolidate(
        self,
        threshold: Annotated[
            float, Field(ge=0, le=1, description="Minimum similarity of two memories.")
        ] = 0.5,
    ) -> Answer:
        """Look for memories that may say the same, and propose merging them. It proposes only: the
        person decides, in the app or with `cortex review`. Use it when the user asks for it.
        """
        report = self.access.within("all").consolidate(threshold, actor="agent")
        return {
            "compared_pairs": report.compared,
            "proposed": [
                {"number": made.number, "type": made.type, "similarity": round(made.similarity, 2),
                 "members": [short(id) for id in made.members],
                 "reasons": list(made.reasons), "conflicts": list(made.conflicts)}
                for made in report.proposed
            ],
            "merged": [short(memory.id) for memory in report.merged],
            "next": "The user decides: cortex review",
        }  # fmt: skip

    def _stored(self, lesson: Lesson) -> Answer:
        cortex = self.access.within(lesson.scope or "all")
        done = cortex.remember(
            lesson.content, title=lesson.title, kind=lesson.kind, priority=lesson.priority,
            tags=lesson.tags, files=lesson.files, scope=lesson.scope, actor="agent",
        )  # fmt: skip
        return memory(done)

    def _done(self, memories: list[Memory]) -> Answer:
        return memory(memories[0], brief=True) | {"status": memories[0].status}


Lines = Annotated[list[str], Field(description="One line each.")]


class PracticeReading(ReadingTools):
    """Everything that is looked up."""

    def episode_list(
        self,
        since: Since = None,
        tags: Tags = [],  # noqa: B006
        limit: Limit = 20,
    ) -> Answer:
        """The daily log: what was done, when, and what came of it, the newest first. Use it when
        the user asks what happened, or to pick up work of earlier days.
        """
        found = self.access.within("all").episodes.list(since=since, tags=tags, limit=limit)
        return {"episodes": [episode(each) for each in found]}

    def procedure_match(
        self,
        task: Annotated[str, Field(description="What is to be done, in your own words.")],
        limit: Annotated[int, Field(ge=1, le=10)] = 3,
    ) -> Answer:
        """How a task is done here, step by step, if somebody has done it before; the most promising
        first. Use it before you deploy, release, migrate, restore or set something up. Afterwards
        tell how it ended with procedure_outcome.
        """
        found = self.access.within("all").procedures.match(task, limit=limit)
        told = [_procedure(each) for each in found]
        return {"procedures": told} | ({} if told else {"next": "No procedure fits. Proceed as "
                                                                "usual, and store what worked "
                                                                "with procedure_add."})  # fmt: skip


class PracticeWriting(WritingTools):
    """Everything that changes memory."""

    def episode_add(
        self,
        content: Annotated[str, Field(description="What was done, in a sentence or a few.")],
        title: Title = None,
        outcome: Annotated[
            str, Field(description="What came of it, in one line: shipped, reverted: too slow.")
        ] = "",
        tags: Tags = [],  # noqa: B006
        memories: Annotated[
            list[str], Field(description="Ids of the memories that it is about.")
        ] = [],  # noqa: B006
        scope: Place = None,
    ) -> Answer:
        """Add an entry to the daily log, when a piece of work ended: what was done and what came of
        it. What was learned from it belongs into remember. Entries are never changed; the same
        words again are another entry.
        """
        about = [self.access.memory(id).id for id in memories]
        done = self.access.within(scope or "all").episodes.add(
            content, title=title, outcome=outcome, tags=tags, memories=about, scope=scope,
            actor="agent",
        )  # fmt: skip
        return episode(done)

    def procedure_add(
        self,
        task: Annotated[str, Field(description="What it is for, in one line.")],
        steps: Annotated[list[str], Field(min_length=1, max_length=50, description="In order.")],
        description: Annotated[str, Field(description="More about it; may be empty.")] = "",
        preconditions: Lines = [],  # noqa: B006
        postconditions: Lines = [],  # noqa: B006
        tags: Tags = [],  # noqa: B006
        files: Files = [],  # noqa: B006
        scope: Place = None,
    ) -> Answer:
        """Store how a task is done, when you had to find out steps that will be needed again:
        a deployment, a release, a migration, a set-up. Look with procedure_match first; to change
        one that is there, use update.
        """
        done = self.access.within(scope or "all").procedures.add(
            task, steps, description=description, preconditions=preconditions,
            postconditions=postconditions, tags=tags, files=files, scope=scope, actor="agent",
        )  # fmt: skip
        return memory(done)

    def procedure_outcome(
        self,
        id: Id,
        result: Literal["success", "failure"],
        note: Annotated[str, Field(description="What happened; added to the log.")] = "",
    ) -> Answer:
        """Say how following a procedure ended. Use it each time you have followed one that
        procedure_match or a prompt gave you: what works is given first from then on.
        """
        found = self.access.memory(id)
        done = self.access.cortex.procedures.outcome(
            found.id, result == "success", note=note, actor="agent"
        )
        counts = {name: done.details.get(name, 0) for name in ("successes", "failures")}
        return memory(done, brief=True) | counts

    def reflect(self) -> Answer:
        """The memory from a distance: themes, what several projects have learned, what is used
        most, the newest insights, merges. What recurs is suggested for all projects; the user
        decides. Use it when the user asks what has been learned, or for a review.
        """
        seen = self.access.within("all").reflection.reflect(actor="agent")
        return {
            "themes": [
                {"tags": list(theme.tags), "memories": theme.count,
                 "examples": list(theme.examples)}
                for theme in seen.themes
            ],
            "recurs": [_recurrence(each) for each in seen.recurrences],
            "shared_tags": {tag: dict(counts) for tag, counts in seen.shared_tags.items()},
            "most_used": [
                memory(each, brief=True) | {"used": each.access_count}
                for each in seen.most_used if each.status in SEEN
            ],
            "insights": [memory(each) for each in seen.insights],
            "merges": seen.merges, "superseded": seen.superseded, "to_review": seen.to_review,
            "next": "The user decides: cortex suggestions, cortex review",
        }  # fmt: skip


def _procedure(match: ProcedureMatch) -> Answer:
    told = memory(match.memory) | {
        "fit": round(match.fit, 2), "reliability": round(match.reliability, 2),
        "successes": match.successes, "failures": match.failures,
    }  # fmt: skip
    steps = match.memory.details.get("steps")
    return told | ({"steps": list(steps)} if isinstance(steps, list) else {})


def _recurrence(found: Recurrence) -> Answer:
    told = memory(found.memory, brief=True) | {"projects": list(found.projects)}
    return told | {"suggested": bool(found.suggestion)}
