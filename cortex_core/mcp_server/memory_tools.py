"""The tools of the MCP server: their parameters, their answers, and what they do.

The agent reads the docstrings of the tools and the descriptions of their parameters. Answers are
short objects, because every word of them costs the agent tokens.
"""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import BaseModel, ConfigDict, Field

from cortex_core import agents
from cortex_core.admission import amending, checks
from cortex_core.agent_access import HIGHEST_PRIORITY, VISIBLE, Access
from cortex_core.base import text
from cortex_core.base.authorship import mark, written_by
from cortex_core.base.errors import NotFound, TranscriptError, UsageError
from cortex_core.base.kinds import BUILT_IN
from cortex_core.base.text import SHORT_ID, short
from cortex_core.capture.sessions import heard_id
from cortex_core.hook_events import asking
from cortex_core.records.events import Amendment, Verdict
from cortex_core.records.fields import FIELDS, first
from cortex_core.records.hits import Hit, Recall
from cortex_core.records.memory import (
    KEPT,
    Edge,
    EdgeType,
    FilterOptions,
    Memory,
    OwnScope,
    Source,
    Where,
)

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
StoreFilter = Annotated[
    Where, Field(description="Which memories: of this project, of its team, global, or all.")
]
TargetScope = Annotated[
    OwnScope | None,
    Field(description="project (default), or global for what applies to every project."),
]
Priority = Annotated[
    int,
    Field(
        ge=0,
        le=HIGHEST_PRIORITY,
        description="1 to 9; 0: by kind, 5 for a fact, 8 for a policy. 10 is the user's.",
    ),
]
Calls = Annotated[
    list[str],
    Field(
        max_length=12,
        description="Of a rule: the tool calls that its words mean, at which it comes up again"
        ": !Bash(docker volume rm), !Push(main), !Commit(.env), !Edit(dist/**), Read(docs/**) or "
        "Text(words); ! where such a call always breaks it.",
    ),
]
Title = Annotated[str, Field(description="One line; empty: made from the content.")]
Content = Annotated[
    str,
    Field(description="One self-contained statement, with its reason; no secrets, no transcript."),
]
Lines = Annotated[list[str], Field(description="One line each.")]
Type = Annotated[EdgeType, Field(description="What the first memory is to the second.")]


class Lesson(BaseModel):
    """One of several memories to store."""

    model_config = ConfigDict(extra="forbid")

    content: Content
    kind: Kind = "fact"
    title: Title = ""
    priority: Priority = 0
    tags: Tags = Field(default_factory=list)
    files: Files = Field(default_factory=list)
    triggers: Calls = Field(default_factory=list)
    scope: TargetScope = None


Answer = dict[str, Any]

MOST_SUGGESTIONS = 5
"""Suggestions that one answer shows: what an agent reads through besides its work."""


def memory(item: Memory, *, brief: bool = False) -> Answer:
    """A memory as an agent needs it, `brief` with its title only. Default values are left out."""
    answer: Answer = {"id": short(item.id), "kind": item.kind}
    # A title that is only the beginning of its content is not said twice.
    start = item.title.rstrip(".… ").casefold()
    if brief or not text.one_line(item.content).casefold().startswith(start):
        answer["title"] = item.title
    if not brief:
        answer["content"] = item.content
    answer |= {"scope": item.scope, "date": day(item.created)}
    if origin := mark(written_by(item.source.rule, claimed=item.claimed)):
        answer["from"] = origin
    unusual = {
        one.agent_name or one.name: one.plain(item)
        for one in FIELDS
        if one.agent == "listed" and one.get(item) != one.default
    }
    return answer | first(unusual, ("status", "pinned", "tags", "files"))


def episode(found: Memory) -> Answer:
    """An entry of the log, with its time and its outcome."""
    outcome = found.details.get("outcome")
    return {
        **memory(found),
        "time": text.iso(found.created)[:16],
        **({"outcome": outcome} if outcome else {}),
    }


