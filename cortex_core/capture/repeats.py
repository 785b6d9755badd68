"""What the user says again over sessions: suggested, kept, and listed in a report.

`comes_back` says what counts, for all three. A correction counts also where it comes some turns
later in one session, or where a memory said it. Which memory that was and whether the session had
it is worked out when it is asked for, from what is stored then: memories change, what was said does
not.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from cortex_core.admission import amending, apply
from cortex_core.base import hook_words
from cortex_core.base.authorship import is_by_hand, is_users_word
from cortex_core.base.decay import DAY
from cortex_core.base.errors import ModelUnavailable
from cortex_core.base.kinds import RULE_KINDS
from cortex_core.base.text import content_hash, content_words
from cortex_core.capture import rule_tiers
from cortex_core.duplicates import again
from cortex_core.duplicates.last_word import later_word
from cortex_core.extract.hearing import is_complaint, rule_in
from cortex_core.extract.sources import BY_NAME, ENVIRONMENT, FROM_PROMPT
from cortex_core.extract.wording import title
from cortex_core.language import listener, sentences, signals
from cortex_core.language.detect import language
from cortex_core.records.events import Amendment, Candidate
from cortex_core.records.kept_rules import Repair, Repeat, RepeatMonth, RepeatOutcome, RepeatReport
from cortex_core.records.memory import Actor, Memory, Source, Status
from cortex_core.records.surfaces import Receipt
from cortex_core.search import keyword
from cortex_core.store import (
    correction_rows,
    journal,
    memory_lookup,
    observations,
    occasions,
    proposals,
    receipt_rows,
    rows,
)
from cortex_core.store.journal import Change
from cortex_core.store.observations import Observed
from cortex_core.store.store import Store
from cortex_core.store.workspace import Workspace

NEAR = 3
"""Prompts within which something that is said again in a session is one correction in parts."""

SESSIONS, AFTER_CORRECTION = 3, 2
"""Sessions in which something is said, from which it comes back; the same if one corrects."""

MOST_FOUND = 10
"""Memories with the words of a correction that are compared with it."""

PASTED = 160
"""Characters from which the same sentence in two sessions was pasted, not said."""

LATELY = 30 * DAY
"""Seconds for which it is saved when something was said again."""

OPEN = 2 * DAY
"""Seconds that a session is taken to last at most: what was said in them may be read later."""

_HEARD = (f"rule:{FROM_PROMPT}", "rule:order")
"""How the rules begin that hear what the user wants."""

_WISH = f"rule:{FROM_PROMPT}wish"
"""The rule of what the user would like, which is kept only when it comes back."""

_BY_SESSION = "said in this session"
_WAYS = {
    hook_words.START: "injected at the session's start",
    hook_words.PROMPT: "injected with a prompt",
    hook_words.TOOL: "injected with a file",
    "Trigger": "recalled at a tool call",
}
"""By event: how the session got a memory."""
_WITHHELD: dict[Status, tuple[str, Repair]] = {
    "suggested": ("it is only suggested", "keep"),
    "quarantined": ("it is in quarantine", "release"),
    "archived": ("it is archived", "restore"),
    "pruned": ("it is in the trash", "restore"),
}
"""By status: why a memory was not injected, and what changes that."""


class _Match(NamedTuple):
    """A memory that says what the user said, and since when it is stored."""

    memory: Memory
    similarity: float
    since: float

    def was_there(self, said: Observed) -> bool:
        """Whether it was there when `said` was said, and not made of that or its session."""
        moment, source = said.time or 0.0, self.memory.source
        is_older = source.time is None or source.time < moment
        return is_older and self.since < moment and source.session != said.session


def report(workspace: Workspace, since: float) -> RepeatReport:
    """What was corrected since a moment, and what had been said before."""
    stores = workspace.own_stores
    history = _History(stores)
    cases: list[Repeat] = []
    first: Counter[str] = Counter()
    judged: set[str] = set()
    for index, one in enumerate(history.said):
        at = one.time or 0.0
        if at < since or one.message in judged:
            continue
        if (case := history.repeat_at(index)) is not None:
            cases.append(case)
            # A message with several corrections is one case.
            judged.add(one.message)
        elif one.topic == "correction" and not history.is_continued(index):
            first[_month(at)] += 1
    followed = Counter(
        _month(moment)
        for store in stores
        for moment in occasions.kept_after_injection(store, since)
    )
    return RepeatReport(
        since=since,
        months=tuple(_months(cases, first, followed)),
        cases=tuple(reversed(cases)),
    )


def update(
    workspace: Workspace, *, actor: Actor = "worker", action: str = "", afresh: bool = True
) -> None:
    """Compare what was said since the last time, suggest and keep what comes back, and count it.

    Args:
        action: the action that this belongs to; its own if empty.
        afresh: count everything once more; else only what may be new since the last count.
    """
    store = workspace.existing(workspace.default_scope())
    if store is None or not store.writable:
        return
    made: list[tuple[int, bytes]] = []
    # Words alone do without the model: what was said is compared as soon as it can be loaded.
    with suppress(ModelUnavailable):
        made = [
            # “I told you to …” says nothing of the rule.
            (number, again.encode(rule_in(said, objects=True)))
            for number, said in observations.without_vector(store)
        ]
    if made:
        with store.write():
            observations.save_vectors(store, made)
        _suggest(workspace, store, {vector for _, vector in made}, actor, action)
    now = workspace.clock()
    since = now - LATELY
    until, counted = (since, []) if afresh else correction_rows.repeated(store, since)
    start = max(since, until - OPEN)
    known = [moment for moment in counted if moment < start]
    moments = [*known, *sorted(case.time for case in report(workspace, start).cases)]
    with store.write():
        correction_rows.save_repeated(store, now, moments)


def comes_back(one: Observed, others: Sequence[Observed]) -> bool:
    """Whether a sentence that others say too was said in enough sessions to mean more than one; a
    task is no rule however often it is given."""
    group = [each for each in (one, *others) if _may_last(each)]
    is_correction = any(each.topic == "correction" for each in group)
    return one in group and len({each.session for each in group}) >= (
        AFTER_CORRECTION if is_correction else SESSIONS
    )


def _may_last(said: Observed) -> bool:
    """Whether what was said may be meant for other sessions too: a task after a stop is not."""
    code = language(said.text) or "en"
    corrects = said.topic == "correction" and is_complaint(said.text, code)
    lasts = corrects or listener.heard(said.text).label in listener.LASTING
    return (
        said.topic == "instruction"
        or signals.search("complaint", said.text, code) is not None
        or (lasts and not _names_what_is_at_hand(said.text))
    )


def _suggest(
    workspace: Workspace, store: Store, vectors: Set[bytes], actor: Actor, action: str
) -> None:
    """Keep what the user says again of the sentences that have these vectors, one memory each;
    orders that come back are suggested."""
    history = _History([store])
    tiers = {record.name: record.tier for record in rule_tiers.records([store], workspace.config)}
    groups: list[tuple[list[str], list[Observed]]] = []
    found: dict[str, tuple[Candidate, list[Observed]]] = {}
    for index, one in enumerate(history.said):
        # What was compared before has been suggested, kept or put away by somebody since.
        if one.vector not in vectors:
            continue
        group = [history.said[other] for other in sorted((index, *history.sentences.like(index)))]
        if len({each.session for each in group}) == 1:
            continue
        heard = [
            memory
            for memory in memory_lookup.of_messages(store, {each.message for each in group})
            if memory.source.rule.startswith(_HEARD)
            # By meaning alone “no docker” and “no cluster” are the same.
            and ENVIRONMENT not in memory.tags
            and history.sentences.similarity(index, memory.content)
        ]
        # A mere wish has to come back.
        if any(each.source.rule != _WISH or comes_back(one, group) for each in heard):
            groups.append(([memory.id for memory in heard], group))
        elif comes_back(one, group) and tiers["order"] != "off":
            candidate = _candidate(group)
            found.setdefault(candidate.content, (candidate, group))
    if not groups and not found:
        return
    with store.change("capture", "note what was said again", actor, action) as change:
        for ids, group in groups:
            _keep_one(store, change, ids, group)
        for candidate, group in found.values():
            for made in apply.admit(store, change, [candidate], "").stored:
                _add_sources(store, change, store.memory(made), group)


def _candidate(group: Sequence[Observed]) -> Candidate:
    """What comes back: a correction in the words of the last time, kept where they say what is
    right; an order in those of the first, suggested."""
    is_correction = any(each.topic == "correction" for each in group)
    said = group[-1] if is_correction else group[0]
    content = rule_in(said.text) if is_correction else said.text
    is_clear = listener.heard(content).label in listener.LASTING and not (
        again.complains(content) or _names_what_is_at_hand(content)
    )
    source = BY_NAME["order"]
    return Candidate(
        content=content,
        title=title(content),
        kind="policy",
        rule=source.name,
        tier="kept" if is_correction and is_clear else "suggested",
        confidence=source.confidence,
        priority=source.priority,
        session=said.session,
        message=said.message,
        offset=said.offset,
        time=said.time,
        branch=said.branch,
    )


def _keep_one(
    store: Store, change: Change, heard: Sequence[str], group: Sequence[Observed]
) -> None:
    """Keep one of the memories that say the same with the sources of all: the last one, unless
    another says all of it and more.

    What the user asked to remember, or has decided on, stays as it is, and so does a memory that
    says more than the one sentence.
    """
    found = [one for one in store.memories(heard) if one.status in ("active", "suggested")]
    if not found:  # a group before this one has taken it
        return
    found.sort(key=lambda one: one.source.time or 0.0)
    decided = [
        one
        for one in found
        if one.status == "active"
        and (is_by_hand(one.source.rule) or journal.is_decided(store, one))
    ]
    # “I told you to use pnpm” leaves a part of “use pnpm, never npm” out.
    last = _own_words(found[-1])
    fuller = [one for one in found[:-1] if last < _own_words(one)]
    kept = (decided or fuller or found)[-1]
    if kept.status == "suggested":
        first, _, context = kept.content.partition("\n")
        content = "\n".join(filter(None, (rule_in(first), context)))
        words = Amendment(
            memory=kept.id, verb="reword", content=content, title=title(rule_in(first))
        )
        is_new = _is_sentence(kept) and content != kept.content
        amendment = words if is_new else Amendment(memory=kept.id, verb="keep")
        amending.amend(store, change, amendment, kept.source)
    for other in found:
        if other is not kept and _is_sentence(other):
            # Put away, not superseded: nothing has changed, and its words stay known.
            change.update("memory", other.id, {"status": "archived", "updated": change.time})
    _add_sources(store, change, kept, group)


def _own_words(memory: Memory) -> set[str]:
    """The words of a memory's rule, without what that was said to."""
    return set(content_words(rule_in(memory.content.partition("\n")[0])))


