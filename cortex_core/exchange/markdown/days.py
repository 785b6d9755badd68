"""The log of a vault: the episodes of a day in one file, each with a heading of its own.

Bullets hold what users read, a comment below them what only Cortex needs.
"""

import json
import posixpath
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from cortex_core.base import text
from cortex_core.base.kinds import EPISODE, Kinds
from cortex_core.exchange.markdown import format
from cortex_core.language.patterns import Pattern
from cortex_core.records.memory import Memory

_HEADING = Pattern(
    "heading of an entry",
    r"## (\d\d:\d\d)(?: - (.*))?",
    finds="## 14:05 - Released 1.2",
    spares="## Monday",
    flags=0,
)
_BULLET = Pattern(
    "bullet of an entry",
    r"- \*\*(Id|Type|Outcome|Tags|Memory|Summary):\*\*(?: (.*))?",
    finds="- **Tags:** db",
    spares="- **Note:** db",
    flags=0,
)
_COMMENT, _COMMENT_END = "<!-- cortex ", " -->"
_LINK = Pattern(
    "target of a link", r"\]\(([^()\s]+)\)", finds="[a](../graph/a.md)", spares="[a] (b)", flags=0
)
_DAY = Pattern("date", r"\d{4}-\d\d-\d\d", finds="2026-05-01", spares="2026-5-1", flags=0)
Entry = tuple[Memory, Sequence[Mapping[str, Any]]]
"""An episode and its relations."""


def is_day(path: str) -> bool:
    """Whether a path is that of a day's log."""
    folder, _, name = path.rpartition("/")
    is_date = _DAY.regex.fullmatch(name.removesuffix(".md")) is not None
    return folder == format.EPISODES and is_date and name.endswith(".md")


def path_of(memory: Memory) -> str:
    """The file of the day that an episode belongs to."""
    return f"{format.EPISODES}/{format.day(memory.created)}.md"


def page(day: str, entries: Sequence[Entry], paths: Mapping[str, str], kinds: Kinds) -> str:
    """The text of a day's file, its entries in order of time."""
    ordered = sorted(entries, key=lambda entry: (entry[0].created, entry[0].id))
    parts = [_entry(memory, relations, paths, kinds) for memory, relations in ordered]
    return "\n".join([f"# {day}", *(f"\n{part}" for part in parts)]) + "\n"


def entries(
    words: str, file: str, id_at: Callable[[str], str | None]
) -> list[tuple[dict[str, Any], str]]:
    """The entries of a day's file: fields and body of each.

    A damaged comment is ignored; the bullets are still read.

    Args:
        file: the path relative to the vault; its name is the day.
        id_at: the id of the memory in the file at a path relative to the vault.
    """
    day = _DAY.regex.search(posixpath.basename(file))
    entries: list[tuple[dict[str, Any], str]] = []
    block: list[str] = []
    for line in [*words.split("\n"), "## 00:00"]:
        if _HEADING.regex.fullmatch(line.rstrip()):
            if block:
                entries.append(_parsed_entry(block, day[0] if day else "", file, id_at))
            block = [line]
        elif block:
            block.append(line)
    return entries


def _entry(
    memory: Memory, relations: Sequence[Mapping[str, Any]], paths: Mapping[str, str], kinds: Kinds
) -> str:
    made, body = format.fields(memory, kinds, relations)
    details = dict(made.pop("details", {}))
    lines = [f"## {format.clock(memory.created)} - {made.pop('title')}"]
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
    for target in about:
        name = posixpath.basename(paths[target]).removesuffix(".md").rpartition("-")[0]
        lines.append(f"- **Memory:** [{name}]({posixpath.relpath(paths[target], format.EPISODES)})")
    comment = json.dumps(made | ({"details": details} if details else {}), ensure_ascii=False)
    first, *more = body.split("\n")
    lines.append(f"- **Summary:** {first}")
    lines += [f"  {line}" if line else "" for line in more]
    # JSON that cannot end the comment that contains it.
    return "\n".join([*lines, _COMMENT + comment.replace(">", "\\u003e") + _COMMENT_END])


def _parsed_entry(
    block: Sequence[str], day: str, file: str, id_at: Callable[[str], str | None]
) -> tuple[dict[str, Any], str]:
    heading = _HEADING.regex.fullmatch(block[0].rstrip())
    assert heading is not None
    bullets, links, body, comment = _read_entry(block[1:])
    title = heading[2] or ""
    header: dict[str, Any] = {"tags": "", "created": f"{day}T{heading[1]}:00+00:00"}
    header |= {"type": EPISODE, "title": title} | comment
    if bullets.get("Tags"):
        header["tags"] = bullets["Tags"]
    # An entry without an id gets the same one each time it is read.
    made = f"cortex:{posixpath.basename(file)} {heading[1]} {title}"
    header["id"] = bullets.get("Id") or str(uuid5(NAMESPACE_URL, made))
    held = header.get("details")
    details = dict(held) if isinstance(held, dict) else {}
    for name in ("Outcome", "Type"):
        if bullets.get(name):
            details[name.lower()] = bullets[name]
    targets = (id_at(posixpath.normpath(posixpath.join(format.EPISODES, link))) for link in links)
    if "relations" not in comment and (known := [link for link in targets if link]):
        header["relations"] = [
            {"target": link, "type": "relates_to", "context": EPISODE} for link in known
        ]
    return header | {"details": details}, body.rstrip("\n") or title


def _read_entry(
    lines: Sequence[str],
) -> tuple[dict[str, str], list[str], str, dict[str, Any]]:
    """Bullets by name, links to memories, the summary, and the values in the comment."""
    bullets: dict[str, str] = {}
    links: list[str] = []
    body: list[str] | None = None
    comment: dict[str, Any] = {}
    for line in lines:
        if line.startswith(_COMMENT + "{") and line.endswith("}" + _COMMENT_END):
            with suppress(ValueError, RecursionError):
                comment = json.loads(line[len(_COMMENT) : -len(_COMMENT_END)])
            break
        bullet = _BULLET.regex.fullmatch(line)
        if bullet and bullet[1] == "Summary":
            body = [bullet[2] or ""]
        elif bullet and bullet[1] == "Memory":
            links += _LINK.regex.findall(bullet[2] or "")
        elif bullet and body is None:
            bullets[bullet[1]] = (bullet[2] or "").strip()
        elif body is not None:
            body.append(line.removeprefix("  "))
    return bullets, links, "\n".join(body or []), comment
