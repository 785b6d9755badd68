"""`cortex prove`: past sessions are replayed with what Cortex would have known when each began.

A scratch store learns each session when it has ended, by rules alone. What the next ones would have
been given is judged by what they came to. So is a placebo: as many lines, each exchanged for one
that the session did not get and that was not learned from it.
"""

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import punctuation
from typing import Any, get_args

from cortex_core import worker_run
from cortex_core.agents.protocol import SessionRef
from cortex_core.agents.transcripts import reader_of, transcripts_at
from cortex_core.api import Cortex
from cortex_core.base import project as projects, text
from cortex_core.base.tools import SHELLS, path_of
from cortex_core.duplicates import again
from cortex_core.records.captures import Progress, unwatched
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

USUAL = 2
"""Sessions that may write a name before it is usual: one it is learned from, and one it helps."""

_BREAKS = str.maketrans(dict.fromkeys(punctuation.translate({ord("-"): None, ord("_"): None}), " "))
"""What is between two words of a name."""

Shown = list[tuple[float, Memory]]
"""The lines that a session has, each with the moment since when."""


def prove(
    cortex: Cortex,
    paths: Iterable[str | Path] = (),
    most: int = MOST,
    progress: Progress = unwatched,
) -> Proof:
    """Replay the newest sessions of a project; its stores are neither read nor changed.

    Args:
        paths: transcripts and folders of them; the project's own sessions if there are none.
        most: how many sessions.
    """
    found = [ref for path in paths for ref in transcripts_at(path)] or cortex.sessions.on_disk()
    newest = sorted(found, key=lambda ref: ref.changed)[-most:]
    read: set[int] = set()
    replayed = [Replayed(ref, read) for ref in sorted(newest, key=lambda ref: ref.started)]
    sessions = sorted((one for one in replayed if one.offsets), key=lambda one: one.began)
    # What was learned from a session is known to those that began after its end.
    unlearned = sorted(sessions, key=lambda one: one.ended)
    clock = [0.0]
    with leftovers.scratch() as folder:
        (folder / "project" / ".git").mkdir(parents=True)
        here = projects.find(explicit=str(folder / "project"), home=str(folder / "home"))
        workspace = Workspace(here, cortex.config, lambda: clock[0])
        with Cortex(workspace, asks_models=False) as scratch:
            workspace.store()
            for at, one in enumerate(sessions):
                progress(at, len(sessions), one.ref.path.name)
                while unlearned and unlearned[0].ended < one.began:
                    _learn(scratch, unlearned.pop(0), clock)
                _sit_through(scratch, one)
            for one in unlearned:
                _learn(scratch, one, clock)
            return _judged(scratch, sessions)


class Replayed:
    """One session: when it was, what it would have been given, and which commands of it failed."""

    def __init__(self, ref: SessionRef, read: set[int]) -> None:
        """Args:
        read: keys of the records of sessions before it, which a fork repeats; its own are added.
        """
        self.ref, self.branch = ref, ""
        self.offsets: set[int] = set()
        """Where its own events are, those of sub-agents left out."""
        self.typed: set[str] = set()
        """The prompts, without what was typed ahead and never repeated as a prompt."""
        self.words: set[str] = set()
        """The words that its agent writes, casefolded."""
        times: list[float] = []
        with reader_of(ref.key).read(ref.key, seen=lambda mark: uuid_key(mark) in read) as found:
            # A sub-agent has a context of its own, but lasts as long as its session does.
            for event in found:
                times += [] if event.time is None else [event.time]
                if not event.sidechain:
                    self.offsets.add(event.offset)
                    self.typed |= {event.text} if event.role == "human" else set()
                    self.branch = self.branch or event.branch
                if not event.sidechain and event.role in receipts.AGENTS:
                    self.words |= set(receipts.words_of(event).translate(_BREAKS).split())
            read |= found.keys
        self.began = min(times, default=ref.started)
        self.ended = max(times, default=ref.changed)
        self.given: dict[str, float] = {}
        """When each line came first, by the id of its memory or quotation."""
        self.last: dict[str, float] = {}
        """When each came last."""
        self.came: dict[str, int] = {}
        """How many prompts there had been then."""
        self.quoted: dict[str, str] = {}
        """The lines of quotations."""
        self.failures: list[tuple[Event, Sequence[str]]] = []
        """The calls of the shell that failed, with the rules that were recalled for each."""
        self.prompts = self.tokens = 0

    def events(self) -> Iterator[Event]:
        """Its own events, in order."""
        with reader_of(self.ref.key).read(self.ref.key) as found:
            yield from (event for event in found if event.offset in self.offsets)

    def take(self, injection: Injection, moment: float) -> None:
        """Note what the session is given at a moment."""
        for id in injection.ids:
            self.given.setdefault(id, moment)
            self.last[id], self.came[id] = moment, self.prompts
        self.tokens += text.tokens(injection.text)


