"""Memories as JSON lines: one object a line, only `content` required on the way in."""

import base64
import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from cortex_core.admission import checks
from cortex_core.base import decay, text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import Kinds
from cortex_core.exchange.exported import KnownTexts
from cortex_core.exchange.importer import ImportBatch, ImportItem, Progress
from cortex_core.exchange.typed_values import Values
from cortex_core.records.fields import FIELDS, source_values
from cortex_core.records.memory import EDGE_TYPES, SCOPES, Context, Edge, Memory, Scope, Source
from cortex_core.store import edges as stored_edges, memory_lookup, rows, vectors as store_vectors
from cortex_core.store.reader import parts
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

KNOWN = frozenset(name for each in FIELDS for name in each.names) | {
    "context",
    "sources",
    "edges",
    "vector",
    "model",
}
"""Keys that are read; others are kept in `origin`."""

DEEPEST = 100
"""Levels of nested lists and objects that are read."""

RULE = "import:jsonl"
"""The rule of a memory whose line gives none."""

MOST_PROBLEMS = 20
"""Unusable lines that a report lists."""

STEP = 200
"""Lines from one report of progress to the next."""

_VECTOR = ("model", "vector")
"""Keys of a line that an export may leave out."""

_APART = frozenset(
    {"id", "content", "title", "kind", "scope", "confidence", "context.files", "origin"}
)
"""Fields that are not read by the table of fields alone."""


