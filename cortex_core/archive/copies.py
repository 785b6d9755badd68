"""Reads copies of transcripts, such as a backup, into the archive; nothing is learned from them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcripts import transcripts_at
from cortex_core.archive.archive import Archive
from cortex_core.base.errors import StoreError, problem_of
from cortex_core.records.captures import Progress
from cortex_core.records.conversation import ConversationImport


def transcripts(paths: Iterable[str | Path]) -> list[SessionRef]:
    """The transcripts at `paths`, files or folders, the oldest session first.

    Raises:
        TranscriptError: there is nothing at one of them.
    """
    return list({one.path: one for path in paths for one in transcripts_at(path)}.values())


def read_all(
    files: Sequence[SessionRef],
    archive: Archive,
    read: Callable[[Path], int],
    progress: Progress | None = None,
) -> ConversationImport:
    """Read each of `files` by `read`, which returns how many messages were new.

    Args:
        progress: called with the bytes done, all bytes, and the name of the next file.

    Raises:
        StoreError: the archive cannot be written; what was read before stays.
    """
    started, counts = time.perf_counter(), Counter[str]()
    problems: list[str] = []
    total, done, before = sum(one.size for one in files), 0, archive.count()
    for file in files:
        if progress:
            progress(done, total, file.path.name)
        done += file.size
        try:
            added = read(file.path)
        except StoreError as error:
            # What cannot be written ends it; a copy that cannot be read costs only itself.
            raise error.after("What was read before stays; the same command reads the rest.") from (
                error
            )
        except Exception as error:
            problems.append(problem_of(file.path, error))
            continue
        counts.update({"files": 1, "bytes": file.size} if added else {"skipped": 1})
        counts["messages"] += added
    if progress:
        progress(total, total, "")
    return ConversationImport(
        files=counts["files"],
        skipped=counts["skipped"],
        bytes_read=counts["bytes"],
        conversations=archive.count() - before,
        messages=counts["messages"],
        problems=tuple(problems),
        seconds=time.perf_counter() - started,
    )
