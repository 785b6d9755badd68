"""The schema of the hub: its numbered steps, and `migrate`, which alone makes them.

Everything is in the schema `cortex` and belongs to the role `cortex_owner`, whom nobody logs in as.
Members hold the role `cortex_member`: they read what row-level security shows them, and write
through functions only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, LiteralString, NamedTuple

from cortex_core.base.errors import TeamError

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

    Rows = Cursor[tuple[object, ...]]

OLDEST_SERVER = 150_000
"""PostgreSQL 15, as `server_version_num` counts."""

OLDEST_VECTOR = (0, 7)
"""The first version of the extension that has half-precision vectors."""

PATIENCE = "10s"
"""How long `migrate` waits for those who use the hub, as PostgreSQL writes it."""

_LOCK = 0x636F72746578
"""The advisory lock of whoever migrates: “cortex” in ASCII."""

OWNERS_LINES = """\
CREATE ROLE cortex_owner NOLOGIN;
CREATE ROLE cortex_member NOLOGIN;
GRANT cortex_owner TO CURRENT_USER;
GRANT CREATE ON DATABASE {database} TO CURRENT_USER;
GRANT pg_signal_backend TO cortex_owner;
CREATE EXTENSION vector;"""
"""What the owner of a database runs once, in it, as a role that may; `CURRENT_USER` is whoever
migrates."""


EXPOSED: LiteralString = """
    SELECT pg_catalog.quote_ident(nspname::text) FROM pg_catalog.pg_namespace AS n
    WHERE pg_catalog.has_schema_privilege('cortex_member'::name, n.oid, 'CREATE')
    AND (nspname OPERATOR(pg_catalog.=) ANY (pg_catalog.current_schemas(false))
        OR EXISTS (SELECT FROM pg_catalog.pg_extension
                   WHERE extname OPERATOR(pg_catalog.=) 'vector'::name
                   AND extnamespace OPERATOR(pg_catalog.=) n.oid))
    LIMIT 1