def usable(given: object) -> dict[str, Any]:
    """A line, or what was read of one, as an object with a `content` that can be stored.

    Raises:
        UsageError: it is none, or nested too deeply.
    """
    try:
        read = json.loads(given) if isinstance(given, str) else given
        if text.levels(read, DEEPEST) > DEEPEST:
            raise RecursionError
        # Lone surrogates and NaN cannot be stored, however deep they are nested.
        whole = json.dumps(read, ensure_ascii=False, allow_nan=False).encode("utf-8", "ignore")
        read = json.loads(whole)
    except RecursionError:
        raise UsageError("it is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"not valid JSON: {error}") from None
    if not isinstance(read, dict) or not isinstance(read.get("content"), str):
        raise UsageError("not an object with a text named content")
    if not read["content"].strip():
        raise UsageError("its content is empty")
    return read


def to_memory(
    given: Mapping[str, Any], scope: Scope, now: float, position: int | None, kinds: Kinds
) -> Memory:
    """The memory that an object describes.

    Args:
        position: its position in its session, unless the object gives one.

    Raises:
        UsageError: a value has the wrong type or is out of range.
    """
    from cortex_core.extract import wording

    values = Values(given)
    edges(given, now)
    found: dict[str, dict[str, Any]] = {"": {}, "source": {}, "context": {}}
    # The fields of the context are in an object of their own, or in the line itself.
    is_here = isinstance(given.get("context"), str | None)
    inner = values if is_here else Values(values.mapping("context"))
    for one in FIELDS:
        if one.carried and one.path not in _APART:
            found[one.part][one.attribute] = (inner if one.part == "context" else values).field(
                one, now
            )
    own, source = found[""], found["source"]
    name = values.text("id")
    if "\n" in name or text.clean(name).strip() != name:
        raise UsageError("its id is not a single line")
    origin = values.mapping("origin")
    if isinstance(given.get("context"), str):
        origin["context"] = given["context"]
    listed = [one for one in FIELDS if one.part == "source"]
    kind = kinds.get(values.text("kind") or values.text("type") or "fact")
    # What an object leaves out follows from what it states.
    own["created"] = own["created"] or now
    own["updated"] = own["updated"] or own["created"]
    own["reinforced"] = own["reinforced"] or decay.day_zero(own["created"], now, kind.half_life)
    if source["position"] is None:
        source["position"] = position
    source["rule"] = values.text("rule") or RULE
    files = values.texts("files") or inner.texts("files")
    return Memory(
        **own,
        id=name or str(uuid.uuid4()),
        content=text.clean(given["content"]),
        title=text.one_line(values.text("title")) or wording.title(given["content"]),
        kind=kind.name,
        scope=scope,
        source=Source(**source, time=own["created"]),
        context=Context(**found["context"], files=files),
        sources=tuple(
            Source(
                **{one.attribute: each.field(one, now) for one in listed}
                | {"time": each.time("time", now)}
            )
            for each in values.each("sources")
        ),
        origin={**origin, **{name: given[name] for name in given if name not in KNOWN}},
    )


def edges(given: Mapping[str, Any], now: float) -> list[Edge]:
    """The links that an object lists, without those of unknown types.

    Raises:
        UsageError: a value has the wrong type or is out of range.
    """
    return [
        Edge(
            source=item.text("source"),
            target=item.text("target"),
            type=item.text("type"),  # type: ignore[arg-type]
            strength=item.number("strength", 1, 0, 1),
            directed=item.flag("directed", True),
            context=item.text("context"),
            created=item.time("created", now) or 0.0,
        )
        for item in Values(given).each("edges")
        if item.text("type") in EDGE_TYPES
    ]


def to_object(memory: Memory, edges: Iterable[Edge] = ()) -> dict[str, Any]:
    """The object for a memory that `to_memory` reads back without loss; times are exact numbers."""
    values: dict[str, Any] = {}
    for one in (each for each in FIELDS if each.carried):
        inside = values.setdefault("context", {}) if one.part == "context" else values
        inside[one.name] = one.plain(memory)
        if one.path == "context.files":
            values["files"] = one.plain(memory)
    values["confidence"] = round(memory.confidence, 4)
    values["sources"] = [source_values(one) for one in memory.sources]
    values["edges"] = [
        {name: getattr(edge, name) for name in Edge.__dataclass_fields__} for edge in edges
    ]
    return values


def batch(
    workspace: Workspace,
    source: str | Path | Iterable[str],
    *,
    own: bool = False,
    progress: Progress | None = None,
) -> ImportBatch:
    """The batch in the lines of a file, or in the given lines; positions follow their order.

    Args:
        own: whether the user says that all of it is theirs.
        progress: called with how many lines are read, and of how many.

    Raises:
        UsageError: the file cannot be read, or no line of it is usable.
    """
    now, kinds = workspace.clock(), workspace.config.kinds
    exported = KnownTexts(workspace.project.home)
    positions: Counter[str] = Counter()
    items: list[ImportItem] = []
    links: list[Edge] = []
    problems: list[str] = []
    lines = list(_lines(source))
    for number, line in enumerate(lines, 1):
        if progress and number % STEP == 0:
            progress(number, len(lines))
        if not line.strip():
            continue
        try:
            given = usable(line)
            session = str(given.get("session") or "")
            scope = scope_of(given, workspace.default_scope())
            memory = to_memory(given, scope, now, positions[session] if session else None, kinds)
            positions[session] += 1
            pure = checks.checked_memory(memory, workspace.config)
        except UsageError as error:
            # A wrong line costs itself alone: the rest of the file is as good as before.
            problems.append(f"line {number}: {error}")
            continue
        items.append(
            ImportItem(
                memory=pure,
                named=bool(given.get("id")),
                stated=given.keys(),
                by_user=own or exported.has(_said(given)),
            )
        )
        links += edges(given, now) if given.get("edges") else ()
    if problems and not items:
        raise UsageError(
            f"No line could be imported. Nothing was changed. The first problem: {problems[0]}"
        )
    return ImportBatch(
        items=items,
        edges=links,
        adjusts_edges=False,
        problems=problems[:MOST_PROBLEMS],
        files=1,
        itemized=False,
    )


def _said(given: Mapping[str, Any]) -> str:
    """What a line says, by which it is recognised."""
    return rows.dumps({name: value for name, value in given.items() if name not in _VECTOR})


def export(
    stores: Iterable[Store], out: TextIO, exported: KnownTexts, *, vectors: bool = False
) -> int:
    """Write every memory of `stores`, one JSON object a line; returns how many.

    Args:
        exported: notes what is the user's own, so that an import recognises it.
        vectors: whether each includes its vector (float32, base64) and the model that made it.
    """
    count = 0
    said: list[str] = []
    for store in stores:
        sources = memory_lookup.sources(store)
        for part in parts(memory_lookup.ids(store)):
            # A link is written with the memory that it leads from, so once.
            away: dict[str, list[Edge]] = {}
            for edge in stored_edges.touching(store, part):
                away.setdefault(edge.source, []).append(edge)
            for memory in store.memories(part):
                whole = replace(memory, sources=sources.get(memory.id, ()))
                entry = to_object(whole, away.get(memory.id, ()))
                if not memory.claimed and memory.scope != "team":
                    said.append(_said(entry))
                if vectors and (known := store_vectors.stored(store, memory.id)):
                    entry |= {"model": known[0], "vector": base64.b64encode(known[1]).decode()}
                out.write(rows.dumps(entry) + "\n")
                count += 1
    exported.add(said)
    return count


def scope_of(given: Mapping[str, Any], default: Scope) -> Scope:
    """The scope of the store that an object belongs to."""
    scope: Scope = Values(given).one_of("scope", SCOPES, default)
    return scope


def _lines(source: str | Path | Iterable[str]) -> Iterable[str]:
    if not isinstance(source, str | Path):
        return source
    try:
        return Path(source).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise UsageError(
            f"{source} cannot be read: {error.strerror}. Nothing was changed. Check its "
            "permissions."
        ) from error
