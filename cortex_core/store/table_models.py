"""The tables of a store as peewee models, and all that a new store is created with.

Project and global stores share this one schema. Two stores are open at once, from several threads,
so the models are bound to no database: each query names the one that it runs in, as in
`JournalTable.insert(…).execute(store.database)`. Times are Unix seconds; lists and mappings are
JSON text. Nothing outside `store/` sees a model.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from peewee import (
    SQL,
    AutoField,
    BlobField,
    BooleanField,
    Check,
    CompositeKey,
    Context,
    Field as PeeweeField,
    FloatField,
    ForeignKeyField,
    IntegerField,
    Model,
    NodeList,
    OperationalError,
    SchemaManager,
    SqliteDatabase,
    TextField,
)

from cortex_core.records.fields import COLUMNS, Field
from cortex_core.store import rows, write_queue
from cortex_core.store.reader import FTS_COLUMNS, SCHEMA_VERSION


class StoreDatabase(SqliteDatabase):
    """peewee on the connections of a store, so that reads and writes of a thread share one."""

    def __init__(self, path: str, connect: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(path)
        self._open_connection = connect

    def _connect(self) -> sqlite3.Connection:
        return self._open_connection()

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction: at once, or in the order in which others wait for the lock.

        Raises:
            OperationalError: it did not come within the connection's busy timeout.
        """
        (patience,) = self.run("PRAGMA busy_timeout", ()).fetchone()
        self.run("PRAGMA busy_timeout = 0", ())
        try:
            return super().begin(lock_type)
        except OperationalError:
            pass  # somebody else writes, or the next try says what it is
        finally:
            self.run(f"PRAGMA busy_timeout = {patience}", ())
        with write_queue.turn(self.database, patience / 1000):
            super().begin(lock_type)

    def run(self, sql: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
        """Run one statement."""
        execute: Callable[..., sqlite3.Cursor] = self.execute_sql
        return execute(sql, parameters)


def _table_name(model: type[StoreTable]) -> str:
    name = model.__name__.removesuffix("Table")
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in name).removeprefix("_")


class StoreTable(Model):
    """What the tables have in common."""

    class Meta:
        legacy_table_names = False
        table_function = _table_name


class NumberField(AutoField):
    """A row's number, which no other row gets once it is gone: the journal and the trash may bring
    the row back."""

    def ddl(self, ctx: Context) -> NodeList:
        """The column's definition."""
        return NodeList((super().ddl(ctx), SQL("AUTOINCREMENT")))


class AddedColumn(PeeweeField):
    """The column of a memory's field that a later schema version added; rows hold it encoded."""

    def __init__(self, field: Field) -> None:
        super().__init__(null=field.default is None)
        self._definition = rows.column_definition(field)

    def ddl(self, ctx: Context) -> NodeList:
        """The column's definition."""
        return NodeList((SQL(self._definition),))


class MemoryTable(StoreTable):
    """One memory; the columns of the other `FIELDS` follow below."""

    number = NumberField()
    id = TextField(unique=True)
    content = TextField()
    title = TextField()
    kind = TextField()
    priority = IntegerField(default=5, constraints=[Check("priority BETWEEN 1 AND 10")])
    context = TextField(default="")  # for the index: words of date, author, branch and files
    created = FloatField(index=True)
    updated = FloatField()
    reinforced = FloatField()
    content_hash = TextField(index=True)

    class Meta:
        indexes = (
            (("author",), False),
            (("session", "place"), False),
            (("status", "access_count"), False),
            (("status", "kind"), False),
            (("status", "updated"), False),
        )


def _column(field: Field) -> PeeweeField:
    """The column of a memory's field."""
    if field.since:
        return AddedColumn(field)
    types: dict[str, type[PeeweeField]] = {
        "number": FloatField,
        "time": FloatField,
        "whole": IntegerField,
        "flag": BooleanField,
    }
    of_form = types.get(field.form, TextField)
    if field.default is None:
        return of_form(null=True)
    return of_form(default=rows.stored_default(field))


