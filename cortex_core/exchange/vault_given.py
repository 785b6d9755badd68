"""What a frontmatter says about a memory, as the object that `jsonl.to_memory` takes and checks.

Hand-written values come as text and are read here; anything of the wrong form is told by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex_core import text
from cortex_core.curation import procedures
from cortex_core.errors import UsageError
from cortex_core.exchange.vault_fields import KNOWN, RULE, WHOLE, priority
from cortex_core.kinds import Kinds
from cortex_core.memory import EDGE_TYPES, Edge

_TEXTS = (
    "title", "scope", "status", "giving", "rule", "author", "session", "message", "transcript",
    "excerpt",
)  # fmt: skip
_TIMES = ("created", "updated", "reinforced", "valid_from", "valid_until")
_LONGEST_ID = 100


def given(found: Mapping[str, Any], body: str, kinds: Kinds) -> dict[str, Any]:
    """The object that a frontmatter and a body describe.

    Raises:
        UsageError: a value has the wrong form; the message names the field.
    """
    made: dict[str, Any] = {"rule": RULE}
    made |= {name: _text(found, name) for name in _TEXTS if found.get(name) not in (None, "")}
    made |= {name: found[name] for name in _TIMES if found.get(name) not in (None, "")}
    kind = _text(found, "type") or _text(found, "kind") or "fact"
    importance = _number(found, "importance", 0.5)
    made |= {
        "kind": kind, "tags": texts(found, "tags"), "globs": texts(found, "globs"),
        "initial_confidence": _number(found, "confidence", 0.8), "priority": priority(importance),
        "pinned": _flag(found, "pinned"), "details": dict(_mapping(found, "details")),
        "files": texts(found, "files"), "sources": _sources(found),
        "context": {name: _text(found, name) for name in ("branch", "commit", "folder")},
        "origin": _origin(found, kind, importance, kinds),
    }  # fmt: skip
    if "id" in found:
        made["id"] = _id(found)
    for name in ("place", "offset"):
        if found.get(name) not in (None, ""):
            made[name] = int(_number(found, name, 0, 1e15))
    return made | {"content": _content(found, body, made["details"])}


def relations(found: Mapping[str, Any], here: str) -> list[Edge]:
    """The links in a memory's frontmatter.

    Raises:
        UsageError: one of them has the wrong form.
    """
    listed = found.get("relations") or []
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        raise UsageError("relations is no list of links")
    return [_relation(one, here) for one in listed]


def edge(found: Mapping[str, Any], source: str, target: str, context: str = "") -> Edge:
    """A link between two memories.

    Raises:
        UsageError: its type is unknown, or a value has the wrong form.
    """
    type_ = edge_type(_text(found, "type"))
    undirected = type_ == "relates_to"
    created = found.get("created")
    return Edge(
        source=source, target=target, type=type_,  # type: ignore[arg-type]
        strength=_number(found, "strength", 1.0),
        directed=_flag(found, "directed") if "directed" in found else not undirected,
        context=text.one_line(context or _text(found, "context")),
        created=text.parse_time(created, 0.0) if created not in (None, "") else 0.0,
    )  # fmt: skip


def edge_type(name: str) -> str:
    """The type of link that the vault calls `name`, in any case.

    Raises:
        UsageError: there is none.
    """
    wanted = {"related_to": "relates_to"}.get(name.lower(), name.lower())
    for known in EDGE_TYPES:
        if known.lower() == wanted:
            return known
    raise UsageError(f"“{name[:40]}” is no type of link")


def texts(found: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts; one written as words with commas is taken apart.

    Raises:
        UsageError: it is none.
    """
    value = found.get(name)
    if value in (None, ""):
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        raise UsageError(f"{name} is no list")
    return [_as_text(one) for one in value if one is not None]


def _relation(one: Mapping[str, Any], here: str) -> Edge:
    target = _text(one, "target")
    if not target:
        raise UsageError("a link has no target")
    incoming = _text(one, "direction").lower() == "incoming"
    return edge(one, *((target, here) if incoming else (here, target)))


def _content(found: Mapping[str, Any], body: str, details: dict[str, Any]) -> str:
    """The content, a procedure's with its steps; these are put into `details`."""
    lists = {name: made for name in procedures.LISTS if (made := texts(found, name))}
    plan = procedures.plan(lists)
    if plan is None:
        return body
    details |= plan.lists
    return body if _text(found, "text") == WHOLE else procedures.content(body.strip(), plan)


def _origin(found: Mapping[str, Any], kind: str, importance: float, kinds: Kinds) -> dict[str, Any]:
    """What came in under names or in forms of the origin's own."""
    kept = {name: value for name, value in found.items() if name not in KNOWN}
    if kinds.known(kind).name != kind:
        kept["type"] = kind
    if importance != priority(importance) / 10:
        kept["importance"] = importance
    return kept | dict(_mapping(found, "origin"))


def _sources(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = found.get("sources") or []
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        raise UsageError("sources is no list")
    return [_source(one) for one in listed]


def _source(one: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        name: _text(one, name) for name in ("rule", "author", "session", "message", "transcript")
        if name in one
    }  # fmt: skip
    for name in ("place", "offset"):
        if one.get(name) not in (None, ""):
            made[name] = int(_number(one, name, 0, 1e15))
    if one.get("time") not in (None, ""):
        made["time"] = text.parse_time(one["time"], 0.0)
    return made


def _id(found: Mapping[str, Any]) -> str:
    name = _text(found, "id")
    if not 4 <= len(name) <= _LONGEST_ID or text.one_line(name) != name:
        raise UsageError("its id is none: 4 to 100 characters on one line")
    return name


def _as_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_as_text(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    if value is None:
        return ""
    if isinstance(value, list | Mapping):
        raise UsageError(f"{name} is no text")
    return text.clean(_as_text(value))


def _number(found: Mapping[str, Any], name: str, default: float, most: float = 1.0) -> float:
    value = found.get(name)
    if value in (None, ""):
        return default
    try:
        number = float(_as_text(value))
    except ValueError:
        raise UsageError(f"{name} is no number") from None
    if not 0 <= number <= most:
        raise UsageError(f"{name} is no number from 0 to {most:g}")
    return number


def _flag(found: Mapping[str, Any], name: str) -> bool:
    word = _text(found, name).lower()
    if word not in ("", "true", "false", "yes", "no"):
        raise UsageError(f"{name} is neither true nor false")
    return word in ("true", "yes")


def _mapping(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = found.get(name)
    if value in (None, "", []):
        return {}
    if not isinstance(value, Mapping):
        raise UsageError(f"{name} is no list of names and values")
    return value
