"""What the stores and files of a place hold, in a form in which two runs can be compared.

Row numbers, ids and times that a command has made are replaced by what does not differ from run to
run; everything that was there before it stays exact.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.campaign import Place

State = dict[str, dict[str, list[str]]]
"""Of each store its tables, of each table its rows; and of `files` each file's digest."""

_TABLES: Mapping[str, str] = {
    "memory": "SELECT * FROM memory",
    "source": "SELECT * FROM source",
    "edge": "SELECT * FROM edge",
    "proposal": "SELECT type, members, status, similarity FROM proposal",
    "verdict": "SELECT * FROM verdict",
    "trash": "SELECT * FROM trash",
    "observation": "SELECT * FROM observation",
    "anchor": "SELECT memory, kind, name, key, value, path, line, state, now FROM anchor",
    "receipt": "SELECT * FROM receipt",
    "occasion": "SELECT * FROM occasion",
    "cursor": "SELECT transcript, session, offset, head, final FROM cursor",
    "embedding": "SELECT m.id, e.model, e.text_hash, e.vector FROM embedding e "
    "JOIN memory m USING (number)",
    "journal": "SELECT actor, verb, label, undone_by IS NULL AS live FROM journal",
    "seen": "SELECT count(*) AS n FROM seen",
    "meta": "SELECT key, value FROM meta WHERE key IN ('identity', 'created')",
}
_DROPPED = {
    "memory": {"number"},
    "source": {"id"},
    "edge": {"id"},
    "proposal": {"number"},
    "verdict": {"id"},
    "receipt": {"id"},
}
"""Row numbers."""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UNSTABLE_FILES = re.compile(
    r"\.db(-wal(-\d+)?|-shm)?$|\.memory/(cache|spool|snapshots)/|\.memory/mark-|memory/trust/|/snapshots/|worker\.lock|\.log(\.1)?$"
    r"|/(spool|cache|lost|fired)/|\.local\.md$|exported\.hashes$"
)
_MEMBERS = re.compile(r'(?<="members": \[)[^\]]+')
"""The members of a proposal, whose order follows from their ids."""

_VARIES = re.compile(r"[0-9a-f]{16,}|\d+")


_MOMENT = re.compile(rb"\"(?:updated\": \"[^\"]*\"|decay_score\": [\d.]+)")
"""What follows from the moment when a vault was written."""


class Known:
    """The ids and times of the state before a command; what is not among them is new."""

    def __init__(self, ids: Iterable[str], now: float) -> None:
        """Times from `now` on are new."""
        self.ids = set(ids)
        self.now = now


def ids(place: Place) -> list[str]:
    """The ids of memories, sessions and stores in the stores of `place`."""
    found: set[str] = set()
    for file in place.stores:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            for query in (
                "SELECT id FROM memory",
                "SELECT memory FROM trash",
                "SELECT session FROM source",
                "SELECT value FROM meta",
            ):
                found.update(str(value) for (value,) in connection.execute(query))
    return sorted(found)


def of(place: Place, known: Known) -> State:
    """The state of `place`."""
    found: State = {}
    for file in place.stores:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            connection.row_factory = sqlite3.Row
            found[file.stem] = _store(connection, known)
    found["files"] = {
        str(path.relative_to(place.folder)): [_digest(path)]
        for path in files(place)
        if not _UNSTABLE_FILES.search(str(path))
    }
    return found


def files(place: Place) -> list[Path]:
    """Every file of `place`."""
    return sorted(path for path in place.folder.rglob("*") if path.is_file())


def names(place: Place) -> set[str]:
    """The names of all files, without the numbers and digests in them; logs of SQLite aside."""
    found = (str(path.relative_to(place.folder)) for path in files(place))
    return {
        _VARIES.sub("N", UUID.sub("ID", name))
        for name in found
        if not name.endswith(("-wal", "-shm", ".log")) and "-wal-" not in name
    }


