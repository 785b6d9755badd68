"""The Markdown form of memories: the layout of a vault, a memory as frontmatter and body, and back.

All functions are pure and lose nothing. A frontmatter begins with the fields that every vault of
this format has (id, type, title, tags, importance, confidence, steps, created, updated, relations);
the fields that only Cortex has follow, without those that have their default.

The name of a file is a slug of its title and the beginning of its id, in lower-case ASCII, which is
safe on every system, case-insensitive ones included. `days` has the form of episodes.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cortex_core.base import text
from cortex_core.base.errors import UsageError
from cortex_core.base.kinds import EPISODE, PROCEDURE, Kinds
from cortex_core.capture import frontmatter
from cortex_core.exchange.typed_values import Values
from cortex_core.language.patterns import Pattern
from cortex_core.records import procedure_plan
from cortex_core.records.fields import FIELDS, Field, first, source_values
from cortex_core.records.memory import EDGE_TYPES, Edge, Memory, Source

GRAPH = "graph"
EDGES = "graph/edges"
PINNED = "vault"
"""The folder of pinned memories; every memory in it is pinned."""
EPISODES = "episodes"
CORE = "CORE.md"
REFLECTION = "REFLECTION.md"
DERIVED = "(auto-generated)"
"""The end of the first line of a page that every export rewrites."""

INDEX = "_index.json"
STATE = "_state.json"
IGNORED = (STATE, INDEX, "_embeddings.json", "_config.json")
"""Derived files, or files that change with every use; ignored by git."""

LONGEST_SLUG = 50
SHORTEST_MARK = 6
"""Characters of an id in the name of a file."""

RULE = "import:markdown"
"""The rule of a memory whose file gives none."""

MOST_BLANK = 1000
"""Line ends before or after a text."""

BLOCKS = ("relations", "sources", *procedure_plan.LISTS)
"""Lists that get one line for each item."""

WHOLE = "whole"
"""The value of `text` where the body of a procedure is its whole content, steps included."""

BLANK = "blank_lines"
"""Line ends before and after the text, where it has any: those of the file are not part of it."""

FILE = "vault_file"
"""Where the origin of a memory keeps the name of the file in which a user wrote it: it keeps it."""

LONGEST_PATH = 150

KNOWN = frozenset(
    f"""
    id type kind title tags importance confidence text created updated relations sources origin
    {BLANK}
    """.split()
).union(procedure_plan.LISTS, *(one.names for one in FIELDS if one.vault))
"""Names that are read; others are kept in the origin of a memory."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PLURALS = {
    "policy": "policies",
    "summary": "summaries",
    "fix": "fixes",
    "architecture": "architecture",
    "general": "general",
    "progress": "progress",
    "context": "context",
    "code": "code",
}


_NAME = Pattern(
    "name of a field", r"[A-Za-z_][\w.-]{0,63}", finds="review_by", spares="1.2", flags=0
)
_FILE_NAME = Pattern(
    "name that a file may have on every system",
    r"[^\s.\x00-\x1f<>:\"/\\|?*](?:[^\x00-\x1f<>:\"/\\|?*]*[^\s.<>:\"/\\|?*\x00-\x1f])?",
    finds="a note",
    spares="/",
    flags=0,
)
_NOT_COMPARED = ("id", "scope", "reinforced", "sources", "updated", BLANK)
_FIRST = (
    "scope",
    "pinned",
    "status",
    "inject",
    "globs",
    "reinforced",
)
"""The fields that a vault states first, unlike the table of fields."""
_LONGEST_ID = 100

_PRIORITIES = tuple(map(str, range(1, 11)))

Frontmatter = dict[str, Any]


def stamp(moment: float) -> str:
    """A moment in Unix seconds as ISO 8601, to the microsecond; beyond the calendar, the number."""
    try:
        return (_EPOCH + timedelta(seconds=moment)).isoformat()
    except (OverflowError, ValueError):
        return repr(float(moment))


def day(moment: float) -> str:
    """The date of a moment in UTC."""
    return stamp(moment)[:10] if "T" in stamp(moment) else "0000-00-00"


def clock(moment: float) -> str:
    """The hour and minute of a moment in UTC."""
    return stamp(moment)[11:16] if "T" in stamp(moment) else "00:00"


