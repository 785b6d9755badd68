"""Memories as JSON lines: one object a line, only `content` required on the way in."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cortex_core import text
from cortex_core.errors import UsageError
from cortex_core.exchange.jsonl_values import Values
from cortex_core.kinds import Kinds
from cortex_core.memory import (
    EDGE_TYPES,
    GIVINGS,
    SCOPES,
    STATUSES,
    Context,
    Edge,
    Memory,
    Scope,
    Source,
)
from cortex_core.storage.store import Store

KNOWN = frozenset(
    """
    id content title kind type scope tags confidence initial_confidence priority pinned status
    giving author session place message offset transcript rule branch commit folder files context
    globs access_count last_access created updated reinforced valid_from valid_until excerpt origin
    details sources edges vector model
    """.split()
)
"""Keys that mean something; others are kept in `origin`."""

DEEPEST = 100
"""Levels of lists and objects in each other that whoever walks through a memory can bear."""


def parse(line: str) -> dict[str, Any]:
    """One line as an object.

    Raises:
        UsageError: it is no JSON object with a `content`.
    """
    try:
        given = json.loads(line)
        if _levels(given) > DEEPEST:
            raise RecursionError
        # Neither halves of characters nor numbers that are none can be stored, however deep.
        whole = json.dumps(given, ensure_ascii=False, allow_nan=False).encode("utf-8", "ignore")
        given = json.loads(whole)
    except RecursionError:
        raise UsageError("it is nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"no JSON: {error}") from None
    if not isinstance(given, dict) or not isinstance(given.get("content"), str):
        raise UsageError("no object with a text called content")
    if not given["content"].strip():
        raise UsageError("its content is empty")
    return given


def to_memory(
    given: Mapping[str, Any], scope: Scope, now: float, place: int | None, kinds: Kinds
) -> Memory:
    """The memory that an object describes.

    Raises:
        UsageError: a value has the wrong type or is out of range.
    """
    from cortex_core.capture import titles

    read = Values(given)
    edges(given, now)
    created = read.time("created", now) or now
    return Memory(
        id=_id(given) or str(uuid.uuid4()), content=text.clean(given["content"]),
        title=text.one_line(read.text("title")) or titles.title(given["content"]),
        kind=kinds.get(read.text("kind") or read.text("type") or "fact").name, scope=scope,
        tags=read.texts("tags"),
        initial_confidence=read.number(
            "initial_confidence", read.number("confidence", 0.8, 0, 1), 0, 1
        ),
        priority=int(read.number("priority", 5, 1, 10)), pinned=read.flag("pinned", False),
        status=read.one_of("status", STATUSES, "active"),
        giving=read.one_of("giving", GIVINGS, "normal"),
        source=_source(read, created, place), sources=_sources(read, now),
        context=_context(given), globs=read.texts("globs"),
        access_count=int(read.number("access_count", 0, 0, 1e9)),
        last_access=read.time("last_access", now), created=created,
        updated=read.time("updated", now) or created,
        reinforced=read.time("reinforced", now) or created,
        valid_from=read.time("valid_from", now), valid_until=read.time("valid_until", now),
        excerpt=read.text("excerpt")[:1000], origin=_origin(given), details=read.mapping("details"),
    )  # fmt: skip


def edges(given: Mapping[str, Any], now: float) -> list[Edge]:
    """The links that an object lists; those of types that are not known here are left out.

    Raises:
        UsageError: a value has the wrong type or is out of range.
    """
    read = Values(given).each("edges")
    found = ((one, type_) for one in read if (type_ := one.text("type")) in EDGE_TYPES)
    return [_edge(one, type_, now) for one, type_ in found]


def to_object(memory: Memory, edges: Iterable[Edge] = ()) -> dict[str, Any]:
    """The object that `to_memory` reads back without loss; times are ISO 8601 or exact numbers."""
    source, context = memory.source, memory.context
    return {
        "id": memory.id, "content": memory.content, "title": memory.title, "kind": memory.kind,
        "scope": memory.scope, "tags": list(memory.tags),
        "confidence": round(memory.confidence, 4),
        "initial_confidence": memory.initial_confidence, "priority": memory.priority,
        "pinned": memory.pinned, "status": memory.status, "giving": memory.giving,
        "rule": source.rule, "author": source.author, "session": source.session,
        "place": source.place, "message": source.message, "offset": source.offset,
        "transcript": source.transcript,
        "context": {
            "branch": context.branch, "commit": context.commit, "folder": context.folder,
            "files": list(context.files),
        },
        "files": list(context.files), "globs": list(memory.globs),
        "access_count": memory.access_count, "last_access": memory.last_access,
        "created": memory.created, "updated": memory.updated, "reinforced": memory.reinforced,
        "valid_from": memory.valid_from, "valid_until": memory.valid_until,
        "excerpt": memory.excerpt, "origin": dict(memory.origin), "details": dict(memory.details),
        "sources": [
            {name: getattr(one, name) for name in Source.__dataclass_fields__}
            for one in memory.sources
        ],
        "edges": [
            {name: getattr(edge, name) for name in Edge.__dataclass_fields__} for edge in edges
        ],
    }  # fmt: skip


def with_vector(found: dict[str, Any], store: Store, number: int) -> dict[str, Any]:
    """`found` with its vector (float32, base64) and the model that made it."""
    for model, vector in store.rows(
        "SELECT model, vector FROM embedding WHERE number = ?", (number,)
    ):
        found |= {"model": model, "vector": base64.b64encode(vector).decode()}
    return found


def lines(stream: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line that is not blank."""
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield number, line