def _is_sentence(memory: Memory) -> bool:
    """Whether a memory says one sentence, aside from what that was said to."""
    return len(sentences.split(memory.content.partition("\n")[0])) == 1


def _add_sources(store: Store, change: Change, memory: Memory, group: Sequence[Observed]) -> None:
    """Note the occasions of a group as sources of a memory."""
    rule = memory.source.rule
    for one in group:
        if not memory_lookup.with_source(store, (memory.id,), one.message, rule):
            change.insert("source", rows.source_row(memory.id, _source(rule, one)))


def _source(rule: str, one: Observed) -> Source:
    """The occasion on which something was said, as a source of a memory of `rule`."""
    return Source(
        rule=rule, session=one.session, message=one.message, offset=one.offset, time=one.time
    )


def _names_what_is_at_hand(text: str) -> bool:
    is_pointing = any(signals.search(name, text, "en") for name in ("pointing", "chore"))
    return "://" in text or is_pointing or listener.heard(text).label == "now"


def _months(
    cases: Sequence[Repeat], first: Counter[str], followed: Counter[str]
) -> Iterator[RepeatMonth]:
    counts: dict[str, Counter[RepeatOutcome]] = defaultdict(Counter)
    for case in cases:
        counts[_month(case.time)][case.outcome] += 1
    for month in sorted({*counts, *+first, *followed}):
        by = counts[month]
        yield RepeatMonth(
            month=month,
            first=first[month],
            not_learned=by["not learned"],
            not_given=by["not given"],
            not_followed=by["not followed"],
            followed=followed[month],
        )


