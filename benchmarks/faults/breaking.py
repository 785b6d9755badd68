"""One changing command, broken at many of the calls by which it changes files.

Afterwards the stores must hold the state before or the state after the command; where a command
works in parts, running it again must lead to the state after it. What it printed must be true.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.campaign import NOTES, Place, Row, most_frequent
from benchmarks.faults import forking, state, world
from benchmarks.faults.commands import CASES, Case
from benchmarks.faults.forking import Ran
from benchmarks.faults.interposer import FOR_GOOD, NONE, Fault
from benchmarks.faults.scenes import SCENES, glimpse
from benchmarks.faults.state import Known, State

ENDED = "kill -9 at a call that changes a file"
FAILING = "ENOSPC, EIO at a call that changes a file"
FULL = "ENOSPC for good from a call on"

_UNCHANGED = re.compile(
    r"nothing (?:was|has been) \w+|(?:was|were|is|are) (?:not changed|unchanged|as (?:it|they) w)",
    re.IGNORECASE,
)
"""How a message says that all is as before."""

_TRACEBACK = re.compile(r"Traceback \(most|nternal error|\(\w+\.py:\d+\)|File \"[^\"]+\", line")


class Seen(NamedTuple):
    """What there is after a command."""

    state: State
    findings: list[str]
    """What the doctor and SQLite's own check complain about."""
    names: set[str]
    """The names of all files."""
    snapshots: dict[str, str]
    """The snapshots of the stores, and what is in them."""


class Verdict(NamedTuple):
    """What one fault did."""

    lost: int = 0
    doubled: int = 0
    hooks: int = 0
    problems: tuple[str, ...] = ()
    """What else must not be."""


class Subject:
    """A command, the project before it, and what there is after it has run undisturbed."""

    def __init__(self, case: Case, place: Place, base: Path) -> None:
        """`base` is a copy of the filled project; `place` is where the command runs.

        Raises:
            RuntimeError: the command failed without a fault.
        """
        self.case = case
        self.place = place
        self._prepared = base.with_name("prepared")
        shutil.rmtree(place.folder, ignore_errors=True)
        shutil.copytree(base, place.folder, symlinks=True)
        place.claim()
        self._prepare()
        self.known = Known(self._ids(), world.settle())
        world.copy(place, self._prepared)
        self.before = self._seen()
        self._restart()
        done = self.run(NONE)
        if done.code:
            raise RuntimeError(f"cortex {' '.join(case.words)}: {done.code}, {done.err}")
        self.calls = done.calls
        if not self.calls:
            raise RuntimeError(f"cortex {' '.join(case.words)} changes no file")
        self.after = self._seen(finish=case.completes)

    def _prepare(self) -> None:
        session = self.place.sessions.rglob("*.jsonl")
        self._session = sorted(path.stem for path in session)[0]
        for words in self.case.before:
            done = forking.command(self.place, self._words(words))
            if done.code:
                raise RuntimeError(f"cortex {' '.join(words)}: {done.code}, {done.err}")
        if self.case.spool:
            forking.fork(self.place, lambda: world.record_sessions(self.place))

    def _ids(self) -> list[str]:
        done = forking.fork(self.place, lambda: print(json.dumps(state.ids(self.place))))
        return list(json.loads(done.out))

    def _words(self, words: Iterable[str]) -> list[str]:
        return world.resolved([word.replace("{session}", self._session) for word in words])

    def _restart(self) -> None:
        shutil.rmtree(self.place.folder)
        shutil.copytree(self._prepared, self.place.folder, symlinks=True)
        self.place.claim()

    def run(self, fault: Fault) -> Ran:
        """Run the command while `fault` happens."""
        return forking.command(self.place, self._words(self.case.words), fault, self.case.data)

    def judge(self, fault: Fault) -> tuple[Ran, Verdict]:
        """Break the command once, and say what came of it."""
        self._restart()
        done = self.run(fault)
        seen = self._seen(finish=self.case.completes and not self.case.resumes)
        problems = [] if fault.ends else list(self._misreported(done, seen))
        allowed = [self.before.state, self.after.state]
        if self.case.resumes:
            allowed = [self.after.state]
            again = self._complete(done)
            seen = self._seen(finish=True)
        lost, doubled, others = _compared(seen.state, allowed, journalled=not self.case.resumes)
        problems += [*_untrue(done), *self._unsound(seen), *others]
        if self.case.resumes and again and others:
            problems.append(f"run again: {again}")
        is_hook = self.case.command == "hook"
        failed = is_hook and not fault.ends and bool(done.code or done.err or done.out)
        return done, Verdict(lost, doubled, int(failed), tuple(problems))

    def _complete(self, done: Ran) -> str:
        """Run the command again unless it said that it was done; what it says if it fails."""
        if done.code == 0 and self.case.command not in ("worker", "hook"):
            return ""
        again = self.run(NONE)
        return again.said if again.code else ""

    def _seen(self, *, finish: bool = False) -> Seen:
        """What there is; with `finish` after the vectors and links that the worker would add."""
        known = self.known

        def look() -> None:
            print(json.dumps(_look(self.place, known, finish)))

        done = forking.fork(self.place, look)
        if done.code:
            return Seen({}, [f"cannot be looked at: {done.err.strip()[-300:]}"], set(), {})
        found = json.loads(done.out.splitlines()[-1])
        return Seen(**{**found, "names": set(found["names"])})

    def _unsound(self, seen: Seen) -> Iterator[str]:
        usual = {*self.before.findings, *self.after.findings}
        yield from (finding for finding in seen.findings if finding not in usual)
        extra = seen.names - self.before.names - self.after.names
        yield from (f"left behind: {name}" for name in sorted(extra))
        kept = self.before.snapshots.items() & self.after.snapshots.items()
        yield from (f"snapshot lost: {name}" for name, _ in sorted(kept - seen.snapshots.items()))

    def _misreported(self, done: Ran, seen: Seen) -> Iterator[str]:
        """Whether the exit code and the message agree with what there is."""
        ignored = _OF_THE_RUN | _DERIVED
        changed = state.difference(_plain(self.before.state, ignored), _plain(seen.state, ignored))
        missing = state.difference(_plain(self.after.state, ignored), _plain(seen.state, ignored))
        if _UNCHANGED.search(done.err) and changed:
            yield f"says “{done.said}”, but changed: {changed}"
        if done.code == 0 and missing and self.case.command not in ("worker", "hook"):
            yield f"exits with 0, but differs from an undisturbed run: {missing}"
        if done.code and not done.err.strip():
            yield f"exits with {done.code} and no message"


