"""How a replica comes to have what the team has for its project, and goes on having it: joining in
pages, following, cut off anywhere."""

from __future__ import annotations

import random
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cortex_core import Cortex
from cortex_core.base.errors import HubUnreachable, TeamError
from cortex_core.base.identity import named_key
from cortex_core.records.teams import Item, Request
from cortex_core.team.hub import client
from cortex_core.team.hub.client import Hub
from tests.core.team.conftest import Sql
from tests.core.team.postgres import Server

TEAM = "00000000-0000-4000-8000-000000000001"
OURS, THEIRS, EVERYONE = named_key("ours"), named_key("theirs"), ""


@pytest.fixture
def hub(server: Server, database: str) -> Iterator[Hub]:
    """The hub as `ada`, who is alone in a team, so that she approves what she proposes."""
    with Hub(server.url(database, "ada")) as opened:
        opened.create_team(TEAM, "Lighthouse")
        yield opened


@pytest.fixture
def clone(tmp_path: Path) -> Iterator[Cortex]:
    """A project without git, in which nobody has joined yet."""
    root = tmp_path / "clone"
    (root / ".memory").mkdir(parents=True)
    with Cortex.open(root, tmp_path / "home") as cortex:
        yield cortex


def join(cortex: Cortex, server: Server, database: str, project: str = "ours") -> None:
    cortex.team.join(server.url(database, "ada"), project=project)


def put(hub: Hub, project: str, texts: dict[str, str | None], base: int = 0) -> int:
    """Approve what memories say, by id; None: they are removed. The number of the entry."""
    shapes = {
        id_: None if words is None else {"title": words, "content": words, "kind": "fact"}
        for id_, words in texts.items()
    }
    items = tuple(Item(id=id_, base=base, memory=shape) for id_, shape in shapes.items())
    request = Request(
        id=str(uuid.uuid4()), team=TEAM, project=project, kind="change", reason="", items=items
    )
    hub.propose(request)
    number = hub.decide(request.id, "approved")
    assert number is not None
    return number


def named(number: int) -> str:
    return str(uuid.UUID(int=number))


def held(cortex: Cortex) -> dict[str, str]:
    """What the replica's memories say, by id."""
    return {memory.id: memory.content for memory in cortex.list(scope="team")}


def on_hub(hub: Hub) -> dict[str, str]:
    """What the team's memories for the project say, by id."""
    found: dict[str, str] = {}
    while page := hub.memories(TEAM, [OURS, EVERYONE], max(found, default="")):
        found |= {each.id: each.memory["content"] for each in page}
    return found