def _month(moment: float) -> str:
    return time.strftime("%Y-%m", time.localtime(moment))


class _History:
    """What the user said in the sessions of some stores, and what the stores knew and injected."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores
        found = (one for store in stores for one in observations.said(store))
        self.said = sorted(found, key=lambda one: (one.time or 0.0, one.session, _turn(one)))

    @cached_property
    def sentences(self) -> again.Sentences:
        """What was said, to be compared."""
        return again.Sentences([one.text for one in self.said], [one.vector for one in self.said])

    @cached_property
    def _changed(self) -> set[str]:
        """The ids of the memories whose later word waits for the user's verdict."""
        return {
            name
            for store in self._stores
            for each in proposals.open_ones(store)
            if each.type == "supersede"
            for name in each.members[1:]
        }

    @cached_property
    def _injected(self) -> dict[str, list[Receipt]]:
        """By session: what was injected into it."""
        sessions = {one.session for one in self.said}
        by_session: dict[str, list[Receipt]] = defaultdict(list)
        for store in self._stores:
            for handed in receipt_rows.of_sessions(store, sessions):
                by_session[handed.session].append(handed)
        return by_session

    def is_continued(self, index: int) -> bool:
        """Whether a sentence is followed by another of its prompt, or repeats one just said."""
        one = self.said[index]
        if any(later.message == one.message for later in self.said[index + 1 : index + 2]):
            return True
        return any(
            self.said[other].session == one.session
            for other in self.sentences.like(index)
            if other < index
        )

    def repeat_at(self, index: int) -> Repeat | None:
        """What the sentence at `index` says again; None where it says nothing again."""
        one = self.said[index]
        before = [
            self.said[other]
            for other in self.sentences.like(index)
            if other < index and _is_earlier(self.said[other], one)
        ]
        # An order is one of the moment until it comes back, so no memory is looked for.
        matches = [] if one.topic == "order" else self._matches(index)
        known = [match for match in matches if match.was_there(one)]
        if one.topic == "correction":
            is_repeated = bool(known or (before and any(map(_may_last, (one, *before)))))
        else:
            is_repeated = comes_back(one, before) or any(
                is_users_word(match.memory.source.rule) for match in known
            )
        if not is_repeated:
            return None
        heard = any(earlier.session == one.session for earlier in before)
        outcome, why, repairs, memory = self._judged(one, matches, known, heard=heard)
        return Repeat(
            time=one.time or 0.0,
            session=one.session,
            said=one.text,
            rule=rule_in(one.text),
            outcome=outcome,
            why=why,
            memory=memory.id if memory else "",
            title=(memory.title or memory.content) if memory else "",
            # What a later word is about to replace is not made stronger.
            repairs=() if memory and memory.id in self._changed else tuple(repairs),
            source=_source("person", one),
            before=before[-1].text if before else "",
            before_time=before[-1].time if before else None,
        )

    def _matches(self, index: int) -> list[_Match]:
        """The memories that say what a sentence says, the best first."""
        words = sorted(set(content_words(self.said[index].text)))
        if not words:
            return []
        found: list[_Match] = []
        for store in self._stores:
            ids = correction_rows.mentioning(store, keyword.match(words), MOST_FOUND)
            stored = correction_rows.stored_at(store, ids)
            for memory in store.memories(ids):
                # What the user says otherwise now is not said again.
                is_changed = later_word(memory.content, self.said[index].text) is not None
                close = 0.0 if is_changed else self.sentences.similarity(index, memory.content)
                if close:
                    found.append(_Match(memory, close, stored.get(memory.id, memory.created)))
        return sorted(found, key=lambda match: (match.memory.status != "active", -match.similarity))

    def _judged(
        self, one: Observed, matches: Sequence[_Match], known: Sequence[_Match], *, heard: bool
    ) -> tuple[RepeatOutcome, str, Sequence[Repair], Memory | None]:
        """What had become of what a sentence says again, why, what repairs that, and the memory."""
        ids = {match.memory.id: match.memory for match in known}
        given = [
            handed
            for handed in self._injected.get(one.session, ())
            if handed.memory in ids and handed.time <= (one.time or 0.0)
        ]
        memory = next((match.memory for match in known or (() if heard else matches)), None)
        # What the session had comes first: no other repair helps where that was not followed.
        if given or heard:
            why = _BY_SESSION
            if given:
                last = max(given, key=lambda handed: handed.time)
                memory, why = ids[last.memory], _WAYS.get(last.event, "injected")
            return "not followed", why, _strengthening(memory) if memory else ("remember",), memory
        if memory is None:
            return "not learned", "no memory says it", ("remember",), None
        why, repairs = _why_withheld(memory)
        if known:
            return (
                "not given",
                why or "nothing in the session recalled it",
                repairs or (*_strengthening(memory), "floor"),
                memory,
            )
        repairs = repairs or (("edit",) if memory.pinned else ("pin", "edit"))
        return "not learned", "; ".join(filter(None, ("learned since", why))), repairs, memory


