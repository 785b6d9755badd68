"""What a hostile login finds by raw SQL: nothing of another team, and no way to write past a
function."""

from __future__ import annotations

import json
import threading
import uuid
from typing import Any

import psycopg
import pytest

from cortex_core.base.errors import HubUnreachable, TeamError
from cortex_core.team.hub import schema
from cortex_core.team.hub.client import Hub
from tests.core.team.conftest import Sql
from tests.core.team.postgres import Server

OURS, THEIRS = (f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))
WORDS, CUT = "the lighthouse lamp", "lamp"
HELD = ("team", "member", "request", "entry", "place", "memory", "origin")
"""The tables that hold something of a team."""
TABLES = ("hub", *HELD, "schema_version")


def fresh() -> str:
    return str(uuid.uuid4())


def items(**more: Any) -> str:
    shape = {"title": WORDS, "content": WORDS, "kind": "decision", **more}
    return json.dumps([{"id": fresh(), "memory": shape}])


@pytest.fixture
def teams(sql: Sql) -> str:
    """Team A of `ada` and `ben` with a memory and a request, team B of `eve`; A's request."""
    for role, team in (("ada", OURS), ("eve", THEIRS)):
        sql(role, "SELECT cortex.create_team(%s, %s, %s, true)", team, f"of {role}", role)
    sql("ada", "SELECT cortex.add_member(%s, 'ben', 'Ben', 'member')", OURS)
    sql("ada", "SELECT cortex.note_origin(%s, 'p', 'o')", OURS)
    waiting = fresh()
    for request in (fresh(), waiting):
        sql(
            "ada",
            "SELECT cortex.propose(%s, %s, 'k', 'add', %s, %s)",
            request,
            OURS,
            WORDS,
            items(),
        )
        if request != waiting:
            sql("ada", "SELECT cortex.decide(%s, 'approved', NULL, '')", request)
    sql("postgres", "ANALYZE")
    return waiting


def refused(sql: Sql, role: str, statement: str, *values: object) -> str:
    """Why the server refuses a statement."""
    with pytest.raises(psycopg.Error) as error:
        sql(role, statement, *values)
    return str(error.value)


@pytest.mark.usefixtures("teams")
def test_a_member_of_another_team_reads_nothing(sql: Sql) -> None:
    for table in HELD:
        column = "id" if table == "team" else "team"
        count = f"SELECT count(*) FROM cortex.{table} WHERE {column} = %s"
        assert sql("ben", count, OURS)[0][0] > 0
        assert sql("eve", count, OURS) == [(0,)]
        assert WORDS not in repr(sql("eve", f"SELECT * FROM cortex.{table}"))
        assert "permission denied" in refused(sql, "stranger", f"SELECT FROM cortex.{table}")
    sql("eve", "SET row_security = off")
    for table in HELD:
        assert "row-level security" in refused(sql, "eve", f"SELECT FROM cortex.{table}")


@pytest.mark.usefixtures("teams")
def test_no_member_writes_to_a_table(sql: Sql) -> None:
    for table in TABLES:
        _no_write(sql, table)


def _no_write(sql: Sql, table: str) -> None:
    column = sql(
        "postgres",
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum = 1",
        f"cortex.{table}",
    )[0][0]
    for statement in (
        f"UPDATE cortex.{table} SET {column} = {column}",
        f"DELETE FROM cortex.{table}",
        f"INSERT INTO cortex.{table} DEFAULT VALUES",
        f"TRUNCATE cortex.{table}",
        f"ALTER TABLE cortex.{table} DISABLE ROW LEVEL SECURITY",
        f"DROP TABLE cortex.{table}",
        f"SELECT FROM cortex.{table} FOR UPDATE",
        f"CREATE TRIGGER t BEFORE INSERT ON cortex.{table} EXECUTE FUNCTION cortex.own_teams()",
        f"MERGE INTO cortex.{table} USING (SELECT 1) AS x ON true WHEN MATCHED THEN DELETE",
        f"COPY cortex.{table} FROM STDIN",
    ):
        said = refused(sql, "ada", statement)
        assert "permission denied" in said or "must be owner" in said, statement


