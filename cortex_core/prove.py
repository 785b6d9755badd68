"""`cortex prove`: past sessions are replayed with what Cortex would have known when each began.

A scratch store learns each session when it has ended, by rules alone. What the next ones would have
been given is judged by what they came to. So is a placebo: as many lines, each exchanged for one
that the session did not get and that was not learned from it.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, get_args

from cortex_core import worker_run
from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcripts import reader_of, transcripts_at
from cortex_core.api import Cortex
from cortex_core.archive.quotes import QUOTATION
from cortex_core.base import project as projects
from cortex_core.base import text
from cortex_core.base.project import Project
from cortex_core.base.tools import SHELLS, path_of
from cortex_core.duplicates import again
from cortex_core.records.events import Event, uuid_key
from cortex_core.records.memory import Memory
from cortex_core.records.proofs import Benefit, BenefitName, Proof, Spared
from cortex_core.store import leftovers, observations, word_index
from cortex_core.store.workspace import Workspace
from cortex_core.surface import call_table, note, opened_files, prompt, receipts, wording
from cortex_core.surface.given import Injection
from cortex_core.triggers import guard

MOST = 30
"""Sessions that are replayed."""

BENEFITS: tuple[BenefitName, ...] = get_args(BenefitName)

Shown = Sequence[tuple[float, Memory]]
"""The lines that a session has, each with the moment since when."""


def prove(
    cortex: Cortex,
    paths: Iterable[str | Path] = (),
    most: int = MOST,
    progress: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> Proof:
    """Replay the newest sessions of a project; its stores are neither read nor changed.

    Args:
        paths: transcripts and folders of them; the project's own sessions if there are none.
        most: how many sessions.
    """
    found = [ref for path in paths for ref in transcripts_at(path)] or cortex.sessions.on_disk()
    newest = sorted(found, key=lambda ref: ref.changed)[-most:]
    read: set[int] = set()
    sessions = [Replayed(ref, read) for ref in sorted(newest, key=lambda ref: ref.started)]
    sessions = sorted((one for one in sessions if one.offsets), key=lambda one: one.began)
    # What was learned from a session is known to those that began after its end.
    unlearned = sorted(sessions, key=lambda one: one.ended)
    with leftovers.scratch() as folder:
        replay = Replay(folder, cortex)
        for at, one in enumerate(sessions):
            progress(at, len(sessions), one.ref.path.name)
            while unlearned[0].ended < one.began:
                replay.learn(unlearned.pop(0))
            replay.sit_through(one)
        for one in unlearned:
            replay.learn(one)
        proof = replay.judged(sessions)
        replay.cortex.close()
    return proof


class Replayed:
    """One session: when it was, what it would have been given, and which commands of it failed."""

    def __init__(self, ref: SessionRef, read: set[int]) -> None:
        """Args:
        read: keys of the records of sessions before it, which a fork repeats; its own are added.
        """
        self.ref = ref
        self.offsets: set[int] = set()
        """Where its own events are, those of sub-agents left out."""
        self.branch = ""
        times: list[float] = []
        with reader_of(ref.key).read(ref.key, seen=lambda mark: uuid_key(mark) in read) as found:
            for event in found:
                if not event.sidechain:
                    self.offsets.add(event.offset)
                    self.branch = self.branch or event.branch
                if event.time is not None:
                    times.append(event.time)
            read |= found.keys
        self.began = min(times, default=ref.started)
        self.ended = max(times, default=ref.changed)
        self.given: dict[str, float] = {}
        """When each line came first, by the id of its memory or quotation."""
        self.failures: list[tuple[Event, Sequence[str]]] = []
        """The calls of the shell that failed, with the rules that were recalled for each."""
        self.prompts = self.tokens = 0

    def events(self) -> Iterator[Event]:
        """Its own events, in order."""
        with reader_of(self.ref.key).read(self.ref.key) as found:
            yield from (event for event in found if event.offset in self.offsets)

    def take(self, injection: Injection, moment: float) -> None:
        """Note what the session is given at a moment."""
        words = injection.text
        for id in injection.ids:
            # Ids are random, and have more tokens or fewer.
            words = words.replace(id[: wording.ID_LENGTH], "0" * wording.ID_LENGTH)
            self.given.setdefault(id, moment)
        self.tokens += text.tokens(words)


class Replay:
    """A scratch project that learns sessions in their order, and says what each would be given."""

    def __init__(self, folder: Path, cortex: Cortex) -> None:
        root = folder / "project"
        (root / ".git").mkdir(parents=True)
        self._head = root / ".git" / "HEAD"
        self._now = 0.0
        here = projects.find(explicit=str(root), home=str(folder / "home"))
        self._workspace = Workspace(here, cortex.config, lambda: self._now)
        self.cortex = Cortex(self._workspace, asks_models=False)
        self._store = self._workspace.store()
        self._quoted: dict[str, Memory] = {}

    def learn(self, one: Replayed) -> None:
        """Learn a session at the moment of its end, as the worker does."""
        self._now = one.ended
        self._head.write_text(f"ref: refs/heads/{one.branch or 'main'}\n", encoding="utf-8")
        self._workspace.follow_branch()
        self.cortex.sessions.capture(one.ref.key, event="import", final=True, actor="import")
        worker_run.maintain(self.cortex)

    def sit_through(self, one: Replayed) -> None:
        """Note what a session would be given at its start, with its prompts and at its calls."""
        seat, self._now = self._seat(one), one.began
        one.take(note.composed(seat, one.began, self.cortex.config).injection, one.began)
        table = call_table.read(seat)
        rules = [rule for listed in table["rules"].values() for rule in listed]
        # Lines come back after some prompts, rules after some minutes, as in a session.
        came = dict.fromkeys(one.given, 0)
        lately: dict[str, float] = {}
        calls: dict[str, tuple[Event, Sequence[str]]] = {}
        moment = one.began
        for event in one.events():
            moment = event.time or moment
            if event.role == "human":
                held = {id: one.prompts - at for id, at in came.items()}
                made = prompt.composed(seat, event.text, moment, held, session=one.ref.id)
                one.prompts += 1
                one.take(made.injection, moment)
                came |= dict.fromkeys(made.injection.ids, one.prompts)
                self._quoted |= {id: _as_memory(id, line) for id, line in made.quoted.items()}
            elif event.role == "tool_use":
                recalled = _recalled(seat, rules, event, moment, lately)
                one.take(recalled, moment)
                lately |= dict.fromkeys(recalled.ids, moment)
                calls[event.tool_id] = event, recalled.ids
                if path := path_of(event.tool, event.input):
                    about = opened_files.about(seat, path, moment, {*came, *lately}, table)
                    one.take(about, moment)
                    came |= dict.fromkeys(about.ids, one.prompts)
            elif event.failed and not event.denied and event.tool_id in calls:
                one.failures += [call for call in [calls[event.tool_id]] if call[0].tool in SHELLS]

    def _seat(self, one: Replayed) -> Project:
        """The scratch project as if it were where a session ran, for files and for the branch."""
        seat = copy.copy(self._workspace.project)
        seat.root = seat.cwd = one.ref.cwd or seat.cwd
        seat.branch = one.branch
        return seat

    def judged(self, sessions: Sequence[Replayed]) -> Proof:
        """What came of what was given, and of as much that was exchanged."""
        met: Counter[str] = Counter()
        shuffled: Counter[str] = Counter()
        spared: list[Spared] = []
        pool = sorted(map(_as_line, self.cortex.list()), key=lambda line: line.content)
        for one in sessions:
            lines = map(_as_line, self._store.memories(list(one.given)))
            memories = [(one.given[line.id], line) for line in lines]
            quoted = [(at, self._quoted[id]) for id, at in one.given.items() if id in self._quoted]
            # What a session learned itself would fit it best, and it could not have had it.
            others = [each for each in pool if each.source.session != one.ref.id]
            chance = random.Random(one.ref.id)
            swapped = [
                *_exchanged(memories, others, chance),
                *_exchanged(quoted, list(self._quoted.values()), chance),
            ]
            spared += self._judge(one, [*memories, *quoted], met)
            self._judge(one, swapped, shuffled)
            met["failures"] += sum(bool(ids) for _, ids in one.failures)
            shuffled["failures"] += self._met_by_others(one, chance)
        given = [id for one in sessions for id in one.given]
        of = Counter("quotations" if id.startswith(QUOTATION) else "lines" for id in given)
        of["failures"] = sum(len(one.failures) for one in sessions)
        of["corrections"] = sum(one.topic == "correction" for one in self._said)
        return Proof(
            sessions=len(sessions),
            since=min((one.began for one in sessions), default=0.0),
            until=max((one.ended for one in sessions), default=0.0),
            prompts=sum(one.prompts for one in sessions),
            lines=len(given),
            tokens=sum(one.tokens for one in sessions),
            benefits=tuple(
                Benefit(name=name, of=of[name], met=met[name], shuffled=shuffled[name])
                for name in BENEFITS
            ),
            spared=tuple(spared),
        )

    def _judge(self, one: Replayed, shown: Shown, met: Counter[str]) -> list[Spared]:
        """Count in `met` which lines a session came to use; the corrections that one said first."""
        known = receipts.project_rules(self._seat(one))
        rare = partial(word_index.rare, self._store, most=receipts.RARE)
        used = receipts.came_to_use(shown, one.events(), known, rare)
        met.update("quotations" if id.startswith(QUOTATION) else "lines" for id in used)
        found = []
        for index, each in enumerate(self._said):
            if each.topic == "correction" and each.session == one.ref.id:
                moment = each.time or 0.0
                before = [line.content for since, line in shown if since < moment]
                # Most corrections are of the moment, and like no line.
                like = [line for line in before if self._sentences.similarity(index, line)]
                found += [
                    Spared(time=moment, session=each.session, said=each.text, line=line)
                    for line in like[:1]
                ]
        met["corrections"] += len(found)
        return found

    @cached_property
    def _said(self) -> list[observations.Observed]:
        """What the user ordered, corrected and stated as rules, in all sessions."""
        return observations.said(self._store)

    @cached_property
    def _sentences(self) -> again.Sentences:
        return again.Sentences([one.text for one in self._said], [one.vector for one in self._said])

    def _met_by_others(self, one: Replayed, chance: random.Random) -> int:
        """For how many failed calls rules would be recalled that are exchanged for others."""
        seat = self._seat(one)
        listed = call_table.read(seat)["rules"].values()
        others = [rule for rules in listed for rule in rules if rule[0] not in one.given]
        drawn = (
            (event, chance.sample(others, min(len(ids), len(others))))
            for event, ids in one.failures
        )
        return sum(bool(_recalled(seat, rules, event, one.began, {}).ids) for event, rules in drawn)


def _recalled(
    seat: Project, rules: Iterable[list[Any]], call: Event, now: float, lately: Mapping[str, float]
) -> Injection:
    """The rules that are recalled with a call."""
    lines, ids, *_ = guard.answer(seat, rules, call.tool, call.input, now, lambda: lately)
    return Injection("\n".join(lines), ids)


def _exchanged(shown: Shown, others: Iterable[Memory], chance: random.Random) -> Shown:
    """As many lines at the same moments, but others, as far as there are any."""
    own = {memory.id for _, memory in shown}
    pool = [memory for memory in others if memory.id not in own]
    drawn = chance.sample(pool, min(len(shown), len(pool)))
    return [(since, memory) for (since, _), memory in zip(shown, drawn, strict=False)]


def _as_line(memory: Memory) -> Memory:
    """A memory with no more words than the line that a session gets of it."""
    said = wording.statement(memory.title, memory.content) or memory.title
    return replace(memory, content=said, title="")


def _as_memory(id: str, line: str) -> Memory:
    """A quotation as what its use is looked for by."""
    return Memory(id=id, content=line, title="", kind="fact", scope="project")