def test_a_join_takes_what_the_team_has_and_no_past(
    hub: Hub, clone: Cortex, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PAGE", 2)
    put(hub, OURS, {named(n): f"Rule {n}" for n in range(1, 6)})
    put(hub, OURS, {named(2): "Rule two"}, base=1)
    put(hub, OURS, {named(3): None}, base=1)
    put(hub, THEIRS, {named(9): "Elsewhere"})
    last = put(hub, EVERYONE, {named(8): "Everywhere"})
    join(clone, server, database)
    assert held(clone) == on_hub(hub)
    assert held(clone)[named(2)] == "Rule two"
    assert len(held(clone)) == 5
    assert [one.label for one in clone.log(actors=["team"])] == [
        "receive “Everywhere”",
        "receive 2 memories",
        "receive 2 memories",
    ]
    status = clone.team.status(ask=True)
    assert status is not None
    assert (status.sequence, status.behind) == (last, 0)
    (memory,) = [each for each in clone.list(scope="team") if each.id == named(2)]
    assert (memory.origin["sequence"], memory.origin["approved_by"]) == (2, "ada")
    assert memory.origin["request"] == list(hub.entries(TEAM))[1].request


def test_what_others_change_is_not_read(
    hub: Hub, clone: Cortex, server: Server, database: str
) -> None:
    put(hub, OURS, {named(1): "Ours"})
    join(clone, server, database)
    for number in range(3):
        put(hub, THEIRS, {named(10 + number): "Theirs"})
    status = clone.team.status(ask=True)
    assert status is not None
    assert status.behind == 0
    assert clone.team.pull().changed == 0
    put(hub, OURS, {named(2): "Ours too"})
    assert clone.team.pull().sequence == 5
    assert held(clone) == on_hub(hub)


def test_a_memory_that_leaves_the_project_leaves_its_replica(
    hub: Hub, clone: Cortex, server: Server, database: str
) -> None:
    at = put(hub, EVERYONE, {named(1): "For all", named(2): "For all, too"})
    join(clone, server, database)
    put(hub, THEIRS, {named(1): "Theirs alone"}, base=at)
    put(hub, THEIRS, {named(2): None}, base=at)
    assert clone.team.pull().changed == 2
    assert held(clone) == on_hub(hub) == {}
    assert [entry.audience for entry in hub.entries(TEAM)] == ["", "", ""]


def test_a_key_that_the_project_has_since_brings_what_is_known_by_it(
    hub: Hub, clone: Cortex, server: Server, database: str
) -> None:
    put(hub, OURS, {named(1): "By the name"})
    join(clone, server, database)
    root = clone.project.root
    assert root is not None
    for words in (("init",), ("remote", "add", "origin", "https://git.example/team/payments.git")):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    (key,) = set(clone.team._keys(clone.team._followed())) - {OURS, EVERYONE}
    put(hub, key, {named(2): "By the remote"})
    clone.team.pull()
    assert set(held(clone)) == {named(1), named(2)}


def test_a_hub_that_lost_the_end_of_its_past_is_noticed_at_once(
    hub: Hub, clone: Cortex, server: Server, database: str, sql: Sql
) -> None:
    put(hub, OURS, {named(1): "One"})
    put(hub, OURS, {named(2): "Two"})
    join(clone, server, database)
    sql("postgres", "DELETE FROM cortex.entry WHERE sequence = 2")
    sql(
        "postgres",
        "UPDATE cortex.place SET sequence = 1, hash = "
        "(SELECT hash FROM cortex.entry WHERE sequence = 1)",
    )
    with pytest.raises(TeamError, match="restored from a backup"):
        clone.team.pull()
    assert set(held(clone)) == {named(1), named(2)}


def test_two_processes_join_and_follow_at_once(
    hub: Hub, clone: Cortex, server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "PAGE", 2)
    put(hub, OURS, {named(n): f"Rule {n}" for n in range(1, 8)})
    page, places = Hub.memories, Hub.places
    asked: list[str] = []
    root = clone.project.root
    assert root is not None
    with Cortex.open(root, clone.project.home) as other:

        def slow_page(of: Hub, team: str, projects: Sequence[str], after: str = "") -> Any:
            found = page(of, team, projects, after)
            asked.append(after)
            if len(asked) == 2:  # the second page has been read, and is not yet written
                join(other, server, database)
            return found

        def slow_places(of: Hub, team: str, audiences: Sequence[str]) -> Any:
            found = places(of, team, audiences)
            monkeypatch.setattr(Hub, "places", places)
            assert other.team.pull().changed == 2
            return found

        monkeypatch.setattr(Hub, "memories", slow_page)
        join(clone, server, database)
        assert held(clone) == on_hub(hub)
        for number in (8, 9):
            put(hub, OURS, {named(number): f"Rule {number}"})
        monkeypatch.setattr(Hub, "places", slow_places)
        assert clone.team.pull().changed == 0
    assert len(held(clone)) == 9
    assert held(clone) == on_hub(hub)


class _Cut:
    """A network that fails before some of the questions of a hub."""

    def __init__(self, patch: pytest.MonkeyPatch, chance: random.Random) -> None:
        self._patch, self._chance, self._whole = patch, chance, Hub._rows
        self.count = 0

    def fails(self, one_in: int) -> None:
        """From now on, one question in so many is not answered; 0: all are."""

        def rows(hub: Hub, sql: Any, *values: object) -> list[Any]:
            if one_in and self._chance.randrange(one_in) == 0:
                self.count += 1
                raise HubUnreachable("cut")
            return self._whole(hub, sql, *values)

        self._patch.setattr(Hub, "_rows", rows)


@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_the_replica_comes_to_have_what_the_hub_has(
    hub: Hub,
    clone: Cortex,
    server: Server,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(client, "PAGE", 3)
    cut, written = _Cut(monkeypatch, chance), dict[str, int]()

    def change() -> None:
        cut.fails(0)
        project = chance.choice([OURS, OURS, THEIRS, EVERYONE])
        id_ = named(chance.randrange(1, 15))
        words = None if id_ in written and chance.random() < 0.3 else f"It is {chance.random()}"
        number = put(hub, project, {id_: words}, base=written.get(id_, 0))
        written[id_] = number
        if words is None:
            del written[id_]

    for _ in range(12):
        change()
    has_joined = False
    for _ in range(25):
        change()
        cut.fails(4)
        try:
            if has_joined:
                clone.team.pull()
            else:
                join(clone, server, database)
        except HubUnreachable:
            pass
        has_joined = clone.team.status() is not None
    cut.fails(0)
    join(clone, server, database)
    assert cut.count > 5
    assert held(clone) == on_hub(hub)


def test_a_hub_that_sends_a_page_again_is_left(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    put(hub, OURS, {named(1): "One"})
    real = hub._rows
    monkeypatch.setattr(hub, "_rows", lambda sql, *values: 2 * real(sql, *values))
    with pytest.raises(TeamError, match="sent a page twice"):
        hub.memories(TEAM, [OURS])
    with pytest.raises(TeamError, match="sent a page twice"):
        list(hub.entries(TEAM))
    monkeypatch.setattr(hub, "_rows", lambda sql, *_values: real(sql, [OURS], TEAM, named(0), 9, 9))
    with pytest.raises(TeamError, match="out of order"):
        hub.memories(TEAM, [OURS], named(1))
