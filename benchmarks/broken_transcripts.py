"""The campaign of broken transcripts: a worker reads them with a sound one next to them.

Batches are drawn by hypothesis from a seed. A batch that fails is shrunk, and the smallest one is
printed.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.campaign import Place, Row, Scale, unsound
from benchmarks.transcript_damage import Broken, Plan, make, names, plans, session
from cortex_core.base.project import slug

BATCH = 25
"""Broken transcripts that are read by one worker."""

PATIENCE = 180.0
"""Seconds that a worker may take for a batch."""

SOUND = 9_999
"""The number of the sound session."""


class Failure(AssertionError):
    """What a batch did wrong, as the row that it makes of itself."""

    def __init__(self, row: Row) -> None:
        super().__init__(row.notes)
        self.row = row


def campaign(scale: Scale) -> Iterator[Row]:
    """2,500 broken transcripts in batches, each batch with a sound one."""
    batches = scale.times(2500, 50) // BATCH
    made: Counter[str] = Counter()
    slowest = 0.0

    @seed(scale.seed)
    @settings(
        max_examples=batches, deadline=None, database=None, phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.lists(plans(), min_size=BATCH, max_size=BATCH))
    def every_batch(drawn: list[Plan]) -> None:
        nonlocal slowest
        row, seconds = batch(scale.scratch / "transcripts", drawn)
        slowest = max(slowest, seconds)
        made.update(damage.name for plan in drawn for damage in plan.damages)
        if not row.held:
            raise Failure(row._replace(notes=(*row.notes, f"smallest: {drawn!r}"[:1500])))

    failed = Row("", "", 0)
    try:
        every_batch()
    except Failure as failure:
        failed = failure.row
    yield failed._replace(
        fault="broken transcripts", how="19 damages and 3 stages, 1 to 5 in each",
        times=batches * BATCH, said=f"slowest batch of {BATCH}: {slowest:.1f} s",
        notes=failed.notes or (", ".join(f"{name} {count}" for name, count in made.most_common()),),
    )  # fmt: skip


def batch(folder: Path, drawn: Sequence[Plan]) -> tuple[Row, float]:
    """Let a worker read what `drawn` makes, stage by stage; what came of it, and the seconds."""
    shutil.rmtree(folder, ignore_errors=True)
    place = Place(folder)
    sessions = place.sessions / slug(str(place.root))
    sessions.mkdir(parents=True)
    broken = [make(plan, number, str(place.root)) for number, plan in enumerate(drawn)]
    ends: list[str] = []
    began = time.perf_counter()
    for stage in range(max(len(each.stages) for each in broken)):
        last = stage == max(len(each.stages) for each in broken) - 1
        _write(place, sessions, broken, stage, last)
        if last:
            _write_sound(place, sessions)
        done = place.run("cortex_core.worker", "--project", str(place.root), seconds=PATIENCE)
        if done.code:
            ends.append(f"the worker ended with {done.code}: {done.said}")
    return judged(place, broken, ends), time.perf_counter() - began


def _write(place: Place, sessions: Path, broken: Sequence[Broken], stage: int, last: bool) -> None:
    for each in broken:
        path = sessions / f"{each.session}.jsonl"
        path.write_bytes(each.stages[min(stage, len(each.stages) - 1)])
        record(place, path, "SessionEnd" if last else "Stop")


def _write_sound(place: Place, sessions: Path) -> None:
    sample, _ = session(SOUND, str(place.root))
    record(place, sample.write(sessions), "SessionEnd")


def record(place: Place, path: Path, event: str) -> None:
    """Leave a hook's record of `event` in the spool."""
    folder = place.root / ".memory" / "spool"
    folder.mkdir(exist_ok=True)
    fields = {"event": event, "session": path.stem, "transcript": str(path),
              "cwd": str(place.root), "time": time.time() - 60}  # fmt: skip
    (folder / f"{time.time_ns():020d}-1-{event}.json").write_text(json.dumps(fields))


def judged(place: Place, broken: Sequence[Broken], ends: Sequence[str] = ()) -> Row:
    """What was lost, doubled or broken, as a row."""
    contents = place.contents()
    text = "\n".join(contents)
    wanted = [name for each in broken for name in sorted(each.whole)] + names(SOUND)
    lost = [name for name in wanted if name not in text]
    doubled = [content for content, count in contents.items() if count > 1]
    left = [path.name for path in (place.root / ".memory" / "spool").glob("*.json")]
    wrong = [*ends, *unsound(place), *(f"left in the spool: {name}" for name in left)]
    wrong += [line for line in _log(place) if line]
    notes = [*wrong, *(f"lost: {name}" for name in lost), *(f"twice: {c[:80]}" for c in doubled)]
    return Row("", "", len(broken), lost=len(lost), doubled=len(doubled), broken=len(wrong),
               notes=tuple(notes))  # fmt: skip


def _log(place: Place) -> list[str]:
    path = place.root / ".memory" / "cortex.log"
    return path.read_text("utf-8", "replace").splitlines()[:3] if path.exists() else []
