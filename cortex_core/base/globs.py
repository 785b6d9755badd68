"""The one dialect of globs, for the files of memories and for the setting `capture.ignore`.

It is that of .gitignore without negation and escapes, and with alternatives:

- `*` and `?` stay within a folder, `**` crosses folders;
- `[abc]`, `[a-c]` and `[!abc]` are one character, `{ts,tsx}` one of several words;
- a glob without a slash means a name at any depth, one with a slash starts at the top;
- a glob that means a folder means everything below it;
- the mark in place of a secret, `[redacted: …]`, means itself.

A glob may come from a stranger. No step is ever tried twice from one place of a path, so matching
takes time in proportion to the length of the glob times that of the path, whatever they are.

The hook for opened files uses it, so it needs only `re`; a test compares it with pathspec.
"""

import re
from functools import lru_cache

LONGEST = 1000
"""Characters of a glob; a longer one matches nothing. No path of a project is as long."""

MARK = re.compile(r"\[redacted: [a-z0-9-]+\]")
"""What is in the place of a secret; in a glob, too, it means itself."""
_ACROSS = ("**/", "**", "*")
"""What matches any number of characters, the longest first."""

_Step = str | re.Pattern[str] | tuple[str, ...]
"""One of `_ACROSS`, an expression that matches one character, or words of which one is there."""


def matches(path: str, glob: str) -> bool:
    """Whether `path` (relative to the top, with /) is meant by `glob`."""
    ends = {0}
    for step in _steps(glob):
        ends = _after(step, path, ends)
    return any(end == len(path) or path[end] == "/" for end in ends)


def _after(step: _Step, path: str, starts: set[int]) -> set[int]:
    """Where `step` may end in `path` if it begins at one of `starts`."""
    if isinstance(step, re.Pattern):
        return {at + 1 for at in starts if step.match(path, at)}
    if isinstance(step, tuple):
        return {at + len(word) for word in step for at in starts if path.startswith(word, at)}
    if not starts:
        return starts
    first = min(starts)
    if step == "**":
        return set(range(first, len(path) + 1))
    if step == "**/":
        return starts | {at for at in range(first + 1, len(path) + 1) if path[at - 1] == "/"}
    # `*`: each place is reached from the one before it, unless a slash is between them.
    ends = set(starts)
    for at in range(first, len(path)):
        if at in ends and path[at] != "/":
            ends.add(at + 1)
    return ends


@lru_cache(maxsize=1024)
def _steps(glob: str) -> tuple[_Step, ...]:
    """What `glob` asks for, in order."""
    if len(glob) > LONGEST:
        return ((),)  # no word is there
    glob = glob.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    steps: list[_Step] = [] if "/" in glob else ["**/"]
    glob = glob.lstrip("/")
    index = 0
    while index < len(glob):
        step, index = _step(glob, index)
        steps.append(step)
    return tuple(steps)


def _step(glob: str, index: int) -> tuple[_Step, int]:
    """What is asked for at `index`, and where the next step begins."""
    if mark := MARK.match(glob, index):
        return (mark[0],), mark.end()
    for across in _ACROSS:
        if glob.startswith(across, index):
            return across, index + len(across)
    character = glob[index]
    if character == "?":
        return re.compile("[^/]"), index + 1
    closing = {"[": "]", "{": "}"}.get(character, "")
    end = glob.find(closing, index + 2) if closing else -1
    if end < 0:
        word = re.compile(r"[^*?\[{]+").match(glob, index)
        return (word[0] if word else character,), word.end() if word else index + 1
    inner = glob[index + 1 : end]
    if character == "{":
        return tuple(inner.split(",")), end + 1
    return _one_of(inner) or (glob[index : end + 1],), end + 1


def _one_of(inner: str) -> re.Pattern[str] | None:
    """What matches one character of `[inner]`; None where it is no set of characters."""
    negated = inner[0] in "!^"
    members = re.escape(inner[1:] if negated else inner).replace(r"\-", "-")
    try:
        return re.compile(f"[^{members}/]" if negated else f"[{members}]")
    except re.error:
        return None