def _learn(scratch: Cortex, one: Replayed, clock: list[float]) -> None:
    """Learn a session at the moment of its end, as the worker does."""
    clock[0] = one.ended
    head = Path(scratch.project.root or "", ".git", "HEAD")
    head.write_text(f"ref: refs/heads/{one.branch or 'main'}\n", encoding="utf-8")
    scratch.workspace.follow_branch()
    scratch.sessions.capture(one.ref.key, event="import", final=True, actor="import")
    worker_run.maintain(scratch)


def _sit_through(scratch: Cortex, one: Replayed) -> None:
    """Note what a session would be given at its start, with its prompts and at its calls."""
    seat = _seat(scratch, one)
    one.take(note.composed(seat, one.began, scratch.config).injection, one.began)
    table = call_table.read(seat)
    rules = [rule for listed in table["rules"].values() for rule in listed]
    calls: dict[str, tuple[Event, Sequence[str]]] = {}
    moment = one.began
    for event in one.events():
        moment = event.time or moment
        if event.role == "human" or (event.role == "queued" and event.text not in one.typed):
            held = {id: one.prompts - at for id, at in one.came.items()}
            made = prompt.composed(seat, event.text, moment, held, session=one.ref.id)
            one.prompts += 1
            one.take(made.injection, moment)
            one.quoted |= made.quoted
        elif event.role == "tool_use":
            recalled = _recalled(seat, rules, event, moment, one.last)
            one.take(recalled, moment)
            calls[event.tool_id] = event, recalled.ids
            # What is known of a file comes as well, unless the session holds it.
            if path := path_of(event.tool, event.input):
                one.take(opened_files.about(seat, path, moment, one.came.keys(), table), moment)
        elif event.failed and not event.denied and event.tool in SHELLS and event.tool_id in calls:
            one.failures.append(calls[event.tool_id])


def _seat(scratch: Cortex, one: Replayed) -> projects.Project:
    """The scratch project as if it were where a session ran, for files and for the branch."""
    seat = copy.copy(scratch.project)
    seat.root = seat.cwd = one.ref.cwd or seat.cwd
    seat.branch = one.branch
    return seat


def _recalled(
    seat: projects.Project,
    rules: Iterable[list[Any]],
    call: Event,
    now: float,
    last: Mapping[str, float],
) -> Injection:
    """The rules that are recalled with a call."""
    lines, ids, *_ = guard.answer(seat, rules, call.tool, call.input, now, lambda: last)
    return Injection("\n".join(lines), ids)


