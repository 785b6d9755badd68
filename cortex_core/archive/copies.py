"""Reads copies of transcripts, such as a backup, into the archive; nothing is learned from them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from cortex_core.agents.claude import reader
from cortex_core.agents.known import reader_of
from cortex_core.archive.archive import Archive
from cortex_core.base.errors import StoreError, TranscriptError
from cortex_core.records.captures import Progress
from cortex_core.records.conversation import ConversationImport


def transcripts(paths: Iterable[str | Path]) -> list[Path]:
    """The transcripts at `paths`, files or folders, the oldest session first.

    Raises:
        TranscriptError: there is nothing at one of them.
    """
    found = (file for path in paths for file in reader_of(path).find_transcripts(path))
    return list(dict.fromkeys(file.absolute() for file in found))


def read_all(
    files: Sequence[Path],
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
    sizes = {file: reader.size_of(file) for file in files}
    total, done, before = sum(sizes.values()), 0, archive.count()
    for file in files:
        if progress:
            progress(done, total, file.name)
        done += sizes[file]
        try:
            added = read(file)
        except StoreError as error:
            # What cannot be written ends it; a copy that cannot be read costs only itself.
            raise error.after("What was read before stays; the same command reads the rest.") from (
                error
            )
        except (TranscriptError, OSError) as error:
            problems.append(str(error))
            continue
        counts.update({"files": 1, "bytes": sizes[file]} if added else {"skipped": 1})
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
