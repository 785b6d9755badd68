"""Memories of what comes back over sessions: commands that work, what is missing, and ways
that failed.

`derived` makes them from the table of observations and writes nothing; `update` brings the store in
line with them. Each is made once and its text then kept current, unless the user changed it or put
it away. What the user says again is `capture/repeats.py`.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from cortex_core.admission import apply, checks, lookup
from cortex_core.admission.apply import Admitted
from cortex_core.base import text
from cortex_core.extract import dead_ends
from cortex_core.extract.commands import shown, stem_of, task_of
from cortex_core.extract.sources import BY_NAME
from cortex_core.extract.wording import title
from cortex_core.language import programs, signals
from cortex_core.language.detect import most_common
from cortex_core.records.captures import RuleTier
from cortex_core.records.events import Candidate, Topic
from cortex_core.records.memory import Memory
from cortex_core.store import cursors, observations, rows
from cortex_core.store.journal import Change
from cortex_core.store.observations import Observed
from cortex_core.store.store import Store
from cortex_core.triggers import assigning
from cortex_core.triggers.assigning import DEAD_END

SESSIONS = 60
"""Sessions that count, the newest: what was done before them may no longer be so."""

TRIED = 3
"""Sessions in which a command of the project's script runner worked, from which it is kept."""

MET = 2
"""Sessions in which something was missing, from which it is kept."""

MOST_OTHERS = 5
"""Memories of commands that name no task, and of programs that are missing."""

MOST_DEAD_ENDS = 30

_MADE = "recurring"
"""The key under which the ids of the memories made here are saved, by identity."""

_TASKS = (
    "test",
    "lint",
    "format",
    "typecheck",
    "check",
    "build",
    "run",
    "migrate",
    "deploy",
    "generate",
    "install",
)
"""Tasks that have a memory, each the name of the phrase that states how it is done."""


_RUNNERS = frozenset("gradlew hatch invoke mvnw nox rake tox".split())
"""Runners of scripts that have a default, so that the bare name is a command of the project."""


class Derived(NamedTuple):
    """A memory that observations of several sessions add up to."""

    identity: str
    """What it is about, such as `command:test`: the same while its text changes."""
    rule: str
    content: str
    title: str
    source: Observed
    """The first observation of it."""
    latest: float
    """When it was last seen to hold, Unix seconds."""

    trigger: str = ""
    """The tool calls at which it is recalled, where its words do not say them."""

    @property
    def details(self) -> dict[str, str]:
        """What its memory is recognised by later."""
        known = {"recurring": self.identity, "derived": text.content_hash(self.content)}
        return {**known, assigning.CALLS: self.trigger} if self.trigger else known


def update(
    store: Store, change: Change, tiers: Mapping[str, RuleTier], transcript: str
) -> Admitted:
    """Add the memories that the observations in `store` now allow, and keep the others current.

    Args:
        change: the open change to which the observations belong.
        tiers: the tier in effect of each rule.
        transcript: the file just read.
    """
    admitted = Admitted()
    made: dict[str, str] = json.loads(store.meta(_MADE) or "{}")
    before = dict(made)
    current = derived(lambda topic: observations.newest(store, topic, SESSIONS))
    for each in current:
        # A rule that is off keeps its observations, so that it can be switched on again.
        tier = tiers.get(each.rule, BY_NAME[each.rule].tier)
        if tier == "off":
            continue
        if each.identity not in made:
            rule, source = BY_NAME[each.rule], each.source
            candidate = Candidate(
                content=each.content,
                title=each.title,
                kind="gotcha" if each.rule == DEAD_END else "fact",
                rule=each.rule,
                tier=tier,
                confidence=rule.confidence,
                priority=rule.priority,
                tags=(each.rule,),
                session=source.session,
                message=source.message,
                offset=source.offset,
                time=source.time,
                branch=source.branch,
                details=each.details,
            )
            file = cursors.transcript_of(store, source.session, transcript)
            admitted.add(found := apply.admit(store, change, [candidate], file))
            made[each.identity] = next(iter([*found.added, *found.merged]), "")
        else:
            _keep_current(store, change, made[each.identity], each, tier)
    _withdraw_fallen(store, change, made, {each.identity for each in current})
    if made != before:
        store.set_meta(_MADE, rows.dumps(made))
    return admitted


def _withdraw_fallen(
    store: Store, change: Change, made: Mapping[str, str], current: Set[str]
) -> None:
    """Archive the commands that no longer work, and what is missing or fails no longer, as far as
    they are still what was made here."""
    fallen = [
        name
        for identity, name in made.items()
        if identity not in current and identity.startswith(("command:", "environment:", DEAD_END))
    ]
    for memory in store.memories(fallen):
        is_ours = memory.content_hash == memory.details.get("derived")
        if is_ours and memory.status in ("active", "suggested"):
            change.update("memory", memory.id, {"status": "archived", "updated": store.clock()})


def derived(observed: Callable[[Topic], Sequence[Observed]]) -> list[Derived]:
    """What the observations of a store add up to, in the language of most prompts. Pure.

    Args:
        observed: the observations of a topic, the oldest first.
    """
    prompts: Counter[str] = Counter()
    for one in observed("language"):
        prompts[one.key] += one.succeeded
    language = most_common(prompts)
    commands = observed("command")
    return [
        *_of_commands(commands, language),
        *_of_failures(observed("failure"), commands, language),
        *_of_dead_ends(observed("dead end"), language),
    ]


# --- bringing the store in line


