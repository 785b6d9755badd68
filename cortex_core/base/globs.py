"""The one dialect of globs, for the files of memories and for the setting `capture.ignore`.

It is that of .gitignore without negation and escapes, and with alternatives:

- `*` and `?` stay within a folder, `**` crosses folders;
- `[abc]`, `[a-c]` and `[!abc]` are one character, `{ts,tsx}` one of several words;
- a glob without a slash means a name at any depth, one with a slash starts at the top;
- a glob that means a folder means everything below it;
- the mark in place of a secret, `[redacted: …]`, means itself.

The hook for opened files uses it, so it needs only `re`; a test compares it with pathspec.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MARK = re.compile(r"\[redacted: [a-z0-9-]+\]")


def matches(path: str, glob: str) -> bool:
    """Whether `path` (relative to the top, with /) is meant by `glob`."""
    return bool(_pattern(glob).fullmatch(path))


@lru_cache(maxsize=1024)
def _pattern(glob: str) -> re.Pattern[str]:
    glob = glob.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    anywhere = "" if "/" in glob else "(?:.*/)?"
    glob = glob.lstrip("/")
    parts: list[str] = []
    index = 0
    while index < len(glob):
        words, index = _translated(glob, index)
        parts.append(words)
    return re.compile(f"{anywhere}{''.join(parts)}(?:/.*)?", re.DOTALL)


def _translated(glob: str, index: int) -> tuple[str, int]:
    """The regular expression for what is at `index`, and where the next thing begins."""
    if mark := _MARK.match(glob, index):
        return re.escape(mark[0]), mark.end()
    if glob.startswith("**/", index):
        return "(?:.*/)?", index + 3
    if glob.startswith("**", index):
        return ".*", index + 2
    character = glob[index]
    if character in "*?":
        return "[^/]*" if character == "*" else "[^/]", index + 1
    closing = {"[": "]", "{": "}"}.get(character, "")
    end = glob.find(closing, index + 2) if closing else -1
    if end < 0:
        return re.escape(character), index + 1
    inner = glob[index + 1 : end]
    if character == "{":
        choices = "|".join(re.escape(part) for part in inner.split(","))
        return f"(?:{choices})", end + 1
    return _one_of(inner) or re.escape(glob[index : end + 1]), end + 1


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