def test_copy_honours_the_walls(server: Server, database: str, teams: str) -> None:
    def copied(role: str) -> bytes:
        with (
            psycopg.connect(server.url(database, role)) as connection,
            connection.cursor().copy("COPY cortex.entry TO STDOUT") as copy,
        ):
            return b"".join(map(bytes, copy))

    assert WORDS.encode() in copied("ben")
    assert copied("eve") == b""


@pytest.mark.usefixtures("teams")
def test_functions_that_a_member_makes_see_no_foreign_row(sql: Sql) -> None:
    sql("postgres", "GRANT CREATE ON SCHEMA public TO eve")
    sql(
        "eve",
        "CREATE FUNCTION public.peek(value text) RETURNS boolean LANGUAGE plpgsql "
        "COST 0.000001 AS $$ BEGIN RAISE EXCEPTION 'seen %', value; END $$",
    )
    for table, column in (("memory", "content"), ("request", "reason"), ("entry", "verb")):
        assert sql("eve", f"SELECT FROM cortex.{table} WHERE public.peek({column})") == []
    assert sql("eve", "SELECT FROM cortex.memory WHERE 1 / (length(content) - 19) > 0") == []
    # As SECURITY DEFINER it is eve's own rights that another lends; ada's are of ada's session.
    sql(
        "eve",
        "CREATE FUNCTION public.all_of_it() RETURNS bigint LANGUAGE sql SECURITY DEFINER "
        "AS 'SELECT count(*) FROM cortex.memory'",
    )
    assert sql("eve", "SELECT public.all_of_it()") == [(0,)]


@pytest.mark.usefixtures("teams")
def test_plans_and_statistics_hold_no_word(sql: Sql) -> None:
    plan = sql("eve", "EXPLAIN (ANALYZE, VERBOSE) SELECT content FROM cortex.memory")
    assert WORDS not in repr(plan)
    assert sql("eve", "SELECT FROM pg_stats WHERE schemaname = 'cortex'") == []
    for hidden in ("pg_statistic", "pg_authid"):
        assert "permission denied" in refused(sql, "eve", f"SELECT * FROM pg_catalog.{hidden}")
    toast = sql(
        "postgres",
        "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'cortex.memory'::regclass",
    )[0][0]
    assert "permission denied" in refused(sql, "eve", f"SELECT * FROM {toast}")


def test_who_logged_in_decides_not_the_role_that_is_set(sql: Sql, teams: str) -> None:
    sql("postgres", "GRANT ada TO eve")
    sql("eve", "SET ROLE ada")
    assert sql("eve", "SELECT content FROM cortex.memory") == []
    assert "no such request" in refused(
        sql, "eve", "SELECT cortex.decide(%s, 'approved', NULL, '')", teams
    )
    sql("eve", "RESET ROLE")
    sql("postgres", "REVOKE ada FROM eve")
    for role in ("cortex_owner", "ada", "postgres"):
        assert "permission denied" in refused(sql, "eve", f"SET ROLE {role}")
        assert "permission denied" in refused(sql, "eve", f"SET SESSION AUTHORIZATION {role}")


