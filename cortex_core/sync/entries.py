"""Entries: what a machine did, as the others read it, and the files that entries travel in.

A file has a line about itself, then one line for each entry, as JSON, compressed. Its name holds
the hash of its bytes. What comes from outside is checked here, value by value: nothing that the
store could not have written itself gets past this module. Whoever can write to the remote can add
memories, as whoever has an export can: a machine's own user is taken at their word, and what the
other machine kept in quarantine is in quarantine here. No text is judged again, or the machines
would disagree; escapes of terminals are removed from it here, secrets where it is written.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from cortex_core.base import text
from cortex_core.base.errors import SyncError
from cortex_core.records.fields import COLUMNS
from cortex_core.records.memory import ACTORS, EDGE_TYPES, LONGEST, Actor
from cortex_core.store import synced
from cortex_core.sync import stamps
from cortex_core.sync.registers import Operation, OperationKind

FORMAT = 1
"""The version of the form of files. A file of a newer one waits until Cortex is upgraded."""

LARGEST = 64 << 20
"""Bytes of one file, unpacked: more than `MOST_IN_FILE` ever takes."""

MOST_IN_FILE = 8 << 20
"""Characters after which a file is full."""

MOST_IN_ENTRY = 1 << 20
"""Characters after which the rest of an entry goes on in another one."""

MOST_OPERATIONS = 1000
"""Changes of rows in one entry."""

LONGEST_LABEL = 1000
LONGEST_OTHER = 1_000_000
"""Characters of any text but a memory's content."""

DEEPEST = 100
"""Levels of nested lists and objects."""

_KINDS: Mapping[str, OperationKind] = {"+": "add", "=": "set", "-": "remove", "x": "destroy"}
_SIGNS = {kind: sign for sign, kind in _KINDS.items()}

_CHOICES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "edge": {"type": frozenset(EDGE_TYPES)},
    "proposal": {
        "type": frozenset({"merge", "supersede"}),
        "status": frozenset({"open", "approved", "rejected", "distinct"}),
    },
}
_SHARES = {("edge", "strength"), ("proposal", "similarity")}
"""Numbers from 0 to 1."""

_NEVER_BLANK = frozenset({"id", "content", "kind"})

_TIMES = {("source", "time"), ("edge", "created"), ("proposal", "created"), ("verdict", "time")}

REQUIRED = {
    "memory": ("id", "content", "title", "kind", "created", "updated", "reinforced"),
    "source": ("memory", "rule"),
    "edge": ("source", "target", "type", "created"),
    "proposal": ("pair", "type", "members", "similarity", "fingerprint", "created"),
    "verdict": ("memory", "rule", "kept", "time"),
}
"""By table, the columns without which a row cannot be added."""

_NAMING = {
    "memory": {"id"},
    "source": {"memory"},
    "edge": {"source", "target", "type"},
    "proposal": {"pair"},
    "verdict": {"memory"},
}
"""By table, columns that stay as they are for as long as there is the row."""

BEYOND = 10**9
"""A number beyond that of every file."""

T = TypeVar("T")

_WORD = re.compile(r"[\w-]{0,40}")
_OF_WRITERS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""What the name of a writer is made of."""


class BadFile(SyncError):
    """A file of another machine that cannot be read: torn, altered, or not of Cortex."""


class NewerFile(SyncError):
    """A file in a form that only a newer Cortex writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One journal entry with all that it changed."""

    stamp: str
    time: float
    actor: Actor
    verb: str
    label: str
    action: str = ""
    undoes: str = ""
    """The stamp of the entry that it takes back."""
    continues: bool = False
    """Whether it is the rest of the entry before it, which was too large for one."""
    operations: tuple[Operation, ...] = ()

    @property
    def stamps(self) -> Iterator[str]:
        """The stamps that it names, its own and others'."""
        yield from (self.stamp, self.undoes)
        for each in self.operations:
            yield from (each.stamp, each.over, each.after)

    @property
    def weight(self) -> int:
        """About how many characters it takes."""
        return sum(map(weight_of, self.operations))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHead:
    """What a file says about itself."""

    writer: str
    """Which machine's journal: a random name that a store has while it is shared."""
    sequence: int
    """Counts the files of the writer, from 1."""
    machine: str
    """What its user calls the machine."""
    made: float
    seen: Mapping[str, int] = field(default_factory=dict)
    """How many files of each other writer were merged into the store when it was written."""
    upto: int = 0
    """The newest entry of the writer's journal that it or a file before it holds."""
    version: str = ""
    """The version of Cortex that wrote it."""
    origins: Sequence[str] = ()
    """The keys of the addresses that the project is known to have or have had at its git host."""