def slug(title: str) -> str:
    """A title as part of a file's name: at most 50 of a-z, 0-9 and hyphens."""
    ascii_ = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    runs = "".join(char if char.isalnum() else " " for char in ascii_.replace("'", "")).split()
    words = "-".join(runs)
    if len(words) > LONGEST_SLUG:
        words = words[: LONGEST_SLUG + 1].rpartition("-")[0] or words[:LONGEST_SLUG]
    return words or "memory"


def folder_of(kind: str) -> str:
    """The folder of a kind: `graph/solutions`."""
    name = slug(kind.replace("_", " "))
    return f"{GRAPH}/{_PLURALS.get(name, f'{name}s')}"


def paths_for(
    wanted: Iterable[tuple[str, str, str]], kept: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """A path for each of `wanted` (id, folder, stem), distinct even where case does not count.

    The same ids and titles give the same paths in any order.

    Args:
        kept: the paths of other ids, as far as they are distinct.
    """
    own = {path.casefold(): id for id, path in sorted(kept.items(), reverse=True)}
    taken = set(own)
    paths = {id: kept[id] for id in own.values()}
    for id, folder, stem in sorted(each for each in wanted if each[0] not in paths):
        digest = hashlib.sha256(id.encode("utf-8", "replace")).hexdigest()
        mark = id.replace("-", "") + digest if text.is_uuid(id) else digest
        length = SHORTEST_MARK
        while (path := f"{folder}/{stem}-{mark[:length]}.md").casefold() in taken:
            length += 2
        taken.add(path.casefold())
        paths[id] = path
    return paths


def edge_id(edge: Edge) -> str:
    """The permanent id of a link, made from its ends and its type."""
    return str(uuid5(NAMESPACE_URL, f"cortex:{edge.source} {edge.type} {edge.target}"))


def own_path(memory: Memory) -> str:
    """The file in which a user wrote a memory, if it may stay there; empty for any other."""
    path = memory.origin.get(FILE)
    if not isinstance(path, str) or memory.kind == EPISODE or len(path) > LONGEST_PATH:
        return ""
    top, *inner = path.removesuffix(".md").split("/")
    is_plain = all(_FILE_NAME.regex.fullmatch(name) for name in inner) and path.endswith(".md")
    is_there = top == (PINNED if memory.pinned else GRAPH)
    return path if inner and is_plain and is_there and not path.startswith(f"{EDGES}/") else ""


def has_file(edge: Edge) -> bool:
    """Whether a link has a file of its own: not if similarity or a log entry drew it."""
    drawn = edge.type == "relates_to" and not edge.directed
    return not drawn or edge.context not in ("", "episode")


def is_memory(fields: Frontmatter, kinds: Kinds) -> bool:
    """Whether a frontmatter is that of a memory, and not of a note that happens to have an id."""
    name = fields.get("type") or fields.get("kind")
    if not fields.get("id") or not isinstance(name, str) or "from_id" in fields:
        return False
    return "importance" in fields or "scope" in fields or kinds.known(name) in kinds


def fields(
    memory: Memory, kinds: Kinds, relations: Sequence[Mapping[str, Any]] = ()
) -> tuple[dict[str, Any], str]:
    """The frontmatter of a memory, and its body."""
    details, body = dict(memory.details), memory.content
    made, origin = common_fields(memory, kinds)
    plan = procedure_plan.plan(details) if memory.kind == PROCEDURE else None
    if plan is not None:
        lead = procedure_plan.lead(body, plan)
        made |= plan.lists | ({} if lead is not None else {"text": WHOLE})
        body = body if lead is None else lead
        details = {
            name: value for name, value in details.items() if name not in procedure_plan.LISTS
        }
    if body != body.strip("\n"):
        made[BLANK] = [len(body) - len(rest) for rest in (body.lstrip("\n"), body.rstrip("\n"))]
    made |= {"created": stamp(memory.created), "updated": stamp(memory.updated)}
    if relations:
        made["relations"] = list(relations)
    # Of the origin, texts and lists of texts have their own names, all else is together.
    plain = {
        name: value
        for name, value in origin.items()
        if _NAME.regex.fullmatch(name) and name not in KNOWN and _is_text(value)
    }
    rest = {name: value for name, value in origin.items() if name not in plain}
    made |= _own_fields(memory, details) | plain
    return made | ({"origin": rest} if rest else {}), body


def page(values: Mapping[str, Any], body: str) -> str:
    """The text of a file with these fields and this body."""
    lead, tail = values.get(BLANK, (0, 0))
    return f"{frontmatter.render(values, BLOCKS)}\n{body[lead : len(body) - tail]}\n"


def is_derived(words: str) -> bool:
    """Whether a text is a summary that each export writes again."""
    return words.split("\n", 1)[0].rstrip().endswith(DERIVED)


def relation(edge: Edge, here: str) -> dict[str, Any]:
    """A link as the frontmatter of one of its ends, the memory with the id `here`, states it."""
    outgoing = edge.source == here
    stated: dict[str, Any] = {
        "target": edge.target if outgoing else edge.source,
        "type": type_in_vault(edge),
        "direction": "outgoing" if outgoing else "incoming",
        "strength": edge.strength,
    }
    if edge.context:
        stated["context"] = edge.context
    if edge.directed is (edge.type == "relates_to"):
        stated["directed"] = edge.directed
    more = {"edge_id": edge_id(edge)} if has_file(edge) else {"created": stamp(edge.created)}
    return stated | more


def type_in_vault(edge: Edge) -> str:
    """The type of a link in the vault."""
    return "RELATED_TO" if edge.type == "relates_to" else edge.type


def priority(importance: float) -> int:
    """The priority, 1 to 10, for an importance of 0 to 1."""
    return max(1, min(10, int(importance * 10 + 0.5)))


def as_object(header: Mapping[str, Any], body: str, kinds: Kinds) -> dict[str, Any]:
    """A frontmatter and a body as the object that `jsonl.to_memory` takes and checks.

    Values written by hand are texts and are converted here.

    Raises:
        UsageError: a value has the wrong form; the message names the field.
    """
    read = Values(header)
    kind = read.text("type") or read.text("kind") or "fact"
    # Users write a priority from 1 to 10; anything else by that name is kept as it is.
    stated = str(header.get("priority") or "")
    own = int(stated) if stated in _PRIORITIES else None
    importance = read.number("importance", (own or 5) / 10, 0, 1)
    origin = _origin(header, kind, importance, kinds)
    if own and "importance" not in header:
        del origin["priority"]
    memory: dict[str, Any] = {
        "rule": RULE,
        "kind": kind,
        "title": read.text("title"),
        "tags": texts(header, "tags"),
        "initial_confidence": read.number("confidence", 0.8, 0, 1),
        "priority": priority(importance),
        **{name: header[name] for name in ("created", "updated") if name in header},
        "context": {},
        "origin": origin,
    }
    for field in FIELDS:
        name = next((name for name in field.names if header.get(name) not in (None, "")), None)
        if field.vault and name is not None:
            inside = memory["context"] if field.part == "context" else memory
            inside[field.name] = texts(header, name) if field.form == "texts" else header[name]
    memory["sources"] = header.get("sources") or []
    if "scope" in header:  # an export of Cortex, which leaves out what equals `updated`
        memory.setdefault("reinforced", header.get("updated"))
    if "id" in header:
        name = text.clean(read.text("id"))
        if not 4 <= len(name) <= _LONGEST_ID or text.one_line(name) != name:
            raise UsageError("its id is not valid: it needs 4 to 100 characters on one line")
        memory["id"] = name
    memory["details"] = read.mapping("details")
    return memory | {"content": _content(header, body, memory["details"])}


def relations(header: Mapping[str, Any], here: str) -> list[Edge]:
    """The links in a memory's frontmatter.

    Raises:
        UsageError: one of them has the wrong form.
    """
    found = []
    for each in Values(header).each("relations"):
        target = text.clean(each.text("target"))
        if not target:
            raise UsageError("a link has no target")
        is_incoming = each.text("direction").lower() == "incoming"
        found.append(edge(each.given, *((target, here) if is_incoming else (here, target))))
    return found


def edge(header: Mapping[str, Any], source: str, target: str, context: str = "") -> Edge:
    """A link between two memories.

    Raises:
        UsageError: its type is unknown, or a value has the wrong form.
    """
    read = Values(header)
    name = read.text("type")
    wanted = {"related_to": "relates_to"}.get(name.lower(), name.lower())
    type_ = next((known for known in EDGE_TYPES if known.lower() == wanted), None)
    if type_ is None:
        raise UsageError(f"“{name[:40]}” is not a type of link")
    return Edge(
        source=source,
        target=target,
        type=type_,
        strength=read.number("strength", 1.0, 0, 1),
        directed=read.flag("directed", type_ != "relates_to"),
        context=text.clean(context or read.text("context")).strip(),
        created=read.time("created", 0.0) or 0.0,
    )


def texts(header: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts; a text is split at its commas.

    Raises:
        UsageError: it is neither.
    """
    value = header.get(name)
    if value in (None, ""):
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, list):
        raise UsageError(f"{name} is not a list")
    return [_as_text(each) for each in value if each is not None]


def substance(memory: Memory, kinds: Kinds) -> tuple[dict[str, Any], str]:
    """The page of a memory, apart from its store and how it was used."""
    shown, body = fields(memory, kinds)
    return {name: shown[name] for name in shown if name not in _NOT_COMPARED}, body.strip()


def common_fields(memory: Memory, kinds: Kinds) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of every vault, and the rest of the origin."""
    origin = dict(memory.origin)
    common = {
        "id": memory.id,
        "type": memory.kind,
        "title": memory.title,
        "tags": list(memory.tags),
        "importance": memory.priority / 10,
        "confidence": memory.initial_confidence,
    }
    name, importance = origin.get("type"), origin.get("importance")
    if isinstance(name, str) and name and kinds.known(name).name == memory.kind:
        common["type"] = origin.pop("type")
    if isinstance(importance, float) and priority(importance) == memory.priority:
        common["importance"] = origin.pop("importance")
    return common, origin


def _own_fields(memory: Memory, details: Mapping[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = {}
    for field in FIELDS:
        if field.vault:
            own[field.name] = _stated(field, memory)
        if field.path == "context.files":
            listed = [_source(one, memory.created) for one in memory.sources]
            is_own = listed == [_source(memory.source, memory.created)]
            own["sources"] = None if is_own else listed or None
    own["scope"] = memory.scope
    own["details"] = dict(details) or None
    return {name: value for name, value in first(own, _FIRST).items() if value is not None}


def _stated(field: Field, memory: Memory) -> Any:
    """The value of a field in a vault; None for its default."""
    value = field.get(memory)
    default: Any = {"rule": RULE, "reinforced": memory.updated}.get(field.name, field.default)
    if field.form != "time":
        return None if value == default else field.plain(memory)
    if value is None or (default is not None and stamp(value) == stamp(default)):
        return None
    return stamp(value)


def _source(source: Source, created: float) -> dict[str, Any]:
    moment = created if source.time is None else source.time
    named = {name: value for name, value in source_values(source).items() if name != "time"}
    kept = {name: value for name, value in named.items() if value not in ("", None)}
    return kept | {"time": stamp(moment)}


def _is_text(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(each, str) for each in value)
    return isinstance(value, str)


def _content(header: Mapping[str, Any], body: str, details: dict[str, Any]) -> str:
    """The content; that of a procedure includes its steps, which are also put into `details`."""
    lists = {name: items for name in procedure_plan.LISTS if (items := texts(header, name))}
    plan = procedure_plan.plan(lists)
    match header.get(BLANK, (0, 0)):
        case [int(lead), int(tail)] if 0 <= lead <= MOST_BLANK and 0 <= tail <= MOST_BLANK:
            body = "\n" * lead + body + "\n" * tail
        case _:
            raise UsageError(f"{BLANK} is not a pair of numbers of at most {MOST_BLANK}")
    if plan is None:
        return body
    details |= plan.lists
    return body if header.get("text") == WHOLE else procedure_plan.content(body.strip(), plan)


def _origin(
    header: Mapping[str, Any], kind: str, importance: float, kinds: Kinds
) -> dict[str, Any]:
    """What a frontmatter has under unknown names or in other forms."""
    kept = {name: value for name, value in header.items() if name not in KNOWN}
    if kinds.known(kind).name != kind:
        kept["type"] = kind
    if importance != priority(importance) / 10:
        kept["importance"] = importance
    return kept | Values(header).mapping("origin")


def _as_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_as_text(each)}" for name, each in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value)
