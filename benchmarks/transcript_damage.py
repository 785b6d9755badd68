"""Broken transcripts, drawn from a grammar: which records a session has, and what damages them.

A `Plan` is a list of small numbers, so that hypothesis draws it from a seed and shrinks it. What it
makes says which statements are still whole, and so must be learned.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hypothesis import strategies as st

from benchmarks.stores import sentences
from tests.transcript_samples import Sample

STATEMENTS = 3
"""How many statements a session asks to remember."""

HUGE = 9 << 20
"""Bytes of a huge line: more than the reader takes."""

DEEP = 5_000
"""Levels of a deeply nested value."""


class Damage(NamedTuple):
    """One thing that happens to a transcript."""

    name: str
    where: int
    """Which line it happens to, counted modulo the number of lines."""
    seed: int
    """Chooses what exactly happens."""


class Plan(NamedTuple):
    """A transcript to make: what happens to it, in order."""

    damages: tuple[Damage, ...]


@dataclass(slots=True)
class Line:
    """A line of a transcript, and the statement that can be read from it."""

    data: bytes
    statement: str = ""
    """The name in the statement that the line holds whole; empty if there is none."""
    was: str = ""
    """The name in the statement that it held before it was damaged."""

    def damaged(self, data: bytes) -> Line:
        """This line with other bytes."""
        return Line(data, was=self.statement or self.was)


@dataclass(slots=True)
class Broken:
    """A damaged transcript: its bytes in the order in which they are written."""

    session: str
    stages: list[bytes]
    """What the file holds, one after the other; each replaces the one before."""
    whole: set[str]
    """The names of statements that the last stage holds whole."""


def names(number: int) -> list[str]:
    """The names in the statements of session `number`, which no other session has."""
    return [f"flag_{number}_of_{position}" for position in range(STATEMENTS)]


def session(number: int, cwd: str) -> tuple[Sample, list[Line]]:
    """A session with a record of each type, and its lines."""
    sample = Sample(f"broken-{number}", cwd=cwd, branch="trunk")
    texts = [text for _, text in sentences(STATEMENTS, seed=number)]
    for name, text in zip(names(number), texts, strict=True):
        sample.human(f"Remember that `{name}` is why this holds: {text} 😀")
        sample.assistant("Noted.")
        sample.tool("Bash", {"command": f"pytest -q -k {name}"}, "3 passed")
    sample.tool("Edit", {"file_path": "store.py", "new_string": "x"}, "No such file", failed=True)
    sample.compaction("1. Primary Request: a store in SQLite.")
    sample.attachment("queued_command", prompt="and the tests")
    sample.raw({"type": "queue-operation", "operation": "enqueue", "content": "later"})
    sample.raw({"type": "summary", "summary": "A store", "leafUuid": "u"})
    sample.assistant("All of it is green now.")
    return sample, [Line(data, _name_in(data, number)) for data in sample.lines()]


def _name_in(data: bytes, number: int) -> str:
    if b'"kind":"human"' not in data:
        return ""
    return next((name for name in names(number) if name.encode() in data), "")


# --- what happens to lines

Chance = random.Random


def _flip(lines: list[Line], at: int, chance: Chance) -> None:
    """Flip some bits of a line."""
    data = bytearray(lines[at].data)
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    lines[at] = lines[at].damaged(bytes(data))


def _tear(lines: list[Line], at: int, chance: Chance) -> None:
    """Lose the end of a line with its newline, as a writer that is killed does."""
    data = lines[at].data
    lines[at] = lines[at].damaged(data[: chance.randrange(1, len(data))])


def _cut_character(lines: list[Line], at: int, _chance: Chance) -> None:
    """End a line in the middle of a character of several bytes."""
    cut = lines[at].data.find("😀".encode())
    if cut >= 0:
        lines[at] = lines[at].damaged(lines[at].data[: cut + 2])


def _swap(lines: list[Line], at: int, chance: Chance) -> None:
    other = chance.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _repeat(lines: list[Line], at: int, chance: Chance) -> None:
    lines[at:at] = [lines[at]] * chance.randrange(1, 4)


def _repeat_all(lines: list[Line], at: int, _chance: Chance) -> None:
    lines += lines[: at + 1]


def _drop(lines: list[Line], at: int, _chance: Chance) -> None:
    if len(lines) > 1:
        del lines[at]


def _huge(lines: list[Line], at: int, _chance: Chance) -> None:
    record = {"type": "user", "message": {"role": "user", "content": "word " * (HUGE // 5)}}
    lines.insert(at, Line(json.dumps(record).encode() + b"\n"))


def _nul(lines: list[Line], at: int, chance: Chance) -> None:
    """A hole in the file, as a crash of the machine leaves."""
    lines.insert(at, Line(b"\0" * chance.randrange(1, 5000)))


def _crlf(lines: list[Line], _at: int, _chance: Chance) -> None:
    for line in lines:
        if line.data.endswith(b"}\n"):
            line.data = line.data[:-1] + b"\r\n"


def _not_utf8(lines: list[Line], at: int, chance: Chance) -> None:
    data = lines[at].data
    cut = chance.randrange(len(data))
    bad = chance.choice([b"\xff\xfe", b"\xc3", b"\xed\xa0\xbd", b"\x80" * 9, b"\xf8\x88\x80\x80"])
    lines[at] = lines[at].damaged(data[:cut] + bad + data[cut:])


def _scrap(lines: list[Line], at: int, chance: Chance) -> None:
    """Something else in the file: other JSON, other text, noise."""
    scrap = chance.choice(
        [
            b"null\n",
            b"[]\n",
            b"3\n",
            b'"text"\n',
            b"{}\n",
            b"{}{}\n",
            b"}{\n",
            b"\n\n\r\n",
            b"{\n",
            b"\xef\xbb\xbf",
            b"<html>not found</html>\n",
            b"[" * DEEP + b"\n",
            chance.randbytes(chance.randrange(1, 400)) + b"\n",
            b'{"type":"user"}\n',
        ],
    )
    lines.insert(at, Line(scrap))


def _changed(change: Callable[[dict[str, Any], Chance], object]) -> Callable[..., None]:
    """A damage of the record in a line; the line counts as broken from then on."""

    def damage(lines: list[Line], at: int, chance: Chance) -> None:
        try:
            record = json.loads(lines[at].data)
            if isinstance(record, dict):
                change(record, chance)
                data = json.dumps(record).encode("utf-8", "surrogatepass") + b"\n"
                lines[at] = lines[at].damaged(data)
        except (ValueError, RecursionError):
            return  # damaged too much already to be changed as a record

    return damage


def _nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def _wrong(chance: Chance) -> Any:
    """A value that no field has."""
    return chance.choice(
        [
            None,
            True,
            0,
            -1,
            10**400,
            1e308,
            float("nan"),
            float("inf"),
            "",
            "\ud800",
            "\0",
            [],
            {},
            [[]],
            {"": {}},
            "x" * 100_000,
            ["text"] * 50,
            {"type": 3},
            "9999-99-99T99:99:99Z",
        ],
    )


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every container in a record with each of its keys."""
    if isinstance(value, dict):
        items: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return []
    return [(value, key) for key, _ in items] + [p for _, inner in items for p in _places(inner)]


