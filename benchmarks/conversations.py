"""How large the archive of conversations is, what reading for it costs, and how fast it is listed.

    CORTEX_DATA=DIR python -m benchmarks.conversations [--part size,speed] [--record]

`size`: the archive of all development transcripts next to the transcripts, and what reading them
for it costs beside the rules. `speed`: the first page of the list with 10,000 sessions recombined
from the real ones.
"""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import conversation_data as talks
from benchmarks import report
from benchmarks.report import Figure, percentile
from cortex_core import Cortex
from cortex_core.archive.archive import Archive
from cortex_core.archive.messages import Collector
from cortex_core.base.config import Config
from cortex_core.capture import pipeline
from cortex_core.transcripts import reader

PARTS = ("size", "speed")

MADE = 10_000
"""Sessions of the large archive."""

Part = tuple[list[Figure], dict[str, Any]]
"""The figures of a part and its details."""


# --- the archive


@contextmanager
def project() -> Iterator[Callable[[], Cortex]]:
    """A new project with a home folder of its own, to be opened as often as needed."""
    with tempfile.TemporaryDirectory(prefix="cortex-conversations-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        yield partial(Cortex.open, root, Path(scratch, "home"))


def counted(cortex: Cortex) -> int:
    """Messages in the archive."""
    return sum(each.messages for each in cortex.sessions.archive.list(limit=None))


# --- size


def size(chosen: Namespace) -> Part:
    """How large the archive of all transcripts is, and how fast they are read for it."""
    folder = report.data_folder(chosen, "transcripts")
    files = reader.find_transcripts(folder)
    whole = sum(file.stat().st_size for file in files)
    kept = []
    with project() as opened:
        for _ in range(2):
            with opened() as cortex:
                cortex.exchange.import_transcripts([folder])
                kept.append(counted(cortex))
                path = talks.archive_of(cortex)
        stored = path.stat().st_size
    with tempfile.TemporaryDirectory(prefix="cortex-conversations-") as scratch:
        archive = Archive.open(Path(scratch, "archive.db"), "project")
        _spent(files[:1])  # loads what the first one needs
        spent = {"rules": _spent(files), "rules and archive": _spent(files, archive)}
        archive.close()
    rate = whole / 1e6 / spent["rules and archive"]
    told = [
        Figure("archive, of the transcripts' size", 100 * stored / whole, "%", 4),
        Figure("messages that a second import adds", kept[1] - kept[0], "", 0),
        Figure("transcripts read for rules and archive", rate, "MB/s", 10, 20, more=True),
    ]
    return told, {
        "transcripts, bytes": whole, "archive, bytes": stored,
        "messages": kept[0], "processor seconds": spent,
    }  # fmt: skip


def _spent(files: Sequence[Path], archive: Archive | None = None) -> float:
    """Seconds of processor time to read every file, run the rules and, where an archive is given,
    write what was said into it."""
    began = time.process_time()
    for file in files:
        collector = None if archive is None else Collector()
        pipeline.read(
            file, pipeline.Cursor(), lambda key: False, Config(), {}, final=True, watch=collector
        )
        if archive is not None and collector is not None:
            archive.add(collector.collected)
    return time.process_time() - began


# --- speed


def speed(chosen: Namespace) -> Part:
    """The first page of the list with 10,000 sessions."""
    root, home = _large(chosen)
    with Cortex.open(root, home) as cortex:
        pages = [_milliseconds(cortex.sessions.archive.list) for _ in range(20)]
        megabytes, messages = talks.archive_of(cortex).stat().st_size / 1e6, counted(cortex)
    about = f"{MADE:,} sessions: "
    told = [
        Figure(f"{about}first page of the list, p95", percentile(pages, 0.95), "ms", 100, 30),
        Figure(f"{about}archive", megabytes, "MB"),
    ]
    return told, {"pages, ms": pages, "messages": messages}


def _milliseconds(what: Callable[[], object]) -> float:
    began = time.perf_counter()
    what()
    return 1000 * (time.perf_counter() - began)


def _large(chosen: Namespace) -> tuple[Path, Path]:
    """The project with the large archive and its home folder, made if it is not there."""
    folder = chosen.cache / "archives" / f"{talks.VERSION}-{MADE}"
    root, home = folder / "project", folder / "home"
    done = folder / "made"
    if not done.exists():
        print(f"Making an archive of {MADE:,} sessions in {folder}", flush=True)
        (root / ".memory").mkdir(parents=True, exist_ok=True)
        with Cortex.open(root, home) as cortex:
            transcripts = report.data_folder(chosen, "transcripts")
            talks.fill(cortex, talks.made(transcripts, MADE))
        done.touch()
    return root, home


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "conversations")
    parser.add_argument("--part", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    chosen = parser.parse_args(arguments)
    measured: Mapping[str, Callable[[Namespace], Part]] = {"size": size, "speed": speed}
    told: list[Figure] = []
    details: dict[str, Any] = {}
    for name in chosen.part.split(","):
        figures, found = measured[name](chosen)
        told += figures
        details[name] = found
    return report.finish("conversations", chosen, told, details)


if __name__ == "__main__":
    sys.exit(main())