for each in sorted(COLUMNS.values(), key=lambda field: field.since):  # as a step adds them
    if each.column not in MemoryTable._meta.columns:
        MemoryTable._meta.add_field(each.column, _column(each))


class SourceTable(StoreTable):
    """Where a memory was learned; a merged one has several."""

    id = NumberField()
    memory = TextField(index=True)
    rule = TextField()
    author = TextField(default="")
    session = TextField(default="", index=True)
    place = IntegerField(null=True)
    message = TextField(default="")
    offset = IntegerField(null=True)
    transcript = TextField(default="")
    time = FloatField(null=True)


class EmbeddingTable(StoreTable):
    """What a model makes of a memory's present text."""

    memory = ForeignKeyField(
        MemoryTable, field="number", column_name="number", primary_key=True, on_delete="CASCADE"
    )
    model = TextField()
    dimension = IntegerField()
    text_hash = TextField()
    vector = BlobField()  # float32, unit length
    bits = BlobField()  # one bit a dimension, per content token
    pieces = BlobField()  # uint16 wordpiece ids, one per row of bits
    stamp = IntegerField(default=0, index=True)  # meta 'vectors' when it was written


class KeptVectorTable(StoreTable):
    """A vector by a model of the chain that is not in force now, of the text it had then."""

    memory = ForeignKeyField(MemoryTable, field="number", column_name="number", on_delete="CASCADE")
    model = TextField()
    dimension = IntegerField()
    text_hash = TextField()
    vector = BlobField()
    bits = BlobField()
    pieces = BlobField()

    class Meta:
        primary_key = CompositeKey("memory", "model")


class EdgeTable(StoreTable):
    """A relation between two memories."""

    id = NumberField()
    source = TextField()
    target = TextField(index=True)
    type = TextField()
    strength = FloatField(default=1.0, constraints=[Check("strength BETWEEN 0 AND 1")])
    directed = BooleanField(default=True)
    context = TextField(default="")
    created = FloatField()

    class Meta:
        indexes = ((("source", "target", "type"), True),)


class ProposalTable(StoreTable):
    """Memories that may say the same, and what the user decided on them."""

    number = NumberField()
    type = TextField()
    members = TextField()
    pair = TextField(unique=True)  # the member ids in order: a pair is proposed once
    similarity = FloatField()
    reasons = TextField(default="[]")
    conflicts = TextField(default="[]")
    text = TextField(default="")
    fingerprint = TextField()
    status = TextField(default="open", index=True)
    created = FloatField()


class CursorTable(StoreTable):
    """How far a transcript has been read."""

    transcript = TextField(primary_key=True)
    session = TextField(index=True)
    offset = IntegerField(default=0)
    head = TextField(default="")  # hash of the first bytes: a replaced file starts again
    carry = TextField(default="{}")
    final = BooleanField(default=False)
    updated = FloatField()
    error = TextField(default="")


class SeenTable(StoreTable):
    """The transcript records that were read."""

    key = IntegerField(primary_key=True)  # 63 bits of the hash of a record's uuid


class ObservationTable(StoreTable):
    """How often something that counts only over sessions came up in one session."""

    topic = TextField()
    key = TextField()
    session = TextField(index=True)
    succeeded = IntegerField(default=0)
    failed = IntegerField(default=0)
    text = TextField()  # its newest form
    message = TextField(default="")
    offset = IntegerField(default=0)
    time = FloatField(null=True)
    branch = TextField(default="")
    vector = BlobField(null=True)  # float32, of what the user said; none until the worker made it

    class Meta:
        primary_key = CompositeKey("topic", "key", "session")


class AnchorTable(StoreTable):
    """Something of the project that a memory names, and what has become of it."""

    memory = TextField()
    kind = TextField()  # none: the memory was looked at and names nothing
    name = TextField()
    key = TextField()
    value = TextField(default="")
    path = TextField(default="")
    line = IntegerField(default=0)
    commit = TextField(default="")
    state = TextField(default="fresh")
    since = FloatField(default=0.0)
    now = TextField(default="")
    content_hash = TextField()  # of the text that was looked at

    class Meta:
        primary_key = CompositeKey("memory", "kind", "name")


