"""How a record becomes JSON: what `--json` and HTTP return. These shapes are kept stable.

An object has the fields of its record in their order. Where it has others, the class says so in
`JSON`, a tuple of:

- `"*"`: every field that no other entry names
- `"text"`: that field or property; `"memory.title"`: of the record in that field, as `title`
- `"importance as standing"`: under another name; a field of `"*"` keeps its place
- `"memory.*"`: every part of the JSON of the record in that field
- `"-here"`: not this field

A time is ISO 8601 in UTC if its annotation is `Moment`. An unknown value is null, an empty list [].
"""

import dataclasses
from collections.abc import Mapping
from functools import cache, reduce
from typing import Annotated, Any

from cortex_core.base.text import iso

Moment = Annotated[float, "Moment"]
"""A time in Unix seconds (UTC), which JSON states in ISO 8601."""

Shape = dict[str, Any]


def to_json(record: Any) -> Shape:
    """The JSON object of `record`, a dataclass or a named tuple."""
    shape: Shape = {}
    for name, path in layout(record.__class__):
        *holders, last = path.split(".")
        holder = reduce(getattr, holders, record)
        if last == "*":
            shape |= to_json(holder)
        else:
            shape[name] = plain(getattr(holder, last), last in _moments(holder.__class__))
    return shape


@cache
def layout(record: type[Any]) -> list[tuple[str, str]]:
    """The names in the JSON of a class of records in their order, and from where each comes."""
    entries: tuple[str, ...] = getattr(record, "JSON", ("*",))
    stated = {path: name for path, _, name in (entry.partition(" as ") for entry in entries)}
    fields = getattr(record, "_fields", ()) or [each.name for each in dataclasses.fields(record)]
    renamed = {path: name for path, name in stated.items() if name and path in fields}
    listed: list[tuple[str, str]] = []
    for path, name in stated.items():
        if path == "*":
            # A field that is only named has its place there; one that is renamed keeps its own.
            own = (each for each in fields if stated.get(each) != "" and f"-{each}" not in stated)
            listed += [(renamed.get(each, each), each) for each in own]
        elif not path.startswith("-") and not ("*" in stated and path in renamed):
            listed.append((name or path.rpartition(".")[2], path))
    return listed


@cache
def _moments(record: type[Any]) -> frozenset[str]:
    """The fields of a class of records that are times."""
    # `Moment` says its name whether annotations are kept as text or as what they mean.
    annotations = record.__annotations__.items()
    return frozenset(name for name, written in annotations if "Moment" in str(written))


def plain(value: Any, is_time: bool = False) -> Any:
    """`value` as JSON has it: numbers to six places, tuples as lists."""
    if isinstance(value, float):
        return iso(value) if is_time else round(value, 6)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return to_json(value) if dataclasses.is_dataclass(value) else value
