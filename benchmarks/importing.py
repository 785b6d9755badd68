"""How fast transcripts are read and the rules run, and how much memory a large one takes.

    CORTEX_DATA=DIR python -m benchmarks.importing [--megabytes 100] [--record]

Reading is `capture.pipeline.read`: the reader, redaction, the rules, the checks; importing is the
whole verb with admission and the stores, without vectors. Megabytes are of processor time where the
figure says so: it leaves out what other processes took. The generated transcript is one session of
prompts, replies, edits, commands with long output, and commits.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Figure
from benchmarks.stores import questions, sentences
from cortex_core import Cortex
from cortex_core.agents.claude import reader, sessions
from cortex_core.base.config import Config
from cortex_core.capture import pipeline
from cortex_core.extract import rules
from cortex_core.store import cursors
from tests.transcript_samples import Sample

_WORKER = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[4])
from cortex_core import Cortex, worker_run
began = time.perf_counter()
with Cortex.open(sys.argv[1], sys.argv[2]) as cortex:
    cortex.sessions.capture(sys.argv[3], event="SessionEnd", final=True)
    worker_run.maintain(cortex)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([usage.ru_maxrss, time.perf_counter() - began]))
"""


class Speed(NamedTuple):
    """How long some megabytes took."""

    megabytes: float
    seconds: float
    processor: float
    """Seconds of processor time."""

    @property
    def rate(self) -> float:
        """Megabytes a second."""
        return self.megabytes / self.seconds


def reading(files: Sequence[Path]) -> Speed:
    """Read every file and run the rules, in one process that has done so before."""
    pipeline.read(files[0], cursors.Cursor(), lambda key: False, Config(), {}, final=True)
    began, used = time.perf_counter(), time.process_time()
    for file in files:
        pipeline.read(file, cursors.Cursor(), lambda key: False, Config(), {}, final=True)
    return _speed(files, began, used)


def bare_reading(files: Sequence[Path]) -> Speed:
    """The reader alone."""
    began, used = time.perf_counter(), time.process_time()
    for file in files:
        for _ in reader.read(file):
            pass
    return _speed(files, began, used)


def bare_rules(files: Sequence[Path]) -> Speed:
    """The rules alone, over events that were read before, without redaction."""
    sessions = [list(reader.read(file)) for file in files]
    began, used = time.perf_counter(), time.process_time()
    for events in sessions:
        rules.extract(events, final=True)
    return _speed(files, began, used)


def importing(path: Path) -> tuple[Speed, dict[str, Any]]:
    """Import into a new project; the speed, and what came of it."""
    files = [one.path for one in sessions.at(path)]
    with tempfile.TemporaryDirectory(prefix="cortex-importing-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        with Cortex.open(root, Path(scratch, "home")) as cortex:
            began, used = time.perf_counter(), time.process_time()
            told = cortex.exchange.import_transcripts([path])
            speed = _speed(files, began, used)
    return speed, {"kept": told.stored, "suggested": told.suggested, "files": told.files}


def worker_peak(path: Path) -> tuple[float, float]:
    """Peak memory (MB) and seconds of a process that captures `path` and does its upkeep."""
    with tempfile.TemporaryDirectory(prefix="cortex-importing-") as scratch:
        root = Path(scratch, "project")
        (root / ".memory").mkdir(parents=True)
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                _WORKER,
                str(root),
                str(Path(scratch, "home")),
                str(path),
                str(report.ROOT),
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    peak, seconds = json.loads(done.stdout)
    return peak * (1 if sys.platform == "darwin" else 1024) / 2**20, seconds


def generated(megabytes: int, folder: Path) -> Path:
    """A transcript of that size, made once."""
    path = folder / f"session-{megabytes}.jsonl"
    if not path.exists() or path.stat().st_size < megabytes * 10**6:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for part in _parts():
                file.write(part)
                if file.tell() >= megabytes * 10**6:
                    break
    return path


def _parts() -> Iterator[bytes]:
    """Stretches of one long session, without end."""
    chance = random.Random(9)
    lines = [text for _, text in sentences(4000, seed=8)]
    asked = questions(400, seed=9)
    number = 0
    while True:
        number += 1
        session = Sample(f"large-{number}", cwd="/srv/shop", pause=5.0)
        session.human(chance.choice(asked) if number % 9 else f"Always {chance.choice(lines)}")
        for _ in range(chance.randrange(3, 9)):
            session.assistant(" ".join(chance.choices(lines, k=2)))
            _tool(session, chance, lines)
        if number % 5 == 0:
            subject = chance.choice(lines)[:60].rstrip()
            command = f'git commit -m "fix: {subject}\n\n{chance.choice(lines)}"'
            session.tool("Bash", {"command": command}, f"[main {chance.getrandbits(28):07x}] fix")
        yield bytes(session)


def _tool(session: Sample, chance: random.Random, lines: Sequence[str]) -> None:
    path = f"/srv/shop/src/part{chance.randrange(400)}.py"
    text = "\n".join(chance.choices(lines, k=chance.randrange(4, 120)))
    kind = chance.random()
    if kind < 0.45:
        session.tool("Read", {"file_path": path}, text)
    elif kind < 0.75:
        session.tool("Bash", {"command": f"pytest -q tests/part{chance.randrange(400)}.py"}, text)
    else:
        session.tool(
            "Edit",
            {"file_path": path, "old_string": text[:800], "new_string": text[:900]},
            "The file has been updated.",
        )


def _speed(files: Sequence[Path], began: float, used: float) -> Speed:
    size = sum(file.stat().st_size for file in files) / 1e6
    return Speed(size, time.perf_counter() - began, time.process_time() - used)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where a bound is missed."""
    parser = report.options(__doc__, "importing")
    parser.add_argument("--megabytes", type=int, default=100)
    chosen = parser.parse_args(arguments)
    real = report.data_folder(chosen, "transcripts")
    large = generated(chosen.megabytes, chosen.cache / "transcripts")
    told: list[Figure] = []
    details: dict[str, Any] = {}
    for name, path in (("real transcripts", real), (f"{chosen.megabytes} MB generated", large)):
        files = [one.path for one in sessions.at(path)]
        read = reading(files)
        whole, came = importing(path)
        told.append(Figure(f"{name}: read, rules run", read.rate, "MB/s", 10, 40, more=True))
        told.append(Figure(f"{name}: imported", whole.rate, "MB/s", more=True))
        parts = {"reader": bare_reading(files), "rules": bare_rules(files)}
        details[name] = {
            **came,
            **{part: speed._asdict() for part, speed in parts.items()},
            "reading": read._asdict(),
            "importing": whole._asdict(),
        }
    peak, seconds = worker_peak(large)
    told.append(Figure(f"worker's peak memory, {chosen.megabytes} MB", peak, "MB", 400, 200))
    details["worker, s"] = seconds
    return report.finish("importing", chosen, told, details)


if __name__ == "__main__":
    sys.exit(main())