class LedgerTable(StoreTable):
    """One hook event or one capture, and what came of it."""

    number = AutoField()
    time = FloatField(index=True)
    event = TextField()
    session = TextField(default="", index=True)
    transcript = TextField(default="")
    extractor = TextField(default="")
    bytes_read = IntegerField(default=0)
    candidates = IntegerField(default=0)
    stored = IntegerField(default=0)
    suggested = IntegerField(default=0)
    merged = IntegerField(default=0)
    refused = TextField(default="{}")
    tokens = IntegerField(default=0)
    cost = FloatField(default=0.0)
    seconds = FloatField(default=0.0)
    error = TextField(default="")


class ReceiptTable(StoreTable):
    """A memory that was given in a session, and whether it was used."""

    id = AutoField()
    session = TextField()
    event = TextField()
    memory = TextField(index=True)
    time = FloatField()
    tokens = IntegerField(default=0)
    used = BooleanField(null=True)
    evidence = TextField(default="")

    class Meta:
        indexes = ((("session", "memory"), False),)


class OccasionTable(StoreTable):
    """A call of a tool at which a rule was kept or broken."""

    memory = TextField()
    use = IntegerField()  # 63 bits of the hash of the call's id
    session = TextField()
    time = FloatField()
    turn = IntegerField()  # its number in the session, counted from 1
    message = TextField()
    offset = IntegerField()
    transcript = TextField(index=True)
    call = TextField()  # the beginning of what was called
    kept = BooleanField()

    class Meta:
        primary_key = CompositeKey("memory", "use")


class VerdictTable(StoreTable):
    """Whether the user kept what a rule suggested."""

    id = NumberField()
    memory = TextField()
    rule = TextField(index=True)
    kept = BooleanField()
    time = FloatField()


class ForgottenTable(StoreTable):
    """A session whose conversation the user does not want to see again."""

    session = TextField(primary_key=True)
    title = TextField(default="")
    time = FloatField()


class TrashTable(StoreTable):
    """A pruned memory."""

    memory = TextField(primary_key=True)
    title = TextField()
    rows = BlobField()  # zlib of the JSON of every row that went
    time = FloatField()


class JournalTable(StoreTable):
    """One change."""

    number = AutoField()
    time = FloatField()
    actor = TextField()
    verb = TextField()
    label = TextField()
    action = TextField(index=True)
    undoes = IntegerField(null=True)
    undone_by = IntegerField(null=True)
    origin = TextField(null=True)  # the project it was made in, "" outside of any; null: unknown
    spans = BooleanField(null=True)  # whether it is a part of an action in both stores
    machine = TextField(null=True)  # the writer whose entry this repeats; null: made here
    stamp = TextField(null=True, index=True)  # by which other machines know it


class JournalRowTable(StoreTable):
    """One row that a change wrote, before and after."""

    entry = ForeignKeyField(JournalTable, field="number", column_name="entry", on_delete="CASCADE")
    place = IntegerField()
    table = TextField()
    key = TextField()
    memory = TextField(default="", index=True)
    before = TextField(null=True)
    after = TextField(null=True)

    class Meta:
        primary_key = CompositeKey("entry", "place")
        constraints = [SQL("CHECK (before IS NOT NULL OR after IS NOT NULL)")]


class SyncedTable(StoreTable):
    """What sync knows of a row that machines share, whether it is in its table or not."""

    object = TextField(primary_key=True)
    stamps = TextField()
    row = TextField(null=True)  # as it would be in its table; null where it is there, or is gone

    class Meta:
        indexes = (
            SQL(
                'CREATE INDEX IF NOT EXISTS "synced_hidden" ON "synced" ("object") '
                'WHERE "row" IS NOT NULL'
            ),
        )


class MetaTable(StoreTable):
    """What the store says of itself."""

    key = TextField(primary_key=True)
    value = TextField()