def whole(found: Memory) -> Answer:
    """A memory with everything that is known about it."""
    more = {
        "id": found.id,
        "title": found.title,
        "confidence": round(found.confidence, 2),
        "updated": day(found.updated),
        **{one.agent_name or one.name: one.plain(found) for one in FIELDS if one.agent == "whole"},
        "sources": len(found.sources),
    }
    return memory(found) | {name: value for name, value in more.items() if value}


def hit(found: Hit, *, brief: bool = False) -> Answer:
    """A hit of a recall, with its score and the code it describes."""
    answer = memory(found.memory, brief=brief) | {"score": round(max(found.score, 0.0), 3)}
    if found.revived:
        answer["revived"] = True
    if found.code is not None and not brief:
        answer["code"] = found.code.content
        answer["code_files"] = list(found.code.context.files or found.code.globs)
    return answer


def edge(found: Edge) -> Answer:
    """An edge between two memories."""
    return {
        "source": short(found.source),
        "target": short(found.target),
        "type": found.type,
        "strength": round(found.strength, 2),
        **({"context": found.context} if found.context else {}),
    }


def fitted(hits: Sequence[Hit], budget: int) -> tuple[list[Answer], int]:
    """As many of `hits`, in order, as fit into `budget` tokens, and how many did not.

    A hit that is too long for the rest of the budget is shortened to its title; `show` has all.
    """
    answers: list[Answer] = []
    for number, found in enumerate(hits):
        answer = hit(found)
        if cost(answer) > budget:
            answer = hit(found, brief=True) | {"shortened": True}
            # The first has its title, whatever it costs.
            if answers and cost(answer) > budget:
                return answers, len(hits) - number
        budget -= cost(answer)
        answers.append(answer)
    return answers, 0


def cost(answer: Answer) -> int:
    """About how many tokens an answer takes."""
    return text.tokens(json.dumps(answer, ensure_ascii=False))


def listed(memories: Iterable[Memory], limit: int) -> Answer:
    """A list of at most `limit` memories, and how many more there are."""
    found = list(memories)
    return {
        "memories": [memory(each) for each in found[:limit]],
        **({"left_out": len(found) - limit} if len(found) > limit else {}),
    }


def day(time: float) -> str:
    """The date of `time`, UTC."""
    return text.iso(time)[:10]