def _mistype(record: dict[str, Any], chance: Chance) -> None:
    container, key = chance.choice(_places(record) or [(record, "type")])
    container[key] = _wrong(chance)


def _lack(record: dict[str, Any], chance: Chance) -> None:
    container, key = chance.choice(_places(record) or [({"": 0}, "")])
    del container[key]


def _from_tomorrow(record: dict[str, Any], chance: Chance) -> None:
    record["type"] = chance.choice(["user.v9", "turn", "assistant-delta", "", "USER", "user "])
    record["version"] = "99.0.0"


def _add_surrogate(record: dict[str, Any], chance: Chance) -> None:
    message = record.get("message")
    if isinstance(message, dict) and isinstance(message.get("content"), str):
        message["content"] += chance.choice([" \ud83d", " \udc00", "\ud800\ud800", "\udcff"])


def _deepen(record: dict[str, Any], chance: Chance) -> None:
    deep: Any = "leaf"
    for _ in range(chance.choice([50, 300, 900])):
        deep = {"content": [deep]}
    record[chance.choice(["message", "toolUseResult", "attachment", "extra"])] = deep


def _add_fields(lines: list[Line], at: int, chance: Chance) -> None:
    """Fields that a later version of Claude Code may add; the record stays whole."""
    data = lines[at].data.rstrip(b"\r\n")
    if data.startswith(b"{") and data.endswith(b"}") and len(data) > 2:
        extra = chance.choice([b'"new":null', b'"turn":{"deep":[[1]]}', b'"n":1e999', b'"":""'])
        lines[at] = Line(data[:-1] + b"," + extra + b"}\n", lines[at].statement)