def _look(place: Place, known: Known, finish: bool) -> dict[str, Any]:
    """Open the stores as the next command would, then examine them."""
    from cortex_core import Cortex

    with Cortex.open() as cortex:
        cortex.list()
        if finish:
            cortex.models.embed_pending()
    findings = list(_findings(place))
    return {
        "state": state.of(place, known),
        "findings": findings,
        "names": sorted(state.names(place)),
        "snapshots": state.snapshots(place),
    }


def _findings(place: Place) -> Iterator[str]:
    from cortex_core.doctor import examine, stores_checks

    for result in examine.run(checks=stores_checks.STORES_CHECKS):
        if result.state in ("failed", "warning"):
            yield f"doctor {result.name}: {result.sentence}"
    yield from state.index_faults(place)


def _untrue(done: Ran) -> Iterator[str]:
    """What must be in no output, and processes that went on."""
    for stream in (done.out, done.err):
        if found := _TRACEBACK.search(stream):
            line = stream[found.start() :].strip().splitlines()
            yield f"a traceback: {line[0]} … {line[-1]}"[:300]
    if done.left:
        yield f"{done.left} processes left behind"


def _plain(found: State, without: frozenset[str]) -> State:
    """`found` without the tables `without`."""
    return {
        part: {name: rows for name, rows in tables.items() if name not in without}
        for part, tables in found.items()
    }


_OF_THE_RUN = frozenset({"journal", "cursor", "seen", "meta"})
"""Tables that say how often a command ran and what it has read."""

_DERIVED = frozenset({"embedding"})
"""Tables that the worker fills from the others."""