def test_every_function_refuses_a_foreign_team(sql: Sql, teams: str) -> None:
    approved = sql("ada", "SELECT request FROM cortex.entry")[0][0]
    memory = sql("ada", "SELECT id FROM cortex.memory")[0][0]
    calls: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("create_team(%s, 'x', 'x', true)", (OURS,)),
        ("add_member(%s, 'eve', '', 'maintainer')", (OURS,)),
        ("leave(%s, 'ben')", (OURS,)),
        ("propose(%s, %s, '', 'add', '', %s)", (fresh(), OURS, items())),
        ("propose(%s, %s, '', 'add', '', %s)", (teams, THEIRS, items())),
        ("decide(%s, 'approved', NULL, '')", (teams,)),
        ("decide(%s, 'withdrawn', NULL, '')", (teams,)),
        ("revert(%s, %s, '')", (approved, fresh())),
        ("erase(%s, %s, %s)", (OURS, fresh(), [memory])),
        ("set_vector(%s, %s, 1, 'm', NULL, NULL, NULL)", (OURS, memory)),
        ("set_words(%s, %s, '{1}', %s)", (OURS, [memory], [CUT])),
        ("count_words(%s, %s, 9)", (OURS, [CUT])),
        ("find_words(%s, %s, NULL, '{}', 9)", (OURS, CUT)),
        ("note_origin(%s, 'p', 'o')", (OURS,)),
    )
    for call, values in calls:
        said = refused(sql, "eve", f"SELECT cortex.{call}", *values)
        assert "Nothing was changed" in said, call
        assert WORDS not in said
    granted = sql(
        "postgres",
        "SELECT count(*) FROM pg_proc WHERE pronamespace = 'cortex'::regnamespace "
        "AND has_function_privilege('eve', oid, 'execute')",
    )
    assert granted == [
        (len({call.partition("(")[0] for call, _ in calls}) + 3,)
    ]  # hello, make_way, own_teams
    for inner in ("write_entry", "write_memory", "approve", "withdraw", "new_epoch", "refuse"):
        (arguments,) = sql(
            "postgres",
            "SELECT pronargs FROM pg_proc WHERE proname = %s "
            "AND pronamespace = 'cortex'::regnamespace",
            inner,
        )[0]
        nothing = ", ".join(["NULL"] * arguments)
        assert "permission denied" in refused(sql, "ada", f"SELECT cortex.{inner}({nothing})")


def test_shadows_on_the_search_path_change_nothing(sql: Sql, teams: str) -> None:
    sql("postgres", "GRANT CREATE ON SCHEMA public TO eve")
    sql(
        "eve",
        "CREATE TEMP TABLE member AS SELECT %s::uuid AS team, 'eve'::text AS role, "
        "'maintainer'::text AS rights, NULL::timestamptz AS departed",
        OURS,
    )
    sql(
        "eve",
        "CREATE FUNCTION pg_temp.rights_in(uuid) RETURNS text LANGUAGE sql "
        "AS 'SELECT ''maintainer'''",
    )
    sql(
        "eve",
        "CREATE FUNCTION public.own_teams() RETURNS uuid[] LANGUAGE sql "
        f"AS 'SELECT ARRAY[''{OURS}''::uuid]'",
    )
    for path in ("pg_temp, public, cortex, pg_catalog", "public, pg_temp"):
        sql("eve", f"SET search_path = {path}")
        assert sql("eve", "SELECT count(*) FROM cortex.memory") == [(0,)]
        said = refused(sql, "eve", "SELECT cortex.leave(%s, 'ben')", OURS)
        assert "not a member" in said


def test_nobody_writes_in_another_name(sql: Sql, teams: str) -> None:
    sql("ben", "SELECT cortex.decide(%s, 'approved', NULL, '')", teams)
    assert sql("ben", "SELECT author, approver FROM cortex.entry WHERE sequence = 2") == [
        ("ada", "ben")
    ]
    assert "hub does" in refused(
        sql,
        "ben",
        "SELECT cortex.propose(%s, %s, '', 'add', '', %s)",
        fresh(),
        OURS,
        items(author="ada"),
    )
    forged = json.dumps([{"id": fresh(), "author": "ada", "memory": None}])
    assert "form" in refused(
        sql, "ben", "SELECT cortex.propose(%s, %s, '', 'add', '', %s)", fresh(), OURS, forged
    )