def _judged(scratch: Cortex, sessions: Sequence[Replayed]) -> Proof:
    """What came of what was given, and of as much that was exchanged."""
    store = scratch.workspace.store()
    said = observations.said(store)
    sentences = again.Sentences([one.text for one in said], [one.vector for one in said])
    rare = partial(word_index.rare, store, most=receipts.RARE)
    is_usual = _usual(sessions)
    rules = [one for listed in call_table.read(scratch.project)["rules"].values() for one in listed]
    memories = sorted(map(_as_line, scratch.list()), key=lambda line: line.content)
    # A quoted turn is looked for as a memory that says it.
    quoted = {
        id: Memory(id=id, content=line, title="", kind="fact", scope="project")
        for one in sessions
        for id, line in one.quoted.items()
    }
    met, shuffled, of = Counter[str](), Counter[str](), Counter[str]()
    spared: list[Spared] = []
    for one in sessions:
        own = [(one.given[each.id], _as_line(each)) for each in store.memories(list(one.given))]
        turns = [(one.given[id], quoted[id]) for id in one.quoted]
        # What a session learned itself would fit it best, and it could not have had it.
        others = [line for line in memories if line.source.session != one.ref.id]
        chance = random.Random(one.ref.id)
        swapped = _exchanged(own, others, chance) + _exchanged(turns, quoted.values(), chance)
        seat = _seat(scratch, one)
        known = receipts.project_rules(seat)
        # Most sessions are given nothing, and to read one again takes the longest of all this.
        events = list(one.events()) if one.given else []
        for counts, lines in ((met, own + turns), (shuffled, swapped)):
            used = receipts.came_to_use(lines, events, known, rare, is_usual)
            counts.update("quotations" if id in quoted else "lines" for id in used)
            found = list(_said_before(one, lines, said, sentences))
            counts["corrections"] += len(found)
            spared += found if counts is met else []
        of.update("quotations" if id in quoted else "lines" for id in one.given)
        of["failures"] += len(one.failures)
        met["failures"] += sum(bool(ids) for _, ids in one.failures)
        shuffled["failures"] += _met_by_others(seat, one, rules, chance)
    of["corrections"] = sum(one.topic == "correction" for one in said)
    return Proof(
        sessions=len(sessions),
        since=min((one.began for one in sessions), default=0.0),
        until=max((one.ended for one in sessions), default=0.0),
        prompts=sum(one.prompts for one in sessions),
        lines=of["lines"] + of["quotations"],
        tokens=sum(one.tokens for one in sessions),
        benefits=tuple(
            Benefit(name=name, of=of[name], met=met[name], shuffled=shuffled[name])
            for name in get_args(BenefitName)
        ),
        suggested=len(scratch.suggestions.list()),
        spared=tuple(spared),
    )


def _usual(sessions: Sequence[Replayed]) -> Callable[[str], bool]:
    """Whether sessions of the project write a name in any case: more than a tenth of them do.

    A command, which has blanks, is no subject but something that each session has to find again.
    """
    written = Counter(word for one in sessions for word in one.words)
    usual = {word for word in written if written[word] > max(USUAL, len(sessions) // 10)}
    return lambda sign: " " not in sign and usual.issuperset(sign.translate(_BREAKS).split())


def _said_before(
    one: Replayed, shown: Shown, said: Sequence[observations.Observed], sentences: again.Sentences
) -> Iterator[Spared]:
    """The corrections of a session that a line said before the user did."""
    for index, each in enumerate(said):
        if each.topic == "correction" and each.session == one.ref.id:
            moment = each.time or 0.0
            before = (line.content for since, line in shown if since < moment)
            if like := next((line for line in before if sentences.similarity(index, line)), ""):
                yield Spared(time=moment, session=each.session, said=each.text, line=like)


def _met_by_others(
    seat: projects.Project, one: Replayed, rules: Iterable[list[Any]], chance: random.Random
) -> int:
    """For how many failed calls rules would be recalled that are exchanged for others."""
    others = [rule for rule in rules if rule[0] not in one.given]
    drawn = (
        (call, chance.sample(others, min(len(ids), len(others)))) for call, ids in one.failures
    )
    return sum(bool(_recalled(seat, listed, call, 0.0, {}).ids) for call, listed in drawn)


def _exchanged(shown: Shown, others: Iterable[Memory], chance: random.Random) -> Shown:
    """As many lines at the same moments, but others, as far as there are any."""
    own = {line.id for _, line in shown}
    pool = [line for line in others if line.id not in own]
    drawn = chance.sample(pool, min(len(shown), len(pool)))
    return [(since, line) for (since, _), line in zip(shown, drawn, strict=False)]


def _as_line(memory: Memory) -> Memory:
    """A memory with no more words than the line that a session gets of it."""
    line = wording.statement(memory.title, memory.content) or memory.title
    return replace(memory, content=line, title="")
