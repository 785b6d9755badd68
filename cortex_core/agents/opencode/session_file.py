"""OpenCode's SQLite file: what its sessions said, read from three of its tables.

The others hold access tokens: the file is opened read-only, and never copied.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cortex_core.agents.opencode import hooks
from cortex_core.agents.transcript_lines import LINE_CAP
from cortex_core.agents.transcripts import unknown_form
from cortex_core.base.errors import TranscriptError
from cortex_core.base.json_objects import json_object

Message = tuple[Mapping[str, Any], Callable[[], Iterable[Mapping[str, Any]]]]
"""What OpenCode keeps of a message, with the milliseconds at which it was `created`, and what reads
its parts."""

_SESSIONS = """
SELECT id, parent_id, directory, time_created, time_updated,
       (SELECT min(time_created) FROM message WHERE session_id = session.id),
       (SELECT max(time_created) FROM message WHERE session_id = session.id)
FROM session WHERE ? IN ('', id) ORDER BY time_created, id
"""
_MESSAGES = (
    "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id"
)
_PARTS = "SELECT id, data FROM part WHERE message_id = ? AND length(data) <= ? ORDER BY id"

_SECONDS = 5
"""How long OpenCode's own writing is waited for."""


def default_file() -> Path:
    """Where OpenCode keeps its sessions."""
    return Path(hooks.data_file()).absolute()


def is_database(path: Path) -> bool:
    """Whether OpenCode wrote the SQLite file at `path`."""
    try:
        with path.open("rb") as file:
            if not file.read(16).startswith(b"SQLite format 3"):
                return False
        sessions(path, "none")
    except (OSError, TranscriptError):
        return False
    return True


def sessions(file: Path, session: str = "") -> list[dict[str, Any]]:
    """Each session, or the one that is named: its `id`, `parent`, `directory`, and the milliseconds
    `created` and `updated`, of its `first` message and its `last`, None without one.

    Raises:
        TranscriptError: the file cannot be read, or lacks the tables.
    """
    names = ("id", "parent", "directory", "created", "updated", "first", "last")
    with _reading(file) as rows:
        return [dict(zip(names, row, strict=True)) for row in rows.execute(_SESSIONS, (session,))]


def messages(file: Path, session: str) -> list[Message]:
    """The messages of a session, in order.

    Raises:
        TranscriptError: the file cannot be read, or lacks the tables.
    """
    with _reading(file) as rows:
        rows.execute(_PARTS, ("", 0))  # which fails now if it would later
        found = rows.execute(_MESSAGES, (session,)).fetchall()
    return [
        ({**_object(data, name), "created": created}, partial(_parts, file, name))
        for name, created, data in found
    ]


def _parts(file: Path, message: str) -> list[Mapping[str, Any]]:
    with _reading(file) as rows:
        return [_object(data, name) for name, data in rows.execute(_PARTS, (message, LINE_CAP))]


@contextmanager
def _reading(file: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write."""
    try:
        address = f"file:{quote(str(file))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=_SECONDS)) as rows:
            yield rows
    except sqlite3.OperationalError as error:
        if "no such" in str(error):
            raise unknown_form(file) from error
        raise TranscriptError(
            f"OpenCode's sessions in “{file}” cannot be read: {error}. Nothing was changed. Try "
            "again when OpenCode is not running."
        ) from error
    except sqlite3.DatabaseError as error:
        raise unknown_form(file) from error


def _object(text: str, name: str) -> dict[str, Any]:
    """The object in a row with its id; with nothing else where it cannot be read."""
    return json_object(text) | {"id": name}
