"""One archive: a SQLite file of conversations next to a store of memories.

What is written is recognised by its key, so that writing it again, after a crash or from a copy of
a transcript, changes nothing. Nothing in it is journalled: a conversation is a copy of what was
said, and no user changes its words.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Cursor, Row
from typing import TYPE_CHECKING, Any, ClassVar, cast

from cortex_core.archive.quotes import MARKED, OWNER
from cortex_core.base import scripts, text
from cortex_core.base.errors import (
    NotFound,
    StoreCorrupt,
    StoreUnusable,
    UsageError,
)
from cortex_core.base.project import archive_next_to
from cortex_core.records.conversation import Conversation, Message, MessageKind
from cortex_core.records.events import START, ReadPosition
from cortex_core.records.memory import Scope
from cortex_core.redaction.redactor import Form
from cortex_core.store import migrations, opening, reader, scrubbing
from cortex_core.store.database import DatabaseFile

if TYPE_CHECKING:  # what reads transcripts takes 0.1 s to load, which reading an archive spares
    from cortex_core.archive.collecting import Collected, MessageDraft

VERSION = 1
"""The schema of an archive that this code reads and writes, counted by PRAGMA user_version."""

LONGEST_TITLE = 120
"""Characters of a conversation's title: what the session is called, else its first words."""

SHORTEST_PREFIX = 4
"""Characters of a session's id that are enough to name it."""

_COUNTS = """
UPDATE conversation SET
    turns = (SELECT count(*) FROM message WHERE conversation = ? AND kind = 'user'),
    messages = (SELECT count(*) FROM message WHERE conversation = ?),
    commits = (SELECT count(*) FROM message WHERE conversation = ? AND kind = 'commit'),
    started = (SELECT min(time) FROM message WHERE conversation = ?),
    ended = (SELECT max(time) FROM message WHERE conversation = ?)
WHERE number = ?
"""

DAMAGED = ".damaged-"
"""Comes before a number in the name of an archive that was moved aside."""

MOST_SEGMENTS = 8
"""Parts of the index from which it is made one: a word is looked up in each. With 25, as ten
thousand sessions leave it, a search takes twice as long; to merge them takes 6 s, once."""

_REBUILD = "INSERT INTO message_fts(message_fts) VALUES ('rebuild')"
"""The index would keep the words of what was removed."""

QUEUED = "queued"
"""The detail of words that waited in a queue: the key of the prompt that delivered them, or 0."""

_ERASED = "erased "
"""Begins the key of a note that a session was removed for good."""

_CHANGED_IN_TURN = """
SELECT 1 FROM message e WHERE e.conversation = ? AND e.kind = 'edit' AND e.text = ?
AND e.time <= ? AND NOT EXISTS (SELECT 1 FROM message u WHERE u.conversation = ?
    AND u.kind = 'user' AND u.time > e.time AND u.time <= ?)
"""


ARCHIVED: dict[str, dict[str, Form]] = {
    "conversation": {
        "session": "text",
        "title": "text",
        "branch": "text",
        "folder": "text",
        "model": "text",
        "transcript": "text",
    },
    "message": {
        "text": "text",
        "uuid": "text",
        "branch": "text",
        "model": "text",
        "details": "texts",
    },
    "position": {"transcript": "text", "session": "text"},
    "meta": {"key": "text", "value": "texts"},
}
"""By table, the columns with words of users, tools or files, and ids and paths from outside."""


def path_next_to(store: Path) -> Path:
    """The file of the archive that belongs to the store at `store`."""
    return Path(archive_next_to(str(store)))


def damaged_copies(archive: Path) -> list[Path]:
    """The files of archives that were damaged and moved aside next to `archive`."""
    return sorted(archive.parent.glob(f"{archive.name}{DAMAGED}*"))