def _turn(one: Observed) -> int:
    """The number of the prompt in which something was said, counted within its session."""
    number = one.key.partition(".")[0]
    return int(number) if number.isdigit() else 0


def _is_earlier(earlier: Observed, one: Observed) -> bool:
    """Whether one was said long enough before the other to be another occasion."""
    if earlier.message == one.message:
        return False
    if earlier.session == one.session:
        return _turn(one) - _turn(earlier) >= NEAR
    return not (len(one.text) >= PASTED and content_hash(one.text) == content_hash(earlier.text))


def _why_withheld(memory: Memory) -> tuple[str, tuple[Repair, ...]]:
    """Why a memory is not injected as it is now, and what changes that; nothing where it may be."""
    if memory.status in _WITHHELD:
        why, repair = _WITHHELD[memory.status]
        return why, (repair, "edit")
    if memory.status == "superseded":
        return "a newer memory took its place", ("edit",)
    if memory.inject == "never":
        return "it is never injected", ("inject", "edit")
    if memory.withheld or memory.claimed:
        return "it is not in your words, and so not injected", ("pin", "edit")
    return "", ()


def _strengthening(memory: Memory) -> tuple[Repair, ...]:
    """What makes an active memory harder to overlook."""
    repairs: list[Repair] = ["edit"] if memory.pinned else ["pin", "edit"]
    if memory.triggers and memory.guard == "remind":
        return ("guard", *repairs)
    is_rule = not memory.triggers and memory.kind in RULE_KINDS
    return ("trigger", *repairs) if is_rule else tuple(repairs)
