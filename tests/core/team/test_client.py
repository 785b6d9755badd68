"""What a member does through a hub: proposing, deciding, taking back, following the log."""

from __future__ import annotations

import traceback
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import psycopg
import pytest
from psycopg.types.json import Jsonb

from cortex_core import __version__
from cortex_core.base.errors import HubUnreachable, TeamError
from cortex_core.records.teams import HubEntry, Item, Request
from cortex_core.team.hub import address, client
from cortex_core.team.hub.client import Hub
from tests.core.team.conftest import Sql
from tests.core.team.postgres import Server

As = Callable[[str], Hub]
TEAM = "00000000-0000-4000-8000-000000000001"


def fresh() -> str:
    return str(uuid.uuid4())


def shape(text: str, **more: object) -> dict[str, Any]:
    return {"title": text, "content": text, "kind": "decision", "tags": ["build"], **more}


def asked(*texts: str, **more: Any) -> Request:
    items = tuple(Item(id=fresh(), memory=shape(text)) for text in texts)
    values = {"id": fresh(), "team": TEAM, "project": "k", "kind": "add", "reason": "agreed"}
    return Request(**{**values, "items": items, **more})


def chained(entries: list[HubEntry]) -> bool:
    """Whether these entries of one audience, from the first one, are one past."""
    previous = [b"", *(entry.hash for entry in entries)]
    return all(map(HubEntry.follows, entries, previous))


@pytest.fixture
def hub(server: Server, database: str) -> Iterator[As]:
    """`hub(role)`: the hub as that login; `ada` maintains the team, in which `ben` is a member."""
    opened: dict[str, Hub] = {}

    def of(role: str) -> Hub:
        return opened.setdefault(role, Hub(server.url(database, role)))

    of("ada").create_team(TEAM, "Lighthouse", "Ada")
    of("ada").add_member(TEAM, "ben", "Ben")
    yield of
    for each in opened.values():
        each.close()


def test_a_request_becomes_a_memory_once_another_approves_it(hub: As) -> None:
    request = asked("Use pnpm, never npm")
    hub("ada").propose(request)
    hub("ada").propose(request)
    with pytest.raises(TeamError, match="Another member has to approve"):
        hub("ada").decide(request.id, "approved")
    (waiting,) = hub("ben").requests(TEAM)
    assert (waiting.author, waiting.reason, waiting.items) == ("ada", "agreed", request.items)

    assert [hub("ben").decide(request.id, "approved") for _ in range(2)] == [1, 1]
    (entry,) = hub("ada").entries(TEAM)
    assert (entry.author, entry.approver, entry.verb) == ("ada", "ben", "add")
    assert entry.items[0].memory == shape("Use pnpm, never npm")
    assert entry.follows(b"")
    (team,) = hub("ada").teams()
    assert (team.sequence, team.open_requests) == (1, 0)
    assert hub("ada").places(TEAM, ["k", ""]) == {"k": (1, entry.hash), "": (0, b"")}
    assert [each.project for each in hub("ada").memories(TEAM, ["k", ""])] == ["k"]
    with pytest.raises(TeamError, match="approved already, by ben"):
        hub("ada").decide(request.id, "rejected")


def test_the_approver_may_edit_but_bring_nothing_else(hub: As) -> None:
    request = asked("Use pnpm", "Use npm")
    hub("ada").propose(request)
    with pytest.raises(TeamError, match="not bring others"):
        hub("ben").decide(request.id, "approved", items=asked("Else").items)
    kept = replace(request.items[0], memory=shape("Use pnpm 9"))
    assert hub("ben").decide(request.id, "approved", items=[kept]) is None
    (reworded,) = hub("ada").requests(TEAM)
    assert reworded.author == "ben"
    hub("ada").decide(reworded.id, "approved")
    (entry,) = hub("ben").entries(TEAM)
    assert [item.memory and item.memory["content"] for item in entry.items] == ["Use pnpm 9"]


def test_rejected_and_withdrawn(hub: As) -> None:
    first, second = asked("One"), asked("Two")
    for request in (first, second):
        hub("ada").propose(request)
    hub("ben").decide(first.id, "rejected", note="not so")
    with pytest.raises(TeamError, match="Only its author"):
        hub("ben").decide(second.id, "withdrawn")
    hub("ada").decide(second.id, "withdrawn")
    found = {each.id: each for each in hub("ada").requests(TEAM, None)}
    assert (found[first.id].status, found[first.id].note) == ("rejected", "not so")
    assert (found[second.id].status, found[second.id].items) == ("withdrawn", ())
    assert not list(hub("ada").entries(TEAM))


