"""The history of prompts that Claude Code keeps.

`history.jsonl` has one line for each prompt, and outlives the transcripts: the text, the folder,
the time, and, since some version, the session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cortex_core.agents.claude.speakers import queued_words
from cortex_core.agents.protocol import TypedPrompt
from cortex_core.base import project as projects
from cortex_core.language.patterns import Pattern

LONGEST_LINE = 8 << 20
"""Bytes of a line; a longer one is passed over."""

_PASTED = Pattern(
    "mark of a pasted text",
    r"\[Pasted text #(\d+)[^\]\n]{0,40}\]",
    finds="[Pasted text #1 +20 lines]",
    spares="[Pasted text]",
    flags=0,
)
_BASH = "!"
"""How a prompt begins that is a command for the shell."""


def prompts() -> Iterator[TypedPrompt]:
    """The prompts of the history; damaged lines and commands are passed over."""
    file = Path(projects.user_folder(), "history.jsonl")
    try:
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                if line.endswith(b"\n") or len(line) < LONGEST_LINE:
                    yield from _prompt(line)
    except OSError:
        return


def _prompt(line: bytes) -> Iterator[TypedPrompt]:
    try:
        record = json.loads(line.replace(b"\0", b""))
    except (ValueError, RecursionError):
        return
    given = record if isinstance(record, dict) else {}
    said, folder, moment = given.get("display"), given.get("project"), given.get("timestamp")
    if not (isinstance(said, str) and isinstance(folder, str) and isinstance(moment, int | float)):
        return
    session = given.get("sessionId")
    words = _with_pasted(said, given.get("pastedContents"))
    _, prose = queued_words("" if words.startswith(_BASH) else words)
    if prose:
        yield TypedPrompt(session if isinstance(session, str) else "", folder, moment / 1000, prose)


def _with_pasted(said: str, pasted: object) -> str:
    """A prompt with what was pasted into it in place of its mark."""
    contents: Mapping[str, Any] = pasted if isinstance(pasted, dict) else {}

    def content(mark: re.Match[str]) -> str:
        found = contents.get(mark[1])
        text = found.get("content") if isinstance(found, dict) else None
        return text if isinstance(text, str) else mark[0]

    return _PASTED.regex.sub(content, said)
