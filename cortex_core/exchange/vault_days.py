"""The daily log in a vault: one file a day, one heading an episode.

What people read stands in bullets; what only Cortex needs in a comment below them, so that nothing
is lost on the way back.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cortex_core import text
from cortex_core.exchange import vault
from cortex_core.exchange.vault_fields import fields
from cortex_core.kinds import EPISODE, Kinds
from cortex_core.memory import Memory

_HEADING = re.compile(r"## (\d\d:\d\d)(?: - (.*))?")
_BULLET = re.compile(r"- \*\*(Id|Type|Outcome|Tags|Memory|Summary):\*\*(?: (.*))?")
_COMMENT = re.compile(r"<!-- cortex (\{.*\}) -->")
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

Entry = tuple[Memory, Sequence[Mapping[str, Any]]]
"""An episode and its relations."""


def path(memory: Memory) -> str:
    """The file of the day that an episode belongs to."""
    return f"{vault.EPISODES}/{vault.day(memory.created)}.md"


def page(day: str, entries: Sequence[Entry], paths: Mapping[str, str], kinds: Kinds) -> str:
    """The file of one day, its entries in the order of the clock."""
    ordered = sorted(entries, key=lambda one: (one[0].created, one[0].id))
    parts = [_entry(memory, relations, paths, kinds) for memory, relations in ordered]
    return "\n".join([f"# {day}", *(f"\n{part}" for part in parts)]) + "\n"


def parse(
    words: str, place: str, id_at: Callable[[str], str | None]
) -> list[tuple[dict[str, Any], str]]:
    """The entries of a day's file: fields and body of each.

    Args:
        place: the file, relative to the vault; its name is the day.
        id_at: the id of the memory in the file at a path relative to the vault.

    A comment that somebody has damaged is passed over; what the bullets say is still read.
    """
    day = _DAY.search(posixpath.basename(place))
    found: list[tuple[dict[str, Any], str]] = []
    block: list[str] = []
    for line in [*words.split("\n"), "## 00:00"]:
        if _HEADING.fullmatch(line.rstrip()):
            if block:
                found.append(_parsed(block, day[0] if day else "", place, id_at))
            block = [line]
        elif block:
            block.append(line)
    return found


def _entry(
    memory: Memory, relations: Sequence[Mapping[str, Any]], paths: Mapping[str, str], kinds: Kinds
) -> str:
    made, body = fields(memory, kinds, relations)
    details = dict(made.pop("details", {}))
    lines = [f"## {vault.clock(memory.created)} - {made.pop('title')}"]
    lines.append(f"- **Id:** {made.pop('id')}")
    if made["type"] == EPISODE:
        del made["type"]
    for name in ("type", "outcome"):
        value = details.get(name)
        if isinstance(value, str) and value and text.one_line(value) == value:
            lines.append(f"- **{name.capitalize()}:** {details.pop(name)}")
    tags = made["tags"]
    if tags and all(tag == tag.strip() and "," not in tag for tag in tags):
        lines.append(f"- **Tags:** {', '.join(made.pop('tags'))}")
    about = dict.fromkeys(each["target"] for each in relations if each["target"] in paths)
    lines += [_link(target, paths) for target in about]
    comment = json.dumps(made | ({"details": details} if details else {}), ensure_ascii=False)
    first, *more = body.split("\n")
    lines.append(f"- **Summary:** {first}")
    lines += [f"  {line}" if line else "" for line in more]
    return "\n".join([*lines, f"<!-- cortex {_safe(comment)} -->"])


def _safe(comment: str) -> str:
    """JSON that cannot end the comment it stands in."""
    return comment.replace(">", "\\u003e")


def _link(target: str, paths: Mapping[str, str]) -> str:
    path = paths[target]
    name = posixpath.basename(path).removesuffix(".md").rpartition("-")[0]
    return f"- **Memory:** [{name}]({posixpath.relpath(path, vault.EPISODES)})"


def _parsed(
    block: Sequence[str], day: str, place: str, id_at: Callable[[str], str | None]
) -> tuple[dict[str, Any], str]:
    heading = _HEADING.fullmatch(block[0].rstrip())
    assert heading is not None
    bullets, links, body, comment = _read(block[1:])
    title = heading[2] or ""
    found: dict[str, Any] = {"tags": "", "created": f"{day}T{heading[1]}:00+00:00"}
    found |= {"type": EPISODE, "title": title} | comment
    if bullets.get("Tags"):
        found["tags"] = bullets["Tags"]
    found["id"] = bullets.get("Id") or _made_id(place, heading[1], title)
    held = found.get("details")
    details = dict(held) if isinstance(held, dict) else {}
    for name in ("Outcome", "Type"):
        if bullets.get(name):
            details[name.lower()] = bullets[name]
    targets = (id_at(posixpath.normpath(posixpath.join(vault.EPISODES, one))) for one in links)
    if "relations" not in comment and (known := [one for one in targets if one]):
        found["relations"] = [
            {"target": one, "type": "relates_to", "context": EPISODE} for one in known
        ]
    return found | {"details": details}, body.rstrip("\n") or title


def _read(
    lines: Sequence[str],
) -> tuple[dict[str, str], list[str], str, dict[str, Any]]:
    """Bullets by name, links to memories, the summary, and what the comment says."""
    bullets: dict[str, str] = {}
    links: list[str] = []
    body: list[str] | None = None
    comment: dict[str, Any] = {}
    for line in lines:
        if note := _COMMENT.fullmatch(line):
            comment = _loaded(note[1])
            break
        bullet = _BULLET.fullmatch(line)
        if bullet and bullet[1] == "Summary":
            body = [bullet[2] or ""]
        elif bullet and bullet[1] == "Memory":
            links += _LINK.findall(bullet[2] or "")
        elif bullet and body is None:
            bullets[bullet[1]] = (bullet[2] or "").strip()
        elif body is not None:
            body.append(line.removeprefix("  "))
    return bullets, links, "\n".join(body or []), comment


def _loaded(comment: str) -> dict[str, Any]:
    try:
        found = json.loads(comment)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _made_id(place: str, clock: str, title: str) -> str:
    """An id for an entry that has none, the same whenever it is read."""
    words = f"cortex:{posixpath.basename(place)} {clock} {title}"
    return str(uuid5(NAMESPACE_URL, words))