def _deep_field(lines: list[Line], at: int, _chance: Chance) -> None:
    """A value nested deeper than a parser follows."""
    data = lines[at].data.rstrip(b"\r\n")
    if data.endswith(b"}"):
        lines[at] = lines[at].damaged(data[:-1] + b',"deep":' + _nested(DEEP).encode() + b"}\n")


DAMAGES: Mapping[str, Callable[[list[Line], int, Chance], None]] = {
    "bits flipped": _flip,
    "line torn": _tear,
    "character cut": _cut_character,
    "swapped": _swap,
    "repeated": _repeat,
    "all repeated": _repeat_all,
    "left out": _drop,
    "huge line": _huge,
    "NUL": _nul,
    "CRLF": _crlf,
    "not UTF-8": _not_utf8,
    "scrap": _scrap,
    "wrong type": _changed(_mistype),
    "field missing": _changed(_lack),
    "record of a later version": _changed(_from_tomorrow),
    "lone surrogate": _changed(_add_surrogate),
    "deep": _changed(_deepen),
    "field added": _add_fields,
    "too deep": _deep_field,
}
"""Each way in which a transcript breaks."""

RARE = ("huge line",)
"""Damages that take long to read."""

STAGES = ("grown", "replaced by a shorter one", "begun again")
"""What happens to the file between two readings."""

ALL = (*DAMAGES, *STAGES)
_USUAL = [name for name in ALL if name not in RARE]


def damages(*, rare: bool = True) -> st.SearchStrategy[Damage]:
    """One damage; `rare` adds those that take long to read, one in forty."""
    names = st.sampled_from(_USUAL)
    if rare:
        names = st.integers(0, 39).flatmap(
            lambda draw: st.sampled_from(RARE) if draw == 39 else st.sampled_from(_USUAL)
        )
    return st.builds(Damage, names, st.integers(0, 30), st.integers(0, 999))


def plans(*, rare: bool = True) -> st.SearchStrategy[Plan]:
    """A transcript with one to five damages."""
    drawn = st.lists(damages(rare=rare), min_size=1, max_size=5)
    return st.builds(lambda found: Plan(tuple(found)), drawn)


def make(plan: Plan, number: int, cwd: str) -> Broken:
    """The transcript of session `number` that ran in `cwd`, damaged as planned."""
    sample, lines = session(number, cwd)
    earlier: list[bytes] = []
    for name, where, seed in plan.damages:
        chance = Chance(seed)
        if name in DAMAGES:
            DAMAGES[name](lines, where % len(lines), chance)
        else:
            earlier += _stage(name, lines, where % len(lines), chance)
    content = b"".join(line.data for line in lines)
    return Broken(sample.session, [*earlier, content], _readable(lines))


def _readable(lines: Sequence[Line]) -> set[str]:
    """The statements that are whole; of several records of one id, the first one counts."""
    first: dict[str, bool] = {}
    for line in lines:
        first.setdefault(line.statement or line.was, bool(line.statement))
    return {name for name, is_whole in first.items() if is_whole}


def _stage(name: str, lines: list[Line], at: int, chance: Chance) -> list[bytes]:
    """What the file held before: part of it, more than now, or another session's text."""
    content = b"".join(line.data for line in lines)
    if name == "grown":
        return [content[: chance.randrange(len(content) + 1)]]
    if name == "replaced by a shorter one":
        del lines[max(at, 1) :]
        return [content]
    return [b"".join(line.data for line in reversed(lines))]