"""
"""A schema in which names are looked up and every member may create some: PUBLIC could before
PostgreSQL 15, and databases that were upgraded keep it. A function with a fitting name would run
with the rights of whoever uses the hub next."""


STATE: LiteralString = (
    f"SELECT coalesce(max(version), 0), coalesce(max(reader), 0), ({EXPOSED}) "
    "FROM cortex.schema_version"
)
"""The newest step that a hub has, the oldest that a Cortex must know to use it, and what it leaves
exposed."""


class SchemaStep(NamedTuple):
    """One step of the ladder."""

    number: int
    label: str
    reader: int
    """The oldest step that a Cortex must know to use a hub that has this one."""

    @property
    def sql(self) -> str:
        """Its statements."""
        return Path(__file__).with_name(f"step_{self.number}.sql").read_text(encoding="utf-8")


STEPS: tuple[SchemaStep, ...] = (
    SchemaStep(1, "teams, requests, the log and the memories", 1),
    SchemaStep(2, "where the clones of a project come from", 1),
    SchemaStep(3, "who is spared when the hub makes way", 1),
)

NEWEST = STEPS[-1].number


def check(version: int, reader: int, exposed: str | None) -> None:
    """Make sure that this Cortex may use a hub, by what `STATE` gives; 0 where it has no tables.

    Raises:
        TeamError: its tables are missing, older or newer, or members could act for others.
    """
    if version < NEWEST:
        has = f"has version {version} of its tables" if version else "has no tables yet"
        raise TeamError(
            f"The hub {has}; this Cortex needs version {NEWEST}. Nothing was changed. The owner of "
            "its database runs: cortex team migrate"
        )
    if reader > NEWEST:
        raise TeamError(
            f"The hub has version {version} of its tables, which is newer than this Cortex. "
            "Nothing was changed. Update Cortex (docs/installing.md)."
        )
    if exposed:
        raise TeamError(exposed_sentence(exposed))


def migrate(connection: Connection[tuple[object, ...]]) -> tuple[SchemaStep, ...]:
    """Bring the hub to the newest schema, in one transaction; returns the steps that it made.

    Whoever calls it while another does waits, and then finds nothing to do.

    Raises:
        TeamError: the server is too old, or rights, roles or the extension are missing.
    """
    from psycopg.errors import InsufficientPrivilege

    try:
        with connection.transaction(), connection.cursor() as cursor:
            # Names are looked up where no member can have put any of theirs, and a member who keeps
            # a table or the lock stops nobody for long.
            cursor.execute("SET LOCAL search_path = pg_catalog, pg_temp")
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [PATIENCE])
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            _check_server(cursor)
            _prepare(cursor)
            (reached,) = _one(
                cursor.execute("SELECT coalesce(max(version), 0) FROM schema_version")
            )
            missing = [step for step in STEPS if step.number > int(str(reached))]
            for step in missing:
                cursor.execute(step.sql.encode())
                cursor.execute(
                    "INSERT INTO schema_version (version, label, reader) VALUES (%s, %s, %s)", step
                )
            return tuple(missing)
    except InsufficientPrivilege as error:
        name = '"' + connection.info.dbname.replace('"', '""') + '"'
        raise TeamError(
            f"The hub cannot be set up: PostgreSQL says “{error.diag.message_primary}”. Nothing "
            "was changed. The owner of the database runs these lines, with your login for "
            f"CURRENT_USER:\n{OWNERS_LINES.format(database=name)}"
        ) from error


def _check_server(cursor: Rows) -> None:
    number, version = _one(
        cursor.execute("SELECT current_setting('server_version_num')::int, version()")
    )
    if int(str(number)) < OLDEST_SERVER:
        raise TeamError(
            f"The hub needs PostgreSQL 15 or newer; this is {str(version).split(',')[0]}. Nothing "
            "was changed. Update the server, or use another one."
        )


def _prepare(cursor: Rows) -> None:
    """Make the roles, the extension and the schema, where they are missing."""
    for role in ("cortex_owner", "cortex_member"):
        if not _found(cursor, "SELECT FROM pg_roles WHERE rolname = %s", role):
            cursor.execute(f"CREATE ROLE {role} NOLOGIN")
    if not _one(cursor.execute("SELECT pg_has_role('cortex_owner', 'member')"))[0]:
        cursor.execute("GRANT cortex_owner TO CURRENT_USER")
    if not _found(cursor, "SELECT FROM pg_namespace WHERE nspname = %s", "cortex"):
        cursor.execute("CREATE SCHEMA cortex AUTHORIZATION cortex_owner")
    home = _vector_schema(cursor)
    if (exposed := cursor.execute(EXPOSED).fetchone()) is not None:
        raise TeamError(exposed_sentence(str(exposed[0])))
    cursor.execute("SET LOCAL ROLE cortex_owner")
    cursor.execute(
        "SELECT set_config('search_path', 'cortex, ' || quote_ident(%s) || ', pg_temp', true)",
        [home],
    )
    cursor.execute(
        "CREATE TABLE IF NOT EXISTS cortex.schema_version (version integer PRIMARY KEY, "
        "label text NOT NULL, reader integer NOT NULL, "
        "applied timestamptz NOT NULL DEFAULT clock_timestamp())"
    )


def _vector_schema(cursor: Rows) -> str:
    """The schema of the extension `vector`, which is made where it is missing."""
    if not _found(cursor, "SELECT FROM pg_extension WHERE extname = %s", "vector"):
        if not _found(cursor, "SELECT FROM pg_available_extensions WHERE name = %s", "vector"):
            raise TeamError(
                "The server does not have pgvector. Nothing was changed. Install it there (the "
                "package postgresql-NN-pgvector, or an image with it), then migrate again."
            )
        cursor.execute("CREATE EXTENSION vector SCHEMA public")
    found = cursor.execute(
        "SELECT extversion, nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace "
        "WHERE extname = 'vector'"
    )
    version, home = map(str, _one(found))
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VECTOR:
        raise TeamError(
            f"The hub needs pgvector 0.7 or newer; the database has {version}. Nothing was "
            "changed. The owner of the database runs: ALTER EXTENSION vector UPDATE"
        )
    return home


def exposed_sentence(name: str) -> str:
    """What is wrong where every member may create objects in the schema `name`."""
    return (
        f"Every member may create functions in the schema {name} of the hub's database, and could "
        "act in the name of others by them. Nothing was changed. The owner of the database runs: "
        f"REVOKE CREATE ON SCHEMA {name} FROM PUBLIC, cortex_member"
    )


def _found(cursor: Rows, sql: LiteralString, value: str) -> bool:
    return cursor.execute(sql, [value]).rowcount > 0


def _one(cursor: Rows) -> tuple[object, ...]:
    row = cursor.fetchone()
    assert row is not None
    return row