HOSTILE: tuple[tuple[str, str], ...] = (
    (items(title="x" * 301), "300"),
    (items(title="x" * 1_000_000), "characters"),
    (items(title="one\ntwo"), "one line"),
    (items(title="\x1b[2J gone"), "control"),
    (items(content="x" * 200_001), "200,000"),
    (items(content="\x9b2J"), "control"),
    (items(content=""), "content"),
    (items(content=7), "content"),
    (items(kind="A b"), "kind"),
    (items(tags="x"), "tags"),
    (items(tags=["a\nb"]), "tags"),
    (items(tags=[["a"]]), "tags"),
    (items(created=4_070_908_800), "future"),
    (items(updated="2099-01-01"), "no number"),
    (items(details={"steps": [{"text": "\x07"}]}), "control"),
    (items(details={"\x07": 1}), "control"),
    (items(scope="global"), "hub does"),
    (items(priority=10**400), "too large"),
    (items(x=-(10**16)), "too large"),
    (items(details=json.loads("[" * 25 + "]" * 25)), "nested"),
    (items(title="paid \u202ecod"), "control"),
    (items(tags=["\u2066x"]), "tags"),
    (items(excerpt="\u202egnp"), "control"),
    (items(details={"a": ["AKIA" + "A" * 16]}), "key"),
    (items(files=["ghp_" + "a" * 36]), "key"),
    ("[]", "1 to 500"),
    ("{}", "1 to 500"),
    ('"x"', "1 to 500"),
    ("[1]", "form"),
    (json.dumps([{"id": "7", "memory": None}]), "form"),
    (json.dumps([{"id": str(uuid.UUID(int=n)), "memory": None} for n in range(501)]), "500"),
    (json.dumps([{"id": str(uuid.UUID(int=1)), "memory": None}] * 2), "twice"),
    (json.dumps([{"id": str(uuid.UUID(int=1)), "base": -1, "memory": None}]), "form"),
    (json.dumps([{"id": str(uuid.UUID(int=1)), "base": 1.5, "memory": None}]), "form"),
)
"""Items that no request may have, and a word of why."""


@pytest.mark.usefixtures("teams")
def test_hostile_items_are_refused(sql: Sql) -> None:
    propose = "SELECT cortex.propose(%s, %s, '', 'add', '', %s)"
    sql("ben", "SET standard_conforming_strings = off")  # functions are read with it, too
    for hostile, said in HOSTILE:
        why = refused(sql, "ben", propose, fresh(), OURS, hostile)
        assert said in why, hostile[:200]
        assert "Nothing was changed" in why
    assert sql("ben", "SELECT count(*) FROM cortex.request WHERE author = 'ben'") == [(0,)]


ESTIMATED = (
    "SELECT FROM cortex.memory WHERE title < %s",
    "SELECT FROM cortex.memory WHERE content = %s",
    "SELECT FROM cortex.memory WHERE author = %s",
    "SELECT FROM cortex.request WHERE reason < %s",
    "SELECT FROM cortex.entry WHERE approver = %s",
    "SELECT FROM cortex.team WHERE name < %s",
    "SELECT FROM cortex.member WHERE display < %s",
)
"""Statements whose number of rows PostgreSQL would estimate from what it sampled of all teams."""


@pytest.mark.usefixtures("teams")
def test_estimates_spell_out_nothing(sql: Sql) -> None:
    sql(
        "ada",
        "SELECT cortex.set_words(%s, array_agg(id), array_agg(sequence), "
        "array_agg(%s::text)) FROM cortex.memory",
        OURS,
        CUT,
    )
    sql("postgres", "ANALYZE")
    for statement in ESTIMATED:
        rows = {
            sql("eve", f"EXPLAIN (FORMAT JSON) {statement}", guess)[0][0][0]["Plan"]["Plan Rows"]
            for guess in ("", "ada", "of ada", WORDS, "zz")
        }
        assert len(rows) == 1, statement
    held = "SELECT most_common_vals::text, histogram_bounds::text, most_common_elems::text "
    sampled = repr(sql("postgres", held + "FROM pg_stats WHERE schemaname = 'cortex'"))
    assert OURS in sampled
    assert CUT not in sampled


@pytest.mark.usefixtures("teams")
def test_nobody_binds_a_table_of_their_own_to_the_hub(sql: Sql) -> None:
    sql("postgres", "GRANT CREATE ON SCHEMA public TO eve")
    for columns in (
        "(team uuid, id uuid, FOREIGN KEY (team, id) REFERENCES cortex.memory)",
        "() INHERITS (cortex.memory)",
        "PARTITION OF cortex.memory DEFAULT",
    ):
        said = refused(sql, "eve", f"CREATE TABLE public.mine {columns}")
        assert "permission denied" in said or "must be owner" in said, columns


