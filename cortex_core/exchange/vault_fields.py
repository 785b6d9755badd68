"""A memory as frontmatter and body: pure functions that lose nothing (`vault_given` reads it back).

First the fields that every vault of this format has (id, type, title, tags, importance, confidence,
steps, created, updated, relations), then what only Cortex knows, left out where it is as usual.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cortex_core.curation import procedures
from cortex_core.exchange import frontmatter, vault
from cortex_core.kinds import PROCEDURE, Kinds
from cortex_core.memory import Edge, Memory, Source

RULE = "import:markdown"
"""Who wrote a memory that does not say."""

BLOCKS = ("relations", "sources", *procedures.LISTS)
"""Lists that are written one item a line."""

KNOWN = frozenset(
    """
    id type kind title tags importance confidence steps preconditions postconditions text created
    updated relations scope pinned status giving globs reinforced valid_from valid_until rule author
    session place message offset transcript branch commit folder files sources excerpt details
    origin
    """.split()
)
"""Names that mean something; others are kept as the origin's own."""

WHOLE = "whole"
"""What `text` says where the body of a procedure is not followed by its steps."""

_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}")
_NOT_COMPARED = ("id", "scope", "reinforced", "sources", "updated")


def fields(
    memory: Memory, kinds: Kinds, relations: Sequence[Mapping[str, Any]] = ()
) -> tuple[dict[str, Any], str]:
    """What the frontmatter of a memory says, and its body."""
    details, body = dict(memory.details), memory.content
    made, origin = _seed_fields(memory, kinds)
    plan = procedures.plan(details) if memory.kind == PROCEDURE else None
    if plan is not None:
        lead = procedures.lead(body, plan)
        made |= plan.lists | ({} if lead is not None else {"text": WHOLE})
        body = body if lead is None else lead
        details = {name: value for name, value in details.items() if name not in procedures.LISTS}
    made |= {"created": vault.stamp(memory.created), "updated": vault.stamp(memory.updated)}
    if relations:
        made["relations"] = list(relations)
    return made | _own_fields(memory, details) | _origin_fields(origin), body


def page(made: Mapping[str, Any], body: str) -> str:
    """The file that holds fields and a body."""
    return f"{frontmatter.render(made, BLOCKS)}\n{body}\n"


def alike(one: Memory, other: Memory, kinds: Kinds) -> bool:
    """Whether two memories would be written alike, apart from their use and where they lie."""
    return _compared(one, kinds) == _compared(other, kinds)


def relation(edge: Edge, here: str) -> dict[str, Any]:
    """How a link stands in the frontmatter of the memory `here`, one of its ends."""
    outgoing = edge.source == here
    made: dict[str, Any] = {
        "target": edge.target if outgoing else edge.source, "type": edge_type(edge),
        "direction": "outgoing" if outgoing else "incoming", "strength": edge.strength,
    }  # fmt: skip
    if edge.context:
        made["context"] = edge.context
    if edge.directed is (edge.type == "relates_to"):
        made["directed"] = edge.directed
    if vault.has_file(edge):
        return made | {"edge_id": vault.edge_id(edge)}
    return made | {"created": vault.stamp(edge.created)}


def edge_type(edge: Edge) -> str:
    """What the vault calls a link's type."""
    return "RELATED_TO" if edge.type == "relates_to" else edge.type


def priority(importance: float) -> int:
    """The priority, 1 to 10, that an importance of 0 to 1 stands for."""
    return max(1, min(10, int(importance * 10 + 0.5)))


def _compared(memory: Memory, kinds: Kinds) -> tuple[dict[str, Any], str]:
    made, body = fields(memory, kinds)
    return {name: made[name] for name in made if name not in _NOT_COMPARED}, body.strip()


def _seed_fields(memory: Memory, kinds: Kinds) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of every vault, and what of the origin they do not tell."""
    origin = dict(memory.origin)
    made = {
        "id": memory.id, "type": memory.kind, "title": memory.title, "tags": list(memory.tags),
        "importance": memory.priority / 10, "confidence": memory.initial_confidence,
    }  # fmt: skip
    name, importance = origin.get("type"), origin.get("importance")
    if isinstance(name, str) and name and kinds.known(name).name == memory.kind:
        made["type"] = origin.pop("type")
    if isinstance(importance, float) and priority(importance) == memory.priority:
        made["importance"] = origin.pop("importance")
    return made, origin


def _own_fields(memory: Memory, details: Mapping[str, Any]) -> dict[str, Any]:
    source, context = memory.source, memory.context
    told: dict[str, Any] = {
        "scope": memory.scope, "pinned": memory.pinned,
        "status": "" if memory.status == "active" else memory.status,
        "giving": "" if memory.giving == "normal" else memory.giving,
        "globs": list(memory.globs),
        "reinforced": _time(memory.reinforced, memory.updated),
        "valid_from": _time(memory.valid_from), "valid_until": _time(memory.valid_until),
        "rule": "" if source.rule == RULE else source.rule, "author": source.author,
        "session": source.session, "place": source.place, "message": source.message,
        "offset": source.offset, "transcript": source.transcript, "branch": context.branch,
        "commit": context.commit, "folder": context.folder, "files": list(context.files),
        "sources": _sources(memory), "excerpt": memory.excerpt, "details": dict(details),
    }  # fmt: skip
    return {name: value for name, value in told.items() if value or _is_zero(value)}


def _is_zero(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _time(moment: float | None, usual: float | None = None) -> str:
    if moment is None or (usual is not None and vault.stamp(moment) == vault.stamp(usual)):
        return ""
    return vault.stamp(moment)


def _sources(memory: Memory) -> list[dict[str, Any]]:
    """Every source, where there are several or the one is not the memory's own."""
    told = [_source(one, memory.created) for one in memory.sources]
    return [] if told == [_source(memory.source, memory.created)] else told


def _source(source: Source, created: float) -> dict[str, Any]:
    moment = created if source.time is None else source.time
    named = {name: getattr(source, name) for name in Source.__dataclass_fields__ if name != "time"}
    kept = {name: value for name, value in named.items() if value or _is_zero(value)}
    return kept | {"time": vault.stamp(moment)}


def _origin_fields(origin: Mapping[str, Any]) -> dict[str, Any]:
    """What the origin had besides: texts and lists of them under their own names, as they came."""
    plain = {
        name: value for name, value in origin.items()
        if _NAME.fullmatch(name) and name not in KNOWN and _is_text(value)
    }  # fmt: skip
    rest = {name: value for name, value in origin.items() if name not in plain}
    return plain | ({"origin": rest} if rest else {})


def _is_text(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, str) for each in value)
    return isinstance(value, str)