class Archive(DatabaseFile):
    """An open archive; connections are per thread."""

    TABLES: ClassVar[Set[str]] = frozenset({"conversation", "message", "position", "meta"})

    @classmethod
    def open(
        cls,
        path: Path,
        scope: Scope,
        *,
        create: bool = True,
        owner: str = "",
        clock: Callable[[], float] = time.time,
        secret_patterns: Callable[[], Sequence[str]] = tuple,
        note: str = "",
    ) -> Archive:
        """Open the archive at `path`, creating it where it is missing.

        Args:
            note: see `DatabaseFile`.
            owner: the identity of the store that it belongs to; another's archive came from
                elsewhere, in a clone or a copy, and could hold anything.

        Raises:
            StoreError: it is missing (with `create` off), locked, corrupt, of a newer version, on a
                network file system, or its folder cannot be written; the message says which.
        """
        writable = opening.prepare(path, create=create, tables=cls.TABLES)
        archive = cls(
            path,
            scope,
            writable=writable,
            clock=clock,
            secret_patterns=secret_patterns,
            note=note,
        )
        try:
            with opening.translated(path):
                archive._bring_up_to_date(owner)
        except StoreCorrupt as error:
            archive.close()
            raise StoreCorrupt(
                f"{path} is damaged, so its conversations cannot be read. Nothing was changed. To "
                "save what can be read of it, and read the transcripts again: cortex doctor --fix"
            ) from error
        except BaseException:
            # A connection that nobody gets must not keep its lock.
            archive.close()
            raise
        return archive

    @classmethod
    def adopt(cls, path: Path, scope: Scope, owner: str) -> None:
        """Let the archive at `path` belong to the store `owner`, because the user says so.

        Raises:
            StoreError: it cannot be read or written.
        """
        writable = opening.prepare(path, create=False, tables=cls.TABLES)
        with cls(path, scope, writable=writable) as archive:
            archive.set_meta(OWNER, owner)

    def _bring_up_to_date(self, owner: str) -> None:
        version = reader.version(self.connection)
        migrations.refuse_newer(self.path, version, VERSION)
        if version == 0:
            from cortex_core.archive import tables

            with self._transaction("IMMEDIATE"):
                if not reader.version(self.connection):  # else another process was quicker
                    tables.create(self.database, VERSION)
                    self.set_meta(OWNER, owner)
        if self.meta(OWNER) != owner:
            raise StoreUnusable(
                f"{self.path} belongs to another store: it came with its folder, or the store was "
                "replaced. Nothing was changed, and nothing in it is shown. If it is yours: cortex "
                "trust. If not, move it away; Cortex then makes one of its own."
            )

    # --- writing

    def add(
        self, collected: Collected, transcript: str = "", position: ReadPosition | None = None
    ) -> int:
        """Write what one reading found, and how far it went, in one transaction.

        Args:
            transcript: the file that was read; empty for none.
            position: where the next reading begins; None leaves it.

        Returns:
            How many messages are new.
        """
        with self.write():
            added = self._add(collected, transcript) if collected.session else 0
            # The command may have been found by an earlier reading.
            for key, succeeded in collected.outcomes.items():
                self.execute(
                    "UPDATE message SET succeeded = ? WHERE key = ? AND succeeded IS NOT ?",
                    (succeeded, key, succeeded),
                )
            if position is not None and transcript:
                self.execute(
                    'INSERT INTO position (transcript, session, "offset", head) '
                    "VALUES (?, ?, ?, ?) ON CONFLICT (transcript) DO UPDATE SET session = "
                    'excluded.session, "offset" = excluded."offset", head = excluded.head',
                    (self.clean(transcript), self.clean(collected.session), *position),
                )
        return added

    @contextmanager
    def write(self) -> Iterator[None]:
        """One immediate transaction, without peewee."""
        self._must_be_writable()
        with opening.translated(self.path), self._transaction("IMMEDIATE"):
            yield

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        """Run one statement that writes; the caller has opened the transaction."""
        return self.connection.execute(sql, parameters)

    def _add(self, collected: Collected, transcript: str) -> int:
        session = self.clean(collected.session)
        if self.meta(f"{_ERASED}{session}") is not None:
            return 0
        number = self._conversation(session, collected, transcript)
        before = self._count(number)
        first = self.rows("SELECT branch, model FROM conversation WHERE number = ?", (number,))[0]
        for draft in collected.drafts:
            if self._is_repeated(number, draft):
                continue
            # Branch and model are kept where they are not the conversation's own.
            self.execute(
                "INSERT OR IGNORE INTO message (conversation, kind, text, index_words, time, uuid, "
                '"offset", branch, model, succeeded, details, key) '
                f"VALUES ({reader.marks(range(12))})",
                (
                    number,
                    draft.kind,
                    draft.text,
                    scripts.index_words(draft.text),
                    draft.time,
                    draft.uuid,
                    draft.offset,
                    "" if draft.branch == first["branch"] else draft.branch,
                    "" if draft.model == first["model"] else draft.model,
                    draft.succeeded,
                    json.dumps({QUEUED: 0}) if draft.waited else "",
                    draft.key,
                ),
            )
        added = self._count(number) - before
        if added:
            self.execute(_COUNTS, (number,) * 6)
        elif not before:
            self.execute("DELETE FROM conversation WHERE number = ?", (number,))
        return added

    def _count(self, number: int) -> int:
        return int(self.value("SELECT count(*) FROM message WHERE conversation = ?", (number,)))

    def _conversation(self, session: str, collected: Collected, transcript: str) -> int:
        """The number of the conversation, which is made or learns here what it did not know."""
        drafts = collected.drafts
        asked = next((text.one_line(each.text) for each in drafts if each.kind == "user"), "")
        known = {
            "title": (collected.title or asked)[:LONGEST_TITLE],
            "branch": next((each.branch for each in drafts if each.branch), ""),
            "folder": collected.folder,
            "transcript": self.clean(transcript),
            "model": next((each.model for each in drafts if each.model), ""),
        }
        names = ", ".join(known)
        # A name that the session is given later takes the place of its first words.
        learns = (
            f"{name} = excluded.{name}"
            if name == "title" and collected.title
            else f"{name} = coalesce(nullif({name}, ''), excluded.{name})"
            for name in known
        )
        self.execute(
            f"INSERT INTO conversation (session, {names}, turns, messages, commits) "
            f"VALUES (?, {reader.marks([*known])}, 0, 0, 0) "
            f"ON CONFLICT (session) DO UPDATE SET {', '.join(learns)}",
            (session, *known.values()),
        )
        return int(self.value("SELECT number FROM conversation WHERE session = ?", (session,)))

    def _is_repeated(self, number: int, draft: MessageDraft) -> bool:
        """Whether a message stands for this one too: a file that was changed before in the same
        turn, or words of the user that had waited in a queue."""
        if draft.kind == "edit":
            asked = (number, draft.text, draft.time, number, draft.time)
            return self.value(_CHANGED_IN_TURN, asked) is not None and not self.has(draft.key)
        return draft.kind == "user" and not draft.waited and self._is_delivery(number, draft)

    def _is_delivery(self, number: int, draft: MessageDraft) -> bool:
        """Whether a prompt only delivers words of the queue, each of which is delivered once."""
        for row in self.rows(
            "SELECT number, details FROM message WHERE conversation = ? AND kind = 'user' "
            "AND text = ? AND details <> ''",
            (number, draft.text),
        ):
            delivered = json.loads(row["details"]).get(QUEUED)
            if delivered in (0, draft.key):
                self.execute(
                    "UPDATE message SET details = ? WHERE number = ?",
                    (json.dumps({QUEUED: draft.key}), row["number"]),
                )
                return True
        return False

    # --- removing

    def erase(self, sessions: Sequence[str], *, shut: bool = True) -> None:
        """Remove conversations for good: no page of the file holds their words then, as far as
        nobody else reads it.

        Args:
            shut: whether nothing of these sessions is taken again, also not what is said later.
        """
        if not sessions:
            return
        self.connection.execute("PRAGMA secure_delete = ON")
        with self.write():
            for session in sessions:
                number = self.value("SELECT number FROM conversation WHERE session = ?", (session,))
                self.execute("DELETE FROM message WHERE conversation = ?", (number,))
                self.execute("DELETE FROM conversation WHERE number = ?", (number,))
                self.execute("DELETE FROM meta WHERE key = ?", (f"{MARKED}{session}",))
                if shut:
                    self.set_meta(f"{_ERASED}{session}", "1")
            self.execute(_REBUILD)
        scrubbing.rewrite_file(self)

    def overwrite(self, cells: Iterable[tuple[str, int, Mapping[str, Any]]]) -> None:
        """Set columns of rows, each given by table and row, and keep nothing of what they held."""
        self.connection.execute("PRAGMA secure_delete = ON")
        with self.write():
            for table, row, new in cells:
                written = dict(new)
                if table == "message" and "text" in new:
                    written["index_words"] = scripts.index_words(new["text"])
                sets = ", ".join(f'"{name}" = ?' for name in written)
                self.execute(
                    f'UPDATE OR REPLACE "{table}" SET {sets} WHERE rowid = ?',
                    (*written.values(), row),
                )
            self.execute(_REBUILD)

    def merge_index(self) -> None:
        """Make one part of the index of words where it has more than `MOST_SEGMENTS`."""
        parts = "SELECT count(DISTINCT segid) FROM message_fts_idx"
        if self.writable and self.value(parts) > MOST_SEGMENTS:
            with self.write():
                self.execute("INSERT INTO message_fts(message_fts) VALUES ('optimize')")

    def session_of(self, table: str, row: int) -> str:
        """The session that a row of a table belongs to; empty for none."""
        asked = {
            "conversation": "SELECT session FROM conversation WHERE rowid = ?",
            "message": "SELECT c.session FROM message m JOIN conversation c "
            "ON c.number = m.conversation WHERE m.rowid = ?",
            "position": "SELECT session FROM position WHERE rowid = ?",
        }.get(table)
        return str(self.value(asked, (row,)) or "") if asked else ""

    def mark_deciding(self, session: str, uuids: Sequence[str]) -> None:
        """Note which messages decided a session, by the uuids of their records."""
        self.set_meta(f"{MARKED}{self.clean(session)}", json.dumps(list(uuids)))

    def deciding(self, session: str) -> tuple[str, ...]:
        """The uuids of the messages that decided a session; empty where nobody has said it."""
        return tuple(json.loads(self.meta(f"{MARKED}{session}") or "[]"))

    # --- how far transcripts were read

    def position(self, transcript: str) -> ReadPosition:
        """How far a transcript has been read."""
        found = self.rows(
            'SELECT "offset", head FROM position WHERE transcript = ?', (self.clean(transcript),)
        )
        return ReadPosition(*found[0]) if found else START

    def has(self, key: int) -> bool:
        """Whether there is a message with this key."""
        return self.value("SELECT 1 FROM message WHERE key = ?", (key,)) is not None

    # --- reading

    def conversations(self, tail: str = "", parameters: Sequence[Any] = ()) -> list[Conversation]:
        """The conversations that an SQL tail (`WHERE … ORDER BY … LIMIT …` over `c`) picks."""
        known = frozenset(Conversation.__slots__)
        rows = self.rows(f"SELECT c.* FROM conversation c {tail}", parameters)
        columns = ({name: row[name] for name in known.intersection(row.keys())} for row in rows)
        return [Conversation(**each, scope=self.scope) for each in columns]

    def count(self) -> int:
        """How many conversations there are."""
        return int(self.value("SELECT count(*) FROM conversation"))

    def find(self, session: str) -> list[Conversation]:
        """The conversations whose session's id is `session` or begins so, at most two."""
        wanted = self.clean(text.storable(session.strip()))
        exact = self.conversations("WHERE c.session = ?", (wanted,))
        if exact or len(wanted) < SHORTEST_PREFIX:
            return exact
        return self.conversations(
            "WHERE instr(c.session, ?) = 1 ORDER BY c.session LIMIT 2", (wanted,)
        )

    def messages(self, tail: str, parameters: Sequence[Any] = ()) -> list[tuple[int, Message]]:
        """The messages that an SQL tail over `m` and their conversations `c` picks, each after the
        number of its conversation."""
        found = self.rows(
            "SELECT m.*, coalesce(nullif(m.branch, ''), c.branch) AS at_branch, "
            "CASE WHEN m.kind IN ('agent', 'question', 'plan', 'command', 'edit') "
            "THEN coalesce(nullif(m.model, ''), c.model) ELSE '' END AS by_model "
            f"FROM message m JOIN conversation c ON c.number = m.conversation {tail}",
            parameters,
        )
        return [(row["conversation"], _message(row)) for row in found]

    def text_of(self, number: int) -> tuple[Message, ...]:
        """The messages of a conversation, in the order in which they were said."""
        said = 'WHERE m.conversation = ? ORDER BY m.time, m."offset", m.number'
        return tuple(message for _, message in self.messages(said, (number,)))

    def by_number(self, numbers: Iterable[int]) -> dict[int, Conversation]:
        """Conversations by their numbers."""
        asked = "WHERE c.number IN (SELECT value FROM json_each(?))"
        return {
            each.number: each
            for each in self.conversations(asked, (json.dumps(sorted(set(numbers))),))
        }


def _message(row: Row) -> Message:
    succeeded = row["succeeded"]
    return Message(
        number=row["number"],
        kind=cast(MessageKind, row["kind"]),
        text=row["text"],
        time=row["time"],
        uuid=row["uuid"],
        offset=row["offset"],
        branch=row["at_branch"],
        model=row["by_model"],
        succeeded=None if succeeded is None else bool(succeeded),
    )


def chosen(found: Sequence[Conversation], session: str) -> Conversation:
    """The one conversation that `session` names.

    Raises:
        NotFound: there is none.
        UsageError: there are several.
    """
    if len(found) > 1:
        named = "; ".join(f"{one.session} ({one.title[:40]})" for one in found[:5])
        raise UsageError(
            f"“{session}” matches several sessions. Nothing was changed. Type more characters of "
            f"the id: {named}"
        )
    if not found:
        raise NotFound(
            f"There is no conversation “{session[:40]}” in the archive. Nothing was changed. See: "
            "cortex sessions"
        )
    return found[0]