MODELS: tuple[type[StoreTable], ...] = (
    MemoryTable,
    SourceTable,
    EmbeddingTable,
    KeptVectorTable,
    EdgeTable,
    ProposalTable,
    CursorTable,
    SeenTable,
    ObservationTable,
    AnchorTable,
    LedgerTable,
    ReceiptTable,
    OccasionTable,
    VerdictTable,
    ForgottenTable,
    TrashTable,
    JournalTable,
    JournalRowTable,
    SyncedTable,
    MetaTable,
)

BY_NAME: dict[str, type[StoreTable]] = {model._meta.table_name: model for model in MODELS}

_FTS = f"""
CREATE VIRTUAL TABLE IF NOT EXISTS memory_fts USING fts5(
    {", ".join(FTS_COLUMNS)}, content='memory', content_rowid='number',
    tokenize='porter unicode61 remove_diacritics 2');

CREATE VIRTUAL TABLE IF NOT EXISTS memory_words USING fts5(
    title, content, tags, content='memory', content_rowid='number',
    tokenize='unicode61 remove_diacritics 2', detail=none, prefix='1 2 3');

CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5vocab(memory_words, 'row');

CREATE VIRTUAL TABLE IF NOT EXISTS stem USING fts5vocab(memory_fts, 'row');

CREATE TRIGGER IF NOT EXISTS memory_added AFTER INSERT ON memory BEGIN
    INSERT INTO memory_fts(rowid, title, content, tags, context, excerpt)
    VALUES (new.number, new.title, new.content, new.tags, new.context, new.excerpt);
    INSERT INTO memory_words(rowid, title, content, tags)
    VALUES (new.number, new.title, new.content, new.tags);
END;

CREATE TRIGGER IF NOT EXISTS memory_removed AFTER DELETE ON memory BEGIN
    INSERT INTO memory_fts(memory_fts, rowid, title, content, tags, context, excerpt)
    VALUES ('delete', old.number, old.title, old.content, old.tags, old.context, old.excerpt);
    INSERT INTO memory_words(memory_words, rowid, title, content, tags)
    VALUES ('delete', old.number, old.title, old.content, old.tags);
END;

CREATE TRIGGER IF NOT EXISTS memory_changed
AFTER UPDATE OF title, content, tags, context, excerpt ON memory BEGIN
    INSERT INTO memory_fts(memory_fts, rowid, title, content, tags, context, excerpt)
    VALUES ('delete', old.number, old.title, old.content, old.tags, old.context, old.excerpt);
    INSERT INTO memory_words(memory_words, rowid, title, content, tags)
    VALUES ('delete', old.number, old.title, old.content, old.tags);
    INSERT INTO memory_fts(rowid, title, content, tags, context, excerpt)
    VALUES (new.number, new.title, new.content, new.tags, new.context, new.excerpt);
    INSERT INTO memory_words(rowid, title, content, tags)
    VALUES (new.number, new.title, new.content, new.tags);
END;
"""

_VECTORS = """
CREATE TRIGGER IF NOT EXISTS memory_reworded
AFTER UPDATE OF title, content, tags, kind, author, created ON memory
WHEN old.title IS NOT new.title OR old.content IS NOT new.content OR old.tags IS NOT new.tags
    OR old.kind IS NOT new.kind OR old.author IS NOT new.author
    OR old.created IS NOT new.created BEGIN
    DELETE FROM embedding WHERE number = new.number;
END;

CREATE TRIGGER IF NOT EXISTS embedding_removed AFTER DELETE ON embedding BEGIN
    INSERT INTO meta(key, value) VALUES ('vectors', '1')
    ON CONFLICT(key) DO UPDATE SET value = value + 1;
END;
"""


def create(database: SqliteDatabase) -> None:
    """Create the tables, indexes and triggers of the newest schema that are not there yet."""
    for model in MODELS:
        SchemaManager(model, database).create_all(safe=True)
    for statement in f"{_FTS}\n{_VECTORS}".strip().split(";\n\n"):
        database.execute_sql(statement)
    database.pragma("user_version", SCHEMA_VERSION)
