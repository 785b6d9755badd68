"""Episodes and procedures: a log that is only added to, and ranked ways of doing things."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cortex_core import Cortex
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.practice import procedures
from cortex_core.records import procedure_plan

DEPLOY = ("Deploy the service to production", ["Run the tests", "Build the image", "Restart pods"])
ROTATE = ("Rotate the database password", ["Make a new one in the vault", "Restart the API"])
RELEASE = ("Cut a release", ["Bump the version", "Write the changelog", "Tag it"])
FLAKY = ("Debug a flaky test", ["Run it fifty times", "Look for shared state"])


@pytest.fixture
def cortex(tmp_path: Path, clock: Callable[[], float]) -> Cortex:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return Cortex.open(root, tmp_path / "home", clock=clock)


def test_the_log_is_only_added_to(cortex: Cortex, clock: Any) -> None:
    choice = cortex.remember("We keep sessions in Redis", kind="decision")
    first = cortex.episodes.add(
        "Moved sessions to Redis", outcome="shipped", tags=["Redis"], memories=[choice.id[:8]]
    )
    clock.advance(days=1)
    second = cortex.episodes.add("Moved sessions to Redis")
    assert first.id != second.id and first.kind == "episode"
    assert (first.details, first.tags) == ({"outcome": "shipped"}, ("redis",))
    assert [one.id for one in cortex.episodes.list()] == [second.id, first.id]
    assert [one.id for one in cortex.episodes.list(tags=["redis"])] == [first.id]
    assert [one.id for one in cortex.episodes.list(since="12h")] == [second.id]
    assert [near.memory.id for near in cortex.graph.neighbours(first.id)] == [choice.id]
    assert cortex.consolidate(0.1).proposed == ()
    cortex.undo()
    assert [one.id for one in cortex.episodes.list()] == [first.id]


def test_what_the_log_says_is_no_duplicate_of_a_memory(cortex: Cortex) -> None:
    entry = cortex.episodes.add("Staging runs Postgres 16 now")
    made = cortex.remember("Staging runs Postgres 16 now")
    assert made.id != entry.id and made.kind == "fact"
    assert cortex.review.proposals() == []


def test_the_log_keeps_no_secret_and_knows_its_memories(cortex: Cortex) -> None:
    key = "ghp_" + "a8Kq2LmN4pRs6TuV8wXy0ZbC1dEf3GhJ5kLm"
    made = cortex.episodes.add(f"Rotated {key}", outcome=f"gone: {key}")
    assert key not in f"{made.content}{made.title}{made.details}"
    with pytest.raises(NotFound):
        cortex.episodes.add("About nothing", memories=["ffffffff"])
    shared = cortex.remember("Answer briefly", scope="global")
    own = cortex.remember("Ports begin at 7000")
    with pytest.raises(UsageError, match="different stores"):
        cortex.episodes.add("About both", memories=[shared.id, own.id])
    assert cortex.episodes.add("About one", memories=[shared.id]).scope == "global"
    with pytest.raises(UsageError, match="nothing to remember"):
        cortex.episodes.add("   ")


def test_a_procedure_reads_as_its_steps(cortex: Cortex) -> None:
    made = cortex.procedures.add(
        "Restore a backup",
        ["Stop the workers", " pg_restore the dump\n"],
        description="From the nightly dump.",
        preconditions=["A dump is there"],
        postconditions=["Workers run"],
        tags=["db"],
    )
    assert made.content == (
        "From the nightly dump.\nNeeds: A dump is there\nLeads to: Workers run\n"
        "1. Stop the workers\n2. pg_restore the dump"
    )
    assert made.details == {
        "steps": ["Stop the workers", "pg_restore the dump"],
        "preconditions": ["A dump is there"],
        "postconditions": ["Workers run"],
    }
    again = cortex.procedures.add(
        "Restore a backup",
        ["Stop the workers", "pg_restore the dump"],
        description="From the nightly dump.",
        preconditions=["A dump is there"],
        postconditions=["Workers run"],
    )
    assert again.id == made.id
    edited = cortex.edit(made.id, content="Nightly.\n1. Stop\n2. Restore\n3. Start")
    assert edited.details["steps"] == ["Stop", "Restore", "Start"]
    assert cortex.edit(made.id, content="In words alone").details["steps"] == [
        "Stop",
        "Restore",
        "Start",
    ]
    for task, steps in (("", ["x"]), ("A task", []), ("A task", [" "])):
        with pytest.raises(UsageError):
            cortex.procedures.add(task, steps)


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("change the DB credentials", ROTATE),
        ("publish a new version", RELEASE),
        ("a test fails only sometimes", FLAKY),
        ("roll the service out to production", DEPLOY),
        ("release v2", RELEASE),
        ("replace the leaked postgres password", ROTATE),
        ("what is the weather", None),
        ("rename this variable", None),
        ("write a poem about cats", None),
        ("make the button blue", None),
        ("explain this function", None),
    ],
)
def test_a_task_in_other_words_finds_its_procedure(
    cortex: Cortex, task: str, wanted: tuple[str, list[str]] | None
) -> None:
    for title, steps in (DEPLOY, ROTATE, RELEASE, FLAKY):
        cortex.procedures.add(title, steps)
    found = [match.memory.title for match in cortex.procedures.match(task)]
    assert found[:1] == ([wanted[0]] if wanted else [])


def test_without_a_model_words_decide(cortex: Cortex, monkeypatch: pytest.MonkeyPatch) -> None:
    cortex.procedures.add(*ROTATE)
    monkeypatch.setattr(cortex.models, "embedder", lambda: None)
    assert len(cortex.procedures.match("rotating database passwords")) == 1
    assert cortex.procedures.match("change the credentials") == []


def test_what_works_comes_first(cortex: Cortex, clock: Any) -> None:
    good = cortex.procedures.add("Deploy with the script", ["Run deploy.sh"])
    bad = cortex.procedures.add("Deploy by hand", ["Copy the files", "Restart"])
    for _ in range(3):
        cortex.procedures.outcome(bad.id, False)
    clock.advance(hours=2)
    done = cortex.procedures.outcome(good.id, True, note="Took a minute")
    assert (done.details["successes"], done.details["failures"]) == (1, 0)
    assert done.reinforced == clock() and cortex.show(bad.id).reinforced < clock()
    assert [match.memory.id for match in cortex.procedures.match("deploy")] == [good.id, bad.id]
    listed = cortex.procedures.list()
    assert [round(match.reliability, 3) for match in listed] == [0.667, 0.2]
    assert (listed[1].successes, listed[1].failures) == (0, 3)
    (entry,) = cortex.episodes.list()
    assert (entry.content, entry.details) == ("Took a minute", {"outcome": "success"})
    assert [near.memory.id for near in cortex.graph.neighbours(entry.id)] == [good.id]
    cortex.undo()
    assert "successes" not in cortex.show(good.id).details and cortex.episodes.list() == []
    with pytest.raises(UsageError, match="is not a procedure"):
        cortex.procedures.outcome(cortex.remember("A plain fact here").id, True)
    with pytest.raises(UsageError, match="what is to be done"):
        cortex.procedures.match("  the ")


def test_a_prompt_is_given_the_steps(cortex: Cortex) -> None:
    cortex.procedures.add(*ROTATE)
    text = cortex.surface(prompt="please rotate the database password now").text
    assert "2. Restart the API" in text


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_reliability_is_sound_for_few_trials(good: int, bad: int) -> None:
    sure = procedures.reliability(good, bad)
    assert 0 < sure < 1
    assert procedures.reliability(good + 1, bad) > sure > procedures.reliability(good, bad + 1)
    assert procedures.reliability(0, 0) == 0.5
    assert procedures.reliability(9, 1) > procedures.reliability(1, 0)


@given(
    st.text(max_size=30),
    st.lists(
        st.text(st.characters(blacklist_characters="\n\r"), min_size=1, max_size=20), min_size=1
    ),
)
def test_the_plan_is_found_again_at_the_end_of_a_content(lead: str, steps: list[str]) -> None:
    plan = procedure_plan.ProcedurePlan(steps=tuple(steps))
    assert procedure_plan.lead(procedure_plan.content(lead, plan), plan) == lead
    assert procedure_plan.plan(plan.lists) == plan