class ReadingTools:
    """Tools that search and show the memories behind `access`."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def recall(
        self,
        query: Query,
        limit: Limit = 8,
        tokens: Tokens = 1500,
        kinds: Kinds = [],  # noqa: B006
        scope: StoreFilter = "all",
        tags: Tags = [],  # noqa: B006
        file: File = None,
        since: Since = None,
        include_archived: Annotated[bool, Field(description="Archived ones too.")] = False,
    ) -> Answer:
        """Search what earlier sessions learned: decisions and their reasons, preferences, fixes,
        gotchas, how things are done here. Use it before you decide, design, debug or ask the
        user something they may have answered before, and whenever they refer to earlier work.
        Best first; each hit has an id that the other tools take.
        """
        wanted: FilterOptions = {"kinds": kinds, "tags": tags, "file": file, "since": since}
        if include_archived:
            wanted["statuses"] = VISIBLE
        found = self.access.within(scope).recall(
            query, limit=limit, scope=scope, actor="agent", **wanted
        )
        return self._hits(found, tokens, query)

    def about(
        self,
        topic: Query,
        limit: Limit = 20,
        tokens: Tokens = 3000,
        kinds: Kinds = [],  # noqa: B006
    ) -> Answer:
        """Everything known about a topic, including archived memories: wider than recall. Use it to
        brief yourself before larger work on a part of the project.
        """
        found = self.access.within("all").recall(topic, limit=limit, kinds=kinds, statuses=KEPT)
        return self._hits(found, tokens, topic)

    def show(self, id: Id) -> Answer:
        """One memory in full: text, where it was learned, and its links. Use it when a hit was
        shortened, or for the [id] of a memory that was injected.
        """
        found = self.access.memory(id)
        return whole(found) | {
            "edges": [edge(each) for each in self.access.cortex.memories.details(found.id).edges]
        }

    def recent(
        self,
        limit: Limit = 10,
        kinds: Kinds = [],  # noqa: B006
        tags: Tags = [],  # noqa: B006
    ) -> Answer:
        """The newest memories. Use it to pick up where the last session stopped."""
        found = self.access.within("all").memories.list(
            sort="created", limit=limit, kinds=kinds, tags=tags
        )
        return listed(found, limit)

    def decisions(
        self,
        limit: Limit = 20,
        tags: Tags = [],  # noqa: B006
    ) -> Answer:
        """The decisions, newest first. Use it before you propose another design."""
        return listed(self.access.within("all").memories.decisions(limit, tags=tags), limit)

    def timeline(self, id: Id, count: Limit = 5) -> Answer:
        """What was learned just before and after a memory, oldest first. Use it to see how
        something came about.
        """
        around = self.access.cortex.memories.timeline(self.access.memory(id).id, count)
        return listed(self.access.visible(around), 2 * count + 1)

    def neighbours(
        self,
        id: Id,
        depth: Annotated[int, Field(ge=1, le=3, description="Links to follow.")] = 1,
        limit: Limit = 20,
    ) -> Answer:
        """The memories linked with one, and how. Use it to follow causes, refinements and
        contradictions.
        """
        around = self.access.cortex.graph.neighbours(self.access.memory(id).id, depth)
        listed = [
            memory(each.memory)
            | {
                "link": each.edge.type,
                "direction": "to" if each.outgoing else "from",
                "depth": each.depth,
            }
            for each in around
            if each.memory.status in VISIBLE
        ]
        return {
            "neighbours": listed[:limit],
            **({"left_out": len(listed) - limit} if len(listed) > limit else {}),
        }

    def surface(
        self,
        prompt: Annotated[str | None, Field(description="Show what this prompt would get.")] = None,
        file: Annotated[
            str | None, Field(description="Show what opening this file would inject.")
        ] = None,
    ) -> Answer:
        """What is injected at session start, or with a prompt or a file. Use it when the user asks
        what was injected, or after a compaction.
        """
        injected = self.access.within("all").surface(prompt=prompt, file=file)
        return {"text": injected.text, "tokens": injected.tokens}

    def stats(self) -> Answer:
        """The state of this project's memory: counts by kind and status, what waits for the user,
        when capture last ran and whether it failed. Use it when the user asks about the memory.
        """
        state = self.access.cortex.status()
        last = state.last_capture
        return {
            "project": state.project,
            "branch": state.branch,
            "memories": dict(state.counts),
            "kinds": dict(state.kinds),
            "to_review": state.to_review,
            "waiting_for_capture": state.queue,
            "failed_captures": state.failures,
            "last_capture": day(last.time) if last else None,
            "paused": state.paused,
            "trusted": state.trusted,
            "notes": list(state.degraded),
        }

    def episode_list(
        self,
        since: Since = None,
        tags: Tags = [],  # noqa: B006
        limit: Limit = 20,
    ) -> Answer:
        """The history: commits, pull requests, where sessions stopped and what was logged, newest
        first. Use it when the user asks what happened, or to continue the work of earlier days.
        """
        found = self.access.within("all").episodes.list(since=since, tags=tags, limit=limit)
        return {"episodes": [episode(each) for each in found]}

    def procedure_match(
        self,
        task: Annotated[str, Field(description="What is to be done, in your own words.")],
        limit: Annotated[int, Field(ge=1, le=10, description="Most procedures.")] = 3,
    ) -> Answer:
        """How a task is done here, step by step, if it was done before; the most promising first.
        Use it before you deploy, release, migrate, restore or set something up. Afterwards report
        the result with procedure_outcome.
        """
        matches = []
        for each in self.access.within("all").procedures.match(task, limit=limit):
            steps = each.memory.details.get("steps")
            numbers = {
                "fit": round(each.fit, 2),
                "reliability": round(each.reliability, 2),
                "successes": each.successes,
                "failures": each.failures,
            }
            listed = {"steps": list(steps)} if isinstance(steps, list) else {}
            matches.append(memory(each.memory) | numbers | listed)
        if matches:
            return {"procedures": matches}
        advice = "No procedure fits. Proceed as usual, and store what worked with procedure_add."
        return {"procedures": [], "next": advice}

    def _hits(self, found: Recall, tokens: int, query: str) -> Answer:
        hits, left_out = fitted(found.hits, tokens)
        more = {
            "left_out": left_out,
            "note": found.degraded,
            "read_as": dict(found.corrected),
            "nothing": "" if hits else "No memory matches. Try other words, or include_archived.",
            "conversations": self._mentions(query, found),
        }
        return {"hits": hits, **{name: value for name, value in more.items() if value}}

    def _mentions(self, query: str, found: Recall) -> str:
        """Whether conversations have what no memory answers; empty if not, or not to be read."""
        cortex = self.access.cortex
        if not cortex.trust.granted:
            return ""
        answers = [f"{hit.memory.title} {hit.memory.content}" for hit in found]
        count = cortex.sessions.archive.mentioning(query, answers)
        mentions = text.counted(count, "conversation mentions it", "conversations mention it")
        return f"{mentions}: search_conversations" if count else ""


class WritingTools:
    """Tools that change the memories behind `access`."""

    def __init__(self, access: Access) -> None:
        self.access = access

    def remember(
        self,
        content: Content,
        kind: Kind = "fact",
        title: Title = "",
        priority: Priority = 0,
        tags: Tags = [],  # noqa: B006
        files: Files = [],  # noqa: B006
        triggers: Calls = [],  # noqa: B006
        scope: TargetScope = None,
    ) -> Answer:
        """Store one memory for later sessions. Use it when the user asks you to remember
        something, states a lasting preference or rule, or takes a decision with its reason. Not
        for what the code or git already says, nor for what matters only today. Storing the same
        again reinforces it. Secrets are removed.
        """
        # A parameter each, since the tool's schema is made of them.
        lesson = Lesson(
            content=content,
            kind=kind,
            title=title,
            priority=priority,
            tags=tags,
            files=files,
            triggers=triggers,
            scope=scope,
        )
        done, notes = self._stored(lesson, None, secrets.token_hex(8))
        return memory(done) | notes

    def learn(
        self,
        memories: Annotated[list[Lesson], Field(max_length=50, description="What to store.")] = [],  # noqa: B006
        verdicts: Annotated[
            list[Verdict],
            Field(
                max_length=50,
                description="On suggestions of an earlier answer: keep, drop, or reword with title "
                "and content. On memories that you were given: outdated or wrong, with what holds "
                "now in content, or reword. Each names the id as `memory` and the `verb`.",
            ),
        ] = [],  # noqa: B006
        context: Context | None = None,
    ) -> Answer:
        """Store the lessons of a piece of work when it ends: what whoever works here next needs.
        The same rules as for remember. Answers with what was stored, what was refused and why, and
        with what the user said in this session that waits as a suggestion, for your verdicts.
        """
        by, action = self._session(context), secrets.token_hex(8)
        offered = self._heard(by) if verdicts else []
        answer: dict[str, list[Answer]] = {"stored": [], "judged": [], "refused": []}
        for lesson in memories:
            try:
                checks.refuse_longer(
                    "The statement has",
                    len(lesson.content),
                    checks.LONGEST_EXTRACTED,
                    "Say what was learned in a few sentences, and name the file with the rest.",
                )
                done, notes = self._stored(lesson, by, action)
                if done.status == "quarantined":
                    raise UsageError(f"It waits for the user. {done.details['quarantine']}")
                # The agent knows the words, which it pays for again where it reads them.
                answer["stored"].append(memory(done, brief=True) | notes)
            except UsageError as error:
                answer["refused"].append({"content": lesson.content[:80], "reason": str(error)})
        for each in verdicts:
            try:
                answer["judged"].append(self._judged(each, offered, by, action))
            except (UsageError, NotFound) as error:
                answer["refused"].append({"memory": each.memory, "reason": str(error)})
        # Asked again: what was just stored, or judged, waits no longer.
        waiting = self._heard(by)[:MOST_SUGGESTIONS]
        answer["suggestions"] = [memory(one) for one in waiting]
        given: Answer = {name: one for name, one in answer.items() if one or name == "stored"}
        return given | ({"next": "Give verdicts on the suggestions: learn"} if waiting else {})

    def update(
        self,
        id: Id,
        content: Annotated[str | None, Field(description="The complete new text.")] = None,
        title: Annotated[str | None, Field(description="The new line.")] = None,
        kind: Annotated[str | None, Field(description=f"One of: {KINDS}.")] = None,
        priority: Annotated[
            int | None, Field(ge=1, le=HIGHEST_PRIORITY, description="1 to 9.")
        ] = None,
        tags: Annotated[list[str] | None, Field(description="All of its tags.")] = None,
        files: Annotated[list[str] | None, Field(description="All of its globs.")] = None,
        context: Context | None = None,
    ) -> Answer:
        """Correct a memory that is wrong or out of date; only the given fields change. Prefer this
        to a second memory that contradicts the first. Where something else holds by now, such as a
        new decision, call learn with the verdict outdated. What the user wrote or pinned stays:
        new words for it become a proposal, which the user decides on.
        """
        # The parameters are the tool's schema, which is why none of them is handed on unseen.
        found = self.access.memory(id)
        store = self.access.cortex.workspace.store(found.scope)
        if found.status == "active" and amending.is_the_users(store, found):
            if content is None:
                raise UsageError(
                    f"“{found.title}” is the user's own, or pinned. Nothing was changed. Give new "
                    "words in content: the user decides on them"
                )
            reworded = Verdict(
                memory=found.id,
                verb="reword",
                content=content,
                title=title or "",
                kind=kind or "",
                priority=priority or 0,
            )
            return self._judged(reworded, (), self._session(context), "")
        # None leaves a field as it is.
        done = self.access.cortex.edit(
            found.id,
            content=content,
            title=title,
            kind=kind,
            priority=priority,
            tags=tags,
            files=files,
            actor="agent",
        )
        return whole(done)

    def pin(
        self, id: Id, pinned: Annotated[bool, Field(description="False unpins.")] = True
    ) -> Answer:
        """Pin a memory, so that it is injected into every session and never decays; or unpin it.
        Only when the user asks for it.
        """
        found, cortex = self.access.memory(id), self.access.cortex
        return self._done((cortex.pin if pinned else cortex.unpin)(found.id, actor="agent"))

    def link(
        self,
        source: Id,
        target: Id,
        type: Type = "relates_to",
        strength: Annotated[float, Field(ge=0, le=1, description="How sure.")] = 1.0,
        context: Annotated[str, Field(description="Why, in one line.")] = "",
    ) -> Answer:
        """Link two memories: what solves, causes, refines or contradicts what. Only the user can
        say that one replaces another: supersedes becomes contradicts.
        """
        first, second = self.access.memory(source), self.access.memory(target)
        link = self.access.cortex.graph.link(
            first.id, second.id, type, strength=strength, context=context, actor="agent"
        )
        return edge(link)

    def unlink(
        self,
        source: Id,
        target: Id,
        type: Annotated[EdgeType | None, Field(description="Only this type.")] = None,
    ) -> Answer:
        """Remove the links between two memories: all of them, or those of one type."""
        first, second = self.access.memory(source), self.access.memory(target)
        return {
            "removed": self.access.cortex.graph.unlink(first.id, second.id, type, actor="agent")
        }

    def forget(self, id: Id) -> Answer:
        """Archive a memory that is wrong or no longer wanted: it is no longer injected or found,
        until restore makes it active again. Use it when the user says so, or when you have seen
        that it is not true; if it only needs correcting, use update.
        """
        return self._done(self.access.cortex.forget(self.access.memory(id).id, actor="agent"))

    def restore(self, id: Id) -> Answer:
        """Make an archived or superseded memory active again."""
        return self._done(self.access.cortex.restore(self.access.memory(id).id, actor="agent"))

    def consolidate(
        self,
        threshold: Annotated[
            float, Field(ge=0, le=1, description="Minimum similarity of two memories.")
        ] = 0.5,
    ) -> Answer:
        """Search for memories that may say the same, and propose merging them. The user decides on
        the proposals, in the app or with `cortex review`. Use it when the user asks for it.
        """
        report = self.access.within("all").consolidate(threshold, actor="agent")
        return {
            "compared_pairs": report.compared,
            "proposed": [
                {
                    "number": made.number,
                    "type": made.type,
                    "similarity": round(made.similarity, 2),
                    "members": [short(id) for id in made.members],
                    "reasons": list(made.reasons),
                    "conflicts": list(made.conflicts),
                }
                for made in report.proposed
            ],
            # Empty unless the user set consolidation.mode to auto: the agent itself merges nothing.
            "merged": [short(memory.id) for memory in report.merged],
            "next": "The user decides: cortex review",
        }

    def episode_add(
        self,
        content: Annotated[str, Field(description="What was done, in a sentence or a few.")],
        title: Title = "",
        outcome: Annotated[
            str, Field(description="What came of it, in one line: shipped, reverted: too slow.")
        ] = "",
        tags: Tags = [],  # noqa: B006
        memories: Annotated[
            list[str], Field(description="Ids of the memories that it is about.")
        ] = [],  # noqa: B006
        scope: TargetScope = None,
    ) -> Answer:
        """Add an entry to the history when a piece of work has ended: what was done and what came
        of it. Store what was learned from it with remember. Entries are never changed; the same
        words again are another entry.
        """
        # Each id is looked up first: an entry about a memory that the agent may not see is refused
        # whole.
        about = [self.access.memory(id).id for id in memories]
        done = self.access.within(scope or "all").episodes.add(
            content,
            title=title,
            outcome=outcome,
            tags=tags,
            memories=about,
            scope=scope,
            actor="agent",
        )
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
        scope: TargetScope = None,
    ) -> Answer:
        """Store how a task is done, when you had to find out steps that will be needed again:
        a deployment, a release, a migration, a set-up. Search with procedure_match first; to
        change an existing one, use update.
        """
        # An untrusted project keeps the agent from writing into it; the global store stays open.
        done = self.access.within(scope or "all").procedures.add(
            task,
            steps,
            description=description,
            preconditions=preconditions,
            postconditions=postconditions,
            tags=tags,
            files=files,
            scope=scope,
            actor="agent",
        )
        return memory(done)

    def procedure_outcome(
        self,
        id: Id,
        result: Annotated[Literal["success", "failure"], Field(description="How it went.")],
        note: Annotated[str, Field(description="What happened; added to the log.")] = "",
    ) -> Answer:
        """Report whether a procedure worked. Use it each time you have followed one that came from
        procedure_match or with a prompt: the ones that work come first from then on.
        """
        found = self.access.memory(id)
        done = self.access.cortex.procedures.outcome(
            found.id, result == "success", note=note, actor="agent"
        )
        counts = {name: done.details.get(name, 0) for name in ("successes", "failures")}
        return memory(done, brief=True) | counts

    def reflect(self) -> Answer:
        """An overview of the memories: themes, what several projects have learned, the most used,
        the newest insights, merges. What recurs is suggested for all projects; the user decides.
        Use it when the user asks what has been learned, or for a review.
        """
        seen = self.access.within("all").reflection.reflect(actor="agent")
        return {
            "themes": [
                {
                    "tags": list(theme.tags),
                    "memories": theme.count,
                    "examples": list(theme.examples),
                }
                for theme in seen.themes
            ],
            "recurs": [
                memory(each.memory, brief=True)
                | {"projects": list(each.projects), "suggested": bool(each.suggestion)}
                for each in seen.recurrences
            ],
            "shared_tags": {tag: dict(counts) for tag, counts in seen.shared_tags.items()},
            "most_used": [
                memory(each, brief=True) | {"used": each.access_count}
                for each in seen.most_used
                # Use counts past sessions, so the list can hold memories that an agent does not see
                # any more.
                if each.status in VISIBLE
            ],
            "insights": [memory(each) for each in seen.insights],
            "merges": seen.merges,
            "superseded": seen.superseded,
            "to_review": seen.to_review,
            "next": "The user decides: cortex suggestions, cortex review",
        }

    def _session(self, context: Context | None) -> Source:
        """Who writes, and in which session: the hook before the call noted it by the call's id."""
        meta: Mapping[str, Any] = (context and context.request_context.meta) or {}
        cortex = self.access.cortex
        # Of the agents Claude Code alone says which call it is.
        call = agents.of("claude").hooks.tool_call(meta)
        session, transcript = asking.called_from(cortex.project, call)
        return Source(
            rule="agent", session=session, transcript=transcript, time=cortex.workspace.clock()
        )

    def _heard(self, by: Source) -> list[Memory]:
        """What waits of the session for a verdict; nothing where the session is not known."""
        cortex = self.access.cortex
        if not by.session or not cortex.trust.granted:
            return []
        try:
            return cortex.sessions.heard(by.session, by.transcript)
        except TranscriptError:  # `claude -p` writes it later
            return []

    def _judged(
        self, verdict: Verdict, offered: Sequence[Memory], by: Source, action: str
    ) -> Answer:
        """What came of a verdict.

        Raises:
            UsageError, NotFound: nothing, and why.
        """
        name = verdict.memory
        # Capture may have stored it since it was offered, under an id of its own.
        named = (
            one
            for one in offered
            if len(name) >= SHORT_ID and any(id.startswith(name) for id in (one.id, heard_id(one)))
        )
        target = next(named, None) or self.access.memory(name)
        outcome = self.access.within(target.scope).suggestions.judge(
            target, Amendment(**asdict(verdict)), by=by, actor="agent", action=action
        )
        if outcome == amending.PROPOSED:
            return {"id": short(target.id), "proposed": "The user decides: cortex review"}
        if outcome:
            raise UsageError(f"{outcome[0].upper()}{outcome[1:]}. Nothing was changed.")
        return {"id": short(target.id), "done": verdict.verb}

    def _stored(self, lesson: Lesson, by: Source | None, action: str) -> tuple[Memory, Answer]:
        """Store a lesson; the memory, what is near it, and what became of the calls that were named
        for it."""
        cortex = self.access.within(lesson.scope or "all")
        near = [memory(one, brief=True) for one in cortex.graph.near(lesson.content, lesson.scope)]
        notes: Answer = (
            {"near": near, "replaces": "If it replaces one of these: learn, outdated, its id"}
            if near
            else {}
        )
        done = cortex.remember(
            lesson.content,
            title=lesson.title,
            kind=lesson.kind,
            priority=lesson.priority or None,
            tags=lesson.tags,
            files=lesson.files,
            scope=lesson.scope,
            source=by,
            actor="agent",
            action=action,
        )
        if not lesson.triggers or done.status == "quarantined":
            # Its words name no call: the agent, who knows what they mean, can.
            is_silent = done.kind in ("policy", "preference") and not done.triggers
            return done, notes | (
                {"next": "No tool call recalls it: where some break it, store it with triggers"}
                if is_silent
                else {}
            )
        try:
            checks.refuse_orders(lesson.triggers)
            service = self.access.within(done.scope).memories.triggers
            return done, notes | {
                "triggers": service.propose(done, lesson.triggers, action).triggers
            }
        except UsageError as error:
            return done, notes | {"triggers": done.triggers, "refused": str(error)}

    def _done(self, memories: list[Memory]) -> Answer:
        return memory(memories[0], brief=True) | {"status": memories[0].status}
