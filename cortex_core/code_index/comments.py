"""Comments as prose: without their markers, and without those that only a tool reads."""

from __future__ import annotations

from collections.abc import Iterable

from cortex_core.code_index.outline import Comment

_OPENING = ("///", "//!", "/**", "/*!", "//", "/*", "#!", "#:", "#", "*/", "*")
_FOR_TOOLS = (
    "noqa", "type:", "pylint", "mypy", "pragma", "fmt:", "ruff", "isort", "eslint", "prettier",
    "@ts-", "tslint", "istanbul", "go:", "nolint", "+build", "jshint", "flow", "-*-", "region",
    "endregion", "sourcemappingurl", "<reference",
)  # fmt: skip
_LICENCE = ("copyright", "licen", "spdx", "all rights reserved", "redistribution")


def prose(comment: str) -> str:
    """The words of a comment, its line breaks kept; empty where only a tool reads it."""
    lines = [_line(line) for line in comment.strip().removesuffix("*/").splitlines()]
    text = "\n".join(lines).strip()
    return "" if text.lower().startswith(_FOR_TOOLS) else text


def _line(line: str) -> str:
    line = line.strip()
    for mark in _OPENING:
        if line.startswith(mark):
            return line.removeprefix(mark).strip(" \t*-=#/").rstrip()
    return line


def is_licence(text: str) -> bool:
    """Whether a comment at a file's top tells of rights and not of the file."""
    low = text.lower()
    return any(word in low for word in _LICENCE)


def joined(comments: Iterable[tuple[int, str]]) -> tuple[Comment, ...]:
    """The comments (line and text, in order) as prose, those on consecutive lines as one."""
    found: list[Comment] = []
    end = -1
    for line, raw in comments:
        text = prose(raw)
        if text and found and line == end + 1:
            found[-1] = Comment(text=f"{found[-1].text} {text}", first=found[-1].first)
        elif text:
            found.append(Comment(text=text, first=line))
        end = line + raw.count("\n")
    return tuple(one for one in found if not is_licence(one.text))
