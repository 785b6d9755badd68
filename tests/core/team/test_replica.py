"""What a project's team approved: read like the other stores, and changed by its hub alone."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cortex_core import Cortex
from cortex_core.admission import apply
from cortex_core.base.errors import NotFound, UsageError
from cortex_core.records.events import Candidate
from cortex_core.records.memory import OWN_SCOPES, SCOPES, SORTS, Source
from cortex_core.surface import call_table, note, prompt
from cortex_core.worker_run import maintain
from tests.conftest import Clock
from tests.core.team.replica import TEAM, approve
from tests.journals import unexplained

RULE = "Never deploy the payment service on a Friday"


def test_no_replica_is_made_by_reading(cortex: Cortex) -> None:
    cortex.remember("Here")
    cortex.status()
    cortex.recall("here", mode="keyword")
    assert not Path(cortex.project.team_db or "").parent.parent.exists()
    with pytest.raises(UsageError, match="has no team"):
        cortex.remember("There", scope="team")


def test_it_is_read_like_the_others(cortex: Cortex) -> None:
    cortex.remember("The tests run with pytest")
    cortex.remember("Prefer short sentences", scope="global")
    team = approve(cortex, RULE, kind="policy")
    assert [store.scope for store in cortex.workspace.stores] == list(SCOPES)
    assert [store.scope for store in cortex.workspace.own_stores] == list(OWN_SCOPES)
    assert {memory.scope for memory in cortex.list()} == set(SCOPES)
    assert [memory.id for memory in cortex.list(scope="team")] == [team.id]
    (hit,) = cortex.recall("deploy on a Friday", mode="keyword", scope="team")
    assert hit.memory.id == team.id
    assert cortex.memories.search_ids("deploy frid").keys[0][0] == "team"
    assert cortex.show(team.id[:8]).shared_by == "team payments, by ada, approved by grace"
    assert cortex.memories.facets().scopes == {"project": 1, "team": 1, "global": 1}
    assert set(cortex.status().stores) == set(SCOPES)
    assert unexplained(cortex) == []


def test_a_look_makes_it_seen(cortex: Cortex) -> None:
    cortex.remember("Here")
    team = approve(cortex, RULE)
    mine = approve(cortex, "Mine", origin={**TEAM, "mine": True})
    assert [one.id for one in cortex.list(new="team")] == [team.id]
    assert cortex.memories.facets().new == {"others": 1, "team": 1}
    assert cortex.list(new="machines") == []
    assert team.is_unseen
    assert not mine.is_unseen
    assert not cortex.memories.record_view(team.id).is_unseen
    assert cortex.list(new="others") == []
    with pytest.raises(UsageError, match="others, team, machines"):
        cortex.list(new="ada")  # type: ignore[arg-type]


def test_every_change_is_refused_in_one_sentence(cortex: Cortex) -> None:
    own = cortex.remember("The tests run with pytest").id
    team = approve(cortex, RULE, kind="policy").id
    before = cortex.workspace.team_replica().revision
    tries = (
        lambda: cortex.edit(team, content="Deploy whenever"),
        lambda: cortex.pin(team),
        lambda: cortex.unpin(team),
        lambda: cortex.forget([own, team]),
        lambda: cortex.restore(team),
        lambda: cortex.tag(team, add=["x"]),
        lambda: cortex.give(team, "never"),
        lambda: cortex.move(team, "project"),
        lambda: cortex.move(own, "team"),
        lambda: cortex.lifecycle.reinforce(team),
        lambda: cortex.graph.link(own, team, "relates_to"),
        lambda: cortex.memories.triggers.set(team, []),
        lambda: cortex.remember("Another", scope="team"),
        lambda: cortex.undo(number=1, scope="team"),
    )
    for attempt in tries:
        with pytest.raises(UsageError, match=r"Nothing was changed|Nothing was\schanged"):
            attempt()
    assert cortex.workspace.team_replica().revision == before
    assert cortex.show(own).status == "active"
    with pytest.raises(UsageError, match=f"cortex team propose {team[:8]}"):
        cortex.forget(team)


def test_plain_undo_passes_over_what_the_team_did(cortex: Cortex, clock: Clock) -> None:
    own = cortex.remember("The tests run with pytest")
    clock.advance(minutes=1)
    approve(cortex, RULE)
    assert [change.label for change in cortex.undo()] == [f"remember “{own.title}”"]
    with pytest.raises(NotFound):
        cortex.undo()
    assert [memory.scope for memory in cortex.list()] == ["team"]
    assert cortex.log(actors=["team"])[0].scope == "team"


def test_time_and_the_worker_leave_it(cortex: Cortex, clock: Clock) -> None:
    team = approve(cortex, "Node 20 builds the site", kind="progress")
    cortex.remember("The site is half done", kind="progress")
    clock.advance(days=400)
    assert cortex.show(team.id).confidence == team.confidence
    assert cortex.memories.details(team.id).fades is None
    (first, _) = cortex.list(sort="confidence")
    assert first.id == team.id
    before = cortex.workspace.team_replica().revision
    maintain(cortex)
    assert cortex.workspace.team_replica().revision == before
    assert cortex.show(team.id).status == "active"


def test_the_same_is_given_once_and_the_own_one_wins(cortex: Cortex, clock: Clock) -> None:
    own = cortex.remember(RULE, kind="policy")
    team = approve(cortex, RULE, kind="policy")
    (hit,) = cortex.recall("deploy on a Friday", mode="keyword")
    assert hit.memory.id == own.id
    assert cortex.surface().text.count("Friday") == 1
    assert own.id[:8] in cortex.surface().text
    given = prompt.composed(
        cortex.project, "May I deploy payments on Friday?", clock(), {own.id: 0}
    )
    assert not given.lines
    cortex.forget(own.id)
    assert team.id[:8] in cortex.surface().text


def test_what_both_have_is_listed_and_found_once(cortex: Cortex, clock: Clock) -> None:
    own = cortex.remember(RULE, kind="policy", tags=["release"])
    shared = cortex.remember("Prefer short sentences", scope="global")
    for one, words in ((own, RULE), (shared, "Prefer sentences of ten words")):
        approve(cortex, words, id=one.id)
    news = approve(cortex, "Ask grace about the queue")
    for sort in SORTS:
        assert {one.id for one in cortex.list(sort=sort)} == {own.id, shared.id, news.id}, sort
        assert len(cortex.list(sort=sort)) == 3, sort
    assert cortex.status().counts == {"active": 3}
    assert len(cortex.list(scope="team")) == 3
    marks = {one.id: (one.shared_by, one.shared_words) for one in cortex.list(scope="project")}
    assert marks == {own.id: ("shared with team payments, approved by grace", "")}
    assert cortex.show(shared.id).scope == "global"
    assert cortex.show(shared.id).shared_words == "Prefer sentences of ten words"
    assert cortex.memories.named("never deploy").certain
    (theirs,) = cortex.memories.named("never deploy", scope="team").memories
    assert theirs.scope == "team"
    (key,) = cortex.memories.search_ids("sentences").keys
    assert key[0] == "global"
    assert cortex.list(tags=["release"])[0].id == own.id
    cortex.tag(own.id, remove=["release"])
    cortex.forget(shared.id)
    assert cortex.show(own.id).shared_by
    assert [one.scope for one in cortex.list() if one.id == shared.id] == ["team"]


def test_a_procedure_of_both_is_found_once(cortex: Cortex) -> None:
    own = cortex.procedures.add("Release the shop", ["run make ship", "tag the commit"])
    approve(cortex, own.content, id=own.id, title=own.title, kind="procedure", details=own.details)
    (match,) = cortex.procedures.match("release the shop")
    assert match.memory.scope == "project"
    assert len(cortex.procedures.list()) == 1


def test_the_own_rule_is_the_one_at_a_call(cortex: Cortex) -> None:
    own = cortex.remember("Never push on a Friday", scope="global", kind="policy")
    cortex.memories.triggers.set(own.id, ["Bash(git push:*)"], guard="deny")
    approve(cortex, "Never push at noon", id=own.id, triggers=("Bash(git push:*)",))
    rules = call_table.read(cortex.project)["rules"]
    assert [rule[2] for scope in rules for rule in rules[scope]] == ["deny"]


def test_the_note_says_whose_it_is(cortex: Cortex, clock: Clock) -> None:
    said = approve(
        cortex, RULE, kind="policy", pinned=True, guard="deny", triggers=("Bash(git push:*)",)
    )
    noted = approve(
        cortex,
        "Always restart the queue after a deployment",
        kind="policy",
        source=Source(rule="agent"),
    )
    lines = {line.id: line for line in cortex.surface().lines}
    assert lines[said.id].text.endswith(f"(team) [{said.id[:8]}]")
    assert lines[said.id].why != "pinned"
    assert "(team; noted by the agent)" in lines[noted.id].text
    assert lines[said.id].section != lines[noted.id].section
    assert said.id in note.baseline(cortex.project, clock())
    assert noted.id not in note.baseline(cortex.project, clock())
    assert {rule[2] for rule in call_table.read(cortex.project)["rules"]["team"]} == {"remind"}


def test_the_hook_gives_it_with_a_prompt(
    cortex: Cortex, clean_env: Callable[..., dict[str, str]], project: Path
) -> None:
    team = approve(cortex, "The staging cluster is called heron and is in Frankfurt")
    event = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s1",
        "cwd": str(project),
        "prompt": "Which staging cluster is in Frankfurt?",
    }
    done = subprocess.run(
        [sys.executable, "-I", "-m", "cortex_core.hook"],
        input=json.dumps(event),
        text=True,
        capture_output=True,
        check=True,
        env=clean_env(),
        cwd=project,
    )
    assert f"(team) [{team.id[:8]}]" in done.stdout


def test_capture_does_not_learn_what_the_team_has(cortex: Cortex) -> None:
    approve(cortex, "The staging database is on port 5433")
    store = cortex.workspace.store()
    find = Candidate(
        content="The staging database is on port 5433",
        title="Staging database",
        kind="fact",
        rule="prompt-fact",
        session="s1",
        message="m1",
    )
    with store.change("capture", "learn", "worker") as change:
        found = apply.admit(store, change, [find], "t.jsonl")
    assert dict(found.refused) == {"known to the team": 1}
    assert cortex.list(scope="project") == []


def test_an_export_is_marked_and_gives_no_authority(cortex: Cortex, tmp_path: Path) -> None:
    team = approve(cortex, RULE, kind="policy")
    out = io.StringIO()
    cortex.exchange.export_jsonl(out)
    assert json.loads(out.getvalue())["scope"] == "team"
    cortex.exchange.export_markdown(tmp_path / "vault")
    report = cortex.exchange.import_markdown(tmp_path / "vault")
    assert [outcome.what for outcome in report.outcomes] == ["known"]
    assert [memory.id for memory in cortex.list()] == [team.id]
    Path(cortex.project.team_db or "").unlink()
    with Cortex.open(cortex.project.root, clock=cortex.workspace.clock) as alone:
        alone.exchange.import_jsonl(out.getvalue().splitlines())
        (copy,) = alone.list()
        assert (copy.scope, copy.claimed) == ("project", True)


def test_a_secret_leaves_the_copy_too(cortex: Cortex) -> None:
    team = approve(cortex, RULE)
    store = cortex.workspace.team_replica()
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with store.write():
        store.execute("UPDATE memory SET content = ? WHERE id = ?", (f"The key is {key}", team.id))
    assert cortex.secrets.scrub().found
    assert key not in cortex.show(team.id).content
