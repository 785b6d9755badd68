"""Which agent wrote a transcript. Its modules are imported by name."""

from __future__ import annotations

import importlib
from pathlib import Path

from cortex_core.agents import AGENTS
from cortex_core.agents.protocol import Transcripts


def reader_of(path: str | Path) -> Transcripts:
    """The reader of the transcript at `path`.

    A file that no other agent recognises is given to the first, whose reader says what is wrong
    with it.
    """
    first, *others = (f"cortex_core.agents.{name}.reader" for name in AGENTS)
    for name in others:
        reader: Transcripts = importlib.import_module(name)
        if reader.recognise(Path(path)):
            return reader
    return importlib.import_module(first)
