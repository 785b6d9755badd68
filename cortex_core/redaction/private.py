"""What the user keeps out of memory: `<private>` spans and ignored folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import normpath
from pathlib import Path

from cortex_core.base import globs

_TAG = re.compile(r"<\s*(/?)\s*private\s*>", re.IGNORECASE)
_SPECIAL = re.compile(r"[\[{]")


def strip_private(text: str) -> str:
    """Remove everything between `<private>` and `</private>`, the tags included.

    Case does not matter, and spans may be nested. An unclosed span reaches to the end: a forgotten
    tag must hide too much rather than too little. A closing tag alone is removed.
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
    """Whether `path`, a file or folder, is matched by one of `patterns` or below one that is.

    A pattern is a folder (`~/clients`, `/srv/secret`), a glob for whole paths (`~/work/*-nda`), a
    glob for the last part of paths (`legal/drafts`, `**/legal/**`) or a name that counts anywhere
    in a path (`secret-*`), in the syntax of `base.globs`. `~` is the home folder; case matters.
    """
    if not str(path).strip():
        return False
    full = _absolute(str(path)).lstrip("/")
    return any(_covers(pattern.strip(), full) for pattern in patterns if pattern.strip())


def _absolute(path: str) -> str:
    """`path` from the root on, without `~` and `..`; links are not followed."""
    if path == "~" or path.startswith("~/"):
        path = f"{Path.home()}{path[1:]}"
    return normpath(Path(path).absolute())


def _covers(pattern: str, path: str) -> bool:
    glob = pattern.rstrip("/").removesuffix("/**")
    if pattern.startswith(("/", "~")):
        glob = _absolute(glob or "/")
    elif "/" in glob.strip("/"):
        glob = f"**/{glob.strip('/').removeprefix('**/')}"
    if not glob.strip("/"):
        return pattern.startswith("/")
    # A folder's name may contain brackets and braces. They match as written too, since a pattern
    # must hide too much rather than too little.
    as_written = _SPECIAL.sub(r"[\g<0>]", glob)
    return globs.matches(path, glob) or globs.matches(path, as_written)