def test_one_revert_takes_a_request_back_and_a_second_brings_it_again(hub: As) -> None:
    request = asked("Use pnpm")
    hub("ada").propose(request)
    hub("ben").decide(request.id, "approved")
    (item,) = request.items
    change = asked(kind="change", items=(replace(item, memory=shape("Use bun"), base=1),))
    hub("ben").propose(change)
    hub("ada").decide(change.id, "approved")
    with pytest.raises(TeamError, match="changed in the team since"):
        hub("ada").revert(request.id, fresh())
    back = fresh()
    assert [hub("ada").revert(change.id, back) for _ in range(2)] == [3, 3]
    entries = list(hub("ada").entries(TEAM))
    assert entries[-1].items[0].memory == shape("Use pnpm")
    assert entries[-1].items[0].author == "ada"
    hub("ada").revert(back, fresh())
    *_, last = hub("ben").entries(TEAM, after=3)
    assert last.items[0].memory == shape("Use bun")
    assert last.items[0].author == "ben"
    assert chained([*entries, last])


def test_a_request_about_what_changed_meanwhile_is_refused(hub: As) -> None:
    request = asked("Use pnpm")
    hub("ada").propose(request)
    hub("ben").decide(request.id, "approved")
    (item,) = request.items
    changes = [
        asked(kind="change", items=(replace(item, memory=shape(text), base=1),))
        for text in ("Use bun", "Use yarn")
    ]
    for change in changes:
        hub("ada").propose(change)
    hub("ben").decide(changes[0].id, "approved")
    with pytest.raises(TeamError, match="propose again"):
        hub("ben").decide(changes[1].id, "approved")
    removal = asked(kind="remove", items=(Item(id=item.id, memory=None, base=2),))
    hub("ada").propose(removal)
    hub("ben").decide(removal.id, "approved")
    assert hub("ada").memories(TEAM, ["k", ""]) == []


def test_who_is_alone_may_approve_and_the_last_maintainer_stays(hub: As) -> None:
    with pytest.raises(TeamError, match="only maintainer"):
        hub("ada").leave(TEAM)
    with pytest.raises(TeamError, match="Only a maintainer"):
        hub("ben").leave(TEAM, "ada")
    hub("ada").leave(TEAM, "ben")
    assert not hub("ben").teams()
    request = asked("Use pnpm")
    hub("ada").propose(request)
    assert hub("ada").decide(request.id, "approved") == 1
    with pytest.raises(TeamError, match="not a member"):
        hub("ben").propose(asked("Me too"))


def test_members_and_the_versions_they_use(hub: As) -> None:
    hub("ben").teams()
    found = {member.role: member for member in hub("ada").members(TEAM)}
    assert {role: (each.display, each.rights) for role, each in found.items()} == {
        "ada": ("Ada", "maintainer"),
        "ben": ("Ben", "member"),
    }
    assert (found["ben"].version, found["ada"].version) == (__version__, "")
    with pytest.raises(TeamError, match="CREATE ROLE"):
        hub("ada").add_member(TEAM, "stranger")


def test_an_erasure_empties_the_past_and_the_chain_holds(hub: As) -> None:
    request = replace(asked("Use pnpm", "The door code"), reason="Ben asked for the door code")
    hub("ada").propose(request)
    hub("ben").decide(request.id, "approved", note="The door code is known")
    with pytest.raises(TeamError, match="Only a maintainer"):
        hub("ben").erase(TEAM, fresh(), [request.items[1].id])
    erasure = fresh()
    assert [hub("ada").erase(TEAM, erasure, [request.items[1].id]) for _ in range(2)] == [2, 2]
    entries = list(hub("ben").entries(TEAM))
    assert chained(entries[:1])
    assert chained(entries[1:])
    assert [(entry.verb, entry.audience) for entry in entries] == [("add", "k"), ("erase", "")]
    said = repr([entries, hub("ben").requests(TEAM, None)])
    assert "Use pnpm" in said
    assert "door code" not in said


