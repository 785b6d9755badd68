"""Splits Markdown into sections and list items, and takes fenced code out of it.

Everything here takes time linear in the length of the text, whatever is in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cortex_core.language.patterns import Pattern

FENCE = Pattern(
    "line that opens or closes code",
    r"^\s*(?:[-*+]\s+)?(```+|~~~+)",
    finds="- ```sh",
    spares="a ``` b",
    flags=0,
)
HEADING = Pattern("heading", r"(#{1,6})\s+(?=\S)", finds="## Tests", spares="#hashtag", flags=0)
ITEM = Pattern(
    "item of a list",
    r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$",
    finds="  2. Build it",
    spares="-5 degrees",
    flags=0,
)
_TABLE = Pattern(
    "row of a table, or the rule below its header",
    r"\s*(?:\|.+\||[|:-][|: -]{3,}[|:-])\s*$",
    finds="| a | b |",
    spares="a | b",
    flags=0,
)
_MOST_LINES = 1000
"""Most lines of a list that are read: a longer one is not prose."""


@dataclass(slots=True)
class MarkdownItem:
    """A list item, its wrapped lines joined, with the items nested under it."""

    text: str
    indent: int
    children: list[MarkdownItem] = field(default_factory=list)

    def whole(self, limit: int = 6) -> str:
        """The item and up to `limit` of its children as one passage, joined by semicolons."""
        parts = [child.text.rstrip(" .;") for child in self.children[:limit] if child.text]
        return f"{self.text.rstrip(' .:;')}: {'; '.join(parts)}" if parts else self.text


def without_fences(
    text: str, *, tables: bool = False, keep: int = 0, mark: bool = False, quoted: bool = False
) -> str:
    """`text` without fenced code; also without tables unless `tables`.

    Args:
        keep: most lines of a block that is not taken for code, and stays without its fences.
        mark: whether a line says in which language how many lines were left out.
        quoted: whether each line that is kept of a block stands in backticks.
    """
    kept: list[str] = []
    block: list[str] = []
    closing = written = ""
    for line in text.split("\n"):
        fence = FENCE.regex.match(line) if "```" in line or "~~~" in line else None
        if closing:
            if fence and line.strip().startswith(closing) and line.strip().strip("`~") == "":
                kept += _left_of(block, keep, written if mark else "", quoted)
                closing = ""
            else:
                block.append(line)
        elif fence:
            closing, block = fence[1], []
            written = f"{line[fence.end() :].strip().partition(' ')[0]} code".strip()
        elif tables or not _TABLE.regex.match(line):
            kept.append(line)
    if closing:  # a fence that nothing closes reaches to the end, as it is displayed
        kept += _left_of(block, keep, written if mark else "", quoted)
    return "\n".join(kept)


def _left_of(block: list[str], keep: int, mark: str, quoted: bool) -> list[str]:
    """The lines that take the place of a fenced block of what `mark` names."""
    # A command that goes on over several lines, or below an empty one, is still one command.
    lines = [line for line in "\n".join(block).replace("\\\n", " ").split("\n") if line.strip()]
    return (
        ([f"`{' '.join(line.split())}`" for line in lines] if quoted else block)
        if len(lines) <= keep
        else [f"[{mark}, {len(block):,} lines]"]
        if mark
        else []
    )


def items(body: str) -> list[MarkdownItem]:
    """The top-level list items of `body`, with nested items as their children."""
    top: list[MarkdownItem] = []
    path: list[MarkdownItem] = []
    for line in body.split("\n")[:_MOST_LINES]:
        bullet = ITEM.regex.match(line)
        if bullet is None:
            _continue_item(path, line)
            continue
        item = MarkdownItem(" ".join(bullet[2].split()), len(bullet[1].expandtabs(4)))
        while path and path[-1].indent >= item.indent:
            path.pop()
        (path[-1].children if path else top).append(item)
        path.append(item)
    return top


def _continue_item(path: list[MarkdownItem], line: str) -> None:
    """Join an indented line to the item above it; a line at the margin ends the list."""
    words = line.split()
    if not path or not words:
        return
    if line[:1].isspace():
        path[-1].text = f"{path[-1].text} {' '.join(words)}".strip()
    else:
        path.clear()


def unwrapped(text: str) -> str:
    """`text` with hard-wrapped lines joined: one line a paragraph or list item."""
    paragraphs: list[list[str]] = []
    for line in text.split("\n"):
        stripped = " ".join(line.split())
        starts_item = bool(ITEM.regex.match(line)) or line.startswith("#")
        goes_on = bool(paragraphs and paragraphs[-1][0])
        if goes_on and stripped and not starts_item:
            paragraphs[-1].append(stripped)
        elif stripped or goes_on:
            indent = len(line) - len(line.lstrip())
            paragraphs.append([" " * min(indent, 8) * starts_item + stripped])
    return "\n".join(map(" ".join, paragraphs)).strip()
