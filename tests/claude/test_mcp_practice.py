"""The tools for the log, for procedures and for reflection, as an agent meets them."""

from __future__ import annotations

from pathlib import Path

from cortex_core import Cortex
from cortex_core.mcp_server.stdio import READING, WRITING

from .test_mcp_server import asked, refused, serving


def test_there_are_as_many_tools_as_promised() -> None:
    assert len(READING) + len(WRITING) == 24 == len({*READING, *WRITING})


async def test_the_log(project: Path) -> None:
    memory = Cortex.open(project)
    about = memory.remember("We keep sessions in Redis", kind="decision")
    async with serving(project) as session:
        made = await asked(
            session,
            "episode_add",
            content="Moved sessions to Redis",
            outcome="shipped",
            tags=["ops"],
            memories=[about.id[:8]],
        )
        assert (made["kind"], made["outcome"]) == ("episode", "shipped")
        await asked(session, "episode_add", content="Moved sessions to Redis")
        listed = await asked(session, "episode_list", tags=["ops"])
        assert [one["id"] for one in listed["episodes"]] == [made["id"]]
        assert len((await asked(session, "episode_list"))["episodes"]) == 2
        told = await refused(session, "episode_add", content="x y", memories=["ffffffff"])
        assert "There is no memory" in told
    assert [near.memory.id for near in memory.graph.neighbours(made["id"])] == [about.id]
    assert memory.log(1)[0].actor == "agent"


async def test_a_procedure_from_finding_out_to_outcome(project: Path) -> None:
    memory = Cortex.open(project)
    async with serving(project) as session:
        nothing = await asked(session, "procedure_match", task="change the DB credentials")
        assert nothing["procedures"] == [] and "procedure_add" in nothing["next"]
        made = await asked(
            session,
            "procedure_add",
            task="Rotate the database password",
            steps=["Make a new one in the vault", "Restart the API"],
            preconditions=["Access to the vault"],
        )
        (found,) = (await asked(session, "procedure_match", task="change the DB credentials"))[
            "procedures"
        ]
        assert found["id"] == made["id"] and found["steps"][1] == "Restart the API"
        assert found["reliability"] == 0.5
        done = await asked(
            session,
            "procedure_outcome",
            id=made["id"],
            result="failure",
            note="The vault was sealed",
        )
        assert (done["successes"], done["failures"]) == (0, 1)
        fact = memory.remember("A fact and no way of doing things")
        assert "is not a procedure" in await refused(
            session, "procedure_outcome", id=fact.id, result="success"
        )
        assert "too_short" in await refused(
            session, "procedure_add", task="Nothing", steps=[]
        ) or "at least 1" in await refused(session, "procedure_add", task="Nothing", steps=[])
    assert memory.episodes.list()[0].content == "The vault was sealed"


async def test_reflection_leaves_the_verdict_to_the_person(project: Path) -> None:
    memory = Cortex.open(project)
    for words in ("Tests run with vitest", "Formatting is done by biome"):
        memory.remember(words, tags=["tools", "js"])
    memory.remember("Small batches merge faster", kind="insight")
    async with serving(project) as session:
        seen = await asked(session, "reflect")
        assert seen["themes"][0]["tags"] == ["js", "tools"]
        assert seen["insights"][0]["content"] == "Small batches merge faster"
        assert "user decides" in seen["next"]
        memory.trust.revoke()
        for tool, arguments in (
            ("reflect", {}),
            ("episode_list", {}),
            ("procedure_match", {"task": "anything here"}),
            ("episode_add", {"content": "Words of mine"}),
        ):
            assert "cortex trust" in await refused(session, tool, **arguments), tool
