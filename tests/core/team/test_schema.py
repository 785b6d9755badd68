"""The schema of the hub: who makes it, how often, and what is said where it cannot be made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from cortex_core.base.errors import TeamError
from cortex_core.team.hub import schema
from tests.core.team.conftest import Sql
from tests.core.team.postgres import Server

Connection = psycopg.Connection[tuple[Any, ...]]


def connected(server: Server, database: str, role: str = "postgres") -> Connection:
    return psycopg.connect(server.url(database, role), autocommit=True)


@pytest.fixture
def empty(server: Server) -> str:
    """A database without anything, which the login `owner` owns."""
    with connected(server, "postgres") as connection:
        connection.execute("DROP DATABASE IF EXISTS owner_of")
        connection.execute("DROP ROLE IF EXISTS owner")
        connection.execute("CREATE ROLE owner LOGIN")
        connection.execute("CREATE DATABASE owner_of OWNER owner")
    return "owner_of"


def test_several_migrate_at_once_and_each_step_is_made_once(server: Server, empty: str) -> None:
    def migrate(_: int) -> int:
        with connected(server, empty) as connection:
            return len(schema.migrate(connection))

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(migrate, range(4))) == [0, 0, 0, len(schema.STEPS)]
    with connected(server, empty) as connection:
        assert connection.execute("SELECT count(*) FROM cortex.hub").fetchone() == (1,)


def test_who_may_not_is_given_the_lines_and_with_them_may(server: Server, empty: str) -> None:
    with connected(server, empty, "owner") as owner:
        with pytest.raises(TeamError, match="CREATE EXTENSION vector;") as refused:
            schema.migrate(owner)
        assert "Nothing was changed" in str(refused.value)
        assert owner.execute("SELECT FROM pg_namespace WHERE nspname = 'cortex'").rowcount == 0
    with connected(server, empty) as superuser:
        # The roles are there: a cluster has them once.
        for line in schema.OWNERS_LINES.format(database=empty).splitlines()[2:]:
            superuser.execute(line.replace("CURRENT_USER", "owner").encode())
    with connected(server, empty, "owner") as owner:
        assert schema.migrate(owner) == schema.STEPS


def test_an_old_server_is_refused(
    server: Server, empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "OLDEST_SERVER", 990_000)
    with connected(server, empty) as connection, pytest.raises(TeamError, match="PostgreSQL 15"):
        schema.migrate(connection)


def test_nobody_owns_anything_who_can_log_in(sql: Sql) -> None:
    owners = sql(
        "postgres",
        "SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class "
        "WHERE relnamespace = 'cortex'::regnamespace "
        "UNION SELECT DISTINCT pg_get_userbyid(proowner) FROM pg_proc "
        "WHERE pronamespace = 'cortex'::regnamespace",
    )
    assert owners == [("cortex_owner",)]
    assert sql("postgres", "SELECT rolcanlogin FROM pg_roles WHERE rolname = 'cortex_owner'") == [
        (False,)
    ]
