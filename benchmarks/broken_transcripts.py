"""The campaign of broken transcripts: a worker reads them with a sound one next to them.

Batches are drawn by hypothesis from a seed. Of a session that fails, the fewest damages that make
it fail are printed.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st

from benchmarks.campaign import NOTES, Place, Row, Scale, unsound
from benchmarks.transcript_damage import ALL, Broken, Plan, make, names, plans, session
from cortex_core.agents.claude.places import slug
from cortex_core.base import project as projects, trust

BATCH = 25
"""Broken transcripts that are read by one worker."""

PATIENCE = 180.0
"""Seconds that a worker may take for a batch."""

SOUND = 99_999
"""The number of the sound session."""


def campaign(scale: Scale) -> Iterator[Row]:
    """2,500 broken transcripts in batches, each batch with a sound one."""
    folder = scale.scratch / "transcripts"
    made: Counter[str] = Counter()
    rows: list[Row] = []
    slowest = 0.0

    @seed(scale.seed)
    @settings(
        max_examples=scale.times(2500, 25) // BATCH,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(plans(), min_size=BATCH, max_size=BATCH))
    def every_batch(drawn: list[Plan]) -> None:
        nonlocal slowest
        numbered = dict(enumerate(drawn, BATCH * len(rows)))
        row, seconds = batch(folder, numbered)
        slowest = max(slowest, seconds)
        made.update(damage.name for plan in drawn for damage in plan.damages)
        rows.append(row if row.held else row._replace(notes=_smallest(folder, numbered, row)))

    every_batch()
    yield Row(
        "broken transcripts",
        f"{len(ALL)} damages, 1 to 5 in each",
        sum(row.times for row in rows),
        lost=sum(row.lost for row in rows),
        doubled=sum(row.doubled for row in rows),
        broken=sum(row.broken for row in rows),
        said=f"{BATCH} in at most {slowest:.1f} s",
        notes=tuple(note for row in rows for note in row.notes)[:NOTES]
        or (", ".join(f"{name} {count}" for name, count in made.most_common()),),
    )


def _smallest(folder: Path, drawn: Mapping[int, Plan], row: Row) -> tuple[str, ...]:
    """The notes of `row`, and of each session that fails alone the fewest damages that do it."""
    notes = list(row.notes)
    text = " ".join(notes)
    for number, plan in drawn.items():
        if any(name in text for name in names(number)):
            if not batch(folder, {number: plan})[0].held:
                plan = _fewest(folder, number, plan)
            notes.append(f"smallest: session {number}, {plan!r}")
    return tuple(notes)


def _fewest(folder: Path, number: int, plan: Plan) -> Plan:
    """`plan` without the damages that it fails without."""
    for damage in plan.damages:
        fewer = Plan(tuple(each for each in plan.damages if each is not damage))
        if fewer.damages and not batch(folder, {number: fewer})[0].held:
            plan = fewer
    return plan


def batch(folder: Path, drawn: Mapping[int, Plan]) -> tuple[Row, float]:
    """Let a worker read what `drawn` makes, stage by stage; what came of it, and the seconds.

    Args:
        drawn: the plan of each session by its number.
    """
    shutil.rmtree(folder, ignore_errors=True)
    place = Place(folder)
    sessions = place.sessions / slug(str(place.root))
    sessions.mkdir(parents=True)
    broken = [make(plan, number, str(place.root)) for number, plan in drawn.items()]
    stages = max(len(each.stages) for each in broken)
    ends: list[str] = []
    began = time.perf_counter()
    for stage in range(stages):
        last = stage == stages - 1
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
    found = projects.find(explicit=str(place.root), home=str(place.home))
    projects.prepare(found)
    folder = Path(projects.folder(found, "spool"))
    fields = {
        "event": event,
        "session": path.stem,
        "transcript": str(path),
        "cwd": str(place.root),
        "time": time.time() - 60,
        "mark": trust.token(found.data, found.note),
    }
    (folder / f"{time.time_ns():020d}-1-{event}.json").write_text(json.dumps(fields))


def judged(place: Place, broken: Sequence[Broken], ends: Sequence[str] = ()) -> Row:
    """What was lost, doubled or broken, as a row."""
    text = "\n".join(place.contents())
    wanted = [name for each in broken for name in sorted(each.whole)] + names(SOUND)
    said, twice = archived(place.root / ".memory" / "archive.db")
    lost = [name for name in wanted if name not in text or name not in said]
    doubled = [*place.doubled(), *twice]
    left = [path.name for path in (place.root / ".memory" / "spool").glob("*.json")]
    wrong = [*ends, *unsound(place), *(f"left in the spool: {name}" for name in left)]
    wrong += [line for line in _log(place) if line]
    notes = [*wrong, *(f"lost: {name}" for name in lost), *(f"twice: {c[:80]}" for c in doubled)]
    return Row(
        "",
        "",
        len(broken),
        lost=len(lost),
        doubled=len(doubled),
        broken=len(wrong),
        notes=tuple(notes),
    )


def archived(archive: Path) -> tuple[str, list[str]]:
    """What users said, and what is there twice of it, in an archive of conversations."""
    with closing(sqlite3.connect(archive)) as connection:
        said = connection.execute("SELECT text FROM message WHERE kind = 'user'").fetchall()
        twice = connection.execute(
            "SELECT text FROM message GROUP BY conversation, kind, text, time, uuid "
            "HAVING count(*) > 1 AND kind IN ('user', 'agent')"
        ).fetchall()
    return "\n".join(text for (text,) in said), [text for (text,) in twice]


def _log(place: Place) -> list[str]:
    path = place.root / ".memory" / "cortex.log"
    return path.read_text("utf-8", "replace").splitlines()[:3] if path.exists() else []
