"""Turning memories into rows and rows into memories."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from cortex_core import decay, text
from cortex_core.kinds import DEFAULT, Kinds
from cortex_core.memory import Context, Memory, Scope, Source

Row = dict[str, Any]

COLUMNS = (
    "number", "id", "content", "title", "kind", "tags", "initial_confidence", "priority", "pinned",
    "status", "giving", "rule", "author", "session", "place", "message", "offset", "transcript",
    "branch", "commit", "folder", "files", "globs", "access_count", "last_access", "created",
    "updated", "reinforced", "valid_from", "valid_until", "content_hash", "excerpt", "origin",
    "details",
)  # fmt: skip
"""What a memory is read from, in order."""

SELECT = "SELECT " + ", ".join(f'm."{column}"' for column in COLUMNS) + " FROM memory m"


def dumps(value: Any) -> str:
    """`value` as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def context_words(created: float, author: str, branch: str, files: tuple[str, ...]) -> str:
    """The date, author, branch and file names, as words for the index."""
    day = time.gmtime(created)
    date = f"{day.tm_mday} {time.strftime('%B %Y %Y-%m-%d', day)}"
    names = " ".join(f"{path} {PurePath(path).name}" for path in files)
    return text.one_line(f"{date} {author} {branch} {names}")


def to_row(memory: Memory) -> Row:
    """The row that stores `memory`, without its number."""
    source, context = memory.source, memory.context
    return {
        "id": memory.id,
        "content": memory.content,
        "title": memory.title,
        "kind": memory.kind,
        "tags": dumps(list(memory.tags)),
        "initial_confidence": memory.initial_confidence,
        "priority": memory.priority,
        "pinned": memory.pinned,
        "status": memory.status,
        "giving": memory.giving,
        "rule": source.rule,
        "author": source.author,
        "session": source.session,
        "place": source.place,
        "message": source.message,
        "offset": source.offset,
        "transcript": source.transcript,
        "branch": context.branch,
        "commit": context.commit,
        "folder": context.folder,
        "files": dumps(list(context.files)),
        "context": context_words(memory.created, source.author, context.branch, context.files),
        "globs": dumps(list(memory.globs)),
        "access_count": memory.access_count,
        "last_access": memory.last_access,
        "created": memory.created,
        "updated": memory.updated,
        "reinforced": memory.reinforced,
        "valid_from": memory.valid_from,
        "valid_until": memory.valid_until,
        "content_hash": text.content_hash(memory.content),
        "excerpt": memory.excerpt,
        "origin": dumps(dict(memory.origin)),
        "details": dumps(dict(memory.details)),
    }


def source_of(row: Mapping[str, Any]) -> Source:
    """The source that a memory's or a source's row tells."""
    return Source(
        rule=row["rule"], author=row["author"], session=row["session"], place=row["place"],
        message=row["message"], offset=row["offset"], transcript=row["transcript"],
        time=row.get("time", row.get("created")),
    )  # fmt: skip


def source_row(memory: str, source: Source) -> Row:
    """The row of one source of a memory."""
    return {
        "memory": memory, "rule": source.rule, "author": source.author,
        "session": source.session, "place": source.place, "message": source.message,
        "offset": source.offset, "transcript": source.transcript, "time": source.time,
    }  # fmt: skip


def to_memory(
    values: tuple[Any, ...],
    scope: Scope,
    now: float,
    *,
    kinds: Kinds = DEFAULT,
    centrality: float = 0.0,
    sources: tuple[Source, ...] = (),
) -> Memory:
    """The memory in `values` (as `COLUMNS`), its confidence decayed to `now`."""
    row = dict(zip(COLUMNS, values, strict=True))
    pinned = bool(row["pinned"])
    confidence = decay.confidence(
        row["initial_confidence"], row["reinforced"], now, kinds.pace(row["kind"]),
        priority=row["priority"], access_count=row["access_count"], centrality=centrality,
        pinned=pinned,
    )  # fmt: skip
    return Memory(
        id=row["id"], content=row["content"], title=row["title"], kind=row["kind"], scope=scope,
        tags=tuple(json.loads(row["tags"])), initial_confidence=row["initial_confidence"],
        confidence=confidence, priority=row["priority"], pinned=pinned, status=row["status"],
        giving=row["giving"], source=source_of(row), sources=sources,
        context=Context(
            branch=row["branch"], commit=row["commit"], folder=row["folder"],
            files=tuple(json.loads(row["files"])),
        ),
        globs=tuple(json.loads(row["globs"])), access_count=row["access_count"],
        last_access=row["last_access"], created=row["created"], updated=row["updated"],
        reinforced=row["reinforced"], valid_from=row["valid_from"],
        valid_until=row["valid_until"], content_hash=row["content_hash"],
        excerpt=row["excerpt"], origin=json.loads(row["origin"]),
        details=json.loads(row["details"]),
    )  # fmt: skip