def _compared(
    seen: State, allowed: list[State], *, journalled: bool = True
) -> tuple[int, int, list[str]]:
    """What is lost and what is doubled in `seen`, and how it differs from all that is allowed."""
    ignored = _DERIVED if journalled else _OF_THE_RUN
    forms = [_plain(each, ignored) for each in allowed]
    mine = _plain(seen, ignored)
    differences = [state.difference(form, mine) for form in forms]
    if not all(differences):
        return 0, 0, []
    here = state.contents(seen) if seen else Counter[str]()
    counts = [state.contents(each) for each in allowed]
    texts = {text for each in (*counts, here) for text in each}
    lost = sum(max(0, min(each[text] for each in counts) - here[text]) for text in texts)
    doubled = sum(max(0, here[text] - max(each[text] for each in counts)) for text in texts)
    return lost, doubled, [f"neither before nor after: {min(differences, key=len)}"]


# --- the faults of a command, and the rows of the table


def faults(calls: int, seed: str, quick: bool) -> dict[str, list[Fault]]:
    """The faults to make, by the row that they count in; a sample of all calls if they are many."""
    r = random.Random(seed)

    def sample(count: int) -> list[int]:
        """`count` calls, one from each stretch of the run; the last one always."""
        count = min(count, calls)
        edges = [calls * n // count for n in range(count + 1)]
        return [r.randint(low + 1, high) for low, high in itertools.pairwise(edges)]

    kills, torn, failing, full = (3, 1, 1, 1) if quick else (10, 4, 5, 3)
    return {
        ENDED: [Fault("kill", at) for at in sample(kills)]
        + [Fault("torn", at) for at in sample(torn)],
        FAILING: [Fault("ENOSPC", at) for at in sample(failing)]
        + [Fault("EIO", at) for at in sample(failing)]
        + [Fault("EIO", at, calls, "sync") for at in sample(1)],
        FULL: [Fault("ENOSPC", at, FOR_GOOD) for at in sample(full)],
    }


def rows(subject: Subject, seed: int, quick: bool) -> Iterator[Row]:
    """The lines of the table for one command."""
    name = subject.case.name
    for how, listed in faults(subject.calls, f"{seed} {name}", quick).items():
        judged = [(fault, *subject.judge(fault)) for fault in listed]
        yield _row(subject, how, judged)


def _row(subject: Subject, how: str, judged: list[tuple[Fault, Ran, Verdict]]) -> Row:
    folder = str(subject.place.folder)
    notes = [
        f"{fault} of {subject.calls}: {problem} (said: {done.said})".replace(folder, "…")
        for fault, done, verdict in judged
        for problem in verdict.problems
    ]
    verdicts = [verdict for _, _, verdict in judged]
    return Row(
        subject.case.name,
        how,
        len(judged),
        sum(verdict.lost for verdict in verdicts),
        sum(verdict.doubled for verdict in verdicts),
        sum(verdict.hooks for verdict in verdicts),
        sum(bool(verdict.problems) for verdict in verdicts),
        most_frequent(
            done.said.replace(folder, "…") for fault, done, _ in judged if not fault.ends
        ),
        tuple(notes[:NOTES]),
    )


# --- the process that breaks commands


def serve(folder: Path) -> None:
    """Break the commands whose numbers come in, a line each; print their rows as JSON."""
    forking.prepare()
    place = Place(folder / "world")
    world.make(place)
    base = folder / "base"
    world.copy(place, base)
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps([row._asdict() for row in _answered(order, place, base)]), flush=True)


def _answered(order: dict[str, Any], place: Place, base: Path) -> list[Row]:
    if "scene" in order:
        play = SCENES.get(order["scene"], glimpse)
        return list(play(place, base, order["quick"], order["seed"]))
    case = CASES[order["case"]]
    try:
        return list(_ordered(Subject(case, place, base), order))
    except RuntimeError as error:
        return [Row(case.name, "no fault", 1, broken=1, notes=(str(error),))]


def _ordered(subject: Subject, order: dict[str, Any]) -> Iterator[Row]:
    """The rows of all faults, or the row of the one fault that is ordered."""
    if "how" not in order:
        yield from rows(subject, order["seed"], order["quick"])
        return
    fault = Fault(order["how"], 1 + round((subject.calls - 1) * order["share"]))
    done, verdict = subject.judge(fault)
    if not done.broken:
        verdict = verdict._replace(problems=(*verdict.problems, "the fault did not happen"))
    yield _row(subject, str(fault), [(fault, done, verdict)])


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        serve(Path(sys.argv[1]))