def _keep_current(store: Store, change: Change, name: str, each: Derived, tier: RuleTier) -> None:
    """Update the memory called `name` as far as it is still what was made here."""
    memory = next(iter(store.memories([name])), None)
    # There is none once the user undid its making, emptied the trash or moved it.
    if memory is None or not _is_ours(store, memory, each):
        return
    columns: rows.Row = {"reinforced": max(memory.reinforced, min(each.latest, store.clock()))}
    if memory.status == "archived" or (memory.status == "suggested" and tier == "kept"):
        columns["status"] = "active"
    if memory.content != each.content:
        details = {**memory.details, **each.details}
        columns |= {
            "content": each.content,
            "title": each.title,
            "updated": store.clock(),
            "content_hash": text.content_hash(each.content),
            "details": rows.dumps(details),
            "withheld": checks.is_withheld((each.title, each.content), memory.source.rule),
        }
    change.update("memory", name, columns)


def _is_ours(store: Store, memory: Memory, each: Derived) -> bool:
    """Whether the text is one derived, and nobody has put the memory away."""
    if memory.content_hash not in (memory.details.get("derived"), text.content_hash(each.content)):
        return False
    if memory.status == "archived":
        return not lookup.archived_by_hand(store, memory.id)
    return memory.status in ("active", "suggested")


# --- commands


def _of_commands(observed: Sequence[Observed], language: str) -> Iterator[Derived]:
    """The commands of the project's script runner that work: of each task the one that worked in
    the most sessions, and some that name no task."""
    # Without the scopes of packages: a filter takes a name with and without it.
    forms = (
        one._replace(key=re.sub(r"(?<=\s)@[\w.-]+/", "", stem_of(one.key)))
        for one in observed
        if _runs_script(one.key)
    )
    works: list[tuple[int, str, list[Observed]]] = []
    for form, group in _by_key(forms).items():
        good = [one for one in group if one.succeeded]
        sessions = {one.session for one in good}
        # What failed in the last session that ran it is not advised.
        if len(sessions) >= TRIED and group[-1].session in sessions:
            works.append((-len(sessions), form, good))
    subjects: dict[str, tuple[str, list[Observed]]] = {}
    for _, form, good in sorted(works):
        task = task_of(form)
        subjects.setdefault(task if task in _TASKS else form, (form, good))
    others = [key for key in subjects if key not in _TASKS][:MOST_OTHERS]
    for key, (form, good) in subjects.items():
        way = _way_in(language, shown(form))
        if key in _TASKS:
            made = _made("command", form, signals.said(key, language, way=way), good)
            yield made._replace(identity=f"command:{key}")
        elif key in others:
            yield _made("command", form, signals.said("works", language, way=way), good)


def _runs_script(form: str) -> bool:
    """Whether a command is one that the project's files define: a script, a target, a task."""
    words = form.partition("\t")[0].split()
    base = words[0].rsplit("/", 1)[-1]
    return (base in programs.RUNS_SCRIPTS and len(words) > 1) or base in _RUNNERS


def _way_in(language: str, command: str) -> str:
    """A command as `shown` writes it, with its folder named in `language`."""
    program, below, folder = command.partition("` in `")
    names = {"command": f"{program}`", "folder": f"`{folder}"}
    return signals.said("below", language, **names) if below else command


# --- what is missing


def _of_failures(
    observed: Sequence[Observed], commands: Sequence[Observed], language: str
) -> Iterator[Derived]:
    """Programs that were not found in two sessions, and in none since."""
    often = sorted(_by_key(observed).items(), key=lambda pair: (-len(pair[1]), pair[0]))
    missing = [
        (key, group)
        for key, group in often
        if len(group) >= MET
        and group[-1].text
        # What was missing has not worked in a later session.
        and not any(
            one.succeeded
            and (one.time or 0.0) > (group[-1].time or 0.0)
            and one.key.split()[0] == key.partition(" ")[2]
            for one in commands
        )
    ]
    for key, group in missing[:MOST_OTHERS]:
        content = signals.said("absent", language, name=key.partition(" ")[2])
        yield _made("environment", key, content, group)


# --- dead ends


def _of_dead_ends(observed: Sequence[Observed], language: str) -> Iterator[Derived]:
    """The newest ways that failed and have not worked since, with what worked instead."""
    groups = [group for group in _by_key(observed).values() if group[-1].text]
    for group in sorted(groups, key=lambda group: group[-1].time or 0.0)[-MOST_DEAD_ENDS:]:
        key, (worked, folder, reason) = group[-1].key, group[-1].text.split("\t")
        if trigger := dead_ends.trigger_of(key, worked):
            way = _way_in(language, shown(f"{worked}\t{folder}" if folder else worked))
            reason = reason.rstrip(".: ")
            said = signals.said("dead_end", language, name=f"`{key}`", reason=reason, way=way)
            yield _made(DEAD_END, key, said, group)._replace(trigger=trigger)


# --- what all of them share


def _by_key(observed: Iterable[Observed]) -> dict[str, list[Observed]]:
    groups: dict[str, list[Observed]] = defaultdict(list)
    for one in observed:
        groups[one.key].append(one)
    return groups


def _made(rule: str, key: str, content: str, group: Sequence[Observed]) -> Derived:
    """The memory that a group of observations makes.

    Its identity leaves out the words of `key`: it is saved where no secret is looked for.
    """
    return Derived(
        f"{rule}:{text.content_hash(key)[:16]}",
        rule,
        content,
        title(content),
        group[0],
        max(one.time or 0.0 for one in group),
    )