def test_a_restored_backup_is_noticed(hub: As, sql: Sql) -> None:
    for text in ("One", "Two"):
        request = asked(text)
        hub("ada").propose(request)
        hub("ben").decide(request.id, "approved")
    before = list(hub("ada").entries(TEAM))
    # The hub as it was after the first entry, and then went on in another way.
    sql("postgres", "DELETE FROM cortex.entry WHERE sequence = 2")
    sql("postgres", "UPDATE cortex.team SET sequence = 1")
    sql("postgres", "UPDATE cortex.place SET sequence = 1, hash = %s", before[0].hash)
    request = asked("Three")
    hub("ada").propose(request)
    hub("ben").decide(request.id, "approved")
    (other,) = hub("ada").entries(TEAM, after=1)
    assert other.follows(before[0].hash)
    assert other.hash != before[1].hash
    was = hub("ada").identity()
    sql("postgres", "SELECT cortex.new_epoch()")
    assert hub("ada").identity() == replace(was, epoch=was.epoch + 1)
    sql("postgres", "UPDATE cortex.entry SET items = %s WHERE sequence = 1", "[]")
    assert not next(hub("ada").entries(TEAM)).follows(b"")


def test_vectors_fit_the_memory_that_they_were_made_of(hub: As, sql: Sql) -> None:
    request = asked("Use pnpm", "Use ruff")
    hub("ada").propose(request)
    hub("ben").decide(request.id, "approved")
    found = hub("ben").unsearchable(TEAM)
    assert {each.content for each in found} == {"Use pnpm", "Use ruff"}
    vector = np.linspace(-1, 1, 384, dtype=np.float32)
    made = [(each.id, each.sequence, vector, b"bits", b"pieces") for each in found]
    assert hub("ben").set_vectors(TEAM, "model", made) == 2
    assert hub("ben").set_vectors(TEAM, "model", [(found[0].id, 9, vector, None, None)]) == 0
    hub("ada").add_member(TEAM, "cyn")
    assert hub("cyn").set_vectors(TEAM, "other", made) == 0
    assert hub("ben").set_words(TEAM, [(each.id, 1, "'use'") for each in found]) == 2
    assert not hub("ben").unsearchable(TEAM)
    assert hub("cyn").set_words(TEAM, [(found[0].id, 1, "'bait'")]) == 0
    assert sql("postgres", "SELECT DISTINCT model FROM cortex.memory") == [("model",)]


def test_secrets_are_refused_at_the_door_and_again_before_approval(hub: As, sql: Sql) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    with pytest.raises(TeamError, match="Nothing was sent"):
        hub("ada").propose(asked(f"Push with {key}"))
    with pytest.raises(psycopg.Error, match="looks like a key"):
        sql(
            "ada",
            "SELECT cortex.propose(%s, %s, '', 'add', '', %s)",
            fresh(),
            TEAM,
            Jsonb([{"id": fresh(), "memory": shape(key)}]),
        )
    password = "The database password is hunter2-Xk9!"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hub, "_refuse_secrets", lambda *_: None)
        request = asked(password)
        hub("ada").propose(request)
    with pytest.raises(TeamError, match="Nothing was sent"):
        hub("ben").decide(request.id, "approved")
    assert not list(hub("ada").entries(TEAM))


def test_nul_and_half_characters_do_not_stop_a_request(hub: As) -> None:
    request = asked("Use\0 pnpm \ud83d")
    hub("ada").propose(request)
    (waiting,) = hub("ben").requests(TEAM)
    assert waiting.items[0].memory == shape("Use pnpm ?")


def test_the_log_is_read_in_pages(hub: As, monkeypatch: pytest.MonkeyPatch) -> None:
    hub("ada").leave(TEAM, "ben")
    for number in range(5):
        request = asked(f"Number {number}")
        hub("ada").propose(request)
        hub("ada").decide(request.id, "approved")
    monkeypatch.setattr(client, "PAGE", 2)
    assert [entry.sequence for entry in hub("ada").entries(TEAM)] == [1, 2, 3, 4, 5]
    assert [entry.sequence for entry in hub("ada").entries(TEAM, 1, ["k", ""])] == [2, 3, 4, 5]
    assert not list(hub("ada").entries(TEAM, 0, ["other"]))


# --- connections


