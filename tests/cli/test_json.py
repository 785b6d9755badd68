"""The JSON of records: what is documented is what is printed."""

from __future__ import annotations

import collections.abc
import dataclasses
import json
import types
import typing
from pathlib import Path
from typing import Any

import pytest

from cortex_core.cli import prose
from cortex_core.records.as_json import layout, to_json
from cortex_core.records.changes import JournalEntry
from cortex_core.records.fields import FIELDS
from cortex_core.records.hits import Hit, Parts
from cortex_core.records.memory import Edge, Memory, Source
from cortex_core.records.surfaces import Outlook, Receipt, SurfaceLine
from cortex_core.records.upkeep import Detail
from cortex_core.store.snapshots import Snapshot
from cortex_core.store.trash import Discarded
from tools import reference

MEMORY = Memory(
    id="1f3a9c20",
    content="Use pnpm",
    title="Use pnpm",
    kind="preference",
    scope="project",
    tags=("tools",),
    globs=("*.json",),
    created=0.0,
)
EDGE = Edge(source="a", target="b", type="refines", created=86_400.0)
CHANGE = JournalEntry(number=1, time=0.0, actor="person", verb="pin", label="pin")
RECEIPT = Receipt(session="s", event="SessionStart", memory="m", time=0.0, tokens=9)
LINE = SurfaceLine(id="a", text="x", kind="fact", score=0.5, parts={"priority": 0.1}, tokens=3)
OUTLOOK = Outlook(memory="m", line=3, lines=14, rank=2, score=0.5, reason="pinned")
SNAPSHOT = Snapshot(Path("/p/x.db"), "20260917T120000", "import", 4096)
HIT = Hit(memory=MEMORY, score=1.25, parts=Parts(keyword=1.0, importance=0.25))


def sample(annotation: Any) -> Any:
    """A value of the type that a field is annotated with."""
    origin, within = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return within[0]
    if origin in (types.UnionType, typing.Union):
        return sample(within[0])
    if origin is tuple:
        return tuple(sample(each) for each in within if each is not Ellipsis)
    if origin is collections.abc.Mapping:
        return {sample(within[0]): sample(within[1])}
    if dataclasses.is_dataclass(annotation):
        types_of = typing.get_type_hints(annotation)
        names = [each.name for each in dataclasses.fields(annotation)]
        return annotation(**{name: sample(types_of[name]) for name in names})  # type: ignore[operator]
    return {str: "x", int: 3, float: 1.5, bool: True}.get(annotation)


@pytest.mark.parametrize("record", reference.PUBLISHED)
def test_every_published_record_becomes_json(record: type[Any]) -> None:
    shape = to_json(sample(record))
    names = [name for name, path in layout(record) if not path.endswith("*")]  # type: ignore[arg-type]
    assert [name for name in shape if name in names] == names
    json.dumps(shape, allow_nan=False)


def test_what_records_contain_is_documented_too() -> None:
    for record in reference.PUBLISHED:
        for name, path in layout(record):  # type: ignore[arg-type]
            held = typing.get_type_hints(record).get(path)
            for each in (held, *typing.get_args(held)):
                if dataclasses.is_dataclass(each):
                    assert each in reference.PUBLISHED, (record, name)


def test_a_hit_is_exactly_this() -> None:
    assert to_json(HIT) == {
        "id": "1f3a9c20",
        "title": "Use pnpm",
        "content": "Use pnpm",
        "kind": "preference",
        "scope": "project",
        "score": 1.25,
        "parts": {"keyword": 1.0, "semantic": 0.0, "graph": 0.0, "standing": 0.25},
        "code": None,
        "source": to_json(MEMORY.source),
        "revived": False,
        "status": "active",
        "outdated": "",
    }


def test_times_are_iso() -> None:
    assert to_json(EDGE)["created"] == "1970-01-02T00:00:00Z"
    assert to_json(MEMORY)["created"] == "1970-01-01T00:00:00Z"
    assert to_json(MEMORY)["last_access"] is None
    assert to_json(Discarded("a", "Title", "project", 0.0)) == {
        "id": "a",
        "title": "Title",
        "scope": "project",
        "time": "1970-01-01T00:00:00Z",
    }
    assert prose.snapshot_json(1, SNAPSHOT)["time"] == "2026-09-17T12:00:00Z"


def test_the_times_of_a_memory_are_those_of_its_table() -> None:
    times = {each.name for each in FIELDS if each.form == "time"}
    numbers = {each.name: 0.0 for each in FIELDS if each.form == "time"}
    shape = to_json(dataclasses.replace(MEMORY, **numbers))  # type: ignore[arg-type]
    assert {name for name, value in shape.items() if value == "1970-01-01T00:00:00Z"} == times


def test_a_memory_has_every_field_of_its_table() -> None:
    assert {each.part or each.name for each in FIELDS} <= set(to_json(MEMORY))
    of_source = {each.name for each in FIELDS if each.part == "source"}
    assert set(to_json(Source())) == {*of_source, "time", "agent"}


def test_detail_is_a_memory_and_more() -> None:
    detail = Detail(
        memory=MEMORY,
        edges=(EDGE,),
        history=(CHANGE,),
        receipts=(RECEIPT,),
        importance={"priority": 0.1},
        most_importance={},
        fades=None,
    )
    shape = to_json(detail)
    assert set(to_json(MEMORY)) < set(shape)
    assert [len(shape[name]) for name in ("edges", "history", "receipts")] == [1, 1, 1]
    assert shape["standing"] == {"priority": 0.1}
    assert shape["fades"] is None
    assert to_json(OUTLOOK)["line"] == 3