def packed(head: FileHead, entries: Sequence[Entry]) -> bytes:
    """The file of `entries`."""
    lines = [{"cortex": FORMAT, **asdict(head)}, *map(_shape, entries)]
    return zlib.compress("\n".join(map(_dumps, lines)).encode("utf-8", "replace"), 6)


def restamped(entry: Entry, change: Callable[[str], str]) -> Entry:
    """An entry with other stamps."""
    operations = (
        replace(each, stamp=change(each.stamp), over=change(each.over), after=change(each.after))
        for each in entry.operations
    )
    return replace(
        entry,
        stamp=change(entry.stamp),
        undoes=change(entry.undoes),
        operations=tuple(operations),
    )


def weight_of(operation: Operation) -> int:
    """About how many characters a change takes in a file."""
    texts = (value for value in operation.columns.values() if isinstance(value, str))
    return 200 + sum(map(len, texts))


def portions(given: Iterable[T], most: int, weigh: Callable[[T], int]) -> Iterator[list[T]]:
    """What is given in lists, each of which is full at the weight `most` or `MOST_OPERATIONS`."""
    found: list[T] = []
    weight = 0
    for each in given:
        found.append(each)
        weight += weigh(each)
        if weight >= most or len(found) >= MOST_OPERATIONS:
            yield found
            found, weight = [], 0
    if found:
        yield found


def name_of(writer: str, sequence: int, data: bytes) -> str:
    """What the file of these bytes is called, relative to the folder of its store."""
    return f"{writer}/{sequence:08d}-{hashlib.sha256(data).hexdigest()[:32]}"


def number_of(name: str) -> int:
    """The number of a file, by its name or by a path to it; beyond all others where it has none."""
    number = name.rpartition("/")[2].partition("-")[0]
    return int(number) if number.isdecimal() and len(number) == 8 else BEYOND


def opened(path: Path) -> tuple[FileHead, list[Entry]]:
    """What a file of this machine's own says; see `unpacked`."""
    return unpacked(path.read_bytes(), f"{path.parent.name}/{path.name}")


def unpacked(data: bytes, name: str) -> tuple[FileHead, list[Entry]]:
    """What a file says.

    Args:
        name: what it is called; the hash of its bytes is a part of that.

    Raises:
        BadFile: it is torn, altered, or says what no journal says.
        NewerFile: only a newer Cortex reads it.
    """
    unpacker = zlib.decompressobj()
    try:
        plain = unpacker.decompress(data, LARGEST)
        if unpacker.unconsumed_tail or not unpacker.eof or unpacker.unused_data:
            raise ValueError("it is torn, too large, or more than one")
        lines = [json.loads(line) for line in plain.decode().split("\n")]
        head = _head(lines[0])
        if name != name_of(head.writer, head.sequence, data):
            raise ValueError("its name does not fit its content")
        return head, [_entry(line, head.writer) for line in lines[1:]]
    except _UNREADABLE as error:
        is_said = isinstance(error, ValueError | zlib.error)
        why = text.one_line(str(error))[:200] if is_said else "it has another form"
        raise BadFile(f"The file {text.one_line(name)} cannot be read: {why}.") from error