def test_a_queue_that_all_share_is_not_used(server: Server, database: str, teams: str) -> None:
    # Any login could fill the queue of notifications, and so stop every function that notifies.
    with psycopg.connect(server.url(database, "ada"), autocommit=True) as link:
        link.execute(f'LISTEN "cortex_{OURS.replace("-", "")}"'.encode())
        link.execute("SELECT cortex.decide(%s, 'approved', NULL, '')", [teams])
        assert list(link.notifies(timeout=0)) == []


@pytest.mark.usefixtures("teams")
def test_nobody_fills_the_lists_of_others(sql: Sql) -> None:
    for number in range(99):
        team = str(uuid.UUID(int=number + 10))
        sql("eve", "SELECT cortex.create_team(%s, 'x', '', true)", team)
        sql("eve", "SELECT cortex.add_member(%s, 'ada', '', 'maintainer')", team)
        sql("eve", "SELECT cortex.leave(%s, 'eve')", team)
    make = "SELECT cortex.create_team(%s, 'x', '', true)"
    assert "100 teams" in refused(sql, "eve", make, fresh())
    sql("ada", make, fresh())


@pytest.mark.usefixtures("teams")
def test_requests_of_one_member_do_not_bury_the_others(sql: Sql) -> None:
    propose = "SELECT cortex.propose(%s, %s, 'k', 'add', '', %s)"
    sql(
        "postgres",
        "INSERT INTO cortex.request (id, team, project, author, kind, reason, items) "
        "SELECT gen_random_uuid(), %s, '', 'ben', 'add', '', '[]' FROM generate_series(1, 200)",
        OURS,
    )
    assert "withdraw some" in refused(sql, "ben", propose, fresh(), OURS, items())
    words = dict.fromkeys(("content", "excerpt", "a", "b"), "x" * 190_000)
    (shape,) = json.loads(items(**words))
    large = json.dumps([{**shape, "id": fresh()} for _ in range(20)])
    sql("ada", propose, fresh(), OURS, large)
    sql("ada", propose, fresh(), OURS, large)
    assert "16 million" in refused(sql, "ada", propose, fresh(), OURS, items())


def test_other_words_are_of_whoever_wrote_them(sql: Sql, teams: str) -> None:
    ((asked,),) = sql("ben", "SELECT items FROM cortex.request WHERE id = %s", teams)
    asked[0]["memory"]["content"] = "Ada likes lighthouses"
    sql("postgres", "UPDATE cortex.team SET self_approval = false")
    decide = "SELECT cortex.decide(%s, 'approved', %s, '')"
    for _ in range(2):  # the same again is the same
        assert sql("ben", decide, teams, json.dumps(asked)) == [(None,)]
    ((other, author),) = sql("ben", "SELECT id, author FROM cortex.request WHERE status = 'open'")
    assert author == "ben"
    assert "Another member has to approve" in refused(sql, "ben", decide, other, None)
    assert sql("ada", "SELECT count(*) FROM cortex.entry") == [(1,)]
    sql("ada", decide, other, None)
    written = "SELECT author, approver, items->0->>'author' FROM cortex.entry WHERE sequence = 2"
    assert sql("ada", written) == [("ben", "ada", "ben")]
    back = fresh()
    sql("ada", "SELECT cortex.revert(%s, %s, '')", other, back)
    sql("ada", "SELECT cortex.revert(%s, %s, '')", back, fresh())
    again = "SELECT author FROM cortex.memory WHERE content = 'Ada likes lighthouses'"
    assert sql("ada", again) == [("ben",)]


def test_an_id_that_is_taken_is_refused_in_words(sql: Sql, teams: str) -> None:
    approved = sql("ada", "SELECT request FROM cortex.entry")[0][0]
    memory = sql("ada", "SELECT id FROM cortex.memory")[0][0]
    erase, revert = "SELECT cortex.erase(%s, %s, %s)", "SELECT cortex.revert(%s, %s, '')"
    assert "has this id" in refused(sql, "ada", erase, OURS, teams, [memory])
    assert "has this id" in refused(sql, "ada", revert, approved, teams)


