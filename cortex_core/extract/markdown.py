"""Reading the Markdown that agents write: sections, list items with their children, no fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"^\s*(?:[-*+]\s+)?(```+|~~~+)")
_HEADING = re.compile(r"(#{1,6})\s+(?=\S)")
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(.*)$")
_DRAWING = re.compile(r"[─━│┃┌┐└┘├┤┬┴┼╭╮╰╯═║╔╗╚╝▶▼]")


_MOST_LINES = 1000
"""Lines of a list that are read: more is no prose."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is under it."""

    name: str
    level: int
    body: str


@dataclass(slots=True)
class Item:
    """One list item, its wrapped lines joined, with the items nested under it."""

    text: str
    indent: int
    children: list[Item] = field(default_factory=list)

    def whole(self, limit: int = 6) -> str:
        """The item with its children as one passage, the children joined by semicolons."""
        parts = [child.text.rstrip(" .;") for child in self.children[:limit] if child.text]
        if not parts:
            return self.text
        return f"{self.text.rstrip(' .:;')}: {'; '.join(parts)}"


def without_fences(text: str, *, tables: bool = False) -> str:
    """`text` without fenced code, and without tables and box drawings unless `tables` are kept."""
    kept: list[str] = []
    closing = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if closing:
            if fence and line.strip().startswith(closing) and line.strip().strip("`~") == "":
                closing = ""
            continue
        if fence:
            closing = fence[1]
        elif tables or not (_is_table(line.strip()) or _DRAWING.search(line)):
            kept.append(line)
    return "\n".join(kept)


def _is_table(line: str) -> bool:
    """Whether a stripped line is a table's row or rule."""
    if line.startswith("|") and line.endswith("|") and len(line) > 2:
        return True
    return len(line) > 4 and set(line) <= set("|:- ")


def sections(text: str) -> Iterator[Section]:
    """The sections of `text` by its # headings; what is before the first has no name."""
    name, level, body = "", 0, list[str]()
    for line in text.split("\n"):
        heading = _HEADING.match(line) if line.startswith("#") else None
        if heading is None:
            body.append(line)
            continue
        if name or any(body):
            yield Section(name, level, "\n".join(body).strip("\n"))
        name, level, body = line[heading.end() :].strip(" #"), len(heading[1]), []
    if name or any(body):
        yield Section(name, level, "\n".join(body).strip("\n"))


def items(body: str) -> list[Item]:
    """The top list items of `body`, nested ones as their children, wrapped lines joined."""
    top: list[Item] = []
    path: list[Item] = []
    for line in body.split("\n")[:_MOST_LINES]:
        bullet = _BULLET.match(line)
        if bullet is None:
            _continue_item(path, line)
            continue
        item = Item(" ".join(bullet[2].split()), len(bullet[1].expandtabs(4)))
        while path and path[-1].indent >= item.indent:
            path.pop()
        (path[-1].children if path else top).append(item)
        path.append(item)
    return top


def _continue_item(path: list[Item], line: str) -> None:
    """Join an indented line to the item above it; a line at the margin ends the list."""
    words = line.split()
    if not path or not words:
        return
    if line[:1].isspace():
        path[-1].text = f"{path[-1].text} {' '.join(words)}".strip()
    else:
        path.clear()


def is_item(line: str) -> bool:
    """Whether `line` opens a list item."""
    return _BULLET.match(line) is not None


def unwrapped(text: str) -> str:
    """`text` with hard-wrapped lines joined: one line a paragraph or list item."""
    lines: list[str] = []
    for line in text.split("\n"):
        stripped = " ".join(line.split())
        starts_item = bool(_BULLET.match(line)) or line.startswith("#")
        if lines and lines[-1] and stripped and not starts_item:
            lines[-1] += " " + stripped
        elif stripped or (lines and lines[-1]):
            indent = len(line) - len(line.lstrip())
            lines.append(" " * min(indent, 8) * starts_item + stripped)
    return "\n".join(lines).strip()