def scope_of(given: Mapping[str, Any], default: Scope) -> Scope:
    """The store an object belongs to."""
    scope: Scope = Values(given).one_of("scope", SCOPES, default)
    return scope


def _levels(given: Any) -> int:
    """How many lists and objects lie in each other, counted no further than is needed."""
    level, count = [given], 0
    while level and count <= DEEPEST:
        held = [one for one in level if isinstance(one, dict | list)]
        level = [each for one in held for each in (one.values() if isinstance(one, dict) else one)]
        count += bool(held)
    return count


def _id(given: Mapping[str, Any]) -> str:
    name = Values(given).text("id") if given.get("id") else ""
    if "\n" in name or text.clean(name).strip() != name:
        raise UsageError("its id is no plain line")
    return name


def _edge(read: Values, type_: str, now: float) -> Edge:
    return Edge(
        source=read.text("source"), target=read.text("target"),
        type=type_,  # type: ignore[arg-type]
        strength=read.number("strength", 1, 0, 1), directed=read.flag("directed", True),
        context=read.text("context"), created=read.time("created", now) or 0.0,
    )  # fmt: skip


def _context(given: Mapping[str, Any]) -> Context:
    read = Values(given)
    inner = given.get("context")
    told = read if inner is None or isinstance(inner, str) else Values(read.mapping("context"))
    return Context(
        branch=told.text("branch"), commit=told.text("commit"), folder=told.text("folder"),
        files=read.texts("files") or told.texts("files"),
    )  # fmt: skip


def _source(read: Values, created: float, place: int | None) -> Source:
    own = read.whole("place")
    return Source(
        rule=read.text("rule") or "import:jsonl", author=read.text("author"),
        session=read.text("session"), place=place if own is None else own,
        message=read.text("message"), time=created, offset=read.whole("offset"),
        transcript=read.text("transcript"),
    )  # fmt: skip


def _sources(read: Values, now: float) -> tuple[Source, ...]:
    return tuple(
        Source(
            rule=one.text("rule") or "person", author=one.text("author"),
            session=one.text("session"), place=one.whole("place"), message=one.text("message"),
            offset=one.whole("offset"), transcript=one.text("transcript"),
            time=one.time("time", now),
        )
        for one in read.each("sources")
    )  # fmt: skip


def _origin(given: Mapping[str, Any]) -> dict[str, Any]:
    kept = Values(given).mapping("origin")
    if isinstance(given.get("context"), str):
        kept["context"] = given["context"]
    return {**kept, **{name: value for name, value in given.items() if name not in KNOWN}}
