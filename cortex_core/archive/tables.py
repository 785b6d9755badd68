"""The tables of an archive of conversations, and its index for full-text search."""

from peewee import (
    BlobField,
    BooleanField,
    FloatField,
    ForeignKeyField,
    IntegerField,
    SchemaManager,
    TextField,
)

from cortex_core.store.table_models import MetaTable, NumberField, StoreDatabase, StoreTable


class ConversationTable(StoreTable):
    """One session."""

    number = NumberField()
    session = TextField(unique=True)
    title = TextField(default="")
    branch = TextField(default="")  # the first
    folder = TextField(default="")
    model = TextField(default="")  # the first
    transcript = TextField(default="")
    started = FloatField(null=True)
    ended = FloatField(null=True, index=True)
    turns = IntegerField(default=0)
    messages = IntegerField(default=0)
    commits = IntegerField(default=0)


class MessageTable(StoreTable):
    """One message of a conversation."""

    number = NumberField()
    conversation = ForeignKeyField(
        ConversationTable,
        field="number",
        column_name="conversation",
        index=False,
        on_delete="CASCADE",
    )
    kind = TextField()
    text = TextField()
    index_words = TextField(default="")  # what full-text search finds besides the words of the text
    time = FloatField(null=True)
    uuid = TextField(default="")
    offset = IntegerField(default=0)
    branch = TextField(default="")  # where it is not the conversation's
    model = TextField(default="")  # where it is not the conversation's
    succeeded = BooleanField(null=True)
    details = TextField(default="")  # JSON: whether it waited in a queue, and what delivered it
    key = IntegerField(unique=True)  # 63 bits of the hash of what it has in common with its copies


class PositionTable(StoreTable):
    """How far a transcript has been read into the archive."""

    transcript = TextField(primary_key=True)
    session = TextField()
    offset = IntegerField(default=0)
    head = TextField(default="")  # hash of the first bytes: a replaced file starts again


class ConversationVectorsTable(StoreTable):
    """What a model makes of the messages of a conversation, in one row: they are read together."""

    conversation = ForeignKeyField(
        ConversationTable,
        field="number",
        column_name="conversation",
        primary_key=True,
        on_delete="CASCADE",
    )
    model = TextField()
    messages = IntegerField()  # how many there were, those without a vector included
    numbers = BlobField()  # int64 of those with a vector, ascending
    signs = BlobField()  # one bit a dimension for each


class MessageTokensTable(StoreTable):
    """The first content tokens of a message, each once."""

    message = ForeignKeyField(
        MessageTable, field="number", column_name="number", primary_key=True, on_delete="CASCADE"
    )
    pieces = BlobField()  # uint16 wordpiece ids
    bits = BlobField()  # one bit a dimension for each


MODELS: tuple[type[StoreTable], ...] = (
    ConversationTable,
    MessageTable,
    PositionTable,
    ConversationVectorsTable,
    MessageTokensTable,
    MetaTable,
)

_INDEX = """
CREATE VIRTUAL TABLE IF NOT EXISTS message_fts USING fts5(
    text, index_words, content='message', content_rowid='number',
    tokenize='porter unicode61 remove_diacritics 2');

CREATE TRIGGER IF NOT EXISTS message_added AFTER INSERT ON message BEGIN
    INSERT INTO message_fts(rowid, text, index_words)
    VALUES (new.number, new.text, new.index_words);
END;

CREATE TRIGGER IF NOT EXISTS message_removed AFTER DELETE ON message BEGIN
    INSERT INTO message_fts(message_fts, rowid, text, index_words)
    VALUES ('delete', old.number, old.text, old.index_words);
END;

CREATE TRIGGER IF NOT EXISTS message_vectors_removed AFTER DELETE ON message BEGIN
    DELETE FROM conversation_vectors WHERE conversation = old.conversation;
END;

CREATE TRIGGER IF NOT EXISTS message_vectors_outdated AFTER UPDATE OF text ON message BEGIN
    DELETE FROM conversation_vectors WHERE conversation = old.conversation;
    DELETE FROM message_tokens WHERE number = old.number;
END;

CREATE TRIGGER IF NOT EXISTS message_changed AFTER UPDATE OF text, index_words ON message BEGIN
    INSERT INTO message_fts(message_fts, rowid, text, index_words)
    VALUES ('delete', old.number, old.text, old.index_words);
    INSERT INTO message_fts(rowid, text, index_words)
    VALUES (new.number, new.text, new.index_words);
END
"""

_INDEXES = (
    "CREATE INDEX IF NOT EXISTS message_order ON message (conversation, time)",
    "CREATE INDEX IF NOT EXISTS message_branch ON message (branch, conversation) "
    "WHERE branch <> ''",
    "CREATE INDEX IF NOT EXISTS message_done ON message (kind, text, conversation) "
    "WHERE kind = 'edit' OR kind = 'commit'",
)


def create(database: StoreDatabase, version: int) -> None:
    """Create what is not there yet, as the schema `version`."""
    for model in MODELS:
        SchemaManager(model, database).create_all(safe=True)
    for statement in (*_INDEX.strip().split(";\n\n"), *_INDEXES):
        database.run(statement, ())
    database.pragma("user_version", version)