def test_a_connection_that_was_lost_is_made_again(hub: As, sql: Sql) -> None:
    hub("ben").teams()
    sql(
        "postgres",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ben'",
    )
    assert [team.name for team in hub("ben").teams()] == ["Lighthouse"]


def test_what_cannot_be_reached_is_said_in_words(server: Server, database: str) -> None:
    for url, said in (
        (server.url("nosuch", "ada"), "no such database"),
        (server.url(database, "nobody"), "no such login"),
        (server.url(database, "stranger"), "GRANT cortex_member"),
        (server.url("postgres", "ada"), "cortex team migrate"),
        ("postgresql://ada@127.0.0.1:1/cortex", "nothing listens"),
    ):
        with Hub(url) as hub, pytest.raises(TeamError, match=said) as refused:
            hub.teams()
        assert "Nothing was changed" in str(refused.value)


@pytest.mark.parametrize(
    ("libpq", "said"),
    [
        ('FATAL:  password authentication failed for user "ada"', "password or the login is wrong"),
        ("FATAL:  SASL authentication failed", "password or the login is wrong"),  # of PgBouncer
        ("FATAL:  no such database: x", "no such database"),
        (
            'FATAL:  no pg_hba.conf entry for host "10.1.1.1", user "ada", database "x", '
            "no encryption",
            "hostssl",
        ),
        ('server certificate for "a" does not match host name "b"', "another name"),
        ("SSL error: certificate verify failed", "sslrootcert=FILE"),
        ("server does not support SSL, but SSL was required", "switch ssl on"),
    ],
)
def test_what_libpq_says_is_said_in_words(libpq: str, said: str) -> None:
    where = address.parse("postgresql://ada@127.0.0.1/x")
    error = psycopg.OperationalError(f'connection to server at "10.1.1.1", port 1 failed: {libpq}')
    assert said in str(client._no_connection(error, where))


def test_older_and_newer_tables_are_refused(hub: As, sql: Sql) -> None:
    sql("postgres", "INSERT INTO cortex.schema_version VALUES (99, 'later', 99)")
    with pytest.raises(TeamError, match="Update Cortex"):
        hub("cyn").teams()
    sql("postgres", "DELETE FROM cortex.schema_version WHERE version > 1")
    with pytest.raises(TeamError, match="cortex team migrate"):
        hub("cyn").teams()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:hunter2 secret@h/d",
        "postgresql://ada:hunter2@h:1/d?hunter2=1",
        "mysql://ada:hunter2@h/d",
        "postgresql://ada:hunter2@127.0.0.1:1/d",
        "postgresql://ada:hunter2@h/d?sslmode=prefer",
        "postgresql://ada:hunter2@127.0.0.1:x/d",
    ],
)
def test_no_message_has_the_password(url: str) -> None:
    with pytest.raises(TeamError) as refused:
        Hub(url).teams()
    assert "hunter2" not in "".join(traceback.format_exception(refused.value))


def test_off_this_machine_a_connection_is_encrypted_and_checked() -> None:
    def mode(url: str, **options: bool) -> object:
        return address.parse(url, **options).parameters.get("sslmode")

    assert mode("postgresql://a@db.example.org/x") == "verify-full"
    assert mode("postgresql://a@127.0.0.1,db.example.org/x") == "verify-full"
    assert mode("postgresql://a@db.example.org/x?sslmode=require") == "require"
    assert mode("postgresql://a@/x?service=elsewhere") == "verify-full"
    for here in ("127.0.0.1", "localhost", "[::1]", ""):
        assert mode(f"postgresql://a@{here}/x") is None
    with pytest.raises(TeamError, match="in the clear"):
        mode("postgresql://a@db.example.org/x?sslmode=disable")
    assert mode("postgresql://a@db.example.org/x?sslmode=disable", plain=True) == "disable"


def test_a_busy_hub_is_said_to_be_busy(hub: As, sql: Sql) -> None:
    request = asked("Use pnpm")
    hub("ada").propose(request)
    sql("postgres", "ALTER FUNCTION cortex.decide SET lock_timeout = '20ms'")
    sql("postgres", "BEGIN")
    sql("postgres", "SELECT FROM cortex.team FOR UPDATE")
    with pytest.raises(HubUnreachable, match="busy"):
        hub("ben").decide(request.id, "approved")
    sql("postgres", "ROLLBACK")
    assert hub("ben").decide(request.id, "approved") == 1
