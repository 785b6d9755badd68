"""Memories as JSON lines: one object a line, only `content` required on the way in."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cortex_core import text
from cortex_core.errors import UsageError
from cortex_core.kinds import Kinds
from cortex_core.memory import GIVINGS, SCOPES, STATUSES, Context, Edge, Memory, Scope, Source
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


def parse(line: str) -> dict[str, Any]:
    """One line as an object.

    Raises:
        UsageError: it is no JSON object with a `content`.
    """
    try:
        given = json.loads(line)
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

    created = text.parse_time(given["created"], now) if given.get("created") else now
    context = _context(given)
    return Memory(
        id=str(given.get("id") or uuid.uuid4()), content=text.clean(given["content"]),
        title=text.one_line(str(given.get("title") or "")) or titles.title(given["content"]),
        kind=kinds.get(str(given.get("kind") or given.get("type") or "fact")).name, scope=scope,
        tags=_texts(given, "tags"),
        initial_confidence=_number(
            given, "initial_confidence", _number(given, "confidence", 0.8, 0, 1), 0, 1
        ),
        priority=int(_number(given, "priority", 5, 1, 10)), pinned=given.get("pinned") is True,
        status=_one_of(given, "status", STATUSES, "active"),
        giving=_one_of(given, "giving", GIVINGS, "normal"),
        source=_source(given, created, place), sources=_sources(given, created), context=context,
        globs=_texts(given, "globs"), access_count=int(_number(given, "access_count", 0, 0, 1e9)),
        last_access=_time(given, "last_access", now), created=created,
        updated=_time(given, "updated", now) or created,
        reinforced=_time(given, "reinforced", now) or created,
        valid_from=_time(given, "valid_from", now), valid_until=_time(given, "valid_until", now),
        excerpt=str(given.get("excerpt") or "")[:1000], origin=_origin(given),
        details=given["details"] if isinstance(given.get("details"), dict) else {},
    )  # fmt: skip


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
    scope: Scope = _one_of(given, "scope", SCOPES, default)
    return scope


def _context(given: Mapping[str, Any]) -> Context:
    inner = given.get("context")
    told = inner if isinstance(inner, dict) else given
    return Context(
        branch=str(told.get("branch") or ""), commit=str(told.get("commit") or ""),
        folder=str(told.get("folder") or ""),
        files=_texts(given, "files") or _texts(told, "files"),
    )  # fmt: skip


def _source(given: Mapping[str, Any], created: float, place: int | None) -> Source:
    own = given.get("place")
    return Source(
        rule=str(given.get("rule") or "import:jsonl"), author=str(given.get("author") or ""),
        session=str(given.get("session") or ""), place=own if isinstance(own, int) else place,
        message=str(given.get("message") or ""), time=created,
        offset=given["offset"] if isinstance(given.get("offset"), int) else None,
        transcript=str(given.get("transcript") or ""),
    )  # fmt: skip


def _sources(given: Mapping[str, Any], created: float) -> tuple[Source, ...]:
    listed = given.get("sources")
    if not isinstance(listed, list):
        return ()
    return tuple(
        Source(**{name: one[name] for name in Source.__dataclass_fields__ if name in one})
        for one in listed
        if isinstance(one, dict)
    )


def _origin(given: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(given["origin"]) if isinstance(given.get("origin"), dict) else {}
    if isinstance(given.get("context"), str):
        kept["context"] = given["context"]
    return {**kept, **{name: value for name, value in given.items() if name not in KNOWN}}


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = given.get(name)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"{name} is no list of texts")
    return tuple(dict.fromkeys(text.one_line(one) for one in value if one.strip()))


def _number(given: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = given.get(name)
    if value is None:
        return default
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise UsageError(f"{name} is no number from {low:g} to {high:g}")
    return value


def _time(given: Mapping[str, Any], name: str, now: float) -> float | None:
    value = given.get(name)
    return None if value is None else text.parse_time(value, now)


def _one_of(given: Mapping[str, Any], name: str, allowed: tuple[Any, ...], default: Any) -> Any:
    value = given.get(name)
    if value is None:
        return default
    if value not in allowed:
        raise UsageError(f"{name} is none of {', '.join(allowed)}")
    return value