_UNREADABLE = (
    ValueError,
    zlib.error,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What reading a file raises that another program wrote, or nobody whole."""

_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _head(line: Mapping[str, Any]) -> FileHead:
    if not isinstance(line["cortex"], int):
        raise ValueError("it is no file of Cortex")
    if line["cortex"] > FORMAT:
        raise NewerFile(
            f"A file of {_line(line.get('machine', ''), 200)} was written by a newer Cortex "
            f"({_line(line.get('version', ''), 40)}). Its changes wait. Upgrade Cortex here."
        )
    writer, seen = line["writer"], line["seen"]
    if not all(
        isinstance(name, str) and 1 <= len(name) <= 40 and not name.strip(_OF_WRITERS)
        for name in (writer, *seen)
    ):
        raise ValueError("it names no writer")
    return FileHead(
        writer=writer,
        sequence=_whole(line["sequence"]),
        machine=_line(line["machine"], 200),
        made=_time(line["made"]),
        upto=_whole(line["upto"]),
        version=_line(line["version"], 40),
        seen={name: _whole(number) for name, number in seen.items()},
        origins=[_word(each) for each in line.get("origins", ())],
    )


def _shape(entry: Entry) -> dict[str, Any]:
    shape = {
        "stamp": entry.stamp,
        "time": entry.time,
        "actor": entry.actor,
        "verb": entry.verb,
        "label": entry.label,
        "action": entry.action,
        "undoes": entry.undoes,
        "more": int(entry.continues) or "",
        "ops": [_operation_shape(each, entry.stamp) for each in entry.operations],
    }
    return {name: value for name, value in shape.items() if value != ""}


def _operation_shape(operation: Operation, stamp: str) -> dict[str, Any]:
    shape = {
        "o": operation.object,
        "k": _SIGNS[operation.kind],
        "c": dict(operation.columns),
        "s": "" if operation.stamp == stamp else operation.stamp,
        "over": operation.over,
        "after": operation.after,
        "up": int(operation.revives),
    }
    return {name: value for name, value in shape.items() if value}


def _entry(line: Mapping[str, Any], writer: str) -> Entry:
    if line["actor"] not in ACTORS:
        raise ValueError("an entry of nobody known")
    stamp = _stamp(line["stamp"], writer)
    return Entry(
        stamp=stamp,
        time=_time(line["time"]),
        actor=line["actor"],
        verb=_word(line["verb"]),
        label=_line(line["label"], LONGEST_LABEL),
        action=_word(line.get("action", "")),
        undoes=_any_stamp(line.get("undoes", "")),
        continues=bool(line.get("more")),
        operations=tuple(_operation(each, stamp, writer) for each in line["ops"]),
    )


def _operation(shape: Mapping[str, Any], stamp: str, writer: str) -> Operation:
    object, kind = _object(shape["o"]), _KINDS[shape["k"]]
    table = object.partition(":")[0]
    forms, known = synced.forms(table), synced.column_names(table)
    operation = Operation(
        object=object,
        kind=kind,
        stamp=_stamp(shape.get("s", stamp), writer),
        # Only the columns that this version knows, each checked.
        columns={
            name: _cell(table, name, forms[name], value)
            for name, value in shape.get("c", {}).items()
            if name in known
        },
        over=_any_stamp(shape.get("over", "")),
        after=_any_stamp(shape.get("after", "")),
        revives=bool(shape.get("up")),
    )
    row, is_added = operation.columns, kind == "add"
    missing = [name for name in REQUIRED[table] if is_added and row.get(name) is None]
    is_named = missing or not is_added or synced.object_of(table, row) == object
    is_loop = is_added and table == "edge" and row.get("source") == row.get("target")
    members = row.get("members")
    problems = (
        (max(operation.stamp, operation.after) > stamp, "a change that is later than its entry"),
        (
            (kind == "destroy" or operation.after) and table != "memory",
            "a row that is no memory, deleted for good",
        ),
        (
            members is not None and " ".join(sorted(json.loads(members))) != operation.name,
            "a proposal on others than it names",
        ),
        (missing, f"a row without {', '.join(missing)}"),
        (not is_named, "a row under another's name"),
        (is_loop, "a link of a memory to itself"),
        (not is_added and not _NAMING[table].isdisjoint(row), "a row that changes its name"),
    )
    for is_so, why in problems:
        if is_so:
            raise ValueError(why)
    return operation


def _object(name: str) -> str:
    table, _, rest = name.partition(":")
    words = rest.split(" ") if table in ("source", "edge", "verdict") else [rest]
    count = {"memory": 1, "source": 2, "edge": 3, "proposal": 1, "verdict": 2}[table]
    is_line = "\n" not in name and text.clean(name) == name == text.storable(name)
    if len(words) != count or not all(words) or len(name) > 2000 or not is_line:
        raise ValueError("a name of no row")
    return name


def _cell(table: str, name: str, form: str, value: Any) -> Any:
    one = COLUMNS.get(name) if table == "memory" else None
    if value is None:
        if name in synced.nullable(table):
            return None
        raise ValueError(f"{name} has no value")
    if form == "time" or (table, name) in _TIMES:
        return _time(value)
    if form in ("number", "whole"):
        low, high = (one.low, one.high) if one else (0, 1 if (table, name) in _SHARES else 1e15)
        return _whole(value, low, high) if form == "whole" else _number(value, low, high)
    if form == "flag":
        if value not in (0, 1):
            raise ValueError(f"{name} is no yes or no")
        return bool(value)
    # All else is text; of lists and objects the column holds the JSON.
    words = _text(value, LONGEST if name == "content" else LONGEST_OTHER)
    allowed = one.allowed if one else _CHOICES.get(table, {}).get(name, ())
    if allowed and words not in allowed:
        raise ValueError(f"{name} is none of its values")
    if form in ("texts", "mapping"):
        return _json(name, form, words)
    words = text.clean(words) if table == "memory" else words
    if name in _NEVER_BLANK and not words.strip():
        raise ValueError(f"{name} is blank")
    return words


def _json(name: str, form: str, words: str) -> str:
    """A list of texts or an object, as JSON."""
    held = json.loads(words)
    if not isinstance(held, list if form == "texts" else dict):
        raise ValueError(f"{name} has another form")
    if form == "texts" and not all(isinstance(each, str) for each in held):
        raise ValueError(f"{name} is no list of texts")
    if text.levels(held, DEEPEST) > DEEPEST:
        raise ValueError(f"{name} is nested too deeply")
    cleaned = _cleaned(held)
    written = json.dumps(cleaned, ensure_ascii=False, allow_nan=False)
    return words if cleaned == held else written


def _cleaned(value: Any) -> Any:
    """A JSON value without escapes of terminals in its texts."""
    if isinstance(value, dict):
        return {text.clean(name): _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return text.clean(text.storable(value)) if isinstance(value, str) else value


def _text(value: Any, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError("a text that is none, or too long")
    return text.storable(value)


def _line(value: Any, longest: int) -> str:
    """A text on one line, cut where it is too long: it is only shown."""
    return text.one_line(_text(value, LONGEST_OTHER))[:longest]


def _word(value: Any) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        raise ValueError("a word that is none")
    return value


def _number(value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError("a number that is none, or out of range")
    return float(value)


def _time(value: Any) -> float:
    """A moment in Unix seconds that can be shown as a date."""
    return _number(value, -text.FURTHEST, text.FURTHEST)


def _whole(value: Any, low: float = 0, high: float = 10**15) -> int:
    if not isinstance(value, int):
        raise ValueError("a whole number that is none")
    return int(_number(value, low, high))


def _any_stamp(value: Any) -> str:
    """The stamp of another change; empty for none."""
    if not isinstance(value, str):
        raise ValueError("a stamp that is none")
    if value:
        stamps.ticks_of(value)
    return value


def _stamp(value: Any, writer: str) -> str:
    stamp = _any_stamp(value)
    if stamps.writer_of(stamp) != writer:
        raise ValueError("a change in the name of another machine")
    return stamp
