"""The tools of practice: the log of episodes, procedures and what came of them, reflection. A
docstring here is what the agent reads.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cortex_core.agent_access import SEEN
from cortex_core.mcp_server import answers, fields
from cortex_core.mcp_server.answers import Answer
from cortex_core.mcp_server.reading import ReadingTools
from cortex_core.mcp_server.writing import WritingTools
from cortex_core.reports.practice import ProcedureMatch, Recurrence

Lines = Annotated[list[str], Field(description="One line each.")]


class PracticeReading(ReadingTools):
    """Everything that is looked up."""

    def episode_list(
        self,
        since: fields.Since = None,
        tags: fields.Tags = [],  # noqa: B006
        limit: fields.Limit = 20,
    ) -> Answer:
        """The daily log: what was done, when, and what came of it, the newest first. Use it when
        the person asks what happened, or to pick up work of earlier days.
        """
        found = self.access.within("all").episodes.list(since=since, tags=tags, limit=limit)
        return {"episodes": [answers.episode(each) for each in found]}

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
        title: fields.Title = None,
        outcome: Annotated[
            str, Field(description="What came of it, in one line: shipped, reverted: too slow.")
        ] = "",
        tags: fields.Tags = [],  # noqa: B006
        memories: Annotated[
            list[str], Field(description="Ids of the memories that it is about.")
        ] = [],  # noqa: B006
        scope: fields.Place = None,
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
        return answers.episode(done)

    def procedure_add(
        self,
        task: Annotated[str, Field(description="What it is for, in one line.")],
        steps: Annotated[list[str], Field(min_length=1, max_length=50, description="In order.")],
        description: Annotated[str, Field(description="More about it; may be empty.")] = "",
        preconditions: Lines = [],  # noqa: B006
        postconditions: Lines = [],  # noqa: B006
        tags: fields.Tags = [],  # noqa: B006
        files: fields.Files = [],  # noqa: B006
        scope: fields.Place = None,
    ) -> Answer:
        """Store how a task is done, when you had to find out steps that will be needed again:
        a deployment, a release, a migration, a set-up. Look with procedure_match first; to change
        one that is there, use update.
        """
        done = self.access.within(scope or "all").procedures.add(
            task, steps, description=description, preconditions=preconditions,
            postconditions=postconditions, tags=tags, files=files, scope=scope, actor="agent",
        )  # fmt: skip
        return answers.memory(done)

    def procedure_outcome(
        self,
        id: fields.Id,
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
        return answers.memory(done, brief=True) | counts

    def reflect(self) -> Answer:
        """The memory from a distance: themes, what several projects have learned, what is used
        most, the newest insights, merges. What recurs is suggested for all projects; the person
        decides. Use it when the person asks what has been learned, or for a review.
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
                answers.memory(each, brief=True) | {"used": each.access_count}
                for each in seen.most_used if each.status in SEEN
            ],
            "insights": [answers.memory(each) for each in seen.insights],
            "merges": seen.merges, "superseded": seen.superseded, "to_review": seen.to_review,
            "next": "The user decides: cortex suggestions, cortex review",
        }  # fmt: skip


def _procedure(match: ProcedureMatch) -> Answer:
    told = answers.memory(match.memory) | {
        "fit": round(match.fit, 2), "reliability": round(match.reliability, 2),
        "successes": match.successes, "failures": match.failures,
    }  # fmt: skip
    steps = match.memory.details.get("steps")
    return told | ({"steps": list(steps)} if isinstance(steps, list) else {})


def _recurrence(found: Recurrence) -> Answer:
    told = answers.memory(found.memory, brief=True) | {"projects": list(found.projects)}
    return told | {"suggested": bool(found.suggestion)}
