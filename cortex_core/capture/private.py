"""What a person keeps out of memory: `<private>` spans and ignored folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from os.path import normpath
from pathlib import Path

_TAG = re.compile(r"<\s*(/?)\s*private\s*>", re.IGNORECASE)


def strip_private(text: str) -> str:
    """`text` without what stands between `<private>` and `</private>`, the tags included.

    Case does not matter and spans may be nested. A span that is never closed reaches to the end: a
    forgotten tag must hide too much rather than too little. A closing tag alone is dropped.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[position : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        position = tag.end()
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def is_ignored(path: str | Path, patterns: Iterable[str]) -> bool:
    """Whether `path`, a file or folder, lies in a folder or matches a glob of `patterns`.

    A pattern is a folder (`~/clients`, `/srv/secret`), a glob of whole paths (`~/work/*-nda`,
    `**/legal/**`) or, without a slash, a name or glob of names that counts anywhere in the path
    (`secret-*`). `~` is the home folder; case counts; a pattern also covers all that lies below.
    """
    if not str(path).strip():
        return False
    place = Path(_plain(str(path)))
    return any(_covers(pattern.strip(), place) for pattern in patterns if pattern.strip())


def _plain(path: str) -> str:
    """`path` from the root on, without `~` and `..`; links are not followed."""
    if path == "~" or path.startswith("~/"):
        path = f"{Path.home()}{path[1:]}"
    return normpath(Path(path).absolute())


def _covers(pattern: str, place: Path) -> bool:
    if pattern.startswith(("/", "~")):
        glob = _expression(_plain(pattern.removesuffix("/**")))
        return any(glob.fullmatch(str(folder)) for folder in (place, *place.parents))
    name = pattern.strip("/")
    if "/" not in name:
        return any(_expression(name).fullmatch(part) for part in place.parts[1:])
    glob = _expression("/**/" + name.removeprefix("**/").removesuffix("/**"))
    return any(glob.fullmatch(str(folder)) for folder in (place, *place.parents))


@lru_cache(maxsize=256)
def _expression(glob: str) -> re.Pattern[str]:
    """`glob` as a regular expression: `*` and `?` stay within a name, `**` crosses folders."""
    special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/?|\*|\?)", glob)
    return re.compile("".join(special.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)
