"""Which files a commit touched, as far as staging, edits and the commit's output tell."""

from __future__ import annotations

import re

from cortex_core.capture.events import Event
from cortex_core.capture.rules.state import State

MOST = 20
"""Most files named with one commit."""

_SMALL = 3000
_MOST_WRITTEN = 24
_FILE_LINE = re.compile(r"^ (?:create mode \d+|delete mode \d+) (.+)$", re.MULTILINE)


def files(text: str, cwd: str, state: State) -> tuple[str, ...]:
    """The files the commit touched, as far as its output, staging and edits tell."""
    named = [relative(path.strip('" '), cwd) for path in _FILE_LINE.findall(text)]
    staged = state.added
    files = (*staged, *named) if staged else (*state.edited, *named)
    state.added, state.edited = [], []
    return tuple(dict.fromkeys(path for path in files if path))[:MOST]


def paths(words: tuple[str, ...], cwd: str) -> list[str]:
    """The files among the arguments of `git add`; a folder, `.` or `-A` names none."""
    return [
        relative(word, cwd)
        for word in words
        if not word.startswith(("-", "2>", ">", "$")) and re.search(r"\w\.\w+$|file$", word)
    ]


def note_edit(event: Event, state: State) -> None:
    """Note a file edited, and keep the text of a small one that a commit may take up."""
    path = event.input.get("file_path") or event.input.get("notebook_path")
    if not isinstance(path, str):
        return
    content = event.input.get("content")
    if event.tool == "Write" and isinstance(content, str) and len(content) < _SMALL:
        state.written[path] = content
        if len(state.written) > _MOST_WRITTEN:
            del state.written[next(iter(state.written))]
    below = relative(path, event.cwd)
    if below and below not in state.edited:
        state.edited.append(below)


def relative(path: str, cwd: str) -> str:
    """`path` below `cwd`; empty for a file elsewhere."""
    if cwd and path.startswith(cwd.rstrip("/") + "/"):
        return path[len(cwd.rstrip("/")) + 1 :]
    return (
        "" if path.startswith(("/", "~", "..")) or path[1:3] == ":\\" else path.removeprefix("./")
    )