def snapshots(place: Place) -> dict[str, str]:
    """The name of each snapshot, and a digest of the memories in it or why they cannot be read."""
    found = {}
    for path in sorted(place.folder.rglob("snapshots/*.db")):
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as copy:
                rows = copy.execute("SELECT id, content, status FROM memory ORDER BY id").fetchall()
            found[path.name] = hashlib.sha1(repr(rows).encode()).hexdigest()[:10]
        except sqlite3.Error as error:
            found[path.name] = str(error)
    return found


def index_faults(place: Place) -> Iterator[str]:
    """What SQLite's own checks of the stores and their search indexes find."""
    for file in place.stores:
        with closing(sqlite3.connect(file)) as connection:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
            yield from (f"{file.stem}: {fault}" for fault in found if fault != "ok")
            for index in ("memory_fts", "memory_words"):
                try:
                    connection.execute(
                        f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)"
                    )
                except sqlite3.Error as error:
                    yield f"{file.stem}: {index}: {error}"
            connection.rollback()


def contents(state: State) -> Counter[str]:
    """How many memories have each text, the trash included."""
    counted: Counter[str] = Counter()
    for store, tables in state.items():
        if store != "files":
            counted.update(json.loads(row)["content"] for row in tables["memory"])
            for row in tables["trash"]:
                counted.update(each["content"] for each in json.loads(row)["rows"]["memory"])
    return counted


def _store(connection: sqlite3.Connection, known: Known) -> dict[str, list[str]]:
    labels = dict(_labels(connection, known))
    return {
        table: sorted(
            _plain(
                {
                    key: value
                    for key, value in zip(row.keys(), row, strict=True)
                    if key not in _DROPPED.get(table, ())
                },
                labels,
                known,
            )
            for row in connection.execute(query)
        )
        for table, query in _TABLES.items()
    }


def _labels(connection: sqlite3.Connection, known: Known) -> Iterator[tuple[str, str]]:
    """For each new memory its id, and what to call it: a digest of its text."""
    for number, content in connection.execute("SELECT id, content FROM memory"):
        if number not in known.ids:
            yield number, f"new:{hashlib.sha1(content.encode()).hexdigest()[:10]}"


def _plain(row: Mapping[str, Any], labels: Mapping[str, str], known: Known) -> str:
    values = {key: _value(value, known) for key, value in row.items()}
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    text = UUID.sub(lambda match: _label(match.group(), labels, known), text)
    return _MEMBERS.sub(lambda match: ", ".join(sorted(match.group().split(", "))), text)


def _label(found: str, labels: Mapping[str, str], known: Known) -> str:
    return found if found in known.ids else labels.get(found, "new")


def _value(value: Any, known: Known) -> Any:
    if isinstance(value, bytes):
        return _value(_unpacked(value), known)
    if isinstance(value, float):
        return "now" if value >= known.now else value
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return _value(json.loads(value), known)
        except ValueError:
            return value
    if isinstance(value, dict):
        return {
            key: _value(each, known)
            for key, each in value.items()
            if key not in ("number", "id") or not isinstance(each, int)
        }
    return [_value(each, known) for each in value] if isinstance(value, list) else value


def _unpacked(value: bytes) -> str:
    """The JSON of a row of the trash; of a vector a digest."""
    try:
        return zlib.decompress(value).decode("utf-8")
    except (zlib.error, UnicodeDecodeError):
        return hashlib.sha1(value).hexdigest()[:10]


def _digest(path: Path) -> str:
    return hashlib.sha1(_MOMENT.sub(b"", path.read_bytes())).hexdigest()[:10]


def difference(one: State, other: State) -> str:
    """What `other` has and `one` has not, and the reverse, in short."""
    found = []
    for part in sorted({*one, *other}):
        here, there = one.get(part, {}), other.get(part, {})
        for table in sorted({*here, *there}):
            mine, theirs = Counter(here.get(table, [])), Counter(there.get(table, []))
            if gone := sum((mine - theirs).values()):
                found.append(f"{part}.{table} -{gone}")
            if more := sum((theirs - mine).values()):
                found.append(f"{part}.{table} +{more}")
    return ", ".join(found)