@pytest.mark.usefixtures("teams")
def test_a_database_in_which_members_may_make_functions_is_not_used(
    server: Server, database: str, sql: Sql
) -> None:
    sql("postgres", "GRANT CREATE ON SCHEMA public TO PUBLIC")
    # It fits psycopg's arithmetic better than PostgreSQL's own, and runs as whoever calls it.
    sql(
        "eve",
        "CREATE FUNCTION public.steal(numeric, integer) RETURNS numeric LANGUAGE sql AS $$ "
        "SELECT $1 FROM cortex.create_team(gen_random_uuid(), 'x', '', true) $$",
    )
    sql(
        "eve",
        "CREATE OPERATOR public.* (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = public.steal)",
    )
    with Hub(server.url(database, "ada")) as hub, pytest.raises(TeamError, match="REVOKE") as said:
        list(hub.entries(OURS))
    assert "Nothing was changed" in str(said.value)
    with Hub(server.url(database)) as hub, pytest.raises(TeamError, match="ON SCHEMA public FROM"):
        hub.migrate()
    assert sql("ada", "SELECT count(*) FROM cortex.team") == [(1,)]
    sql("postgres", "REVOKE CREATE ON SCHEMA public FROM PUBLIC, cortex_member")
    with Hub(server.url(database, "ada")) as hub:
        assert hub.role() == "ada"


def test_an_open_transaction_stops_nobody(
    server: Server, database: str, sql: Sql, teams: str
) -> None:
    other = fresh()
    sql("ada", "SELECT cortex.propose(%s, %s, '', 'add', '', %s)", other, OURS, items())
    sql("ben", "SET idle_in_transaction_session_timeout = 0")
    sql("ben", "BEGIN")
    sql("ben", "SELECT cortex.decide(%s, 'approved', NULL, '')", other)
    sql("ben", "SELECT cortex.hello('1')")
    with Hub(server.url(database, "ada")) as hub:
        hub.leave(OURS, "ben")
        assert [each.status for each in hub.requests(OURS, None) if each.id == other] == ["open"]
    with pytest.raises(psycopg.OperationalError):
        sql("ben", "COMMIT")


@pytest.mark.parametrize(
    ("held", "asked"),
    [
        ("SELECT pg_advisory_lock(7)", "SELECT pg_advisory_lock(7)"),
        ("BEGIN; SELECT lo_create(7777)", "SELECT lo_create(7777)"),
    ],
)
def test_nor_does_one_that_waits_for_another_of_the_same_client(
    server: Server, database: str, sql: Sql, teams: str, held: str, asked: str
) -> None:
    def wait() -> None:
        with pytest.raises(psycopg.OperationalError):
            sql("ben", asked)

    first = psycopg.connect(server.url(database, "ben"), autocommit=True)
    first.execute(held.encode())
    sql("ben", "BEGIN")
    sql("ben", "SELECT cortex.decide(%s, 'approved', NULL, '')", teams)
    waiting = threading.Thread(target=wait)
    waiting.start()
    try:
        while not sql("postgres", "SELECT 1 FROM pg_locks WHERE NOT granted"):
            pass
        with Hub(server.url(database, "ada")) as hub:
            hub.leave(OURS, "ben")
    finally:
        first.close()
        waiting.join()


def test_without_the_right_to_end_it_whose_transaction_is_open_is_said(
    server: Server, database: str, sql: Sql, teams: str
) -> None:
    sql("postgres", "REVOKE pg_signal_backend FROM cortex_owner")
    sql("ben", "BEGIN")
    sql("ben", "SELECT cortex.decide(%s, 'approved', NULL, '')", teams)
    try:
        with (
            Hub(server.url(database, "ada")) as hub,
            pytest.raises(TeamError, match=r"The login ben keeps .* GRANT pg_signal_backend"),
        ):
            hub.leave(OURS, "ben")
    finally:
        sql("postgres", "GRANT pg_signal_backend TO cortex_owner")


def test_who_keeps_a_lock_does_not_stop_the_owner_for_long(
    server: Server, database: str, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "PATIENCE", "20ms")
    sql("eve", f"SELECT pg_advisory_lock({schema._LOCK})")
    with Hub(server.url(database)) as hub, pytest.raises(HubUnreachable, match="busy"):
        hub.migrate()
