"""Whether a file is one that a memory's globs mean."""

from __future__ import annotations

import re
from functools import lru_cache


def matches(path: str, glob: str) -> bool:
    """Whether `path` (relative to the project's root, with /) is meant by `glob`.

    `*` stays within a folder and `**` does not; a glob without a slash means a name at any depth,
    and a folder means everything below it.
    """
    return bool(_pattern(glob).fullmatch(path))


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    glob = glob.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    anywhere = "" if "/" in glob else "(?:.*/)?"
    glob = glob.lstrip("/")
    parts: list[str] = []
    place = 0
    while place < len(glob):
        words, place = _translated(glob, place)
        parts.append(words)
    return re.compile(f"{anywhere}{''.join(parts)}(?:/.*)?", re.DOTALL)


def _translated(glob: str, place: int) -> tuple[str, int]:
    """The regular expression for what stands at `place`, and where the next thing begins."""
    if glob.startswith("**/", place):
        return "(?:.*/)?", place + 3
    if glob.startswith("**", place):
        return ".*", place + 2
    character = glob[place]
    if character in "*?":
        return "[^/]*" if character == "*" else "[^/]", place + 1
    closing = {"[": "]", "{": "}"}.get(character, "")
    end = glob.find(closing, place + 2) if closing else -1
    if end < 0:
        return re.escape(character), place + 1
    inner = glob[place + 1 : end]
    if character == "{":
        choices = "|".join(re.escape(part) for part in inner.split(","))
        return f"(?:{choices})", end + 1
    return _one_of(inner) or re.escape(glob[place : end + 1]), end + 1


def _one_of(inner: str) -> str:
    """The regular expression for `[inner]`; empty where it is no set of characters."""
    negated = inner[0] in "!^"
    members = re.escape(inner[1:] if negated else inner).replace(r"\-", "-")
    words = f"[^{members}/]" if negated else f"[{members}]"
    try:
        re.compile(words)
    except re.error:
        return ""
    return words
